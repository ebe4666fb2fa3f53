"""What is compared: the same headline of several runs, or of the panels of one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from scipy import special

from dissensus.errors import ResourceError
from dissensus.plan.preregistration import plan_of
from dissensus.plan.registered import Plan
from dissensus.report.facts import SETTINGS
from dissensus.report.labels import listed
from dissensus.run.kept import kept_configuration, kept_states
from dissensus.study.configuration import load
from dissensus.study.given import view_settings
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import provenance_of, read

#: Where the comparisons of a run's panels are, in its folder.
COMPARED = "compared"
#: Column and value of the key of a row.
Key = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Estimand:
    """What is estimated: the artefact that has it, and the key of its row there."""

    artefact: str
    key: Key

    @property
    def name(self) -> str:
        """In a few words: the values of its key that say something."""
        values = (str(value) for _, value in self.key if value not in ("", None, "all"))
        return ", ".join(values).replace("_", " ")

    def over(self, column: str) -> Estimand:
        """The same without a column of its key, over whose values it is compared."""
        return Estimand(self.artefact, tuple(part for part in self.key if part[0] != column))


@dataclass(frozen=True)
class Run:
    """A run's study.

    Attributes
    ----------
    folder : results/<run>/<study>.
    plan : what it would register now, with the configuration that it keeps.
    provenance : of its findings.
    confidence : level of its intervals.
    question : of the study.
    headlines : its estimands, the most important first, with their names in words; in the words of
        the key where the study's sentence has another unit than the artefact.
    possible : estimand -> the least and the most that it can be; None where nothing bounds it.
    files : path -> SHA-256 of the prompts, data and code that its sessions were run with.
    panel : of which it is the run, where panels are compared; "" else.
    """

    folder: Path
    plan: Plan
    provenance: Mapping[str, Any]
    confidence: float
    question: str
    headlines: Mapping[Estimand, str]
    possible: Mapping[Estimand, tuple[float, float] | None]
    files: Mapping[str, str]
    panel: str = ""

    @property
    def name(self) -> str:
        """What it is called where it is compared."""
        return self.panel or self.plan.run

    def row(self, estimand: Estimand) -> dict[str, Any] | None:
        """The row of an estimand; None where this run has none."""
        path = self.folder / f"{estimand.artefact}.parquet"
        rows = read(path).to_pylist() if path.is_file() else []
        wanted = dict(estimand.key)
        return next(
            (row for row in rows if all(row.get(name) == value for name, value in wanted.items())),
            None,
        )


@dataclass(frozen=True)
class Unit:
    """One estimate among those that are compared.

    Attributes
    ----------
    name : of the run, or of the panel.
    run : that it is of.
    estimate, se, ci_low, ci_high : in the unit of the outcome; ``se`` is half the interval by its
        normal quantile where the estimator has no standard error.
    n : observations.
    clusters : independent ones behind them; n where nothing is clustered.
    has_own_error : whether the standard error is the estimator's.
    """

    name: str
    run: str
    estimate: float
    se: float
    ci_low: float
    ci_high: float
    n: int
    clusters: int
    has_own_error: bool


def study_folders(
    runs: Sequence[str], study: str | None = None, results: Path | None = None
) -> list[Path]:
    """The folders of one study in some runs.

    Parameters
    ----------
    runs : their names.
    study : its name; None where the first run has one alone.
    results : the folder of all runs; ``results`` unless given.

    Raises
    ------
    ResourceError : a run is not there, has no such study, or the first has several and none is
        named.
    """
    results = results or Path("results")
    for run in runs:
        if not (results / run).is_dir():
            there = listed(sorted(path.name for path in results.glob("*/") if path.is_dir()))
            raise ResourceError(f"{results / run} is no run; {results} has {there or 'none'}.")
        if (results / run / COMPARED).is_dir():
            panels = listed(sorted(path.name for path in results.glob(f"{run}.*/")))
            raise ResourceError(
                f"{results / run} has panels, each of which is a run, and "
                f"{results / run / COMPARED} compares them; name some of {panels}."
            )
    studies = sorted(path.parent.name for path in (results / runs[0]).glob("*/findings.parquet"))
    if study is None and len(studies) != 1:
        some = f"has {listed(studies)}; name one by --study" if studies else "has no finished study"
        raise ResourceError(f"{results / runs[0]} {some}.")
    folders = [results / run / (study or studies[0]) for run in runs]
    for folder in folders:
        if not folder.is_dir():
            raise ResourceError(f"{folder} is not there; compare runs that have the same study.")
    return folders


def read_run(folder: Path, *, is_panel: bool = False) -> Run:
    """A finished run of a study.

    Parameters
    ----------
    folder : results/<run>/<study>.
    is_panel : whether it is called like its panel.

    Raises
    ------
    ResourceError : it is not finished, or keeps no configuration.
    DissensusError : a file is damaged.
    """
    kept = kept_configuration(folder)
    if kept is None or not (folder / "findings.parquet").is_file():
        raise ResourceError(
            f"{folder} is no finished run of a study, since it has no "
            f"{'configuration' if kept is None else 'findings.parquet'}; run it to its end."
        )
    values, path = kept
    settings = load(values, str(path))
    provenance = provenance_of(folder / "findings.parquet")
    sessions = Sessions.read(settings, folder)
    headlines = dict(_headlines(folder))
    return Run(
        folder,
        plan_of(settings, sessions, str(provenance["commit"])),
        provenance,
        float(view_settings(sessions.study)["confidence"]),
        sessions.study.question,
        headlines,
        {each: sessions.study.possible(dict(each.key)) for each in headlines},
        next(iter(kept_states(folder)), {}),
        settings.panel if is_panel else "",
    )


def _headlines(folder: Path) -> Iterator[tuple[Estimand, str]]:
    """The estimates that a study's headlines print, each with what it is called there."""
    sentences = {
        f"finding:{row['place']}": row["sentence"]
        for row in read(folder / "findings.parquet").to_pylist()
        if row["kind"] == "headline"
    }
    for fact in read(folder / "facts.parquet").to_pylist():
        is_estimate = fact["column"] == "estimate" and not fact["statistic"]
        if fact["sentence"] in sentences and is_estimate and fact["artefact"] != SETTINGS:
            key = tuple(sorted(json.loads(fact["key"]).items()))
            estimand = Estimand(fact["artefact"], key)
            title = sentences[fact["sentence"]].partition(": ")[0]
            yield estimand, title if fact["times"] == 1.0 else estimand.name


