"""The two panels: judges who are not told who speaks, and judges who are told the sides.

Both are asked in two passes, the second with what they are told exchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.session.blinding import SLOT_OF, Blinder, slotted
from dissensus.session.protocol import PLACEHOLDER, Call, ReplyFormat
from dissensus.session.quoting import block, one_line
from dissensus.session.replies import JsonReply

from ..measures.debate import other as other_side
from ..prompts import Spoken
from ..replies import BlindVote, LabelledVote
from ..tables import SIDES
from .asking import Part, ask
from .floor import SEATS, Floor

#: Of the steps after the last speech.
LABEL = "judging"
#: What votes are taken to be where calls are counted before a run.
_BLIND = json.dumps({"winner": "A", "reason": PLACEHOLDER})
_LABELLED = json.dumps({"winner": "Proposition", "reason": PLACEHOLDER})
#: Pass of the blind panel -> side -> its slot; in the second the slots are exchanged.
_SLOTS = {number: dict(zip(SIDES, slots, strict=True)) for number, slots in ((1, "AB"), (2, "BA"))}


@dataclass(frozen=True)
class _Masked:
    """A speech without names and sides, with a mark wherever a slot is named.

    ``points`` are (text, answer) of each point of information that it accepted.
    """

    spoken: Spoken
    text: str
    points: tuple[tuple[str, str], ...]


def vote(floor: Floor) -> Part[None]:
    """The panel that decides, and the one that it is audited by."""
    people = {debater.name: debater.side for debater in floor.debaters}
    blinder = Blinder(people, floor.wording.judging.masks)
    masked = [_masked(floor, blinder, speech) for speech in floor.spoken]
    definitions = blinder.mask(floor.wording.definitions(floor.framework))
    framework = floor.wording.framework(definitions)
    entries = (entry for speech in masked for entry in _entries(floor, speech))
    shown = {"FRAMEWORK": framework, "TRANSCRIPT": "\n\n".join(entries)}
    yield from _vote_blind(floor, shown)
    if floor.rules.audited:
        yield from _vote_labelled(floor, shown)


def _masked(floor: Floor, blinder: Blinder, spoken: Spoken) -> _Masked:
    def mask(text: str, side: str) -> str:
        return block(blinder.mask(text, side)) or floor.wording.debating.none

    side, other = spoken.side, other_side(spoken.side)
    points = tuple((mask(point.text, other), mask(point.answer, side)) for point in spoken.points)
    return _Masked(spoken, mask(spoken.text, side), points)


def _entries(floor: Floor, masked: _Masked) -> Iterator[str]:
    """A speech and its points of information."""
    words, slot = floor.wording, SLOT_OF[masked.spoken.side]
    other, place = SLOT_OF[other_side(masked.spoken.side)], {"NUMBER": str(masked.spoken.number)}
    yield words.judged("blind_entry", SLOT=slot, TEXT=masked.text, **place)
    for text, answer in masked.points:
        yield words.judged("blind_point", SLOT=other, TEXT=text, OTHER=slot, ANSWER=answer, **place)


def _vote_blind(floor: Floor, shown: Mapping[str, str]) -> Part[None]:
    """The primary panel: in two passes, the slots of the sides exchanged in the second.

    ``shown`` is what both panels read, with a mark wherever a slot is named.
    """
    calls = []
    for number, slots in _SLOTS.items():
        given = {name: slotted(text, slots) for name, text in shown.items()}
        calls += _seats(floor, "blind", number, given, JsonReply(BlindVote), _BLIND)
    yield from floor.asking.step(LABEL, calls)


def _vote_labelled(floor: Floor, shown: Mapping[str, str]) -> Part[None]:
    """The audit's panel: the same with the sides stated, then with them exchanged.

    The side that speaks first has slot A in both passes: only what is said last differs.
    """
    given = {name: slotted(text, _SLOTS[1]) for name, text in shown.items()}
    calls = []
    for number, sides in ((1, SIDES), (2, SIDES[::-1])):
        labels = dict(zip(("FIRST", "SECOND"), map(str.capitalize, sides), strict=True))
        told = {**given, **labels}
        calls += _seats(floor, "labelled", number, told, JsonReply(LabelledVote), _LABELLED)
    yield from floor.asking.step(LABEL, calls)


def _seats(
    floor: Floor,
    panel: str,
    number: int,
    told: Mapping[str, str],
    format: ReplyFormat[Any],
    expected: str,
) -> list[Call]:
    """One pass of a panel: its judges are asked the same."""
    prompt = floor.wording.judged(panel, MOTION=one_line(floor.motion), **told)
    # The labelled panel, if there is one, reads twice what the blind one reads in its first pass.
    is_shared = panel == "labelled" or (floor.rules.audited and number == 1)
    judges = [floor.models.judges[seat % len(floor.models.judges)] for seat in range(SEATS)]
    return [
        ask(
            f"{panel}:{number}:{seat}",
            panel,
            model,
            prompt,
            format,
            floor.wording.judging.repair,
            floor.rules.panel,
            "judge",
            [told["TRANSCRIPT"]] if is_shared or judges.count(model) > 1 else [],
            required=False,
            expected=expected,
        )
        for seat, model in enumerate(judges, start=1)
    ]
