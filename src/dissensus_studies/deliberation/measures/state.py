"""How far apart the agents of a round are, and how much of the evidence they cite they share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from dissensus.text.entropies import entropy, generalised_jsd


def in_order(probabilities: Mapping[str, float], options: Sequence[str]) -> list[float]:
    """Stated probabilities in the order of the topic's options, summing to one.

    Empty where they say nothing of the options: unstated ones count as zero, others are left out.
    """
    stated = [max(0.0, float(probabilities.get(option, 0.0))) for option in options]
    total = sum(stated)
    return [value / total for value in stated] if total > 0.0 else []


def js_of(probabilities: ArrayLike) -> float:
    """Generalised Jensen-Shannon divergence of the agents' distributions, uniform weights.

    Parameters
    ----------
    probabilities : shape (N, K); a distribution over the K options for each of N agents.

    Returns
    -------
    In bits, between 0 and log2 N (Lin, 1991, IEEE Transactions on Information Theory 37:145-151,
    eq. 5.1).

    Raises
    ------
    ValueError : no agent, or a row that is no distribution.
    """
    return generalised_jsd(probabilities) / float(np.log(2.0))


def entropy_of(probabilities: ArrayLike) -> float:
    """Shannon entropy of the agents' mean distribution, in bits: between 0 and log2 K.

    Parameters
    ----------
    probabilities : array_like, shape (N, K)
    """
    mean = np.asarray(probabilities, dtype=np.float64).mean(axis=0)
    return max(float(entropy(mean)) / float(np.log(2.0)), 0.0)


def evidence_overlap(
    cited: Sequence[Collection[str]] | Mapping[str, Collection[str]],
) -> float | None:
    """Mean Jaccard similarity of the evidence that two agents cite, over all pairs.

    Parameters
    ----------
    cited : the evidence that each agent cites in the round, by agent or in any order. A pair that
        cites nothing at all has no similarity and is left out.

    Returns
    -------
    In [0, 1]; None where no pair cites anything. To twelve decimals: two rounds with the same
    similarities have the same overlap, in whatever order their pairs come.
    """
    sets = [set(evidence) for evidence in (cited.values() if isinstance(cited, Mapping) else cited)]
    shares = [len(a & b) / len(a | b) for a, b in combinations(sets, 2) if a | b]
    return round(sum(shares) / len(shares), 12) if shares else None
