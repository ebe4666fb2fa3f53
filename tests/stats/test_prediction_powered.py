"""Prediction-powered estimates: against ppi-python, by properties, and by what they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.prediction_powered import prediction_powered

ONE = {"a": 1.0}
DIFFERENCE = {"b": 1.0, "a": -1.0}


def sample(
    rng: np.random.Generator, n: int, labelled: int, bias: float = 0.0, noise: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (NaN where there is none) and predictions of normal values whose mean is 1."""
    truth = rng.normal(1.0, 1.0, n)
    predictions = truth + bias + rng.normal(0.0, noise, n)
    labels = np.full(n, np.nan)
    chosen = rng.choice(n, labelled, replace=False)
    labels[chosen] = truth[chosen]
    return labels, predictions


def groups(n: int, name: str = "a") -> np.ndarray:
    return np.full(n, name)


def test_it_is_what_ppi_python_gives() -> None:
    """ppi-python 0.2.3, ppi_mean_pointestimate and ppi_mean_ci (alpha .05), in whose arrays the
    labelled are not among the others: its lambda is ours times N / (n + N).
    """
    labels = [1.03, 2.36, 2.22, 0.49, 0.7, 0.47, 1.57, 0.94, *[np.nan] * 16]
    predictions = [
        *(0.16, 1.78, 1.84, 0.1, 0.11, 0.69, 2.0, 0.94, 1.33, -0.19, 2.71, 0.87, 1.92, 1.51, 0.69),
        *(1.06, 1.93, 1.06, 1.53, 1.01, 0.07, -0.53, 0.54, 0.63),
    ]
    whole = prediction_powered(labels, predictions, groups(24), ONE, power=24 / 16)
    assert whole.estimate == pytest.approx(1.27875)
    # Its variances divide by n, and its intervals are normal.
    assert whole.se * (7 / 8) ** 0.5 == pytest.approx(
        (1.76761847 - 0.78988153) / 2 / 1.96, rel=1e-3
    )
    tuned = prediction_powered(labels, predictions, groups(24), ONE)
    assert tuned.estimate == pytest.approx(1.24827537, abs=0.005)
    assert tuned.se * (6 / 8) ** 0.5 == pytest.approx(
        (1.60559765 - 0.89095308) / 2 / 1.96, rel=0.02
    )


def test_without_predictions_it_is_the_mean_of_labels() -> None:
    labels, predictions = sample(np.random.default_rng(1), 200, 40)
    found = prediction_powered(labels, predictions, groups(200), ONE, power=0.0)
    known = labels[~np.isnan(labels)]
    plain = cluster_robust_mean(known, np.arange(40), 0.95)
    assert found.estimate == pytest.approx(known.mean())
    assert found.se == pytest.approx(known.std(ddof=1) / 40**0.5)
    assert (found.ci_low, found.ci_high) == pytest.approx((plain.ci_low, plain.ci_high))
    assert (found.n, found.labelled, found.n_clusters, found.power) == (200, 40, 40, 0.0)


def test_a_perfect_judge_makes_labels_as_good_as_labels_of_all() -> None:
    labels, predictions = sample(np.random.default_rng(2), 400, 40, noise=0.0)
    found = prediction_powered(labels, predictions, groups(400), ONE)
    people = prediction_powered(labels, predictions, groups(400), ONE, power=0.0)
    assert found.power == pytest.approx(1.0)
    assert found.estimate == pytest.approx(predictions.mean())
    assert found.se == pytest.approx(predictions.std() / 20, rel=0.04)
    assert found.se < people.se / 2


def test_a_judge_who_says_nothing_of_people_counts_for_nothing() -> None:
    rng = np.random.default_rng(3)
    labels, _ = sample(rng, 400, 100)
    people = prediction_powered(labels, rng.normal(size=400), groups(400), ONE, power=0.0)
    found = prediction_powered(labels, rng.normal(size=400), groups(400), ONE)
    assert found.power < 0.25 and found.se <= people.se * 1.01
    against = prediction_powered(labels, -np.nan_to_num(labels), groups(400), ONE)
    assert against.power == 0.0 and against.se == pytest.approx(people.se)


