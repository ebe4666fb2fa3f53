"""Whether the randomisation came out as designed, and whether two arms comply equally."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from dissensus.stats.checks import FloatArray, as_sample, check_level
from dissensus.stats.results import ChiSquareTest, Estimate


@dataclass(frozen=True, slots=True)
class ProportionEquivalence:
    """Two paired shares compared.

    Attributes
    ----------
    difference : share of `a` minus share of `b`.
    ci_low, ci_high : Tango's score interval at level 1 - 2 alpha.
    p_equivalence : of the null that the shares differ by the margin or more; small speaks for
        equivalence.
    p_mcnemar : exact, of the null that they do not differ at all.
    only_a, only_b, n : pairs with a success in the one alone, in the other alone, and all pairs.
    """

    difference: float
    ci_low: float
    ci_high: float
    p_equivalence: float
    p_mcnemar: float
    only_a: int
    only_b: int
    n: int


def order_balance(k: int, n: int, confidence: float = 0.95, *, expected: float = 0.5) -> Estimate:
    """Share of draws in one of several equally likely orders, with an exact binomial test.

    Parameters
    ----------
    k, n : draws in that order and draws in all, 0 <= k <= n, n >= 1.
    confidence : level of the two-sided Clopper-Pearson interval.
    expected : share that the design gives the order; one half for two.

    Returns
    -------
    A share; p is two-sided against the expected one (`scipy.stats.binomtest`).

    Raises
    ------
    ValueError : counts out of range.
    """
    low, high = clopper_pearson(k, n, confidence)
    share = k / n
    se = float(np.sqrt(share * (1.0 - share) / n))
    return Estimate(share, se, low, high, float(stats.binomtest(k, n, expected).pvalue), n, n)


def clopper_pearson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Exact two-sided interval of a share (Clopper & Pearson 1934).

    Parameters
    ----------
    k, n : successes and trials, 0 <= k <= n, n >= 1.
    confidence : level; (1 - confidence)/2 lies beyond each limit, also where one of them is 0 or 1.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError : counts out of range.
    """
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"k = {k} of n = {n} is no share; pass 0 <= k <= n with n at least 1.")
    check_level(confidence, "confidence")
    interval = stats.binomtest(k, n).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def uniformity(counts: npt.ArrayLike) -> ChiSquareTest:
    """Pearson's chi-square test that all categories are equally likely (Pearson 1900).

    Parameters
    ----------
    counts : shape (k,); counts of at least 2 categories, empty ones included.

    Returns
    -------
    With k - 1 df (`scipy.stats.chisquare`).

    Raises
    ------
    ValueError : fewer than 2 categories, a negative or fractional count, or counts of 0 throughout.
    """
    observed = _counts(as_sample(counts, "counts"))
    test = stats.chisquare(observed)
    squares = float(((observed - observed.mean()) ** 2).sum())
    df, n = observed.size - 1, int(observed.sum())
    return ChiSquareTest(float(test.statistic), df, float(test.pvalue), squares, n)


