"""The controller on its golden steps, where it is stable, and the guard that stops it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ..controls.pid import (
    Gains,
    SlopeGuard,
    State,
    advance,
    sycophancy,
)
from ..controls.schedules import gains_of, open_loop

CONTROL = {"kp": 0.15, "ki": 0.01, "kd": 0.03, "target": 0.8, "leak": 0.9, "start": 0.5}
DEFAULT, FAST = gains_of("pid", CONTROL), gains_of("pid_fast", CONTROL)
FRESH = State(0.5)


def test_the_golden_step_on_quality():
    move = advance(FRESH, DEFAULT, 0.75, 0)
    assert move.error == pytest.approx(0.05)
    assert move.control == pytest.approx(0.0095)
    assert move.state.beta == pytest.approx(0.4595)


def test_the_golden_step_on_sycophancy():
    flag = sycophancy(0.3, 0.2, 0.5, 0.4)
    move = advance(FRESH, DEFAULT, 0.85, flag)
    assert flag == 1
    assert move.error == pytest.approx(0.95)
    assert move.control == pytest.approx(0.1805)
    assert move.state.beta == pytest.approx(0.6305)


def test_the_second_step_remembers_the_first():
    # .15 * .1 + .01 * (.05 + .1) + .03 * (.1 - .05) = .018, and .9 * .4595 + .018.
    move = advance(advance(FRESH, DEFAULT, 0.75, 0).state, DEFAULT, 0.7, 0)
    assert move.control == pytest.approx(0.018)
    assert move.state.beta == pytest.approx(0.43155)


@pytest.mark.parametrize(
    ("js_now", "overlap_now", "flag"),
    [(0.2, 0.4, 1), (0.2, 0.5, 0), (0.26, 0.4, 0), (0.35, 0.4, 0), (None, 0.4, 0), (0.2, None, 0)],
)
def test_sycophancy_is_coming_closer_on_less_shared_evidence(js_now, overlap_now, flag):
    assert sycophancy(0.3, js_now, 0.5, overlap_now) == flag


def test_a_frozen_step_notes_the_error_alone():
    move = advance(State(0.4, 0.3, 0.2), DEFAULT, 0.5, 0, frozen=True)
    assert move.state == State(0.4, 0.3, pytest.approx(0.3))
    assert move.control == 0


@given(st.floats(0, 1), st.floats(-5, 5), st.floats(-2, 2), st.floats(0, 1), st.integers(0, 1))
def test_contentiousness_stays_in_its_range(beta, integral, error, rho, flag):
    assert 0 <= advance(State(beta, integral, error), DEFAULT, rho, flag).state.beta <= 1


def closed_loop(gains: Gains, gain: float) -> np.ndarray:
    """What takes (beta, integral, previous error) to the next round where rho = gain * beta."""
    total = gains.kp + gains.ki + gains.kd
    return np.array(
        [
            [gains.leak - gain * total, gains.ki, -gains.kd],
            [-gain, 1.0, 0.0],
            [-gain, 0.0, 0.0],
        ]
    )


def radius(gains: Gains, gain: float) -> float:
    return float(np.abs(np.linalg.eigvals(closed_loop(gains, gain))).max())


def test_the_loop_is_stable_for_plant_gains_up_to_8_84():
    # At the limit an eigenvalue is -1: 1 + .9 = g (.15 + .01 / 2 + 2 * .03).
    limit = 1.9 / 0.215
    assert limit == pytest.approx(8.84, abs=0.005)
    inside = np.linspace(1e-3, limit - 1e-3, 60)
    assert all(radius(DEFAULT, gain) < 1 for gain in inside)
    assert all(radius(DEFAULT, gain) > 1 for gain in (-5, -0.5, -1e-3, limit + 1e-3, 12))


def plant(gains: Gains, offset: float, gain: float, steps: int) -> list[float]:
    """Quality of each round where rho = offset + gain * beta, from beta .5."""
    state, seen = FRESH, []
    for _ in range(steps):
        seen.append(offset + gain * state.beta)
        state = advance(state, gains, seen[-1], 0).state
    return seen


def test_the_matrix_is_that_of_the_steps():
    gain = 1.3
    state = State(0.5, 0.2, 0.1)
    other = State(0.51, 0.18, 0.13)
    moved = [advance(one, DEFAULT, 0.1 + gain * one.beta, 0).state for one in (state, other)]
    change = [other.beta - state.beta, other.integral - state.integral, other.error - state.error]
    expected = closed_loop(DEFAULT, gain) @ change
    found = [getattr(moved[1], n) - getattr(moved[0], n) for n in ("beta", "integral", "error")]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("gain", [2, 3, 4, 5])
@pytest.mark.parametrize("first", [0.6, 0.7, 0.75])
def test_the_fast_preset_reaches_its_target_in_five_rounds_and_the_default_does_not(gain, first):
    offset = first - 0.5 * gain
    assert max(plant(FAST, offset, gain, 5)) >= DEFAULT.target
    assert max(plant(DEFAULT, offset, gain, 5)) == pytest.approx(first)


def test_on_a_weak_plant_five_rounds_are_too_few_for_the_fast_preset_too():
    assert max(plant(FAST, 0.1, 1.0, 5)) < FAST.target < plant(FAST, 0.1, 1.0, 6)[-1]


def test_the_default_reaches_its_target_in_the_end():
    assert plant(DEFAULT, 0.1, 1.0, 400)[-1] == pytest.approx(0.8, abs=1e-3)


def test_open_loop_schedules():
    assert open_loop("fixed", 0.6, 3) == (0.6, 0.6, 0.6)
    assert open_loop("linear", 0.6, 4) == pytest.approx((0.6, 0.4, 0.2, 0.0))
    assert open_loop("exponential", 0.8, 4) == pytest.approx((0.8, 0.4, 0.2, 0.1))
    assert open_loop("divide", 0.6, 4) == pytest.approx((0.6, 0.3, 0.2, 0.15))
    assert open_loop("linear", 0.6, 1) == (0.0,)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=8))
def test_the_guard_has_the_slope_of_least_squares(points):
    guard = SlopeGuard()
    for beta, rho in points:
        guard.observe(beta, rho)
    betas, rhos = zip(*points, strict=True)
    if np.ptp(betas) > 1e-3:
        slope = stats.linregress(betas, rhos).slope
        assert guard.slope == pytest.approx(slope, abs=1e-9)
        if abs(slope) > 1e-9:
            assert guard.frozen == (slope < 0)


def test_the_guard_needs_three_rounds_and_a_contentiousness_that_moves():
    guard = SlopeGuard()
    guard.observe(0.2, 0.9)
    guard.observe(0.8, 0.1)
    assert not guard.frozen
    guard.observe(0.5, 0.5)
    assert guard.frozen
    still = SlopeGuard([0.5, 0.5, 0.5], [0.9, 0.5, 0.1])
    assert not still.frozen
