"""What is planted in the simulated people: what coaching adds, and every judge's biases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dissensus.design.diagnosis import HOLM
from dissensus.report.frames import records
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import NAN
from dissensus.union.inference.audit import POSITION, SIDE, VERBOSITY
from dissensus.union.inference.diagnosis import coached_world
from dissensus.union.inference.judged_worlds import slot_share, slot_world
from dissensus.union.outcomes import OUTCOMES
from dissensus.union.tables import RANDOMISATION

_EVEN = 0.5
#: Bias -> the setting of a simulated judge, and what the audit estimates of it.
_PLANTED = {
    POSITION: ("slot_bias", "share for slot A of the pairs of votes that follow a slot"),
    VERBOSITY: (
        "length_bias",
        "log odds of a vote per 100 words more, of speeches with equal points; an association, "
        "since lengths are not randomised",
    ),
    SIDE: ("side_bias", "share for the proposition of the pairs of votes that follow a label"),
}


def effects(artefacts: Artefacts, view: View, diagnosed: Diagnosed) -> Iterator[Effect]:
    """The headline's gain of coaching, and what each judge favours, or was made not to."""
    coaching, judges = artefacts.frames("coaching", "judges")
    for row in records(coaching[coaching["headline"].to_numpy(dtype=bool)]):
        world = _coached(row["outcome"], view)
        truth = diagnosed.truth(world, RANDOMISATION)
        if truth:
            words = f"Coached − control, {OUTCOMES[row['outcome']].over}"
            power = diagnosed.power(world, RANDOMISATION)
            yield Effect(words, truth, row, power)
    for row in records(judges[judges["level"] == "judge"]):
        speech = view.planted.get(row["judge"])
        if speech is not None and row["bias"] in _PLANTED:
            name, words = _PLANTED[row["bias"]]
            logits = float(speech.get(name, 0.0))
            # The estimate is for 100 words, and what is planted for a thousand.
            true = logits / 10.0 if row["bias"] == VERBOSITY else slot_share(logits)
            none = 0.0 if row["bias"] == VERBOSITY else _EVEN
            power = NAN
            if logits and row["bias"] == POSITION:
                power = diagnosed.power(slot_world(logits), POSITION + HOLM)
            yield Effect(f"{row['judge']}: {words}", Truth(true), row, power, none=none)


def _coached(outcome: str, view: View) -> str:
    """The diagnosis's world of the run's own speakers; "" where they are not those of it."""
    people = view["diagnosis"]["people"]
    speakers: list[Any] = [
        speech for speech in view.planted.values() if speech.get("role") == "speaker"
    ]
    speaker: Any = people["speaker"]["speech"]
    same = len(speakers) == 1 and {**speakers[0], "coached": 0.0} == {**speaker, "coached": 0.0}
    return coached_world(outcome, speakers[0].get("coached", 0.0)) if same else ""
