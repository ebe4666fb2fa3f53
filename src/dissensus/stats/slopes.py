"""Slopes on one regressor, and weighted sums of means, with CR2 standard errors by cluster.

Bell & McCaffrey 2002, Survey Methodology 28:169-181; Imbens & Kolesar 2016, Review of Economics and
Statistics 98:701-712. Both are :func:`~dissensus.stats.bootstrap.cluster_robust_mean` where they
come to a mean: of the differences of blocks of two, or of a single column.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dissensus.stats.bootstrap import satterthwaite
from dissensus.stats.checks import FloatArray, IntArray, as_codes, as_sample, check_level
from dissensus.stats.results import NAN, Estimate, t_estimate

#: A share of a variance below which it is a residue of rounding.
_ROUNDING = 1e-12
#: What a cluster leaves of the spread that a slope rests on, below which it alone has all of it.
_ALONE = 1e-9


def centred(values: npt.ArrayLike, blocks: npt.ArrayLike) -> FloatArray:
    """Values minus the mean of their block; both of shape (n,)."""
    sample = np.asarray(values, dtype=np.float64)
    codes = as_codes(blocks, sample.size, "blocks")
    sizes = np.bincount(codes)
    return np.asarray(sample - (np.bincount(codes, weights=sample) / sizes)[codes])


def cluster_robust_slope(
    values: npt.ArrayLike,
    regressor: npt.ArrayLike,
    clusters: npt.ArrayLike,
    blocks: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    controls: npt.ArrayLike | None = None,
) -> Estimate:
    """The least-squares slope of values on a regressor, with its CR2 standard error.

    Parameters
    ----------
    values, regressor : shape (n,); a regressor of 0 and 1 gives a difference of means.
    clusters : shape (n,); labels of what is independent.
    blocks : shape (n,); labels, each block within one cluster. Then every block has a level of its
        own, and the slope is of differences within blocks alone. None for one level.
    confidence : level of the interval.
    controls : shape (n, k); further regressors, whose slopes are fitted and not told.

    Returns
    -------
    In units of the values per unit of the regressor; the p-value is of no slope. The estimate is
    NaN where the regressor does not vary beside the controls, and has no standard error where
    clusters are fewer than two, where one of them alone tells the slope, or where the values lie on
    the line.

    Raises
    ------
    ValueError : labels that do not fit, or values that are not finite.

    Notes
    -----
    Levels of blocks are absorbed by centring, which changes neither CR2 nor the degrees of freedom
    (Pustejovsky & Tipton 2018, theorem 2, for blocks within clusters).
    """
    check_level(confidence, "confidence")
    y, x = as_sample(values, "values", 0), as_sample(regressor, "regressor", 0)
    codes = as_codes(clusters, y.size, "clusters")
    if y.size == 0:
        return Estimate(NAN)
    within = np.zeros(y.size, dtype=np.int64) if blocks is None else blocks
    count = int(codes.max()) + 1
    x_about, y_about = centred(x, within), centred(y, within)
    fitted = _orthonormal(controls, within, y.size)
    x_about = x_about - fitted @ (fitted.T @ x_about)
    y_about = y_about - fitted @ (fitted.T @ y_about)
    spread = float(x_about @ x_about)
    if spread <= _ROUNDING * max(float(x @ x), _ROUNDING):
        return Estimate(NAN, n=y.size, n_clusters=count)
    slope = float(x_about @ y_about) / spread
    residuals = y_about - slope * x_about
    # About the mean, the level's column is at right angles to the regressor's.
    level = [] if blocks is not None else [np.full(y.size, y.size**-0.5)]
    columns = np.column_stack([x_about / spread**0.5, fitted, *level])
    se, df = _cr2(columns, residuals, codes)
    alone = Estimate(slope, n=y.size, n_clusters=count)
    # Relative, since values that lie on the line leave a residue of rounding.
    if count < 2 or not se > _ROUNDING * float(np.abs(y).max()):
        return alone
    return t_estimate(slope, se / spread**0.5, df, confidence, y.size, count)


def _orthonormal(controls: npt.ArrayLike | None, blocks: npt.ArrayLike, n: int) -> FloatArray:
    """Columns that span the controls within blocks, shape (n, k); none without controls."""
    if controls is None:
        return np.zeros((n, 0))
    given = np.asarray(controls, dtype=np.float64).reshape(n, -1)
    about = np.column_stack([centred(column, blocks) for column in given.T])
    left, singular, _ = np.linalg.svd(about, full_matrices=False)
    return np.asarray(left[:, singular > _ROUNDING**0.5 * max(float(singular.max(initial=0)), 1.0)])


def _cr2(columns: FloatArray, residuals: FloatArray, codes: IntArray) -> tuple[float, float]:
    """Standard error and degrees of freedom of the first of some orthonormal columns' coefficient.

    Parameters
    ----------
    columns : shape (n, p), orthonormal.
    residuals, codes : shape (n,); of the least-squares fit, and of the clusters.

    Returns
    -------
    NaN, NaN where one cluster alone has all that a coefficient rests on.
    """
    score, squares, crossed = 0.0, [], []
    for code in range(int(codes.max()) + 1):
        rows = columns[codes == code]
        left, singular, _ = np.linalg.svd(rows, full_matrices=False)
        rest = 1.0 - singular**2
        if rest.min() < _ALONE:
            return NAN, NAN
        # (I - H)^(-1/2), which is 1 at right angles to the columns.
        adjusted = rows[:, 0] + left @ ((rest**-0.5 - 1.0) * (left.T @ rows[:, 0]))
        score += float(adjusted @ residuals[codes == code]) ** 2
        squares.append(float(adjusted @ adjusted))
        crossed.append(rows.T @ adjusted)
    pairs = np.diag(squares) - np.array(crossed) @ np.array(crossed).T
    return score**0.5, float(np.trace(pairs) ** 2 / (pairs**2).sum())


def cluster_robust_sum(
    values: npt.ArrayLike,
    weights: npt.ArrayLike,
    clusters: npt.ArrayLike,
    confidence: float = 0.95,
) -> Estimate:
    """A weighted sum of the means of several columns, each over the rows that have it.

    Parameters
    ----------
    values : shape (n, k), NaN where a row has no value in a column.
    weights : shape (k,).
    clusters : shape (n,); labels of what is independent.
    confidence : level of the interval.

    Returns
    -------
    In the unit of the values; ``n`` is how many rows have a value in any column. It has no
    standard error where a column has values in fewer than two clusters, or none of them varies;
    the estimate is NaN where a column is empty.

    Notes
    -----
    With E_gr the residual sum of cluster g in column r, n_r the column's values and n_gr those of
    the cluster, V = sum_g (sum_r w_r E_gr / (n_r sqrt(1 - n_gr / n_r)))^2: CR2 column by column,
    with their covariances. Degrees of freedom are those of the column that has fewest. Where no
    value is missing this is the CR2 standard error of the mean of the rows' weighted sums.
    """
    check_level(confidence, "confidence")
    sample, weight = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    there = np.isfinite(sample)
    codes = as_codes(clusters, len(sample), "clusters")
    kept = there.any(axis=1)
    n, count = int(kept.sum()), len(np.unique(codes[kept]))
    estimate, score, df = 0.0, np.zeros(int(codes.max(initial=-1)) + 1), np.inf
    for each, rows, factor in zip(sample.T, there.T, weight, strict=True):
        total = int(rows.sum())
        if total == 0:
            return Estimate(NAN, n=n, n_clusters=count)
        mean = float(each[rows].mean())
        estimate += factor * mean
        sizes = np.bincount(codes[rows], minlength=score.size)
        sums = np.bincount(codes[rows], weights=each[rows] - mean, minlength=score.size)
        df = min(df, satterthwaite(sizes))
        if sizes.max() < total:
            score += factor * sums / (total * np.sqrt(1.0 - sizes / total))
        else:
            df = NAN
    se = float(np.sqrt(score @ score))
    size = float(np.abs(sample[there]).max())
    if not np.isfinite(df) or se <= _ROUNDING * size:
        return Estimate(estimate, n=n, n_clusters=count)
    return t_estimate(estimate, se, df, confidence, n, count)
