"""Units taken together, and what differs between the runs that they are of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import Any

from dissensus.compare.pooled import Pooled, pooled
from dissensus.compare.units import (
    Estimand,
    Run,
    Unit,
    read_run,
    titled_over,
    units_of_panels,
    units_of_runs,
)
from dissensus.errors import ResourceError
from dissensus.report.labels import counted, listed
from dissensus.stats.multiplicity import letters, tied_sets, told_apart
from dissensus.tables.artefact import Schema
from dissensus.tables.common import chance, common, count, flag, number, share, text

_ESTIMAND = {
    "artefact": text("Name of the artefact that the estimates are from."),
    "estimand": text("JSON, column -> value: the key of the row there, but for what is compared."),
}
UNITS = Schema(
    name="units",
    row="run, or panel of one run, and what is estimated",
    columns={
        **_ESTIMAND,
        "unit": text("Name of the run, or of the panel."),
        "run": text("Name of the run that it is of."),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "n"),
        "own_error": flag(
            "Whether the standard error is the estimator's; else half of its interval by the "
            "normal quantile."
        ),
        "letters": text(
            "A letter for each set of units of which no two differ clearly, by Welch's tests of "
            "all pairs under Holm: those that share none do."
        ),
    },
    key=("artefact", "estimand", "unit"),
)
POOLED = Schema(
    name="pooled",
    row="what is estimated",
    columns={
        **_ESTIMAND,
        **common("estimate?", "se?", "ci_low?", "ci_high?", "p_value?"),
        "prediction_low": number(
            "Lower limit for the true effect of a further unit; missing for fewer than 3.",
            "of what is estimated",
        ),
        "prediction_high": number("Upper limit for it.", "of what is estimated"),
        "tau": number("Standard deviation of the true effects.", "of what is estimated"),
        "i_squared": share("Share of the estimates' variance that true differences make."),
        "q": number("Cochran's Q of equal true effects."),
        "q_p": chance("Its p-value."),
        "units": count("How many units there are."),
    },
    key=("artefact", "estimand"),
)
DIFFERENCES = Schema(
    name="differences",
    row="thing that is not the same in all runs, and run",
    columns={
        "kind": text("model, setting, file, code, design or version."),
        "name": text("What it is: the path of a setting, a file, a package."),
        "run": text("Name of the run, or of the panel."),
        "value": text("What it is there; of a file the beginning of its SHA-256."),
    },
    key=("kind", "name", "run"),
)
#: What is compared where it is not a column of the key: runs, or those of the panels of one.
RUNS, PANELS = "run", "panel"


@dataclass(frozen=True)
class Compared:
    """One estimand over its units.

    Attributes
    ----------
    title : what is estimated, in words.
    tied : the largest sets of units of which no two are told apart, by their names.
    """

    estimand: Estimand
    title: str
    units: Sequence[Unit]
    pooled: Pooled
    tied: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Comparison:
    """All that a comparison has.

    Attributes
    ----------
    study, question : that the runs are of.
    over : "run", "panel", or the column of the key whose values are compared.
    compared : the estimands, the most important first.
    differences : rows of :data:`DIFFERENCES`.
    shares_draws : whether any two units have the same draws, so that they share their chance: those
        of one run, and of runs of which two have one seed.
    """

    study: str
    question: str
    over: str
    runs: Sequence[Run]
    compared: Sequence[Compared]
    differences: Sequence[Mapping[str, str]]
    simulated: bool
    confidence: float
    shares_draws: bool


def compare(folders: Sequence[Path], over: str = RUNS) -> Comparison:
    """The headlines of several runs of a study, or of the panels of one, taken together.

    Parameters
    ----------
    folders : results/<run>/<study> of each run, two or more; one where ``over`` is a column.
    over : "run"; "panel", whose runs are then called like their panels; or a column of the key,
        such as "team".

    Raises
    ------
    ResourceError : there are too few, or they do not estimate the same.
    DissensusError : a run cannot be read.
    """
    runs = [read_run(folder, is_panel=over == PANELS) for folder in dict.fromkeys(folders)]
    first = runs[0]
    if over in (RUNS, PANELS):
        if len(runs) < 2:
            raise ResourceError(
                f"{first.folder} is one run alone; name another run of the study, or compare the "
                "panels of this one, as with `--over team`."
            )
        _check_same(runs)
    elif len(runs) > 1:
        raise ResourceError(f"--over {over} is within one run; name one, not {len(runs)}.")
    shares_draws = _share_draws(runs)
    compared = list(_compared(runs, over, shares_draws))
    return Comparison(
        first.plan.study,
        first.question,
        over,
        runs,
        compared,
        list(_differences(runs)),
        bool(first.provenance["simulated"]),
        first.confidence,
        shares_draws,
    )


def _share_draws(runs: Sequence[Run]) -> bool:
    """Whether any two units have draws in common: what is drawn follows from the seed."""
    return len(runs) == 1 or len({run.plan.seed for run in runs}) < len(runs)


def _compared(runs: Sequence[Run], over: str, shares_draws: bool) -> Iterator[Compared]:
    first, seen = runs[0], set()
    for place, (estimand, title) in enumerate(first.headlines.items()):
        if over in (RUNS, PANELS):
            # Which of the secondary headlines a run prints may depend on what it found.
            if place and not all(run.row(estimand) for run in runs):
                continue
            wanted, units = estimand, units_of_runs(runs, estimand)
        else:
            wanted = estimand.over(over)
            if wanted in seen or (over not in dict(estimand.key) and place):
                continue
            seen.add(wanted)
            units = units_of_panels(first, estimand, over)
            title = titled_over(title, estimand, over)
            if len(units) < 2:
                raise ResourceError(
                    f"{first.folder} has one {over} alone, {units[0].name}; there is nothing to "
                    "compare."
                )
        if over in (RUNS, PANELS) and not place:
            _check_other_data(units, wanted)
        both = [unit.estimate for unit in units], [unit.se for unit in units]
        # What is independent is a cluster, of which an error has as many degrees of freedom.
        shared = min(unit.clusters for unit in units) if shares_draws else None
        possible = first.possible[estimand]
        together = pooled(
            *both, confidence=first.confidence, shared_draws=shared, possible=possible
        )
        yield Compared(wanted, title, units, together, _tied(units, first.confidence))


def _tied(units: Sequence[Unit], confidence: float) -> list[tuple[str, ...]]:
    """Units by their estimates, in the largest sets of which no two are told apart."""
    ordered = sorted(units, key=lambda unit: (unit.estimate, unit.name))
    names = [unit.name for unit in ordered]
    apart = told_apart(
        names,
        [unit.estimate for unit in ordered],
        [unit.se for unit in ordered],
        [max(unit.clusters - 1, 1) for unit in ordered],
        1.0 - confidence,
    )
    return tied_sets(names, apart)


def _check_other_data(units: Sequence[Unit], estimand: Estimand) -> None:
    """Refuse a run that is another one once more: it is no further evidence.

    Raises
    ------
    ResourceError : two have the same estimate, with the same error and limits.
    """
    seen: dict[tuple[float, ...], str] = {}
    for unit in units:
        numbers = (unit.estimate, unit.se, unit.ci_low, unit.ci_high, float(unit.n))
        if (other := seen.setdefault(numbers, unit.name)) != unit.name:
            raise ResourceError(
                f"Runs {other} and {unit.name} have the same estimate of {estimand.name}, "
                f"{unit.estimate:g}, to the last digit, with the same interval: they are the same "
                "data; name one of them."
            )


def _check_same(runs: Sequence[Run]) -> None:
    """Refuse runs that do not estimate the same.

    Raises
    ------
    ResourceError : with what differs.
    """
    names = [run.name for run in runs]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ResourceError(f"Two of the runs are called {twice!r}; give one another name.")
    for before, other in pairwise(runs):
        pair = f"{before.folder} and {other.folder}"
        if before.plan.study != other.plan.study:
            raise ResourceError(f"{pair} are runs of two studies; compare runs of one.")
        if before.provenance["simulated"] != other.provenance["simulated"]:
            raise ResourceError(
                f"{pair}: the models of one are simulated, those of the other are real; together "
                "they say nothing."
            )
        if before.confidence != other.confidence:
            raise ResourceError(
                f"{pair} have intervals of {before.confidence:g} and {other.confidence:g}; set one "
                "confidence, and only the estimates are made again."
            )
        then, now = ([run.plan.analysis.primary, *_estimands(run)] for run in (before, other))
        if then != now:
            lines = [*unified_diff(then, now, lineterm="", n=0)][3:]
            raise ResourceError(
                f"{pair} do not estimate the same: {' / '.join(lines)}. Compare runs of one "
                "primary outcome and one list of estimands."
            )
    if not runs[0].headlines:
        raise ResourceError(f"{runs[0].folder} states no headline that has an estimate.")
    estimand = next(iter(runs[0].headlines))
    for run in runs[1:]:
        if run.row(estimand) is None:
            raise ResourceError(
                f"{run.folder} does not estimate {estimand.name}, the headline of "
                f"{runs[0].folder}; compare runs of one design."
            )


def _estimands(run: Run) -> list[str]:
    given = run.plan.analysis.estimands
    return [given] if isinstance(given, str) else list(given)


def _differences(runs: Sequence[Run]) -> Iterator[dict[str, str]]:
    """What is not the same in all runs, by kind."""
    settings_of_runs = [dict(_said(run)) for run in runs]
    for kind, name in dict.fromkeys(key for each in settings_of_runs for key in each):
        values = [each.get((kind, name), "-") for each in settings_of_runs]
        if len(set(values)) > 1:
            for run, value in zip(runs, values, strict=True):
                yield {"kind": kind, "name": name, "run": run.name, "value": value}


def _said(run: Run) -> Iterator[tuple[tuple[str, str], str]]:
    """Kind and name -> value of all that a run depends on."""
    plan, provenance = run.plan, run.provenance
    for name, value in plan.settings.items():
        if ".diagnosis." in name:
            # What a diagnosis would simulate, which has the models once more.
            continue
        kind = "model" if name.startswith("models.") else "setting"
        yield (kind, name), value if isinstance(value, str) else json.dumps(value)
    yield ("design", "seed"), str(plan.seed)
    yield ("design", "draws"), str(plan.draws)
    for name, sha256 in run.files.items():
        yield ("code" if name.endswith(".py") else "file", name), sha256[:12]
    yield ("version", "commit"), str(provenance["commit"])
    for package, version in provenance["versions"].items():
        yield ("version", package), str(version)


def unit_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Rows of :data:`UNITS`."""
    for each in comparison.compared:
        marks = letters([unit.name for unit in each.units], each.tied)
        for unit in each.units:
            yield {
                **_key(each.estimand),
                "unit": unit.name,
                "run": unit.run,
                "estimate": unit.estimate,
                "se": unit.se,
                "ci_low": unit.ci_low,
                "ci_high": unit.ci_high,
                "n": unit.n,
                "own_error": unit.has_own_error,
                "letters": marks[unit.name],
            }


def pooled_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Rows of :data:`POOLED`."""
    for each in comparison.compared:
        together = each.pooled
        mean = together.mean
        yield {
            **_key(each.estimand),
            "estimate": mean.estimate,
            "se": mean.se,
            "ci_low": mean.ci_low,
            "ci_high": mean.ci_high,
            "p_value": mean.p_value,
            "prediction_low": together.prediction_low,
            "prediction_high": together.prediction_high,
            "tau": together.tau,
            "i_squared": together.i_squared,
            "q": together.q,
            "q_p": together.q_p,
            "units": together.k,
        }


def _key(estimand: Estimand) -> dict[str, str]:
    return {"artefact": estimand.artefact, "estimand": json.dumps(dict(estimand.key))}


#: How a kind of difference is counted, where its name says something else.
_KINDS = {"model": "model setting"}


def differing_kinds(comparison: Comparison) -> str:
    """What differs between the runs, in words: how many of each kind."""
    names: dict[str, set[str]] = {}
    for row in comparison.differences:
        names.setdefault(row["kind"], set()).add(row["name"])
    counts = [counted(len(each), _KINDS.get(kind, kind)) for kind, each in names.items()]
    return listed(counts) if counts else "nothing that is known"
