"""Whole runs of a study that may stop: what is run, killed, deleted, raised, and out of money."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from dissensus.design.stopping import ANYTIME, STOP
from dissensus.errors import SettingError
from dissensus.plan.preflight import check_inputs
from dissensus.study.configuration import load
from serving import serving
from support import Project, built_once, default_configuration

BLOCK, ITEMS = 5, 30
#: Where these tests stop: before figures and tables.
ESTIMATES = ("results/told/told/contrasts.parquet", "results/told/told/arm_conduct.parquet")
STUDY = """
from dissensus.study.experiment import Experiment, Outcome, whole


class Told(Experiment):
    name = "told"
    question = "Does it say more when it is told?"
    arms = ("plain", "told")
    item = {"level": whole("What it would say.")}
    outcomes = {"said": Outcome("What it says.")}

    def items(self, rng):
        for level in rng.integers(0, 100, 30):
            yield {"level": int(level)}

    def debate(self, session):
        told = " Told." if session.arm == "told" else ""
        yield session.call("A", f"Level {session.item.level}.{told}", float, expected="1")

    def measure(self, turns, item):
        return {"said": turns["value"].iloc[-1]}
"""
BEHAVIOUR = """
import re


def speak(messages, settings, rng):
    asked, speech = messages[-1].content, settings["speech"]
    level = float(re.findall(r"Level (\\d+)", asked)[0])
    return f"{level + rng.normal(0, 1) + ('Told' in asked) * speech['effect']:.6f}"
"""


def configure(
    project: Project,
    effect: float = 6.0,
    most: int = ITEMS,
    study: Mapping[str, Any] | None = None,
    **top: Any,
) -> None:
    """Settings of the next run: a stop by evidence, after at most so many draws."""
    agent = {"provider": "simulated", "behaviour": "told.simulated", "speech": {"effect": effect}}
    settings = {
        **{"run": "told", "studies": ["told"], "study_folders": {"told": "told"}},
        "models": {"agent": agent},
        "told": {
            **{"model": "agent", "block_size": BLOCK, "stop": {"alpha": 0.05, "most": most}},
            **(study or {}),
        },
        **top,
    }
    (project.folder / project.configuration).write_text(yaml.safe_dump(settings), "utf-8")


def made(folder: Path) -> Project:
    project = Project(folder)
    project.configuration = "told.yaml"
    (folder / "told").mkdir()
    (folder / "told/study.py").write_text(STUDY, "utf-8")
    (folder / "told/simulated.py").write_text(BEHAVIOUR, "utf-8")
    configure(project)
    return project


def again(folder: Path) -> Project:
    project = Project.at(folder)
    project.configuration = "told.yaml"
    return project


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that stopped, for tests that only look."""
    return again(built_once(tmp_path_factory, "stopped", lambda folder: _finish(made(folder))))


def _finish(project: Project) -> None:
    project.succeed(*ESTIMATES)


def rows(project: Project, name: str) -> list[dict[str, Any]]:
    table = pq.read_table(project.results("told", "told") / f"{name}.parquet")
    return list(table.to_pylist())


def verdict(project: Project) -> list[dict[str, Any]]:
    return rows(project, "looks")


def results(project: Project) -> dict[str, bytes]:
    return project.digests(run="told", study="told")