def permutation_balance(counts: npt.ArrayLike) -> ChiSquareTest:
    """Balance of items over positions when each draw is a random permutation (Anderson 1959).

    Parameters
    ----------
    counts : shape (k, k); how often item i took position j in S permutations of k >= 2: every row
        and every column sums to S.

    Returns
    -------
    Q = (k - 1)/S * sum (count - S/k)^2 with (k - 1)^2 df.

    Raises
    ------
    ValueError : a table that is not square or whose margins differ.

    Notes
    -----
    Anderson, R. L. (1959), Biometrics 15:582-590. A permutation fixes both margins, so that the
    cells covary more than in a contingency table: Pearson's statistic is too large by k/(k - 1).
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise ValueError(
            f"counts has shape {table.shape}; pass a square table, items by positions."
        )
    _counts(table.ravel())
    total = float(table[0].sum())
    if (table.sum(axis=0) != total).any() or (table.sum(axis=1) != total).any():
        raise ValueError(
            f"counts has unequal margins, not all {total:g}; count whole permutations."
        )
    k = table.shape[0]
    squares = float(((table - total / k) ** 2).sum())
    statistic, df = (k - 1) / total * squares, (k - 1) ** 2
    return ChiSquareTest(statistic, df, float(special.chdtrc(df, statistic)), squares, int(total))


def _counts(counts: FloatArray) -> FloatArray:
    if not np.isfinite(counts).all() or (counts < 0).any() or (counts % 1 != 0).any():
        raise ValueError(f"counts {counts.tolist()} are not all whole numbers of 0 or more.")
    if counts.sum() == 0:
        raise ValueError("counts are all 0; nothing was drawn yet.")
    return counts


def paired_proportion_equivalence(
    a: npt.ArrayLike, b: npt.ArrayLike, margin: float, alpha: float = 0.05
) -> ProportionEquivalence:
    """Equivalence of two paired shares within +-`margin` (Tango 1998).

    Parameters
    ----------
    a, b : shape (n,); 0 and 1, or False and True; outcomes of the two members of each pair, n >= 2.
    margin : largest difference in shares that counts as none, strictly between 0 and 1.
    alpha : level of each of the two one-sided tests.

    Raises
    ------
    ValueError : unequal lengths, values other than 0 and 1, or a margin or alpha out of range.

    Notes
    -----
    Tango (1998), Statistics in Medicine 17:891-908. With n_a and n_b the discordant pairs,
    T(D) = (n_a - n_b - nD) / sqrt(n (2 q + D(1 - D))), q being the maximum likelihood estimate
    of P(b alone) where the difference is D; it works with no discordant pair at all, as Wald's
    interval does not. The interval excludes the margins exactly where p is below alpha.
    """
    first, second = _binary(a, "a"), _binary(b, "b")
    if first.size != second.size:
        raise ValueError(f"a and b hold {first.size} and {second.size} outcomes; pair them up.")
    if not 0.0 < margin < 1.0:
        raise ValueError(f"margin is {margin}; pass a difference in shares between 0 and 1.")
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; pass a level between 0 and 0.5, such as 0.05.")
    n = first.size
    only_a, only_b = int((first > second).sum()), int((second > first).sum())
    difference, z = (only_a - only_b) / n, -float(special.ndtri(alpha))
    edge = 1.0 - 1e-12

    def score(at: float) -> float:
        return _tango(at, only_a, only_b, n)

    low, high = -1.0, 1.0
    if difference > -1.0:
        low = float(optimize.brentq(lambda at: score(at) - z, -edge, difference))
    if difference < 1.0:
        high = float(optimize.brentq(lambda at: score(at) + z, difference, edge))
    p_value = float(max(special.ndtr(-score(-margin)), special.ndtr(score(margin))))
    discordant = only_a + only_b
    mcnemar = float(stats.binomtest(only_a, discordant).pvalue) if discordant else 1.0
    return ProportionEquivalence(difference, low, high, p_value, mcnemar, only_a, only_b, n)


def _tango(at: float, only_a: int, only_b: int, n: int) -> float:
    """Score statistic of the null difference `at`, between -1 and 1 exclusive."""
    b = -only_a - only_b + (2 * n - only_a + only_b) * at
    c = -only_b * at * (1.0 - at)
    q = (np.sqrt(b**2 - 8.0 * n * c) - b) / (4.0 * n)
    variance = n * (2.0 * q + at * (1.0 - at))
    if variance <= 0.0:  # a null of 0 with no discordant pair: nothing observed, nothing expected
        return 0.0
    return float((only_a - only_b - n * at) / np.sqrt(variance))


def _binary(outcomes: npt.ArrayLike, name: str) -> FloatArray:
    sample = as_sample(outcomes, name)
    other = sample[(sample != 0.0) & (sample != 1.0)]
    if other.size:
        raise ValueError(f"{name} holds {other[0]:g}; pass 0 and 1 or False and True.")
    return sample
