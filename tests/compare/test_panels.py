"""One configuration with three panels, whose simulated models differ by what is planted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from compare.urged_study import lay, urged_by
from dissensus.cli import main
from dissensus.compare.comparison import DIFFERENCES, POOLED, UNITS
from dissensus.compare.panels import compare_panels
from dissensus.digests import file_digest
from dissensus.keep.closing import read_closing
from dissensus.keep.packed import Packed, faults
from dissensus.llm.ledger import Ledger
from dissensus.plan.preregistration import TEXT
from dissensus.report.findings import FINDINGS
from dissensus.tables.artefact import read
from serving import Server, serving
from support import Project, built_once

# Three panels are three runs; one is compared with others in test_compare.py.
pytestmark = pytest.mark.thorough

#: Panel -> what the word adds in it; 0.83 in the mean.
PLANTED = {"none": 0.0, "some": 0.5, "much": 2.0}
MEAN = sum(PLANTED.values()) / len(PLANTED)
#: Of a model behind an address. A reply may have 1000 tokens and cost a dollar; it has some ten.
PRICE = {"input": 0.0, "output": 1000.0}
#: The rest of a quote's line of the low estimate, and the dollars of the next.
EXPECTED = r".*\n  expected +\$([\d.]+)"


def configure(project: Project, models: dict[str, Any], **further: Any) -> None:
    project.configure(
        {
            "run": "whole",
            "studies": ["mine"],
            "study_folders": {"mine": "mine"},
            "models": models,
            "mine": {"model": "agent"},
            "panels": {name: {"agent": name} for name in PLANTED},
            **further,
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a project whose run with three panels is finished; `said.txt` has its words."""

    def build(folder: Path) -> None:
        project = Project(folder)
        lay(folder)
        configure(project, {name: urged_by(more) for name, more in PLANTED.items()})
        project.succeed("preregistration")
        (folder / "said.txt").write_text(project.succeed(), encoding="utf-8")

    return built_once(tmp_path_factory, "run_with_panels", build)


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def test_the_panels_come_to_what_is_planted_in_them(here: Path) -> None:
    made = here / "results/whole/compared/mine"
    units = read(made / "units.parquet", UNITS).to_pylist()
    assert [row["run"] for row in units] == [f"whole.{row['unit']}" for row in units]
    assert {row["unit"] for row in units} == {*PLANTED}
    for row in units:
        contrasts = pq.read_table(here / f"results/{row['run']}/mine/contrasts.parquet")
        (its,) = (each for each in contrasts.to_pylist() if each["headline"])
        assert (row["estimate"], row["se"]) == (its["estimate"], its["se"])
        assert abs(row["estimate"] - PLANTED[row["unit"]]) < 4 * row["se"]
    (together,) = read(made / "pooled.parquet", POOLED).to_pylist()
    assert together["ci_low"] < MEAN < together["ci_high"]
    assert abs(together["estimate"] - MEAN) < 0.3 and together["q_p"] < 1e-6
    differ = read(made / "differences.parquet", DIFFERENCES).to_pylist()
    assert {row["name"] for row in differ} == {"models.agent.speech.more"}
    assert {row["run"]: float(row["value"]) for row in differ} == PLANTED


def test_all_panels_have_the_same_draws_and_a_plan_each(here: Path) -> None:
    manifests = {
        pq.read_table(here / f"results/whole.{name}/mine/manifest.parquet").to_pandas().to_json()
        for name in PLANTED
    }
    assert len(manifests) == 1
    page = (here / "results/whole/compared/mine/pooled.md").read_text("utf-8")
    assert "All have the same draws" in page
    for name, more in PLANTED.items():
        plan = (here / f"results/whole.{name}/mine/{TEXT}").read_text("utf-8")
        assert f"models.agent.speech.more: {more}" in plan


