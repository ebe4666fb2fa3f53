"""What the levels of a factor change: over all arms, and in what an arm changes.

Every draw gives one number: the mean of its arms, or a contrast of them. Where every item has all
levels (crossed and balanced factors), these numbers are compared within blocks, draws that are
alike in all else that the design holds equal; where levels are drawn, between draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options, flipped
from dissensus.design.pairs import Labels
from dissensus.digests import seed_of
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate
from dissensus.stats.slopes import centred, cluster_robust_slope
from dissensus.study.experiment.factors import SLOPE, TIMES, Factor, Level


class Effect(NamedTuple):
    """What a level changes against the first, or a unit of a numeric factor.

    Attributes
    ----------
    level : its name, or :data:`SLOPE`.
    base : the first level; "" for a slope.
    """

    level: str
    base: str
    method: str
    estimate: Estimate


@dataclass(frozen=True)
class Dealt:
    """The levels of one factor, an entry a draw.

    Attributes
    ----------
    factor : as it is declared.
    levels : shape (n,).
    clusters : labels, shape (n,).
    blocks : labels, shape (n,), each within an item; None where levels are drawn.
    """

    factor: Factor
    levels: Labels
    clusters: Labels
    blocks: Labels | None

    @classmethod
    def of(
        cls, draws: pd.DataFrame, name: str, factors: Mapping[str, Factor], cluster: str
    ) -> Dealt:
        """From the draws of a study.

        Parameters
        ----------
        draws : a row a draw, in the order of their names, with item_id, the cluster and a column a
            factor.
        name : of the factor.
        factors : all, by name.
        cluster : column of what is independent.
        """
        factor, blocks = factors[name], None
        if factor.is_within:
            crossed = [each for each in factors if factors[each].how == "crossed"]
            repeat = draws.groupby(["item_id", *crossed], sort=False).cumcount()
            alike = [draws[each] for each in ("item_id", *crossed) if each != name]
            # Levels are balanced over repeats, and crossed within each.
            alike += [repeat] if factor.how == "crossed" else []
            blocks = pd.MultiIndex.from_arrays(alike).factorize()[0]
        return cls(factor, draws[name].to_numpy(), draws[cluster].to_numpy(), blocks)

    def effects(self, values: FloatArray, options: Options) -> Iterator[Effect]:
        """The slope of a numeric factor, then each level against the first.

        Parameters
        ----------
        values : shape (n,), NaN where a draw has none.
        options : the seed is this comparison's.

        Returns
        -------
        By the headline's method, and by sign flips where a level is compared within blocks: there
        a level that changes nothing has differences as likely above zero as below. A slope over
        more than two levels, and draws that have one level each, are not paired so.
        """
        first, *others = self.factor.values
        base, *names = self.factor.names
        if self.factor.has_slope:
            kept = np.isfinite(values)
            yield Effect(SLOPE, "", HEADLINE, self._slope(values, self.levels, kept, options))
        for level, name in zip(others, names, strict=True):
            kept = np.isfinite(values) & ((self.levels == level) | (self.levels == first))
            is_level = (self.levels == level).astype(float)
            effect = self._slope(values, is_level, kept, options)
            yield Effect(name, base, HEADLINE, effect)
            if self.blocks is not None:
                seeded = replace(options, seed=seed_of(options.seed, name))
                by_signs = self._by_signs(values, is_level, kept, seeded)
                yield Effect(name, base, RANDOMISATION, replace(by_signs, n=effect.n))

    def of_levels(self, level: Level, base: Level, kept: Labels) -> tuple[Labels, Labels]:
        """Which of the kept draws have a level, and which its base, shape (n,) each.

        Where levels are compared within items, only in blocks that have both.
        """
        is_level, is_base = self.levels == level, self.levels == base
        rows = self._within(is_level.astype(float), kept & (is_level | is_base))
        return rows & is_level, rows & is_base

    def _within(self, regressor: FloatArray, kept: Labels) -> Labels:
        """Those of the kept draws in whose blocks the regressor varies."""
        if self.blocks is None:
            return kept
        codes = np.flatnonzero(kept)
        about = centred(regressor[codes], self.blocks[codes])
        varied = np.unique(self.blocks[codes][about != 0.0])
        return np.asarray(kept & np.isin(self.blocks, varied))

    def _slope(
        self, values: FloatArray, regressor: Labels, kept: Labels, options: Options
    ) -> Estimate:
        x = np.asarray(regressor, dtype=np.float64)
        rows = self._within(x, kept)
        blocks = None if self.blocks is None else self.blocks[rows]
        return cluster_robust_slope(
            values[rows], x[rows], self.clusters[rows], blocks, options.confidence
        )

    def _by_signs(
        self, values: FloatArray, regressor: FloatArray, kept: Labels, options: Options
    ) -> Estimate:
        """The sign-flip test of the blocks' differences, each with its weight in the slope."""
        assert self.blocks is not None
        rows = self._within(regressor, kept)
        y, x, blocks = values[rows], regressor[rows], self.blocks[rows]
        clusters = self.clusters[rows]
        if len(np.unique(clusters)) < 2:
            return self._slope(values, regressor, kept, options)
        about = centred(x, blocks)
        _, first, codes = np.unique(blocks, return_index=True, return_inverse=True)
        differences = np.bincount(codes, weights=about * y) * len(first) / float(about @ about)
        return flipped(differences, clusters[first], options)


