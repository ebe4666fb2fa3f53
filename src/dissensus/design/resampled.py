"""Statistics over the sessions of an arm: intervals by resampling clusters, contrasts, and swaps.

A statistic such as an AUC is no mean of numbers of sessions, so that its standard error is that of
a bootstrap of whole clusters (Davison & Hinkley 1997, section 3.8), of both arms at once where it
is of a contrast. Intervals are Student's t, with a degree of freedom less than the clusters of the
kind of case that has fewest. The test of a contrast lets the two arms change places in whole
clusters at random: what a sign flip is of a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import (
    HEADLINE,
    RANDOMISATION,
    Options,
    Row,
    Simulated,
    contrast_row,
    defined,
)
from dissensus.design.over_sessions import Statistic
from dissensus.design.pairs import Columns, Labels, by_arm, units_of
from dissensus.design.weights import Contrast
from dissensus.digests import seed_of
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.stats.ratios import UNDEFINED, cluster_weights
from dissensus.stats.results import NAN, Estimate, cut, monte_carlo, t_estimate
from dissensus.stats.shares import share_limits

#: Resamples of the clusters at most: they give a standard error, which 2% change little.
_RESAMPLES = 2000
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
    se : NaN where too few clusters, or resamples that define nothing, leave none.
    n, clusters : sessions or draws; clusters of the kind of case that has fewest.
    """

    estimate: float
    n: int
    clusters: int
    se: float = NAN
    bias: float = 0.0

    def at(self, confidence: float, null: float = 0.0) -> Estimate:
        """The estimate with its t interval, and its p-value against a null."""
        if isnan(self.se):
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

    def sampled(self, weights: Mapping[str, float], resamples: int, seed: int) -> Sampled:
        """A weighted sum of arms, over the draws that have all columns in all of them.

        Parameters
        ----------
        weights : arm -> weight.
        resamples, seed : of the bootstrap.
        """
        kept = self._kept(weights)
        names, codes = np.unique(self.clusters[kept], return_inverse=True)
        parts = [(weight, self._values(arm, kept)) for arm, weight in weights.items()]
        if not kept.any():
            return Sampled(NAN, 0, 0)
        items = np.unique(self.items[kept], return_inverse=True)[1]

        def weighed(of_clusters: FloatArray) -> FloatArray:
            spread = of_clusters[:, codes]
            return np.asarray(
                sum(weight * self.statistic.of(values, items, spread) for weight, values in parts)
            )

        n, estimate = int(kept.sum()), float(weighed(np.ones((1, len(names))))[0])
        groups = [group for _, values in parts for group in self.statistic.groups(values)]
        fewest = min(len(np.unique(codes[group])) for group in groups)
        alone = Sampled(estimate, n, fewest)
        if fewest < 2 or not isfinite(estimate):
            return alone
        drawn = cluster_weights(len(names), resamples, seed)
        made = _in_parts(weighed, drawn, len(codes))
        there = made[np.isfinite(made)]
        if len(there) < (1.0 - UNDEFINED) * resamples:
            return alone
        se = float(there.std(ddof=1))
        if se <= _ROUNDING:
            return alone
        is_mean = len(parts) == 1 and self.statistic.is_biased
        return replace(alone, se=se, bias=float(there.mean()) - estimate if is_mean else 0.0)

    def swapped(self, contrast: Contrast, options: Options) -> Simulated:
        """The test that lets the sides of a contrast change places, cluster by cluster.

        Parameters
        ----------
        contrast : of sides with the same weights.
        options : patterns of places, all of them where they are no more; and their seed.
        """
        kept = self._kept(contrast.weights)
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

    def _kept(self, arms: Mapping[str, float]) -> NDArray[np.bool_]:
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


