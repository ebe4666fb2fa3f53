"""Outcomes by round: the course of each arm, contrasts at each round, and the area between courses.

A session counts in the rounds that it has. Where it ended early it is missing from then on, and no
value is carried forward: later rounds are of the sessions that went on, and n says how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    METHODS,
    RANDOMISATION,
    Options,
    adjust_family,
    compare,
    contrast_row,
    contrasts_schema,
    flipped,
)
from dissensus.design.pairs import Labels, pairs_of
from dissensus.design.weights import Contrast
from dissensus.digests import seed_of
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate
from dissensus.stats.slopes import cluster_robust_sum
from dissensus.study.experiment.compared import Compared, mean_of
from dissensus.study.experiment.factor_effects import Dealt
from dissensus.study.experiment.factors import SLOPE
from dissensus.study.experiment.outcomes import Outcome
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, text

Row = dict[str, Any]

CONTRASTS_BY_ROUND = Schema(
    "contrasts_by_round",
    row="arm, reference, outcome, method and round of an experiment",
    columns={
        **{
            name: column
            for name, column in contrasts_schema("").columns.items()
            if name != "headline"
        },
        **common("round"),
        "factor": text("Factor whose level it is; empty for what all levels are in."),
        "level": text(
            "Level of the factor: what it changes against the base, or without one the mean in it; "
            '"slope" for what a unit more of a numeric factor changes.'
        ),
        "base": text("Level that it is compared with; empty for a mean and for a slope."),
    },
    key=("arm", "reference", "outcome", "method", "round", "factor", "level", "base"),
)


@dataclass(frozen=True)
class Course:
    """One outcome by round.

    Attributes
    ----------
    by_arm : round -> a row a draw and a column an arm, NaN where a session has no number.
    draws : a row a draw, in the same order, with its item, its cluster and its levels.
    cluster : column of what is independent.
    """

    by_arm: Mapping[int, pd.DataFrame]
    draws: pd.DataFrame
    cluster: str

    @property
    def clusters(self) -> pd.Series[Any]:
        """Of each draw."""
        return self.draws[self.cluster]

    @classmethod
    def of(cls, rows: pd.DataFrame, cluster: str) -> Course:
        """From the rows of one outcome; numbers of several agents in a round count by their mean.

        Parameters
        ----------
        rows : of ``outcomes_by_round``.
        cluster : its column.
        """
        draws = rows.drop_duplicates("draw_id").set_index("draw_id").sort_index()
        values = rows.groupby(["round", "draw_id", "arm"])["value"].mean()
        tables = {
            round_: values.xs(round_, level="round").unstack("arm").reindex(draws.index)
            for round_ in sorted(map(int, rows["round"].unique()))
        }
        return cls(tables, draws, cluster)

    def differences(self, contrast: Contrast) -> FloatArray:
        """A contrast by draw and round, shape (draws, rounds); NaN where a side has no number."""
        pairs = [pairs_of(wide, self.clusters, contrast) for wide in self.by_arm.values()]
        return np.column_stack([each.differences for each in pairs])


def compare_by_round(
    outcomes_by_round: pd.DataFrame,
    outcomes: Mapping[str, Outcome],
    design: Compared,
    options: Options,
) -> tuple[list[Row], list[Row]]:
    """Means and contrasts at each round, and the areas between the courses.

    Parameters
    ----------
    outcomes_by_round : see :func:`~dissensus.study.experiment.outcomes.rounds_schema`.
    outcomes : those by round, by name.
    design : its arms, its contrasts and its clusters.
    options : the seed is the study's.

    Returns
    -------
    Rows of :data:`CONTRASTS_BY_ROUND`, whose p-values are adjusted by method over all contrasts and
    rounds of an outcome, and over all effects of levels and rounds; and rows of areas, whose family
    is that of ``contrasts``.
    """
    by_round: list[Row] = []
    areas: list[Row] = []
    for name, outcome in outcomes.items():
        rows = outcomes_by_round[outcomes_by_round["outcome"] == name]
        if rows.empty:
            continue
        course = Course.of(rows, design.cluster)
        by_round += _means(course, name, outcome, design, options.confidence)
        contrasts = list(_contrasts(course, name, design, options))
        for method in METHODS:
            adjust_family(row for row in contrasts if row["method"] == method)
        by_round += contrasts
        levels = [*_at_levels(course, name, outcome, design, options)]
        for method in METHODS:
            adjust_family(r for r in levels if r["method"] == method and _is_effect(r))
        by_round += levels
        areas += _areas(course, name, design, options)
    return by_round, areas


def _means(
    course: Course, name: str, outcome: Outcome, design: Compared, confidence: float
) -> Iterator[Row]:
    for round_, wide in course.by_arm.items():
        for arm in design.arms:
            values = wide[arm].dropna() if arm in wide else pd.Series(dtype=float)
            clusters = course.clusters.reindex(values.index)
            mean = mean_of(values.to_numpy(float), clusters.to_numpy(), outcome, confidence)
            yield {**_of_round(name, arm, "", HEADLINE, mean), "round": round_}


def _contrasts(course: Course, name: str, design: Compared, options: Options) -> Iterator[Row]:
    for contrast in design.compared:
        arm, reference = contrast.arm, contrast.reference
        for round_, wide in course.by_arm.items():
            seed = seed_of(options.seed, name, arm, reference, round_)
            pairs = pairs_of(wide, course.clusters, contrast)
            for method, estimate in compare(pairs, replace(options, seed=seed)).items():
                if method == HEADLINE or contrast.is_swappable:
                    row = _of_round(name, arm, reference, method, estimate)
                    yield {**row, "contrast": contrast.name, "round": round_}


def _of_round(name: str, arm: str, reference: str, method: str, estimate: Estimate) -> Row:
    made = contrast_row(name, arm, reference, method, estimate, headline=False)
    of_all = {"factor": "", "level": "", "base": ""}
    return {column: value for column, value in made.items() if column != "headline"} | of_all


def _is_effect(row: Row) -> bool:
    return bool(row["base"]) or row["level"] == SLOPE


def _at_levels(
    course: Course, name: str, outcome: Outcome, design: Compared, options: Options
) -> Iterator[Row]:
    """The mean of each arm at each round and level, and what levels change in all arms' mean."""
    for factor, declared in design.factors.items():
        arms = [*filter(declared.is_in, design.arms)]
        dealt = Dealt.of(course.draws, factor, design.factors, course.cluster)
        for round_, wide in course.by_arm.items():
            for arm in arms:
                of_arm = wide[arm].astype(float) if arm in wide else pd.Series(np.nan, wide.index)
                for value, level in zip(declared.values, declared.names, strict=True):
                    there = of_arm.notna() & (course.draws[factor] == value)
                    values, clusters = of_arm[there], course.clusters[there]
                    numbers = np.asarray(values, dtype=np.float64)
                    mean = mean_of(numbers, clusters.to_numpy(), outcome, options.confidence)
                    row = _of_round(name, arm, "", HEADLINE, mean)
                    words = f"{arm}, {factor} {level}"
                    at = {"factor": factor, "level": level, "contrast": words}
                    yield {**row, **at, "round": round_}
            some = [arm for arm in arms if arm in wide and wide[arm].notna().any()]
            over_arms = wide[some].mean(axis=1, skipna=False).to_numpy(float)
            seed = seed_of(options.seed, name, factor, round_)
            for effect in dealt.effects(over_arms, replace(options, seed=seed)):
                row = _of_round(name, "", "", effect.method, effect.estimate)
                versus = f"-{effect.base}" if effect.base else ""
                words = f"{factor} {effect.level}{versus}"
                at = {"factor": factor, "level": effect.level, "base": effect.base}
                yield {**row, **at, "contrast": words, "round": round_}


