"""Histories that an author forges, from the first reply to the archive: each is noticed or said."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
import yaml

from dissensus.cli import main
from dissensus.digests import file_digest
from dissensus.llm.records import read_line, write_line
from dissensus.plan.order import LATE, UNPROVED
from dissensus.run.stage_log import read_log, write_done
from dissensus.tables.artefact import read
from serving import serving
from support import ROOT, Project

pytestmark = [pytest.mark.run, pytest.mark.thorough]
RESULTS = Path("results/demo/tuned")


def configured(project: Project, primary: str = "rating", effect: float = 10.0) -> None:
    """The study, with its outcome under a name, and its behaviour in a file of its own."""
    own = project.folder / "tuned"
    own.mkdir(exist_ok=True)
    study = (ROOT / "tests/tuned_study.py").read_text("utf-8")
    before, after = study.split("def speak(")
    (own / "study.py").write_text(before.replace("rating", primary), "utf-8")
    head = "import re\nfrom typing import Any\n\nimport numpy as np\n\n\n"
    (own / "voice.py").write_text(f"{head}def speak({after}", "utf-8")
    speech = {"word": "heron", "effect": effect, "noise": 5.0}
    agent = {"provider": "simulated", "behaviour": "tuned.voice", "speech": speech}
    settings = {
        **{"studies": ["tuned"], "study_folders": {"tuned": "tuned"}, "tuned": {"model": "heron"}},
        "models": {"heron": agent},
    }
    (project.folder / "more.yaml").write_text(yaml.safe_dump(settings), "utf-8")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that was registered, has ended, and is as it should be."""
    project = Project(tmp_path_factory.mktemp("ended") / "project")
    configured(project)
    project.succeed("preregistration")
    project.succeed()
    assert "all as they were made" in project.succeed("verify")
    return project


@pytest.fixture
def run(ended: Project, tmp_path: Path) -> Project:
    return ended.copy(tmp_path / "project")


def verdict(project: Project) -> str:
    project.succeed("archive")
    with zipfile.ZipFile(project.folder / "results/demo/archive.zip") as packed:
        return packed.read("VERDICT.md").decode()


def pages(project: Project) -> str:
    names = ("index.html", "tuned/index.html", "tuned/deviations.md")
    return "\n".join((project.folder / "results/demo" / each).read_text("utf-8") for each in names)


def is_refused(project: Project, sentence: str) -> None:
    done = project.run("verify")
    assert done.returncode != 0 and sentence in done.stdout + done.stderr


def test_an_honest_run_says_what_nobody_proves(run: Project) -> None:
    page = verdict(run)
    assert "Registered before its first session: the plan was written" in page
    assert "0 deviations from its plan." in page and UNPROVED in page and LATE not in page
    assert "Registered, no deviation; when is not proved by anybody else" in pages(run)
    assert "all as they were made" in run.succeed("verify")


def test_a_stamp_is_named_wherever_the_plan_is(
    run: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.folder)
    assert main(["stamp", "demo", "--osf", "https://osf.io/ab3de"]) == 0
    # A note beside the plan is no change of it: nothing but pages is made again.
    assert set(run.planned()) <= {
        *("list_deviations", "close_run", "write_results_page", "write_reader_page"),
        "summarise_run",
    }
    run.succeed()
    page = verdict(run).replace("\\", "")
    assert "Said to be deposited at https://osf.io/ab3de (OSF)" in page and UNPROVED not in page
    assert "Registered, no deviation; said to be deposited (OSF), not checked" in pages(run)
    said = run.succeed("verify")
    assert "https://osf.io/ab3de is noted, and cannot be checked from here" in said
    assert "all as they were made" in said


def test_a_plan_that_was_written_after_the_replies_were_read(tmp_path: Path) -> None:
    """Replies are read, the outcome is swapped; results go, a plan comes, replies return."""
    project = Project(tmp_path / "project")
    configured(project)
    project.succeed(str(RESULTS / "turns.parquet"))
    away = tmp_path / "away"
    shutil.move(project.folder / "results", away)
    configured(project, primary="score")
    project.succeed("preregistration")
    shutil.copytree(away / "demo/tuned/journal", project.folder / RESULTS / "journal")
    page = verdict(project)
    assert f"{LATE} before its first session" in page
    assert "40 journals of 40 did not begin under this plan" in page
    assert "Registered before its first session" not in page
    assert f"{LATE} before its first session" in pages(project)
    is_refused(project, f"{LATE} before its first session")


