"""Agreement of two coders on nominal categories, corrected for chance in four ways.

Every function takes the two coders' integer codes, shape (n,) each, no code missing, and
`categories`, all codes of the codebook in the order wanted; left out, the codes that occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from dissensus.stats.checks import FloatArray, IntArray, check_count, check_level
from dissensus.stats.results import NAN, Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """One coefficient with its bootstrap interval over units.

    `degenerate` counts resamples in which the coefficient is not defined (both coders used one
    category throughout); they are left out of the interval, which is NaN if none remains.
    """

    statistic: str
    value: float
    ci_low: float
    ci_high: float
    n: int
    degenerate: int


def confusion_matrix(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> IntArray:
    """Counts of units by category of the first coder (rows) and of the second (columns).

    Parameters
    ----------
    a, b : array_like of int, shape (n,)
        Codes of the first and second coder.
    categories : sequence of int, optional
        All codes of the codebook, empty ones included.

    Returns
    -------
    ndarray of int, shape (q, q)

    Raises
    ------
    ValueError
        For no units, unequal lengths, codes that are not whole numbers or not in `categories`,
        or a category listed twice.
    """
    first, second = _codes(a, "a"), _codes(b, "b")
    if first.size != second.size:
        raise ValueError(f"a and b hold {first.size} and {second.size} codes; pair them up.")
    both = np.concatenate([first, second])
    known = np.unique(both) if categories is None else np.asarray(list(categories), np.int64)
    if np.unique(known).size != known.size:
        raise ValueError(f"categories {known.tolist()} lists a code twice; list each once.")
    unknown = np.setdiff1d(both, known)
    if unknown.size:
        raise ValueError(f"Code {unknown[0]} is not in categories; add it or recode the unit.")
    order = np.argsort(known)
    rows = order[np.searchsorted(known, first, sorter=order)]
    columns = order[np.searchsorted(known, second, sorter=order)]
    flat = np.bincount(rows * known.size + columns, minlength=known.size**2)
    return flat.reshape(known.size, known.size).astype(np.int64)


def percent_agreement(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> float:
    """Share of units, 0 to 1, that both coders put in the same category.

    Parameters, errors: as `confusion_matrix`.
    """
    table = confusion_matrix(a, b, categories)
    return float(np.trace(table) / table.sum())


def cohen_kappa(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> Estimate:
    """Cohen's kappa with its large-sample standard error (Cohen 1960; Fleiss et al. 1969).

    Parameters, errors: as `confusion_matrix`.

    Returns
    -------
    Estimate
        kappa = (p_o - p_e)/(1 - p_e), p_e from each coder's own margins
        (`statsmodels.stats.inter_rater.cohens_kappa`); 95% normal interval; p of kappa = 0
        under the standard error of that null. All NaN where both coders used one and the same
        category throughout.
    """
    table = confusion_matrix(a, b, categories)
    n = int(table.sum())
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    if used.sum() < 2:
        return Estimate(NAN, n=n, n_clusters=n)
    from statsmodels.stats.inter_rater import cohens_kappa

    with np.errstate(invalid="ignore"):  # tables so sparse that a variance comes out as 0/0
        result: Any = cohens_kappa(table[np.ix_(used, used)])
    # Rounding can leave a variance of zero just below zero.
    se, null = (float(np.sqrt(max(v, 0.0))) for v in (result.var_kappa, result.var_kappa0))
    kappa = float(result.kappa)
    p_value = float(2.0 * special.ndtr(-abs(kappa) / null)) if null > 0.0 else NAN
    half = float(special.ndtri(0.975)) * se
    return Estimate(kappa, se, kappa - half, kappa + half, p_value, n, n)


def scott_pi(a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None) -> float:
    """Scott's pi: chance agreement from the two coders' pooled margins (Scott 1955).

    Parameters, errors: as `confusion_matrix`. NaN where a single category was used.
    """
    return float(_coefficients(confusion_matrix(a, b, categories)[None])["scott_pi"][0])


def krippendorff_alpha(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> float:
    """Krippendorff's alpha for nominal data (Krippendorff 2019, chapter 12).

    Parameters, errors: as `confusion_matrix`. NaN where a single category was used. Computed by
    the `krippendorff` package with `level_of_measurement="nominal"`.
    """
    table = confusion_matrix(a, b, categories)
    if ((table.sum(axis=0) + table.sum(axis=1)) > 0).sum() < 2:
        return NAN
    import krippendorff

    data = np.vstack([_codes(a, "a"), _codes(b, "b")]).astype(np.float64)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def gwet_ac1(a: npt.ArrayLike, b: npt.ArrayLike, q: int) -> float:
    """Gwet's AC1 (Gwet 2008, British J. of Mathematical and Statistical Psychology 61:29-48).

    Parameters
    ----------
    a, b : array_like of int, shape (n,)
        Codes of the first and second coder.
    q : int
        Categories of the codebook, empty ones included, at least 2: AC1 depends on it.

    Returns
    -------
    float
        (p_o - p_e)/(1 - p_e) with p_e = sum pi_k (1 - pi_k)/(q - 1), pi_k the pooled share of
        category k.

    Raises
    ------
    ValueError
        As `confusion_matrix`; also for q below 2 or below the number of codes that occur.
    """
    table = confusion_matrix(a, b)
    if q < max(2, table.shape[0]):
        raise ValueError(
            f"q is {q} and {table.shape[0]} code(s) occur; pass the codebook's size, at least 2."
        )
    return float(_coefficients(table[None], q)["gwet_ac1"][0])


def per_category_agreement(
    a: npt.ArrayLike, b: npt.ArrayLike, categories: Sequence[int] | None = None
) -> FloatArray:
    """Specific agreement 2 n_ii/(n_i. + n_.i) of each category (Cicchetti & Feinstein 1990).

    Parameters, errors: as `confusion_matrix`.

    Returns
    -------
    ndarray, shape (q,)
        In the order of the categories; NaN for one that neither coder used.
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
    """Every coefficient with a percentile bootstrap interval over units.

    Parameters
    ----------
    a, b : array_like of int, shape (n,)
        Codes of the first and second coder.
    categories : sequence of int
        All codes of the codebook, empty ones included; their number, at least 2, is AC1's q.
    resamples : int
        Bootstrap samples of n units.
    seed : int or numpy.random.Generator
        Source of the resamples.
    confidence : float
        Level of the intervals.

    Returns
    -------
    dict of str to Agreement
        Keys percent_agreement, cohen_kappa, scott_pi, krippendorff_alpha, gwet_ac1.

    Raises
    ------
    ValueError
        As `confusion_matrix`; also for fewer than 2 categories or no resamples.

    Notes
    -----
    Resampling units with replacement makes the cells of the table multinomial, so tables are
    drawn directly (Efron & Tibshirani 1993, chapter 13, for the percentile interval).
    """
    check_count(resamples, "resamples")
    check_level(confidence, "confidence")
    if len(categories) < 2:
        raise ValueError(f"categories holds {len(categories)} code(s); pass the whole codebook.")
    table = confusion_matrix(a, b, categories)
    n, q = int(table.sum()), table.shape[0]
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero(table)
    drawn = np.zeros((resamples, table.size), dtype=np.int64)
    drawn[:, filled] = rng.multinomial(n, table.ravel()[filled] / n, size=resamples)
    values = _coefficients(table[None], q)
    replicates = _coefficients(drawn.reshape(resamples, q, q), q)
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    result = {}
    for name, value in values.items():
        usable = replicates[name][~np.isnan(replicates[name])]
        low, high = np.quantile(usable, tails) if usable.size else (NAN, NAN)
        lost = resamples - usable.size
        result[name] = Agreement(name, float(value[0]), float(low), float(high), n, lost)
    return result


def _coefficients(tables: IntArray, q: int = 2) -> dict[str, FloatArray]:
    """All coefficients of a stack of tables (size, q, q); NaN where not defined."""
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
