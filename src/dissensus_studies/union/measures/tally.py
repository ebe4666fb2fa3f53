"""The tally of a debate: claims and rebuttals, and what they are worth to their sides.

Source: the post "Simulating a Cambridge Union Debate With Multi-Agent LLMs", layer 2a. What it
leaves open is settled here: a rebuttal is worth the most that it qualifies for, and counts only
where it answers an earlier claim of the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

#: Points of a claim by what it rests on.
WORTH = {"evidence_backed": 3.0, "principled": 2.0, "assertion": 1.0}
SPECIFIC = 1.0
#: What is left of a claim that a rebuttal demolishes, and of one that nobody can answer any more.
DEMOLISHED = LAST_SPEECH = 0.5


@dataclass(frozen=True)
class Claim:
    """A claim as the annotation has it; ``speech`` counts from 1."""

    claim_id: str
    speech: int
    side: str
    kind: str
    specific: bool
    text: str = ""


@dataclass(frozen=True)
class Rebuttal:
    """A rebuttal as the annotation has it.

    Attributes
    ----------
    claim_id : the claim that it answers, as written.
    by : the claim that makes it, as written; "" where none does.
    speech, side : of the speech that makes it; 0 and "" where unknown.
    logic, new, undermines : the answers to the three questions.
    """

    claim_id: str
    by: str
    speech: int
    side: str
    logic: bool
    new: bool
    undermines: bool

    @property
    def demolishes(self) -> bool:
        return self.logic and self.undermines

    @property
    def points(self) -> float:
        """What it is worth to its side where it counts."""
        return rebuttal_points(self.logic, self.new, self.undermines)


def rebuttal_points(logic: bool, new: bool, undermines: bool) -> float:
    """What a rebuttal is worth by its three answers: the most that it qualifies for."""
    if logic and undermines:
        return 2.0
    if logic and new:
        return 1.5
    return 0.5 if logic or new else 0.0


def counts(rebuttal: Rebuttal, claims: Mapping[str, Claim]) -> bool:
    """Whether a rebuttal answers an earlier claim of the other side."""
    claim = claims.get(rebuttal.claim_id)
    return (
        claim is not None
        and bool(rebuttal.side)
        and rebuttal.side != claim.side
        and claim.speech < rebuttal.speech
    )


def counted(rebuttals: Sequence[Rebuttal], claims: Mapping[str, Claim]) -> list[bool]:
    """Which rebuttals are counted: those that answer, each target, speech and kind once.

    An annotation may list the same rebuttal more than once; its kind is the three answers.
    """
    seen: set[tuple[object, ...]] = set()
    counting = []
    for rebuttal in rebuttals:
        key = (
            rebuttal.claim_id,
            rebuttal.speech,
            rebuttal.logic,
            rebuttal.new,
            rebuttal.undermines,
        )
        counting.append(counts(rebuttal, claims) and key not in seen)
        seen.add(key)
    return counting


def claim_points(
    claims: Sequence[Claim], rebuttals: Sequence[Rebuttal], last_speech: int
) -> dict[str, float]:
    """claim_id -> what the claim is worth to its side.

    Parameters
    ----------
    claims, rebuttals : of one debate.
    last_speech : the number of its last speech, whose claims nobody can answer.
    """
    claim_of = {claim.claim_id: claim for claim in claims}
    fallen = {
        rebuttal.claim_id
        for rebuttal in rebuttals
        if rebuttal.demolishes and counts(rebuttal, claim_of)
    }
    return {
        claim.claim_id: (WORTH[claim.kind] + SPECIFIC * claim.specific)
        * (DEMOLISHED if claim.claim_id in fallen else 1.0)
        * (LAST_SPEECH if claim.speech == last_speech else 1.0)
        for claim in claims
    }


def tally(
    claims: Sequence[Claim], rebuttals: Sequence[Rebuttal], last_speech: int
) -> dict[str, float]:
    """Side -> points of its claims and of its rebuttals that count; see :func:`claim_points`."""
    claim_of = {claim.claim_id: claim for claim in claims}
    worth = claim_points(claims, rebuttals, last_speech)
    total = {"proposition": 0.0, "opposition": 0.0}
    for claim in claims:
        total[claim.side] += worth[claim.claim_id]
    for rebuttal in compress(rebuttals, counted(rebuttals, claim_of)):
        total[rebuttal.side] += rebuttal.points
    return total