def _areas(course: Course, name: str, design: Compared, options: Options) -> Iterator[Row]:
    """The area between the courses of a contrast, over the rounds in which it can be told."""
    clusters = course.clusters.to_numpy()
    for contrast in design.compared:
        differences = course.differences(contrast)
        told = [len(np.unique(clusters[np.isfinite(each)])) > 1 for each in differences.T]
        rounds = np.array(list(course.by_arm))[told]
        if len(rounds) < 2:
            continue
        kept, weights = differences[:, told], trapezium(rounds)
        area = cluster_robust_sum(kept, weights, clusters, options.confidence)
        arm, reference = contrast.arm, contrast.reference
        estimates = {HEADLINE: area}
        if contrast.is_swappable:
            seed = seed_of(options.seed, name, arm, reference, "area")
            shares, labels = _shares_of_area(kept, weights, clusters)
            estimates[RANDOMISATION] = flipped(shares, labels, replace(options, seed=seed))
        for method, estimate in estimates.items():
            row = contrast_row(name, arm, reference, method, estimate, False)
            yield {**row, "contrast": contrast.name}


def trapezium(rounds: FloatArray) -> FloatArray:
    """Weights of the values at some rounds that give the area below them, per round.

    Parameters
    ----------
    rounds : in ascending order, shape (k,), k > 1.

    Returns
    -------
    Shape (k,); they sum to 1.
    """
    steps = np.diff(rounds)
    weights = np.append(steps, 0.0) + np.append(0.0, steps)
    return np.asarray(weights / (2.0 * float(steps.sum())))


def _shares_of_area(
    differences: FloatArray, weights: FloatArray, clusters: Labels
) -> tuple[FloatArray, Labels]:
    """What each draw adds to the area, whose mean it is, and the clusters of these draws."""
    there = np.isfinite(differences)
    kept = there.any(axis=1)
    scale = weights * int(kept.sum()) / there.sum(axis=0)
    shares = np.where(there, differences, 0.0) @ scale
    return shares[kept], clusters[kept]


def curves(metrics: pd.DataFrame, design: Compared, options: Options) -> Iterator[Row]:
    """Rows of :data:`CONTRASTS_BY_ROUND`: the curves that statistics over sessions sum up.

    P-values are adjusted by method over all contrasts and times of an outcome.

    Parameters
    ----------
    metrics : a row a session.
    design : its arms, its contrasts, its clusters and its statistics.
    options : the seed is the study's.
    """
    at = {"factor": "", "level": "", "base": ""}
    for each in design.tested:
        rows: list[Row] = []
        means: list[Row] = []
        for time, there, seeded in each.over_time(options):
            made = there.rows(metrics, design.arms, design.compared, seeded, design.columns)
            for every, some in zip((rows, means), made, strict=True):
                every += [{**row, "round": time} for row in some]
        for method in METHODS:
            adjust_family(row for row in rows if row["method"] == method)
        for row in (*means, *rows):
            yield {name: value for name, value in row.items() if name != "headline"} | at
