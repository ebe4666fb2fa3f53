"""Power of t tests, the paired one among them, from the noncentral t distribution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from dissensus.stats.checks import FloatArray, check_level


def power_paired_t(
    effect: npt.ArrayLike, sd: float, n: npt.ArrayLike, alpha: float = 0.05
) -> FloatArray:
    """Power of the two-sided paired t test (Cohen 1988, section 2.3.5).

    Parameters
    ----------
    effect : true mean difference, of any sign.
    sd : standard deviation of the differences, in the same unit.
    n : pairs, at least 2; broadcast against `effect`.
    alpha : two-sided level.

    Returns
    -------
    In the broadcast shape; P(|T| > t_{n-1, 1-alpha/2}) with T noncentral t of noncentrality
    effect/sd * sqrt(n). At an effect of 0 it is alpha.

    Raises
    ------
    ValueError : an SD not above 0, n below 2, alpha out of range or effects that are not finite.
    """
    effects, pairs = np.asarray(effect, dtype=np.float64), np.asarray(n, dtype=np.float64)
    _check_design(sd, alpha)
    if not np.isfinite(effects).all():
        raise ValueError("effect holds a value that is not finite; pass finite effects.")
    if not (pairs >= 2).all():
        raise ValueError(f"n is {pairs.min():g}; a paired t test needs at least 2 pairs.")
    return _power(np.abs(effects) / sd * np.sqrt(pairs), pairs - 1.0, alpha)


def power_t(effect: float, se: float, df: float, alpha: float = 0.05) -> float:
    """Power of a two-sided t test of an estimate whose standard error has `df` degrees of freedom.

    Parameters
    ----------
    effect : true value of what is estimated, of any sign.
    se : true standard error, in the same unit, above 0.
    df : degrees of freedom, above 0.
    alpha : two-sided level.

    Returns
    -------
    P(|T| > t_{df, 1-alpha/2}) with T noncentral t of noncentrality effect/se.

    Raises
    ------
    ValueError : a standard error not above 0 or alpha out of range.
    """
    _check_design(se, alpha)
    return float(_power(np.asarray(abs(effect) / se), np.asarray(float(df)), alpha))


def _power(noncentrality: FloatArray, df: FloatArray, alpha: float) -> FloatArray:
    # Power is even in the effect. The lower tail is taken mirrored: asked for directly, scipy
    # answers NaN where it is very small.
    critical = special.stdtrit(df, 1.0 - alpha / 2.0)
    upper = stats.nct.sf(critical, df, noncentrality)
    lower = stats.nct.sf(critical, df, -noncentrality)
    return np.clip(np.asarray(upper + lower, dtype=np.float64), 0.0, 1.0)


def minimum_detectable_effect(sd: float, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest positive mean difference that the paired t test finds with the given power.

    Parameters
    ----------
    sd : standard deviation of the differences.
    n : pairs, at least 2.
    power : wanted power, above alpha.
    alpha : two-sided level.

    Returns
    -------
    In the unit of `sd`: the root of `power_paired_t` (Bloom 1995 for the notion).

    Raises
    ------
    ValueError : as `power_paired_t`; also for a power not above alpha.
    """
    _check_power(power, alpha)

    def short(standardised: float) -> float:
        return float(power_paired_t(standardised * sd, sd, n, alpha)) - power

    return _root(short) * sd


def detectable(se: float, df: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest positive effect that a t test with that standard error finds with the given power.

    Parameters
    ----------
    se, df, alpha : as for :func:`power_t`.
    power : wanted power, above alpha.

    Returns
    -------
    In the unit of `se`: the root of :func:`power_t`.

    Raises
    ------
    ValueError : as :func:`power_t`; also for a power not above alpha.
    """
    _check_power(power, alpha)
    return _root(lambda standardised: power_t(standardised, 1.0, df, alpha) - power) * se


def _root(short: Callable[[float], float]) -> float:
    """Where a function that rises from below 0 becomes 0."""
    high = 1.0
    while short(high) < 0.0:
        high *= 2.0
    return float(optimize.brentq(short, 0.0, high, xtol=1e-12))


def _check_design(sd: float, alpha: float) -> None:
    check_level(alpha, "alpha")
    if not (np.isfinite(sd) and sd > 0.0):
        raise ValueError(f"sd is {sd}; pass a finite standard deviation above 0.")


def _check_power(power: float, alpha: float) -> None:
    check_level(power, "power")
    if power <= alpha:
        raise ValueError(f"power is {power}; pass one above alpha, {alpha}.")
