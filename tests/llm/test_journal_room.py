"""Before a call is made there is room for its reply, and a stop waits for the calls in flight."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest

from dissensus.errors import ProviderError, ResourceError, Stopped
from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import InFlight, Journal
from dissensus.llm.records import Records
from fake_client import FakeClient, in_turn, request

#: What is kept on the disk for the reply to such a request.
ROOM = 4096 + 16 * 512


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: None)


def disk(path: Path) -> int:
    """Bytes that a file has on the disk, whether written to or not."""
    return path.stat().st_blocks * 512


def test_room_for_the_reply_is_kept_while_it_is_waited_for(tmp_path: Path):
    path = tmp_path / "folder" / "j.jsonl"
    seen: list[int] = []

    def say(asked: Request) -> Reply:
        seen.append(disk(path))
        assert set(path.read_bytes().rpartition(b"\n")[2]) == {0}
        assert len(Journal(path)) == asked.seed
        return Reply(f"text {asked.seed}")

    journal = Journal(path)
    for seed in range(3):
        journal.ask(FakeClient(say), request(seed))
        assert b"\0" not in path.read_bytes()
    assert len(seen) == 3
    assert min(seen) >= ROOM


def test_room_is_kept_for_every_call_in_flight(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    together, journal = 4, Journal(tmp_path / "j.jsonl")
    begun, seen = Barrier(together, timeout=30), []
    go_on = [Event() for _ in range(together)]

    def say(asked: Request) -> Reply:
        begun.wait()
        assert go_on[asked.seed].wait(30)
        seen.append((path.stat().st_size, path.read_bytes().rfind(b"\n") + 1))
        return Reply("x" * (50_000 if asked.seed == 1 else 10))

    with ThreadPoolExecutor(together) as pool:
        asking = [pool.submit(journal.ask, FakeClient(say), request(n)) for n in range(together)]
        for n in range(together):
            go_on[n].set()
            asking[n].result()
    # The second reply is larger than all the room, and the others' is kept all the same.
    room = [size - intact for size, intact in seen]
    assert all(kept >= ROOM * n for kept, n in zip(room, (4, 3, 2, 1), strict=True))
    assert len(Journal(path)) == together
    assert b"\0" not in path.read_bytes()


def test_a_kill_in_flight_leaves_room_that_is_nothing(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    Journal(path).ask(FakeClient(in_turn("one")), request(1))
    intact = path.read_bytes()
    for left in (b"\0" * ROOM, b'{"request_sha256": "' + b"\0" * ROOM, intact[:-5] + b"\0" * ROOM):
        path.write_bytes(intact + left)
        journal = Journal(path)
        assert len(journal) == 1
        assert journal.ask(FakeClient(in_turn()), request(1)).text == "one"
        assert journal.ask(FakeClient(in_turn("two")), request(2)).text == "two"
        assert path.read_bytes().startswith(intact)
        assert b"\0" not in path.read_bytes()
        assert len(Journal(path)) == 2


def refusing(error: int) -> Callable[..., None]:
    def fallocate(*_: Any) -> None:
        raise OSError(error, os.strerror(error))

    return fallocate


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_nothing_is_asked_without_room(tmp_path: Path, monkeypatch, error: int):
    path = tmp_path / "j.jsonl"
    journal, provider = Journal(path), FakeClient(in_turn("one", "two"))
    journal.ask(provider, request(1))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", refusing(error))
        with pytest.raises(ResourceError, match=r"j\.jsonl: no room for a reply \(.*free some sp"):
            journal.ask(provider, request(2))
    assert (len(provider.asked), path.read_bytes()) == (1, before)
    assert journal.ask(provider, request(2)).text == "two"


@pytest.mark.parametrize("error", [errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS])
def test_a_file_system_that_keeps_no_room_is_used_without(tmp_path: Path, monkeypatch, error: int):
    monkeypatch.setattr(os, "posix_fallocate", refusing(error))
    Journal(tmp_path / "j.jsonl").ask(FakeClient(in_turn("one")), request(1))
    assert len(Journal(tmp_path / "j.jsonl")) == 1


def test_a_folder_that_is_none_is_named_before_the_call(tmp_path: Path):
    (tmp_path / "file").write_text("")
    provider = FakeClient(in_turn())
    with pytest.raises(ResourceError, match=r"file/j\.jsonl: no room for a reply \(Not a direct"):
        Journal(tmp_path / "file" / "j.jsonl").ask(provider, request(1))
    assert provider.asked == []


def test_a_journal_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(ResourceError, match=r"cannot be read \(Is a directory\)"):
        Journal(tmp_path)


def test_a_reply_that_cannot_be_synced_is_not_believed(tmp_path: Path, monkeypatch):
    path = tmp_path / "j.jsonl"
    journal = Journal(path)
    journal.ask(FakeClient(in_turn("one"), simulated=False), request(1))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", refusing(errno.EIO))
        with pytest.raises(ResourceError, match=r"j\.jsonl cannot be written"):
            journal.ask(FakeClient(in_turn("two"), simulated=False), request(2))
    assert path.read_bytes() == before
    assert len(journal) == 1


@pytest.mark.parametrize(("simulated", "before", "after"), [(False, 3, 3), (True, 0, 1)])
def test_only_a_simulated_reply_may_wait_for_the_disk(
    simulated: bool, before: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    model = FakeClient(lambda asked: Reply(f"text {asked.seed}"), simulated=simulated)
    with Journal(tmp_path / "j.jsonl") as journal:
        for seed in range(3):
            journal.ask(model, request(seed))
            # Whatever the disk has, who reads the file finds it.
            assert len(Journal(journal.path)) == seed + 1
        assert len(synced) == before
    assert len(synced) == after


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from fake_client import FakeClient
from dissensus.errors import ResourceError
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.journal import Journal

model, journal = FakeClient(lambda _: Reply("x" * 2900)), Journal(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
try:
    for seed in range(100):
        journal.ask(model, Request("m", "m", (Message("user", "x"),), 0.2, 512, seed))
except ResourceError as error:
    print(len(model.asked), error)
"""


