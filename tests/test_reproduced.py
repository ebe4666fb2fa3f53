"""The run of `make reproduce`, looked at: what each study declares is there, and says what it is.

Where this folder has no such run, or one that is not up to date, a small one is made.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from snakemake.utils import update_config

import recomputed
from both import BOTH, rows, with_both
from dissensus.report.declared import Outcome
from dissensus.study.configuration import Configuration, load
from dissensus.study.given import page_settings
from dissensus.study.registry import study_folder
from dissensus.user_files import read_yaml
from read_captions import caption_numbers, counted_anew
from read_facts import wrong_numbers
from support import ROOT, SMALL, Project, built_once

STUDIES = ("language", "identity", "deliberation", "union", "consensus")
#: Tables of a paper's own numbers, and of the coders of motions.
OF_NO_MODEL = ("table_printed", "table_reliability")
QUICK = {"resamples": 100, "flips": 200}
ALL: dict[str, Any] = {
    **BOTH,
    **SMALL,
    "studies": [*STUDIES],
    "union": {"epochs": 2, "runs": 1, "inference": {"resamples": 100}},
    "consensus": {"statements": 2, "block_size": 2, "inference": QUICK},
}


@cache
def settings() -> Configuration:
    return load(read_yaml(ROOT / "config.yaml"))


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A whole run of all studies, for tests that only look."""
    here = Project.at(ROOT)
    here.configuration = "config.yaml"

    def build(folder: Path) -> None:
        # To ask takes Snakemake seconds: one worker does for all, and an empty folder says yes.
        if (ROOT / "results/demo/index.html").exists() and here.planned() == {}:
            folder.mkdir()
            return
        made = with_both(folder)
        made.configure(ALL)
        made.succeed()
        assert made.planned() == {}

    built = built_once(tmp_path_factory, "reproduced", build)
    return Project.at(built) if any(built.iterdir()) else here


@pytest.mark.parametrize("study", STUDIES)
def test_every_session_that_was_drawn_ended_and_has_its_artefacts(
    reproduced: Project, study: str
) -> None:
    folder = reproduced.results(study=study)
    sessions = [row["session_id"] for row in rows(folder / "manifest.parquet")]
    assert sessions == sorted(set(sessions))
    for kind in ("transcripts", "journal"):
        assert sorted(path.stem for path in (folder / kind).iterdir()) == sessions
    complete = {r["session_id"] for r in rows(folder / "outcomes.parquet") if r["complete"]}
    assert len(complete) > 0.9 * len(sessions)
    said = {row["session_id"] for row in rows(folder / "turns.parquet")}
    assert complete <= said


@pytest.mark.parametrize("study", STUDIES)
def test_every_result_is_there_and_says_that_it_is_simulated(
    reproduced: Project, study: str
) -> None:
    folder = reproduced.results(study=study)
    for path in folder.rglob("*.parquet"):
        said = json.loads(pq.read_schema(path).metadata[b"dissensus"])
        assert said["simulated"] is True, path
    declared = settings().study(study)
    assert declared.figures and declared.tables
    for figure in declared.figures:
        for file in (f"figures/{figure.name}.svg", f"captions/{figure.name}.rst"):
            assert "imulated" in (folder / file).read_text(encoding="utf-8"), file
        assert (folder / f"figures/{figure.name}.png").stat().st_size > 10_000
    for table in declared.tables:
        markdown = (folder / f"tables/{table.name}.md").read_text(encoding="utf-8")
        assert "imulated" in markdown or table.name in OF_NO_MODEL, table.name
        assert (folder / f"tables/{table.name}.csv").stat().st_size > 0


def test_the_page_of_findings_has_every_study(reproduced: Project) -> None:
    page = (reproduced.folder / "results/demo/index.html").read_text(encoding="utf-8")
    assert "simulated" in page
    for study in STUDIES:
        assert f'id="{study}"' in page, study


def test_what_is_planted_stands_beside_what_is_found(reproduced: Project) -> None:
    """With the default run's designs; of a smaller one nobody knows the power."""
    for study in STUDIES:
        found = rows(reproduced.results(study=study) / "truth.parquet")
        if reproduced.folder == ROOT:
            sure = [row for row in found if (row["power"] or 0.0) >= 0.9]
            nothing = [row for row in found if row["planted"] == row["none"]]
            assert sure and all(row["found"] for row in sure), study
            assert nothing and not any(row["found"] for row in nothing), study
    page = (reproduced.folder / "results/demo/index.html").read_text(encoding="utf-8")
    assert "What was planted, and what was found" in page


