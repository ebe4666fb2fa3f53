"""What is planted in the simulated people: what coaching adds, and which slot a judge favours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dissensus.design.diagnosis import HOLM
from dissensus.report.frames import records
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import NAN
from dissensus.union.inference.audit import POSITION
from dissensus.union.inference.diagnosis import coached_world
from dissensus.union.inference.judged_worlds import slot_share, slot_world
from dissensus.union.outcomes import OUTCOMES
from dissensus.union.tables import RANDOMISATION

_EVEN = 0.5


def effects(artefacts: Artefacts, view: View, diagnosed: Diagnosed) -> Iterator[Effect]:
    """The headline's gain of coaching, and the slot that each judge favours."""
    coaching, judges = artefacts.frames("coaching", "judges")
    for row in records(coaching[coaching["headline"].to_numpy(dtype=bool)]):
        world = _coached(row["outcome"], view)
        truth = diagnosed.truth(world, RANDOMISATION)
        if truth:
            words = f"Coached − control, {OUTCOMES[row['outcome']].over}"
            power = diagnosed.power(world, RANDOMISATION)
            yield Effect(words, truth, row, power)
    biased = judges[(judges["level"] == "judge") & (judges["bias"] == POSITION)]
    for row in records(biased):
        speech = view.planted.get(row["judge"])
        if speech is not None:
            bias = float(speech.get("slot_bias", 0.0))
            words = f"{row['judge']}: share for slot A of the pairs of votes that follow a slot"
            power = diagnosed.power(slot_world(bias), POSITION + HOLM) if bias else NAN
            truth = Truth(slot_share(bias))
            yield Effect(words, truth, row, power, none=_EVEN)


def _coached(outcome: str, view: View) -> str:
    """The diagnosis's world of the run's own speakers; "" where they are not those of it."""
    people = view["diagnosis"]["people"]
    speakers: list[Any] = [
        speech for speech in view.planted.values() if speech.get("role") == "speaker"
    ]
    speaker: Any = people["speaker"]["speech"]
    same = len(speakers) == 1 and {**speakers[0], "coached": 0.0} == {**speaker, "coached": 0.0}
    return coached_world(outcome, speakers[0].get("coached", 0.0)) if same else ""
