"""A limit a minute is never passed, almost all of it can be used, and nothing blocks for long."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import ResourceError, SettingError
from dissensus.llm.limits import RateLimiter

enough = settings(max_examples=60)

NOON = 1_800_000_000.0


class Clock:
    """Shows what it is set to."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def busiest_minute(times: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """The most in any 60 s that hold their beginning and not their end."""
    weights = weights or [1] * len(times)
    most, held, first = 0.0, 0.0, 0
    for at, weight in zip(times, weights, strict=True):
        held += weight
        while times[first] <= at - 60.0:
            held -= weights[first]
            first += 1
        most = max(most, held)
    return most


def taken(limiter: RateLimiter, clock: Clock, seconds: float, late: Iterator[float]) -> list[float]:
    """When requests of 1,000 tokens were taken by one that always wants and wakes late."""
    times, end = [], clock.now + seconds
    while clock.now < end:
        wait = limiter.take(1000)
        if wait:
            clock.now += wait + next(late)
        else:
            times.append(clock.now)
    return times


@enough
@given(lateness=st.lists(st.floats(0.0, 0.2), min_size=1, max_size=30))
def test_a_limit_is_kept_and_used_by_one_who_wakes_late(lateness: list[float]):
    clock = Clock()
    times = taken(RateLimiter(None, 600, None, clock), clock, 300.0, cycle(lateness))
    assert busiest_minute(times) <= 600
    assert 0.98 * 3000 <= len(times) <= 3000


@pytest.mark.parametrize("limit", [0.5, 1, 3, 7.5, 60, 599, 10_000])
def test_limits_of_every_size(limit: float):
    clock = Clock()
    minutes = 20 if limit < 1000 else 2
    times = taken(RateLimiter(None, limit, None, clock), clock, minutes * 60.0, cycle([0.01]))
    assert busiest_minute(times) <= math.ceil(limit)
    assert 0.98 * limit * minutes <= len(times) <= max(limit * minutes, 1) + 1


@enough
@given(
    limit=st.sampled_from([1, 5, 60, 600]),
    gaps=st.lists(st.floats(0.0, 90.0) | st.just(0.0) | st.floats(0.0, 0.2), max_size=300),
)
def test_a_limit_is_kept_whenever_requests_come(limit: int, gaps: list[float]):
    clock, times = Clock(), []
    limiter = RateLimiter(None, limit, None, clock)
    for gap in gaps:
        clock.now += gap
        if not limiter.take(1):
            times.append(clock.now)
    assert busiest_minute(times) <= limit


@enough
@given(
    sizes=st.lists(st.integers(1, 30_000), min_size=1, max_size=50),
    shares=st.lists(st.floats(0.1, 1.0), min_size=1, max_size=10),
)
def test_tokens_are_kept_within_one_request_of_the_limit(sizes: list[int], shares: list[float]):
    clock, limit = Clock(), 100_000
    limiter = RateLimiter(None, None, limit, clock)
    times: list[float] = []
    used: list[int] = []
    for size, share in zip(cycle(sizes), cycle(shares), strict=False):
        while wait := limiter.take(size):
            clock.now += wait + 0.01
        times.append(clock.now)
        used.append(int(size * share))
        limiter.settle(size, used[-1])
        if len(times) == 400 or clock.now > NOON + 600:
            break
    assert busiest_minute(times, used) <= limit + max(sizes)
    # All but the last were due at the limit's rate.
    assert sum(used[:-1]) >= 0.97 * limit * (clock.now - NOON - 1.0) / 60.0


def wait_of(limiter: RateLimiter, clock: Clock, tokens: int = 1) -> float:
    """Seconds until a request is let through, asking again as told."""
    began = clock.now
    while wait := limiter.take(tokens):
        clock.now += wait
    return clock.now - began


def test_a_request_larger_than_a_minute_passes_and_the_next_waits_for_it():
    clock = Clock()
    limiter = RateLimiter(None, None, 1000, clock)
    assert limiter.take(50_000) == 0.0
    assert wait_of(limiter, clock, 50_000) == pytest.approx(60.6 - 0.199, abs=0.01)
    assert wait_of(limiter, clock, 500) == pytest.approx(60.6, abs=0.01)
    assert wait_of(limiter, clock, 500) == pytest.approx(30.3, abs=0.01)


def test_what_was_booked_too_much_is_given_back_and_too_little_taken():
    clock = Clock()
    limiter = RateLimiter(None, None, 60_600, clock)
    limiter.take(10_000)
    limiter.settle(10_000, 2_000)
    assert wait_of(limiter, clock, 0) == pytest.approx(2.0 - 0.199, abs=1e-3)
    limiter.settle(0, 3_000)
    assert wait_of(limiter, clock, 0) == pytest.approx(3.0, abs=1e-3)


def test_the_wait_for_tokens_is_looked_at_again_before_they_are_due():
    clock = Clock()
    limiter = RateLimiter(None, None, 60_600, clock)
    limiter.take(30_000)
    assert limiter.take(1) == pytest.approx(0.3)


@pytest.mark.parametrize("limits", [(600, 100_000), (None, None)])
@pytest.mark.parametrize("shared", [True, False])
def test_a_pause_holds_and_is_never_shortened(tmp_path: Path, limits, shared: bool):
    clock = Clock()
    limiter = RateLimiter(tmp_path / "limiter" if shared else None, *limits, clock)
    assert limiter.take(1) == 0.0
    limiter.pause(20.0)
    limiter.pause(5.0)
    for nothing in (0.0, -1.0, float("nan"), float("inf")):
        limiter.pause(nothing)
    assert limiter.take(1) == pytest.approx(20.0)
    clock.now += 19.9
    assert limiter.take(1) == pytest.approx(0.1)
    limiter.pause(1.0)
    assert limiter.take(1) == pytest.approx(1.0)
    clock.now += 1.0
    assert limiter.take(1) == 0.0


def test_two_limits_both_hold():
    clock = Clock()
    times = taken(RateLimiter(None, 600, 60_600, clock), clock, 120.0, cycle([0.0]))
    assert len(times) == pytest.approx(120, abs=2)
    clock = Clock()
    times = taken(RateLimiter(None, 60, 60_000_000, clock), clock, 120.0, cycle([0.0]))
    assert len(times) == pytest.approx(119, abs=2)


def test_those_who_share_a_file_share_its_limits(tmp_path: Path):
    clock, times = Clock(), []
    several = [RateLimiter(tmp_path / "folder" / "limiter", 600, None, clock) for _ in range(3)]
    while clock.now < NOON + 120.0:
        waits = [limiter.take(1) for limiter in several]
        times += [clock.now] * waits.count(0.0)
        clock.now += max(0.001, min(waits))
    assert busiest_minute(times) <= 600
    assert len(times) >= 0.98 * 1200
    several[0].pause(7.0)
    assert [limiter.take(1) for limiter in several] == pytest.approx([7.0] * 3)
    for limiter in several:
        limiter.close()


class Machine(Clock):
    """A machine's clock, which shows another time than the right one."""

    def __init__(self, right: Clock, wrong_s: float) -> None:
        super().__init__()
        self._right, self._wrong_s = right, wrong_s

    def __call__(self) -> float:
        return self._right.now + self._wrong_s


