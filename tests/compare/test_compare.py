"""Three runs of one small study whose simulated models differ by what is planted."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq
import pytest

from compare.urged_study import lay, urged_by
from dissensus.cli import main
from dissensus.compare.comparison import (
    DIFFERENCES,
    POOLED,
    UNITS,
    _check_same,
    _compared,
    _share_draws,
    compare,
)
from dissensus.compare.page import write_comparison, write_refusal
from dissensus.compare.units import Estimand, read_run, titled_over, units_of_runs
from dissensus.errors import ResourceError
from dissensus.tables.artefact import provenance_of, read
from hostile_texts import hostile
from support import Project, built_once

#: Run -> what the word adds in it.
PLANTED = {"none": 0.0, "some": 0.5, "much": 2.0}


def _run(project: Project, run: str, more: float) -> None:
    project.configure(
        {
            "run": run,
            "studies": ["mine"],
            "study_folders": {"mine": "mine"},
            "models": {"agent": urged_by(more)},
            "mine": {"model": "agent"},
        }
    )
    project.succeed(f"results/{run}/mine/findings.parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a project with the three runs."""

    def build(folder: Path) -> None:
        project = Project(folder)
        lay(folder)
        for run, more in PLANTED.items():
            _run(project, run, more)

    return built_once(tmp_path_factory, "compared_runs", build)


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def test_three_runs_come_to_what_is_planted_in_them(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *PLANTED, "--to", str(tmp_path / "made")]) == 0
    units = read(tmp_path / "made/units.parquet", UNITS).to_pylist()
    assert [row["unit"] for row in units] == [*PLANTED]
    for row in units:
        contrasts = pq.read_table(
            here / f"results/{row['unit']}/mine/contrasts.parquet"
        ).to_pylist()
        (its,) = (each for each in contrasts if each["headline"])
        assert (row["estimate"], row["se"]) == (its["estimate"], its["se"])
        assert abs(row["estimate"] - PLANTED[row["unit"]]) < 4 * row["se"]
    (together,) = read(tmp_path / "made/pooled.parquet", POOLED).to_pylist()
    assert together["units"] == 3 and together["q_p"] < 1e-6
    # What is planted differs by 1.04 (standard deviation of the three).
    assert together["tau"] == pytest.approx(np.std([*PLANTED.values()], ddof=1), abs=0.3)
    assert together["prediction_low"] < 0 < together["prediction_high"]
    marks = {row["unit"]: {*row["letters"]} for row in units}
    assert all(marks.values()) and marks["none"].isdisjoint(marks["much"])
    said = capsys.readouterr().out
    assert "over 3 runs" in said and "But a further run may be of the other sign" in said
    assert "differ clearly" in said
    assert said.startswith("Simulated models: ")


def test_what_differs_between_the_runs_is_named_and_nothing_else(here: Path) -> None:
    found = compare([here / f"results/{run}/mine" for run in PLANTED])
    assert {(row["kind"], row["name"]) for row in found.differences} == {
        ("model", "models.agent.speech.more")
    }
    assert [row["value"] for row in found.differences] == ["0.0", "0.5", "2.0"]
    assert found.shares_draws


def test_two_runs_of_one_seed_among_three_share_their_chance(here: Path) -> None:
    runs = [read_run(here / f"results/{run}/mine") for run in PLANTED]
    seeds = [
        replace(each, plan=replace(each.plan, seed=seed))
        for each, seed in zip(runs, (1, 1, 2), strict=True)
    ]
    assert _share_draws(seeds)
    apart = [replace(each, plan=replace(each.plan, seed=seed)) for seed, each in enumerate(runs)]
    assert not _share_draws(apart)


def test_the_same_data_under_two_names_are_refused(here: Path) -> None:
    run = read_run(here / "results/some/mine")
    twice = [run, replace(run, plan=replace(run.plan, run="other", seed=run.plan.seed + 1))]
    with pytest.raises(ResourceError, match="Runs some and other have the same estimate"):
        list(_compared(twice, "run", False))


def test_degrees_of_freedom_are_those_of_clusters(here: Path) -> None:
    """Few clusters of many draws: the quantile of t is that of clusters."""
    runs = [read_run(here / f"results/{run}/mine") for run in PLANTED]
    for unit in units_of_runs(runs, next(iter(runs[0].headlines))):
        row = next(each for each in runs if each.name == unit.name).row(
            next(iter(runs[0].headlines))
        )
        assert row is not None and unit.clusters == row["n_clusters"] and unit.n == row["n"]


