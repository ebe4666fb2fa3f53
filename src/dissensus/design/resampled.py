"""Statistics over the sessions of an arm: intervals by resampling clusters, contrasts, and swaps.

A statistic such as an AUC is no mean of numbers of sessions, so that its standard error is that of
a bootstrap of whole clusters (Davison & Hinkley 1997, section 3.8), of both arms at once where it
is of a contrast. Intervals are Student's t, with a degree of freedom less than the clusters of the
kind of case that has fewest. The test of a contrast lets the two arms change places in whole
clusters at random: what a sign flip is of a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import Options, Simulated
from dissensus.design.over_sessions import Statistic
from dissensus.design.pairs import Columns, Labels, by_arm, units_of
from dissensus.design.weights import Contrast
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.stats.ratios import UNDEFINED, cluster_weights
from dissensus.stats.results import NAN, Estimate, monte_carlo, t_estimate

#: Weights in memory at a time.
_CELLS = 1_000_000
_ROUNDING = 1e-9

#: From weights of clusters, shape (b, G), to what is estimated, shape (b,).
_Weighed = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Sampled:
    """What a statistic, or a contrast of arms in it, came to.

    Attributes
    ----------
    estimate : NaN where sessions do not define it.
    bias : what chance adds to it, as resamples tell; 0 where nothing is known of that.
    se : NaN where too few clusters, or resamples that define nothing, leave none. Where it is 0 up
        to rounding there is neither interval nor p-value.
    n, clusters : sessions or draws; clusters of the kind of case that has fewest.
    """

    estimate: float
    n: int
    clusters: int
    se: float = NAN
    bias: float = 0.0

    def at(self, confidence: float, null: float = 0.0) -> Estimate:
        """The estimate with its t interval, and its p-value against a null."""
        if not self.se > _ROUNDING:
            return Estimate(self.estimate, n=self.n, n_clusters=self.clusters)
        about = self.estimate - self.bias - null
        made = t_estimate(about, self.se, self.clusters - 1, confidence, self.n, self.clusters)
        low, high = made.ci_low + null, made.ci_high + null
        return replace(made, estimate=self.estimate, ci_low=low, ci_high=high)


@dataclass(frozen=True)
class OverSessions:
    """The sessions that a statistic is of, draw by draw.

    Attributes
    ----------
    statistic : what is computed.
    by_arm : column -> a row a draw and a column an arm, NaN where there is none.
    items, clusters : of each draw, shape (n,).
    """

    statistic: Statistic
    by_arm: Mapping[str, pd.DataFrame]
    items: Labels
    clusters: Labels

    @classmethod
    def of(cls, metrics: pd.DataFrame, statistic: Statistic, columns: Columns) -> OverSessions:
        """From a row a session, with ``item_id`` and the columns of the statistic."""
        wide = {name: by_arm(metrics, name, columns).sort_index() for name in statistic.columns}
        units = units_of(metrics, columns)
        return cls(statistic, wide, units["item_id"].to_numpy(), units[columns.cluster].to_numpy())

    def sampled(
        self,
        weights: Mapping[str, float],
        resamples: int,
        seed: int,
        among: Sequence[tuple[float, NDArray[np.bool_]]] = (),
    ) -> Sampled:
        """A weighted sum of arms, over the draws that have all columns in all of them.

        Parameters
        ----------
        weights : arm -> weight.
        resamples, seed : of the bootstrap.
        among : weights of groups of draws, and which draws each has, shape (n,): the sum is then
            taken in each group, and these are summed again. All draws are one unless given.
        """
        there = self.complete(weights)
        groups = [(factor, rows & there) for factor, rows in among] or [(1.0, there)]
        kept = np.logical_or.reduce([rows for _, rows in groups])
        if not all(rows.any() for _, rows in groups):
            return Sampled(NAN, 0, 0)
        names, codes = np.unique(self.clusters[kept], return_inverse=True)
        parts = [
            self._part(factor * weight, arm, rows, codes[rows[kept]])
            for factor, rows in groups
            for arm, weight in weights.items()
        ]

        def weighed(of_clusters: FloatArray) -> FloatArray:
            return np.asarray(sum(part.of(self.statistic, of_clusters) for part in parts))

        n, estimate = int(kept.sum()), float(weighed(np.ones((1, len(names))))[0])
        fewest = min(part.fewest(self.statistic) for part in parts)
        alone = Sampled(estimate, n, fewest)
        if fewest < 2 or not isfinite(estimate):
            return alone
        drawn = cluster_weights(len(names), resamples, seed)
        made = _in_parts(weighed, drawn, len(codes))
        defined = made[np.isfinite(made)]
        if len(defined) < (1.0 - UNDEFINED) * resamples:
            return alone
        is_mean = len(parts) == 1 and self.statistic.is_biased
        bias = float(defined.mean()) - estimate if is_mean else 0.0
        return replace(alone, se=float(defined.std(ddof=1)), bias=bias)

    def both_ways(
        self, weights: Mapping[str, float], levels: Labels, resamples: int, seed: int
    ) -> Sampled:
        """The same as if the levels of a factor were a sample, too, such as models.

        Parameters
        ----------
        weights, resamples, seed : as for :meth:`sampled`.
        levels : of each draw, shape (n,).

        Returns
        -------
        ``clusters`` is the smaller count of clusters and levels.

        Notes
        -----
        The variance is that by cluster and that by level, less that by both (Cameron, Gelbach &
        Miller 2011, Journal of Business & Economic Statistics 29:238-249), and never below the
        larger of the first two, as in :func:`~dissensus.stats.bootstrap.two_way_robust_mean`. Each
        is of a bootstrap, times G/(G - 1) of its G clusters: resamples of three levels would differ
        by a third too little. Of a mean this comes to CR2 where clusters have equally many draws.
        """
        cells = pd.MultiIndex.from_arrays([self.clusters, levels]).factorize()[0]
        found = [
            replace(self, clusters=way).sampled(weights, resamples, seed)
            for way in (self.clusters, levels, cells)
        ]
        by_cluster, by_level, by_both = (
            each.se**2 * each.clusters / max(each.clusters - 1, 1) for each in found
        )
        variance = max(by_cluster + by_level - by_both, by_cluster, by_level)
        fewest = min(each.clusters for each in found[:2])
        is_known = all(isfinite(each.se) for each in found)
        return replace(found[0], se=variance**0.5 if is_known else NAN, clusters=fewest)

    def swapped(self, contrast: Contrast, options: Options) -> Simulated:
        """The test that lets the sides of a contrast change places, cluster by cluster.

        Parameters
        ----------
        contrast : of sides with the same weights.
        options : patterns of places, all of them where they are no more; and their seed.
        """
        kept = self.complete(contrast.weights)
        names, codes = np.unique(self.clusters[kept], return_inverse=True)
        items = np.unique(self.items[kept], return_inverse=True)[1]
        sides = [
            sorted(side.items(), key=lambda each: each[1])
            for side in (contrast.treated, contrast.referred)
        ]
        pairs = [
            (weight, self._values(arm, kept), self._values(other, kept))
            for (arm, weight), (other, _) in zip(*sides, strict=True)
        ]
        twice = np.concatenate([items, items])

        def differences(flips: FloatArray) -> FloatArray:
            spread = flips[:, codes]
            stays, goes = np.hstack([1.0 - spread, spread]), np.hstack([spread, 1.0 - spread])
            total = np.zeros(len(flips))
            for weight, first, other in pairs:
                both = {name: np.concatenate([first[name], other[name]]) for name in first}
                of = (self.statistic.of(both, twice, weights) for weights in (stays, goes))
                total += weight * np.subtract(*of)
            return total

        observed = float(differences(np.zeros((1, len(names))))[0])
        patterns, is_exact = _patterns(len(names), options)
        made = np.abs(_in_parts(differences, patterns, 2 * len(codes)))
        # Where a pattern defines nothing it counts against the finding.
        extreme = int((~(made < abs(observed) - _ROUNDING)).sum())
        p_value, error = extreme / len(patterns), 0.0
        if not is_exact:
            test = monte_carlo(observed, extreme, len(patterns))
            p_value, error = test.p_value, test.simulation_error
        return Simulated(
            observed, p_value=p_value, n=int(kept.sum()), n_clusters=len(names),
            simulation_error=error,
        )  # fmt: skip

    def _part(self, weight: float, arm: str, rows: NDArray[np.bool_], codes: IntArray) -> _Part:
        items = np.unique(self.items[rows], return_inverse=True)[1]
        return _Part(weight, self._values(arm, rows), items, codes)

    def complete(self, arms: Mapping[str, float]) -> NDArray[np.bool_]:
        """The draws that have all columns in all these arms, shape (n,)."""
        there = np.ones(len(self.clusters), dtype=bool)
        for wide in self.by_arm.values():
            for arm in arms:
                there &= wide[arm].notna().to_numpy() if arm in wide else False
        return there

    def _values(self, arm: str, kept: NDArray[np.bool_]) -> dict[str, FloatArray]:
        return {
            name: wide[arm].to_numpy(float)[kept] if arm in wide else np.zeros(0)
            for name, wide in self.by_arm.items()
        }


@dataclass(frozen=True)
class _Part:
    """The sessions of an arm in a group of draws, and what the statistic weighs there.

    Attributes
    ----------
    values : a column each, shape (n,).
    items, codes : of the items and of the clusters, shape (n,).
    """

    weight: float
    values: Mapping[str, FloatArray]
    items: IntArray
    codes: IntArray

    def of(self, statistic: Statistic, of_clusters: FloatArray) -> FloatArray:
        return self.weight * statistic.of(self.values, self.items, of_clusters[:, self.codes])

    def fewest(self, statistic: Statistic) -> int:
        """Clusters of the kind of case that has fewest."""
        groups = statistic.groups(self.values)
        return min(len(np.unique(self.codes[group])) for group in groups)


def _in_parts(weighed: _Weighed, weights: FloatArray, wide: int) -> FloatArray:
    """What all weightings give, some at a time; ``wide``: entries of one where it is largest."""
    step = max(1, _CELLS // max(1, wide))
    parts = [weighed(weights[start : start + step]) for start in range(0, len(weights), step)]
    return np.concatenate(parts)


def _patterns(count: int, options: Options) -> tuple[FloatArray, bool]:
    """Which clusters change places, a row a pattern; and whether these are all there are."""
    if 2**count <= options.flips:
        codes: IntArray = np.arange(2**count)
        return ((codes[:, None] >> np.arange(count)) & 1).astype(float), True
    rng = np.random.default_rng(options.seed)
    return rng.integers(0, 2, size=(options.flips, count)).astype(float), False