@enough
@given(
    wrong=st.lists(
        st.sampled_from([0.0, 0.3, 6.0, -6.0, 90.0]) | st.floats(-1e6, 1e6), min_size=2, max_size=4
    ),
    limit=st.sampled_from([6, 60, 600]),
    pauses=st.lists(st.floats(0.0, 40.0) | st.just(0.0), min_size=1, max_size=5),
)
def test_machines_whose_clocks_differ_keep_one_limit(
    tmp_path_factory: pytest.TempPathFactory, wrong: list[float], limit: int, pauses: list[float]
):
    """And use it: whoever is behind waits for nobody."""
    clock, times = Clock(), []
    path = tmp_path_factory.mktemp("machines") / "limiter"
    machines = [RateLimiter(path, limit, None, Machine(clock, by)) for by in wrong]
    rests = cycle(pauses)
    while clock.now < NOON + 240.0:
        waits = [machine.take(1) for machine in machines]
        times += [clock.now] * waits.count(0.0)
        clock.now += max(0.001, min(waits)) + (next(rests) if len(times) % 50 == 0 else 0.0)
    # Of a clock that is further ahead than those before, the first request alone may be early.
    steps = sum(by > max(wrong[:n]) for n, by in enumerate(wrong) if n)
    assert busiest_minute(times) <= limit + steps
    idle = clock.now - NOON - 240.0 + sum(pauses) * (len(times) // 50 + 1)
    assert len(times) >= 0.9 * limit * (240.0 - idle) / 60.0 - len(machines)
    machines[0].pause(20.0)
    for machine in machines:
        assert 0.0 < machine.take(1) <= 20.001
        machine.close()


@pytest.mark.parametrize("first", [0.0, 6.0, -6.0])
def test_two_clocks_six_seconds_apart(tmp_path: Path, first: float):
    clock, times = Clock(), []
    wrong = (first, 0.0 if first else 6.0)
    machines = [RateLimiter(tmp_path / "f", 60, None, Machine(clock, by)) for by in wrong]
    while clock.now < NOON + 60.0:
        waits = [machine.take(1) for machine in machines]
        times += [clock.now] * waits.count(0.0)
        clock.now += 0.01
    assert 59 <= len(times) <= 61


def test_a_clock_that_is_set_meanwhile_changes_nothing(tmp_path: Path, monkeypatch):
    limiter = RateLimiter(tmp_path / "limiter", 60, None)
    assert limiter.take(1) == 0.0
    limiter.pause(50.0)
    for set_to in (0.0, time.time() + 1e6):
        monkeypatch.setattr(time, "time", lambda set_to=set_to: set_to)
        assert 49.0 < limiter.take(1) <= 50.0


@pytest.mark.parametrize("back", [3.0, 3600.0, 1e9])
def test_a_clock_set_back_does_not_block_for_long(tmp_path: Path, back: float):
    clock = Clock()
    limiter = RateLimiter(tmp_path / "limiter", 60, 1000, clock)
    while not limiter.take(100):
        pass
    clock.now -= back
    assert wait_of(limiter, clock, 100) <= 10.0
    limiter.pause(30.0)
    clock.now -= back
    assert wait_of(limiter, clock, 100) <= 30.01


def test_a_file_of_another_day_says_nothing(tmp_path: Path):
    clock = Clock()
    limiter = RateLimiter(tmp_path / "limiter", 60, 1000, clock)
    limiter.take(1000)
    limiter.pause(500.0)
    for day in (1, -1):
        clock.now = NOON + day * 86_400
        other = RateLimiter(tmp_path / "limiter", 60, 1000, clock)
        # Set back a day, the pause is not longer than it was.
        assert wait_of(other, clock, 1000) <= (0.0 if day == 1 else 500.01)


@pytest.mark.parametrize("length", range(0, 36, 3))
def test_a_torn_file_is_a_fresh_one(tmp_path: Path, length: int):
    clock = Clock()
    limiter = RateLimiter(tmp_path / "limiter", 1, 1000, clock)
    assert limiter.take(1000) == 0.0
    limiter.pause(1000.0)
    os.truncate(tmp_path / "limiter", length)
    assert limiter.take(1000) == 0.0
    assert limiter.take(1000) > 0.0


@enough
@given(content=st.binary(max_size=60) | st.lists(st.floats(), min_size=5, max_size=5))
def test_a_damaged_file_is_a_fresh_one(tmp_path_factory, content: bytes | list[float]):
    path = tmp_path_factory.mktemp("damaged") / "limiter"
    path.write_bytes(content if isinstance(content, bytes) else struct.pack("<5d", *content))
    clock = Clock()
    limiter = RateLimiter(path, 1, 1000, clock)
    assert limiter.take(1000) == 0.0
    assert limiter.take(1000) > 0.0
    limiter.close()


@pytest.mark.parametrize("limit", [0, -1.0, float("nan")])
def test_a_limit_of_nothing_is_refused(limit: float):
    with pytest.raises(SettingError, match=r"requests_per_minute is .*above 0, or null"):
        RateLimiter(None, limit, None)
    with pytest.raises(SettingError, match=r"tokens_per_minute is .*above 0, or null"):
        RateLimiter(None, None, limit)


def test_a_folder_that_cannot_be_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    limiter = RateLimiter(tmp_path / "file" / "limiter", 60, None)
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"file/limiter cannot be written and locked"):
            limiter.take(1)


