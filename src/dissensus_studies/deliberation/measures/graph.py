"""The debate graph: who rebuts whom, which claims are answered, and which nobody engages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .debate import Claim, MeasuredDebate, mean, share

#: Rounds after which a claim that nobody engaged counts as ignored.
PATIENCE = 2

Material = Literal["all", "evidenced"]


def density(debate: MeasuredDebate, round_: int) -> float | None:
    """Directed rebuttal density: ordered pairs (i, j) in which i rebuts j, of all N(N - 1).

    A rebuttal is a resolved engagement with that relation, so it is of a claim from an earlier
    round. A pair counts once. None in round 1, which has nothing to rebut, and for one agent.
    """
    n = len(debate.agents)
    if round_ < 2 or n < 2:
        return None
    pairs = {
        (engagement.source, engagement.agent)
        for engagement in debate.resolved
        if engagement.round == round_ and engagement.relation == "rebut"
    }
    return len(pairs) / (n * (n - 1))


def mean_density(debate: MeasuredDebate) -> float | None:
    """Over the rounds from the second."""
    values = [density(debate, round_) for round_ in range(2, debate.rounds + 1)]
    return mean([value for value in values if value is not None])


def is_material(claim: Claim, material: Material) -> bool:
    """Whether a claim is one to answer: any, or one that cites evidence."""
    return material == "all" or bool(claim.evidence)


def available(debate: MeasuredDebate, round_: int, material: Material) -> list[tuple[str, Claim]]:
    """The (agent, opposing claim) pairs that a round could engage.

    The claim is another agent's, of an earlier round, and its option is not the agent's stance
    after the round before. A pair whose option or stance is unknown is left out.
    """
    before = debate.stances(round_ - 1)
    return [
        (agent, claim)
        for agent, stance in before.items()
        for claim in debate.claims
        if claim.agent != agent
        and claim.round < round_
        and claim.option not in ("", stance)
        and is_material(claim, material)
    ]


def claim_engagement(
    debate: MeasuredDebate, rounds: Sequence[int], material: Material
) -> float | None:
    """Available pairs that were engaged in their round, whatever the relation; None without any."""
    pairs = [
        (agent, claim.id, round_)
        for round_ in rounds
        for agent, claim in available(debate, round_, material)
    ]
    return share(sum(pair in debate.answered for pair in pairs), len(pairs))


def status_share(debate: MeasuredDebate, status: str, round_: int | None = None) -> float | None:
    """Share of the engagements with a status, in a round or in all; None without any.

    Of ``resolved`` this is reference compliance.
    """
    references = [
        engagement for engagement in debate.engagements if round_ in (None, engagement.round)
    ]
    return share(sum(engagement.status == status for engagement in references), len(references))


def in_degrees(debate: MeasuredDebate) -> dict[str, int]:
    """Agent -> how often its claims are engaged by others."""
    degrees = dict.fromkeys(debate.agents, 0)
    for engagement in debate.resolved:
        degrees[engagement.agent] += 1
    return degrees


def gini(values: Sequence[float]) -> float | None:
    """Gini coefficient: mean absolute difference of two values over twice their mean.

    0 where all are equal, (n - 1) / n where one has everything; None where all are zero.
    """
    total = sum(values)
    if not total:
        return None
    ranked = sorted(values)
    n = len(ranked)
    return sum((2 * rank - n - 1) * value for rank, value in enumerate(ranked, start=1)) / (
        n * total
    )


def marginalisation(debate: MeasuredDebate, agent: str) -> float | None:
    """Share of an agent's claims that nobody ever engages.

    Claims of the last round, which nobody can answer, do not count; None without others.
    """
    engaged = {engagement.claim for engagement in debate.resolved}
    claims = [
        claim for claim in debate.claims if claim.agent == agent and claim.round < debate.rounds
    ]
    return share(sum(claim.id not in engaged for claim in claims), len(claims))


def watched(debate: MeasuredDebate) -> list[Claim]:
    """The claims made early enough to be ignored: those of the last two rounds are censored."""
    return [claim for claim in debate.claims if claim.round <= debate.rounds - PATIENCE]


def ignored(debate: MeasuredDebate) -> list[Claim]:
    """The claims that nobody engages within the two rounds after their own."""
    answered: dict[str, list[int]] = {}
    for engagement in debate.resolved:
        answered.setdefault(engagement.claim, []).append(engagement.round)
    return [
        claim
        for claim in watched(debate)
        if all(round_ > claim.round + PATIENCE for round_ in answered.get(claim.id, []))
    ]
