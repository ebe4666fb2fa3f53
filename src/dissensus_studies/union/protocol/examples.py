"""A debate that uses every part of the wording, to render all prompts before a run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dissensus.session.protocol import PLACEHOLDER, Call

from ..design.manifest import LENSES
from ..measures.debate import ONE_SIDED
from ..tables import SIDES
from .debate import Draw

_SPEAKERS = tuple(f"Speaker {number}" for number in range(1, LENSES + 1))


@dataclass(frozen=True)
class Compiled:
    """A debate with a speaker for every emphasis lens, all of them coached, and its motion."""

    motion: dict[str, Any]
    draw: Draw


COMPILED = Compiled(
    {
        "motion": PLACEHOLDER,
        **{side: _SPEAKERS[place::2] for place, side in enumerate(SIDES)},
        "students": _SPEAKERS,
    },
    Draw(
        motion_id=PLACEHOLDER,
        motion=PLACEHOLDER,
        proposition=_SPEAKERS[0::2],
        order=_SPEAKERS,
        lenses=tuple(range(LENSES)),
        draw_seed=0,
        passages=1,
        styles=PLACEHOLDER,
        memos=PLACEHOLDER,
        coached=_SPEAKERS,
    ),
)


def example_reply(call: Call) -> str:
    """A reply to a call, so that no part of the wording is left out.

    Speeches name a speaker, a side and an honorific, which are masked; rebuttals are found one way
    only; and the last rubric cannot be read.
    """
    if call.role == "speech":
        return f"{PLACEHOLDER} {_SPEAKERS[0]}, {SIDES[1]}, MP."
    if call.role == "rubric" and call.speaker.endswith(_SPEAKERS[-1]):
        return PLACEHOLDER
    if call.role == "offer":
        return json.dumps({"offers": [{"argument": n, "point": PLACEHOLDER} for n in (2, 3, 4)]})
    if call.role == "rebuttals":
        rebuttal = {"target": "1.1", "speech": 2, "logic": True, "new": True, "undermines": True}
        count = ONE_SIDED * call.speaker.endswith(SIDES[1])
        return json.dumps({"rebuttals": [rebuttal] * count})
    return call.expected
