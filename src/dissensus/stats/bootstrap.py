"""Bootstrap intervals for a mean whose observations come in clusters, one way or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from dissensus.stats.checks import FloatArray, IntArray, as_codes, as_sample, check_level
from dissensus.stats.ratios import cluster_weights
from dissensus.stats.results import Estimate, constant, t_estimate

Method = Literal["percentile", "bca", "studentised"]

# Bootstrap weights in memory at a time, resamples times clusters: few enough for the cache.
_CELLS = 200_000


def cluster_bootstrap(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: Method = "percentile",
    seed: int | np.random.Generator = 0,
) -> Estimate:
    """Bootstrap of a mean by resampling whole clusters (Davison & Hinkley 1997, section 3.8).

    Parameters
    ----------
    values : shape (n,); observations.
    clusters : shape (n,); labels; without them each value is a cluster of its own.
    resamples : bootstrap samples, each of as many clusters as there are.
    confidence : level of the interval.
    method : {'percentile', 'bca', 'studentised'}; percentile, bias-corrected and accelerated with a
        jackknife over clusters, or bootstrap-t with the cluster-robust standard error of each
        resample (Efron & Tibshirani 1993, chapters 12 to 14).
    seed : source of the resamples.

    Returns
    -------
    In the unit of the values. `se` is the standard deviation of the resampled means; p is the level
    at which the interval of the same method just reaches zero, never below 2/(resamples + 1). A
    studentised limit is infinite where too few clusters vary.

    Raises
    ------
    ValueError : fewer than 2 values or clusters, values that are not finite, or an unknown method.
    """
    sample = as_sample(values, "values")
    check_level(confidence, "confidence")
    if method not in get_args(Method):
        raise ValueError(f"method is {method!r}; pass one of {', '.join(get_args(Method))}.")
    sums, sizes = _totals(sample, _codes(clusters, sample.size, "clusters"))
    estimate, n, count = float(sample.mean()), sample.size, sums.size
    if np.ptp(sample) == 0.0:
        return constant(estimate, n, count)
    means, errors = _resample(sums, sizes, resamples, np.random.default_rng(seed))
    tails = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    if method == "studentised":
        low, high, p_value = _studentised(estimate, sums, sizes, means, errors, tails)
    else:
        bias, acceleration = _bca_constants(sums, sizes, means) if method == "bca" else (0.0, 0.0)
        low, high = np.quantile(means, _bca_levels(tails, bias, acceleration))
        p_value = _bca_p_value(means, bias, acceleration)
    spread = float(means.std(ddof=1))
    return Estimate(estimate, spread, float(low), float(high), p_value, n, count)


def _codes(clusters: npt.ArrayLike | None, n: int, name: str) -> IntArray:
    codes = np.arange(n) if clusters is None else as_codes(clusters, n, name)
    if codes.max() == 0:
        raise ValueError(f"{name} holds 1 distinct label; at least 2 clusters are needed.")
    return codes


def _totals(sample: FloatArray, codes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sum and size of each cluster."""
    sums = np.bincount(codes, weights=sample).astype(np.float64)
    return sums, np.bincount(codes).astype(np.float64)


