"""The weights in closed form, from how often answers agree; no distribution of beliefs is assumed.

Derivation
----------
Given a question's beliefs p, the opening answers are independent draws from p, and the first
transition draws from pi_belief p + pi_self e(own answer) + pi_peer (mean of e(peers' answers)).
With s2 = E sum_k p_k^2, the probability that two openings agree, a new answer agrees

    with the agent's own old one:  P = pi_belief s2 + pi_self + pi_peer s2 = s2 + pi_self (1 - s2),
    with those of its n peers:     sum of P = n s2 + pi_peer (1 - s2),

because the mean of e(peers' answers) holds a given peer's with weight 1/n and n - 1 independent
draws with the rest. Hence, as in a kappa, agreement beyond chance over what chance leaves:

    pi_self = (A_self - s2) / (1 - s2),    pi_peer = (A_peers - n s2) / (1 - s2).

With one peer pi_peer - pi_self is what Conformity minus Obstinacy estimates, since agreement counts
on both sides. With s3 the probability that three openings agree, the belief in the own and in
the peer's answer where they differ is (s2 - s3) / (1 - s2). With q the opening accuracy and K
options, h = q^2 + (1 - q)^2 / (K - 1) is what s2 would be if all questions were alike, and the
Dirichlet that has q and s2 has a_correct + (K - 1) a_other = (1 - s2) / (s2 - h).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate

from .likelihood import QUANTITIES
from .panel import Panel, one_hot


@dataclass(frozen=True)
class Moments:
    """Estimates by parameter; NaN where the moments define no number."""

    estimates: dict[str, Estimate]
    n_questions: int

    def vector(self, names: Sequence[str]) -> FloatArray:
        return np.array([self.estimates[name].estimate for name in names])


def moment_estimate(
    panel: Panel, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Moments:
    """Estimate the first transition's parameters in closed form.

    Parameters
    ----------
    panel : with one round or more after the opening; only the first is used.
    confidence : level of the percentile intervals of the bootstrap over questions.
    resamples : of the bootstrap; 0 for estimates alone.
    seed : of the bootstrap.

    Returns
    -------
    Of each of :data:`QUANTITIES`. Nothing where agents hear different numbers of peers, since their
    first transitions then have no pi in common; no concentrations where questions have different
    numbers of options; Conformity and Obstinacy with one peer alone.
    """
    sums, n_peers = _sums(panel), panel.n_peers
    options = np.unique(panel.options)
    heard = int(n_peers[0]) if np.ptp(n_peers) == 0 else 0
    k = int(options[0]) if options.size == 1 else 0
    with np.errstate(divide="ignore", invalid="ignore"):
        solved = _solve(sums.sum(axis=0)[None], heard, k)[0]
        drawn = np.empty((0, len(QUANTITIES)))
        if resamples:
            n = panel.n_questions
            rng = np.random.default_rng(seed)
            weights = rng.multinomial(n, np.full(n, 1.0 / n), size=resamples)
            drawn = _solve(weights @ sums, heard, k)
    n = panel.n_questions
    estimates = {
        name: _interval(float(solved[column]), drawn[:, column], confidence, n)
        for column, name in enumerate(QUANTITIES)
    }
    return Moments(estimates, n)


def _sums(panel: Panel) -> FloatArray:
    """(M, 10), what each question adds to the rates."""
    width = panel.width
    opening = panel.answers[:, 0]
    counts = one_hot(opening, width).sum(axis=1)
    n = counts.sum(axis=1)
    usable = panel.usable(1)[:, 0]
    new = panel.answers[:, 1]
    same = (new[:, :, None] == opening[:, None, :]) & usable[:, :, None]
    rows = [
        (counts * (counts - 1)).sum(axis=1),
        n * (n - 1),
        (counts * (counts - 1) * (counts - 2)).sum(axis=1),
        n * (n - 1) * (n - 2),
        (opening == panel.correct[:, None]).sum(axis=1),
        n,
        np.einsum("mii->m", same.astype(np.int64)),
        np.einsum("mij,ij->m", same, panel.hears),
        usable.sum(axis=1),
    ]
    return np.column_stack(rows).astype(np.float64)


def _solve(sums: FloatArray, heard: int, options: int) -> FloatArray:
    """(R, 12), the moments' solution for each row of summed rates; NaN where there is none."""
    pairs, of_pairs, triples, of_triples, right, answered, obstinate, peers, moved = sums.T
    s2, s3, q = pairs / of_pairs, triples / of_triples, right / answered
    nothing = np.full(len(sums), np.nan)
    total, a_correct, a_other = nothing, nothing, nothing
    if options > 1:
        alike = q**2 + (1.0 - q) ** 2 / (options - 1)
        total = np.where(s2 > alike, (1.0 - s2) / (s2 - alike), np.inf)
        a_correct, a_other = q * total, (1.0 - q) * total / (options - 1)
    if not heard:
        rest = [nothing] * 8
        return np.column_stack([nothing, nothing, a_correct, a_other, *rest])
    pi_self = (obstinate / moved - s2) / (1.0 - s2)
    pi_peer = (peers / moved - heard * s2) / (1.0 - s2)
    pi_belief = 1.0 - pi_self - pi_peer
    chance = pi_belief * (s2 - s3) / (1.0 - s2) if heard == 1 else nothing
    conformity, obstinacy = pi_peer + chance, pi_self + chance
    by_belief = np.where(pi_belief > 0.0, pi_belief, np.nan)
    columns = [
        pi_self / by_belief,
        pi_peer / by_belief / heard,
        a_correct,
        a_other,
        pi_belief,
        pi_self,
        pi_peer,
        pi_peer - pi_self,
        (pi_self + pi_peer) / by_belief,
        conformity,
        obstinacy,
        conformity - obstinacy,
    ]
    return np.column_stack(columns)


def _interval(value: float, drawn: FloatArray, confidence: float, n: int) -> Estimate:
    """An estimate with the percentiles of its redrawn values; bare where some have none."""
    if not np.isfinite(value) or not drawn.size or not np.isfinite(drawn).all():
        return Estimate(value if np.isfinite(value) else float("nan"), n=n, n_clusters=n)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail])
    return Estimate(value, float(drawn.std(ddof=1)), float(low), float(high), n=n, n_clusters=n)
