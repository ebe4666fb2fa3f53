"""How sessions are dealt to jobs, and what one of them costs the others when it goes wrong."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import BudgetReached, ResourceError
from dissensus.llm.journal import InFlight
from dissensus.study import jobs
from dissensus.study.jobs import SessionsBroke, run_all, shards, widest

Row = dict[str, Any]


def manifest(
    draws: int, block_size: int = 25, languages: tuple[str, ...] = ("en", "zh")
) -> list[Row]:
    width = max(3, len(str(draws)))
    return [
        {
            "session_id": f"d{draw:0{width}d}-{language}",
            "draw_id": f"d{draw:0{width}d}",
            "block": (draw - 1) // block_size + 1,
            # The second language comes first in every second draw.
            "position": 1 + (number + draw) % len(languages),
        }
        for draw in range(1, draws + 1)
        for number, language in enumerate(languages)
    ]


@pytest.fixture(autouse=True)
def in_flight(monkeypatch: pytest.MonkeyPatch) -> InFlight:
    """One that a test may close."""
    fresh = InFlight()
    monkeypatch.setattr(jobs, "IN_FLIGHT", fresh)
    return fresh


def alone(row: Any) -> list[str]:
    """Waits for nothing."""
    return []


def in_order(rows: list[Row]) -> Callable[[Any], list[str]]:
    """Waits for what has the position before it in its draw."""
    named = {(row["draw_id"], row["position"]): row["session_id"] for row in rows}

    def before(row: Any) -> list[str]:
        earlier = named.get((row["draw_id"], row["position"] - 1))
        return [earlier] if earlier else []

    return before


def ids(rows: list[Any]) -> list[str]:
    return [row["session_id"] for row in rows]


def test_a_hundred_draws_have_a_shard_a_block_and_ten_thousand_have_twenty_four():
    assert {name: len(rows) for name, rows in shards(manifest(100)).items()} == {
        "1": 50, "2": 50, "3": 50, "4": 50,
    }  # fmt: skip
    large = shards(manifest(10_000))
    # 400 blocks, 17 a shard, the last has what is left: 400 - 23 * 17 = 9.
    assert list(large) == [f"{number:02d}" for number in range(1, 25)]
    assert [len(rows) for rows in large.values()] == [17 * 50] * 23 + [9 * 50]


@given(
    draws=st.integers(1, 300),
    block_size=st.integers(1, 40),
    languages=st.integers(1, 3),
    most=st.integers(1, 30),
)
def test_every_session_is_in_one_shard_of_whole_blocks(
    draws: int, block_size: int, languages: int, most: int
):
    rows = manifest(draws, block_size, ("en", "fr", "zh")[:languages])
    dealt = shards(rows, most=most)
    assert len(dealt) <= most
    assert [name for shard in dealt.values() for name in ids(shard)] == ids(rows)
    assert list(dealt) == sorted(dealt)
    homes = [{row["block"] for row in shard} for shard in dealt.values()]
    assert sum(map(len, homes)) == len({row["block"] for row in rows})


@given(draws=st.integers(1, 60))
def test_parts_of_a_study_share_no_shard(draws: int):
    """Though sessions of one draw may be in two of them."""
    rows = manifest(draws, 7, ("en", "fr", "zh"))

    def part(row: Any) -> int:
        return 2 * (row["session_id"].endswith("zh"))

    dealt = shards(rows, part)
    parts = [{part(row) for row in shard} for shard in dealt.values()]
    assert all(len(one) == 1 for one in parts) and sorted(parts, key=min) == parts
    assert sorted(name for shard in dealt.values() for name in ids(shard)) == ids(rows)


def test_jobs_that_the_design_names_are_shards_however_many_there_are():
    rows = [
        {"session_id": f"q{n:03d}-{job}", "block": 1 + (job != "opening"), "job": job}
        for n in range(3)
        for job in ("opening", *(f"job-{number:02d}" for number in range(40)))
    ]
    dealt = shards(rows, most=5)
    assert len(dealt) == 41 and [len(shard) for shard in dealt.values()] == [3] * 41
    assert {row["job"] for row in dealt["01"]} == {"opening"}


@given(draws=st.integers(1, 30), languages=st.integers(1, 3))
def test_as_many_run_at_once_as_wait_for_none(draws: int, languages: int):
    rows = manifest(draws, 25, ("en", "fr", "zh")[:languages])
    assert widest(rows, alone) == draws * languages
    assert widest(rows, in_order(rows)) == draws
    # Ten debates that wait for one memo are ten at a time.
    memo = {"session_id": "memo"}
    assert widest([memo, *rows], lambda row: [] if row is memo else ["memo"]) == len(rows)


@pytest.mark.parametrize("at_once", [1, 3, 20])
def test_sessions_of_a_draw_are_held_in_their_order(at_once: int):
    held: list[str] = []
    lock = threading.Lock()

    def hold(row: Any) -> None:
        with lock:
            held.append(row["session_id"])

    rows = manifest(8)
    run_all(rows, hold, at_once, in_order(rows))
    assert sorted(held) == ids(rows)
    for row in rows:
        partner = next(r for r in rows if r["draw_id"] == row["draw_id"] and r is not row)
        if row["position"] == 1:
            assert held.index(row["session_id"]) < held.index(partner["session_id"])


def test_a_session_waits_for_those_of_other_draws_too_and_for_none_of_other_jobs():
    """As a memo waits for the debates before it, and the debates after it for the memo."""
    rows = [{"session_id": name} for name in ("a-memo", "b-late", "c-early", "d-early")]
    waits = {"a-memo": ["c-early", "d-early", "elsewhere"], "b-late": ["a-memo"]}
    ended: list[str] = []
    run_all(
        rows,
        lambda row: ended.append(row["session_id"]),
        4,
        lambda r: waits.get(r["session_id"], []),
    )
    assert sorted(ended[:2]) == ["c-early", "d-early"]
    assert ended[2:] == ["a-memo", "b-late"]


def test_what_breaks_down_does_not_keep_others_waiting():
    ended: list[str] = []

    def run(row: Any) -> None:
        if row["session_id"] == "first":
            raise ZeroDivisionError("no turns")
        ended.append(row["session_id"])

    with pytest.raises(SessionsBroke):
        run_all(
            [{"session_id": name} for name in ("first", "second")],
            run,
            1,
            lambda row: ["first"] if row["session_id"] == "second" else [],
        )
    assert ended == ["second"]


def epochs(count: int, motions: int, runs: int) -> list[Row]:
    """A manifest whose ids are not in the order of its blocks: e10 comes before e9."""
    return [
        {
            "session_id": f"m{motion}-e{epoch}-r{run}-arm",
            "draw_id": f"m{motion}-e{epoch}-r{run}",
            "block": epoch * motions + motion,
        }
        for motion in range(motions)
        for epoch in range(1, count + 1)
        for run in range(runs)
    ]


@given(count=st.integers(1, 40), motions=st.integers(1, 4), runs=st.integers(1, 3))
def test_shards_are_of_neighbouring_blocks_whatever_the_ids(count: int, motions: int, runs: int):
    rows = epochs(count, motions, runs)
    dealt = shards(rows)
    assert sorted(name for some in dealt.values() for name in ids(some)) == sorted(ids(rows))
    blocks = [row["block"] for some in dealt.values() for row in some]
    assert blocks == sorted(blocks)


def test_sessions_that_read_what_is_made_of_others_are_a_shard_of_their_own():
    late = [{"session_id": f"x{n}", "draw_id": f"x{n}", "block": 41 + n} for n in (1, 2)]
    rows = [*late, *epochs(40, 1, 2)]
    dealt = shards(rows, lambda row: row["draw_id"].startswith("x"))
    assert [len(shard) for shard in dealt.values()] == [4] * 20 + [1, 1]
    assert [*dealt["21"], *dealt["22"]] == late


def test_so_many_sessions_are_held_at_once_and_no_more():
    barrier = threading.Barrier(4, timeout=10)
    most, now, lock = 0, 0, threading.Lock()

    def hold(row: Any) -> None:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        if row["position"] == 1:
            barrier.wait()
        with lock:
            now -= 1

    run_all(manifest(4), hold, 4, in_order(manifest(4)))
    assert most == 4


def test_a_session_that_breaks_down_costs_no_other_anything():
    held: list[str] = []

    def hold(row: Any) -> None:
        if row["session_id"] in ("d002-en", "d003-zh"):
            raise ZeroDivisionError("no turns")
        held.append(row["session_id"])

    with pytest.raises(SessionsBroke) as broken:
        run_all(manifest(4), hold, 2, alone)
    assert sorted(held) == ["d001-en", "d001-zh", "d002-zh", "d003-en", "d004-en", "d004-zh"]
    assert "2 of 8 sessions broke down" in str(broken.value)
    assert "ZeroDivisionError: no turns" in str(broken.value)


def test_a_reached_budget_begins_no_further_session_and_is_what_is_said(in_flight: InFlight):
    held: list[str] = []

    def hold(row: Any) -> None:
        in_flight.check()
        held.append(row["session_id"])
        if len(held) == 3:
            raise BudgetReached("The run has spent it all.")

    with pytest.raises(BudgetReached, match="spent it all"):
        run_all(manifest(40), hold, 1, alone)
    assert len(held) == 3


def test_a_full_disk_stops_the_run_with_a_sentence():
    def hold(row: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ResourceError, match=r"d001-\w\w could not be written .*No space left"):
        run_all(manifest(1), hold, 1, alone)
