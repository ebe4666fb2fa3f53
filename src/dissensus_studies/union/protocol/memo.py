"""The session that coaches the students of a motion by the debates of the epoch before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.session.inputs import Inputs
from dissensus.session.protocol import PLACEHOLDER, Decoding, Steps, restartable
from dissensus.session.quoting import one_line
from dissensus.session.replies import JsonReply
from dissensus.session.runner import CallFailed

from ..measures.debate import JudgedDebate, read_debate, side_of
from ..measures.survival import fates
from ..measures.tally import Claim, counts
from ..prompts import Wording
from ..replies import Memo
from ..tables import SIDES
from .asking import Asking, ask
from .judging import CLAIMS, rebutted, recalibrated

#: What a memo is taken to be where calls are counted before a run.
EXPECTED = json.dumps({name: [PLACEHOLDER] for name in ("worked", "failed", "missed", "advice")})


@dataclass(frozen=True)
class Coaching:
    """Who is coached, and by what.

    Attributes
    ----------
    motion : a row of the artefact motions, of which ``motion``, the sides and ``students`` count.
    debates : ids of the coached debates of the epoch before, in order.
    """

    motion: Mapping[str, Any]
    debates: Sequence[str]


@restartable
def coach(
    wording: Wording, coaching: Coaching, model: str, decoding: Decoding, inputs: Inputs
) -> Steps:
    """The session as a protocol: one call for each student, all at once.

    A debate that failed is left out.

    Parameters
    ----------
    wording : of all prompts.
    coaching : who is coached, and by what.
    model : that is asked.
    decoding : of its replies.
    inputs : the debates.
    """
    debates = _read(coaching, inputs)
    calls = [
        ask(
            student,
            "memo",
            model,
            _prompt(wording, coaching.motion, student, debates),
            JsonReply(Memo),
            wording.debating.repair,
            decoding,
            "coach",
            required=False,
            expected=EXPECTED,
        )
        for student in coaching.motion["students"]
    ]
    yield from Asking().step("memo", calls)


def _read(coaching: Coaching, inputs: Inputs) -> list[JudgedDebate]:
    """The debates that ran to their end.

    Raises
    ------
    CallFailed : all of them failed.
    """
    debates = []
    for name in coaching.debates:
        try:
            turns = inputs.turns(name, _expected(coaching.motion))
        except CallFailed:
            continue
        debates.append(read_debate({}, coaching.motion, turns))
    if not debates:
        raise CallFailed("all debates of the epoch before failed")
    return debates


def _prompt(
    wording: Wording, motion: Mapping[str, Any], student: str, debates: Sequence[JudgedDebate]
) -> str:
    side = side_of(student, motion)
    claimed: list[str] = []
    unanswered: list[str] = []
    for debate in debates:
        fate = fates(debate.claims, debate.all_rebuttals)
        (number,) = (speech.number for speech in debate.speeches if speech.speaker == student)
        claimed += [
            _line(wording, claim, fate) for claim in debate.claims if claim.speech == number
        ]
        unanswered += [_line(wording, claim, fate) for claim in _unanswered(debate, side)]
    none = wording.debating.none
    return wording.told(
        "memo",
        SPEAKER=one_line(student),
        SIDE=side,
        DEBATES=str(len(debates)),
        MOTION=one_line(motion["motion"]),
        CLAIMS="\n".join(claimed) or none,
        UNANSWERED="\n".join(unanswered) or none,
        SCORES=", ".join(_score(debate, student) or none for debate in debates),
    )


def _line(wording: Wording, claim: Claim, fate: Mapping[str, str]) -> str:
    text = one_line(claim.text)
    return wording.told("memo_claim", FATE=fate[claim.claim_id], TEXT=text)


def _unanswered(debate: JudgedDebate, side: str) -> list[Claim]:
    """The other side's claims that a side could have answered, and did not."""
    claim_of = {stated.claim_id: stated for stated in debate.claims}
    rebuttals = [
        rebuttal
        for rebuttal in debate.all_rebuttals
        if rebuttal.side == side and counts(rebuttal, claim_of)
    ]
    answered = {rebuttal.claim_id for rebuttal in rebuttals}
    last = max(speech.number for speech in debate.speeches if speech.side == side)
    return [
        claim
        for claim in debate.claims
        if claim.side != side and claim.speech < last and claim.claim_id not in answered
    ]


def _score(debate: JudgedDebate, student: str) -> str:
    """The recalibrated score of a student's speech; "" where there is none."""
    (number,) = (speech.number for speech in debate.speeches if speech.speaker == student)
    scored = debate.recalibrated.get(number)
    return f"{scored.score:g}" if scored else ""


def _expected(motion: Mapping[str, Any]) -> list[dict[str, str]]:
    """The turns of a debate as they are taken to be where calls are counted before a run."""
    order = [name for pair in zip(*(motion[side] for side in SIDES), strict=True) for name in pair]

    def turn(role: str, about: str, text: str) -> dict[str, str]:
        return {"role": role, "speaker": f"{role}:{about}" if about else role, "text": text}

    return [
        *({"role": "speech", "speaker": name, "text": PLACEHOLDER} for name in order),
        turn("recalibrate", "", recalibrated(len(order))),
        *(turn("claims", name, CLAIMS) for name in order),
        *(turn("rebuttals", side, rebutted(side)) for side in SIDES),
    ]
