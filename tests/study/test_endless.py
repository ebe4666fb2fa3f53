"""Code without an end is stopped by its line; code with one is left alone."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.study.endless import ending_in_time

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dissensus.study.endless.MOST_S", 0.2)


def turn_round() -> None:
    while True:
        try:
            pass
        except Exception:
            raise


def test_a_loop_without_an_end_is_named_by_its_line() -> None:
    begins = turn_round.__code__.co_firstlineno
    with pytest.raises(ResourceError) as caught, ending_in_time(HERE, "session d001"):
        turn_round()
    said = str(caught.value)
    place, _, rest = said.partition(": ")
    assert int(place.removeprefix(f"{__file__}, line ")) in range(begins + 1, begins + 6)
    assert rest.startswith("session d001 has not ended after 0.2 seconds; a loop must end")


def test_what_ends_in_time_is_left_alone() -> None:
    with ending_in_time(HERE, "session d001"):
        pass
    # Nothing comes later, either.
    time.sleep(0.3)


def test_what_the_code_raises_is_raised() -> None:
    with pytest.raises(KeyError), ending_in_time(HERE, "session d001"):
        raise KeyError("a")


def test_of_code_within_code_the_one_that_has_no_end_is_named() -> None:
    with (
        pytest.raises(ResourceError, match="outer has not") as caught,
        ending_in_time(HERE, "outer"),
    ):
        time.sleep(0.15)
        with ending_in_time(HERE, "inner"):
            turn_round()
    assert str(caught.value).endswith("Nothing was asked of a model yet.")


def test_many_threads_are_watched_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has no end is named; the others end as they would."""

    def code(number: int) -> int:
        with ending_in_time(HERE, f"session d{number:03}", "What was paid for is kept."):
            if number == 7:
                turn_round()
            return number

    with ThreadPoolExecutor(20) as pool:
        before = threading.active_count()
        sessions = [pool.submit(code, number) for number in range(20)]
        errors = [session.exception() for session in sessions]
        assert threading.active_count() <= before + 21
    assert [number for number, error in enumerate(errors) if error] == [7]
    assert "session d007 has not ended after 0.2 seconds" in str(errors[7])
    assert str(errors[7]).endswith("What was paid for is kept.")
