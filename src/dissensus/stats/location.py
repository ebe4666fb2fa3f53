"""Where paired differences lie: means, ranks, signs, effect sizes and equivalence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from dissensus.stats.bootstrap import cluster_robust_mean, satterthwaite
from dissensus.stats.checks import FloatArray, as_codes, as_sample, check_level
from dissensus.stats.results import NAN, Estimate, constant
from dissensus.stats.shares import share_limits

#: Walsh averages that are sorted at once, and the most steps until so few are left.
_CANDIDATES = 200_000
_BISECTIONS = 200

_EXACT_RANKS = 100
_HUGE_T = 3_000.0


def paired_t(differences: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """Mean paired difference with Student's t interval and test (Student 1908).

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.
    confidence : level of the interval mean +- t_{n-1} * sd / sqrt(n).

    Returns
    -------
    In the unit of the differences; p-value of a zero mean. Identical differences give a standard
    error of 0 and p = 0, or NaN where they are all zero.

    Raises
    ------
    ValueError : fewer than 2 differences or values that are not finite.
    """
    sample = as_sample(differences, "differences")
    check_level(confidence, "confidence")
    mean, n = float(sample.mean()), sample.size
    if np.ptp(sample) == 0.0:
        return constant(mean, n, n)
    test = stats.ttest_1samp(sample, 0.0)
    interval = test.confidence_interval(confidence)
    se = float(stats.sem(sample))
    return Estimate(mean, se, float(interval.low), float(interval.high), float(test.pvalue), n, n)


def wilcoxon_signed_rank(differences: npt.ArrayLike) -> Estimate:
    """Wilcoxon signed-rank test with zeros ranked and then left out (Pratt 1959).

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.

    Returns
    -------
    `estimate` is the matched-pairs rank-biserial correlation (W+ - W-)/(W+ + W-) of Kerby (2014),
    from -1 to 1; no standard error or interval. p is that of `scipy.stats.wilcoxon`: exact for up
    to 50 differences without zeros or ties, else normal with tie correction (for up to 13 with
    ties, an exact permutation). `n` counts zeros too. Where all differences are zero the estimate
    is 0 and p is 1.

    Raises
    ------
    ValueError : fewer than 2 differences or values that are not finite.

    Notes
    -----
    Dropping zeros before ranking (Wilcoxon's own rule) can turn a result significant by moving
    a difference towards zero; Pratt's rule cannot.
    """
    sample = as_sample(differences, "differences")
    n = sample.size
    if not sample.any():
        return Estimate(0.0, p_value=1.0, n=n, n_clusters=n)
    ranks = stats.rankdata(np.abs(sample))
    plus, minus = float(ranks[sample > 0].sum()), float(ranks[sample < 0].sum())
    p_value = float(stats.wilcoxon(sample, zero_method="pratt").pvalue)
    return Estimate((plus - minus) / (plus + minus), p_value=p_value, n=n, n_clusters=n)


def sign_test(differences: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """Exact sign test: the share of positive differences among those that are not zero.

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.
    confidence : level of the Clopper-Pearson interval.

    Returns
    -------
    `estimate` is a share; p is exact binomial against one half (Dixon & Mood 1946); `n` counts the
    differences that are not zero. With none, share and interval are NaN, p is 1.

    Raises
    ------
    ValueError : fewer than 2 differences or values that are not finite.
    """
    sample = as_sample(differences, "differences")
    check_level(confidence, "confidence")
    positive, n = int((sample > 0).sum()), int((sample != 0).sum())
    if n == 0:
        return Estimate(NAN, p_value=1.0)
    test = stats.binomtest(positive, n)
    interval = test.proportion_ci(confidence, method="exact")
    share = positive / n
    se = float(np.sqrt(share * (1.0 - share) / n))
    return Estimate(share, se, float(interval.low), float(interval.high), float(test.pvalue), n, n)


def hodges_lehmann(differences: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """Median of the Walsh averages with the interval that inverts the signed-rank test.

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2; zeros and ties are kept.
    confidence : level of the interval; the exact null of W+ up to n = 100, the normal one above.

    Returns
    -------
    In the unit of the differences, the pseudo-median if they are not symmetric; no standard error;
    p from `wilcoxon_signed_rank`. With so few differences that no rank reaches the level (n < 6 at
    95%), the interval is infinite.

    Raises
    ------
    ValueError : fewer than 2 differences or values that are not finite.

    Notes
    -----
    Hodges & Lehmann (1963); interval by Tukey, in Hollander, Wolfe & Chicken (2014), section
    3.3: the q-th smallest and q-th largest Walsh average, where P(W+ < q) <= alpha/2.
    """
    sample = np.sort(as_sample(differences, "differences"))
    check_level(confidence, "confidence")
    n, pairs = sample.size, sample.size * (sample.size + 1) // 2
    middle = {_walsh_order_statistic(sample, rank) for rank in ((pairs + 1) // 2, pairs // 2 + 1)}
    rank = _signed_rank_limit(n, (1.0 - confidence) / 2.0)
    low, high = -np.inf, np.inf
    if rank >= 1:
        low = _walsh_order_statistic(sample, rank)
        high = _walsh_order_statistic(sample, pairs + 1 - rank)
    p_value = wilcoxon_signed_rank(sample).p_value
    return Estimate(float(np.mean(list(middle))), NAN, low, high, p_value, n, n)


def _signed_rank_limit(n: int, tail: float) -> int:
    """Largest q with P(W+ < q) <= tail; 0 where there is none."""
    if n <= _EXACT_RANKS:
        return int(np.searchsorted(_signed_rank_cdf(n), tail, side="right"))
    mean, variance = n * (n + 1) / 4.0, n * (n + 1) * (2 * n + 1) / 24.0
    # Half a rank of continuity correction: P(W+ <= q - 1) is the normal area below q - 1/2.
    return int(np.floor(mean + special.ndtri(tail) * np.sqrt(variance) + 0.5))


def probability_of_superiority(
    differences: npt.ArrayLike, clusters: npt.ArrayLike | None = None, confidence: float = 0.95
) -> Estimate:
    """P(d > 0) + P(d = 0)/2 for paired differences, which no monotone rescaling can change.

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.
    clusters : shape (n,); labels; None where pairs are independent.
    confidence : level of the interval.

    Returns
    -------
    A probability; p of one half, from the test that the interval inverts. Standard error by
    :func:`~dissensus.stats.bootstrap.cluster_robust_mean`; limits and test on the logit scale, see
    :func:`~dissensus.stats.shares.share_limits`. Where all pairs are of one sign: exact limits and
    the exact sign test, with a case a cluster; no limits where all pairs tie.

    Raises
    ------
    ValueError : fewer than 2 differences or clusters, or values that are not finite.

    Notes
    -----
    Grissom & Kim (2012), chapter 5. Each zero counts as half a success.
    """
    scores = 0.5 * np.sign(as_sample(differences, "differences"))
    codes = (
        np.arange(len(scores)) if clusters is None else as_codes(clusters, len(scores), "clusters")
    )
    mean = cluster_robust_mean(scores, codes, confidence)
    share = replace(mean, estimate=mean.estimate + 0.5, ci_high=mean.ci_high + 0.5)
    if mean.se == 0.0:
        # The sign test that the exact interval inverts, with a case a cluster.
        p_value = 2.0 ** (1 - mean.n_clusters) if mean.estimate else 1.0
        share = replace(share, se=NAN, ci_high=NAN, p_value=p_value)
    else:
        t = special.logit(share.estimate) * share.estimate * (1.0 - share.estimate) / mean.se
        p_value = 2.0 * float(special.stdtr(satterthwaite(np.bincount(codes)), -abs(t)))
        share = replace(share, p_value=p_value)
    low, high = share_limits(share, confidence)
    return replace(share, ci_low=low, ci_high=high)


def cohen_dz(differences: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """Standardised paired effect, mean over SD of the differences (Cohen 1988, section 2.3.5).

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.
    confidence : level of the interval.

    Returns
    -------
    In standard deviations of the difference; large-sample standard error sqrt(1/n + d^2/(2n))
    (Borenstein et al. 2009, chapter 4); p of the paired t test. All NaN where the differences are
    identical.

    Raises
    ------
    ValueError : fewer than 2 differences or values that are not finite.

    Notes
    -----
    The limits are the noncentrality parameters, over sqrt(n), that put the observed t at the
    upper and lower tail of a noncentral t with n - 1 df (Steiger & Fouladi 1997).
    """
    sample = as_sample(differences, "differences")
    check_level(confidence, "confidence")
    n = sample.size
    if np.ptp(sample) == 0.0:
        return Estimate(NAN, n=n, n_clusters=n)
    effect = float(sample.mean() / sample.std(ddof=1))
    t, tail = abs(effect) * np.sqrt(n), (1.0 - confidence) / 2.0
    near = _noncentrality(t, n - 1, 1.0 - tail) / np.sqrt(n)
    far = _noncentrality(t, n - 1, tail) / np.sqrt(n)
    low, high = (near, far) if effect >= 0.0 else (-far, -near)
    se = float(np.sqrt(1.0 / n + effect**2 / (2.0 * n)))
    p_value = float(2.0 * special.stdtr(n - 1, -t))
    return Estimate(effect, se, float(low), float(high), p_value, n, n)


def _noncentrality(t: float, df: int, share: float) -> float:
    """The noncentrality whose noncentral t has `share` of its mass below t, t >= 0.

    Asks scipy for upper tails only, since its lower ones are NaN far from the centre.
    """
    if t > _HUGE_T:
        # The normal part of T = (Z + nc)/S no longer matters; S^2 is a chi-square over its df.
        return t * float(np.sqrt(special.chdtri(df, share) / df))

    def excess(noncentrality: float) -> float:
        return float(stats.nct.sf(t, df, noncentrality)) - (1.0 - share)

    width = 5.0 * float(np.sqrt(1.0 + t**2 / (2.0 * df)))
    while excess(t - width) > 0.0 or excess(t + width) < 0.0:
        width *= 2.0
    return float(optimize.brentq(excess, t - width, t + width))


def two_one_sided_tests(differences: npt.ArrayLike, margin: float, alpha: float = 0.05) -> Estimate:
    """Equivalence of a paired mean to zero within +-`margin` (Schuirmann 1987).

    Parameters
    ----------
    differences : shape (n,); treated minus reference, n >= 2.
    margin : largest difference, in the unit of the differences, that counts as none; above 0.
    alpha : level of each one-sided test; the interval has level 1 - 2 alpha.

    Returns
    -------
    Mean with its 1 - 2 alpha t interval, which lies within the margins exactly where p, the larger
    of the two one-sided p-values, is below alpha. The null of p is a mean outside the margins: a
    small p speaks for equivalence.

    Raises
    ------
    ValueError : fewer than 2 differences, values that are not finite, or a margin not above 0.
    """
    sample: FloatArray = as_sample(differences, "differences")
    if not margin > 0.0:
        raise ValueError(f"margin is {margin}; pass the largest difference that counts as none.")
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; pass a level between 0 and 0.5, such as 0.05.")
    inner = paired_t(sample, 1.0 - 2.0 * alpha)
    if inner.se == 0.0:
        p_value = 0.0 if abs(inner.estimate) < margin else 1.0
    else:
        nearest = (margin - abs(inner.estimate)) / inner.se
        p_value = float(special.stdtr(sample.size - 1, -nearest))
    n = sample.size
    return Estimate(inner.estimate, inner.se, inner.ci_low, inner.ci_high, p_value, n, n)


def _walsh_order_statistic(ordered: FloatArray, rank: int) -> float:
    """The Walsh average of 1-based `rank` in ascending order.

    Parameters
    ----------
    ordered : shape (n,); the sample in ascending order.
    rank : from 1 to n(n + 1)/2.

    Notes
    -----
    The n(n + 1)/2 averages (d_i + d_j)/2, i <= j, number 12.5 million at n = 5,000. What is wanted
    of them is one to four order statistics, so the value axis is bisected by counting, as in
    Monahan (1984, ACM TOMS 10:265-270), until few candidates are left to sort. For each i the
    partners j >= i whose average is at most v are a run of indices found by binary search, so a
    count costs O(n log n), and at most 200,000 averages are in memory.
    """
    rows = np.arange(ordered.size)
    # below[i] .. above[i] is the run of partners still in the window (low, high].
    below, above = rows.copy(), np.full(ordered.size, ordered.size)
    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(_BISECTIONS):
        if int((above - below).sum()) <= _CANDIDATES:
            break
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            # Neighbouring floats: every candidate left is one value, give or take an ulp.
            return high if rank > int((below - rows).sum()) else low
        cut = np.maximum(np.searchsorted(ordered, 2.0 * middle - ordered, side="right"), rows)
        if int((cut - rows).sum()) >= rank:
            high, above = middle, cut
        else:
            low, below = middle, cut
    lengths = above - below
    first = np.repeat(rows, lengths)
    run_start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    second = np.arange(first.size) - run_start + np.repeat(below, lengths)
    candidates = (ordered[first] + ordered[second]) / 2.0
    wanted = rank - int((below - rows).sum()) - 1
    return float(np.partition(candidates, wanted)[wanted])


def _signed_rank_cdf(n: int) -> npt.NDArray[np.float64]:
    """P(W+ <= w) for w = 0..n(n + 1)/2 under the null, no ties: the exact distribution.

    Adds rank after rank, each with sign plus or minus at probability one half (Hollander, Wolfe
    & Chicken 2014, section 3.1). Costs O(n^3); meant for n up to a few hundred.
    """
    mass = np.zeros(n * (n + 1) // 2 + 1)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        shifted = np.zeros_like(mass)
        shifted[rank:] = mass[:-rank]
        mass = 0.5 * (mass + shifted)
    return np.cumsum(mass)