def test_no_session_is_run_after_the_look_that_knows(stopped: Project) -> None:
    looks = verdict(stopped)
    last = looks[-1]["block"]
    assert looks[-1]["verdict"] == STOP and 1 < last < ITEMS // BLOCK
    drawn = {row["session_id"]: row["block"] for row in rows(stopped, "manifest")}
    run = {name for name, block in drawn.items() if block <= last}
    assert len(drawn) == 2 * ITEMS and len(run) == 2 * BLOCK * last
    folder = stopped.results("told", "told")
    for kind in ("transcripts/*.parquet", "journal/*.jsonl"):
        assert {path.stem for path in folder.glob(kind)} == run
    # They are no losses: what is counted is counted of those that were run.
    for name in ("outcomes", "metrics"):
        assert {row["session_id"] for row in rows(stopped, name)} == run
    assert {row["sessions"] for row in rows(stopped, "arm_conduct")} == {BLOCK * last}
    (headline,) = [row for row in rows(stopped, "contrasts") if row["headline"]]
    assert (headline["method"], headline["n"]) == (ANYTIME, BLOCK * last)
    for name in ("estimate", "ci_low", "ci_high", "p_value"):
        assert headline[name] == looks[-1][name]
    assert headline["ci_low"] < 6.0 < headline["ci_high"]
    assert stopped.planned(*ESTIMATES) == {}
    assert set(stopped.requests("told").values()) == {1}


@pytest.mark.thorough
def test_it_is_verified_and_its_page_says_what_was_saved(stopped: Project, tmp_path: Path) -> None:
    project = again(stopped.copy(tmp_path / "project").folder)
    said = project.succeed()
    last = verdict(project)[-1]["block"]
    left = 2 * (ITEMS - BLOCK * last)
    sentence = (
        f"Stopped after block {last}, at {BLOCK * last} of {ITEMS} draws, since the e-value after "
        f"Holm is 20 or more (alpha 0.05) in every headline contrast. {left} of {2 * ITEMS} "
        f"sessions ({left / 2 / ITEMS:.0%}) were not run: some {left} calls fewer, as "
        f"{2 * BLOCK * last} were made."
    )
    assert sentence in " ".join(said.split())
    folder = project.results("told", "told")
    page = (folder.parent / "index.html").read_text("utf-8")
    assert sentence in page and f"{2 * BLOCK * last} sessions" in page
    assert (folder / "figures/looks.svg").is_file() and (
        folder / "tables/table_looks.csv"
    ).is_file()
    assert "But the evidence stopped the study" in page
    # The table and the figure have the interval of the card, which holds at all looks.
    (headline,) = [row for row in rows(project, "contrasts") if row["headline"]]
    shown = [f"{headline[name]:.3f}" for name in ("ci_low", "ci_high")]
    table = (folder / "tables/table_contrasts.md").read_text("utf-8")
    assert f"[{', '.join(shown)}]" in table
    assert f"[{', '.join(shown)}]" in (folder / "figures/outcomes.svg").read_text("utf-8")
    assert "all as they were made." in project.succeed("verify")
    planned = " ".join(project.succeed("plan").split())
    assert f"at least {BLOCK} draws ({2 * BLOCK} sessions, {2 * BLOCK} calls)" in planned
    assert f"at most {ITEMS} draws ({2 * ITEMS} sessions, {2 * ITEMS} calls)" in planned
    ran = 2 * BLOCK * last
    assert f"{ran} replies, which make {ran} of {ran} sessions" in planned
    assert "calls that are left if nothing goes wrong: 0" in planned


@pytest.mark.thorough
def test_killed_at_each_block_it_comes_to_the_same_verdict(
    stopped: Project, tmp_path: Path
) -> None:
    project, folder = made(tmp_path / "project"), tmp_path / "project/results/told/told"
    for block in range(1, verdict(stopped)[-1]["block"] + 1):
        looks = folder / f"looks/{block}/looks.parquet"
        project.kill_when(looks.exists, *ESTIMATES)
    project.succeed(*ESTIMATES)
    assert results(project) == results(stopped)
    assert project.requests("told") == stopped.requests("told")


