"""Arms compared with a reference, unit by unit, in rows of one schema for every study.

A unit (a draw) has one session in every arm, so that two arms are compared by the differences of
the two sessions of a unit. Units that share a cluster (a motion, a topic) are not independent as a
sample of clusters: the headline's standard error is clustered, and the sign-flip test changes the
sign of all differences of a cluster together.

The null of the sign-flip test is that the clusters' sums of differences are independent of each
other and as likely to be above zero as below by so much. It holds where the arm changes nothing,
and where it does more in some clusters and less in others, evenly about zero. To flip each unit by
itself would be right under the first alone, and reject far too often under the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.pairs import (
    ROUNDING,
    Columns,
    Labels,
    Pairs,
    by_arm,
    pairs_of,
    units_of,
    without_rounding,
)
from dissensus.design.weights import Contrast, contrast_name
from dissensus.digests import seed_of
from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.checks import FloatArray
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.stats.signflip import sign_flip_test
from dissensus.tables.artefact import Schema
from dissensus.tables.common import chance, common, flag, text, texts, whole

HEADLINE, RANDOMISATION = "cluster_robust", "sign_flip"

#: The two methods that every study has: the mean paired difference with its CR2 standard error by
#: cluster and Satterthwaite's t, and the sign-flip test of it by cluster.
METHODS = (HEADLINE, RANDOMISATION)

#: The mean with a standard error by cluster and by the levels of a factor that is a sample, too.
TWO_WAY = "two_way"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Simulated(Estimate):
    """An estimate whose p-value carries the error of its simulation; 0 where exact."""

    simulation_error: float = NAN


@dataclass(frozen=True)
class Options:
    """Level of the intervals, sign patterns of the randomisation tests, and their seed."""

    confidence: float
    flips: int
    seed: int


def contrasts_schema(name: str) -> Schema:
    """The schema of a study's contrasts, by the name of its artefact."""
    return Schema(
        name=name,
        row="arm, reference, outcome and method",
        columns={
            **common("contrast", "outcome", "method", "estimate?", "se?", "ci_low?", "ci_high?"),
            **common("p_value?", "n", "n_clusters"),
            "arm": text("Arm of the study that is compared."),
            "reference": text("Arm that it is compared with; empty for the mean of one arm."),
            **common("simulation_error?", "p_adjusted?", "p_bh?", "family_low?", "family_high?"),
            "headline": flag("Whether this is the primary outcome by the headline's method."),
            "alike": texts(
                "Other contrasts of the headline that a test in the same draws does not tell from "
                "this one, after adjustment for as many as there are others."
            ),
            "floor_p": chance(
                "P-value, by Holm's method, that it is larger than what the reference differs from "
                "itself by; missing where that was not tested."
            ),
            "floor_n": whole("Draws that this test rests on; 0 where there is none.", "count"),
        },
        key=("arm", "reference", "outcome", "method"),
    )


def compare_arms(
    metrics: pd.DataFrame,
    comparisons: Iterable[tuple[str, str] | Contrast],
    outcomes: Sequence[str],
    options: Options,
    columns: Columns,
    optional: Sequence[str] = (),
) -> list[Row]:
    """Every comparison on every outcome, by both of :data:`METHODS`.

    Parameters
    ----------
    metrics : a row a session, failed ones included.
    comparisons : arm and reference, of which the first one's is the common reference; or contrasts
        that are declared, all of them for the primary outcome.
    outcomes : columns of the metrics, the primary one first.
    options : the seed is the study's; every comparison has a random stream of its own.
    columns : names of the other columns.
    optional : outcomes that have rows only where both arms define them in some unit.

    Returns
    -------
    Rows of :func:`contrasts_schema`. A contrast of fewer than two units or clusters has no standard
    error; one that no unit defines has n = 0. The headline is the primary outcome against the
    common reference, or in any declared contrast, by :data:`HEADLINE`; it alone has
    ``family_low`` and ``family_high`` (:func:`limit_together`). P-values are adjusted by
    method over two families: what the headline is of, and all the rest. Signs are flipped in
    contrasts whose sides have the same weights (:attr:`Contrast.is_swappable`).
    """
    compared = [
        (each, True) if isinstance(each, Contrast) else (Contrast.of(*each), False)
        for each in comparisons
    ]
    families: dict[tuple[str, bool], list[Row]] = {}
    main: list[tuple[Row, Pairs]] = []
    rows = []
    wide = {name: by_arm(metrics, name, columns).sort_index() for name in (*outcomes, *optional)}
    clusters = units_of(metrics, columns)[columns.cluster]
    for contrast, is_declared in compared:
        arm, reference = contrast.arm, contrast.reference
        is_main = is_declared or reference == compared[0][0].reference
        for outcome, by_unit in wide.items():
            pairs = pairs_of(by_unit, clusters, contrast)
            if outcome in optional and not pairs.complete.any():
                continue
            primary = outcome == outcomes[0] and is_main
            seed = seed_of(options.seed, outcome, arm, reference)
            seeded = Options(options.confidence, options.flips, seed)
            for method, estimated in compare(pairs, seeded).items():
                if method == RANDOMISATION and not contrast.is_swappable:
                    continue
                headline = primary and method == HEADLINE
                row = contrast_row(outcome, arm, reference, method, estimated, headline)
                rows.append({**row, "contrast": contrast.name})
                families.setdefault((method, primary), []).append(rows[-1])
                main += [(rows[-1], pairs)] * headline
    for family in families.values():
        adjust_family(family)
    limit_together(main, options.confidence)
    return rows