def test_the_page_of_the_run_leads_to_every_panel(here: Path) -> None:
    page = (here / "results/whole/index.html").read_text("utf-8")
    for name in PLANTED:
        link = f"../whole.{name}/index.html"
        assert f'href="{link}"' in page and (here / "results/whole" / link).is_file()
    assert 'href="compared/mine/index.html"' in page and "imulated models" in page
    assert "144 sessions · none lost · nothing spent" in page
    assert "What differs between the panels: 1 model setting." in page
    said = (here / "said.txt").read_text("utf-8")
    assert "144 of 144 sessions" in said and "over 3 panels" in said
    assert "But a further panel may be of the other sign" in said
    assert "Open results/whole/index.html" in said


def test_what_is_asked_for_says_each_panel_and_all(here: Path) -> None:
    project = Project.at(here)
    plan = project.succeed("plan")
    assert plan.count("mine: 24 draws, 48 sessions") == 3
    assert "panel much: much as agent" in plan
    assert "all 3 panels: 144 sessions (144 of mine)" in plan and "144 calls if" in plan
    verified = project.succeed("verify")
    for name in PLANTED:
        assert "Verified 48 sessions, 48 turns" in verified and f"of run whole.{name}" in verified
    assert "compares the panels of run whole: all as it was made" in verified


