"""Evidence that holds at any look: exact martingales, intervals that are their inversion."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.design.anytime import STRENGTHS, evidence, limits, looks_at
from marking import thorough_but

SIZES = st.lists(st.floats(0, 1e6), min_size=1, max_size=7)
CONFIDENCE, ALPHA = 0.95, 0.05


def ones(values: object) -> np.ndarray:
    return np.ones(np.size(values))


def wealth(sums: np.ndarray, mean: float = 0.0) -> np.ndarray:
    return np.exp(evidence(sums, ones(sums), np.array([mean]))[0])


def test_two_equal_differences_by_hand() -> None:
    # The first sign alone says nothing: it may be either. Of two that agree, each of unit size, the
    # mean over strengths c and -c of (1 + tanh c)^2 is 1 + mean(tanh(c)^2).
    found = wealth(np.array([3.0, 3.0]))
    assert found == pytest.approx([1.0, 1.0 + float(np.mean(np.tanh(STRENGTHS) ** 2))])


@settings(max_examples=40)
@given(SIZES, st.floats(-1e3, 1e3))
def test_over_all_signs_the_evidence_is_one_whatever_came_before(
    sizes: list[float], mean: float
) -> None:
    """A martingale: given the first signs, the mean over the next sign is what there was."""
    signs = np.array(list(product((1.0, -1.0), repeat=len(sizes))))
    paths = np.array([wealth(pattern * np.array(sizes) + mean, mean) for pattern in signs])
    assert paths.mean(axis=0) == pytest.approx(ones(sizes))
    for count in range(1, len(sizes)):
        for first in np.unique(signs[:, :count], axis=0):
            of = paths[(signs[:, :count] == first).all(axis=1)]
            assert of[:, count].mean() == pytest.approx(of[0, count - 1])


@given(SIZES, st.data())
def test_the_unit_and_the_sign_of_the_outcome_change_nothing(
    sizes: list[float], data: st.DataObject
) -> None:
    signs = data.draw(st.lists(st.sampled_from((1.0, -1.0)), min_size=7, max_size=7))
    sums = np.array(sizes) * np.array(signs[: len(sizes)])
    found = wealth(sums)
    assert np.isfinite(found).all() and (found >= 0).all()
    assert wealth(-sums) == pytest.approx(found)
    assert wealth(1024.0 * sums) == pytest.approx(found)
    # A cluster in which arms do not differ says nothing.
    assert wealth(np.array([*sums, 0.0]))[-1] == pytest.approx(found[-1])


@given(st.integers(12, 40), st.integers(0, 2**32), st.floats(-2, 2))
def test_an_interval_is_what_the_evidence_has_not_ruled_out(
    n: int, seed: int, effect: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n).astype(float)
    sums = sizes * effect + rng.standard_normal(n)
    low, high = limits(sums, sizes, CONFIDENCE)
    assert low < sums.sum() / sizes.sum() < high
    width = min(high - low, 1.0)
    inside, outside = ([low + s * width, high - s * width] for s in (1e-3, -1e-3))
    most = np.log(1 / ALPHA)
    if np.isfinite([low, high]).all():
        assert (evidence(sums, sizes, np.array(inside))[:, -1] < most + 0.05).all()
        assert (evidence(sums, sizes, np.array(outside))[:, -1] > most - 0.05).all()


def test_few_clusters_have_no_limits_and_nothing_breaks_it() -> None:
    assert limits(np.array([]), np.array([]), CONFIDENCE) == (-np.inf, np.inf)
    # Eight signs have a probability of 2/256, and a mixture needs some more.
    assert limits(np.ones(4), ones(range(4)), CONFIDENCE) == (-np.inf, np.inf)
    (look,) = looks_at(np.zeros(30), ones(range(30)), [30], CONFIDENCE)
    assert (look.e_value, look.p_value) == (1.0, 1.0)
    with pytest.raises(ValueError, match="is nan"):
        list(looks_at(np.array([1.0, np.nan]), np.ones(2), [2], CONFIDENCE))


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_later_looks_take_nothing_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sums = rng.standard_normal(60) + 0.3
    looks = list(looks_at(sums, ones(sums), [15, 30, 45, 60], CONFIDENCE))
    alone = [next(looks_at(sums[:n], ones(sums[:n]), [n], CONFIDENCE)) for n in (15, 30, 45, 60)]
    assert [look.e_value for look in looks] == pytest.approx([look.e_value for look in alone])
    assert looks[-1].p_value == pytest.approx(
        min(1.0, 1.0 / max(1.0, *(look.e_value for look in looks)))
    )
    p_values = [look.p_value for look in looks]
    assert p_values == sorted(p_values, reverse=True)
    if max(look.ci_low for look in alone) <= min(look.ci_high for look in alone):
        lows, highs = [look.ci_low for look in looks], [look.ci_high for look in looks]
        assert lows == sorted(lows) and highs == sorted(highs, reverse=True)


@pytest.mark.parametrize("tails", thorough_but([1.0, 2.0, 30.0], 1.0))
def test_whatever_the_tails_one_null_in_twenty_is_ever_found(tails: float) -> None:
    """Student's t with 1 (Cauchy), 2 and 30 degrees of freedom, looked at after every cluster."""
    rng, runs = np.random.default_rng(int(tails)), 1000
    every = rng.standard_t(tails, (runs, 60))
    ever = sum(wealth(sums).max() >= 1 / ALPHA for sums in every) / runs
    assert ever <= ALPHA + 2 * (ALPHA * (1 - ALPHA) / runs) ** 0.5

    def holds(sums: np.ndarray) -> bool:
        looks = looks_at(sums, ones(sums), [30, 60], CONFIDENCE)
        return all(look.ci_low <= 0 <= look.ci_high for look in looks)

    held = [holds(sums) for sums in every[:100]]
    assert np.mean(held) >= CONFIDENCE


def test_an_effect_is_found_the_sooner_the_larger_it_is() -> None:
    rng, counts = np.random.default_rng(3), []
    for effect in (0.4, 0.8, 1.6):
        paths = [wealth(rng.standard_normal(150) + effect) for _ in range(100)]
        counts.append(np.median([np.argmax(path >= 1 / ALPHA) + 1 for path in paths]))
        assert np.mean([path.max() >= 1 / ALPHA for path in paths]) > 0.9
    # A test of a fixed size with 80% power takes 49, 12 and 3 pairs and a look at no other number.
    assert counts == sorted(counts, reverse=True)
    assert counts[0] < 2 * 49 and counts[1] < 2 * 12 + 8
