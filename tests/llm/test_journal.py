"""No call is paid for twice, whenever the process was killed; nothing damaged is believed."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import ProviderError
from dissensus.llm import journal as journal_module
from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import Journal, NotJournaled, Replay
from dissensus.session.runner import Session, run_session
from fake_client import FakeClient, in_turn, request
from scripted import LIMITS, left_by, toy_debate

enough = settings(max_examples=120)

STEPS = (["A"], ["B", "C"], ["A"], ["D"])


def erratic(asked: Request) -> Reply:
    """Sometimes a time-out, sometimes a bad word; which, the request decides."""
    draw = int(asked.sha256[:8], 16) % 10
    if draw == 0:
        return Reply("", error="timeout", finish_reason="error", latency_s=0.5)
    word = "bad" if draw < 4 else "好"
    return Reply(
        f"{word} {asked.sha256[:12]}\u2028\n", cost_usd=0.1, input_tokens=3, output_tokens=2
    )


def play(path: Path, seed: int) -> tuple[Session, FakeClient]:
    provider = FakeClient(erratic)
    return run_session(seed, toy_debate(*STEPS), {"m": provider}, Journal(path), LIMITS), provider


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fdatasync", lambda _: None)
        # A reply that is asked for again is then the same to the last byte.
        patch.setattr(journal_module, "_now", lambda: "2025-12-15T10:00:00.000+00:00")
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Session, FakeClient]:
    """A session with repairs and a failed attempt in it, and its journal."""
    folder = tmp_path_factory.mktemp("whole")
    for seed in range(100):
        path = folder / f"{seed}.jsonl"
        session, provider = play(path, seed)
        repaired = any(turn.repairs for turn in session.turns)
        if session.session_attempts > 1 and repaired and not session.failure:
            return path, session, provider
    raise AssertionError("no seed gives the session that these tests want")


def test_every_call_has_a_line_with_its_key(whole):
    path, session, provider = whole
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    assert sorted(line["request_sha256"] for line in lines) == sorted(
        asked.sha256 for asked in provider.asked
    )
    assert len(lines) == len(session.attempts)
    assert {line["error"] for line in lines} == {"", "timeout"}


@enough
@given(data=st.data())
def test_a_kill_at_any_byte_costs_only_what_was_lost(whole, tmp_path_factory, data):
    path, session, _ = whole
    content = path.read_bytes()
    offset = data.draw(st.integers(0, len(content)), label="bytes left")
    torn = tmp_path_factory.mktemp("torn") / "journal.jsonl"
    torn.write_bytes(content[:offset])
    resumed, provider = play(torn, session_seed(path))
    assert left_by(resumed) == left_by(session)
    assert len(provider.asked) == lost(content, offset)
    assert sorted(torn.read_bytes().splitlines()) == sorted(content.splitlines())


def lost(content: bytes, offset: int) -> int:
    """The replies that a kill at an offset cost: a line that lacks its newline alone is kept."""
    return content[offset + 1 :].count(b"\n")


def session_seed(path: Path) -> int:
    return int(path.stem)


def test_a_kill_at_the_ends_of_every_line(whole, tmp_path: Path):
    path, session, _ = whole
    content = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == 10]
    for offset in sorted({0, *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:-1])}):
        torn = tmp_path / f"{offset}.jsonl"
        torn.write_bytes(content[:offset])
        resumed, provider = play(torn, session_seed(path))
        assert left_by(resumed) == left_by(session)
        assert len(provider.asked) == lost(content, offset)


def test_a_whole_journal_is_replayed_without_a_call(whole):
    path, session, _ = whole
    before = path.read_bytes()
    replayed, provider = play(path, session_seed(path))
    assert left_by(replayed) == left_by(session)
    assert provider.asked == []
    assert path.read_bytes() == before


def test_a_replay_answers_and_neither_asks_nor_writes(tmp_path: Path):
    path = tmp_path / "folder" / "j.jsonl"
    provider = FakeClient(in_turn("one"))
    with pytest.raises(NotJournaled, match=request(1).sha256):
        Replay(path).ask(provider, request(1))
    assert (provider.asked, list(tmp_path.iterdir())) == ([], [])
    Journal(path).ask(provider, request(1))
    assert Replay(path).ask(FakeClient(in_turn()), request(1)).text == "one"


def test_nothing_is_asked_twice(tmp_path: Path):
    journal = Journal(tmp_path / "j.jsonl")
    provider = FakeClient(in_turn("first", "second"))
    assert [journal.ask(provider, request(seed)).text for seed in (1, 2, 1, 2, 1)] == [
        *("first", "second", "first", "second", "first")
    ]
    assert len(provider.asked) == len(journal) == 2


def test_replies_that_nobody_asks_for_any_more_are_counted(tmp_path: Path):
    before = Journal(tmp_path / "j.jsonl")
    for seed in (1, 2, 3):
        before.ask(FakeClient(in_turn("said")), request(seed))
    assert before.unused == 0
    after, provider = Journal(tmp_path / "j.jsonl"), FakeClient(in_turn("new"))
    assert after.unused == 3
    for seed in (2, 4, 2):
        after.ask(provider, request(seed))
    assert (after.unused, len(provider.asked)) == (2, 1)


def test_a_failure_is_replayed_as_it_was(tmp_path: Path):
    failed = Reply("", error="timeout", finish_reason="error", latency_s=60.1)
    Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn(failed)), request(1))
    assert Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn()), request(1)) == failed


def test_a_journal_is_its_owner_s_alone(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    Journal(path).ask(FakeClient(in_turn("text")), request(1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("cost", [None, 0.25])
def test_a_reply_comes_back_whole(tmp_path: Path, cost: float | None):
    reply = Reply(
        *('“引号”\n\u2028\\ "x"\0', "", "length", 11, 7, cost, 1.5, 4, 0.25),
        *("m-2026", "fp", "id", ("timeout", "empty"), 0.5),
    )
    Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn(reply)), request(1))
    assert Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn()), request(1)) == reply


def test_replies_that_come_at_the_same_time_are_all_kept(tmp_path: Path):
    together = 16
    for number in range(8):
        path = tmp_path / f"{number}.jsonl"
        journal, barrier = Journal(path), Barrier(together, timeout=30)

        def say(_: Request, barrier: Barrier = barrier) -> Reply:
            barrier.wait()
            return Reply("x" * 500)

        provider = FakeClient(say)
        with ThreadPoolExecutor(together) as pool:
            list(pool.map(lambda n: journal.ask(provider, request(n)), range(together)))  # noqa: B023
        assert len(Journal(path)) == together


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fake_client import FakeClient
from scripted import LIMITS, toy_debate
from dissensus.session.runner import run_session
from dissensus.llm.call import Reply
from dissensus.llm import journal as journal_module
from dissensus.llm.journal import Journal

count = 0
def say(request):
    global count
    count += 1
    if count == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return Reply(f"text {request.seed}")

run_session(5, toy_debate(*"ABCDE"), {"m": FakeClient(say)}, Journal(Path(sys.argv[2])), LIMITS)
"""


