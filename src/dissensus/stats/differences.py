"""A difference of mean paired differences, between two groups of pairs: its test and its spread.

Where the treatment does nothing to any pair of either group, swapping the two members of a pair
changes the sign of its difference and nothing else; and where pairs of both groups are drawn in the
same way, a pair could as well have come up in the other group. So differences change signs and
places. Signs alone would do, but could hardly reach a level of 5% with five pairs a group: all
patterns in which the later pairs keep one common sign are about as extreme as what was observed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import (
    FloatArray,
    IntArray,
    as_codes,
    as_sample,
    check_count,
    check_level,
)
from dissensus.stats.results import NAN, Estimate, RandomisationTest, monte_carlo

_TIE = 1e-9
_NONE = np.zeros(0)
#: A limit farther off, in spreads of the differences, counts as infinite.
_FARTHEST = 200.0
_HALVINGS = 25


def flipped_gain(
    later: npt.ArrayLike,
    first: npt.ArrayLike = _NONE,
    *,
    strata: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    confidence: float = 0.95,
    flips: int = 10_000,
    seed: int | np.random.Generator = 0,
    interval: bool = True,
) -> tuple[Estimate, RandomisationTest]:
    """mean(later) - mean(first), its randomisation test and the interval that inverts the test.

    Parameters
    ----------
    later, first : shape (n,) and (m,); treated minus reference of the pairs of two groups, n >= 1;
        m = 0 for the mean of the later ones alone, in which signs alone change.
    strata : labels of both; pairs change places within a stratum only. None for one stratum.
    confidence : level of the interval.
    flips : random patterns; without a first group all 2^n, where they are no more than that.
    seed : source of the patterns.
    interval : whether to look for the limits, which takes some hundred tests.

    Returns
    -------
    The estimate, whose limits are infinite where no gain that far off is rejected, and the test of
    no gain: exact, or p = (b + 1)/(flips + 1); its statistic is the gain.

    Raises
    ------
    ValueError : no later pair, values that are not finite, labels that do not fit, or `flips` < 1.

    Notes
    -----
    The statistic is the gain over its standard error with the pooled variance, recomputed in each
    pattern (Janssen 1997 for why to studentise). The interval has every constant gain g that the
    same test, with g taken off the later pairs, does not reject, from the estimate outwards.
    """
    after = as_sample(later, "later", 1)
    before = as_sample(first, "first", 0)
    check_level(confidence, "confidence")
    named = np.zeros(after.size + before.size, dtype=np.int64)
    if strata is not None:
        labels = np.concatenate([np.asarray(stratum, dtype=np.str_) for stratum in strata])
        named = as_codes(labels, after.size + before.size, "strata")
    patterns = _Patterns.of(after, before, named, check_count(flips, "flips"), seed)
    estimate = float(after.mean()) - (float(before.mean()) if before.size else 0.0)
    extreme, total = patterns.extreme(0.0), len(patterns.means)
    if patterns.exact:
        test = RandomisationTest(estimate, extreme / total, total, True, 0.0)
    else:
        test = monte_carlo(estimate, extreme, total)
    low, high = NAN, NAN
    if interval:
        low, high = (patterns.limit(estimate, sign, 1.0 - confidence) for sign in (-1.0, 1.0))
    n = after.size + before.size
    return Estimate(estimate, NAN, low, high, test.p_value, n, n), test


def spread_of_gain(later: npt.ArrayLike, first: npt.ArrayLike = _NONE) -> tuple[float, float]:
    """Standard error of :func:`flipped_gain`'s estimate, and its degrees of freedom.

    Parameters
    ----------
    later, first : as for :func:`flipped_gain`; their variances are taken to be equal.

    Returns
    -------
    se, df : float
        The standard error is NaN without a degree of freedom.
    """
    groups = [group for group in (np.asarray(later, float), np.asarray(first, float)) if group.size]
    df = float(sum(group.size - 1 for group in groups))
    if df < 1.0:
        return NAN, df
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    return float(np.sqrt(squares / df * sum(1.0 / group.size for group in groups))), df


@dataclass(frozen=True)
class _Patterns:
    """Signed differences in changed places.

    Attributes
    ----------
    values : the differences, the later ones first, shape (n + m,).
    sizes : n and m.
    means : of the differences that a pattern puts in each group, shape (patterns, 2).
    shares : the mean sign, in each group, of those that are later ones in truth; the same shape.
    exact : whether these are all patterns.
    """

    values: FloatArray
    sizes: tuple[int, int]
    means: FloatArray
    shares: FloatArray
    exact: bool

    @classmethod
    def of(
        cls,
        after: FloatArray,
        before: FloatArray,
        strata: IntArray,
        flips: int,
        seed: int | np.random.Generator,
    ) -> _Patterns:
        values, n, m = np.concatenate([after, before]), after.size, before.size
        exact = m == 0 and 2**n <= flips
        rng = np.random.default_rng(seed)
        if exact:
            bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        else:
            bits = rng.integers(0, 2, size=(flips, n + m))
        signs = np.where(bits == 1, -1.0, 1.0)
        is_later = np.arange(n + m) < n
        goes_later = np.broadcast_to(is_later, signs.shape)
        if m:
            # Random keys sorted within strata: each pair gets the place of a pair of its stratum.
            order = np.argsort(strata, kind="stable")
            dealt = np.argsort(strata[order] + rng.random(signs.shape), axis=1)
            goes_later = np.empty(signs.shape, dtype=bool)
            goes_later[:, order] = is_later[order][dealt]
        groups = [(goes_later, n), (~goes_later, max(m, 1))]
        means = [(signs * there) @ values / size for there, size in groups]
        shares = [(signs * there) @ is_later.astype(float) / size for there, size in groups]
        return cls(values, (n, m), np.column_stack(means), np.column_stack(shares), exact)

    def extreme(self, gain: float) -> int:
        """Patterns at least as far out as the observed one, with a gain off the later pairs."""
        rest = self.values.copy()
        rest[: self.sizes[0]] -= gain
        parts = np.split(rest, [self.sizes[0]])
        seen = np.array([[part.mean() if part.size else 0.0 for part in parts]])
        squares = float(rest @ rest)
        observed = self._ratios(seen, squares)[0]
        ratios = self._ratios(self.means - gain * self.shares, squares)
        return int((ratios >= observed * (1.0 - _TIE)).sum())

    def _ratios(self, means: FloatArray, squares: float) -> FloatArray:
        """Squared gain over the squares about the means: rises with the absolute t."""
        # Signs and places change no square, so that those about the means follow from the means.
        about = squares - means**2 @ np.array(self.sizes, dtype=np.float64)
        gains = (means[:, 0] - means[:, 1]) ** 2
        size = max(squares, 1e-300)
        about[about < 1e-12 * size] = 0.0
        gains[gains < 1e-24 * size] = 0.0
        ratios = np.where(gains > 0.0, np.inf, 0.0)
        np.divide(gains, about, out=ratios, where=about > 0.0)
        return ratios

    def is_rejected(self, gain: float, alpha: float) -> bool:
        """Whether the test of this gain is significant."""
        extreme, total = self.extreme(gain), len(self.means)
        p_value = extreme / total if self.exact else (extreme + 1) / (total + 1)
        return p_value <= alpha

    def limit(self, estimate: float, sign: float, alpha: float) -> float:
        """Where gains in a direction begin to be rejected; infinite where none is.

        From outside: few differences other than 0 make the test jump at a gain of 0, which is then
        not rejected itself and must not fall out of the interval by rounding.
        """
        after, before = np.split(self.values, [self.sizes[0]])
        about = np.concatenate([after - after.mean(), before])
        spread = float(np.sqrt((about**2).mean()))
        if spread == 0.0:
            # Pairs that do not differ; too few of them reject nothing, however far off.
            far = estimate + sign * max(abs(estimate), 1.0)
            return estimate if self.is_rejected(far, alpha) else sign * np.inf
        inner, width = estimate, 0.25 * spread
        while width < _FARTHEST * spread:
            outer = estimate + sign * width
            if self.is_rejected(outer, alpha):
                break
            inner, width = outer, 1.6 * width
        else:
            return sign * np.inf
        for _ in range(_HALVINGS):
            middle = 0.5 * (inner + outer)
            if self.is_rejected(middle, alpha):
                outer = middle
            else:
                inner = middle
        return outer
