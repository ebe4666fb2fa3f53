"""Who moves whom: an edge runs from (j, t - 1) to (i, t) when i moves towards j and refers to j."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .debate import MeasuredDebate, difference

#: What single precision may add to a change: agents state hundredths, so that a change of just
#: ``movement`` is common, and is none.
_ROUNDING = 1e-6

#: Relations that an agent who is being won over uses; a rebuttal is none.
TAKING_UP = ("concede", "support", "question")


@dataclass(frozen=True)
class Dyad:
    """Two agents of different stance in round t - 1, and how the one reacts to the other in t.

    Attributes
    ----------
    round : t.
    source, target : j, whose stance it is, and i, who may move towards it.
    cites : whether i concedes to, supports or questions an earlier claim of j in round t.
    moves : whether i gains more than ``movement`` in the probability of j's stance; where either
        distribution is unknown, whether i takes that stance.
    """

    round: int
    source: str
    target: str
    cites: bool
    moves: bool

    @property
    def edge(self) -> bool:
        return self.cites and self.moves


def dyads(debate: MeasuredDebate, movement: float) -> list[Dyad]:
    """Every (j, t - 1), (i, t) with different known stances in t - 1 and a known one of i in t.

    Parameters
    ----------
    debate : the session.
    movement : probability that i must gain for a move.
    """
    cited = {
        (engagement.round, engagement.agent, engagement.source)
        for engagement in debate.resolved
        if engagement.relation in TAKING_UP
    }
    pairs = []
    for round_ in range(2, debate.rounds + 1):
        before, now = debate.stances(round_ - 1), debate.stances(round_)
        for source, stance in before.items():
            for target, earlier in before.items():
                if earlier == stance or target not in now:
                    continue
                moves = _moves(debate, round_, target, stance, movement)
                pairs.append(Dyad(round_, source, target, (round_, source, target) in cited, moves))
    return pairs


def _moves(debate: MeasuredDebate, round_: int, agent: str, stance: str, movement: float) -> bool:
    before, now = debate.standing(round_ - 1, agent), debate.standing(round_, agent)
    if not before.probabilities or not now.probabilities:
        return now.stance == stance
    option = debate.options.index(stance)
    return now.probabilities[option] - before.probabilities[option] > movement + _ROUNDING


def direct(pairs: list[Dyad]) -> float | None:
    """P(moves | cites) - P(moves | does not cite); None where either is empty.

    Over the dyads of a source this is its influence on others (``direct_out``), over those of a
    target its openness to others (``direct_in``).
    """
    return difference(
        [dyad.moves for dyad in pairs if dyad.cites],
        [dyad.moves for dyad in pairs if not dyad.cites],
    )


def katz(debate: MeasuredDebate, pairs: list[Dyad], attenuation: float) -> dict[str, float]:
    """Total influence of each agent: a Katz sum over paths that respect time, in [0, 1].

    Parameters
    ----------
    debate : the session.
    pairs : its dyads; those that are edges count.
    attenuation : a, what each step of a path weighs, in [0, 1).

    Returns
    -------
    Agent -> row sum of Q - I, with Q the product over rounds of I + a A_t and A_t the edges into
    round t: a path takes at most one step a round and may wait (Grindrod, Parsons, Higham and
    Estrada, 2011, Physical Review E 83:046120, with one-step factors). Rounds are finite, so the
    sum is too whatever a is. It is divided by what it would be were every agent to move every other
    in every round, (1 + a (N - 1))^(R - 1) - 1.
    """
    seats = {agent: seat for seat, agent in enumerate(debate.agents)}
    n = len(seats)
    product: NDArray[np.float64] = np.eye(n)
    for round_ in range(2, debate.rounds + 1):
        edges = np.zeros((n, n))
        for dyad in pairs:
            if dyad.round == round_ and dyad.edge:
                edges[seats[dyad.source], seats[dyad.target]] = 1.0
        # Not BLAS's product, whose order of summation a machine may choose.
        product = product + attenuation * (product[:, :, None] * edges[None, :, :]).sum(axis=1)
    most = (1.0 + attenuation * (n - 1)) ** (debate.rounds - 1) - 1.0
    totals = product.sum(axis=1) - 1.0
    return {agent: float(totals[seat]) / most if most > 0 else 0.0 for agent, seat in seats.items()}


def leader(scores: dict[str, float]) -> str:
    """The agent with the greatest score; "" where several share it or all are zero."""
    best = max(scores.values(), default=0.0)
    first = [agent for agent, score in scores.items() if score == best]
    return first[0] if best > 0 and len(first) == 1 else ""