def limit_together(rows: Sequence[tuple[Row, Pairs]], confidence: float) -> None:
    """Write into the headline's rows the limits that hold for all of them together.

    Of m contrasts that have a p-value, each has an interval of level 1 - (1 - confidence)/m, so
    that all hold what they estimate in a share of ``confidence`` of studies at least (Bonferroni):
    also the one that is picked afterwards, such as the largest. It leaves 0 out where Holm's first
    step would. ``alike`` of each are the others that are not told from it in the same draws.
    """
    tested = sum(row["p_value"] is not None for row, _ in rows)
    for row, pairs in rows:
        if row["p_value"] is None:
            continue
        kept = pairs.complete
        level = 1.0 - (1.0 - confidence) / tested
        mean = robust_mean(pairs.differences[kept], pairs.clusters[kept], level)
        row |= {"family_low": defined(mean.ci_low), "family_high": defined(mean.ci_high)}
    for row, pairs in rows:
        others = [(each["contrast"], of) for each, of in rows if of is not pairs]
        level = 1.0 - (1.0 - confidence) / max(len(others), 1)
        row["alike"] = [name for name, of in others if not _are_told(pairs, of, level)]


def _are_told(one: Pairs, other: Pairs, level: float) -> bool:
    """Whether two contrasts of the same draws differ.

    The test is that of the headline, on what they differ by in each draw that has both: what they
    share, such as a reference, falls out.
    """
    kept = one.complete & other.complete
    first, second = one.differences[kept], other.differences[kept]
    apart = without_rounding(first - second, first, second)
    p_value = robust_mean(apart, one.clusters[kept], level).p_value
    return bool(p_value < 1.0 - level)


def compare(pairs: Pairs, options: Options) -> dict[str, Estimate]:
    """Both of :data:`METHODS` on one set of pairs."""
    kept = pairs.complete
    differences, clusters = pairs.differences[kept], pairs.clusters[kept]
    headline = robust_mean(differences, clusters, options.confidence)
    if len(np.unique(clusters)) < 2:
        return dict.fromkeys(METHODS, headline)
    return {HEADLINE: headline, RANDOMISATION: flipped(differences, clusters, options)}


def flipped(differences: FloatArray, clusters: Labels, options: Options) -> Simulated:
    """The sign-flip test: all patterns where they are no more than would be drawn."""
    exact = min(options.flips.bit_length() - 1, 30)
    return sign_flip(differences, clusters, options.flips, options.seed, exact_up_to=exact)


def robust_mean(values: FloatArray, clusters: Labels, confidence: float) -> Estimate:
    """A mean by the headline's method; without a standard error where clusters are too few.

    It has none either where all clusters agree: outcomes are shares of a few agents, so that two
    or three topics often come out alike, and a standard error of zero would make them significant.
    """
    n, count = len(values), len(np.unique(clusters))
    alone = Estimate(float(values.mean()) if n else math.nan, n=n, n_clusters=count)
    if count < 2:
        return alone
    robust = cluster_robust_mean(values, clusters, confidence)
    # Relative, since means of equal values differ by rounding.
    return robust if robust.se > ROUNDING * float(np.abs(values).max()) else alone


def sign_flip(
    differences: FloatArray,
    clusters: Labels,
    flips: int,
    seed: int,
    studentised: bool = False,
    exact_up_to: int = 20,
) -> Simulated:
    """The sign-flip test; the estimate is the mean difference in every variant.

    Parameters
    ----------
    differences : arm minus reference, shape (n,).
    clusters : labels, shape (n,); differences of one label are flipped together.
    flips, seed, studentised, exact_up_to : as for
        :func:`dissensus.stats.signflip.sign_flip_test`.

    Raises
    ------
    ValueError : fewer than two clusters.
    """
    test = sign_flip_test(
        differences,
        flips=flips,
        exact_up_to=exact_up_to,
        studentised=studentised,
        clusters=clusters,
        seed=seed,
    )
    return Simulated(
        float(differences.mean()),
        p_value=test.p_value,
        n=len(differences),
        n_clusters=len(np.unique(clusters)),
        simulation_error=test.simulation_error,
    )


def contrast_row(
    outcome: str, arm: str, reference: str, method: str, estimated: Estimate, headline: bool
) -> Row:
    """A row of :func:`contrasts_schema`; the mean of a single arm has no reference."""
    numbers = ("estimate", "se", "ci_low", "ci_high", "p_value")
    return {
        "contrast": contrast_name(arm, reference),
        "outcome": outcome,
        "method": method,
        **{name: defined(getattr(estimated, name)) for name in numbers},
        "n": estimated.n,
        "n_clusters": estimated.n_clusters,
        "arm": arm,
        "reference": reference,
        "simulation_error": defined(getattr(estimated, "simulation_error", NAN)),
        "p_adjusted": None,
        "p_bh": None,
        "family_low": None,
        "family_high": None,
        "headline": headline,
        "alike": [],
        "floor_p": None,
        "floor_n": 0,
    }


def defined(value: float) -> float | None:
    """A number, or what a nullable column has where there is none."""
    return None if math.isnan(value) else float(value)


def adjust_family(
    rows: Iterable[Row], belongs: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> None:
    """Write the adjusted p-values (Holm, Benjamini-Hochberg) of one family into its rows."""
    family = [row for row in rows if belongs(row)]
    adjust_holm(family)
    for row, bh in zip(family, adjust(_p_values(family), "bh"), strict=True):
        row["p_bh"] = defined(float(bh))


def adjust_holm(family: Sequence[Row]) -> None:
    """Write the adjusted p-values (Holm) of one family into its rows."""
    for row, holm in zip(family, adjust(_p_values(family), "holm"), strict=True):
        row["p_adjusted"] = defined(float(holm))


def _p_values(family: Sequence[Row]) -> list[float]:
    return [NAN if row["p_value"] is None else row["p_value"] for row in family]
