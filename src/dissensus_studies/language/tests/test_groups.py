"""Group tests against the paper's Table 2, scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ..stats import groups as g

NS = np.array([8, 10, 12, 12, 9, 8, 13, 16, 11])
MEANS = np.array([0.812, 0.803, 0.786, 0.785, 0.756, 0.745, 0.736, 0.717, 0.647])
LOW = np.array([0.723, 0.708, 0.708, 0.667, 0.653, 0.654, 0.635, 0.648, 0.556])
HIGH = np.array([0.902, 0.897, 0.864, 0.903, 0.859, 0.835, 0.837, 0.785, 0.738])
SDS = (HIGH - LOW) / 2 * np.sqrt(NS) / stats.t.ppf(0.975, NS - 1)


def drawn_groups(seed=1, sizes=(6, 9, 12)):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.4 * i, 1 + 0.5 * i, n) for i, n in enumerate(sizes)]


def with_summary(mean, sd, n):
    """A sample with exactly that mean and standard deviation."""
    shape = np.linspace(-1, 1, n)
    return mean + sd * shape / shape.std(ddof=1)


TABLE_2 = [with_summary(*one) for one in zip(MEANS, SDS, NS, strict=True)]


def test_table_2_anova():
    result = g.anova(TABLE_2)
    assert (result.df_between, result.df_within) == (8, 90)
    assert result.statistic == pytest.approx(1.4343, abs=5e-5)
    assert result.p_value == pytest.approx(0.1932, abs=5e-5)


def test_table_2_welch():
    result = g.welch_anova(TABLE_2)
    assert result.statistic == pytest.approx(1.4636, abs=5e-5)
    assert result.df_within == pytest.approx(35.27, abs=5e-3)
    assert result.p_value == pytest.approx(0.2056, abs=5e-5)


def test_table_2_pairs():
    pairs = g.pairwise_welch(TABLE_2)
    assert len(pairs) == 36
    assert (pairs[7].first, pairs[7].second) == (0, 8)
    assert pairs[7].p_value == pytest.approx(0.00879, abs=1e-5)
    assert min(p.p_bh for p in pairs) == pytest.approx(0.2175, abs=5e-5)


def test_from_values_equals_scipy():
    samples = drawn_groups()
    for equal, function in ((True, g.anova), (False, g.welch_anova)):
        reference = stats.f_oneway(*samples, equal_var=equal)
        result = function(samples)
        assert result.statistic == pytest.approx(reference.statistic)
        assert result.p_value == pytest.approx(reference.pvalue)


def test_pairwise_welch_equals_scipy():
    samples = drawn_groups()
    for pair in g.pairwise_welch(samples, 0.9):
        reference = stats.ttest_ind(samples[pair.first], samples[pair.second], equal_var=False)
        interval = reference.confidence_interval(0.9)
        assert pair.p_value == pytest.approx(reference.pvalue)
        assert pair.df == pytest.approx(reference.df)
        assert (pair.ci_low, pair.ci_high) == pytest.approx((interval.low, interval.high))


def test_pairwise_adjustment_is_over_all_pairs():
    pairs = g.pairwise_welch(drawn_groups())
    raw = [p.p_value for p in pairs]
    expected = stats.false_discovery_control(raw)
    assert [p.p_bh for p in pairs] == pytest.approx(expected)
    assert [p.p_by for p in pairs] == pytest.approx(np.minimum(1, expected * (1 + 1 / 2 + 1 / 3)))


def test_kruskal_wallis_equals_scipy():
    samples = [[1, 2, 2, 5], [2, 6, 7], [9, 8, 1, 2]]
    reference = stats.kruskal(*samples)
    result = g.kruskal_wallis(samples)
    assert (result.statistic, result.p_value) == pytest.approx(tuple(reference))
    assert result.df_between == 2
    assert g.kruskal_wallis([[1, 1], [1]]).p_value == 1.0


def test_groups_without_variance():
    assert np.isnan(g.welch_anova([[1, 1], [1, 2]]).p_value)
    assert g.anova([[0.1, 0.1, 0.1], [0.2, 0.2]]).p_value == 0.0
    assert np.isnan(g.anova([[1, 1], [1, 1]]).p_value)
    pairs = g.pairwise_welch([[1, 1], [1, 1], [1, 2]])
    assert np.isnan(pairs[0].p_bh)
    assert 0 < pairs[1].p_bh <= 1


def test_tukey_kramer_equals_statsmodels():
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    rng = np.random.default_rng(2)
    groups = [rng.normal(m, 1, n) for m, n in ((0, 8), (0.5, 12), (1.2, 9))]
    labels = np.repeat([0, 1, 2], [8, 12, 9])
    reference = pairwise_tukeyhsd(np.concatenate(groups), labels)
    pairs = g.tukey_kramer(groups)
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
    pair, reference = g.tukey_kramer([x, y])[0], stats.ttest_ind(x, y)
    assert pair.statistic == pytest.approx(reference.statistic)
    assert pair.p_value == pytest.approx(reference.pvalue, abs=1e-6)
    assert pair.df == reference.df


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: g.anova([[1.0, 2.0]]), "at least 2"),
        (lambda: g.welch_anova([[1.0, 2.0], [1.0]]), r"groups\[1\] holds 1"),
        (lambda: g.kruskal_wallis([[1.0], []]), "at least 1"),
        (lambda: g.tukey_kramer([[1.0, 2.0]]), "at least 2"),
        (lambda: g.tukey_kramer([[1.0, 2.0], [1.0]]), r"groups\[1\] holds 1"),
        (lambda: g.tukey_kramer([[1.0, 1.0], [2.0, 2.0]]), "pooled variance 0"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