def test_a_killed_process_resumes_where_its_journal_ends(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    tests = str(Path(__file__).parents[1])
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, tests, str(path)], capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    provider = FakeClient(lambda asked: Reply(f"text {asked.seed}"))
    session = run_session(5, toy_debate(*"ABCDE"), {"m": provider}, Journal(path), LIMITS)
    assert [asked.messages[0].content[:6] for asked in provider.asked] == [
        *("turn 3", "turn 4", "turn 5")
    ]
    assert [turn.number for turn in session.turns] == [1, 2, 3, 4, 5]


def test_two_that_ask_the_same_share_a_reply(tmp_path: Path):
    together = 8
    journal, barrier = Journal(tmp_path / "j.jsonl"), Barrier(together, timeout=30)
    provider = FakeClient(lambda asked: Reply(f"text {asked.seed}"))

    def ask(_: int) -> Reply:
        barrier.wait()
        return journal.ask(provider, request(1))

    with ThreadPoolExecutor(together) as pool:
        assert len(set(pool.map(ask, range(together)))) == 1
    assert len(provider.asked) == 1


def test_when_the_first_of_two_fails_the_second_asks(tmp_path: Path):
    journal, begun, go_on = Journal(tmp_path / "j.jsonl"), Event(), Event()

    def say(_: Request) -> Reply:
        if begun.is_set():
            return Reply("second")
        begun.set()
        assert go_on.wait(30)
        raise ProviderError("first")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(journal.ask, FakeClient(say), request(1))
        assert begun.wait(30)
        second = pool.submit(journal.ask, FakeClient(say), request(1))
        go_on.set()
        assert isinstance(first.exception(30), ProviderError)
        assert second.result(30).text == "second"


def test_of_two_lines_with_one_key_the_first_counts(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    for text in ("first", "second"):
        Journal(tmp_path / text).ask(FakeClient(in_turn(text)), request(1))
    path.write_bytes((tmp_path / "first").read_bytes() + (tmp_path / "second").read_bytes())
    journal = Journal(path)
    assert len(journal) == 1
    assert journal.ask(FakeClient(in_turn()), request(1)).text == "first"


def test_replies_of_other_versions_are_read(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    old = {"request_sha256": request(1).sha256, "text": "old", "cost_usd": 0.5}
    new = {"request_sha256": request(2).sha256, "text": "new", "faults": ["empty"], "mood": "good"}
    path.write_text(json.dumps(old) + "\n" + json.dumps(new) + "\n", encoding="utf-8")
    journal = Journal(path)
    assert journal.ask(FakeClient(in_turn()), request(1)) == Reply("old", cost_usd=0.5)
    assert journal.ask(FakeClient(in_turn()), request(2)) == Reply("new", faults=("empty",))


def test_the_provider_is_told_how_long_it_may_wait(tmp_path: Path):
    journal, provider = Journal(tmp_path / "j.jsonl"), FakeClient(in_turn("one", "two"))
    journal.ask(provider, request(1), 2.5)
    journal.ask(provider, request(2))
    assert provider.patience == [2.5, None]
