"""What the statistics return: small frozen records, NaN where a field is not defined."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from scipy import special

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimate with its uncertainty.

    Attributes
    ----------
    estimate : in the unit of the values, unless the function's docstring says otherwise.
    se : standard error of `estimate`.
    ci_low, ci_high : two-sided confidence limits; infinite where the data rule nothing out.
    p_value : two-sided p-value of the null that the docstring names.
    n : observations used.
    n_clusters : independent units behind them; equal to `n` when nothing is clustered.
    """

    estimate: float
    se: float = NAN
    ci_low: float = NAN
    ci_high: float = NAN
    p_value: float = NAN
    n: int = 0
    n_clusters: int = 0


def constant(estimate: float, n: int, n_clusters: int) -> Estimate:
    """The estimate of data that do not vary: no width, p = 0, or NaN where the estimate is 0."""
    p_value = NAN if estimate == 0.0 else 0.0
    return Estimate(estimate, 0.0, estimate, estimate, p_value, n, n_clusters)


def cut(limits: tuple[float, float], possible: tuple[float, float] | None) -> tuple[float, float]:
    """Limits of an interval that ends where nothing more is possible.

    It holds as often as before what it is for, as that cannot lie beyond.

    Parameters
    ----------
    limits : NaN where there are none, which stay so.
    possible : the least and the most; None where nothing bounds it.
    """
    low, high = limits
    return limits if possible is None else (max(low, possible[0]), min(high, possible[1]))


def t_estimate(
    estimate: float, se: float, df: float, confidence: float, n: int, n_clusters: int
) -> Estimate:
    """An estimate with its interval and two-sided test from Student's t with `df` degrees."""
    if se == 0.0:
        return constant(estimate, n, n_clusters)
    half = float(special.stdtrit(df, (1.0 + confidence) / 2.0)) * se
    p_value = float(2.0 * special.stdtr(df, -abs(estimate) / se))
    return Estimate(estimate, se, estimate - half, estimate + half, p_value, n, n_clusters)


@dataclass(frozen=True, slots=True)
class RandomisationTest:
    """A test whose null distribution is the re-drawn random assignment.

    Attributes
    ----------
    statistic : observed value of the test statistic.
    p_value : exact share of assignments at least as extreme, or (b + 1)/(m + 1) over m re-draws.
    flips : assignments enumerated (exact) or re-drawn (Monte Carlo).
    exact : whether every assignment was enumerated.
    simulation_error : standard error of `p_value` due to simulation alone, sqrt(p(1 - p)/m); 0 when
        exact.
    """

    statistic: float
    p_value: float
    flips: int
    exact: bool
    simulation_error: float


def monte_carlo(statistic: float, extreme: int, total: int) -> RandomisationTest:
    """The test whose statistic was reached in `extreme` of `total` re-drawn assignments.

    p = (b + 1)/(m + 1) is a valid p-value for any m (Phipson & Smyth 2010).
    """
    p_value = (extreme + 1) / (total + 1)
    error = sqrt(p_value * (1.0 - p_value) / total)
    return RandomisationTest(statistic, p_value, total, False, error)


@dataclass(frozen=True, slots=True)
class OmnibusTest:
    """A test of several groups at once; `df_within` is NaN for a chi-square reference."""

    statistic: float
    df_between: float
    df_within: float
    p_value: float


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Difference in means of two groups, `first` minus `second` (positions in the input).

    `p_bh` and `p_by` are adjusted over all pairs of the same call.
    """

    first: int
    second: int
    estimate: float
    se: float
    df: float
    ci_low: float
    ci_high: float
    statistic: float
    p_value: float
    p_bh: float = NAN
    p_by: float = NAN


@dataclass(frozen=True, slots=True)
class ChiSquareTest:
    """A chi-square goodness-of-fit or balance test; `sum_squares` is of raw deviations."""

    statistic: float
    df: int
    p_value: float
    sum_squares: float
    n: int