@pytest.mark.thorough
def test_a_look_that_is_lost_is_made_again_and_nothing_is_asked(
    stopped: Project, tmp_path: Path
) -> None:
    project = again(stopped.copy(tmp_path / "project").folder)
    folder = project.results("told", "told")
    (folder / "looks/1/looks.parquet").unlink()
    # The next block is to be gathered again, and so it is to know whether it is run.
    second = next(row["session_id"] for row in rows(project, "manifest") if row["block"] == 2)
    (folder / f"transcripts/{second}.parquet").unlink()
    project.succeed(*ESTIMATES)
    assert results(project) == results(stopped)
    assert project.requests("told") == stopped.requests("told")
    assert project.planned(*ESTIMATES) == {}


@pytest.mark.thorough
def test_a_larger_most_changes_no_verdict_and_pays_nothing_twice(tmp_path: Path) -> None:
    project = made(tmp_path / "project")
    # Nothing is planted, and so it goes on to its end.
    configure(project, effect=0.0, most=2 * BLOCK + 1)
    project.succeed(*ESTIMATES)
    first, before = verdict(project), project.requests("told")
    assert [row["draws"] for row in first] == [BLOCK, 2 * BLOCK]
    assert len(before) == 4 * BLOCK
    configure(project, effect=0.0, most=3 * BLOCK)
    project.succeed(*ESTIMATES)
    assert verdict(project)[:2] == first and len(verdict(project)) == 3
    requests = project.requests("told")
    assert before.items() <= requests.items() and len(requests) == 6 * BLOCK
    assert set(requests.values()) == {1}


@pytest.mark.thorough
def test_what_stopped_stays_stopped_however_many_there_may_be(
    stopped: Project, tmp_path: Path
) -> None:
    project = again(stopped.copy(tmp_path / "project").folder)
    last = verdict(stopped)[-1]["block"]
    for most in (BLOCK * last, BLOCK * (last + 1), ITEMS):
        configure(project, most=most)
        project.succeed(*ESTIMATES)
        assert verdict(project) == verdict(stopped)
        assert project.requests("told") == stopped.requests("told")
    # Another rule goes on from there.
    configure(project, told={"model": "agent", "block_size": BLOCK, "stop": {"half_width": 0.8}})
    project.succeed(*ESTIMATES)
    assert verdict(project)[-1]["block"] > last
    requests = project.requests("told")
    assert stopped.requests("told").items() <= requests.items()
    assert set(requests.values()) == {1}


