"""Estimates of several runs taken together: random effects, and what a further run may show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from dissensus.stats.checks import FloatArray, as_sample, check_level
from dissensus.stats.results import NAN, Estimate, constant, cut, t_estimate


@dataclass(frozen=True, slots=True)
class Pooled:
    """Estimates of k units taken together.

    Attributes
    ----------
    mean : of the distribution of true effects, with Hartung and Knapp's interval and test of 0,
        which have k - 1 degrees of freedom; of units that share draws see :func:`pooled`.
    prediction_low, prediction_high : limits for the true effect of a further unit; NaN for fewer
        than 3 units.
    tau : standard deviation of the true effects, in the unit of the estimates.
    i_squared : share of the variance of the estimates that true differences make, 0 to 1.
    q, q_p : Cochran's statistic of equal true effects, and its p-value by chi-squared, k - 1 df.
    k : units.
    """

    mean: Estimate
    prediction_low: float
    prediction_high: float
    tau: float
    i_squared: float
    q: float
    q_p: float
    k: int


def pooled(
    estimates: npt.ArrayLike,
    errors: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    shared_draws: int | None = None,
    possible: tuple[float, float] | None = None,
) -> Pooled:
    """Random effects with Paule and Mandel's variance between units (1982).

    The interval of the mean is Hartung and Knapp's (2001), with their scale even where it is below
    1; the prediction interval has k - 2 degrees of freedom (Higgins, Thompson and Spiegelhalter
    2009); I squared is theirs of 2002, by Q. The estimators are those of
    :func:`statsmodels.stats.meta_analysis.combine_effects`.

    Units with the same draws err alike. At worst their errors are one: the mean then has the
    weighted mean of their errors, since the standard deviation of a sum is at most the sum of those
    of its parts, and the estimates spread as the true effects do. Both are added as independent.

    Parameters
    ----------
    estimates : k estimates in one unit, 2 or more.
    errors : their standard errors, above 0.
    shared_draws : how many independent clusters the draws are of that units have in common; None
        where each has its own.
    possible : the least and the most that an effect can be, such as (-1, 1) of a difference of
        shares. Both intervals end there: nothing that they hold is lost by that. None where
        nothing bounds it.

    Raises
    ------
    ValueError : fewer than 2, lengths that differ, or values that are not finite or not above 0.
    """
    check_level(confidence, "confidence")
    effects, deviations = _checked(estimates, errors)
    k = effects.size
    combined = _combined(effects, deviations)
    q, tau_squared = float(combined.q), max(0.0, float(combined.tau2))
    mean, error = float(combined.mean_effect_re), float(combined.sd_eff_w_re_hksj)
    # As of normal weights; Hartung and Knapp's scale is of the mean alone.
    plain_error = float(combined.sd_eff_w_re)
    df, spread_squared = k - 1.0, tau_squared
    if shared_draws is not None:
        plain_error = float(np.asarray(combined.weights_rel_re) @ deviations)
        spread_squared = max(tau_squared, k * error**2)
        error, df = _added((error, k - 1), (plain_error, max(shared_draws - 1, 1)))
    half = _further_half(k, spread_squared + plain_error**2, confidence)
    # Equal estimates have no spread to judge by, unless their common error is known.
    is_constant = bool(np.ptp(effects) == 0.0) and shared_draws is None
    found = constant(mean, k, k) if is_constant else t_estimate(mean, error, df, confidence, k, k)
    low, high = cut((found.ci_low, found.ci_high), possible)
    return Pooled(
        replace(found, ci_low=low, ci_high=high),
        *cut((mean - half, mean + half), possible),
        sqrt(tau_squared),
        max(0.0, (q - (k - 1)) / q) if q > 0.0 else 0.0,
        q,
        float(special.chdtrc(k - 1, q)),
        k,
    )


def _combined(effects: FloatArray, deviations: FloatArray) -> Any:
    """Paule and Mandel's random effects, as statsmodels has them."""
    from statsmodels.stats.meta_analysis import combine_effects

    with np.errstate(divide="ignore"):
        # Of equal estimates, it divides by a Q of 0 for what is not used here.
        return combine_effects(effects, deviations**2, method_re="iterated", use_t=True)


def _further_half(k: int, variance: float, confidence: float) -> float:
    """Half the width of the prediction interval for a further unit; NaN of fewer than three."""
    if k <= 2:
        return NAN
    return float(special.stdtrit(k - 2, (1.0 + confidence) / 2.0)) * sqrt(variance)


def _checked(estimates: npt.ArrayLike, errors: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    effects, deviations = as_sample(estimates, "estimates", 2), as_sample(errors, "errors", 2)
    if effects.size != deviations.size or not (deviations > 0.0).all():
        raise ValueError("each estimate needs a standard error above 0")
    return effects, deviations


def _added(*errors: tuple[float, float]) -> tuple[float, float]:
    """The error of a sum of independent parts, and its degrees of freedom (Satterthwaite 1946).

    Parameters
    ----------
    errors : standard error and degrees of freedom of each.
    """
    squared = sum(error**2 for error, _ in errors)
    return sqrt(squared), squared**2 / sum(error**4 / df for error, df in errors)
