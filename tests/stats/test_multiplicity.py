"""Adjusted p-values against textbook steps and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.stats.multiplicity import adjust

enough = settings(max_examples=50)
p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_and_bh_by_hand():
    p = [0.01, 0.04, 0.03, 0.005]
    assert adjust(p, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust(p, "bh") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert adjust(p, "by") == pytest.approx(np.array([0.02, 0.04, 0.04, 0.02]) * harmonic)


@pytest.mark.parametrize(("method", "name"), [("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")])
def test_adjust_equals_statsmodels(method, name):
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).uniform(size=30) ** 2
    assert adjust(p, method) == pytest.approx(multipletests(p, method=name)[1])


@pytest.mark.parametrize("method", ["bh", "by", "holm"])
@enough
@given(p=p_lists)
def test_nan_is_no_test(method, p):
    with_gaps = adjust([np.nan, *p, np.nan], method)
    assert np.isnan(with_gaps[[0, -1]]).all()
    assert with_gaps[1:-1] == pytest.approx(adjust(p, method))
    assert (with_gaps[1:-1] >= np.array(p) - 1e-12).all()
    assert (with_gaps[1:-1] <= 1).all()


def test_nothing_to_adjust():
    assert adjust([], "bh").shape == (0,)
    assert np.isnan(adjust([np.nan], "holm")).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjust([0.5], "bonferroni"), "method is 'bonferroni'"),
        (lambda: adjust([1.5], "bh"), r"holds 1\.5"),
        (lambda: adjust([[0.5]], "bh"), "one-dimensional"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