def test_a_full_disk_stops_before_the_call_that_would_be_lost(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    stopped = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(Path(__file__).parents[1])],
        capture_output=True,
        check=True,
        text=True,
    )
    asked, _, said = stopped.stdout.partition(" ")
    assert said.startswith(f"{path}: no room for a reply (File too large)")
    assert b"\0" not in path.read_bytes()
    assert len(Journal(path)) == int(asked)
    each = path.stat().st_size // int(asked)
    assert int(asked) == (30_000 - ROOM) // each + 1 == 6


def test_a_provider_that_raises_leaves_the_journal_as_it_was(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    journal = Journal(path)
    journal.ask(FakeClient(in_turn("one")), request(1))
    before = path.read_bytes()

    def say(_: Request) -> Reply:
        assert disk(path) >= ROOM
        raise ProviderError("no credit")

    for _ in range(2):
        with pytest.raises(ProviderError, match="no credit"):
            journal.ask(FakeClient(say), request(2))
        assert path.read_bytes() == before
    assert len(journal) == 1


def test_a_stop_waits_for_the_calls_in_flight(tmp_path: Path):
    calls = InFlight()
    journal, begun, go_on = Journal(tmp_path / "j.jsonl", calls), Event(), Event()
    assert calls.drain(0.0)

    def say(_: Request) -> Reply:
        begun.set()
        assert go_on.wait(30)
        return Reply("late")

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(journal.ask, FakeClient(say), request(1))
        assert begun.wait(30)
        calls.close()
        assert not calls.drain(0.01)
        refused = FakeClient(in_turn())
        with pytest.raises(Stopped, match="start it again and it goes on where it stopped"):
            journal.ask(refused, request(2))
        go_on.set()
        assert calls.drain(30)
        assert len(Journal(tmp_path / "j.jsonl")) == 1
        assert asking.result(30).text == "late"
    assert refused.asked == []
    assert journal.ask(refused, request(1)).text == "late"
    with pytest.raises(Stopped):
        calls.check()


def test_a_call_that_fails_is_in_flight_no_more(tmp_path: Path):
    calls = InFlight()

    def say(_: Request) -> Reply:
        raise ProviderError("no credit")

    with pytest.raises(ProviderError):
        Journal(tmp_path / "j.jsonl", calls).ask(FakeClient(say), request(1))
    assert calls.drain(0.0)


def test_a_record_that_no_line_can_hold_keeps_no_room(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    with pytest.raises(UnicodeEncodeError):
        Journal(path).ask(FakeClient(in_turn("half \ud83d")), request(1))
    assert path.read_bytes() == b""


def test_records_of_any_kind(tmp_path: Path):
    path = tmp_path / "vectors.jsonl"
    records: Records[dict[str, Any]] = Records(path, dict, dict)
    assert records.get("a") is None
    records.reserve(10_000)
    assert disk(path) >= 10_000
    records.append({"a": {"v": [1]}, "b": {"v": [2]}}, reserved=10_000)
    records.append({"b": {"v": [9]}, "c": {"v": [3]}})
    records.append({"a": {"v": [9]}})
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["key"], line["v"]) for line in lines] == [("a", [1]), ("b", [2]), ("c", [3])]
    again: Records[dict[str, Any]] = Records(path, dict, dict)
    assert [again.get(key) for key in "abcd"] == [{"v": [1]}, {"v": [2]}, {"v": [3]}, None]
    assert records.records() == again.records() == [{"v": [1]}, {"v": [2]}, {"v": [3]}]
    assert len(records) == len(again) == 3


def test_a_journal_kept_open_leaves_no_room_behind(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        for seed in range(3):
            journal.ask(FakeClient(lambda asked: Reply(f"text {asked.seed}")), request(seed))
            # Another process that reads it now, or after a kill, finds all that was written.
            assert len(Journal(path)) == seed + 1
            assert path.stat().st_size >= ROOM
    assert b"\0" not in path.read_bytes()
    assert path.read_bytes().count(b"\n") == 3


def test_a_journal_that_was_only_read_is_not_written(tmp_path: Path):
    with Journal(tmp_path / "j.jsonl"):
        pass
    assert not (tmp_path / "j.jsonl").exists()
