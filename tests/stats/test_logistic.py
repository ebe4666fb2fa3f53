"""Firth's estimates and the clustered score test against hand calculation, scipy, statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special, stats

from dissensus.stats.logistic import Grouped, firth, logistic, score_test


def clustered(
    rng: np.random.Generator, clusters: int, slope: float = 0.0, seats: int = 3, noise: float = 0.5
):
    """Votes in pairs of rows that share a cluster's pull, of which z tells with noise; x and -x."""
    pull = rng.standard_normal(clusters)
    z = pull + noise * rng.standard_normal(clusters)
    x = rng.standard_normal(clusters)
    chance = [special.expit(sign * (pull + slope * x)) for sign in (1, -1)]
    votes = np.concatenate([rng.binomial(seats, p) for p in chance])
    both = np.concatenate([x, -x]), np.concatenate([z, -z])
    others = np.column_stack([np.ones(2 * clusters), both[1]])
    names = np.tile(np.arange(clusters), 2)
    return Grouped.of(both[0], others, votes, np.full(2 * clusters, seats), names)


def test_firth_adds_half_a_success_and_half_a_failure():
    # Jeffreys' prior of one share, and of each share of a saturated table (Firth 1993).
    one = firth(np.ones((1, 1)), np.array([0.0]), np.array([7.0]))
    assert one == pytest.approx([special.logit(0.5 / 8)])
    table = firth(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([3.0, 10.0]), np.array([10.0, 10.0]))
    first = special.logit(3.5 / 11)
    assert table == pytest.approx([first, special.logit(10.5 / 11) - first])


def test_one_regressor_has_the_estimate_that_it_has_beside_one_that_says_nothing():
    """One alone is inverted by division; with a column of zeros it takes the decomposition."""
    rng = np.random.default_rng(4)
    for rows in (2, 9, 40):
        one, trials = rng.standard_normal((rows, 1)), np.full(rows, 5.0)
        votes = rng.binomial(5, 0.7, rows).astype(float)
        both = firth(np.column_stack([one, np.zeros(rows)]), votes, trials)
        assert firth(one, votes, trials) == pytest.approx(both[:1], rel=1e-12)
        assert both[1] == 0.0


def test_firth_maximises_the_penalised_likelihood():
    rng = np.random.default_rng(3)
    design = np.column_stack([np.ones(12), rng.standard_normal((12, 2))])
    trials = rng.integers(1, 5, 12).astype(float)
    successes = rng.binomial(trials.astype(int), 0.4).astype(float)

    def loss(beta):
        mean = special.expit(design @ beta)
        information = (design * (trials * mean * (1 - mean))[:, None]).T @ design
        logs = special.xlogy(successes, mean) + special.xlogy(trials - successes, 1 - mean)
        return -logs.sum() - 0.5 * np.linalg.slogdet(information)[1]

    best = optimize.minimize(loss, np.zeros(3), tol=1e-12).x
    assert firth(design, successes, trials) == pytest.approx(best, abs=1e-4)


@pytest.mark.thorough
def test_estimates_are_those_of_statsmodels_where_data_are_many():
    import statsmodels.api as sm

    data = clustered(np.random.default_rng(1), 3000, slope=0.4)
    design = np.column_stack([data.tested, data.others])
    counts = np.column_stack([data.successes, data.trials - data.successes])
    expected = sm.GLM(counts, design, family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": data.clusters}
    )
    found = logistic(data)
    assert found.estimate == pytest.approx(expected.params[0], abs=2e-3)
    # With many clusters score and Wald intervals agree.
    assert (found.ci_low, found.ci_high) == pytest.approx(expected.conf_int()[0], abs=0.01)
    assert found.n == 3 * 6000 and found.n_clusters == 3000


def test_score_test_of_single_votes_by_hand():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal(30), rng.integers(0, 2, 30)
    data = Grouped.of(x, np.ones(30), y, np.ones(30), np.arange(30))
    mean = (y.sum() + 0.5) / 31
    expected = stats.ttest_1samp((x - x.mean()) * (y - mean), 0.0)
    assert score_test(data) == pytest.approx((expected.statistic, expected.pvalue))


def test_limits_are_where_the_test_just_rejects():
    data = clustered(np.random.default_rng(4), 40, slope=0.5)
    found = logistic(data, 0.9)
    for limit, sign in ((found.ci_low, 1), (found.ci_high, -1)):
        t, p_value = score_test(data, limit)
        assert p_value == pytest.approx(0.1, abs=1e-6) and np.sign(t) == sign
    assert found.ci_low < found.estimate < found.ci_high


@pytest.mark.thorough
@pytest.mark.parametrize("clusters", [20, 40])
def test_size_and_power(clusters):
    rng = np.random.default_rng(clusters)
    null = np.array([score_test(clustered(rng, clusters))[1] for _ in range(1000)])
    assert 0.03 < (null < 0.05).mean() < 0.07
    there = np.array([score_test(clustered(rng, clusters, 0.8))[1] for _ in range(100)])
    assert (there < 0.05).mean() > 0.7


@pytest.mark.thorough
def test_the_true_slope_is_seldom_rejected():
    rng = np.random.default_rng(9)
    p_values = [score_test(clustered(rng, 40, 0.6, noise=0.0), 0.6)[1] for _ in range(500)]
    assert 0.02 < (np.array(p_values) < 0.05).mean() < 0.08


def test_separated_votes_have_an_estimate_and_one_limit():
    x = np.array([-3.0, -2.0, -1.5, -1.0, 1.0, 1.5, 2.0, 3.0])
    data = Grouped.of(x, np.ones(8), 3 * (x > 0), np.full(8, 3), np.arange(8))
    found = logistic(data)
    assert 0 < found.ci_low < found.estimate < np.inf
    assert found.ci_high == np.inf and found.p_value < 0.01
    mirrored = logistic(Grouped.of(-x, np.ones(8), 3 * (x > 0), np.full(8, 3), np.arange(8)))
    assert mirrored.ci_low == -np.inf
    assert mirrored.ci_high == pytest.approx(-found.ci_low)


@pytest.mark.parametrize("votes", [0, 3])
def test_votes_that_do_not_vary_allow_no_test(votes):
    x = np.array([1.0, -1.0, 2.0, -2.0, 0.5, -0.5])
    data = Grouped.of(x, np.ones(6), np.full(6, votes), np.full(6, 3), [1, 1, 2, 2, 3, 3])
    found = logistic(data)
    assert np.isnan([found.estimate, found.ci_low, found.p_value]).all()


def test_too_few_clusters_allow_no_test():
    data = Grouped.of([1.0, -1.0], np.ones((2, 1)), [1, 0], [1, 1], [1, 1])
    assert np.isnan(logistic(data).estimate)
