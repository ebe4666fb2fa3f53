"""Estimates as a study declares them: means of arms and contrasts of arms, and the rows of both.

A study says which outcomes, arms, clusters, strata and families there are; :func:`estimate` makes
rows of :func:`~dissensus.design.contrasts.contrasts_schema` by the estimators that all studies
share. An estimator of a study's own stands in (``estimator``) or beside them (``beside``), and the
study's page says what it is and why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    METHODS,
    Options,
    Row,
    adjust_family,
    compare_arms,
    contrast_row,
    robust_mean,
)
from dissensus.design.noise import beyond_floor
from dissensus.design.pairs import Columns, Labels
from dissensus.design.weights import Contrast
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate
from dissensus.stats.shares import share_limits

#: All strata together, and all arms together.
ALL = "all"

#: Values, shape (n,); the label of each one's cluster, shape (n,); the level of the interval; and
#: stratum, arm and outcome, which may name a random stream.
Estimator = Callable[[FloatArray, Labels, float, tuple[str, str, str]], Estimate]


def clustered_mean(
    values: FloatArray, clusters: Labels, confidence: float, of: tuple[str, str, str]
) -> Estimate:
    """The mean by the headline's method; see :func:`~dissensus.design.contrasts.robust_mean`."""
    return robust_mean(values, clusters, confidence)


@dataclass(frozen=True)
class Means:
    """Means of arms over the sessions that have an outcome.

    Attributes
    ----------
    outcomes : columns of the metrics.
    arms : each has a row, whatever came of it.
    cluster : column of what is independent.
    within : column of strata: there are rows of all sessions, then of those of each stratum, where
        an arm without a session has none; "" for all sessions alone.
    pooled : whether there is a mean over the sessions of all arms, too.
    adjusted : whether p-values are adjusted, over the arms of a stratum and outcome.
    shares : those outcomes that lie between 0 and 1, as do then the limits of their means
        (:func:`~dissensus.stats.shares.share_limits`).
    estimator : of a mean and its interval.
    """

    outcomes: Sequence[str]
    arms: Sequence[str]
    cluster: str
    within: str = ""
    pooled: bool = False
    adjusted: bool = False
    shares: Collection[str] = ()
    estimator: Estimator = clustered_mean

    def rows(self, metrics: pd.DataFrame, options: Options) -> list[Row]:
        """A row a stratum, arm and outcome; ``reference`` is empty."""
        made = []
        for stratum, some in strata(metrics, self.within):
            rows = list(self._of_stratum(stratum, some, options.confidence))
            for outcome in self.outcomes if self.adjusted else ():
                family = [row for row in rows if row["outcome"] == outcome]
                adjust_family(family, lambda row: not (self.pooled and row["arm"] == ALL))
            made += [_placed(self.within, stratum, row) for row in rows]
        return made

    def _of_stratum(self, stratum: str, some: pd.DataFrame, confidence: float) -> Iterator[Row]:
        by_arm = dict(iter(some.groupby("arm", sort=False)))
        sessions = {arm: by_arm.get(arm) for arm in self.arms}
        for arm, of_arm in {**sessions, **({ALL: some} if self.pooled else {})}.items():
            if of_arm is None and self.within:
                continue
            ended = some.iloc[:0] if of_arm is None else of_arm[of_arm["complete"].to_numpy(bool)]
            for outcome in self.outcomes:
                kept = ended[ended[outcome].notna()]
                mean = self.estimator(
                    kept[outcome].to_numpy(dtype=float),
                    kept[self.cluster].to_numpy(),
                    confidence,
                    (stratum, arm, outcome),
                )
                if outcome in self.shares:
                    low, high = share_limits(mean, confidence)
                    mean = replace(mean, ci_low=low, ci_high=high)
                yield contrast_row(outcome, arm, "", HEADLINE, mean, headline=False)


@dataclass(frozen=True)
class Contrasts:
    """Contrasts of arms, draw by draw.

    Attributes
    ----------
    outcomes : columns of the metrics, the primary one first.
    compared : arm and reference, of which the first one's is the common reference; or contrasts
        with weights.
    cluster : column of what is independent.
    optional : outcomes that have rows only where both arms define them in some draw.
    within : column of strata, as in :class:`Means`; only the rows of all sessions are headlines.
    family : what p-values are adjusted over, by method. "reference": the primary outcome against
        the common reference, and all the rest. "outcome": the primary outcome in every contrast,
        and all the rest. "none": not at all, and no row is a headline.
    again : the reference run once more, less the reference, which the headlines of all sessions are
        tested against (:mod:`dissensus.design.noise`).
    beside : a study's own rows of the sessions of a stratum, which follow the others.
    """

    outcomes: Sequence[str]
    compared: Sequence[tuple[str, str] | Contrast]
    cluster: str
    optional: Sequence[str] = ()
    within: str = ""
    family: Literal["reference", "outcome", "none"] = "reference"
    again: Contrast | None = None
    beside: Callable[[pd.DataFrame, Options], list[Row]] | None = None

    def rows(self, metrics: pd.DataFrame, options: Options) -> list[Row]:
        """Rows by both of :data:`~dissensus.design.contrasts.METHODS`."""
        columns = Columns(cluster=self.cluster)
        made = []
        for stratum, some in strata(metrics, self.within):
            rows = compare_arms(
                some, self.compared, self.outcomes, options, columns, optional=self.optional
            )
            self._adjust(rows)
            if self.again and stratum == ALL:
                named = [_named(each) for each in self.compared]
                beyond_floor(rows, some, named, self.again, options, columns)
            rows += self.beside(some, options) if self.beside else []
            for row in rows:
                row["headline"] = bool(row["headline"]) and stratum == ALL
            made += [_placed(self.within, stratum, row) for row in rows]
        return made

    def _adjust(self, rows: Sequence[Row]) -> None:
        if self.family == "none":
            for row in rows:
                row |= dict.fromkeys(("p_adjusted", "p_bh", "family_low", "family_high"))
                row |= {"headline": False, "alike": []}
        elif self.family == "outcome":
            for method, is_primary in product(METHODS, (True, False)):
                adjust_family(
                    row
                    for row in rows
                    if row["method"] == method
                    and (row["outcome"] == self.outcomes[0]) is is_primary
                )


def estimate(
    metrics: pd.DataFrame, declared: Sequence[Means | Contrasts], options: Options
) -> list[Row]:
    """The rows of all that a study declares, in its order.

    Parameters
    ----------
    metrics : a row a session, failed ones included, with the columns draw_id, arm and complete.
    declared : what is estimated.
    options : the seed is the study's.
    """
    return [row for each in declared for row in each.rows(metrics, options)]


def strata(metrics: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """All rows together, then those of each value of a column, in the order in which they come up;
    without a column (""), all together alone.
    """
    yield ALL, metrics
    for value in pd.unique(metrics[column]) if column else ():
        yield str(value), metrics[metrics[column] == value]


def _placed(within: str, stratum: str, row: Row) -> dict[str, Any]:
    return {within: stratum, **row} if within else row


def _named(compared: tuple[str, str] | Contrast) -> Contrast:
    return compared if isinstance(compared, Contrast) else Contrast.of(*compared)
