"""The two panels: judges who are not told who speaks, and judges who are told the sides.

Both are asked in two passes, the second with what they are told exchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.session.protocol import PLACEHOLDER, ReplyFormat
from dissensus.session.replies import JsonReply
from dissensus.union.blinding import SLOT_OF, Blinder, slotted
from dissensus.union.prompts import Spoken
from dissensus.union.protocol.asking import Ask, Part
from dissensus.union.protocol.floor import SEATS, Floor
from dissensus.union.quoting import block, one_line
from dissensus.union.replies import BlindVote, LabelledVote
from dissensus.union.tables import SIDES

#: Of the steps after the last speech.
LABEL = "judging"
#: What votes are taken to be where calls are counted before a run.
_BLIND = json.dumps({"winner": "A", "reason": PLACEHOLDER})
_LABELLED = json.dumps({"winner": "Proposition", "reason": PLACEHOLDER})
#: Pass of the blind panel -> side -> its slot; in the second the slots are exchanged.
_SLOTS = {number: dict(zip(SIDES, slots, strict=True)) for number, slots in ((1, "AB"), (2, "BA"))}


def vote_blind(floor: Floor) -> Part[None]:
    """The primary panel: names and sides removed, in two passes with the slots exchanged."""
    blinder, words = _blinder(floor), floor.wording
    transcript = _blind_transcript(floor, blinder)
    framework = block(blinder.mask(floor.defined))
    asks = []
    for number, slots in _SLOTS.items():
        prompt = words.judged(
            "blind",
            MOTION=one_line(floor.motion),
            FRAMEWORK=slotted(framework, slots),
            TRANSCRIPT=slotted(transcript, slots),
        )
        asks += _seats(floor, "blind", number, prompt, JsonReply(BlindVote), _BLIND)
    yield from floor.asking.step(LABEL, asks)


def _blind_transcript(floor: Floor, blinder: Blinder) -> str:
    """The debate, masked, with a mark wherever a slot is named."""
    entries: list[str] = []
    for one in floor.spoken:
        text = block(blinder.mask(one.text, one.side))
        number = str(one.number)
        entries.append(
            floor.wording.judged("blind_entry", SLOT=SLOT_OF[one.side], NUMBER=number, TEXT=text)
        )
        entries += _blind_points(floor, blinder, one)
    return "\n\n".join(entries)


def _blind_points(floor: Floor, blinder: Blinder, spoken: Spoken) -> list[str]:
    words, other = floor.wording, SIDES[1 - SIDES.index(spoken.side)]
    return [
        words.judged(
            "blind_point",
            SLOT=SLOT_OF[other],
            NUMBER=str(spoken.number),
            TEXT=block(blinder.mask(point.text, other)),
            OTHER=SLOT_OF[spoken.side],
            ANSWER=block(blinder.mask(point.answer, spoken.side)) or words.debating.none,
        )
        for point in spoken.points
    ]


def vote_labelled(floor: Floor) -> Part[None]:
    """The audit's panel: the same speeches with the sides stated, then with them exchanged."""
    blinder, words = _blinder(floor), floor.wording
    # The side that speaks first has slot A in both passes: only the labels say which it is.
    texts = [slotted(block(blinder.mask(one.text, one.side)), _SLOTS[1]) for one in floor.spoken]
    framework = slotted(block(blinder.mask(floor.defined)), _SLOTS[1])
    asks = []
    for number, sides in ((1, SIDES), (2, SIDES[::-1])):
        labels = dict(zip(SIDES, sides, strict=True))
        prompt = words.judged(
            "labelled",
            MOTION=one_line(floor.motion),
            FRAMEWORK=framework,
            TRANSCRIPT=_labelled(floor, texts, labels),
        )
        asks += _seats(floor, "labelled", number, prompt, JsonReply(LabelledVote), _LABELLED)
    yield from floor.asking.step(LABEL, asks)


def _labelled(floor: Floor, texts: Sequence[str], labels: Mapping[str, str]) -> str:
    """The speeches in their order; ``labels``: side -> the side that is stated."""
    return "\n\n".join(
        floor.wording.judged(
            "labelled_entry",
            LABEL=labels[one.side].capitalize(),
            NUMBER=str(one.number),
            TEXT=text,
        )
        for one, text in zip(floor.spoken, texts, strict=True)
    )


def _blinder(floor: Floor) -> Blinder:
    people = {one.name: one.side for one in floor.debaters}
    return Blinder(people, floor.wording.judging.masks)


def _seats(
    floor: Floor, panel: str, number: int, prompt: str, format: ReplyFormat[Any], expected: str
) -> list[Ask]:
    """One pass of a panel: its judges are asked the same."""
    judges = floor.models.judges
    return [
        Ask(
            f"{panel}:{number}:{seat}",
            panel,
            judges[(seat - 1) % len(judges)],
            prompt,
            format,
            floor.wording.judging.repair,
            floor.rules.panel,
            "judge",
            required=False,
            expected=expected,
        )
        for seat in range(1, SEATS + 1)
    ]