@dataclass(frozen=True)
class Tested:
    """A statistic as a study declares it.

    Attributes
    ----------
    name : of the outcome.
    statistic : what is computed.
    null : what its value in one arm is tested against; None for nothing.
    is_primary : whether its contrasts are the headline.
    """

    name: str
    statistic: Statistic
    null: float | None = None
    is_primary: bool = False

    def rows(
        self,
        metrics: pd.DataFrame,
        arms: Sequence[str],
        compared: Sequence[Contrast],
        options: Options,
        columns: Columns,
    ) -> tuple[list[Row], list[Row]]:
        """Rows of the contrasts, and of the arms; a contrast of no draw has n = 0.

        Parameters
        ----------
        metrics : a row a session, failed ones included.
        arms : each has a row.
        compared : the contrasts.
        options : the seed is the study's.
        columns : names of the columns.
        """
        of = OverSessions.of(metrics, self.statistic, columns)
        resamples = min(options.flips, _RESAMPLES)
        means = [self._mean(of, arm, resamples, options) for arm in arms]
        rows: list[Row] = []
        found = {}
        for each in compared:
            seed = seed_of(options.seed, self.name, each.arm, each.reference)
            found[each.name] = of.sampled(each.weights, resamples, seed)
            estimate = found[each.name].at(options.confidence)
            rows.append(self._row(each, HEADLINE, estimate))
            if each.is_swappable and found[each.name].clusters > 1:
                swapped = of.swapped(each, replace(options, seed=seed))
                rows.append(self._row(each, RANDOMISATION, swapped))
        if self.is_primary:
            self._limit_together(rows, of, compared, found, options)
        return rows, means

    def _row(self, contrast: Contrast, method: str, estimate: Estimate) -> Row:
        is_headline = self.is_primary and method == HEADLINE
        row = contrast_row(
            self.name, contrast.arm, contrast.reference, method, estimate, is_headline
        )
        return {**row, "contrast": contrast.name}

    def _mean(self, of: OverSessions, arm: str, resamples: int, options: Options) -> Row:
        found = of.sampled({arm: 1.0}, resamples, seed_of(options.seed, self.name, arm))
        mean = found.at(options.confidence, self.null or 0.0)
        if self.statistic.bounds and not isnan(mean.estimate):
            # What chance adds is taken off before the limits, which a logit would not leave there.
            by_logit = self.statistic.is_share and not self.statistic.is_biased
            limits = (mean.ci_low, max(mean.ci_high, mean.estimate))
            low, high = (
                share_limits(mean, options.confidence)
                if by_logit
                else cut(limits, self.statistic.bounds)
            )
            mean = replace(mean, ci_low=low, ci_high=high)
        if self.null is None:
            mean = replace(mean, p_value=NAN)
        return contrast_row(self.name, arm, "", HEADLINE, mean, False)

    def _limit_together(
        self,
        rows: Sequence[Row],
        of: OverSessions,
        compared: Sequence[Contrast],
        found: Mapping[str, Sampled],
        options: Options,
    ) -> None:
        """Write what :func:`~dissensus.design.contrasts.limit_together` says of means."""
        main = [row for row in rows if row["method"] == HEADLINE]
        tested = sum(row["p_value"] is not None for row in main)
        told = 1.0 - options.confidence
        for row, contrast in zip(main, compared, strict=True):
            if row["p_value"] is not None:
                wide = found[contrast.name].at(1.0 - told / tested)
                row |= {"family_low": defined(wide.ci_low), "family_high": defined(wide.ci_high)}
            others = [each for each in compared if each is not contrast]
            row["alike"] = [
                other.name
                for other in others
                if not self._are_told(of, contrast, other, told / len(others), options)
            ]

    def _are_told(
        self, of: OverSessions, one: Contrast, other: Contrast, alpha: float, options: Options
    ) -> bool:
        """Whether two contrasts of the same draws differ."""
        arms = dict.fromkeys([*one.weights, *other.weights])
        apart = {arm: one.weights.get(arm, 0.0) - other.weights.get(arm, 0.0) for arm in arms}
        seed = seed_of(options.seed, self.name, one.name, other.name)
        found = of.sampled(
            {arm: weight for arm, weight in apart.items() if weight},
            min(options.flips, _RESAMPLES),
            seed,
        )
        return found.at(1.0 - alpha).p_value < alpha

    def over_time(self, options: Options) -> Iterator[tuple[int, Tested, Options]]:
        """Each time of its curve, the statistic at it, and options with a seed of its own."""
        for time, at in self.statistic.curve.items():
            seeded = replace(options, seed=seed_of(options.seed, self.name, time))
            yield time, Tested(self.name, at), seeded
