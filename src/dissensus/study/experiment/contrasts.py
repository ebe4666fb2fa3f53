"""From the metrics of an experiment to its contrasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    METHODS,
    TWO_WAY,
    Options,
    adjust_family,
    contrast_row,
    contrasts_schema,
)
from dissensus.design.declared import Contrasts, Means
from dissensus.design.looks import judged_by
from dissensus.design.pairs import Labels, by_arm, pairs_of, units_of
from dissensus.design.weights import Contrast
from dissensus.digests import seed_of
from dissensus.stats.bootstrap import two_way_robust_mean
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate
from dissensus.study.experiment.compared import Compared, mean_of
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, compare_by_round, curves
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.factor_effects import Dealt, interactions
from dissensus.study.experiment.factors import SLOPE, TIMES
from dissensus.study.makes import makes, resolve
from dissensus.tables.common import text

Row = dict[str, Any]

CONTRASTS = replace(
    contrasts_schema("contrasts"),
    row="arm, reference, outcome, method, factor and level of an experiment",
    columns={
        **contrasts_schema("contrasts").columns,
        "arm": text(
            "Arm, or weighted sum of arms, that is compared; empty for the mean of all arms."
        ),
        "reference": text("What it is compared with; empty for a mean."),
        "factor": text("Factor whose level it is; empty for what all levels are in."),
        "level": text(
            "Level of the factor: what it changes against the base, or without one the mean in it; "
            '"slope" for what a unit more of a numeric factor changes.'
        ),
        "base": text("Level that it is compared with; empty for a mean and for a slope."),
    },
    key=("arm", "reference", "outcome", "method", "factor", "level", "base"),
)


@makes(contrasts=CONTRASTS)
def compare_experiment(
    metrics: pd.DataFrame,
    looks: list[Row],
    declared: str,
    inference: dict[str, Any],
    again: bool,
    seed: int,
) -> list[Row]:
    """The contrasts of an experiment.

    Parameters
    ----------
    looks : at a study that may stop; none at another.
    declared : ``module:name`` of its class.
    """
    design, options = Compared.of(resolve(declared), again), Options(**inference, seed=seed)
    return [*map(_placed, judged_by(looks, compare(metrics, design, options)))]


@makes(contrasts=CONTRASTS, contrasts_by_round=CONTRASTS_BY_ROUND)
def compare_experiment_by_round(
    metrics: pd.DataFrame,
    outcomes_by_round: pd.DataFrame,
    looks: list[Row],
    declared: str,
    inference: dict[str, Any],
    again: bool,
    seed: int,
) -> tuple[list[Row], list[Row]]:
    """The same of an experiment that has outcomes by round, and their contrasts by round."""
    cls: type[ExperimentDesign] = resolve(declared)
    design, options = Compared.of(cls, again), Options(**inference, seed=seed)
    by_round, areas = compare_by_round(outcomes_by_round, cls.round_outcomes(), design, options)
    rows = judged_by(looks, compare(metrics, design, options, areas))
    return [*map(_placed, rows)], [*by_round, *curves(metrics, design, options)]


def compare(
    metrics: pd.DataFrame, design: Compared, options: Options, areas: Sequence[Row] = ()
) -> list[Row]:
    """Contrasts of arms, the mean of each, and what factors change.

    Parameters
    ----------
    metrics : a row a session.
    design : what is compared.
    options : of :func:`~dissensus.design.contrasts.compare_arms`.
    areas : from :func:`~dissensus.study.experiment.courses.compare_by_round`.

    Returns
    -------
    Rows of :data:`CONTRASTS`. A mean is tested against its outcome's null, and has no p-value
    where that has none. P-values are adjusted over two families, by method: the headline's, and all
    other contrasts, effects and means that are tested. The headline is the primary outcome in every
    contrast of arms; where one arm is all, in what each factor changes (a slope where it is
    numeric); and where there is no factor either, its mean. What the reference that is run again
    differs by from the reference is in no family.
    """
    compared = design.compared
    again = next(iter(design.floor), None)
    is_first = design.primary in design.outcomes
    rows = Contrasts(
        list(design.outcomes),
        compared,
        design.cluster,
        family="reference" if is_first else "none",
        again=again if is_first else None,
    ).rows(metrics, options)
    of_arms, floored, means = _over_sessions(metrics, design, options)
    rows += of_arms
    means += list(_statistics_at_levels(metrics, design, options))
    main = [row["outcome"] == design.primary for row in rows]
    effects = list(_effects(metrics, design, options))
    effects += list(_changed_statistics(metrics, design, options))
    is_main = [not compared and _is_headline(row, design) for row in effects]
    means += [row for name in design.outcomes for row in _means(metrics, name, design, options)]
    for row, is_first in zip(effects, is_main, strict=True):
        row["headline"] = is_first and row["method"] == HEADLINE
    if not compared and not any(is_main):
        for row in means:
            row["headline"] = row["outcome"] == design.primary and not row.get("factor")
    tested = [*zip(rows, main, strict=True), *zip(effects, is_main, strict=True)]
    tested += [(row, False) for row in areas]
    run_again = {arm for each in design.floor for arm in each.treated}
    tested += [(row, row["headline"]) for row in means if row["arm"] not in run_again]
    both = list(_over_both_ways(metrics, design, options))
    tested += [(row, row["outcome"] == design.primary) for row in both]
    for method in (*METHODS, TWO_WAY):
        for first in (True, False):
            adjust_family(
                row for row, is_first in tested if row["method"] == method and is_first is first
            )
    # What the reference that is run again differs by from the reference.
    floor = Contrasts(list(design.outcomes), design.floor, design.cluster, family="none")
    floored = [*floor.rows(metrics, options), *floored]
    return [_placed(row) for row in (*rows, *floored, *areas, *means, *effects, *both)]


def _over_sessions(
    metrics: pd.DataFrame, design: Compared, options: Options
) -> tuple[list[Row], list[Row], list[Row]]:
    """Rows of statistics over sessions: their contrasts, the noise floor's, and those of arms."""
    arms = [*design.arms, *(again for each in design.floor for again in each.treated)]
    made: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for each in design.tested:
        rows, means = each.rows(metrics, arms, design.compared, options, design.columns)
        alone = replace(each, is_primary=False)
        floored, _ = alone.rows(metrics, (), design.floor, options, design.columns)
        for of, some in zip(made, (rows, floored, means), strict=True):
            of += some
    return made


