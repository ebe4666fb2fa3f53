"""One session as the measures see it: stances by round, claims, and who answered which.

Rounds run from 1. An agent without a known stance or distribution in a round is left out of what
needs it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """``option`` is the stance that its author had in that turn, "" where unknown."""

    id: str
    agent: str
    round: int
    option: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Engagement:
    """A turn's reference to a claim; ``agent`` and ``claim`` are "" unless it is resolved."""

    round: int
    source: str
    relation: str
    status: str
    agent: str
    claim: str


@dataclass(frozen=True)
class Standing:
    """An agent after a round: stance ("" unknown) and distribution over options (() unknown).

    One that abstained has those from before the round.
    """

    stance: str = ""
    probabilities: tuple[float, ...] = ()


_UNKNOWN = Standing()


@dataclass(frozen=True)
class MeasuredDebate:
    """A complete session."""

    agents: tuple[str, ...]
    rounds: int
    options: tuple[str, ...]
    standings: Mapping[tuple[int, str], Standing]
    claims: tuple[Claim, ...] = ()
    engagements: tuple[Engagement, ...] = ()
    quality: Mapping[int, float] = field(default_factory=dict)
    quality_signed: Mapping[int, float] = field(default_factory=dict)

    def standing(self, round_: int, agent: str) -> Standing:
        return self.standings.get((round_, agent), _UNKNOWN)

    def stance(self, round_: int, agent: str) -> str:
        return self.standing(round_, agent).stance

    def stances(self, round_: int) -> dict[str, str]:
        """Agent -> stance, of those whose stance is known."""
        stance_of = {agent: self.stance(round_, agent) for agent in self.agents}
        return {agent: stance for agent, stance in stance_of.items() if stance}

    def distributions(self, round_: int) -> NDArray[np.float64]:
        """Of the agents whose distribution is known, shape (n, K)."""
        rows = [self.standing(round_, agent).probabilities for agent in self.agents]
        return np.array([row for row in rows if row], float).reshape(-1, len(self.options))

    def cited(self, round_: int) -> list[set[str]]:
        """The evidence that each agent cites in a round; one that abstained cites none."""
        return [
            {
                item
                for claim in self.claims
                if claim.agent == agent and claim.round == round_
                for item in claim.evidence
            }
            for agent in self.agents
        ]

    @cached_property
    def resolved(self) -> tuple[Engagement, ...]:
        """The references that name one earlier claim of another agent."""
        return tuple(
            engagement for engagement in self.engagements if engagement.status == "resolved"
        )

    @cached_property
    def answered(self) -> frozenset[tuple[str, str, int]]:
        """(agent, claim, round) of every engagement of that claim by that agent."""
        return frozenset(
            (engagement.source, engagement.claim, engagement.round) for engagement in self.resolved
        )


def debate_of(
    session: Row,
    topic: Row,
    claims: Iterable[Row],
    engagements: Iterable[Row],
    stances: Iterable[Row],
    judgements: Iterable[Row],
) -> MeasuredDebate:
    """A session from its row of the manifest, its topic, and its rows of the four tables."""
    standings = {
        (row["round"], row["agent"]): Standing(row["stance"], _scaled(row["probabilities"]))
        for row in stances
    }
    judged = [row for row in judgements if row["kind"] == "crit"]
    return MeasuredDebate(
        agents=tuple(f"A{seat}" for seat in range(1, session["agents"] + 1)),
        rounds=session["rounds"],
        options=tuple(topic["options"]),
        standings=standings,
        claims=tuple(
            Claim(
                row["claim_id"], row["agent"], row["round"], row["option"], tuple(row["evidence"])
            )
            for row in claims
        ),
        engagements=tuple(
            Engagement(
                row["round"],
                row["source"],
                row["relation"],
                row["status"],
                row["resolved_agent"],
                row["resolved_claim"],
            )
            for row in engagements
        ),
        quality=_by_round(judged, "gamma"),
        quality_signed=_by_round(judged, "signed"),
    )


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def share(count: int, whole: int) -> float | None:
    """A share; None of nothing."""
    return count / whole if whole else None


def difference(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Share of true values in the first minus in the second; None where one is empty."""
    if not first or not second:
        return None
    return sum(first) / len(first) - sum(second) / len(second)


def _scaled(probabilities: Sequence[float]) -> tuple[float, ...]:
    """Summing to one again after the artefact's single precision."""
    total = sum(probabilities)
    return tuple(value / total for value in probabilities) if total > 0 else ()


def _by_round(rows: Sequence[Row], column: str) -> dict[int, float]:
    """The mean score of each round's turns."""
    by_round: dict[int, list[float]] = {}
    for row in rows:
        if row[column] is not None:
            by_round.setdefault(row["round"], []).append(row[column])
    return {round_: sum(values) / len(values) for round_, values in by_round.items()}
