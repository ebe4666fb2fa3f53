"""Anchored scales against scipy, and that only the reference language fits them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.anchors import Clips, fit, weighted

SCALES = ("z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile")
BOUNDED = SCALES[1:]
enough = settings(max_examples=100)
number = st.integers(-40, 40).map(lambda k: k / 8)
sample = st.lists(number, min_size=3, max_size=20).filter(lambda x: len(set(x)) > 1)
values = st.lists(number, min_size=1, max_size=20)


@enough
@given(sample, values)
def test_scales_are_scipys(reference, x):
    z = stats.zmap(x, reference, ddof=1)
    np.testing.assert_allclose(fit("z", reference)(x), z, atol=1e-12)
    np.testing.assert_allclose(fit("normal_cdf", reference)(x), stats.norm.cdf(z), atol=1e-12)
    ranks = stats.percentileofscore(reference, x, kind="mean") / 100
    np.testing.assert_allclose(fit("ecdf", reference)(x), ranks, atol=1e-12)


@enough
@given(sample)
def test_the_reference_itself_is_standard(reference):
    np.testing.assert_allclose(
        fit("z", reference)(reference), stats.zscore(reference, ddof=1), atol=1e-12
    )
    spanned = fit("min_max", reference)(reference)
    assert (spanned.min(), spanned.max()) == (0, 1)
    assert fit("ecdf", reference)(reference).mean() == pytest.approx(0.5)


def test_clipped_scales_by_hand():
    reference = np.arange(101.0)
    clipped = fit("clipped_percentile", reference, Clips(percentiles=(10, 90)))
    np.testing.assert_allclose(clipped([0, 10, 50, 90, 500]), [0, 0, 0.5, 1, 1])
    # Mean 0, SD 1 by construction, so that z is the value itself.
    unit = np.array([-1.0, 0.0, 1.0])
    z = fit("clipped_z", unit, Clips(z=2.0))
    np.testing.assert_allclose(z([-9, -2, -1, 0, 1, 2, 9]), [0, 0, 0.25, 0.5, 0.75, 1, 1])
    np.testing.assert_allclose(fit("min_max", unit)([-3, -0.5, 1, 2]), [0, 0.25, 1, 1])


@enough
@given(sample, st.lists(number, min_size=2, max_size=20), st.sampled_from(BOUNDED))
def test_bounded_scales_are_bounded_and_rise(reference, x, scale):
    found = fit(scale, reference)(sorted(x))
    known = found[~np.isnan(found)]
    assert ((known >= 0) & (known <= 1)).all()
    assert (np.diff(known) >= 0).all()


@pytest.mark.parametrize("scale", SCALES)
def test_missing_values_stay_missing_and_fit_nothing(scale):
    reference = [0.1, 0.4, 0.2, 0.9]
    with_gaps = [0.1, np.nan, 0.4, 0.2, np.nan, 0.9]
    x = [0.3, np.nan, 0.5]
    found = fit(scale, with_gaps)(x)
    np.testing.assert_array_equal(found, fit(scale, reference)(x))
    assert list(np.isnan(found)) == [False, True, False]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("reference", [[], [0.5], [0.5, 0.5], [np.nan, 0.5], [np.nan, np.nan]])
def test_a_reference_that_fits_nothing_gives_nothing(scale, reference):
    assert np.isnan(fit(scale, reference)([0.1, 0.5])).all()


def index(lexical, semantic, mask, scale="z", weights=(0.5, 0.5)):
    parts = [np.asarray(part, dtype=float) for part in (lexical, semantic)]
    return weighted([fit(scale, part[np.asarray(mask)])(part) for part in parts], weights)


@enough
@given(sample, st.data(), st.sampled_from(SCALES))
def test_other_languages_do_not_move_the_reference(reference, data, scale):
    n = len(reference)
    others = st.lists(number, min_size=4, max_size=4)
    mask = [True] * n + [False] * 4
    semantic = [x * x for x in reference]
    first = index(reference + data.draw(others), semantic + data.draw(others), mask, scale=scale)
    second = index(reference + data.draw(others), semantic + data.draw(others), mask, scale=scale)
    np.testing.assert_array_equal(first[:n], second[:n])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 1.0])
def test_the_index_is_the_weighted_sum_of_its_anchored_parts(scale, weight):
    rng = np.random.default_rng(3)
    lexical, semantic = rng.normal(size=(2, 30))
    mask = np.arange(30) % 2 == 0
    found = index(lexical, semantic, mask, scale, (weight, 1 - weight))
    lex = fit(scale, lexical[mask])(lexical)
    sem = fit(scale, semantic[mask])(semantic)
    np.testing.assert_allclose(found, weight * lex + (1 - weight) * sem)


def test_the_index_by_hand():
    # English: lexical -1, 0, 1 and semantic 10, 20, 30, whose means and SDs are 0, 1 and 20, 10.
    mask = [True, True, True, False]
    found = index([-1, 0, 1, 2], [10, 20, 30, 50], mask, weights=(0.25, 0.75))
    np.testing.assert_allclose(found, [-1, 0, 1, 0.25 * 2 + 0.75 * 3])


def test_a_missing_part_makes_the_index_missing_where_it_counts():
    lexical, semantic = [0.1, 0.2, np.nan, 0.4], [0.1, 0.5, 0.2, np.nan]
    mask = [True] * 4
    assert list(np.isnan(index(lexical, semantic, mask))) == [False, False, True, True]
    lexical_only = index(lexical, semantic, mask, weights=(1.0, 0.0))
    assert list(np.isnan(lexical_only)) == [False, False, True, False]