@given(st.integers(0, 10_000), st.floats(-5, 5), st.floats(0.5, 3))
def test_a_bias_of_the_judge_changes_no_estimate(seed: int, bias: float, scale: float) -> None:
    """What predictions are off by drops out; their unit does where power is tuned below 1."""
    labels, predictions = sample(np.random.default_rng(seed), 60, 20)
    plain = prediction_powered(labels, predictions, groups(60), ONE)
    moved = prediction_powered(labels, predictions + bias, groups(60), ONE)
    assert moved.estimate == pytest.approx(plain.estimate)
    assert moved.se == pytest.approx(plain.se)
    # Where it is cut off at 1, another unit is no more cut off at the same place.
    if 0 < plain.power < 1:
        wider = prediction_powered(labels, predictions / scale, groups(60), ONE)
        if wider.power < 1:
            assert wider.estimate == pytest.approx(plain.estimate)


@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_intervals_of_a_difference_cover_and_those_of_the_judge_do_not(bias: float) -> None:
    covered, by_judge, widths = [], [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        a, b = sample(rng, 80, 20), sample(rng, 80, 20, bias=bias)
        labels, predictions = (np.concatenate(each) for each in zip(a, b, strict=True))
        arms = np.repeat(["a", "b"], 80)
        found = prediction_powered(labels, predictions, arms, DIFFERENCE)
        people = prediction_powered(labels, predictions, arms, DIFFERENCE, power=0.0)
        covered.append(found.ci_low <= 0 <= found.ci_high)
        widths.append((found.ci_high - found.ci_low) / (people.ci_high - people.ci_low))
        plain = predictions[80:] - predictions[:80]
        by_judge.append(abs(plain.mean()) < 1.96 * plain.std() / 80**0.5)
    assert abs(np.mean(covered) - 0.95) < 3.5 * (0.95 * 0.05 / 400) ** 0.5
    assert np.mean(widths) < 0.75
    assert (np.mean(by_judge) > 0.9) == (bias == 0.0)


def test_clusters_that_differ_make_wider_intervals_that_cover() -> None:
    """Ten sessions of a cluster share most of what they are; labels are of whole clusters."""
    covered, ignored = [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        clusters = np.repeat(np.arange(40), 5)
        truth = np.repeat(rng.normal(0, 1, 40), 5) + rng.normal(0, 0.5, 200)
        predictions = truth + np.repeat(rng.normal(0, 0.5, 40), 5)
        labels = np.where(clusters < 15, truth, np.nan)
        found = prediction_powered(labels, predictions, groups(200), ONE, clusters)
        alone = prediction_powered(labels, predictions, groups(200), ONE)
        covered.append(found.ci_low <= 0 <= found.ci_high)
        ignored.append(alone.ci_low <= 0 <= alone.ci_high)
    assert abs(np.mean(covered) - 0.95) < 3.5 * (0.95 * 0.05 / 400) ** 0.5
    assert np.mean(ignored) < 0.8


def test_too_few_labels_have_no_interval_and_none_no_estimate() -> None:
    predictions = np.array([1.0, 2.0, 3.0, 4.0])
    arms = np.array(["a", "a", "b", "b"])
    one = prediction_powered([1.0, np.nan, 2.0, 3.0], predictions, arms, DIFFERENCE)
    assert one.estimate == one.estimate and one.se != one.se and one.n_clusters == 1
    none = prediction_powered([1.0, 2.0, np.nan, np.nan], predictions, arms, DIFFERENCE)
    assert none.estimate != none.estimate and none.n == 4


def test_wrong_arguments_are_sentences() -> None:
    with pytest.raises(ValueError, match="pass one of each for every observation"):
        prediction_powered([1.0], [1.0, 2.0], ["a", "a"], ONE)
    with pytest.raises(ValueError, match=r"predictions\[1\] is nan"):
        prediction_powered([1.0, 2.0], [1.0, np.nan], ["a", "a"], ONE)


def test_labels_that_all_agree_are_no_proof() -> None:
    labels = np.where(np.arange(40) < 12, 1.0, np.nan)
    predictions = np.random.default_rng(1).integers(0, 2, 40).astype(float)
    for power in (0.0, None):
        found = prediction_powered(labels, predictions, groups(40), ONE, power=power)
        assert found.estimate == 1.0
        assert np.isnan([found.se, found.ci_low, found.ci_high, found.p_value]).all()