TAKING = """
import json, sys, time
from pathlib import Path
from dissensus.llm.limits import RateLimiter

read = []
def clock():
    read.append(time.time())
    return read[-1]

limiter, times = RateLimiter(Path(sys.argv[1]), 6000, None, clock), []
print("ready", flush=True)
sys.stdin.readline()
while len(times) < 60:
    wait = limiter.take(1)
    if wait:
        time.sleep(wait)
    else:
        times.append(read[-1])
print(json.dumps(times))
"""


def together(script: str, *arguments: str) -> Iterable[str]:
    """What two processes print that begin at the same time."""
    command = [sys.executable, "-c", script, *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    try:
        for one in both:
            assert one.stdout.readline() == "ready\n"
        for one in both:
            one.stdin.write("\n")
            one.stdin.flush()
        return [one.communicate(timeout=60)[0] for one in both]
    finally:
        for one in both:
            one.kill()
            one.wait()


def test_two_processes_keep_one_limit(tmp_path: Path):
    times = sorted(
        at for said in together(TAKING, str(tmp_path / "limiter")) for at in json.loads(said)
    )
    assert len(times) == 120
    each = 60.6 / 6000
    for first, begun in enumerate(times):
        for last in range(first + 1, len(times)):
            assert times[last] - begun >= (last - first) * each - 0.6
