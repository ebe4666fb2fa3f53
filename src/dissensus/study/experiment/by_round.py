"""What a measure gives of an outcome by round, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from dissensus.setting_faults import show
from dissensus.study.experiment.outcomes import Outcome

#: What an outcome is by -> what a measure may give of it, in words.
FORMS = {
    ("round",): "a mapping of whole rounds to numbers, or a frame with round and value",
    ("round", "agent"): "a mapping of (round, agent) to numbers, or a frame with round, agent and "
    "value",
}


def numbers_by_round(given: Any, outcome: Outcome) -> dict[tuple[int, str], float]:
    """(round, agent) -> number, in the order of rounds and agents; the agent is "" by round alone.

    Parameters
    ----------
    given : what a measure gives of the outcome in one session, see :data:`FORMS`; None for no
        number. What is None or NaN there is left out, as is a round that a session has not had.

    Raises
    ------
    TypeError, ValueError : it has another form, a round that is no whole number, or one twice, with
        what is wrong. A text that is a whole number is one.
    """
    numbers: dict[tuple[int, str], float] = {}
    for key, value in _entries(given, outcome.keys):
        round_, agent = (*key, "")[:2]
        if len(key) != len(outcome.keys) or not isinstance(agent, str):
            raise ValueError(f"{key!r} is no {' and '.join(outcome.keys)}")
        if (place := (_whole(round_), str(agent))) in numbers:
            raise ValueError(f"{key!r} comes twice")
        if value is not None and value == value:
            numbers[place] = float(value)
    return dict(sorted(numbers.items()))


def _whole(round_: Any) -> int:
    """A round as a number.

    Raises
    ------
    ValueError : it is none.
    """
    try:
        number = int(round_)
        is_whole = isinstance(round_, str) or number == round_
    except (TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"the round {show(round_)} is no whole number")
    return number


def _entries(given: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Keys and values, from a frame or a mapping."""
    if isinstance(given, pd.DataFrame):
        if set(given) != {*keys, "value"}:
            raise ValueError(f"its columns are {', '.join(map(str, given))}")
        for *key, value in given[[*keys, "value"]].itertuples(index=False):
            yield tuple(key), value
    elif isinstance(given, Mapping):
        for key, value in given.items():
            yield (key if isinstance(key, tuple) else (key,)), value
    elif given is not None:
        raise TypeError(f"it is {type(given).__name__}")