def interactions(
    draws: pd.DataFrame,
    values: FloatArray,
    among: Sequence[str],
    factors: Mapping[str, Factor],
    cluster: str,
    confidence: float,
) -> Iterator[Effect]:
    """What factors change in each other: of two, the difference of differences.

    It is the coefficient of their product in a least-squares regression that has each of them, and
    of three also the products of two: by how much the difference of differences differs. A numeric
    factor stands with its number in it, so that its level is :data:`SLOPE`. Where levels of one are
    compared within items, so is this.

    Parameters
    ----------
    draws : as for :meth:`Dealt.of`.
    values : shape (n,), NaN where a draw has none.
    among : two factors, or three, by name.
    factors : all, by name.
    cluster : column of what is independent.
    confidence : level of the intervals.
    """
    coded = [_coded(draws, name, factors[name]) for name in among]
    is_within = any(factors[name].is_within for name in among)
    crossed = [name for name in factors if factors[name].how == "crossed" and name not in among]
    alike = [draws[name] for name in ("item_id", *crossed)]
    blocks = pd.MultiIndex.from_arrays(alike).factorize()[0] if is_within else None
    for combination in product(*coded):
        levels, bases, regressors, about = zip(*combination, strict=True)
        kept = np.isfinite(values) & np.logical_and.reduce(about)
        # Each factor, and each product of fewer than all of them.
        controls = [
            np.prod(some, axis=0)
            for count in range(1, len(regressors))
            for some in combinations(regressors, count)
        ]
        estimate = cluster_robust_slope(
            values[kept],
            np.prod(regressors, axis=0)[kept],
            draws[cluster].to_numpy()[kept],
            None if blocks is None else blocks[kept],
            confidence,
            np.column_stack(controls)[kept],
        )
        yield Effect(TIMES.join(levels), TIMES.join(filter(None, bases)), HEADLINE, estimate)


def _coded(
    draws: pd.DataFrame, name: str, factor: Factor
) -> list[tuple[str, str, FloatArray, Labels]]:
    """Of a factor its number, or each level against the first: names, regressor, and which draws.

    Centred, so that another factor's control is its effect in the middle, which changes nothing in
    the product's coefficient and is better conditioned.
    """
    levels = draws[name].to_numpy()
    if factor.has_slope:
        x = levels.astype(np.float64)
        return [(SLOPE, "", x - x.mean(), np.ones(len(levels), dtype=bool))]
    first, *others = factor.values
    base, *names = factor.names
    return [
        (level, base, (levels == value) - 0.5, (levels == value) | (levels == first))
        for value, level in zip(others, names, strict=True)
    ]
