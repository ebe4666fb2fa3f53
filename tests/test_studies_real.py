"""The new studies with real models: the true packages against `dissensus serve` and its faults."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from serving import Server, serving
from support import Project, built_once

STUDIES = ("identity", "deliberation")
#: Name here -> where it is asked, and who answers there.
MODELS = {
    "agents": ("m", "identity-deferring"),
    "a": ("o", "deliberation-a"),
    "b": ("m", "deliberation-b"),
    "c": ("o", "deliberation-c"),
    "d": ("m", "deliberation-d"),
    "judge": ("o", "deliberation-judge"),
}
PANEL = ["a", "b", "c", "d"]
PRICE = {"input": 1.0, "output": 5.0}
AGENTS, QUESTIONS, ROUNDS = 5, 6, 2
SEATS, DRAWS, TALKS = 4, 2, 2
#: What holds every session; the studies' own targets would measure them too.
SESSIONS = [
    *(f"results/real/{study}/turns.parquet" for study in ("identity", "deliberation")),
]
ARMS: dict[str, Any] = {
    **dict.fromkeys(("emergent_again", "full", "pid", "refined", "sampled")),
    "crit": {"crit": True},
}


def real(server: Server, timeout_s: float = 120.0, **top: Any) -> dict[str, Any]:
    """Both studies, small, with models behind both interfaces."""
    more = {"simulated": True, "timeout_s": timeout_s}
    return {
        "run": "real",
        "studies": [*STUDIES],
        "providers": {
            "o": {"interface": "openai", "base_url": f"{server.address}/v1", **more},
            "m": {"interface": "anthropic", "base_url": server.address, **more},
        },
        "models": {
            name: {"provider": host, "model": model, "price": PRICE}
            for name, (host, model) in MODELS.items()
        },
        "identity": {
            "banks": {"choice": {"questions": QUESTIONS}, "numeric": None},
            "agents": AGENTS,
            "rounds": ROUNDS,
            "teams": {
                **dict.fromkeys(
                    ("deferring", "deferring-4", "deferring-personas", "stubborn", "even")
                ),
                "team": {"model": "agents"},
            },
        },
        "deliberation": {
            "draws": DRAWS,
            "rounds": TALKS,
            "panel": PANEL,
            "judges": ["judge"],
            "arms": ARMS,
        },
        **top,
    }


def rows(project: Project, study: str) -> list[dict[str, Any]]:
    """Every attempt with its call."""
    found = sorted(project.results("real", study).glob("shards/*/attempts.parquet"))
    return [row for path in found for row in pq.read_table(path).to_pylist()]


def transcripts(project: Project) -> dict[str, bytes]:
    found = (project.folder / "results/real").glob("*/transcripts/*")
    return {path.name: path.read_bytes() for path in found}


def journaled(project: Project) -> int:
    found = (project.folder / "results/real").glob("*/journal/*")
    return sum(path.read_bytes().count(b"\n") for path in found)


def asked(stats: dict[str, Any], what: str) -> int:
    return sum(int(kind[what]) for kind in stats["calls"].values())


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run whose every call went well, and whose server is gone."""

    def build(folder: Path) -> None:
        project = Project(folder)
        with serving("--latency", "0.2") as server:
            project.configure(real(server))
            tables = (f"results/real/{study}/tables/table_spending.csv" for study in STUDIES)
            project.succeed(*SESSIONS, *tables, cores=8)
            (project.folder / "stats.json").write_text(json.dumps(server.stats()))

    return Project.at(built_once(tmp_path_factory, "undisturbed_studies", build))


def test_every_call_is_made_once_and_those_of_a_round_together(undisturbed: Project) -> None:
    stats = json.loads((undisturbed.folder / "stats.json").read_text())
    calls = {study: rows(undisturbed, study) for study in STUDIES}
    assert sum(map(len, calls.values())) == asked(stats, "received") == asked(stats, "distinct")
    # Of two debates there is one opening; no repair is asked for here.
    assert len(calls["identity"]) == QUESTIONS * AGENTS * (1 + 2 * ROUNDS)
    taken = Counter(row["role"] for row in rows(undisturbed, "deliberation") if row["accepted"])
    turns = DRAWS * SEATS * TALKS
    assert taken == {"debater": 2 * turns, "judge:crit": turns}
    # Six debates are in flight, each with the calls of all its agents.
    assert stats["in_flight"]["peak"] >= QUESTIONS * AGENTS


def test_the_spending_tables_tell_judges_from_debaters(undisturbed: Project) -> None:
    stats = json.loads((undisturbed.folder / "stats.json").read_text())
    purposes = {
        "identity": {"agents": "Debates"},
        "deliberation": {**dict.fromkeys(PANEL, "Debates"), "judge": "Judges"},
    }
    for study, expected in purposes.items():
        path = undisturbed.results("real", study) / "tables/table_spending.csv"
        with path.open(encoding="utf-8", newline="") as file:
            *table, total = csv.DictReader(file)
        assert {row["Model"]: row["Purpose"] for row in table} == expected
        for row in table:
            billed = stats["tokens"][MODELS[row["Model"]][1]]
            owed = (billed["input"] * PRICE["input"] + billed["output"] * PRICE["output"]) / 1e6
            assert float(row["Spent"]) == pytest.approx(owed, abs=1e-4)
            assert 0 < float(row["Low"]) < float(row["Expected"]) < float(row["High"])
        spent = sum(float(row["Spent"]) for row in table)
        assert float(total["Spent"]) == pytest.approx(spent, abs=1e-3)


@pytest.mark.thorough
def test_a_budget_faults_and_a_kill_change_no_word_and_repeat_no_call(
    undisturbed: Project, project: Project
) -> None:
    with serving("--faults", "0.3", "--hang", "5", "--latency", "0.1") as server:
        project.configure(real(server, timeout_s=4.0, budget_usd=0.02))
        stopped = project.run(*SESSIONS, cores=8)
        assert stopped.returncode != 0
        assert (
            stopped.stderr.count("of the $0.0200 that budget_usd allows, and the next call may")
            == 1
        )
        assert "Error" not in stopped.stderr
        begun = journaled(project)
        assert 0 < begun == asked(server.stats(), "answered")
        project.configure(real(server, timeout_s=4.0, budget_usd=5.0))
        project.kill_when(lambda: journaled(project) >= begun + 40, *SESSIONS, cores=8)
        assert journaled(project) < len(rows(undisturbed, "identity"))
        project.succeed(*SESSIONS, cores=8)
        stats = server.stats()
    assert transcripts(project) == transcripts(undisturbed)
    assert sum(stats["faults"].values()) > 40
    assert any(row["faults"] for study in STUDIES for row in rows(project, study))
    # What was answered as the run was killed is asked once more, and nothing else.
    assert asked(stats, "repeats") == asked(stats, "answered") - journaled(project)
    assert asked(stats, "repeats") <= 8 * AGENTS
    replayed = Project(project.folder.with_name("elsewhere"))
    shutil.copy2(project.folder / "more.yaml", replayed.folder)
    for study in STUDIES:
        journal = project.results("real", study) / "journal"
        shutil.copytree(journal, replayed.results("real", study) / "journal")
    replayed.succeed(*SESSIONS, cores=8)
    assert transcripts(replayed) == transcripts(undisturbed)