def titled_over(title: str, estimand: Estimand, column: str) -> str:
    """A title without the value of the column that is compared over, such as "of each team"."""
    value = str(dict(estimand.key).get(column, ""))
    if not value:
        return title
    named = rf"(?:{re.escape(column)} )?{re.escape(value)}"
    return re.sub(rf"(?<![\w-]){named}(?![\w-])", f"each {column}", title)


def units_of_runs(runs: Sequence[Run], estimand: Estimand) -> list[Unit]:
    """The estimate of each run.

    Raises
    ------
    ResourceError : a run has none.
    """
    units = []
    for run in runs:
        row = run.row(estimand)
        if row is None:
            raise ResourceError(
                f"{run.folder}/{estimand.artefact}.parquet has no {estimand.name}, which "
                f"{runs[0].folder} has; compare runs of one design."
            )
        units.append(_unit(run.name, run, row, estimand))
    return units


def units_of_panels(run: Run, estimand: Estimand, column: str) -> list[Unit]:
    """The estimate of each value of a column of the key, in one run.

    Raises
    ------
    ResourceError : the key has no such column.
    """
    if column not in dict(estimand.key):
        names = listed(name for name, _ in estimand.key)
        raise ResourceError(
            f"{run.folder}/{estimand.artefact}.parquet is not by {column!r}; its key has {names}."
        )
    wanted = dict(estimand.over(column).key)
    rows = read(run.folder / f"{estimand.artefact}.parquet").to_pylist()
    return [
        _unit(str(row[column]), run, row, estimand)
        for row in rows
        if all(row.get(name) == value for name, value in wanted.items())
    ]


def _unit(name: str, run: Run, row: Mapping[str, Any], estimand: Estimand) -> Unit:
    value, low, high = (_number(row.get(column)) for column in ("estimate", "ci_low", "ci_high"))
    error = _number(row.get("se"))
    has_own_error = error > 0.0
    if not has_own_error:
        quantile = float(special.ndtri((1.0 + run.confidence) / 2.0))
        error = (high - low) / (2.0 * quantile)
    if not (isfinite(value) and error > 0.0 and isfinite(error)):
        raise ResourceError(
            f"{run.folder}/{estimand.artefact}.parquet: {estimand.name} of {name} has the estimate "
            f"{value:g} and no standard error above 0; leave it out."
        )
    n = int(row.get("n") or 0)
    clusters = int(row.get("n_clusters") or n)
    return Unit(name, run.plan.run, value, error, low, high, n, clusters, has_own_error)


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
