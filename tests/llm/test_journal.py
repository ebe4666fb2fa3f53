"""No call is paid for twice, whenever the process was killed; nothing damaged is believed."""

from __future__ import annotations

import codecs
import json
import os
import re
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

from dissensus.errors import ProviderError, ResourceError
from dissensus.llm import journal as journal_module
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.journal import Journal, NotJournaled, Replay, reply_from
from dissensus.llm.records import Records
from dissensus.session.runner import Session, run_session
from fake_client import FakeClient, in_turn
from scripted import LIMITS, left_by, toy_debate

enough = settings(max_examples=120)

STEPS = (["A"], ["B", "C"], ["A"], ["D"])


def request(seed: int) -> Request:
    return Request("m", "fake", (Message("user", "说吧"),), 0.2, 512, seed)


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


def test_a_failure_is_replayed_as_it_was(tmp_path: Path):
    failed = Reply("", error="timeout", finish_reason="error", latency_s=60.1)
    Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn(failed)), request(1))
    assert Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn()), request(1)) == failed


def test_a_torn_line_is_cut_off_and_its_call_made_again(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    Journal(path).ask(FakeClient(in_turn("one")), request(1))
    intact = path.read_bytes()
    path.write_bytes(intact + b'{"request_sha256": "' + "半".encode()[:2])
    journal = Journal(path)
    assert len(journal) == 1
    assert journal.ask(FakeClient(in_turn("two")), request(2)).text == "two"
    assert path.read_bytes().startswith(intact)
    assert len(Journal(path)) == 2


def test_a_torn_line_longer_than_the_next_leaves_no_rest(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"{" + b"x" * 5000)
    Journal(path).ask(FakeClient(in_turn("short")), request(1))
    assert b"xx" not in path.read_bytes()
    assert path.read_bytes().endswith(b"}\n")


DAMAGED = (
    r"j\.jsonl: line {} of the journal is damaged \(.+\); restore the file from a copy, or move "
    r"that line into another file, and its call is made, and paid, again\.$"
)


def three_replies(path: Path) -> list[bytes]:
    """A journal's lines, without their ends."""
    journal = Journal(path)
    for seed in range(3):
        journal.ask(FakeClient(in_turn(f"text {seed}")), request(seed))
    return path.read_bytes().split(b"\n")[:-1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{torn", "Expecting"),
        (b"\0\0", "Expecting"),
        (b"\xff", "utf-8"),
        (b"", "Expecting"),
        (b"null", "no object"),
        (b"7", "no object"),
        (b"[]", "no object"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"request_sha256": 3, "text": "x"}', "no request_sha256"),
        (b'{"text": "no key"}', "no request_sha256"),
        (b'{"request_sha256": "k"}', "no text"),
        *(
            (b'{"request_sha256": "k", "text": "x", %b}' % member, why)
            for member, why in [
                (b'"text": 7', "text is 7"),
                (b'"text": "\\ud800"', "surrogates"),
                (b'"finish_reason": null', "finish_reason is None"),
                (b'"cost_usd": "free"', "cost_usd is 'free'"),
                (b'"cost_usd": -0.5', "cost_usd is -0.5"),
                (b'"cost_usd": true', "cost_usd is True"),
                (b'"latency_s": NaN', "NaN is no number"),
                (b'"latency_s": null', "latency_s is None"),
                (b'"faults_usd": 1e999', "faults_usd is inf"),
                (b'"input_tokens": -1', "input_tokens is -1"),
                (b'"input_tokens": 1.5', "input_tokens is 1.5"),
                (b'"output_tokens": 9223372036854775808', "output_tokens is 9223372036854775808"),
                (b'"cached_tokens": ' + b"9" * 5000, "4300 digits"),
                (b'"faults": 7', "faults is 7"),
                (b'"faults": "timeout"', "faults is 'timeout'"),
                (b'"faults": [7]', r"faults is \[7\]"),
                (b'"line_sha256": "0123456789abcdef"', "changed after it was written"),
                (b'"line_sha256": 7', "changed after it was written"),
            ]
        ),
    ],
)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_damaged_line_is_named_wherever_it_stands(
    tmp_path: Path, line: bytes, why: str, number: int
):
    path = tmp_path / "j.jsonl"
    lines = three_replies(path)
    lines[number - 1] = line
    path.write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(ResourceError, match=DAMAGED.format(number)) as raised:
        Journal(path)
    assert re.search(why, str(raised.value))
    # Doing as the message says mends it.
    del lines[number - 1]
    path.write_bytes(b"\n".join([*lines, b""]))
    assert len(Journal(path)) == 2


def test_every_flipped_bit_is_seen_or_changes_no_reply(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    good = path.read_bytes()
    replies = Records(path, reply_from, vars, "request_sha256").records()
    ends = [place for place, byte in enumerate(good) if byte == ord("\n")]
    for place in range(len(good)):
        for bit in range(8):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            path.write_bytes(bad)
            line = 1 + sum(end < place for end in ends)
            try:
                found = Records(path, reply_from, vars, "request_sha256").records()
            except ResourceError as error:
                assert re.search(DAMAGED.format(line), str(error)), (place, bit)
            else:
                # The digest's own name.
                assert found == replies, (place, bit)


@pytest.mark.parametrize("end", [b"", b"\0", b"\0" * 9000])
def test_a_last_line_that_lacks_its_newline_alone_is_kept(tmp_path: Path, end: bytes):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    path.write_bytes(path.read_bytes()[:-1] + end)
    journal, provider = Journal(path), FakeClient(in_turn("text 3"))
    assert journal.ask(provider, request(2)).text == "text 2"
    assert journal.ask(provider, request(3)).text == "text 3"
    assert [asked.seed for asked in provider.asked] == [3]
    assert len(path.read_bytes().splitlines()) == len(Journal(path)) == 4


def test_what_a_power_cut_left_unwritten_is_no_damage(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    lines = three_replies(path)
    path.write_bytes(b"\n".join([*lines[:2], bytes(4096) + lines[2][-60:], b""]))
    assert len(Journal(path)) == 2


def test_lines_without_a_digest_are_read(tmp_path: Path):
    """Earlier versions wrote them, and they were paid for."""
    path = tmp_path / "j.jsonl"
    lines = [re.sub(rb', "line_sha256": "\w{16}"', b"", line) for line in three_replies(path)]
    path.write_bytes(b"\n".join([*lines, b""]))
    assert b"line_sha256" not in path.read_bytes()
    journal = Journal(path)
    assert [journal.ask(FakeClient(in_turn()), request(n)).text for n in range(3)] == [
        *("text 0", "text 1", "text 2")
    ]


def test_the_mark_that_some_editors_write_first_is_taken(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    journal = Journal(path)
    assert journal.ask(FakeClient(in_turn()), request(0)).text == "text 0"
    assert journal.ask(FakeClient(in_turn("text 3")), request(3)).text == "text 3"
    assert len(Journal(path)) == 4


def test_a_journal_is_its_owner_s_alone(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    three_replies(path)
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
