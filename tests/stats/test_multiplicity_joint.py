"""Joint specification-curve inference against brute force, one-column cases and calibration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dissensus.stats.multiplicity import joint_permutation
from dissensus.stats.signflip import sign_flip_test


def matrix(seed, n=30, k=6, shift=0.0):
    rng = np.random.default_rng(seed)
    return shift + rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, k))


def summaries(differences):
    """The three summaries, one column at a time through scipy."""
    columns = [c[~np.isnan(c)] for c in differences.T]
    tests = [stats.ttest_1samp(c, 0) for c in columns]
    z = [np.sign(t.statistic) * stats.norm.isf(t.pvalue / 2) for t in tests]
    share = np.mean([t.pvalue < 0.05 and t.statistic > 0 for t in tests])
    return np.median([c.mean() for c in columns]), share, np.sum(z) / np.sqrt(len(z))


def test_observed_summaries_equal_scipy():
    differences = matrix(1, shift=0.4)
    differences[:4, 0] = np.nan
    differences[7, 2:5] = np.nan
    result = joint_permutation(differences, flips=10)
    assert (result.median, result.share_significant, result.stouffer) == pytest.approx(
        summaries(differences)
    )


@pytest.mark.thorough
def test_p_values_agree_with_enumeration():
    differences = matrix(2, n=9, k=3, shift=0.5)
    differences[0, 1] = np.nan
    observed = np.array(summaries(differences))
    flipped = np.array(
        [summaries(differences * np.array(s)[:, None]) for s in product([-1, 1], repeat=9)]
    )
    exact = (np.abs(flipped) >= np.abs(observed) - 1e-9).mean(axis=0)
    exact[1] = (flipped[:, 1] >= observed[1]).mean()
    result = joint_permutation(differences, flips=20_000)
    assert (result.p_median, result.p_share, result.p_stouffer) == pytest.approx(exact, abs=0.015)


def test_one_specification_is_the_sign_flip_test():
    differences = matrix(3, n=14, k=1, shift=0.3)
    exact = sign_flip_test(differences[:, 0])
    result = joint_permutation(differences, flips=20_000)
    assert result.p_median == pytest.approx(exact.p_value, abs=0.015)
    assert result.p_stouffer == pytest.approx(exact.p_value, abs=0.015)


def test_copies_of_a_specification_add_no_evidence():
    single = matrix(4, n=25, k=1, shift=0.45)
    one = joint_permutation(single, seed=1)
    many = joint_permutation(np.repeat(single, 40, axis=1), seed=1)
    assert many.stouffer == pytest.approx(one.stouffer * np.sqrt(40))
    assert many.p_stouffer == pytest.approx(one.p_stouffer)
    assert many.p_median == pytest.approx(one.p_median)


def test_turning_all_signs_keeps_the_two_sided_p_values():
    ahead = joint_permutation(matrix(5, shift=0.3), flips=2_000)
    behind = joint_permutation(-matrix(5, shift=0.3), flips=2_000)
    assert behind.median == pytest.approx(-ahead.median)
    assert (behind.p_median, behind.p_stouffer) == (ahead.p_median, ahead.p_stouffer)
    assert behind.share_significant == 0.0
    assert behind.p_share == 1.0


def test_chunks_do_not_change_the_numbers(monkeypatch):
    differences = matrix(6, n=16, shift=0.3)
    whole = joint_permutation(differences, flips=3_000)
    monkeypatch.setattr("dissensus.stats.multiplicity._CELLS", 160)
    pieces = joint_permutation(differences, flips=3_000)
    assert pieces.stouffer == whole.stouffer
    assert pieces.p_stouffer == pytest.approx(whole.p_stouffer, abs=0.04)


def test_level_under_the_null():
    results = [joint_permutation(matrix(s, n=20), flips=199, seed=s) for s in range(300)]
    for name in ("p_median", "p_stouffer"):
        p_values = np.array([getattr(r, name) for r in results])
        assert (p_values <= 0.1).mean() == pytest.approx(0.1, abs=0.06)
    assert (np.array([r.p_share for r in results]) <= 0.1).mean() <= 0.16


def test_columns_that_do_not_vary():
    differences = np.column_stack([np.zeros(12), np.full(12, 0.3), matrix(7, n=12, k=1)])
    result = joint_permutation(differences, flips=500)
    assert np.isfinite(result.stouffer)
    nothing = joint_permutation(np.zeros((6, 2)), flips=99)
    assert (nothing.p_median, nothing.p_share, nothing.p_stouffer) == (1.0, 1.0, 1.0)


def test_is_deterministic():
    differences = matrix(8)
    first = joint_permutation(differences, flips=500, seed=2)
    assert first == joint_permutation(differences, flips=500, seed=np.random.default_rng(2))
    assert first != joint_permutation(differences, flips=500, seed=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: joint_permutation([1.0, 2.0]), "pairs by specifications"),
        (lambda: joint_permutation([[1.0], [np.inf]]), "infinite"),
        (lambda: joint_permutation([[1.0, 1.0], [1.0, np.nan]]), r"\[:, 1\] has 1"),
        (lambda: joint_permutation(matrix(9), flips=0), "flips is 0"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rows_of_a_cluster_are_flipped_together():
    rng = np.random.default_rng(4)
    differences, clusters = rng.normal(size=(12, 3)), np.repeat(np.arange(4), 3)
    whole = joint_permutation(differences[:, [0]], clusters, flips=20_000, seed=1)
    exact = sign_flip_test(differences[:, 0], clusters=clusters)
    assert whole.p_median == pytest.approx(exact.p_value, abs=0.01)
    with pytest.raises(ValueError, match="at least 2 clusters"):
        joint_permutation(differences, np.zeros(12))


def test_clusters_that_differ_strongly_are_no_effect():
    rng = np.random.default_rng(6)
    rejected = np.zeros(2)
    for seed in range(200):
        clusters = np.repeat(np.arange(20), rng.integers(1, 9, 20))
        n = len(clusters)
        d = rng.normal(0, 0.5, 20)[clusters][:, None] + rng.normal(0, 0.5, (n, 4))
        for place, labels in enumerate((clusters, None)):
            found = joint_permutation(d, labels, flips=199, seed=seed)
            rejected[place] += found.p_median <= 0.05
    assert rejected[0] <= 19 < rejected[1]
