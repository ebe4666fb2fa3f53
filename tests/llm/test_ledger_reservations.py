"""Money that is reserved before a try is sent, so that a budget is not passed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import BudgetReached, ResourceError
from dissensus.llm.ledger import Ledger


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("shared", [True, False])
def test_what_a_try_comes_to_takes_the_place_of_its_most(tmp_path: Path, shared: bool) -> None:
    ledger = Ledger(tmp_path / "l" if shared else None, 10.0)
    name = ledger.reserve("m", 6.0)
    assert name
    assert (ledger.spent_usd, ledger.sure_usd, ledger.unsure_usd) == (6.0, 0.0, 6.0)
    assert ledger.reserve("m", 6.0) is None
    ledger.add("m", 1.5, 1, 1, reservation=name)
    assert (ledger.spent_usd, ledger.sure_usd, ledger.unsure_usd) == (1.5, 1.5, 0.0)
    again = ledger.reserve("m", 6.0)
    assert again
    ledger.release(again)
    assert ledger.spent_usd == 1.5


def test_nothing_is_reserved_without_a_budget_or_a_price(tmp_path: Path) -> None:
    assert Ledger(tmp_path / "l", None).reserve("m", 6.0) == ""
    assert Ledger(tmp_path / "l", 1.0).reserve("m", 0.0) == ""
    assert not (tmp_path / "l").exists()


def test_the_last_sentence_says_what_was_spent_and_what_is_lacking(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l", 10.0)
    ledger.add("m", 7.25, 1, 1)
    with pytest.raises(BudgetReached) as caught:
        ledger.reserve("m", 3.0)
    assert str(caught.value) == (
        "The run has spent $7.2500 of the $10.0000 that budget_usd allows, and the next call may "
        "cost up to $3.0000; raise budget_usd and start again: the run goes on where it stopped."
    )


def test_what_others_reserved_is_not_waited_for(tmp_path: Path) -> None:
    """They may be gone: what a killed process reserved may have been charged for."""
    one, other = Ledger(tmp_path / "l", 10.0), Ledger(tmp_path / "l", 10.0)
    assert one.reserve("m", 6.0)
    with pytest.raises(BudgetReached, match=r"up to \$6.0000 of it for 1 try whose answer has not"):
        other.reserve("m", 6.0)
    # Its run ends, so it sends no cheaper one either; the next run may.
    with pytest.raises(BudgetReached, match=r"the next call may cost up to \$6.0000"):
        other.reserve("m", 4.0)
    assert Ledger(tmp_path / "l", 10.0).reserve("m", 4.0)


def test_a_cent_more_than_the_rest_is_too_much_and_the_rest_is_not(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l", 1.0)
    for _ in range(10):
        name = ledger.reserve("m", 0.1)
        assert name
        ledger.add("m", 0.1, 1, 1, reservation=name)
    with pytest.raises(BudgetReached):
        ledger.reserve("m", 1e-6)


def test_a_full_disk_reserves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path / "l", 10.0)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(ResourceError, match="No space left on device"):
        ledger.reserve("m", 1.0)
    monkeypatch.undo()
    assert ledger.spent_usd == 0.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1), st.sampled_from(["reserve", "add", "release"]), st.floats(0, 1)
        ),
        max_size=40,
    )
)
def test_two_processes_never_pass_their_budget(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, float]]
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "l"
    both = [Ledger(path, 5.0), Ledger(path, 5.0)]
    reserved: list[list[str]] = [[], []]
    spent = 0.0
    for who, act, share in steps:
        if act == "reserve":
            try:
                name = both[who].reserve("m", 1.0)
            except BudgetReached:
                name = None
            reserved[who] += [name] if name else []
        elif reserved[who]:
            name = reserved[who].pop()
            if act == "add":
                both[who].add("m", share, 1, 1, reservation=name)
                spent += share
            else:
                both[who].release(name)
        assert both[0].spent_usd == pytest.approx(both[1].spent_usd)
        assert both[0].sure_usd == pytest.approx(spent)
        assert both[0].spent_usd <= 5.0 + 1e-9
    assert Ledger(path, None).spent_usd == pytest.approx(spent + sum(map(len, reserved)))


RESERVING = """
import sys
from pathlib import Path
from dissensus.llm.ledger import Ledger

ledger = Ledger(Path(sys.argv[1]), 10.0)
ledger.reserve("m", 4.0)
print("reserved", flush=True)
sys.stdin.readline()
"""


def test_what_a_killed_process_reserved_counts_as_spent(tmp_path: Path) -> None:
    path = tmp_path / "l"
    command = [sys.executable, "-c", RESERVING, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "reserved\n"
        process.send_signal(signal.SIGKILL)
    after = Ledger(path, 10.0)
    assert after.unsure_usd == 4.0
    assert after.reserve("m", 6.0)
    with pytest.raises(BudgetReached):
        Ledger(path, 10.0).reserve("m", 0.5)


@pytest.mark.parametrize(
    "line",
    [
        '{"reservation": "a"}',
        '{"reservation": "a", "usd": "1"}',
        '{"reservation": "a", "usd": -1}',
        "[" * 99_999,
        "7",
    ],
)
def test_a_damaged_reservation_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "l"
    path.write_text(line + "\n")
    with pytest.raises(ResourceError, match=r"line 1 of the ledger is damaged"):
        Ledger(path, 10.0).check()


def test_a_ledger_is_its_owners_alone(tmp_path: Path) -> None:
    Ledger(tmp_path / "l", None).add("m", 1.0, 1, 1)
    assert (tmp_path / "l").stat().st_mode & 0o777 == 0o600
