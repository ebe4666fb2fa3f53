"""Rows of an outcome over sessions: its contrasts, its values in arms, and at levels of factors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import (
    HEADLINE,
    RANDOMISATION,
    TWO_WAY,
    Options,
    Row,
    contrast_row,
    defined,
)
from dissensus.design.over_sessions import Statistic
from dissensus.design.pairs import Columns, Labels
from dissensus.design.resampled import OverSessions, Sampled
from dissensus.design.weights import Contrast
from dissensus.digests import seed_of
from dissensus.stats.results import NAN, Estimate, cut
from dissensus.stats.shares import share_limits

#: Resamples of the clusters at most: they give a standard error, which 2% change little.
_RESAMPLES = 2000
#: Which draws, shape (n,).
Rows = NDArray[np.bool_]
Groups = Sequence[tuple[float, Rows]]


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

    def _mean(
        self,
        of: OverSessions,
        arm: str,
        resamples: int,
        options: Options,
        among: Groups = (),
    ) -> Row:
        found = of.sampled({arm: 1.0}, resamples, seed_of(options.seed, self.name, arm), among)
        return contrast_row(self.name, arm, "", HEADLINE, self._limited(found, options), False)

    def _limited(self, found: Sampled, options: Options) -> Estimate:
        """What it is in an arm, tested against its null, within limits that it can have."""
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
        return replace(mean, p_value=NAN) if self.null is None else mean

    def over_both_ways(
        self,
        metrics: pd.DataFrame,
        compared: Sequence[Contrast],
        levels: Labels,
        options: Options,
        columns: Columns,
    ) -> Iterator[Row]:
        """Rows by the method :data:`~dissensus.design.contrasts.TWO_WAY`.

        Parameters
        ----------
        metrics, options, columns : as for :meth:`rows`.
        compared : contrasts, or single arms, which have a row where there is a null.
        levels : of the factor that is a sample, a label a draw, in the order of their names.

        Yields
        ------
        None of a contrast that has no standard error by both ways.
        """
        of = OverSessions.of(metrics, self.statistic, columns)
        for each in compared:
            seed = seed_of(options.seed, self.name, each.name, TWO_WAY)
            resamples = min(options.flips, _RESAMPLES)
            found = of.both_ways(each.weights, levels, resamples, seed)
            estimate = (
                found.at(options.confidence) if each.reference else self._limited(found, options)
            )
            if not isnan(estimate.p_value):
                row = contrast_row(self.name, each.arm, each.reference, TWO_WAY, estimate, False)
                yield {**row, "contrast": each.name}

    def at_level(
        self,
        metrics: pd.DataFrame,
        arms: Sequence[str],
        rows: Rows,
        options: Options,
        columns: Columns,
    ) -> Iterator[Row]:
        """What it is in each arm, in some draws alone: ``rows``, shape (n,), by their names."""
        of = OverSessions.of(metrics, self.statistic, columns)
        for arm in arms:
            yield self._mean(of, arm, min(options.flips, _RESAMPLES), options, ((1.0, rows),))

    def changed(
        self,
        metrics: pd.DataFrame,
        compared: Contrast,
        groups: Callable[[Rows], tuple[Rows, Rows]],
        options: Options,
        columns: Columns,
    ) -> Estimate:
        """What a weighted sum of arms is in some draws, less what it is in others.

        Parameters
        ----------
        metrics, columns : as for :meth:`rows`.
        compared : a contrast, or a mean of arms.
        groups : from the draws that have all that is needed to these and the others, each of shape
            (n,), in the order of the draws' names.
        options : the seed is this comparison's.
        """
        of = OverSessions.of(metrics, self.statistic, columns)
        some, others = groups(of.complete(compared.weights))
        resamples = min(options.flips, _RESAMPLES)
        among = ((1.0, some), (-1.0, others))
        return of.sampled(compared.weights, resamples, options.seed, among).at(options.confidence)

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