def test_what_compares_the_panels_is_closed_and_archived(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = Project.at(here).copy(tmp_path / "copy"), Path("results/whole")
    monkeypatch.chdir(project.folder)
    closed = read_closing((home / "closing.sha256").read_text("utf-8"), "closing")
    for name in PLANTED:
        assert home.with_name(f"whole.{name}") / "closing.sha256" in closed
    figures = {
        "compared/mine/units.parquet",
        "compared/mine/index.html",
        "compared/mine/forest.svg",
    }
    assert {home / each for each in figures} <= {*closed}
    assert file_digest(home / "closing.sha256") in (home / "index.html").read_text("utf-8")
    said = project.succeed("archive")
    assert "holds what compares the panels" in said
    packed = Packed(home / "archive.zip", home)
    assert faults(packed) == []
    assert {f"published/{each}" for each in figures} <= {*packed.names()}
    archives = packed.text("archives.sha256")
    for name in PLANTED:
        path = Path(f"results/whole.{name}/archive.zip")
        assert f"{file_digest(path)}  {path}" in archives
    assert "all as it was made" in project.succeed("verify")
    # A number is forged, and the log of its stage and the front page are as they were.
    units = home / "compared/mine/units.csv"
    units.write_text(units.read_text("utf-8").replace("much", "more"), "utf-8")
    done = project.run("verify")
    assert done.returncode != 0 and str(units) in done.stderr


def test_every_tool_takes_a_panel_as_a_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = pq.read_table(here / "results/whole.some/mine/manifest.parquet")["session_id"][0]
    assert main(["read", str(session), "--run", "whole.some", "--prompts"]) == 0
    assert "Say a number." in capsys.readouterr().out
    assert main(["replies", "whole.much"]) == 0
    assert main(["compare", "whole.none", "whole.some", "--to", str(here / "two")]) == 0
    assert "over 2 runs" in capsys.readouterr().out
    assert main(["compare", "whole"]) == 1
    assert "has panels, each of which is a run" in capsys.readouterr().err


@pytest.mark.thorough
def test_only_what_is_lost_of_one_panel_is_made_again(here: Path, tmp_path: Path) -> None:
    project = Project.at(here).copy(tmp_path / "copy")
    assert project.planned() == {}
    lost = project.folder / "results/whole.some/mine/contrasts.parquet"
    before = lost.read_bytes()
    lost.unlink()
    planned = project.planned()
    assert {rule.partition(".")[0] for rule in planned} == {"some", "compare_panels"}
    assert "some.run_sessions" not in planned and project.sessions_planned() == 0
    # One file that is named is made alone.
    project.succeed("results/whole.some/mine/contrasts.parquet")
    assert lost.read_bytes() == before
    page = project.folder / "results/whole/compared/mine/forest.svg"
    page.unlink()
    assert project.planned("results/whole/compared/mine/forest.svg").get("compare_panels") == 1


def test_panels_that_cannot_be_compared_have_a_page_that_says_why(
    here: Path, tmp_path: Path
) -> None:
    """Since all else of the run stands, and is paid."""
    into = tmp_path / "mine"
    folders = [here / "results/whole.none/mine"]
    card, differ = compare_panels(folders, "Does it?", simulated=True, into=into, made_by={})
    assert "is one run alone" in card.finding and not differ
    assert "is one run alone" in (into / "index.html").read_text("utf-8")
    assert read(into / "units.parquet", UNITS).num_rows == 0
    assert (into / "forest.png").is_file() and (into / "pooled.csv").is_file()
    (row,) = read(into / "findings.parquet", FINDINGS).to_pylist()
    assert row["sentence"].startswith("The panels are not compared: ")


def test_a_target_of_no_panel_is_a_sentence(here: Path) -> None:
    project = Project.at(here)
    done = project.run("results/whole.sone/mine/contrasts.parquet")
    assert done.returncode != 0
    assert "is of no panel of run 'whole', which has" in done.stderr
    done = project.run("results/whole.some/mine/contrast.parquet")
    assert "nearest that there is: results/whole.some/mine/contrasts.parquet" in done.stderr


def hosted(server: Server, **further: Any) -> dict[str, Any]:
    """The same models behind an address, and what they cost."""
    provider = {"interface": "openai", "base_url": f"{server.address}/v1", "simulated": True}
    entry = {"provider": "served", "price": PRICE}
    return {
        "models": {name: {**entry, "model": name} for name in PLANTED},
        "providers": {"served": provider},
        **further,
    }


@pytest.mark.thorough
def test_one_budget_stops_all_panels_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    lay(project.folder)
    configure(project, {name: urged_by(more) for name, more in PLANTED.items()})
    target = [f"results/whole.{name}/mine/turns.parquet" for name in PLANTED]
    with serving("--config", "more.yaml", "--latency", "0.02", cwd=project.folder) as server:
        served = hosted(server)
        models = served.pop("models")
        configure(project, models, **served, budget_usd=1.2)
        quote = project.succeed("cost")
        each = re.findall(rf"all stages and models\n  low {EXPECTED}", quote)
        (together,) = re.findall(rf"all 3 panels\n  low {EXPECTED}", quote)
        assert len(each) == 3
        assert float(together) == pytest.approx(sum(map(float, each)), abs=0.02)
        assert "Budget: $1.20, with which the run would stop at about" in quote
        stopped = project.run(*target, cores=8)
        assert stopped.returncode != 0
        assert stopped.stderr.count("of the $1.2000 that budget_usd allows") == 1
        assert "Error" not in stopped.stderr
        # One ledger for all of them.
        ledger = project.folder / "results/whole/ledger.jsonl"
        assert ledger.is_file() and not [*project.folder.glob("results/whole.*/ledger.jsonl")]
        begun = journaled(project)
        assert 0 < sum(begun.values()) < 144 and server.stats()["calls"]
        assert 0.1 < Ledger(ledger, None).spent_usd <= 1.2
        configure(project, models, **served, budget_usd=500.0)
        enough = sum(begun.values()) + 40
        project.kill_when(lambda: sum(journaled(project).values()) >= enough, *target, cores=8)
        assert sum(journaled(project).values()) < 144
        project.succeed(*target, cores=8)
        answered = sum(int(kind["answered"]) for kind in server.stats()["calls"].values())
        repeats = sum(int(kind["repeats"]) for kind in server.stats()["calls"].values())
    assert journaled(project) == dict.fromkeys(PLANTED, 48)
    # What was answered as the run was killed is asked once more, and nothing else.
    assert repeats == answered - 144


def journaled(project: Project) -> dict[str, int]:
    """Panel -> replies in its journals."""
    return {name: project.requests(f"whole.{name}").total() for name in PLANTED}
