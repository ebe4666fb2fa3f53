"""Sessions that go on from what another one said: its turns come first, and nobody is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dissensus.session.protocol import Call, Given, Steps, Turn
from dissensus.session.runner import CallFailed

#: Makes the text that is put in place of a turn.
Instead = Callable[[Turn], str]

Row = Mapping[str, Any]
#: Steps that give the turns that they led to when they end.
Continued = Generator[Sequence[Call], Sequence[Turn], list[Turn]]


def continued(
    steps: Steps,
    session_id: str,
    turns: Sequence[Row],
    *,
    until: int | None = None,
    speaker: str = "",
    instead: Instead | None = None,
) -> Continued:
    """The steps of another session, of which the first ones are given as it took them.

    Parameters
    ----------
    steps : of the other session, from its start.
    session_id : of that session.
    turns : its transcript; none before a run, where what its calls expect is assumed.
    until : the number of the last step that is given; None for all of them.
    speaker : whose turn of the last step is replaced; may be left out where one speaks in it.
    instead : makes the text that stands there instead; None leaves all turns as they are.

    Returns
    -------
    All turns.

    Raises
    ------
    CallFailed : the other session has no such turn to be replaced.
    """
    of_place = {(turn["turn"], turn["speaker"]): turn for turn in turns}
    all_turns: list[Turn] = []
    step = next(steps, None)
    while step is not None:
        number = step[0].number if step else 0
        if until is None or number <= until:
            step = [_given(call, session_id, of_place) for call in step]
            if instead is not None and number == until:
                meant = [call for call in step if not speaker or call.speaker == speaker]
                if len(meant) != 1:
                    break
                step = [
                    _replaced(call, session_id, instead) if call is meant[0] else call
                    for call in step
                ]
                instead = None
        sent = yield step
        all_turns += sent
        try:
            step = steps.send(sent)
        except StopIteration:
            step = None
    if instead is not None:
        whose = f" of {speaker}" if speaker else ", or several"
        raise CallFailed(f"{session_id} has no turn {until}{whose}, to be replaced")
    return all_turns


def _given(call: Call, session_id: str, of_place: Mapping[tuple[int, str], Row]) -> Call:
    """A call whose turn another session took."""
    row = of_place.get((call.number, call.speaker))
    return replace(call, given=Given(session_id, _turn(call, row, session_id) if row else None))


def _turn(call: Call, row: Row, session_id: str) -> Turn:
    """The turn that a row of another session's transcript is."""
    text, read = row["text"], call.format.read(row["text"])
    # What was read in the body of a reply, and not in its text alone, stands in the row.
    stored = row["value"] is not None and call.decoding.options
    value = json.loads(row["value"]) if stored else read.value
    violations = () if row["compliant"] else read.problems or ("as it was accepted there",)
    turn = call.turn(text, value, violations, row["repairs"])
    # Where that session took it from another one, it is from there.
    origin, person = row.get("origin") or session_id, row.get("person", False)
    return replace(turn, model=row["model"], origin=origin, person=person)


def turn_of(row: Row, origin: str = "") -> Turn:
    """A turn of a transcript whose reader gives what any JSON can hold; ``row``: of it."""
    text, compliant = row["text"], row["compliant"]
    value = json.loads(row["value"]) if row["value"] is not None else text if compliant else None
    violations = () if compliant else ("as it was accepted there",)
    return Turn(
        row["turn"],
        row["speaker"],
        row["role"],
        row["round_label"],
        row["model"],
        text,
        row["repairs"],
        violations,
        value,
        origin,
        row.get("person", False),
    )


def _replaced(call: Call, session_id: str, instead: Instead) -> Call:
    """A given call with another text in its place, which is read as the reply would be."""
    origin = f"in place of {session_id}"
    before = call.given.turn if call.given else None
    text = instead(before or call.turn(call.expected, call.format.read(call.expected).value))
    read = call.format.read(text)
    turn = replace(call.turn(text, read.value, read.problems), origin=origin)
    return replace(call, expected=text, given=Given(origin, turn if before else None))
