"""Every try that may be charged for is counted once, by all processes, whatever happens."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import BudgetReached, ResourceError, SettingError
from dissensus.llm.ledger import Billed, Ledger
from dissensus.llm.records import read_line

enough = settings(max_examples=40)


@pytest.fixture(params=["file", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "folder" / "ledger.jsonl" if request.param == "file" else None


def billed(path: Path) -> list[Billed]:
    """The lines of a ledger."""
    return [Billed(**read_line(line)) for line in path.read_bytes().splitlines()]


def test_sums_by_hand(path: Path | None):
    ledger = Ledger(path, None, "sessions")
    assert ledger.spent_usd == 0.0
    ledger.add("a", 0.25, 100, 20)
    ledger.add("a", 0.5, 200, 30, sure=False)
    ledger.add("b", 0.125, 50, 5)
    ledger.add("a", 0.0, 7, 0)
    assert (ledger.spent_usd, ledger.sure_usd, ledger.unsure_usd) == (0.875, 0.375, 0.5)
    assert path is None or billed(path) == [
        Billed("sessions", "a", 0.25, True, 100, 20),
        Billed("sessions", "a", 0.5, False, 200, 30),
        Billed("sessions", "b", 0.125, True, 50, 5),
        Billed("sessions", "a", 0.0, True, 7, 0),
    ]
    ledger.check()


def test_who_answered(path: Path | None):
    ledger = Ledger(path, None)
    ledger.add("a", 0.5, 1, 1, sure=False)
    assert not ledger.answered("a")
    ledger.add("a", 0.0, 1, 1)
    assert ledger.answered("a")
    assert not ledger.answered("b")


@pytest.mark.parametrize(
    ("budget", "tries", "reached"),
    [
        (None, [1e9], False),
        (0.0, [], True),
        (1.0, [0.5, 0.499], False),
        (1.0, [0.5, 0.5], True),
        (1.0, [0.1] * 10, True),
        (1.0, [0.1] * 9, False),
        (1.0, [5.0], True),
        (float("inf"), [1e9], False),
    ],
)
def test_the_edges_of_a_budget(path: Path | None, budget, tries, reached: bool):
    ledger = Ledger(path, budget)
    for number, usd in enumerate(tries):
        ledger.add("a", usd, 1, 1, sure=number % 2 == 0)
    if not reached:
        ledger.check()
        return
    with pytest.raises(BudgetReached, match=r"raise budget_usd and start again"):
        ledger.check()


def test_the_sentence_names_what_was_spent(tmp_path: Path):
    ledger = Ledger(tmp_path / "l", 1.5)
    ledger.add("a", 1.25, 1, 1)
    ledger.check()
    ledger.add("a", 1000.5, 1, 1, sure=False)
    with pytest.raises(BudgetReached) as caught:
        ledger.check()
    assert str(caught.value) == (
        "The run has spent $1,001.7500 (up to $1,000.5000 of it for 1 try whose answer has not "
        "arrived, each at the most that it can have cost; the provider's bill may be less) of the "
        "$1.5000 that budget_usd allows; raise budget_usd and start again: the "
        "run goes on where it stopped."
    )
    # As the sentence says, a run with a higher budget goes on.
    Ledger(tmp_path / "l", 1001.76).check()


def test_a_line_says_what_was_billed(tmp_path: Path):
    Ledger(tmp_path / "l", None, "embeddings").add("嵌入", 0.5, 12, 0, sure=False)
    assert [read_line(line) for line in (tmp_path / "l").read_bytes().splitlines()] == [
        {
            "stage": "embeddings",
            "model": "嵌入",
            "usd": 0.5,
            "sure": False,
            "input_tokens": 12,
            "output_tokens": 0,
        }
    ]


def test_reading_makes_no_file(tmp_path: Path):
    ledger = Ledger(tmp_path / "folder" / "l", 1.0)
    ledger.check()
    assert ledger.spent_usd == 0.0
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("budget", [-0.01, float("nan")])
def test_a_budget_of_less_than_nothing_is_refused(budget: float):
    with pytest.raises(SettingError, match=r"budget_usd is .*0 or more, or null"):
        Ledger(None, budget)


@pytest.mark.parametrize(
    "billed",
    [
        *((usd, 1, 1) for usd in (-0.01, float("nan"), float("inf"))),
        *((0.1, *tokens) for tokens in ((-1, 0), (0, -1))),
    ],
)
def test_no_number_that_would_spoil_the_sum_is_taken(path: Path | None, billed):
    ledger = Ledger(path, 1.0)
    with pytest.raises(ValueError, match=r"usd is|are no counts"):
        ledger.add("a", *billed)
    assert ledger.spent_usd == 0.0
    assert path is None or not path.exists()


def test_ledgers_of_one_file_see_each_other(tmp_path: Path):
    first, second = (Ledger(tmp_path / "l", 1.0, stage) for stage in ("one", "two"))
    first.check()
    second.add("a", 0.75, 1, 1)
    assert first.spent_usd == 0.75
    first.add("b", 0.25, 1, 1)
    assert [(one.stage, one.model) for one in billed(tmp_path / "l")] == [
        ("two", "a"),
        ("one", "b"),
    ]
    for ledger in (first, second):
        with pytest.raises(BudgetReached):
            ledger.check()


@enough
@given(cut=st.integers(1, 200), usd=st.floats(0.0, 5.0))
def test_a_torn_line_is_dropped(tmp_path_factory, cut: int, usd: float):
    path = tmp_path_factory.mktemp("torn") / "l"
    before = Ledger(path, None)
    before.add("a", 1.0, 1, 1)
    intact = path.read_bytes()
    before.add("模型", 2.0, 1, 1)
    path.write_bytes(path.read_bytes()[: -min(cut, len(intact))])
    ledger = Ledger(path, None)
    assert ledger.spent_usd == 1.0
    ledger.add("c", usd, 1, 1)
    assert ledger.spent_usd == 1.0 + usd
    assert path.read_bytes().startswith(intact)
    assert path.read_bytes().count(b"\n") == 2
    assert Ledger(path, None).spent_usd == 1.0 + usd


def test_a_line_counts_once_it_is_whole(tmp_path: Path):
    path = tmp_path / "l"
    Ledger(path, None).add("a", 1.0, 1, 1)
    line = path.read_bytes()
    ledger = Ledger(path, None)
    for half in (line[:20], line[20:]):
        assert ledger.spent_usd == 1.0
        with path.open("ab") as file:
            file.write(half)
    assert ledger.spent_usd == 2.0


def test_lines_taken_out_by_hand_count_no_more(tmp_path: Path):
    path = tmp_path / "l"
    ledger = Ledger(path, None)
    for usd in (1.0, 2.0, 4.0):
        ledger.add("a", usd, 1, 1)
    assert ledger.spent_usd == 7.0
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[2])
    assert ledger.spent_usd == 5.0
    ledger.add("a", 8.0, 1, 1)
    assert ledger.spent_usd == Ledger(path, None).spent_usd == 13.0


def test_a_changed_byte_of_a_line_is_named(tmp_path: Path):
    path = tmp_path / "l"
    Ledger(path, None).add("a", 1.5, 1, 1)
    good = path.read_bytes()
    for position in range(len(good) - 1):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        path.write_bytes(bad)
        # A line end in the middle makes two lines, of which one is none.
        with pytest.raises(ResourceError, match=r"line \d of the ledger is damaged"):
            Ledger(path, 5.0).check()


@pytest.mark.parametrize(
    "damage",
    [
        *("{torn", "", "null", "[]", '{"usd": 1.0}'),
        *(
            json.dumps({**{"stage": "", "model": "a", "usd": 1, "sure": True}, **change})
            for change in (
                {"input_tokens": 1},
                {"input_tokens": -1, "output_tokens": 0},
                {"usd": float("nan"), "input_tokens": 1, "output_tokens": 0},
                {"usd": "1", "input_tokens": 1, "output_tokens": 0},
            )
        ),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: str):
    path = tmp_path / "l"
    writing, reading = Ledger(path, 10.0), Ledger(path, 10.0)
    writing.add("a", 1.0, 1, 1)
    reading.check()
    line = path.read_text()
    path.write_text(line + damage + "\n" + line)
    for ledger in (reading, reading, Ledger(path, 5.0)):
        with pytest.raises(ResourceError, match=r"/l: line 2 of the ledger is damaged"):
            ledger.check()
    # Doing as the message says mends it.
    path.write_text(line + line)
    assert Ledger(path, None).spent_usd == 2.0


def full(*_: Any) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def half(descriptor: int, data: bytes, offset: int, *, write: Any = os.pwrite) -> int:
    return int(write(descriptor, data[: len(data) // 2], offset))


@pytest.mark.parametrize("disk", [full, half])
def test_a_full_disk_forgets_nothing_and_stops_the_run(tmp_path: Path, monkeypatch, disk):
    path = tmp_path / "l"
    ledger = Ledger(path, 10.0)
    ledger.add("a", 1.0, 1, 1)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", disk)
        ledger.add("b", 2.0, 1, 1)
        ledger.add("c", 4.0, 1, 1, sure=False)
        assert (ledger.spent_usd, ledger.sure_usd, ledger.unsure_usd) == (7.0, 3.0, 4.0)
        assert ledger.answered("b")
        with pytest.raises(ResourceError, match=r"/l cannot be written \(No space .*start again"):
            ledger.check()
        assert path.read_bytes() == before
    ledger.check()
    assert Ledger(path, None).spent_usd == ledger.spent_usd == 7.0


def test_a_folder_that_cannot_be_is_named_by_the_check(tmp_path: Path):
    (tmp_path / "file").write_text("")
    ledger = Ledger(tmp_path / "file" / "l", 1.0)
    ledger.add("a", 0.5, 1, 1)
    with pytest.raises(ResourceError, match=r"file/l cannot be written and locked"):
        ledger.check()


def test_threads_lose_nothing(path: Path | None):
    ledger = Ledger(path, 1e9)

    def spend(number: int) -> None:
        for _ in range(50):
            ledger.add(f"m{number % 3}", 0.25, number, 1)
            ledger.check()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(spend, range(8)))
    assert ledger.spent_usd == 8 * 50 * 0.25
    if path is not None:
        assert len(billed(path)) == 400
        assert sum(one.input_tokens for one in billed(path)) == 50 * sum(range(8))


SPENDING = """
import sys
from pathlib import Path
from dissensus.errors import BudgetReached
from dissensus.llm.records import read_line
from dissensus.llm.ledger import Ledger

ledger, tries = Ledger(Path(sys.argv[1]), 250.0, sys.argv[1]), 0
print("ready", flush=True)
sys.stdin.readline()
try:
    while True:
        ledger.check()
        ledger.add("m" * (tries % 50), 0.5, 1, 1)
        tries += 1
except BudgetReached:
    print(tries)
"""


def test_two_processes_keep_one_budget(tmp_path: Path):
    path = tmp_path / "l"
    command = [sys.executable, "-c", SPENDING, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    try:
        for one in both:
            assert one.stdout.readline() == "ready\n"
        for one in both:
            one.stdin.write("\n")
            one.stdin.flush()
        tries = [int(one.communicate(timeout=60)[0]) for one in both]
    finally:
        for one in both:
            one.kill()
            one.wait()
    # Passed by no more than what the other had in flight when one of them looked.
    assert sum(tries) in (500, 501)
    assert Ledger(path, None).spent_usd == sum(tries) * 0.5
    assert path.read_bytes().count(b"\n") == sum(tries)
