"""Attrition bounds worked by hand, and what must hold whatever was lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..stats.bounds import Bounds, imbens_manski, lee_bounds, manski_bounds

enough = settings(max_examples=80)
GAP = float("nan")
outcome = st.integers(0, 8).map(lambda k: k / 8)
full = st.lists(st.tuples(outcome, outcome), min_size=2, max_size=20)
kept = st.tuples(st.booleans(), st.booleans())


def test_manski_by_hand():
    result = manski_bounds([0.5, GAP, 0.75, GAP], [0.25, 0.5, GAP, GAP], (0.0, 1.0))
    # Pairs: .25 known; treated lost -.5 to .5; reference lost -.25 to .75; both lost -1 to 1.
    assert result.lower == pytest.approx((0.25 - 0.5 - 0.25 - 1) / 4)
    assert result.upper == pytest.approx((0.25 + 0.5 + 0.75 + 1) / 4)
    assert result.estimate == 0.25
    assert result.n == 4


def test_lee_by_hand_when_the_treated_lose_more():
    result = lee_bounds([0.9, 0.5, GAP, GAP], [0.1, 0.2, 0.3, 0.8])
    # The reference keeps 2 of 4: .3 and .8 at worst, .1 and .2 at best.
    assert (result.lower, result.upper) == pytest.approx((0.7 - 0.55, 0.7 - 0.15))


def test_lee_by_hand_when_the_reference_loses_more():
    result = lee_bounds([0.1, 0.2, 0.3, 0.8], [0.9, 0.5, GAP, 0.4])
    assert (result.lower, result.upper) == pytest.approx((0.2 - 0.6, 1.3 / 3 - 0.6))


@enough
@given(full)
def test_no_loss_collapses_both_on_the_estimate(pairs):
    x, y = np.array(pairs).T
    for result in (lee_bounds(x, y), manski_bounds(x, y), manski_bounds(x, y, (0, 1))):
        expected = (x - y).mean()
        assert (result.lower, result.upper, result.estimate) == pytest.approx([expected] * 3)


@enough
@given(full, st.data())
def test_manski_holds_the_truth_whatever_was_lost(pairs, data):
    x, y = np.array(pairs).T
    seen = np.array(data.draw(st.lists(kept, min_size=len(pairs), max_size=len(pairs))))
    result = manski_bounds(np.where(seen[:, 0], x, GAP), np.where(seen[:, 1], y, GAP), (0, 1))
    assert result.lower - 1e-9 <= (x - y).mean() <= result.upper + 1e-9
    width = (~seen).sum() / len(pairs)
    assert result.upper - result.lower == pytest.approx(width)


@enough
@given(full, st.data())
def test_lee_holds_the_truth_under_monotone_loss(pairs, data):
    x, y = np.array(pairs).T
    seen = np.array(data.draw(st.lists(st.booleans(), min_size=len(x), max_size=len(x))))
    if not seen.any():
        return
    truth = (x - y)[seen].mean()
    result = lee_bounds(np.where(seen, x, GAP), y)
    assert result.lower - 1e-9 <= truth <= result.upper + 1e-9
    mirrored = lee_bounds(y, np.where(seen, x, GAP))
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-result.upper, -result.lower))


def test_without_limits_nothing_is_ruled_out():
    result = manski_bounds([1.0, GAP], [0.0, 0.5])
    assert (result.lower, result.upper) == (-np.inf, np.inf)
    both = manski_bounds([1.0, GAP], [0.0, GAP])
    assert (both.lower, both.upper) == (-np.inf, np.inf)
    lost = lee_bounds([GAP, GAP], [0.0, 1.0])
    assert (lost.lower, lost.upper) == (-np.inf, np.inf)
    assert np.isnan(lost.estimate)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lee_bounds([], []), "at least one pair"),
        (lambda: lee_bounds([1.0, 2.0], [1.0]), "one outcome per pair"),
        (lambda: lee_bounds([np.inf], [1.0]), "infinite"),
        (lambda: manski_bounds([2.0], [1.0], (0, 1)), "outside the support"),
        (lambda: manski_bounds([0.5], [0.5], (1, 0)), "support is"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_imbens_and_manskis_interval_between_its_two_quantiles():
    met = imbens_manski(Bounds(0.5, 0.5, 0.5, 9), 0.1, 0.1, 0.95)
    assert met == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964))
    far = imbens_manski(Bounds(-9.0, 9.0, 0.0, 9), 0.1, 0.2, 0.95)
    assert far == pytest.approx((-9 - 0.1644854, 9 + 0.2 * 1.644854))
    assert imbens_manski(Bounds(0.1, 0.3, 0.2, 9), 0.0, 0.0, 0.95) == (0.1, 0.3)
    assert np.isnan(imbens_manski(Bounds(-np.inf, np.inf, GAP, 9), 0.1, 0.1, 0.95)).all()


def test_imbens_and_manskis_interval_covers_what_lies_at_a_bound():
    """The worst place for the effect is a bound: there the share is the level, and not above."""
    rng = np.random.default_rng(1)
    lower = 0.05 * rng.standard_normal(4000)
    upper = lower + 0.1  # both bounds move with the data alike
    limits = [
        imbens_manski(Bounds(low, high, 0.0, 9), 0.05, 0.05, 0.95)
        for low, high in zip(lower, upper, strict=True)
    ]
    assert np.mean([low <= 0.0 <= high for low, high in limits]) == pytest.approx(0.95, abs=0.012)
