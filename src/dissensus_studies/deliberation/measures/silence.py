"""Silence as acceptance: a signal that is put to the test, and never scored as agreement."""

from __future__ import annotations

from dataclasses import dataclass

from .debate import MeasuredDebate, difference, share
from .graph import Material, is_material


@dataclass(frozen=True)
class Exposure:
    """An agent faced with a material claim for another option than its own.

    ``silent`` where it never engages the claim; ``moved`` where it takes the claim's option as its
    stance in any later round.
    """

    agent: str
    claim: str
    silent: bool
    moved: bool


def exposures(debate: MeasuredDebate, material: Material) -> list[Exposure]:
    """All exposures of a session.

    A claim opposes the agents whose stance in its own round is another, which is the stance they
    have when they first read it. Claims of the last round are read by nobody.
    """
    answered = {(engagement.source, engagement.claim) for engagement in debate.resolved}
    exposed = []
    for claim in debate.claims:
        if claim.round >= debate.rounds or not claim.option or not is_material(claim, material):
            continue
        for agent, stance in debate.stances(claim.round).items():
            if agent == claim.agent or stance == claim.option:
                continue
            later = range(claim.round + 1, debate.rounds + 1)
            moved = any(debate.stance(round_, agent) == claim.option for round_ in later)
            exposed.append(Exposure(agent, claim.id, (agent, claim.id) not in answered, moved))
    return exposed


def silent_share(exposed: list[Exposure]) -> float | None:
    """Share of exposures that are silent; the rest are engaged. None without exposures."""
    return share(sum(exposure.silent for exposure in exposed), len(exposed))


def silence_effect(exposed: list[Exposure]) -> float | None:
    """P(moves to the claim's option | silent) - P(moves | engaged); None where either is empty."""
    return difference(
        [exposure.moved for exposure in exposed if exposure.silent],
        [exposure.moved for exposure in exposed if not exposure.silent],
    )
