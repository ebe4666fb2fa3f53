"""Whole runs of a deliberation study that may stop: what is run, killed, and raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from dissensus.design.contrasts import HEADLINE
from dissensus.design.stopping import ANYTIME, STOP
from serving import serving
from support import Project, built_once

BLOCK, TOPICS, ARMS = 6, 24, ("emergent", "again", "full")
FOLDER = "results/stops/deliberation"
#: Where these tests stop: before figures and tables.
ESTIMATES = [
    f"{FOLDER}/{name}.parquet" for name in ("contrasts", "trajectories", "equal_tokens", "left_out")
]


def configure(
    project: Project, most: int | None = None, model: str = "deliberation-a", **top: Any
) -> None:
    """Settings of the next run: a stop by evidence, after at most so many draws."""
    block = {"draws": TOPICS, "block_size": BLOCK, "rounds": 3, "panel": [model] * 3, "judges": []}
    stop = {"alpha": 0.2, "most": most}
    study = {"studies": ["deliberation"], "deliberation": {**block, "stop": stop}}
    project.configure({"run": "stops", "seed": 2, **study, **top})


def made(folder: Path) -> Project:
    project = Project(folder)
    # Arms that are configured are added to those that are there.
    base = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    base["deliberation"]["arms"] = {"emergent": {}, "again": {}, "full": {"topology": "full"}}
    (folder / "config.yaml").write_text(yaml.safe_dump(base), "utf-8")
    configure(project)
    return project


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that stopped, for tests that only look."""

    def build(folder: Path) -> None:
        made(folder).succeed(*ESTIMATES)

    return Project.at(built_once(tmp_path_factory, "stopped_deliberation", build))


def rows(project: Project, name: str) -> list[dict[str, Any]]:
    return list(pq.read_table(project.folder / FOLDER / f"{name}.parquet").to_pylist())


@pytest.mark.thorough
def test_what_was_not_run_is_counted_nowhere(stopped: Project) -> None:
    looks = rows(stopped, "looks")
    last = looks[-1]
    assert last["verdict"] == STOP and {row["contrast"] for row in looks} == {"full-emergent"}
    drawn = rows(stopped, "manifest")
    run = {row["session_id"] for row in drawn if row["block"] <= last["block"]}
    assert BLOCK < last["draws"] < TOPICS and len(run) == len(ARMS) * last["draws"]
    for kind in ("transcripts/*.parquet", "journal/*.jsonl"):
        assert {path.stem for path in (stopped.folder / FOLDER).glob(kind)} == run
    assert {row["session_id"] for row in rows(stopped, "metrics")} == run
    assert {row["assigned"] for row in rows(stopped, "trajectories")} == {last["draws"]}
    # The reference again is a noise floor, which the study is not looked at for.
    headlines = {row["arm"]: row for row in rows(stopped, "contrasts") if row["headline"]}
    assert {arm: row["method"] for arm, row in headlines.items()} == {
        "full": ANYTIME,
        "again": HEADLINE,
    }
    headline = headlines["full"]
    for name in ("estimate", "ci_low", "ci_high", "p_value", "n"):
        assert headline[name] == last[name]


@pytest.mark.thorough
def test_raised_and_killed_after_a_look_it_comes_to_the_same_verdict(
    stopped: Project, tmp_path: Path
) -> None:
    project = made(tmp_path / "project")
    configure(project, most=BLOCK)
    project.succeed(*ESTIMATES)
    before = project.requests("stops")
    assert [row["draws"] for row in rows(project, "looks")] == [BLOCK]
    configure(project)
    project.kill_when((project.folder / FOLDER / "looks/1/looks.parquet").exists, *ESTIMATES)
    project.succeed(*ESTIMATES)
    kept = {"run": "stops", "study": "deliberation"}
    assert project.digests(**kept) == stopped.digests(**kept)
    requests = project.requests("stops")
    assert before.items() <= requests.items() and requests == stopped.requests("stops")
    assert set(requests.values()) == {1}


@pytest.mark.thorough
def test_a_budget_that_ends_first_leaves_the_verdict(tmp_path: Path) -> None:
    project, whole = (made(tmp_path / name) for name in ("project", "whole"))
    with serving("--config", "config.yaml", cwd=whole.folder) as server:
        provider = {"interface": "openai", "base_url": f"{server.address}/v1", "simulated": True}
        price = {"input": 1.0, "output": 5.0}
        served = {"provider": "o", "model": "deliberation-a", "price": price}
        real = {"providers": {"o": provider}, "models": {"served": served}}
        configure(whole, model="served", **real)
        whole.succeed(*ESTIMATES, f"{FOLDER}/spending.parquet")
        usd = sum(row["first_usd"] for row in rows(whole, "spending"))
        configure(project, model="served", **real, budget_usd=0.6 * usd)
        done = project.run(*ESTIMATES)
        assert done.returncode and "budget_usd" in done.stdout + done.stderr
        assert not (project.folder / FOLDER / "looks.parquet").exists()
        configure(project, model="served", **real, budget_usd=10.0 * usd)
        project.succeed(*ESTIMATES)
    assert rows(project, "looks") == rows(whole, "looks")
    assert project.requests("stops") == whole.requests("stops")
    assert set(project.requests("stops").values()) == {1}