def _resample(
    sums: FloatArray, sizes: FloatArray, resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Mean and cluster-robust standard error of each resample, sums and sizes both redrawn."""
    if resamples < 2:
        raise ValueError(f"resamples is {resamples}; at least 2 are needed for a spread.")
    count = sums.size
    centred = sums - sizes * (sums.sum() / sizes.sum())  # keeps the squares below from cancelling
    columns = np.column_stack([centred, sizes, centred**2, centred * sizes, sizes**2])
    totals = np.empty((resamples, columns.shape[1]))
    step = max(1, _CELLS // count)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        totals[start : start + size] = cluster_weights(count, size, rng) @ columns
    offset, total, squares, cross, size_squares = totals.T
    shift = offset / total
    spread = squares - 2.0 * shift * cross + shift**2 * size_squares
    spread[spread < 1e-12 * squares] = 0.0  # the rounding residue of one cluster repeated
    errors = np.sqrt(spread * count / (count - 1)) / total
    return sums.sum() / sizes.sum() + shift, errors


def _bca_constants(sums: FloatArray, sizes: FloatArray, means: FloatArray) -> tuple[float, float]:
    """Bias correction and acceleration, the latter from the jackknife over clusters."""
    estimate = sums.sum() / sizes.sum()
    tolerance = 1e-12 * np.abs(means - estimate).max()
    below = (means < estimate - tolerance).mean()
    tied = (np.abs(means - estimate) <= tolerance).mean()
    edge = 1.0 / (2.0 * means.size)
    bias = float(special.ndtri(min(max(below + tied / 2.0, edge), 1.0 - edge)))
    left_out = (sums.sum() - sums) / (sizes.sum() - sizes)
    influence = left_out.mean() - left_out
    squares = float((influence**2).sum())
    acceleration = float((influence**3).sum()) / (6.0 * squares**1.5) if squares > 0.0 else 0.0
    return bias, acceleration


def _bca_levels(tails: FloatArray, bias: float, acceleration: float) -> FloatArray:
    """Efron & Tibshirani (1993), equation 14.10; the tails themselves where both are zero."""
    z = bias + special.ndtri(tails)
    levels: FloatArray = special.ndtr(bias + z / (1.0 - acceleration * z))
    return levels


def _bca_p_value(means: FloatArray, bias: float, acceleration: float) -> float:
    """Twice the smaller tail whose limit is zero: `_bca_levels` solved for the tail."""
    below = ((means < 0.0).sum() + 0.5 * (means == 0.0).sum() + 0.5) / (means.size + 1.0)
    u = float(special.ndtri(below)) - bias
    # A denominator at or below zero means a tail that the transformation cannot reach.
    denominator = 1.0 + acceleration * u
    z = u / denominator - bias if denominator > 0.0 else np.copysign(np.inf, u)
    tail = float(special.ndtr(-abs(z)))
    return min(1.0, max(2.0 * tail, 2.0 / (means.size + 1.0)))


def _studentised(
    estimate: float,
    sums: FloatArray,
    sizes: FloatArray,
    means: FloatArray,
    errors: FloatArray,
    tails: FloatArray,
) -> tuple[float, float, float]:
    """Bootstrap-t limits and p-value."""
    count = sums.size
    residual = sums - sizes * estimate
    error = float(np.sqrt((residual @ residual) * count / (count - 1)) / sizes.sum())
    deviations = means - estimate
    deviations[np.abs(deviations) < 1e-12 * np.abs(deviations).max()] = 0.0
    # One cluster repeated has no spread; its ratio is infinite and stays in, for left out it
    # would make the interval look narrower than so few clusters allow.
    ratios = np.copysign(np.where(deviations == 0.0, 0.0, np.inf), deviations)
    np.divide(deviations, errors, out=ratios, where=errors > 0.0)
    high_t, low_t = np.quantile(ratios, tails, method="inverted_cdf")
    at_zero = estimate / error
    extreme = min(int((ratios >= at_zero).sum()), int((ratios <= at_zero).sum()))
    p_value = min(1.0, 2.0 * (extreme + 1) / (ratios.size + 1))
    return estimate - low_t * error, estimate - high_t * error, p_value


def cluster_robust_mean(
    values: npt.ArrayLike, clusters: npt.ArrayLike | None = None, confidence: float = 0.95
) -> Estimate:
    """Mean with the CR2 cluster-robust standard error and a Satterthwaite t interval.

    Parameters
    ----------
    values : shape (n,); observations.
    clusters : shape (n,); labels; without them each value is a cluster of its own.
    confidence : level of the interval.

    Returns
    -------
    In the unit of the values; p-value of a zero mean. Singletons give Student's t interval exactly,
    equal clusters that of the cluster means.

    Raises
    ------
    ValueError : fewer than 2 values or clusters, or values that are not finite.

    Notes
    -----
    Bell & McCaffrey (2002); Imbens & Kolesar (2016). With an intercept alone both have a closed
    form: for cluster sizes n_g, N their sum and residual sums E_g,
    V = sum E_g^2/(1 - n_g/N) / N^2, and with q_g = n_g^2/(N - n_g) the degrees of freedom are
    N^2 / (sum n_g^2 + (sum q_g)^2 - sum q_g^2).
    """
    sample = as_sample(values, "values")
    check_level(confidence, "confidence")
    sums, sizes = _totals(sample, _codes(clusters, sample.size, "clusters"))
    estimate, n, count = float(sample.mean()), sample.size, sums.size
    if np.ptp(sample) == 0.0:
        return constant(estimate, n, count)
    residual = sums - sizes * estimate
    se = float(np.sqrt((residual**2 / (1.0 - sizes / n)).sum()) / n)
    return t_estimate(estimate, se, satterthwaite(sizes), confidence, n, count)


def satterthwaite(sizes: npt.ArrayLike) -> float:
    """Degrees of freedom of a CR2 standard error of a mean, see :func:`cluster_robust_mean`.

    Parameters
    ----------
    sizes : of the clusters; empty ones do not count. NaN where fewer than two have a member.
    """
    counts = np.asarray(sizes, dtype=np.float64)
    counts = counts[counts > 0]
    if counts.size < 2:
        return float("nan")
    n = counts.sum()
    leverage = counts**2 / (n - counts)
    return float(n**2 / ((counts**2).sum() + leverage.sum() ** 2 - (leverage**2).sum()))


def two_way_cluster_bootstrap(
    values: npt.ArrayLike,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Estimate:
    """Mean with a standard error from three one-way cluster bootstraps, and its t interval.

    Parameters
    ----------
    values : shape (n,); observations.
    rows, columns : shape (n,); labels of the two ways; each needs at least 2 distinct ones.
    resamples : bootstrap samples for each of rows, columns and their intersection.
    confidence : level of the interval, of Student's t with min(G_rows, G_columns) - 1 df.
    seed : source of the resamples.

    Returns
    -------
    In the unit of the values; p of a zero mean; `n_clusters` is the smaller count.

    Raises
    ------
    ValueError : fewer than 2 values or clusters of either way, or values that are not finite.

    Notes
    -----
    The variance is V_rows + V_columns - V_both (Cameron, Gelbach & Miller 2011), and never below
    the larger of the first two: the sum can be too small or negative by chance (MacKinnon,
    Nielsen & Webb 2024). All three use the same random numbers, so that with rows nested in
    columns the result is exactly the bootstrap over columns. The pigeonhole bootstrap (Owen 2007)
    would count the noise of single observations up to three times in such a nested design.
    """
    check_level(confidence, "confidence")
    sample, partitions = _two_ways(values, rows, columns)
    stream = int(np.random.default_rng(seed).integers(2**63))

    def variance(codes: IntArray) -> float:
        sums, sizes = _totals(sample, codes)
        means, _ = _resample(sums, sizes, resamples, np.random.default_rng(stream))
        return float(means.var(ddof=1))

    by_row, by_column, both = partitions
    of_rows = variance(by_row)
    # Rows nested in columns are the same units as the cells of both.
    of_both = of_rows if np.array_equal(by_row, both) else variance(both)
    return _by_two_ways(sample, partitions, (of_rows, variance(by_column), of_both), confidence)


def two_way_robust_mean(
    values: npt.ArrayLike, rows: npt.ArrayLike, columns: npt.ArrayLike, confidence: float = 0.95
) -> Estimate:
    """Mean with a standard error by clusters of two ways at once, and its t interval.

    Both ways are taken for samples, such as items and models that are crossed with them, so that
    the interval is of other items and other models (Clark 1973, Journal of Verbal Learning and
    Verbal Behavior 12:335-359).

    Parameters
    ----------
    values : shape (n,); observations.
    rows, columns : shape (n,); labels of the two ways; each needs at least 2 distinct ones.
    confidence : level of the interval, of Student's t with min(G_rows, G_columns) - 1 df.

    Returns
    -------
    In the unit of the values; p of a zero mean; `n_clusters` is the smaller count.

    Raises
    ------
    ValueError : fewer than 2 values or clusters of either way, or values that are not finite.

    Notes
    -----
    The variance is V_rows + V_columns - V_both (Cameron, Gelbach & Miller 2011), each by CR2, and
    never below the larger of the first two, as in :func:`two_way_cluster_bootstrap`.
    """
    sample, partitions = _two_ways(values, rows, columns)
    variances = [cluster_robust_mean(sample, codes, confidence).se ** 2 for codes in partitions]
    return _by_two_ways(sample, partitions, variances, confidence)


def _by_two_ways(
    sample: FloatArray, partitions: Sequence[IntArray], variances: Sequence[float], level: float
) -> Estimate:
    """The mean, from its variances by row, by column and by both."""
    of_rows, of_columns, of_both = variances
    se = float(np.sqrt(max(of_rows + of_columns - of_both, of_rows, of_columns)))
    count = int(min(partitions[0].max(), partitions[1].max())) + 1
    return t_estimate(float(sample.mean()), se, count - 1.0, level, sample.size, count)


def _two_ways(
    values: npt.ArrayLike, rows: npt.ArrayLike, columns: npt.ArrayLike
) -> tuple[FloatArray, list[IntArray]]:
    """The sample and its partitions by row, by column and by both."""
    sample = as_sample(values, "values")
    first, second = _codes(rows, sample.size, "rows"), _codes(columns, sample.size, "columns")
    both = as_codes(first * (second.max() + 1) + second, sample.size, "rows and columns")
    return sample, [first, second, both]