@pytest.mark.thorough
def test_a_budget_that_ends_first_leaves_the_verdict(tmp_path: Path) -> None:
    project, whole = (made(tmp_path / name) for name in ("project", "whole"))
    serve = tmp_path / "whole/serve.yaml"
    serve.write_text((whole.folder / "told.yaml").read_text("utf-8"), "utf-8")
    with serving("--config", "serve.yaml", cwd=whole.folder) as server:
        provider = {"interface": "openai", "base_url": f"{server.address}/v1", "simulated": True}
        price = {"input": 1.0, "output": 5.0}
        real = {
            "providers": {"o": provider},
            "models": {"agent": {"provider": "o", "model": "agent", "price": price}},
        }
        configure(whole, **real)
        whole.succeed(*ESTIMATES, "results/told/told/spending.parquet")
        ledger = rows(whole, "spending")
        usd = sum(row["first_usd"] for row in ledger)
        configure(project, **real, budget_usd=0.6 * usd)
        done = project.run(*ESTIMATES)
        assert done.returncode and "budget_usd" in done.stdout + done.stderr
        assert not (project.results("told", "told") / "looks.parquet").exists()
        configure(project, **real, budget_usd=10.0)
        project.succeed(*ESTIMATES)
    assert verdict(project) == verdict(whole)
    assert project.requests("told") == whole.requests("told")
    assert set(project.requests("told").values()) == {1}


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (
            {"stop": {"alpha": 0.05, "most": 3}},
            "told.stop.most holds 3, and a block has at least 5",
        ),
        (
            {"stop": {"alpha": 0.05, "half_width": 1.0}},
            "told.stop.alpha holds 0.05; one of alpha and half_width must",
        ),
        ({"stop": {}}, "told.stop.alpha holds null; one of alpha and half_width must"),
    ],
)
def test_a_rule_that_cannot_be_is_a_sentence(
    tmp_path: Path, study: dict[str, Any], words: str
) -> None:
    project = made(tmp_path / "project")
    configure(project, told={"model": "agent", "block_size": BLOCK, **study})
    done = project.run("--dry-run")
    assert words in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("study", "why"),
    [
        ("identity", "shares of all answers of a team"),
        ("consensus", "what is learned from all earlier ones"),
        ("union", "coached by memos on earlier debates"),
    ],
)
def test_a_study_that_cannot_stop_says_why(study: str, why: str) -> None:
    values = {**default_configuration(), "studies": [study]}
    values[study] = {**values[study], "stop": {"half_width": 0.1}}
    with pytest.raises(SettingError, match=rf"{study}\.stop is set, .* stop early: .*{why}.*null"):
        check_inputs(load(values, "config.yaml"))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"instrument": {"draws": 20}},
            r"instrument\.draws holds 20, .* each of the 100 draws .* to null, or language\.stop",
        ),
        (
            {"panel": ["real"] * 4},
            r"instrument\.translator holds null, .* name a model that translates them",
        ),
    ],
)
def test_a_language_study_stops_only_with_every_debate_rendered(
    changed: dict[str, Any], why: str
) -> None:
    values = {**default_configuration(), "studies": ["language"]}
    values["models"] = {**values["models"], "real": {"provider": "openai", "model": "some"}}
    own = values["language"]
    values["language"] = {**own, "stop": {"alpha": 0.05}}
    check_inputs(load(values, "config.yaml"))
    changed = {
        name: {**own[name], **new} if isinstance(new, dict) else new
        for name, new in changed.items()
    }
    values["language"] |= changed
    with pytest.raises(SettingError, match=rf"language\.{why}"):
        check_inputs(load(values, "config.yaml"))
    # With as many renderings as draws that may be run it can.
    if "instrument" in changed:
        values["language"]["stop"] = {"alpha": 0.05, "most": 20}
        check_inputs(load(values, "config.yaml"))


@pytest.mark.thorough
def test_before_it_runs_plan_and_cost_say_what_to_expect(tmp_path: Path) -> None:
    project, run = made(tmp_path / "run"), {"diagnosis": {"simulations": 40, "items": [ITEMS]}}
    configure(project, effect=1.2, study=run)
    unknown = "how many to expect, snakemake diagnosis says"
    assert unknown in " ".join(project.succeed("plan").split())
    project.succeed("diagnosis")
    (saved,) = (
        row["saved"]
        for row in rows(project, "design_diagnosis")
        if row["estimator"] == ANYTIME and row["true_se"]
    )
    assert 0.1 < saved < 1.0 - BLOCK / ITEMS
    price = {"input": 1.0, "output": 500_000.0}
    model = {"provider": "o", "model": "agent", "price": price}
    provider = {"interface": "openai", "base_url": "http://127.0.0.1:9/v1"}
    configure(project, study=run, providers={"o": provider}, models={"agent": model})
    words = " ".join(project.succeed("plan").split())
    draws = round((1.0 - saved) * ITEMS)
    assert f"at least {BLOCK} draws ({2 * BLOCK} sessions, {2 * BLOCK} calls)" in words
    assert f"at most {ITEMS} draws ({2 * ITEMS} sessions, {2 * ITEMS} calls)" in words
    assert f"expected {draws} draws (" in words
    (dollars,) = re.findall(
        r"as it may stop: at least \$([\d,.]+), expected \$([\d,.]+), at most \$([\d,.]+)",
        project.succeed("cost"),
    )
    least, expected, most = (float(each.replace(",", "")) for each in dollars)
    assert least == pytest.approx(most * BLOCK / ITEMS, rel=0.02)
    assert expected == pytest.approx(most * (1.0 - saved), rel=1e-3)
