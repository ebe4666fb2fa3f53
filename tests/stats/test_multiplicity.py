"""Adjusted p-values and all-pairs tests against textbook steps, scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.multiplicity import adjust, tukey_kramer

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


def test_tukey_kramer_equals_statsmodels():
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    rng = np.random.default_rng(2)
    groups = [rng.normal(m, 1, n) for m, n in ((0, 8), (0.5, 12), (1.2, 9))]
    labels = np.repeat([0, 1, 2], [8, 12, 9])
    reference = pairwise_tukeyhsd(np.concatenate(groups), labels)
    pairs = tukey_kramer(groups)
    assert [(p.first, p.second) for p in pairs] == [(0, 1), (0, 2), (1, 2)]
    # statsmodels takes the difference the other way round.
    assert [p.estimate for p in pairs] == pytest.approx(-reference.meandiffs)
    assert [p.p_value for p in pairs] == pytest.approx(reference.pvalues, abs=1e-4)
    low, high = -reference.confint[:, 1], -reference.confint[:, 0]
    assert [p.ci_low for p in pairs] == pytest.approx(low, abs=1e-3)
    assert [p.ci_high for p in pairs] == pytest.approx(high, abs=1e-3)


def test_tukey_kramer_of_two_groups_is_the_pooled_t_test():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=7), rng.normal(1, 1, 11)
    pair, reference = tukey_kramer([x, y])[0], stats.ttest_ind(x, y)
    assert pair.statistic == pytest.approx(reference.statistic)
    assert pair.p_value == pytest.approx(reference.pvalue, abs=1e-6)
    assert pair.df == reference.df


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjust([0.5], "bonferroni"), "method is 'bonferroni'"),
        (lambda: adjust([1.5], "bh"), r"holds 1\.5"),
        (lambda: adjust([[0.5]], "bh"), "one-dimensional"),
        (lambda: tukey_kramer([[1.0, 2.0]]), "at least 2"),
        (lambda: tukey_kramer([[1.0, 2.0], [1.0]]), r"groups\[1\] holds 1"),
        (lambda: tukey_kramer([[1.0, 1.0], [2.0, 2.0]]), "pooled variance 0"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