@pytest.mark.parametrize("study", STUDIES)
def test_a_card_says_of_its_number_what_the_column_counts(reproduced: Project, study: str) -> None:
    """Its sentence, the axis of its picture and the truth table have the declared words."""
    folder = reproduced.results(study=study)
    (card,) = [row for row in rows(folder / "findings.parquet") if row["kind"] == "card"]
    facts = rows(folder / "facts.parquet")
    cited = [row for row in facts if row["sentence"] == f"finding:{card['place']}"]
    (value,) = [row for row in cited if row["column"] == "estimate"]
    key = json.loads(value["key"])
    declared = Outcome.of(settings().study(study).outcomes[key.get("outcome") or key["measure"]])
    assert declared.named in card["sentence"]
    page = (reproduced.folder / "results/demo/index.html").read_text(encoding="utf-8")
    of_study = page[page.index(f'id="{study}"') :]
    axis = of_study[of_study.index("<figcaption>") :].split("</figcaption>")[0]
    # An axis of several outcomes leaves the words to the rows beside it.
    shown = declared.title in axis or declared.title in of_study.split("<figcaption>")[0]
    # An estimate of so few draws that it has no interval has no bar, and stands in the tables.
    assert shown or not any(row["column"] == "ci_low" for row in cited)
    # A run of models with no planted truth has no row; the default run has.
    truth = [row["effect"] for row in rows(folder / "truth.parquet")]
    assert reproduced.folder != ROOT or any(declared.over in effect for effect in truth)


@pytest.mark.parametrize("study", ["consensus", "deliberation", "union", "identity"])
def test_a_headline_is_what_its_unit_of_analysis_gives_from_what_was_said(
    reproduced: Project, study: str
) -> None:
    folder = reproduced.results(study=study)
    expected = getattr(recomputed, study)(folder)
    (card,) = [row for row in rows(folder / "findings.parquet") if row["kind"] == "card"]
    (value,) = [
        row
        for row in rows(folder / "facts.parquet")
        if row["sentence"] == f"finding:{card['place']}" and row["column"] == "estimate"
    ]
    key = json.loads(value["key"])
    name = key["team"] if study == "identity" else key["arm"]
    assert value["value"] == pytest.approx(expected[name], abs=1e-9)


def test_debates_that_agree_are_another_outcome_than_agents_that_do(reproduced: Project) -> None:
    folder = reproduced.results(study="consensus")
    contrasts = [
        row
        for row in rows(folder / "contrasts.parquet")
        if row["domain"] == "all" and row["method"] == "cluster_robust"
    ]
    for outcome, counted in (
        ("agreement", recomputed.consensus),
        ("consensus", recomputed.debates_that_agree),
    ):
        expected = counted(folder)
        found = {row["arm"]: row["estimate"] for row in contrasts if row["outcome"] == outcome}
        assert found == pytest.approx({arm: expected[arm] for arm in found}), outcome
    said = [row["sentence"] for row in rows(folder / "findings.parquet")]
    assert not any("debates end in agreement" in sentence for sentence in said)


def test_a_wrong_number_is_seen_wherever_it_is(reproduced: Project, tmp_path: Path) -> None:
    """In a sentence, a caption, the words for a figure, and in what is said of its origin."""
    folder = reproduced.results(study="union")
    for part in ("figures", "captions"):
        shutil.copytree(folder / part, tmp_path / part)
    for path in folder.glob("*.parquet"):
        shutil.copy(path, tmp_path)
    template = (ROOT / "studies/union/captions/judges.rst").read_text("utf-8")
    settings = {"confidence": 0.95, "planted": settings_of(reproduced, "union")["planted"]}

    def wrong() -> list[str]:
        return wrong_numbers(tmp_path, settings, {"judges": template})

    assert wrong() == []
    for name, number, other in (
        ("captions/judges.rst", r"(union-judge-a) \d+%", r"\1 77%"),
        ("figures/judges.svg", r"(per 100 words n) = \d+", r"\1 = 777"),
    ):
        whole = (tmp_path / name).read_text("utf-8")
        changed = re.sub(number, other, whole)
        assert changed != whole, name
        (tmp_path / name).write_text(changed, "utf-8")
        assert wrong(), name
        (tmp_path / name).write_text(whole, "utf-8")
    changes: dict[str, tuple[str, Callable[[str], str]]] = {
        "findings": (
            "sentence",
            lambda text: text.replace("blind votes is 0.", "blind votes is 1."),
        ),
        "facts": ("column", lambda name: "ci_low" if name == "estimate" else name),
    }
    for file, (column, change) in changes.items():
        table = pq.read_table(tmp_path / f"{file}.parquet")
        rows_of = [{**row, column: change(row[column])} for row in table.to_pylist()]
        pq.write_table(pa.Table.from_pylist(rows_of, table.schema), tmp_path / f"{file}.parquet")
        assert wrong(), file
        pq.write_table(table, tmp_path / f"{file}.parquet")


