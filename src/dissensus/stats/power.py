"""Power of the paired t test, from the noncentral t distribution."""

from __future__ import annotations

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
    # Power is even in the effect. The lower tail is taken mirrored: asked for directly, scipy
    # answers NaN where it is very small.
    noncentrality = np.abs(effects) / sd * np.sqrt(pairs)
    critical = special.stdtrit(pairs - 1.0, 1.0 - alpha / 2.0)
    upper = stats.nct.sf(critical, pairs - 1.0, noncentrality)
    lower = stats.nct.sf(critical, pairs - 1.0, -noncentrality)
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

    high = 1.0
    while short(high) < 0.0:
        high *= 2.0
    return float(optimize.brentq(short, 0.0, high, xtol=1e-12)) * sd


def _check_design(sd: float, alpha: float) -> None:
    check_level(alpha, "alpha")
    if not (np.isfinite(sd) and sd > 0.0):
        raise ValueError(f"sd is {sd}; pass a finite standard deviation above 0.")


def _check_power(power: float, alpha: float) -> None:
    check_level(power, "power")
    if power <= alpha:
        raise ValueError(f"power is {power}; pass one above alpha, {alpha}.")
