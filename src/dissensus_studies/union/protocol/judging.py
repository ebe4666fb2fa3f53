"""What becomes of a debate after its last speech: scores and annotation, then the panels.

No call of a judge is required: one that fails costs what it would have said, and no debate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from dissensus.session.protocol import PLACEHOLDER, Call, ReplyFormat, Turn
from dissensus.session.quoting import block, one_line
from dissensus.session.replies import JsonReply

from ..measures.debate import ONE_SIDED
from ..replies import (
    FoundClaims,
    FoundRebuttals,
    Rubric,
)
from ..tables import DIMENSIONS, SIDES
from .asking import Part, RecalibrationOf, ask
from .floor import Floor
from .panels import LABEL, vote

#: Claims that a speech is taken to have where calls are counted before a run.
CLAIMS_OF_A_SPEECH = 10
#: What replies are taken to be there.
_RUBRIC = json.dumps(dict.fromkeys(DIMENSIONS, 5))
_CLAIM = {"text": PLACEHOLDER, "type": "principled", "specific": True}
CLAIMS = json.dumps({"claims": [_CLAIM] * CLAIMS_OF_A_SPEECH})
#: Roles whose replies are numbers.
_SHORT = ("rubric", "recalibrate")


def judge(floor: Floor) -> Part[None]:
    """All that judges and annotators do, in the order of the layers."""
    yield from _score(floor)
    yield from _annotate(floor)
    yield from vote(floor)


def _score(floor: Floor) -> Part[None]:
    """Each speech by itself, then all of them against each other."""
    calls = []
    for number, (spoken, debater) in enumerate(zip(floor.spoken, floor.debaters, strict=True), 1):
        prompt = floor.wording.judged(
            "rubric",
            **_about(floor),
            NUMBER=str(number),
            SPEAKER=one_line(debater.name),
            TRANSCRIPT=floor.wording.transcript(floor.spoken[:number]),
            STYLE=floor.wording.style(debater.style),
        )
        name = f"rubric:{spoken.speaker}"
        shared = map(floor.wording.entry, floor.spoken[:number])
        calls.append(_annotated(floor, name, prompt, JsonReply(Rubric), _RUBRIC, shared))
    turns = yield from floor.asking.step(LABEL, calls)
    prompt = floor.wording.judged(
        "recalibrate",
        **_about(floor),
        TRANSCRIPT=floor.wording.transcript(floor.spoken),
        SCORES=_scores(floor, turns),
    )
    count = len(floor.spoken)
    format, shared = RecalibrationOf(count), map(floor.wording.entry, floor.spoken)
    call = _annotated(floor, "recalibrate", prompt, format, recalibrated(count), shared)
    yield from floor.asking.step(LABEL, [call])


def recalibrated(count: int) -> str:
    """A recalibration of so many speeches, each better than the one after it."""
    speeches = [
        {"speech": number, "rank": number, "score": round(9 - 4 * number / count, 2)}
        for number in range(1, count + 1)
    ]
    return json.dumps({"speeches": speeches})


def _scores(floor: Floor, turns: Sequence[Turn]) -> str:
    """The mean score of each speech, or none."""
    words = floor.wording
    return "\n".join(
        words.judged(
            "score_entry",
            NUMBER=str(number),
            SCORE=f"{_mean(turn.value):.1f}" if turn.value else words.debating.none,
        )
        for number, turn in enumerate(turns, start=1)
    )


def _mean(rubric: Rubric) -> float:
    return fmean(getattr(rubric, name) for name in DIMENSIONS)


def _annotate(floor: Floor) -> Part[None]:
    """The claims of every speech, then the rebuttals by each side."""
    calls = []
    is_shared = floor.models.annotator in (floor.models.extractor, floor.models.interjector)
    for speech in floor.spoken:
        prompt = floor.wording.judged(
            "claims", **_about(floor), NUMBER=str(speech.number), TEXT=block(speech.text)
        )
        name = f"claims:{speech.speaker}"
        # Those who took down its arguments began with the speech, too.
        shared = [block(speech.text)] if is_shared else []
        calls.append(_annotated(floor, name, prompt, JsonReply(FoundClaims), CLAIMS, shared))
    turns = yield from floor.asking.step(LABEL, calls)
    claims = _claims(floor, turns)
    answers = yield from _rebut(floor, claims, {})
    if _is_one_sided(answers):
        yield from _rebut(floor, claims, answers)


def _is_one_sided(rebuttals: Mapping[str, int]) -> bool:
    counts = sorted(rebuttals.values())
    return len(counts) == len(SIDES) and counts[0] == 0 and counts[-1] >= ONE_SIDED


def _claims(floor: Floor, turns: Sequence[Turn]) -> str:
    """All claims that could be read, with their names and sides."""
    words = floor.wording
    entries = [
        words.judged(
            "claim_entry", ID=f"{speech.number}.{n}", SIDE=speech.side, TEXT=one_line(claim.text)
        )
        for speech, turn in zip(floor.spoken, turns, strict=True)
        if turn.value
        for n, claim in enumerate(turn.value.claims, start=1)
    ]
    return "\n".join(entries) or words.debating.none


def _rebut(floor: Floor, claims: str, before: Mapping[str, int]) -> Part[dict[str, int]]:
    """Rebutting side -> how many rebuttals were found; only of lists that could be read.

    ``before`` is what was found when it was asked the first time.
    """
    calls = []
    for side, other in (SIDES, SIDES[::-1]):
        told = [floor.wording.judging.both_directions]
        if before:
            counts = {"FOUND": str(before[side]), "OTHERS": str(before[other])}
            told.append(floor.wording.judged("again", REBUTTERS=side, **counts))
        prompt = floor.wording.judged(
            "rebuttals",
            **_about(floor),
            TRANSCRIPT=floor.wording.transcript(floor.spoken),
            CLAIMS=claims,
            BOTH_DIRECTIONS="\n".join(told),
            TARGETS=other,
            REBUTTERS=side,
        )
        format, expected = JsonReply(FoundRebuttals), rebutted(side)
        shared = map(floor.wording.entry, floor.spoken)
        calls.append(_annotated(floor, f"rebuttals:{side}", prompt, format, expected, shared))
    turns = yield from floor.asking.step(LABEL, calls)
    return {
        side: len(turn.value.rebuttals)
        for side, turn in zip(SIDES, turns, strict=True)
        if turn.value
    }


def rebutted(side: str) -> str:
    """Some rebuttals by a side, of what the other said in the speech before."""
    first = SIDES.index(side) + 1 + 2 * (side == SIDES[0])
    return json.dumps(
        {
            "rebuttals": [
                {"target": f"{first - 1}.{n}", "by": f"{first}.{n}", "speech": first}
                | {"logic": True, "new": False, "undermines": n == 1}
                for n in (1, 2)
            ]
        }
    )


def _about(floor: Floor) -> dict[str, str]:
    """What the prompts of annotators say of the debate."""
    return {"MOTION": one_line(floor.motion), "FRAMEWORK": floor.defined}


def _annotated(
    floor: Floor,
    speaker: str,
    prompt: str,
    format: ReplyFormat[Any],
    expected: str,
    shared: Iterable[str],
) -> Call:
    """A call of the annotator, whose role is what its speaker begins with; it may fail."""
    role = speaker.partition(":")[0]
    return ask(
        speaker,
        role,
        floor.models.annotator,
        prompt,
        format,
        floor.wording.judging.repair,
        floor.rules.exact_short if role in _SHORT else floor.rules.exact,
        "annotate",
        shared,
        required=False,
        expected=expected,
    )
