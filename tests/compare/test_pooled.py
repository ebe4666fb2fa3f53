"""Random effects: by hand on published trials, limits, and coverage of a planted mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, stats

from dissensus.compare.pooled import pooled

#: The trials of BCG (Colditz and others 1994): cases and others with and without the vaccine.
TRIALS = np.array(
    [
        (4, 119, 11, 128),
        (6, 300, 29, 274),
        (3, 228, 11, 209),
        (62, 13536, 248, 12619),
        (33, 5036, 47, 5761),
        (180, 1361, 372, 1079),
        (8, 2537, 10, 619),
        (505, 87886, 499, 87892),
        (29, 7470, 45, 7232),
        (17, 1699, 65, 1600),
        (186, 50448, 141, 27197),
        (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ]
)


def test_the_formulas_by_hand_on_the_trials_of_bcg() -> None:
    """Paule and Mandel's equation solved by a root finder, and Hartung and Knapp's by hand."""
    a, b, c, d = TRIALS.T
    ratios = np.log(a / (a + b) / (c / (c + d)))
    variances = 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    k = len(ratios)

    def weighted(tau_squared: float) -> tuple[float, float, float]:
        weights = 1 / (variances + tau_squared)
        mean = float(weights @ ratios / weights.sum())
        return mean, float(weights @ (ratios - mean) ** 2), float(weights.sum())

    tau_squared = optimize.brentq(lambda value: weighted(value)[1] - (k - 1), 0.0, 5.0)
    mean, spread, total = weighted(tau_squared)
    q = weighted(0.0)[1]
    error = np.sqrt(spread / (k - 1) / total)
    low, high = stats.t.interval(0.95, k - 1, mean, error)
    half = stats.t.ppf(0.975, k - 2) * np.sqrt(tau_squared + 1 / total)
    made = pooled(ratios, np.sqrt(variances))
    assert_allclose(made.tau**2, tau_squared, rtol=1e-4)
    assert_allclose((made.mean.estimate, made.mean.se), (mean, error), rtol=1e-4)
    assert_allclose((made.mean.ci_low, made.mean.ci_high), (low, high), rtol=1e-4)
    assert_allclose((made.prediction_low, made.prediction_high), (mean - half, mean + half), 1e-4)
    assert_allclose((made.q, made.i_squared), (q, (q - k + 1) / q))
    assert_allclose(made.q_p, stats.chi2.sf(q, k - 1))


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(0.05, 2)), min_size=3, max_size=9),
    st.floats(-3, 3),
    st.floats(0.1, 10),
)
def test_another_origin_and_unit_move_all_with_them(
    units: list[tuple[float, float]], shift: float, times: float
) -> None:
    effects, errors = map(np.array, zip(*units, strict=True))
    one, other = pooled(effects, errors), pooled(times * (effects + shift), times * errors)
    for before, after in (
        (one.mean.estimate, other.mean.estimate),
        (one.mean.ci_low, other.mean.ci_low),
        (one.prediction_high, other.prediction_high),
    ):
        assert_allclose(times * (before + shift), after, rtol=1e-4, atol=1e-3)
    assert_allclose(other.tau, times * one.tau, rtol=1e-3, atol=1e-3)
    assert one.prediction_low <= one.mean.estimate <= one.prediction_high


def test_equal_estimates_have_no_heterogeneity_and_two_units_predict_nothing() -> None:
    found = pooled([0.3, 0.3, 0.3], [0.1, 0.2, 0.1])
    assert (found.tau, found.i_squared, found.mean.estimate) == (0.0, 0.0, pytest.approx(0.3))
    two = pooled([0.1, 0.5], [0.1, 0.1])
    assert np.isnan([two.prediction_low, two.prediction_high]).all()
    # With one degree of freedom and equal weights it is Student's interval of two values.
    low, high = stats.t.interval(0.95, 1, 0.3, stats.sem([0.1, 0.5]))
    assert_allclose((two.mean.ci_low, two.mean.ci_high), (low, high))


@pytest.mark.parametrize("tau", [0.0, 0.4])
def test_the_intervals_cover_what_is_planted(tau: float) -> None:
    """Six units whose true effects are drawn about .2; 95% of intervals, within 3 errors of 300."""
    rng = np.random.default_rng(5)
    held = predicted = 0
    for _ in range(300):
        errors = rng.uniform(0.1, 0.3, 6)
        effects = rng.normal(0.2, tau, 6)
        found = pooled(rng.normal(effects, errors), errors)
        held += found.mean.ci_low <= 0.2 <= found.mean.ci_high
        predicted += found.prediction_low <= rng.normal(0.2, tau) <= found.prediction_high
    assert abs(held / 300 - 0.95) < 0.038
    assert predicted / 300 > 0.9


def test_units_that_share_their_draws_are_covered_for_further_draws() -> None:
    """Five units err by the same draws; the plain interval holds what is planted far too rarely."""
    rng = np.random.default_rng(7)
    held = plain_held = 0
    for _ in range(300):
        draws = rng.normal(0.0, 0.3, 40).mean() * np.ones(5)
        effects = rng.normal(0.2, 0.01, 5) + draws + rng.normal(0.0, 0.01, 5)
        errors = np.full(5, np.hypot(0.3 / np.sqrt(40), 0.01))
        mean = pooled(effects, errors, shared_draws=40).mean
        plain = pooled(effects, errors).mean
        held += mean.ci_low <= 0.2 <= mean.ci_high
        plain_held += plain.ci_low <= 0.2 <= plain.ci_high
    assert held / 300 > 0.93
    assert plain_held / 300 < 0.6


def test_the_error_of_shared_draws_by_hand() -> None:
    """Two equal units are worth one of them; unlike ones have their spread too."""
    alike = pooled([0.3, 0.3], [0.1, 0.1], shared_draws=21).mean
    low, high = stats.t.interval(0.95, 20, 0.3, 0.1)
    assert_allclose((alike.se, alike.ci_low, alike.ci_high), (0.1, low, high))
    apart = pooled([0.2, 0.4], [0.1, 0.1], shared_draws=21).mean
    spread = stats.sem([0.2, 0.4])
    assert_allclose(apart.se, np.hypot(0.1, spread))
    df = (0.1**2 + spread**2) ** 2 / (0.1**4 / 20 + spread**4)
    assert_allclose(apart.ci_high, stats.t.interval(0.95, df, 0.3, apart.se)[1])


@pytest.mark.parametrize(
    ("estimates", "errors"), [([0.1], [0.1]), ([0.1, 0.2], [0.1]), ([0.1, 0.2], [0.1, 0.0])]
)
def test_what_cannot_be_pooled_is_refused(estimates: list[float], errors: list[float]) -> None:
    with pytest.raises(ValueError):
        pooled(estimates, errors)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.01, 0.8)), min_size=3, max_size=6),
    st.sampled_from([(-1.0, 1.0), (0.0, 1.0), (-3.0, 3.0)]),
)
def test_limits_end_where_no_effect_can_be_and_nowhere_else(
    units: list[tuple[float, float]], possible: tuple[float, float]
) -> None:
    effects, errors = map(np.array, zip(*units, strict=True))
    effects = np.clip(effects, *possible)
    free, bound = pooled(effects, errors), pooled(effects, errors, possible=possible)
    for before, after in (
        ((free.mean.ci_low, free.mean.ci_high), (bound.mean.ci_low, bound.mean.ci_high)),
        (
            (free.prediction_low, free.prediction_high),
            (bound.prediction_low, bound.prediction_high),
        ),
    ):
        assert_allclose(np.clip(before, *possible), after)
    assert (free.mean.p_value, free.tau) == (bound.mean.p_value, bound.tau)


def test_a_bounded_prediction_holds_differences_of_shares_as_often_as_planted() -> None:
    """True differences near the end of what shares allow, of four runs with 40 debates each arm."""
    rng = np.random.default_rng(11)
    held = beyond = 0
    for _ in range(300):
        true = rng.beta(9.0, 1.0, 5)
        treated, reference = rng.binomial(40, true) / 40, rng.binomial(40, 0.05, 5) / 40
        errors = np.sqrt((treated * (1 - treated) + reference * (1 - reference) + 0.02) / 40)
        effects = treated - reference
        free = pooled(effects[:4], errors[:4])
        made = pooled(effects[:4], errors[:4], possible=(-1.0, 1.0))
        held += made.prediction_low <= true[4] - 0.05 <= made.prediction_high
        beyond += free.prediction_high > 1.0
        assert -1.0 <= made.prediction_low <= made.prediction_high <= 1.0
    assert beyond > 100 and held / 300 > 0.9
