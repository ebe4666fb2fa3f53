"""The loop of a session gives what its arm's schedule says, and can be run again."""

from __future__ import annotations

import pytest

from ..controls.loop import Loop, Record
from ..controls.schedules import gains_of, open_loop

CONTROL = {
    **{"kp": 0.15, "ki": 0.01, "kd": 0.03, "target": 0.8, "leak": 0.9, "start": 0.5},
    **{"slope_guard": True, "rca_retries": 3},
}


def test_without_a_schedule_there_is_no_contentiousness():
    loop = Loop.of(None, CONTROL, 2)
    loop.observe(1, 0.5, 0.2, 0.1)
    assert loop.beta(1) is None
    assert loop.records == {1: Record()}


@pytest.mark.parametrize("name", ["fixed", "linear", "exponential", "divide"])
def test_open_loops_look_at_nothing(name: str):
    loop = Loop.of(name, CONTROL, 4)
    for round_ in range(1, 5):
        loop.observe(round_, 0.1, 0.3, 0.5)
    assert tuple(loop.beta(round_) for round_ in range(1, 5)) == open_loop(name, 0.5, 4)
    assert loop.records[4] == Record(loop.beta(4))


def test_the_controller_sees_one_round_after_the_other():
    loop = Loop.of("pid", CONTROL, 3)
    loop.observe(1, 0.75, 0.3, 0.5)
    assert loop.beta(2) == pytest.approx(0.4595)
    loop.observe(2, 0.85, 0.2, 0.4)
    # e = -.05 + 1; u = .15 * .95 + .01 * (.05 + .95) + .03 * (.95 - .05); .9 * .4595 + u.
    assert loop.beta(3) == pytest.approx(0.41355 + 0.1425 + 0.01 + 0.027)
    assert loop.records[2] == Record(
        pytest.approx(0.4595), 1, pytest.approx(0.95), pytest.approx(0.1795), False
    )
    with pytest.raises(IndexError):
        loop.beta(4)


def test_a_round_without_quality_changes_nothing_but_what_it_is_compared_with():
    loop = Loop.of("pid", CONTROL, 3)
    loop.observe(1, None, 0.3, 0.5)
    assert loop.beta(2) == 0.5
    assert loop.records[1] == Record(0.5, 0)
    loop.observe(2, 0.85, 0.2, 0.4)
    assert loop.beta(3) == pytest.approx(0.6305)


def falling(control: dict) -> Loop:
    """Quality goes up as contentiousness goes down."""
    loop = Loop.of("pid", control, 6)
    for round_, rho in enumerate([0.75, 0.77, 0.79, 0.6, 0.4], start=1):
        loop.observe(round_, rho, None, None)
    return loop


def test_the_guard_freezes_the_loop_from_the_third_round():
    loop = falling(CONTROL)
    assert [loop.records[round_].frozen for round_ in (1, 2, 3)] == [False, False, True]
    assert loop.beta(4) == loop.beta(3)
    assert loop.records[3].control == 0
    free = falling({**CONTROL, "slope_guard": False})
    assert free.beta(4) < free.beta(3)
    assert not free.records[3].frozen


def test_the_fast_preset_takes_its_own_gains():
    loop = Loop.of("pid_fast", CONTROL, 2)
    loop.observe(1, 0.6, None, None)
    gains = gains_of("pid_fast", CONTROL)
    assert (gains.ki, gains.leak, gains.kp) == (0.06, 1.0, 0.15)
    # .5 + (.15 + .06 + .03) * .2
    assert loop.beta(2) == pytest.approx(0.548)
    assert loop.records[1].control == pytest.approx(0.048)


def test_two_loops_told_the_same_say_the_same():
    assert falling(CONTROL).records == falling(dict(CONTROL)).records
