"""Statistics of many weightings of sessions, against scikit-learn and loops."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import brier_score_loss, roc_auc_score, roc_curve
from statsmodels.duration.survfunc import SurvfuncRight

from dissensus.design.weighed import (
    area_under_curve,
    brier_score,
    calibration_error,
    catch_rate,
    event_free,
    majority_right,
    restricted_mean,
)

pytestmark = pytest.mark.unit


@st.composite
def cases(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores that tie, truths of both kinds, and weights of which some are 0."""
    n = draw(st.integers(4, 25))
    scores = draw(st.lists(st.integers(0, 10), min_size=n, max_size=n))
    truths = draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))
    weights = draw(st.lists(st.integers(0, 3), min_size=2 * n, max_size=2 * n))
    of = np.array(weights, dtype=float).reshape(2, n)
    of[:, -2:] += 1.0
    return np.array(scores) / 10.0, np.array([*truths, 0, 1], dtype=float), of


@settings(max_examples=40, deadline=None)
@given(cases())
def test_scores_are_those_of_scikit_learn(given_cases: Any) -> None:
    scores, truths, weights = given_cases
    auc = area_under_curve(scores, truths, weights)
    brier = brier_score(scores, truths, weights)
    for place, weight in enumerate(weights):
        assert auc[place] == pytest.approx(roc_auc_score(truths, scores, sample_weight=weight))
        assert brier[place] == pytest.approx(brier_score_loss(truths, scores, sample_weight=weight))
        alarms, caught, _ = roc_curve(truths, scores, sample_weight=weight, drop_intermediate=False)
        for at in (0.0, 0.05, 0.3):
            found = catch_rate(scores, truths, weights, at)[place]
            assert found == pytest.approx(caught[alarms <= at + 1e-9].max())


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(1, 12))
def test_the_calibration_error_is_that_of_a_loop_over_bins(given_cases: Any, bins: int) -> None:
    scores, truths, weights = given_cases
    found = calibration_error(scores, truths, weights, bins)
    for place, weight in enumerate(weights):
        total = 0.0
        for number in range(bins):
            inside = [i for i, s in enumerate(scores) if min(int(s * bins), bins - 1) == number]
            mass = weight[inside].sum()
            if mass:
                gap = np.average(scores[inside] - truths[inside], weights=weight[inside])
                total += mass * abs(gap)
        assert found[place] == pytest.approx(total / weight.sum())


def test_a_calibrated_forecaster_has_no_error_and_a_bold_one_what_is_planted() -> None:
    said = np.repeat([0.25, 0.75], 400)
    truths = (
        np.tile([1.0, 0.0, 0.0, 0.0], 100).tolist() + np.tile([1.0, 1.0, 1.0, 0.0], 100).tolist()
    )
    once = np.ones((1, 800))
    assert calibration_error(said, np.array(truths), once, 10)[0] == pytest.approx(0.0)
    bold = np.where(said < 0.5, 0.05, 0.95)
    assert calibration_error(bold, np.array(truths), once, 10)[0] == pytest.approx(0.2)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20))
def test_a_majority_is_that_of_a_count_by_item(votes: Any) -> None:
    items, answers = (np.array(each) for each in zip(*votes, strict=True))
    codes = np.unique(items, return_inverse=True)[1]
    truths = (codes % 3).astype(float)
    found = majority_right(answers.astype(float), truths, codes, np.ones((1, len(codes))))[0]
    shares = []
    for code in sorted(set(codes)):
        counts = Counter(answers[codes == code].tolist())
        leading = [answer for answer, n in counts.items() if n == max(counts.values())]
        shares.append((code % 3 in leading) / len(leading))
    assert found == pytest.approx(np.mean(shares))


def test_what_weights_do_not_define_is_missing() -> None:
    scores, truths = np.array([0.2, 0.6, 0.9]), np.array([0.0, 1.0, 1.0])
    weights = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert list(np.isnan(area_under_curve(scores, truths, weights))) == [False, True, True, True]
    assert list(np.isnan(catch_rate(scores, truths, weights, 0.1))) == [False, True, True, True]
    assert list(np.isnan(brier_score(scores, truths, weights))) == [False, False, False, True]
    items = np.array([0, 0, 1])
    right = majority_right(truths, truths, items, weights)
    assert list(np.isnan(right)) == [False, False, False, True]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=2, max_size=25),
    st.integers(1, 7),
)
def test_a_curve_is_that_of_scipy_and_statsmodels(seen: Any, until: int) -> None:
    times = np.array([float(time) for time, _ in seen])
    events = np.array([float(event) for _, event in seen])
    at = np.arange(8.0)
    found = event_free(times, events, np.ones((1, len(seen))), at)[0]
    right = np.array([t for t, e in zip(times, events, strict=True) if not e])
    data = stats.CensoredData(times[events > 0], right=right)
    if events.any():
        expected = stats.ecdf(data).sf.evaluate(at)
        last = times.max()
        assert found[at <= last] == pytest.approx(expected[at <= last])
        by_statsmodels = SurvfuncRight(times, events)
        for time, share in zip(by_statsmodels.surv_times, by_statsmodels.surv_prob, strict=True):
            assert found[int(time)] == pytest.approx(share)
    else:
        assert found == pytest.approx(1.0)
    # The area below steps at whole times is their sum.
    mean = restricted_mean(times, events, np.ones((1, len(seen))), float(until))[0]
    assert mean == pytest.approx(found[:until].sum())


def test_weights_of_times_count_like_copies() -> None:
    rng = np.random.default_rng(3)
    times, events = rng.integers(1, 6, 20).astype(float), (rng.random(20) < 0.6).astype(float)
    copies = rng.integers(0, 4, 20)
    weighed = restricted_mean(times, events, copies[None].astype(float), 4.5)[0]
    once = np.ones((1, copies.sum()))
    repeated = restricted_mean(np.repeat(times, copies), np.repeat(events, copies), once, 4.5)[0]
    assert weighed == pytest.approx(repeated)
    # Without anything censored it is the mean of times that are cut.
    every = restricted_mean(times, np.ones(20), np.ones((1, 20)), 3.0)[0]
    assert every == pytest.approx(np.minimum(times, 3.0).mean())
    nothing = event_free(times, events, np.zeros((1, 20)), np.array([1.0]))
    assert np.isnan(nothing).all()
