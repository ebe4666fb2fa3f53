"""Agreement coefficients against the golden table, the packages and textbook formulas."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats import agreement as ag

enough = settings(max_examples=50)
TABLE = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
coders = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=30)


def codes(table):
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


A, B = codes(TABLE)


def values(a, b, categories):
    """The coefficients alone, by name."""
    found = ag.bootstrap_agreement(a, b, categories, resamples=2)
    return {name: one.value for name, one in found.items()}


def test_golden_table():
    found = values(A, B, [0, 1, 2])
    assert found["percent_agreement"] == pytest.approx(0.89)
    assert found["cohen_kappa"] == pytest.approx(0.796409, abs=5e-7)
    assert found["scott_pi"] == pytest.approx(0.796240, abs=5e-7)
    assert found["krippendorff_alpha"] == pytest.approx(0.797258, abs=5e-7)
    assert found["gwet_ac1"] == pytest.approx(0.849331, abs=5e-7)


def test_ac1_depends_on_empty_categories_and_nothing_else_does():
    narrow, wide = values(A, B, [0, 1, 2]), values(A, B, list(range(11)))
    shares = (TABLE.sum(axis=0) + TABLE.sum(axis=1)) / 200
    chance = (shares * (1 - shares)).sum() / 10
    assert wide.pop("gwet_ac1") == pytest.approx((0.89 - chance) / (1 - chance))
    narrow.pop("gwet_ac1")
    assert wide == pytest.approx(narrow)


def test_confusion_matrix_follows_the_order_of_the_categories():
    assert (ag.confusion_matrix(A, B) == TABLE).all()
    order = [2, 0, 9, 1]
    expected = np.zeros((4, 4), int)
    expected[np.ix_([1, 3, 0], [1, 3, 0])] = TABLE
    assert (ag.confusion_matrix(A, B, order) == expected).all()


def test_specific_agreement_by_hand():
    result = ag.per_category_agreement(A, B, [0, 1, 2, 3])
    assert result[:3] == pytest.approx([1.0, 40 / 51, 112 / 123])
    assert np.isnan(result[3])


@enough
@given(coders)
def test_coefficients_equal_the_packages(pairs):
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

    a, b = np.array(pairs).T
    used = np.unique(np.concatenate([a, b]))
    if used.size < 2:
        return
    found = values(a, b, [1, 2, 3, 4, 5])
    with np.errstate(invalid="ignore"):
        kappa = cohens_kappa(ag.confusion_matrix(a, b, used.tolist())).kappa
    assert found["cohen_kappa"] == pytest.approx(kappa)
    # Of two coders Fleiss's kappa is Scott's pi.
    counts = (np.column_stack([a, b])[:, :, None] == used).sum(axis=1)
    assert found["scott_pi"] == pytest.approx(fleiss_kappa(counts))
    alpha = krippendorff.alpha(
        reliability_data=np.vstack([a, b]).astype(float), level_of_measurement="nominal"
    )
    assert found["krippendorff_alpha"] == pytest.approx(alpha)


@enough
@given(coders)
def test_agreement_ignores_who_is_first_and_how_categories_are_named(pairs):
    a, b = np.array(pairs).T
    found = pytest.approx(values(a, b, [1, 2, 3, 4]), nan_ok=True)
    assert values(b, a, [1, 2, 3, 4]) == found
    assert values(10 - a, 10 - b, [6, 7, 8, 9]) == found


def test_perfect_agreement():
    a = [0, 1, 2, 1]
    assert set(values(a, a, [0, 1, 2]).values()) == {1.0}


def test_a_single_category_leaves_chance_correction_undefined():
    a = [2, 2, 2]
    result = ag.bootstrap_agreement(a, a, [1, 2], resamples=50)
    for name in ("cohen_kappa", "scott_pi", "krippendorff_alpha"):
        assert np.isnan([result[name].value, result[name].ci_low, result[name].ci_high]).all()
    assert result["gwet_ac1"].value == 1.0
    assert result["percent_agreement"].ci_low == 1.0


def test_bootstrap_intervals_match_theory():
    result = ag.bootstrap_agreement(A, B, [0, 1, 2], resamples=20_000)
    width = result["cohen_kappa"].ci_high - result["cohen_kappa"].ci_low
    # The large-sample standard error of Fleiss et al. (1969), as statsmodels prints it.
    assert width == pytest.approx(2 * 1.96 * 0.058911, rel=0.05)
    observed = result["percent_agreement"]
    assert (observed.ci_low, observed.ci_high) == pytest.approx((0.82, 0.95), abs=0.011)
    assert all(one.ci_low < one.value < one.ci_high for one in result.values())
    assert all(one.n == 100 for one in result.values())


@pytest.mark.thorough
def test_bootstrap_equals_resampling_units():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, 20), rng.integers(0, 3, 20)
    a[:12] = b[:12]
    units = rng.integers(0, 20, size=(1_500, 20))
    brute = [values(a[rows], b[rows], [0, 1, 2])["scott_pi"] for rows in units]
    result = ag.bootstrap_agreement(a, b, [0, 1, 2], resamples=20_000)["scott_pi"]
    expected = np.nanquantile(brute, [0.025, 0.975])
    assert (result.ci_low, result.ci_high) == pytest.approx(expected, abs=0.06)


def test_bootstrap_is_deterministic():
    first = ag.bootstrap_agreement(A, B, [0, 1, 2], 500, 3)
    assert first == ag.bootstrap_agreement(A, B, [0, 1, 2], 500, np.random.default_rng(3))
    assert first != ag.bootstrap_agreement(A, B, [0, 1, 2], 500, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ag.confusion_matrix([1, 2], [1]), "2 and 1 codes"),
        (lambda: ag.confusion_matrix([], []), "at least one"),
        (lambda: ag.confusion_matrix([1.0, np.nan], [1, 2]), "float64"),
        (lambda: ag.confusion_matrix([1, 2], [1, 7], [1, 2]), "Code 7"),
        (lambda: ag.confusion_matrix([1, 2], [1, 2], [1, 2, 2]), "lists a code twice"),
        (lambda: ag.bootstrap_agreement([1], [1], [1]), "whole codebook"),
        (lambda: ag.bootstrap_agreement([1], [1], [1, 2], 0), "resamples is 0"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


#: Four observers, twelve units, in Krippendorff (2011), "Computing Krippendorff's
#: Alpha-Reliability", section C, whose alpha is .743.
OBSERVED = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


def test_alpha_of_several_coders_is_the_printed_one():
    codes = np.array([row.split() for row in OBSERVED])
    counts = np.array([[(unit == str(code)).sum() for code in range(1, 6)] for unit in codes.T])
    found = ag.nominal_alpha(counts, 500, 1)
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert found.n == 11  # the last unit has one code
    assert 0.2 < found.ci_low < 0.743 < found.ci_high <= 1.0


def test_alpha_of_two_coders_is_the_other_function_s():
    a, b = np.random.default_rng(1).integers(0, 3, (2, 60))
    counts = np.eye(3)[a] + np.eye(3)[b]
    expected = ag.bootstrap_agreement(a, b, range(3), 4000, 1)["krippendorff_alpha"]
    found = ag.nominal_alpha(counts, 4000, 2)
    assert found.value == pytest.approx(expected.value)
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (expected.ci_low, expected.ci_high), abs=0.03
    )


def test_alpha_of_what_does_not_vary_is_missing():
    assert np.isnan(ag.nominal_alpha([[6, 0], [6, 0]], 100).value)
    nothing = ag.nominal_alpha(np.zeros((0, 2)), 100)
    assert np.isnan(nothing.value) and nothing.n == 0
    assert np.isnan(ag.nominal_alpha([[3, 3]], 100).ci_low)
    with pytest.raises(ValueError, match="counts"):
        ag.nominal_alpha([[-1, 2]], 100)


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=12))
def test_alpha_equals_krippendorff_s_package(rows):
    counts = np.array(rows)
    used = counts[counts.sum(axis=1) >= 2]
    if len(used) == 0 or (used.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(ag.nominal_alpha(counts, 10).value)
        return
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    assert ag.nominal_alpha(counts, 10).value == pytest.approx(expected, abs=1e-9)


def test_two_coders_in_clusters_agree_as_the_packages_say():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(4)
    a = rng.integers(1, 6, 200)
    b = np.clip(a + rng.integers(-1, 2, 200), 1, 5)
    clusters = np.repeat(np.arange(50), 4)
    of_numbers = ag.clustered_agreement(a.astype(float), b, clusters, resamples=300)
    of_names = ag.clustered_agreement(a.astype(str), b.astype(str), clusters, resamples=300)
    for found, weights, level in (
        (of_numbers, "quadratic", "interval"),
        (of_names, None, "nominal"),
    ):
        alpha = krippendorff.alpha(
            reliability_data=np.array([a, b], dtype=float), level_of_measurement=level
        )
        kappa = cohen_kappa_score(a, b, weights=weights)
        assert found["percent_agreement"].value == pytest.approx((a == b).mean())
        assert found["cohen_kappa"].value == pytest.approx(kappa)
        assert found["krippendorff_alpha"].value == pytest.approx(alpha)
        assert all(one.ci_low < one.value < one.ci_high and one.n == 200 for one in found.values())
    alone = ag.bootstrap_agreement(a, b, range(1, 6), resamples=2000)
    single = ag.clustered_agreement(a.astype(str), b.astype(str), resamples=2000)
    for name, one in single.items():
        assert one.value == pytest.approx(alone[name].value)
        assert one.ci_low == pytest.approx(alone[name].ci_low, abs=0.02)
        assert one.ci_high == pytest.approx(alone[name].ci_high, abs=0.02)


def test_units_that_repeat_within_clusters_say_no_more():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, 40)).astype(float)
    once = ag.clustered_agreement(a, b, resamples=2000)
    often = ag.clustered_agreement(
        np.repeat(a, 10), np.repeat(b, 10), np.repeat(np.arange(40), 10), resamples=2000
    )
    ignored = ag.clustered_agreement(np.repeat(a, 10), np.repeat(b, 10), resamples=2000)

    def width(found):
        return found["percent_agreement"].ci_high - found["percent_agreement"].ci_low

    assert width(often) == pytest.approx(width(once), rel=0.1)
    assert width(ignored) < width(once) / 2


def test_coders_who_all_say_one_thing_have_a_share_and_nothing_beyond_chance():
    found = ag.clustered_agreement(["yes"] * 20, ["yes"] * 20, resamples=100)
    share = found["percent_agreement"]
    exact = stats.binomtest(20, 20).proportion_ci().low
    assert (share.value, share.ci_high) == (1.0, 1.0) and share.ci_low == pytest.approx(exact)
    assert np.isnan(found["cohen_kappa"].value) and np.isnan(found["krippendorff_alpha"].value)
    one = ag.clustered_agreement([1.0, 2.0], [1.0, 1.0], ["c", "c"], resamples=100)
    assert one["percent_agreement"].value == 0.5 and np.isnan(one["percent_agreement"].ci_low)
    with pytest.raises(ValueError, match="pair them up"):
        ag.clustered_agreement([1.0], [1.0, 2.0])