def settings_of(run: Project, study: str) -> dict[str, Any]:
    """What a study's figures and findings are given of the settings."""
    values = read_yaml(ROOT / "config.yaml")
    if run.folder != ROOT:
        update_config(values, ALL)
    # What the settings name is in the run's own folder.
    with chdir(run.folder):
        configuration = load(values)
    view: dict[str, Any] = page_settings(configuration, configuration.study(study))["view"]
    return view


@pytest.mark.parametrize("study", STUDIES)
def test_every_number_that_a_reader_sees_is_the_one_in_the_artefact_that_it_names(
    reproduced: Project, study: str
) -> None:
    declared = settings().study(study)
    templates = {
        figure.name: (study_folder(study) / f"captions/{figure.name}.rst").read_text("utf-8")
        for figure in declared.figures
    }
    folder = reproduced.results(study=study)
    texts = []
    if study == "deliberation":
        for topic in rows(folder / "topics.parquet"):
            options = [f"{place} {option}" for place, option in enumerate(topic["options"], 1)]
            texts += [topic["question"], topic["title"], *options]
    view = settings_of(reproduced, study)
    assert wrong_numbers(folder, view, templates, texts) == []
    if study == "union":
        # Found by nothing of the project's own.
        (alpha,) = [
            row["estimate"]
            for row in rows(folder / "judges.parquet")
            if (row["judge"], row["statistic"]) == ("all", "krippendorff_alpha")
        ]
        said = " ".join(row["sentence"] for row in rows(folder / "findings.parquet"))
        assert f"alpha of the judges' blind votes is {alpha:.2f} [" in said.replace("−", "-")


@pytest.mark.parametrize(
    ("study", "name"),
    [
        *((study, name) for study in STUDIES for name in ("spending", "tables")),
        *(("union", "map"), ("language", "recycled_speeches")),
    ],
)
def test_captions_of_pages_count_what_their_artefacts_hold(
    reproduced: Project, study: str, name: str
) -> None:
    folder = ROOT / "workflow/report" if name == "spending" else study_folder(study) / "captions"
    template = (folder / f"{name}.rst").read_text("utf-8")
    folder = reproduced.results(study=study)
    expected = counted_anew(folder, name)
    for part, text in caption_numbers(folder, name, template).items():
        if re.search(r"\d", text):
            # Languages are named, and so is what is counted.
            shown = re.sub(r", in \w+,", ",", text)
            assert re.sub(r" (?:sessions|debates)$", "", shown) == expected[part], part


@pytest.mark.thorough
def test_the_report_has_every_study(reproduced: Project, tmp_path: Path) -> None:
    reproduced.succeed("--report", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "All models of this run are simulated" in text
    # In the data of the report's scripts a minus sign is written by its number.
    plain = text.replace("\N{MINUS SIGN}", "-").replace("\\u2212", "-")
    for study in STUDIES:
        assert f"<strong>{study}</strong>" in text
    estimates = rows(reproduced.results(study="identity") / "estimates.parquet")
    cells = [
        row
        for row in estimates
        if row["round"] == 1 and row["peers"] == "all" and row["bank"] != "all"
        and row["measure"] == "delta" and row["policy"] == "drop"
    ]  # fmt: skip
    cell = max(cells, key=lambda row: abs(row["estimate"]))
    assert f"The largest difference is that of {cell['team']} on {cell['bank']}" in plain
    assert f", {cell['estimate']:+.3f}" in plain
    effects = rows(reproduced.results(study="deliberation") / "contrasts.parquet")
    effect = max((r for r in effects if r["headline"]), key=lambda row: abs(row["estimate"]))
    assert f"together, is {effect['arm']}, {effect['estimate']:+.3f}" in plain
