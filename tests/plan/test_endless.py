"""Code without an end is stopped by its line; code with one is left alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.plan.endless import ending_in_time

HERE = Path(__file__).parent


def turn_round() -> None:
    while True:
        try:
            pass
        except Exception:
            raise


def test_a_loop_without_an_end_is_named_by_its_line() -> None:
    begins = turn_round.__code__.co_firstlineno
    with pytest.raises(ResourceError) as caught, ending_in_time(HERE, "session d001", 0.2):
        turn_round()
    said = str(caught.value)
    place, _, rest = said.partition(": ")
    assert int(place.removeprefix(f"{__file__}, line ")) in range(begins + 1, begins + 6)
    assert rest.startswith("session d001 has not ended after 0.2 seconds; every round of its loop")


def test_what_ends_in_time_is_left_alone() -> None:
    with ending_in_time(HERE, "session d001", 0.2):
        pass
    # Nothing comes later, either.
    time.sleep(0.3)


def test_what_the_code_raises_is_raised() -> None:
    with pytest.raises(KeyError), ending_in_time(HERE, "session d001", 9.0):
        raise KeyError("a")