def _statistics_at_levels(
    metrics: pd.DataFrame, design: Compared, options: Options
) -> Iterator[Row]:
    """Statistics over sessions in each arm at each level of each factor."""
    for factor, dealt in design.factors.items() if design.statistics else ():
        levels = units_of(metrics, design.columns)[factor].to_numpy()
        arms = [*filter(dealt.is_in, design.arms)]
        for each, (value, level) in product(
            design.tested, zip(dealt.values, dealt.names, strict=True)
        ):
            seeded = replace(options, seed=seed_of(options.seed, factor, level))
            for row in each.at_level(metrics, arms, levels == value, seeded, design.columns):
                words = f"{row['arm']}, {factor} {level}"
                yield {**row, "contrast": words, "factor": factor, "level": level}


def _changed_statistics(metrics: pd.DataFrame, design: Compared, options: Options) -> Iterator[Row]:
    """What each level changes against the first in statistics: in the mean of arms, in contrasts.

    Only draws count in whose block both levels are, where levels are compared within items.
    """
    if not design.statistics:
        return
    draws = units_of(metrics, design.columns)
    for factor, declared in design.factors.items():
        dealt = Dealt.of(draws, factor, design.factors, design.cluster)
        arms = [*filter(declared.is_in, design.arms)]
        mean = Contrast("", dict.fromkeys(arms, 1.0 / len(arms)))
        compared = [each for each in design.compared if declared.is_in(*each.weights)]
        (first, base), *others = zip(declared.values, declared.names, strict=True)
        for each, of, (value, level) in product(design.tested, (mean, *compared), others):
            named, arm, reference = (
                (f"{of.name}, ", of.arm, of.reference) if of.name else ("", "", "")
            )
            seed = seed_of(options.seed, each.name, arm, reference, factor, level)
            estimate = each.changed(
                metrics, of, partial(dealt.of_levels, value, first),
                replace(options, seed=seed), design.columns,
            )  # fmt: skip
            row = contrast_row(each.name, arm, reference, HEADLINE, estimate, False)
            at = {"factor": factor, "level": level, "base": base}
            yield {**row, "contrast": f"{named}{factor} {level}-{base}", **at}


def _placed(row: Row) -> Row:
    """A row of arms alone, with the columns of factors too."""
    return {"factor": "", "level": "", "base": "", **row}


def _is_headline(row: Row, design: Compared) -> bool:
    """Whether an effect of a factor is what a study of one arm is about."""
    is_slope = row["level"] == SLOPE
    if design.primary in design.statistics:
        return False
    is_primary = row["outcome"] == design.primary and not row["arm"]
    factor = design.factors.get(row["factor"])
    return is_primary and factor is not None and is_slope == factor.has_slope


def _means(metrics: pd.DataFrame, name: str, design: Compared, options: Options) -> Iterator[Row]:
    """The mean of an outcome in each arm, and in each arm at each level of each factor."""

    def estimator(
        values: FloatArray, clusters: Labels, confidence: float, of: tuple[str, str, str]
    ) -> Estimate:
        return mean_of(values, clusters, design.outcomes[name], confidence)

    arms = (*design.arms, *(again for each in design.floor for again in each.treated))
    yield from Means((name,), arms, design.cluster, estimator=estimator).rows(metrics, options)
    for factor, dealt in design.factors.items():
        for arm in filter(dealt.is_in, design.arms):
            mean = Means((name,), (arm,), design.cluster, estimator=estimator)
            for value, level in zip(dealt.values, dealt.names, strict=True):
                (row,) = mean.rows(metrics[metrics[factor] == value], options)
                words = f"{arm}, {factor} {level}"
                yield {**row, "contrast": words, "factor": factor, "level": level}


