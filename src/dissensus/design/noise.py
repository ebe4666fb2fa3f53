"""Whether a contrast is larger than the noise floor, tested in the same draws.

Let D be a contrast of a draw, w the weight of the reference in it, and A what the reference that is
run again differs by from the reference. D + w A is the contrast with the second run in the place of
the first: what D and A share, the first run's chance, falls out. Where arms and reference are alike
its mean is 0, and its clustered t-test has its level, whatever the weights are. A contrast is
beyond the floor where this test says so and D is farther from 0 than w A in these very draws: two
numbers of the same draws and weights, so that neither has more chance to be large than the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import HEADLINE, Options, Row, defined, robust_mean
from dissensus.design.pairs import Columns, by_arm, pairs_of, units_of, without_rounding
from dissensus.design.weights import Contrast
from dissensus.stats.checks import FloatArray
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN


def beyond_floor(
    rows: Sequence[Row],
    metrics: pd.DataFrame,
    compared: Sequence[Contrast],
    floor: Contrast,
    options: Options,
    columns: Columns,
) -> None:
    """Write ``floor_p`` and ``floor_n`` into the rows of the headline.

    Parameters
    ----------
    rows : of :func:`~dissensus.design.contrasts.contrasts_schema`; those of the headline's method
        that are headlines are tested.
    metrics : a row a session, failed ones included.
    compared : the contrasts; those without the reference have no floor.
    floor : the reference run again, less the reference.
    options : of the intervals.
    columns : names of the columns.
    """
    named = {each.name: each for each in compared if floor.reference in each.weights}
    named.pop(floor.name, None)
    tested = [
        row for row in rows if row["headline"] and row["method"] == HEADLINE
        and row["contrast"] in named
    ]  # fmt: skip
    if not tested:
        return
    wide = by_arm(metrics, tested[0]["outcome"], columns).sort_index()
    clusters = units_of(metrics, columns)[columns.cluster]
    for row in tested:
        row |= _tested(wide, clusters, named[row["contrast"]], floor, options.confidence)
    adjust_floor(tested)


def _tested(
    wide: pd.DataFrame,
    clusters: pd.Series[Any],
    contrast: Contrast,
    floor: Contrast,
    confidence: float,
) -> Row:
    """The p-value of one contrast before Holm's adjustment, and the draws that it rests on."""
    of, again = pairs_of(wide, clusters, contrast), pairs_of(wide, clusters, floor)
    both = of.complete & again.complete
    noise = -contrast.weights[floor.reference] * again.differences[both]
    return larger_than(of.differences[both], noise, of.clusters[both], confidence)


def larger_than(
    differences: FloatArray, noise: FloatArray, clusters: NDArray[Any], confidence: float
) -> Row:
    """Test differences with the noise of the same draws.

    Parameters
    ----------
    differences : of n draws, (n,), finite.
    noise : what two equal arms differ by in these draws, with the weight of the reference, (n,).
    clusters : label of each draw's cluster, (n,).
    confidence : level of the interval that is behind the test.

    Returns
    -------
    ``floor_p`` before any adjustment, and ``floor_n``.
    """
    apart = without_rounding(differences - noise, differences, noise)
    mean = robust_mean(apart, clusters, confidence)
    p_value = mean.p_value
    if np.isfinite(p_value) and abs(differences.mean()) <= abs(noise.mean()):
        p_value = 1.0
    return {"floor_p": defined(p_value), "floor_n": mean.n}


def adjust_floor(rows: Sequence[Row]) -> None:
    """Put ``floor_p`` after Holm's adjustment over these rows, in place of what it was."""
    p_values = [NAN if row["floor_p"] is None else row["floor_p"] for row in rows]
    for row, holm in zip(rows, adjust(p_values, "holm"), strict=True):
        row["floor_p"] = defined(float(holm))
