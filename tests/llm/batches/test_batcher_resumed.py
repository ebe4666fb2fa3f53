"""What becomes of batches when a run stops, is killed or goes on: none is sent twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from batching import (
    FAST,
    KINDS,
    ask,
    ask_all,
    begun,
    change,
    half_price,
    kind_of,
    made,
    make_registry,
    most_usd,
    plans,
    renew,
    request,
    spent,
    until,
)
from dissensus.errors import DissensusError, Stopped
from dissensus.llm.journal import InFlight
from serving import ROOT, serving


@pytest.fixture(autouse=True)
def in_flight(monkeypatch: pytest.MonkeyPatch) -> InFlight:
    """The calls of one test."""
    return renew(monkeypatch)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_a_sent_batch_leave_when_the_run_stops_and_find_it_again(
    tmp_path: Path, kind: str, in_flight: InFlight, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(*FAST, "--batch-seconds", "1.5") as server:
        with begun(make_registry(tmp_path, server, kind), server, kind, 6) as calls:
            in_flight.close()
            for call in calls:
                with pytest.raises(Stopped):
                    call.result(timeout=10)
        assert made(server, kind).get("ended", 0) == 0
        renew(monkeypatch)
        replies = ask_all(make_registry(tmp_path, server, kind), 6)
        assert made(server, kind) == {"created": 1, "requests": 6, "ended": 1}
        # The answers are kept: a third start asks nobody.
        control = server.stats()["control"]["received"]
        again = ask_all(make_registry(tmp_path, server, kind), 6)
        assert server.stats()["control"]["received"] == control
    assert again == replies
    assert spent(tmp_path).spent_usd == pytest.approx(sum(map(half_price, replies)), rel=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_process_leaves_its_batch_to_the_next(tmp_path: Path, kind: str) -> None:
    script = (
        "import sys, batching as t\n"
        "from pathlib import Path\n"
        "from types import SimpleNamespace\n"
        "server = SimpleNamespace(address=sys.argv[1])\n"
        "t.ask_all(t.make_registry(Path(sys.argv[2]), server, sys.argv[3]), 6)\n"
    )
    with serving(*FAST, "--batch-seconds", "1.5") as server:
        process = subprocess.Popen(
            [sys.executable, "-c", script, server.address, str(tmp_path), kind],
            env={"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT / 'src'}"},
        )
        try:
            until(lambda: made(server, kind).get("created") == 1)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        replies = ask_all(make_registry(tmp_path, server, kind), 6)
        assert made(server, kind) == {"created": 1, "requests": 6, "ended": 1}
        assert server.stats()["calls"][kind_of(kind)]["received"] == 6
    assert all(reply.text and not reply.faults for reply in replies)
    assert spent(tmp_path).spent_usd == pytest.approx(sum(map(half_price, replies)), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_found_whose_id_was_never_written_down(
    tmp_path: Path, kind: str, in_flight: InFlight, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(*FAST, "--batch-seconds", "1") as server:
        # One of the same size that is not ours, so that only what it holds can tell.
        other = make_registry(tmp_path / "other", server, kind)
        with ThreadPoolExecutor(3) as pool:
            foreign = [pool.submit(ask, other, number + 50) for number in range(3)]
            until(lambda: made(server, kind).get("created") == 1)
            ours = [pool.submit(ask, make_registry(tmp_path, server, kind), 0)]
            for call in foreign:
                assert call.result(timeout=120).text
            assert ours[0].result(timeout=120).text
        (tmp_path / "batches").rename(tmp_path / "finished")
        calls = ThreadPoolExecutor(3)
        first = make_registry(tmp_path, server, kind)
        asked = [calls.submit(ask, first, number) for number in range(3)]
        until(lambda: made(server, kind).get("created") == 3)
        until(lambda: json.loads(plans(tmp_path)[0].read_text())["id"] != "")
        in_flight.close()
        for call in asked:
            with pytest.raises(Stopped):
                call.result(timeout=10)
        calls.shutdown()
        change(plans(tmp_path)[0], id="")
        renew(monkeypatch)
        assert all(reply.text for reply in ask_all(make_registry(tmp_path, server, kind), 3))
        assert made(server, kind)["created"] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_that_was_planned_and_never_made_is_made(tmp_path: Path, kind: str) -> None:
    with serving(*FAST) as server:
        first = make_registry(tmp_path, server, kind)
        ask_all(first, 2)
        (plan,) = plans(tmp_path)
        for path in (tmp_path / "batches" / "there").glob("*.answers.json"):
            path.unlink()
        change(plan, id="", own="20200101-000000-never", made=time.time())
        plan.rename(plan.with_name("20200101-000000-never.plan.json"))
        assert all(reply.text for reply in ask_all(make_registry(tmp_path, server, kind), 2))
        assert made(server, kind)["created"] == 2
    assert [path.name for path in plans(tmp_path)] != ["20200101-000000-never.plan.json"]
    assert len(plans(tmp_path)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_batch_is_sent_again_with_one_warning(
    tmp_path: Path,
    kind: str,
    in_flight: InFlight,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with (
        serving(*FAST, "--batch-seconds", "60") as server,
        begun(make_registry(tmp_path, server, kind), server, kind, 4),
    ):
        until(lambda: json.loads(plans(tmp_path)[0].read_text())["id"] != "")
        in_flight.close()
    renew(monkeypatch)
    with serving(*FAST) as server:
        replies = ask_all(make_registry(tmp_path, server, kind), 4)
        assert made(server, kind)["created"] == 1
    assert all(reply.text and reply.faults == ("connection",) for reply in replies)
    said = capsys.readouterr().err
    assert said.count("does not know its batch") == 1 and "4 calls" in said
    assert spent(tmp_path).unsure_usd == pytest.approx(4 * most_usd(), rel=1e-9)


def test_batches_under_way_are_taken_from_what_is_left(
    tmp_path: Path, in_flight: InFlight, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an earlier process too: the calls wait until it is known what they cost."""
    with serving(*FAST, "--batch-seconds", "1") as server:
        with begun(make_registry(tmp_path, server, budget=1.0), server, "openai", 2):
            until(lambda: json.loads(plans(tmp_path)[0].read_text())["id"] != "")
            in_flight.close()
        renew(monkeypatch)
        usd = half_price(ask(make_registry(tmp_path / "other", server), 0))
        budget = 2.01 * usd + most_usd()
        assert budget < 3 * most_usd()
        assert ask(make_registry(tmp_path, server, budget=budget), 7).text
        # It was sent after the first was over, and the first was booked though nobody asked.
        assert made(server) == {"created": 3, "requests": 4, "ended": 3}
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [(line["stage"], line["model"]) for line in lines] == [("test", "real")] * 3


def test_a_damaged_file_is_named_and_no_call_is_made(tmp_path: Path) -> None:
    with serving(*FAST) as server:
        folder = tmp_path / "batches" / "there"
        folder.mkdir(parents=True)
        (folder / "x.plan.json").write_text('{"own": "x"')
        registry = make_registry(tmp_path, server)
        for _ in range(2):
            with pytest.raises(DissensusError, match=r"x\.plan\.json is damaged"):
                ask(registry, 0)
        assert made(server) == {}


def test_no_file_of_a_batch_holds_what_was_asked(tmp_path: Path) -> None:
    """Prompts are in no plan: it holds keys, ids and prices."""
    with serving(*FAST) as server:
        ask(make_registry(tmp_path, server), 0)
    (plan,) = plans(tmp_path)
    assert "call number" not in plan.read_text()
    (call,) = json.loads(plan.read_text())["calls"].values()
    assert call["key"] == request(0).sha256 and call["usd"] == pytest.approx(most_usd())
