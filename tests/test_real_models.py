"""Whole runs with real models behind `dissensus serve`, with its faults."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from serving import Server, serving
from support import SMALL, Project, built_once

KEY = "sk-test-3f9a1c77e0d24b61"
PANEL = ["a", "b", "c", "d"]
TURNS = "results/real/language/turns.parquet"
METRICS = "results/real/language/metrics.parquet"
PRICE = {"input": 1.0, "output": 5.0}
#: Faults that a later try mends, at the rate that the issue of lost calls is about.
FAULTS = ("--faults", "0.3", "--hang", "5")
#: Less than the server hangs for, and more than a machine with other work takes for an answer.
IMPATIENT = {"timeout_s": 4.0}


def real(
    server: Server | str, provider: dict[str, Any] | None = None, **top: Any
) -> dict[str, Any]:
    """The small study with four real models, two of them behind Anthropic's interface."""
    address = server if isinstance(server, str) else server.address
    more = {"key_from": "TEST_KEY", "simulated": True, **(provider or {})}
    return {
        "run": "real",
        "providers": {
            "o": {"interface": "openai", "base_url": f"{address}/v1", **more},
            "m": {"interface": "anthropic", "base_url": address, **more},
        },
        "models": {
            name: {"provider": host, "model": f"simulated-{name}", "price": PRICE}
            for name, host in zip(PANEL, "omom", strict=True)
        },
        "language": {**SMALL["language"], "panel": PANEL},
        **top,
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run whose every call went well, measured, and whose server is gone."""

    def build(folder: Path) -> None:
        project = Project(folder)
        os.environ["TEST_KEY"] = KEY
        with serving() as server:
            embedder = {"embedder": "o:text-embedding-3-large", "repetitions": 5}
            settings = real(server)
            settings["language"] = {**settings["language"], "measures": embedder}
            project.configure(settings)
            project.succeed(METRICS, cores=8)
            (project.folder / "stats.json").write_text(json.dumps(server.stats()))

    return Project.at(built_once(tmp_path_factory, "undisturbed", build))


def transcripts(project: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in project.results("real").glob("transcripts/*")}


def calls(project: Project) -> list[dict[str, Any]]:
    return [
        row
        for path in sorted(project.results("real").glob("shards/*/attempts.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def asked(stats: dict[str, Any], what: str) -> int:
    return sum(kind[what] for name, kind in stats["calls"].items() if name != "embeddings")


def test_the_books_agree_with_the_server_s(undisturbed: Project) -> None:
    stats = json.loads((undisturbed.folder / "stats.json").read_text())
    rows = calls(undisturbed)
    assert len(rows) == asked(stats, "received") == asked(stats, "distinct")
    for name in PANEL:
        mine = [row for row in rows if row["model"] == name]
        billed = stats["tokens"][f"simulated-{name}"]
        assert sum(row["input_tokens"] for row in mine) == billed["input"]
        assert sum(row["output_tokens"] for row in mine) == billed["output"]
    owed = sum(row["input_tokens"] * 1.0 + row["output_tokens"] * 5.0 for row in rows) / 1e6
    assert sum(row["cost_usd"] for row in rows) == pytest.approx(owed)
    ledger = (undisturbed.folder / "results/real/ledger.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["usd"] for line in ledger) == pytest.approx(owed)


def test_calls_hold_what_the_provider_reported(undisturbed: Project) -> None:
    for row in calls(undisturbed):
        assert row["answered_by"] == f"simulated-{row['model']}"
        assert not row["other_model"]
        assert row["request_id"].startswith("req_")
        assert row["finish_reason"] == "stop"
        assert (row["fingerprint"] == "dissensus-simulated") == (row["model"] in "ac")


def test_what_answered_as_simulated_is_called_so(undisturbed: Project) -> None:
    for path in undisturbed.results("real").rglob("*.parquet"):
        assert json.loads(pq.read_schema(path).metadata[b"dissensus"])["simulated"], path


def test_no_key_is_in_anything_that_a_run_wrote(undisturbed: Project) -> None:
    for path in undisturbed.folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_run_replays_from_its_journals_without_network_or_key(
    undisturbed: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_KEY")
    again = Project(tmp_path / "elsewhere")
    shutil.copy2(undisturbed.folder / "more.yaml", again.folder)
    shutil.copytree(
        undisturbed.results("real") / "journal", again.results("real") / "journal", symlinks=True
    )
    again.succeed(METRICS, cores=8)
    assert again.digests(run="real") == undisturbed.digests(run="real")


@pytest.mark.thorough
def test_faults_and_kills_change_no_word_and_repeat_no_call(
    undisturbed: Project, project: Project
) -> None:
    in_flight_at_kills = 0
    with serving(*FAULTS, "--latency", "0.05") as server:
        project.configure(real(server, IMPATIENT))
        for _ in range(3):
            at = _lines(project) + 8
            project.kill_when(lambda at=at: _lines(project) > at, TURNS, cores=8)  # type: ignore[misc]
            in_flight_at_kills += 8
        project.succeed(TURNS, cores=8)
        stats = server.stats()
    assert transcripts(project) == transcripts(undisturbed)
    assert sum(stats["faults"].values()) > 20
    assert asked(stats, "repeats") <= in_flight_at_kills
    assert any(row["faults"] for row in calls(project))


def _lines(project: Project) -> int:
    journals = project.results("real").glob("journal/*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in journals)


@pytest.mark.thorough
def test_the_budget_is_not_passed_and_a_higher_one_goes_on(project: Project) -> None:
    with serving("--latency", "0.05") as server:
        project.configure(real(server, budget_usd=0.02))
        for _ in range(2):
            stopped = project.run(TURNS, cores=8)
            assert stopped.returncode != 0
            bill = _bill(server)
            last = stopped.stderr.rstrip().splitlines()[-1]
            # Calls of other jobs that are in flight when one finds it count as their most.
            told = re.match(
                r"The run has spent \$([\d.]+)(?: \(up to \$[\d.]+ of it for \d+ "
                r"(?:try|tries) whose answer has not arrived[^)]*\))? of the \$0\.0200 that "
                r"budget_usd allows, and the next call may cost up to \$0\.00",
                last,
            )
            # As printed: to a hundredth of a cent.
            assert told and bill - 0.000_051 <= float(told[1]) <= 0.02, last
            assert "Traceback" not in stopped.stderr
            assert 0.015 <= bill <= 0.02
            assert sum(_dollars(project)) == pytest.approx(bill)
            # The budget hangs on no single file.
            (project.results("real").parent / "ledger.jsonl").unlink()
        project.configure(real(server, budget_usd=5.0))
        project.succeed(TURNS, cores=8)
        assert asked(server.stats(), "repeats") == 0


def _bill(server: Server) -> float:
    """Dollars that the server would charge for until now."""
    return sum(t["input"] + 5 * t["output"] for t in server.stats()["tokens"].values()) / 1e6


@pytest.mark.thorough
def test_an_outage_in_the_middle_changes_no_word(undisturbed: Project, project: Project) -> None:
    with serving("--outage", "30:6", "--latency", "0.05") as server:
        project.configure(real(server, {"retries": 2}))
        said = project.succeed(TURNS, cores=8)
        stats = server.stats()
    assert transcripts(project) == transcripts(undisturbed)
    assert asked(stats, "received") - stats["faults"]["overload"] == asked(stats, "distinct")
    assert "answers no call (overload: " in said
    assert "answers again." in said


@pytest.mark.thorough
def test_an_outage_that_lasts_ends_the_run_and_the_next_one_goes_on(
    undisturbed: Project, project: Project
) -> None:
    with serving("--outage", "30:600") as server:
        project.configure(real(server, {"retries": 2, "outage_s": 3.0}))
        stopped = project.run(TURNS, cores=8)
        answered = asked(server.stats(), "answered")
    assert stopped.returncode != 0
    last = stopped.stderr.rstrip().splitlines()[-1]
    assert last.startswith("providers.") and "has answered no call for 3 s (" in last
    assert "Traceback" not in stopped.stderr
    assert _lines(project) == answered
    with serving() as server:
        project.configure(real(server))
        project.succeed(TURNS, cores=8)
        assert asked(server.stats(), "received") == _lines(project) - answered
    assert transcripts(project) == transcripts(undisturbed)


def _dollars(project: Project) -> list[float]:
    return [
        json.loads(line)["cost_usd"]
        for path in project.results("real").glob("journal/*.jsonl")
        for line in path.read_text().splitlines()
    ]


@pytest.mark.thorough
def test_a_run_that_loses_its_terminal_keeps_the_calls_in_flight(project: Project) -> None:
    with serving("--latency", "0.5") as server:
        project.configure(real(server))
        ended = project.disturb_when(
            lambda: _lines(project) >= 8,
            lambda run: run.send(signal.SIGHUP),
            TURNS,
            cores=8,
        )
        assert ended.returncode != 0
        assert ended.stderr.rstrip().endswith("start again, and the run goes on from here.")
        assert _lines(project) == asked(server.stats(), "answered")
        project.succeed(TURNS, cores=8)
        assert asked(server.stats(), "repeats") == 0


def test_every_fault_of_the_set_up_is_found_before_the_first_call(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGHT_KEY", "sk-right")
    with serving("--key-from", "RIGHT_KEY") as server:
        settings = real(server, {"key_from": "RIGHT_KEY"})
        settings["providers"]["lost"] = {**settings["providers"]["o"], "key_from": "NO_SUCH_KEY"}
        settings["providers"]["wrong"] = {**settings["providers"]["m"], "key_from": "TEST_KEY"}
        settings["models"]["a"]["model"] = "no-such-model"
        settings["models"]["c"]["provider"] = "lost"
        settings["models"]["d"]["provider"] = "wrong"
        project.configure(settings)
        done = project.run(TURNS, cores=8)
        stats = server.stats()
    assert done.returncode != 0
    for sentence in (
        "models.a: providers.o does not list the model 'no-such-model'",
        "providers.lost: the environment variable NO_SUCH_KEY is not set",
        "providers.wrong does not accept the key in TEST_KEY",
    ):
        assert done.stderr.count(sentence) == 1
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert asked(stats, "received") == 0


@pytest.mark.thorough
def test_an_account_without_credit_stops_the_run_and_loses_nothing(project: Project) -> None:
    with serving("--fault", "credit=0.05") as server:
        project.configure(real(server))
        stopped = project.run(TURNS, cores=8)
        answered = asked(server.stats(), "answered")
    assert stopped.returncode != 0
    assert stopped.stderr.count("says that its account has no credit left") == 1
    assert "Traceback" not in stopped.stderr
    assert _lines(project) == answered
    with serving() as server:
        project.configure(real(server))
        project.succeed(TURNS, cores=8)
        assert asked(server.stats(), "received") == _lines(project) - answered


def test_simulated_words_do_not_pass_for_real_ones(project: Project) -> None:
    with serving() as server:
        project.configure(real(server, {"simulated": False}))
        done = project.run(TURNS, cores=8)
        assert asked(server.stats(), "received") == 0
    assert done.returncode != 0
    assert "providers.o.simulated is false, and simulated models answer" in done.stderr


def test_another_model_than_asked_is_flagged(project: Project) -> None:
    with serving("--report-model", "simulated-z") as server:
        project.configure(real(server))
        project.succeed("results/real/language/tables/table_models.md", cores=8)
    assert all(row["other_model"] for row in calls(project))
    table = (project.results("real") / "tables/table_models.md").read_text()
    assert "simulated-z" in table


def test_the_cost_is_told_before_any_call(project: Project) -> None:
    project.configure(real("http://127.0.0.1:9", budget_usd=0.01))
    told = project.succeed("cost")
    for line in ("debate: a (simulated-a of o", "expected", "ceiling", "Budget: $0.0100"):
        assert line in told
    assert not (project.results("real") / "journal").exists()