def test_all_that_a_reader_sees_says_simulated(here: Path, tmp_path: Path) -> None:
    assert main(["compare", "none", "some", "--to", str(tmp_path)]) == 0
    page = (tmp_path / "index.html").read_text("utf-8")
    assert (
        "Simulated models" in page and "simulated models" in (tmp_path / "forest.svg").read_text()
    )
    assert "But two units say next to nothing of a third" in page
    (way,) = re.findall('<nav class="files" aria-label="Way back">(.*?)</nav>', page)
    leads = [(tmp_path / unquote(to)).resolve() for to in re.findall('href="(.*?)"', way)]
    assert leads == [here / f"results/{run}/mine/index.html" for run in ("none", "some")]
    for table in ("units", "pooled", "differences"):
        assert (tmp_path / f"{table}.csv").read_text().splitlines()[0].endswith(",simulated")
        assert "imulated" in (tmp_path / f"{table}.md").read_text("utf-8")
    assert provenance_of(tmp_path / "differences.parquet")["simulated"] is True
    assert read(tmp_path / "differences.parquet", DIFFERENCES).num_rows == 2


def test_the_same_runs_give_the_same_bytes(here: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert main(["compare", "none", "much", "--to", str(tmp_path / name)]) == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none"], "is one run alone; name another run of the study"),
        (["none", "nowhere"], "results/nowhere is no run; results has"),
        (["none", "some", "--study", "union"], "none/union is not there"),
        (["none", "some", "--over", "arm"], "--over arm is within one run; name one, not 2"),
        (["none", "--over", "team"], "is not by 'team'; its key has arm"),
        (["none", "--over", "arm"], "has one arm alone, urged; there is nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(
    here: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *arguments]) == 1
    error = capsys.readouterr().err
    assert sentence in error and len(error.splitlines()) == 1
    assert not (here / "results/compared").exists()


def test_runs_that_do_not_estimate_the_same_are_refused(here: Path) -> None:
    """With what differs; a comparison is made of none of them."""
    one, other = (read_run(here / f"results/{run}/mine") for run in ("none", "some"))
    _check_same([one, other])
    analysis = replace(other.plan.analysis, primary="The length of the reply.")
    wrong = {
        "do not estimate the same: .*The length of the reply": replace(
            other, plan=replace(other.plan, analysis=analysis)
        ),
        "have intervals of 0.95 and 0.9; set one confidence": replace(other, confidence=0.9),
        "are runs of two studies": replace(other, plan=replace(other.plan, study="yours")),
        "one are simulated, those of the other are real": replace(
            other, provenance={**other.provenance, "simulated": False}
        ),
        "Two of the runs are called 'none'": replace(other, plan=replace(other.plan, run="none")),
    }
    for sentence, run in wrong.items():
        with pytest.raises(ResourceError, match=sentence):
            _check_same([one, run])


def test_a_run_that_is_not_finished_is_named(here: Path) -> None:
    kept = here / "results/some/mine/.configuration.json"
    moved = kept.rename(kept.with_suffix(".away"))
    try:
        with pytest.raises(ResourceError, match="has no configuration; run it to its end"):
            read_run(kept.parent)
    finally:
        moved.rename(kept)


@pytest.mark.parametrize(
    ("title", "team", "words"),
    [
        ("Bias of deferring, round 1", "deferring", "Bias of each team, round 1"),
        ("Bias, round 1, of team deferring", "deferring", "Bias, round 1, of each team"),
        ("Bias of deferring-4, round 1", "deferring", "Bias of deferring-4, round 1"),
        ("Bias of all", "even", "Bias of all"),
    ],
)
def test_a_title_names_no_panel_where_panels_are_compared(
    title: str, team: str, words: str
) -> None:
    estimand = Estimand("estimates", (("measure", "ibc"), ("team", team)))
    assert titled_over(title, estimand, "team") == words


def test_texts_that_attack_stay_texts_on_the_page_and_in_the_files(
    here: Path, tmp_path: Path
) -> None:
    """Names of units, questions and values of settings are a user's, or a file's that was sent."""
    found = compare([here / f"results/{run}/mine" for run in PLANTED])
    page = write_comparison(found, tmp_path / "own", [("../index.html", "Run")])
    own = set(re.findall(r"<(\w+)", page.read_text("utf-8")))
    for place, text in enumerate(hostile(4)):
        attacked = replace(
            found,
            study=text,
            question=text,
            compared=[
                replace(
                    each,
                    title=text,
                    units=[
                        replace(unit, name=text + "." * number)
                        for number, unit in enumerate(each.units)
                    ],
                )
                for each in found.compared
            ],
            differences=[{**row, "name": text, "value": text} for row in found.differences],
        )
        page = write_comparison(attacked, tmp_path / str(place)).read_text("utf-8")
        assert set(re.findall(r"<(\w+)", page.replace("\n", " "))) <= {*own, "span"}
        for name in ("units", "pooled", "differences"):
            cells = (tmp_path / str(place) / f"{name}.csv").read_text("utf-8-sig")
            assert not re.search(r"(?:^|,)\"?\s*[=+@]", cells, re.MULTILINE)
        back = [("../index.html", text)]
        write_refusal(text, text, text, tmp_path / f"no {place}", {}, simulated=True, back=back)
        page = (tmp_path / f"no {place}" / "index.html").read_text("utf-8")
        assert set(re.findall(r"<(\w+)", page.replace("\n", " "))) <= {*own, "span"}
