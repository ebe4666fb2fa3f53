"""Agreement of coders, corrected for chance.

Two coders in several ways, on categories or on numbers and with units that come in clusters; and
any number of coders by Krippendorff's alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, IntArray, as_codes, check_count, check_level
from dissensus.stats.ratios import Ratios, cluster_weights, percentile_intervals
from dissensus.stats.results import NAN
from dissensus.stats.shares import pooled_shares


@dataclass(frozen=True, slots=True)
class Agreement:
    """One coefficient of n units with its bootstrap interval over units; NaN if not defined."""

    statistic: str
    value: float
    ci_low: float
    ci_high: float
    n: int


def confusion_matrix(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> IntArray:
    """Counts of units by category of the first coder (rows) and of the second (columns).

    Parameters
    ----------
    a, b : shape (n,); codes of the first and second coder.
    categories : all codes of the codebook, empty ones included.

    Returns
    -------
    ndarray of int, shape (q, q)

    Raises
    ------
    ValueError : no units, unequal lengths, codes that are not whole numbers or not in `categories`,
        or a category listed twice.
    """
    first, second = _codes(a, "a"), _codes(b, "b")
    if first.size != second.size:
        raise ValueError(f"a and b hold {first.size} and {second.size} codes; pair them up.")
    both = np.concatenate([first, second])
    codes = np.unique(both) if categories is None else np.asarray(list(categories), np.int64)
    if np.unique(codes).size != codes.size:
        raise ValueError(f"categories {codes.tolist()} lists a code twice; list each once.")
    unknown = np.setdiff1d(both, codes)
    if unknown.size:
        raise ValueError(f"Code {unknown[0]} is not in categories; add it or recode the unit.")
    order = np.argsort(codes)
    rows = order[np.searchsorted(codes, first, sorter=order)]
    columns = order[np.searchsorted(codes, second, sorter=order)]
    flat = np.bincount(rows * codes.size + columns, minlength=codes.size**2)
    return flat.reshape(codes.size, codes.size).astype(np.int64)


def per_category_agreement(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> FloatArray:
    """Specific agreement 2 n_ii/(n_i. + n_.i) of each category (Cicchetti & Feinstein 1990).

    Parameters and errors are those of `confusion_matrix`.

    Returns
    -------
    Shape (q,). In the order of the categories; NaN for one that neither coder used.
    """
    table = confusion_matrix(a, b, categories)
    used = (table.sum(axis=0) + table.sum(axis=1)).astype(np.float64)
    shares = np.full(used.size, np.nan)
    np.divide(2.0 * np.diag(table), used, out=shares, where=used > 0)
    return shares


def bootstrap_agreement(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    categories: Sequence[int],
    resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
    confidence: float = 0.95,
) -> dict[str, Agreement]:
    """Every coefficient with a percentile interval (Efron & Tibshirani 1993, chapter 13).

    Parameters
    ----------
    a, b : shape (n,); codes of the first and second coder.
    categories : all codes of the codebook, at least 2, empty ones included: AC1 depends on their
        number.
    resamples : bootstrap samples of n units.
    seed : source of the resamples.
    confidence : level of the intervals.

    Returns
    -------
    ``percent_agreement``, a share from 0 to 1; ``cohen_kappa`` (Cohen 1960); ``scott_pi`` (Scott
    1955); ``krippendorff_alpha`` for nominal data (Krippendorff 2019, chapter 12); ``gwet_ac1``
    (Gwet 2008, British J. of Mathematical and Statistical Psychology 61:29-48). Kappa, pi and alpha
    are NaN where both coders used one category throughout. Resamples in which a coefficient is NaN
    are left out of its interval.

    Raises
    ------
    ValueError : as `confusion_matrix`; also for fewer than 2 categories or no resamples.
    """
    check_count(resamples, "resamples")
    check_level(confidence, "confidence")
    if len(categories) < 2:
        raise ValueError(f"categories holds {len(categories)} code(s); pass the whole codebook.")
    table = confusion_matrix(a, b, categories)
    n, q = int(table.sum()), table.shape[0]
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero(table)
    # Resampling units with replacement makes the cells multinomial: tables are drawn directly.
    drawn = np.zeros((resamples, table.size), dtype=np.int64)
    drawn[:, filled] = rng.multinomial(n, table.ravel()[filled] / n, size=resamples)
    values = _coefficients(table[None], q)
    replicates = _coefficients(drawn.reshape(resamples, q, q), q)
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    result = {}
    for name, value in values.items():
        usable = replicates[name][~np.isnan(replicates[name])]
        low, high = np.quantile(usable, tails) if usable.size else (NAN, NAN)
        result[name] = Agreement(name, float(value[0]), float(low), float(high), n)
    return result


def nominal_alpha(
    counts: npt.ArrayLike,
    resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
    confidence: float = 0.95,
) -> Agreement:
    """Krippendorff's alpha of any number of coders, some of whom may be missing in a unit.

    Parameters
    ----------
    counts : shape (n, q); how many codes of each category a unit has. Units with fewer than two
        codes are left out.
    resamples : bootstrap samples of whole units.
    seed : source of the resamples.
    confidence : level of the percentile interval.

    Returns
    -------
    With `n` the units that have two codes or more. The value is NaN where all codes are of one
    category, or where no unit is left; the limits are NaN below two units.

    Raises
    ------
    ValueError : counts that are negative or have another shape, or no resamples.

    Notes
    -----
    Krippendorff (2019), chapter 12: 1 - D_o/D_e, with pairs of differing codes within units, each
    unit's weighted by 1/(m_u - 1), over those in all codes, weighted by 1/(n - 1). Resampling
    whole units keeps whatever depends within them.
    """
    check_count(resamples, "resamples")
    check_level(confidence, "confidence")
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or (table < 0.0).any():
        raise ValueError(f"counts has shape {table.shape}; pass counts of 0 or more, (n, q).")
    sizes = table.sum(axis=1)
    table, sizes = table[sizes >= 2.0], sizes[sizes >= 2.0]
    n = len(table)
    if n == 0:
        return Agreement("krippendorff_alpha", NAN, NAN, NAN, 0)
    within = (sizes**2 - (table**2).sum(axis=1)) / (sizes - 1.0)
    weights = np.vstack([np.ones(n), cluster_weights(n, resamples, seed)])
    totals = weights @ table
    codes = totals.sum(axis=1)
    expected = (codes**2 - (totals**2).sum(axis=1)) / (codes - 1.0)
    values = np.full(len(weights), np.nan)
    np.divide(weights @ within, expected, out=values, where=expected > 0.0)
    values = 1.0 - values
    usable = values[1:][~np.isnan(values[1:])]
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    low, high = np.quantile(usable, tails) if n > 1 and usable.size else (NAN, NAN)
    return Agreement("krippendorff_alpha", float(values[0]), float(low), float(high), n)


def clustered_agreement(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
    confidence: float = 0.95,
) -> dict[str, Agreement]:
    """How far two coders agree, with intervals over clusters.

    Parameters
    ----------
    a, b : shape (n,); what the first and the second coder say: names (texts), or numbers.
    clusters : shape (n,); without them each unit is a cluster of its own.
    resamples : bootstrap samples of whole clusters.
    seed : source of the resamples.
    confidence : level of the intervals.

    Returns
    -------
    ``percent_agreement``, a share; ``cohen_kappa``, of numbers with squared weights (Cohen 1968);
    ``krippendorff_alpha``, of numbers for interval data (Krippendorff 2019, chapter 12). Kappa and
    alpha are NaN where all say one thing. The limits of the share are those of
    :func:`~dissensus.stats.shares.pooled_shares`, the others percentiles of resampled clusters.

    Raises
    ------
    ValueError : no units, or not as many of one coder as of the other.

    Notes
    -----
    Both coefficients are 1 - D_o/D_e of squared distances, where a name is a corner of a simplex
    and a number is itself. D_o is the mean distance within units. D_e of kappa is the mean distance
    of any code of the first coder from any of the second; that of alpha of any two of all codes.
    """
    check_count(resamples, "resamples")
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise ValueError(f"a and b have shapes {first.shape} and {second.shape}; pair them up.")
    n = first.size
    codes = as_codes(np.arange(n) if clusters is None else clusters, n, "clusters")
    count = int(codes.max()) + 1
    sums = np.zeros((count, 0))
    for column in _terms(first, second).T:
        sums = np.column_stack([sums, np.bincount(codes, column, minlength=count)])
    weights = np.vstack([np.ones(count), cluster_weights(count, resamples, seed)])
    values = _of_distances(weights @ sums)
    if count < 2:
        values[1:] = np.nan
    names = ("percent_agreement", "cohen_kappa", "krippendorff_alpha")
    intervals = percentile_intervals(Ratios(values[0], values[1:]), confidence)
    share = pooled_shares(sums[:, [1]], sums[:, [0]], confidence)
    intervals.low[0], intervals.high[0] = share.low[0], share.high[0]
    numbers = np.column_stack([values[0], intervals.low, intervals.high]).tolist()
    rows = zip(names, numbers, strict=True)
    return {name: Agreement(name, value, low, high, n) for name, (value, low, high) in rows}


def _terms(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> FloatArray:
    """What the coefficients are computed from, a row a unit; shape (n, 4 + 2d).

    One, whether they agree, their distance and their squares; then both codes as d numbers, which
    are centred so that squares cancel nothing.
    """
    both = np.concatenate([first, second])
    if both.dtype.kind in "OUS":
        points = (both[:, None] == np.unique(both)[None, :]).astype(np.float64)
    else:
        points = both.astype(np.float64)[:, None]
        points = points - points.mean()
    x, y = points[: first.size], points[first.size :]
    alike = (first == second).astype(np.float64)
    squares = (x**2).sum(axis=1) + (y**2).sum(axis=1)
    distances = ((x - y) ** 2).sum(axis=1)
    return np.column_stack([np.ones(first.size), alike, distances, squares, x, y])


def _of_distances(totals: FloatArray) -> FloatArray:
    """Agreement, kappa and alpha of sums of :func:`_terms`; shape (b, 3)."""
    n, alike, distances, squares = totals[:, :4].T
    x, y = np.split(totals[:, 4:] / n[:, None], 2, axis=1)
    observed = distances / n
    of_kappa = squares / n - 2.0 * (x * y).sum(axis=1)
    of_alpha = 2.0 * (squares - (n / 2.0) * ((x + y) ** 2).sum(axis=1)) / (2.0 * n - 1.0)
    values = np.column_stack([alike / n, np.full((len(n), 2), np.nan)])
    for place, expected in ((1, of_kappa), (2, of_alpha)):
        room = expected > 1e-12
        values[room, place] = 1.0 - observed[room] / expected[room]
    return values


def _coefficients(tables: IntArray, q: int) -> dict[str, FloatArray]:
    """All coefficients of a stack of tables (size, q, q); NaN where not defined.

    Each is (p_o - p_e)/(1 - p_e), with p_o the observed share of agreement. The chance agreement
    p_e is sum p_k p'_k of the two coders' margins for kappa, sum m_k^2 of their mean margins for
    pi, and sum m_k (1 - m_k)/(q - 1) for AC1.
    """
    n = tables.sum(axis=(1, 2)).astype(np.float64)
    rows, columns = tables.sum(axis=2) / n[:, None], tables.sum(axis=1) / n[:, None]
    pooled = (rows + columns) / 2.0
    observed = np.trace(tables, axis1=1, axis2=2) / n
    squares = (pooled**2).sum(axis=1)

    def corrected(chance: FloatArray) -> FloatArray:
        room = 1.0 - chance
        values = np.full(room.size, np.nan)
        # Chance agreement of one up to rounding: a single category, nothing left to correct.
        np.divide(observed - chance, room, out=values, where=room > 1e-12)
        return values

    pi = corrected(squares)
    return {
        "percent_agreement": observed,
        "cohen_kappa": corrected((rows * columns).sum(axis=1)),
        "scott_pi": pi,
        # Two coders and no missing codes: alpha is pi with a correction for the sample's size.
        "krippendorff_alpha": pi + (1.0 - pi) / (2.0 * n),
        "gwet_ac1": corrected((1.0 - squares) / (q - 1.0)),
    }


def _codes(codes: npt.ArrayLike, name: str) -> IntArray:
    array: npt.NDArray[Any] = np.asarray(codes)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; pass one code per unit, at least one.")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} holds {array.dtype} values; pass whole numbers, none missing.")
    return array.astype(np.int64)