def test_a_behaviour_that_was_edited_after_its_plan(run: Project) -> None:
    voice = run.folder / "tuned/voice.py"
    before = voice.read_text("utf-8")
    voice.write_text(before.replace("speech['effect']", "2 * speech['effect']"), "utf-8")
    assert voice.read_text("utf-8") != before
    page = verdict(run)
    assert "1 deviation: code 1." in page, page
    assert "tuned/voice.py has changed." in page
    assert "Registered, 1 deviation" in pages(run)


def reply_sealed_anew(project: Project) -> None:
    path = project.folder / RESULTS / "journal/d001-plain.jsonl"
    lines = path.read_bytes().splitlines()
    lines[-1] = write_line({**read_line(lines[-1]), "text": "99"})[:-1]
    path.write_bytes(b"\n".join(lines) + b"\n")


def plan_in_its_place(project: Project) -> None:
    """Another plan, whose digest is written into all journals."""
    plan = project.folder / RESULTS / "preregistration.json"
    plan.write_text(plan.read_text("utf-8").replace("rating", "mood"), "utf-8")
    heading = write_line({"plan_sha256": file_digest(plan)})
    for path in (project.folder / RESULTS / "journal").iterdir():
        path.write_bytes(heading + b"".join(path.read_bytes().splitlines(keepends=True)[1:]))


def page_sealed_anew(project: Project) -> None:
    """Another headline on the study's page, and the digest of that page in the log of its stage."""
    page = project.folder / RESULTS / "index.html"
    said = read(project.folder / RESULTS / "findings.parquet").to_pylist()
    (headline, *_) = (row["sentence"] for row in said if row["kind"] == "headline")
    text = page.read_text("utf-8")
    number = re.findall(r"[+−]\d+\.\d+", headline)[0]
    page.write_text(text.replace(number, "+99.9"), "utf-8")
    assert page.read_text("utf-8") != text
    with chdir(project.folder):
        for log in Path("results/demo").glob("**/logs/**/*.log"):
            if (RESULTS / "index.html") in (made := read_log(log)):
                write_done(log, map(str, made))


FORGED: dict[str, tuple[Callable[[Project], None], bool, str]] = {
    "a reply": (reply_sealed_anew, False, "d001-plain.jsonl: the reply to request"),
    "a reply, and all made from it again": (
        reply_sealed_anew, True, "d001-plain.jsonl: the reply to request",
    ),
    "a number of a page, sealed in its log": (
        page_sealed_anew, False, "results/demo/tuned/index.html lacks “",
    ),
    "the plan": (plan_in_its_place, False, "preregistration.json is not the plan that"),
    "the plan's text": (
        lambda project: (project.folder / RESULTS / "preregistration.md").write_text("x") and None,
        False,
        "preregistration.md is not what",
    ),
    "the plan is gone": (
        lambda project: (project.folder / RESULTS / "preregistration.json").unlink(),
        False,
        "preregistration.json is gone",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_what_is_forged_after_the_end_is_found(run: Project, name: str) -> None:
    forge, is_made_again, sentence = FORGED[name]
    forge(run)
    if is_made_again:
        (run.folder / RESULTS / "transcripts/d001-plain.parquet").unlink()
        run.succeed()
    is_refused(run, sentence)


def test_replies_that_were_taken_away_and_asked_for_again_before_the_end(tmp_path: Path) -> None:
    """The ledger has what they cost; an author who takes its lines away too leaves no trace."""
    project = Project(tmp_path / "project")
    configured(project)
    with serving("--config", "more.yaml", cwd=project.folder) as server:
        settings = yaml.safe_load((project.folder / "more.yaml").read_text("utf-8"))
        address = {"interface": "openai", "base_url": f"{server.address}/v1", "simulated": True}
        price = {"input": 1.0, "output": 1000.0}
        settings["providers"] = {"served": address}
        settings["models"] = {"asked": {"provider": "served", "model": "heron", "price": price}}
        settings["tuned"] = {"model": "asked"}
        (project.folder / "more.yaml").write_text(yaml.safe_dump(settings), "utf-8")
        project.succeed("preregistration")
        project.succeed(str(RESULTS / "turns.parquet"))
        assert "for answers that no journal has" not in project.succeed("verify")
        for place in ("journal/d001-plain.jsonl", "transcripts/d001-plain.parquet"):
            (project.folder / RESULTS / place).unlink()
        ledger = project.folder / "results/demo/ledger.jsonl"
        booked = ledger.read_bytes()
        page = verdict(project)
        assert "for answers that no journal has" in page
        assert "or replies were taken away and asked for again" in page
        assert "for answers that no journal has" in project.succeed("verify")
        assert len(ledger.read_bytes()) > len(booked)
        assert "Whether replies were asked for before this plan, or again until" in page