def _effects(metrics: pd.DataFrame, design: Compared, options: Options) -> Iterator[Row]:
    """What factors change: in the mean of all arms that have the outcome, then in each contrast."""
    if not design.factors:
        return
    draws = units_of(metrics, design.columns)
    for name in design.outcomes:
        wide = by_arm(metrics, name, design.columns).sort_index()
        some = [arm for arm in design.arms if arm in wide and wide[arm].notna().any()]
        compared: list[tuple[Contrast, FloatArray]] = []
        for each in design.compared:
            pairs = pairs_of(wide, draws[design.cluster], each)
            if pairs.complete.any():
                compared.append((each, pairs.differences))
        yield from _interactions(wide[some], draws, name, design, options)
        for factor, declared in design.factors.items():
            dealt = Dealt.of(draws, factor, design.factors, design.cluster)
            having = wide[[*filter(declared.is_in, some)]]
            over_arms = having.mean(axis=1, skipna=False).to_numpy(float)
            of = [("", "", "", over_arms)]
            of += [
                (f"{each.name}, ", each.arm, each.reference, values)
                for each, values in compared
                if declared.is_in(*each.weights)
            ]
            for named, arm, reference, values in of:
                seed = seed_of(options.seed, name, arm, reference, factor)
                for effect in dealt.effects(values, replace(options, seed=seed)):
                    row = contrast_row(name, arm, reference, effect.method, effect.estimate, False)
                    versus = f"-{effect.base}" if effect.base else ""
                    row["contrast"] = f"{named}{factor} {effect.level}{versus}"
                    at = {"factor": factor, "level": effect.level, "base": effect.base}
                    yield {**row, **at}


def _interactions(
    wide: pd.DataFrame, draws: pd.DataFrame, name: str, design: Compared, options: Options
) -> Iterator[Row]:
    """What factors change in each other, in the mean of all arms that have all of them."""
    for among in design.interactions:
        having = [
            arm for arm in wide if all(design.factors[factor].is_in(str(arm)) for factor in among)
        ]
        values = wide[having].mean(axis=1, skipna=False).to_numpy(float)
        given = (draws, values, among, design.factors, design.cluster, options.confidence)
        for effect in interactions(*given):
            row = contrast_row(name, "", "", effect.method, effect.estimate, False)
            factor = TIMES.join(among)
            at = {"factor": factor, "level": effect.level, "base": effect.base}
            yield {**row, "contrast": f"{factor}: {effect.level}", **at}


def _over_both_ways(metrics: pd.DataFrame, design: Compared, options: Options) -> Iterator[Row]:
    """Contrasts over clusters and over the levels of a factor that is a sample, too.

    In a study of one arm, its means that are tested.
    """
    if not design.sample:
        return
    draws, factor = units_of(metrics, design.columns), design.factors[design.sample]
    compared = [each for each in design.compared if factor.is_in(*each.weights)]
    alone = Contrast(design.arms[0], {design.arms[0]: 1.0})
    is_alone = not design.compared and factor.is_in(design.arms[0])
    for each in design.tested:
        tested = [alone] if is_alone and each.null is not None else compared
        levels = draws[design.sample].to_numpy()
        yield from each.over_both_ways(metrics, tested, levels, options, design.columns)
    for name, outcome in design.outcomes.items():
        wide = by_arm(metrics, name, design.columns).sort_index()
        for of in compared:
            pairs = pairs_of(wide, draws[design.cluster], of)
            yield from _both_ways(name, of, pairs.differences, 0.0, draws, design, options)
        if is_alone and outcome.null is not None:
            numbers = wide[alone.arm].to_numpy(float)
            yield from _both_ways(name, alone, numbers, outcome.null, draws, design, options)


def _both_ways(
    name: str,
    contrast: Contrast,
    values: FloatArray,
    null: float,
    draws: pd.DataFrame,
    design: Compared,
    options: Options,
) -> Iterator[Row]:
    kept = np.isfinite(values)
    levels, clusters = (draws[of].to_numpy()[kept] for of in (design.sample, design.cluster))
    few = min(len(np.unique(levels)), len(np.unique(clusters)))
    about = values[kept] - null
    if few < 2 or np.ptp(about) == 0.0:
        return
    mean = two_way_robust_mean(about, clusters, levels, options.confidence)
    low, high = mean.ci_low + null, mean.ci_high + null
    mean = replace(mean, estimate=mean.estimate + null, ci_low=low, ci_high=high)
    row = contrast_row(name, contrast.arm, contrast.reference, TWO_WAY, mean, False)
    yield {**row, "contrast": contrast.name}
