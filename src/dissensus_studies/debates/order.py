"""Puts the turns of a session in order, and says which rows contradict each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from dissensus.errors import ResourceError
from dissensus.session.protocol import round_label, round_of

#: Kind of a clock, and seconds by it: those of two kinds are not compared.
_Moment = tuple[int, float]


class ImportedTurn(NamedTuple):
    """One turn as the file has it.

    Attributes
    ----------
    person : None where the file does not say.
    value : JSON; None where there is none.
    number : None until the turns are in order, where the file has none.
    place : of the row, for what is wrong with it.
    round : its number; None where the file has none.
    input_tokens, output_tokens, cost_usd : None where the file does not say.
    """

    number: int | None
    speaker: str
    role: str
    round_label: str
    model: str
    person: bool | None
    text: str
    value: str | None
    repairs: int
    compliant: bool
    time: str
    place: str
    round: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None

    def as_json(self) -> str:
        """All but its time, its place and the number of its round, which its label has."""
        return json.dumps([*self[:10], *self[-3:]], ensure_ascii=False)


def in_order(turns: Sequence[ImportedTurn], source: str) -> list[ImportedTurn]:
    """The turns of a session by their numbers, each of which has one then.

    Without numbers they are put in order by their rounds, then by their times, then as the rows
    are. Of those who speak at once, the order of the rows stays.

    Parameters
    ----------
    turns : as the rows are; a number is None where the file has none.
    source : what the file calls the session.

    Raises
    ------
    ResourceError : some have a number or a round and others not, somebody speaks twice in a turn,
        or rounds go back; by the row.
    """
    unnumbered = [turn for turn in turns if turn.number is None]
    if not unnumbered:
        made = sorted(turns, key=lambda turn: turn.number or 0)
        _refuse_twice(made, source)
        _refuse_back(made, source, "number the turns through all rounds, or leave out the turn")
        return made
    if len(unnumbered) < len(turns):
        raise ResourceError(
            f"{unnumbered[0].place}: the turn is empty, and other rows of the session {source!r} "
            "have one; give each a turn, or none."
        )
    made = list(turns)
    moments = [_moment(turn.time) for turn in turns]
    kinds = {moment[0] for moment in moments if moment}
    if None not in moments and len(kinds) == 1:
        said = {id(turn): moment for turn, moment in zip(turns, moments, strict=True)}
        made.sort(key=lambda turn: said[id(turn)] or (0, 0.0))
    if all(round_in(turn) is not None for turn in made):
        made.sort(key=lambda turn: round_in(turn) or 0)
    else:
        _refuse_back(made, source, "give each row of the session a round, or a turn")
    return [ImportedTurn(number, *turn[1:]) for number, turn in enumerate(made, start=1)]


def round_in(turn: ImportedTurn) -> int | None:
    """The number of a turn's round, or the one in its label; None where there is none."""
    if turn.round is not None:
        return turn.round
    try:
        number = round_of(turn.round_label)
    except ValueError:
        return None
    return number if round_label(number) == turn.round_label else None


def _refuse_twice(turns: Sequence[ImportedTurn], source: str) -> None:
    first: dict[tuple[int | None, str], ImportedTurn] = {}
    for turn in turns:
        other = first.setdefault((turn.number, turn.speaker), turn)
        if other is not turn:
            raise ResourceError(
                f"{turn.place}: {turn.speaker!r} speaks in turn {turn.number} of the session "
                f"{source!r}, and in {other.place} too; give one of them another turn, or "
                "leave a row out."
            )


def _refuse_back(turns: Sequence[ImportedTurn], source: str, mend: str) -> None:
    """Refuse turns of which a later one is of an earlier round."""
    rounds = [(number, turn) for turn in turns if (number := round_in(turn)) is not None]
    for (before, earlier), (after, later) in pairwise(rounds):
        if after < before:
            raise ResourceError(
                f"{later.place}: round {after} of the session {source!r} comes after round "
                f"{before} in {earlier.place}; {mend}."
            )


def _moment(text: str) -> _Moment | None:
    """When something was said: its kind of clock and its seconds; None where that is not read."""
    try:
        seconds = float(text)
        return (0, seconds) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Those without a zone are of one clock, whichever it is.
    if when.tzinfo is None:
        return 1, (when - datetime.min).total_seconds()
    return 2, when.timestamp()
