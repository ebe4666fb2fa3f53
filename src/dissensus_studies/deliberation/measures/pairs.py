"""Every two models of the panel, over the sessions of an arm in which both sit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dissensus.digests import digest

from .debate import MeasuredDebate, Row, Standing, mean
from .distances import (
    jsd,
    kl,
    normalised_mutual_information,
    permutation_p,
    total_variation,
    wasserstein,
)


@dataclass(frozen=True)
class CompleteSession:
    """A session that ran to the end, with its row of the manifest and its topic."""

    session: Row
    topic: Row
    debate: MeasuredDebate

    def standings(self, round_: int) -> dict[str, Standing]:
        """Model -> where it stands after a round."""
        return {
            model: self.debate.standing(round_, agent)
            for model, agent in zip(self.session["cast"], self.debate.agents, strict=True)
        }


@dataclass(frozen=True)
class Permuting:
    """How the null of the mutual information is drawn."""

    permutations: int
    seed: int


def measure_pairs(
    sessions: Sequence[CompleteSession], permuting: Permuting
) -> list[dict[str, Any]]:
    """A row for every arm, first or last round, and pair of models.

    Parameters
    ----------
    sessions : the complete ones.
    permuting : how many permutations, from which seed.

    Returns
    -------
    list of rows of the artefact ``pairs``
        Divergences are means over the sessions in which both distributions are known: Wasserstein
        over those with ordered options, total variation over those without, the others over all.
        ``kl`` is of agent_a from agent_b. Mutual information is between the indices of the two
        stances in the topics' orders of options, over the sessions in which both are known; ``n``
        counts those.
    """
    by_arm: dict[str, list[CompleteSession]] = {}
    for session in sessions:
        by_arm.setdefault(session.session["arm"], []).append(session)
    return [
        {
            "arm": arm,
            "round": when,
            "agent_a": a,
            "agent_b": b,
            **_pair(shared, when, (a, b), permuting),
        }
        for arm, group in by_arm.items()
        for when in ("first", "last")
        for a, b in combinations(
            sorted({m for session in group for m in session.session["cast"]}), 2
        )
        if (shared := [session for session in group if {a, b} <= set(session.session["cast"])])
    ]


def _pair(
    sessions: Sequence[CompleteSession], when: str, models: tuple[str, str], permuting: Permuting
) -> dict[str, Any]:
    beliefs, places, topics = [], [], []
    for session in sessions:
        standings = session.standings(1 if when == "first" else session.debate.rounds)
        first, second = (standings[model] for model in models)
        if first.probabilities and second.probabilities:
            ordered = bool(session.topic["ordered"])
            beliefs.append((ordered, first.probabilities, second.probabilities))
        if first.stance and second.stance:
            options = session.debate.options
            places.append((options.index(first.stance), options.index(second.stance)))
            topics.append(str(session.session["topic_id"]))
    places_of, other = np.array(places, dtype=np.intp).reshape(-1, 2).T
    label = [permuting.seed, sessions[0].session["arm"], when, *models]
    seed = int(digest(label)[:12], 16)
    return {
        "kl": _mean(kl, beliefs),
        "jsd": _mean(jsd, beliefs),
        "wasserstein": _mean(wasserstein, [pair for pair in beliefs if pair[0]]),
        "tv": _mean(total_variation, [pair for pair in beliefs if not pair[0]]),
        "nmi": normalised_mutual_information(places_of, other),
        "nmi_p": permutation_p(places_of, other, topics, permuting.permutations, seed),
        "n": len(places),
    }


def _mean(
    distance: Callable[[ArrayLike, ArrayLike], float],
    beliefs: Sequence[tuple[bool, Sequence[float], Sequence[float]]],
) -> float | None:
    return mean([distance(first, second) for _, first, second in beliefs])
