"""ConcurrencyLimit at a provider, shared by processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from dissensus.errors import BudgetReached, ResourceError
from dissensus.llm.limits import ConcurrencyLimit, InFlight

#: A process that takes so many slots, says so, and keeps them until it is told to end.
KEEPER = """
import asyncio, sys
from pathlib import Path
from dissensus.llm.limits import ConcurrencyLimit

async def main():
    slots = ConcurrencyLimit(Path(sys.argv[1]), int(sys.argv[2]))
    taken = [await slots.acquire(lambda: None) for _ in range(int(sys.argv[3]))]
    print(*taken, flush=True)
    sys.stdin.read(1)

asyncio.run(main())
"""


def keeper(path: Path, number: int, takes: int) -> tuple[subprocess.Popen[str], set[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(path), str(number), str(takes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, set(map(int, process.stdout.readline().split()))


def give_up() -> None:
    raise BudgetReached("no more")


def test_processes_have_different_slots_and_no_more_than_there_are(tmp_path: Path):
    path = tmp_path / ".limits/p.places"

    async def take(calls: int) -> set[int]:
        slots = ConcurrencyLimit(path, 5)
        return {await slots.acquire(give_up) for _ in range(calls)}

    process, theirs = keeper(path, 5, 2)
    try:
        ours = asyncio.run(take(3))
        assert len(ours) == 3
        assert ours | theirs == {0, 1, 2, 3, 4}
        with pytest.raises(BudgetReached):
            asyncio.run(take(4))
    finally:
        process.kill()
        process.wait()
    # What a killed process had is free again.
    assert asyncio.run(take(5)) == {0, 1, 2, 3, 4}


def test_a_call_waits_until_another_process_gives_a_place_back(tmp_path: Path):
    path = tmp_path / "p.places"
    process, _ = keeper(path, 1, 1)

    async def take() -> float:
        began = time.monotonic()
        asyncio.get_running_loop().call_later(0.5, process.kill)
        await ConcurrencyLimit(path, 1).acquire(lambda: None)
        return time.monotonic() - began

    assert asyncio.run(take()) > 0.4
    process.wait()


@pytest.mark.parametrize("shared", [True, False])
def test_within_a_process_no_more_calls_are_made_at_once(tmp_path: Path, shared: bool):
    most = now = 0

    async def call(slots: ConcurrencyLimit) -> None:
        nonlocal most, now
        slot = await slots.acquire(lambda: None)
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        slots.release(slot)

    async def main() -> None:
        slots = ConcurrencyLimit(tmp_path / "p.places" if shared else None, 7)
        await asyncio.gather(*(call(slots) for _ in range(60)))

    asyncio.run(main())
    assert most == 7


def test_a_wait_that_is_called_off_takes_no_place(tmp_path: Path):
    async def main() -> None:
        slots = ConcurrencyLimit(tmp_path / "p.places", 1)
        first = await slots.acquire(lambda: None)
        waiting = asyncio.create_task(slots.acquire(lambda: None))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        slots.release(first)
        async with asyncio.timeout(5.0):
            assert await slots.acquire(lambda: None) == 0

    asyncio.run(main())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError, match=r"file/p\.places cannot be written and locked"):
        asyncio.run(ConcurrencyLimit(tmp_path / "file" / "p.places", 2).acquire(lambda: None))


def test_a_session_that_waits_for_another_process_keeps_none_of_its_own_from_ending(tmp_path: Path):
    path = tmp_path / ".sessions"
    # Of two sessions in flight another process has one.
    process, _ = keeper(path, 2, 1)
    running, inside, done = InFlight(path, 2), threading.Event(), []

    def run(name: str) -> None:
        with running.one_more(lambda: None):
            inside.set()
            time.sleep(0.5)
            done.append(name)

    first = threading.Thread(target=run, args=("first",), daemon=True)
    second = threading.Thread(target=run, args=("second",), daemon=True)
    try:
        first.start()
        assert inside.wait(10)
        second.start()
        for thread in (first, second):
            thread.join(20)
        assert done == ["first", "second"]
    finally:
        process.kill()
        process.wait()


def test_any_number_of_sessions_is_in_flight_where_none_is_set(tmp_path: Path):
    running = InFlight(tmp_path / ".sessions", 0)
    with ExitStack() as many:
        for _ in range(300):
            many.enter_context(running.one_more(give_up))
    assert not (tmp_path / ".sessions").exists()
