"""Superlatives with their ties, and headlines that are picked among several, where nothing is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.design.contrasts import contrast_row, limit_together, robust_mean
from dissensus.design.pairs import Pairs
from dissensus.report.claims.ranked import Ranked, is_found, moved, picked, spread, together

ARMS, STATEMENTS, ALPHA = 11, 18, 0.05


def row(name: str, estimate: float, half: float, **more: Any) -> dict[str, Any]:
    ends = {"ci_low": estimate - half, "ci_high": estimate + half}
    return {"arm": name, "estimate": estimate, **ends, **more}


def said(ranked: Ranked) -> str:
    return ranked.words(lambda one: f"{one['arm']} {one['estimate']:g}", lambda one: one["arm"])


def test_equal_estimates_are_named_together_and_no_arm_is_the_most_alone() -> None:
    rows = [row("a", 1.0, 0.02), row("b", 0.889, 0.02), row("c", 1.0, 0.01)]
    assert said(Ranked.most(rows)) == "a 1 and c 1"
    assert said(Ranked.least(rows)) == "b 0.889"


def test_what_intervals_do_not_tell_from_the_first_is_named_beside_it() -> None:
    # By hand: the gap .1 is below sqrt(.08^2 + .08^2) = .113, and .3 is above it.
    rows = [row("a", 0.9, 0.08), row("b", 0.8, 0.08), row("c", 0.6, 0.08)]
    assert said(Ranked.most(rows)) == "a 0.9 (no clear difference from b)"
    assert said(Ranked.least(rows)) == "c 0.6"
    wide = [row("a", 0.9, 0.5), row("b", 0.8, 0.5)]
    assert said(Ranked.most(wide)) == "a 0.9 (no clear difference from any of the others)"
    assert said(Ranked.most([])) == ""


def test_the_largest_of_both_signs_is_compared_on_its_own_side() -> None:
    rows = [row("a", -0.9, 0.05), row("b", 0.85, 0.05), row("c", 0.1, 0.05)]
    assert said(Ranked.largest(rows)) == "a -0.9 (possibly as large, with the other sign: b)"


def test_ends_of_several_are_never_taken_for_all_of_them() -> None:
    def words(one: dict[str, Any]) -> str:
        return f"{one['estimate']:g} in {one['arm']}"

    rows = [row("b", 0.9, 0.1), row("a", 0.4, 0.1), row("none", float("nan"), 0.1)]
    assert spread(rows, words) == "0.4 in a and 0.9 in b"
    assert spread([*rows, row("c", 0.5, 0.1)], words) == "from 0.4 in a to 0.9 in b"
    assert spread(rows[:1], words) == "0.9 in b" and spread([], words) == ""


def test_without_limits_nothing_is_told() -> None:
    rows = [row("a", 2.0, float("nan")), row("b", 1.0, 0.1)]
    assert said(Ranked.most(rows)) == "a 2 (no clear difference from any of the others)"


def test_limits_of_the_family_are_those_of_a_sentence_that_picks() -> None:
    one = row("a", 0.3, 0.1, family_low=-0.1, family_high=0.7, p_adjusted=0.001)
    assert (together(one)["ci_low"], together(one)["ci_high"]) == (-0.1, 0.7)
    assert not is_found(one, ALPHA)
    assert is_found(row("a", 0.3, 0.1, p_adjusted=0.001), ALPHA)
    assert moved(one, "IBC", grows="grows", falls="falls") == "IBC is not found to change"
    assert moved(row("a", -0.3, 0.1), "IBC", grows="grows", falls="falls") == "IBC falls"


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8), st.floats(0.001, 1))
def test_the_most_is_never_less_than_any_other(values: list[float], half: float) -> None:
    rows = [row(str(place), value, half) for place, value in enumerate(values)]
    ranked = Ranked.most(rows)
    assert {one["estimate"] for one in ranked.first} == {max(values)}
    assert len(ranked.first) + len(ranked.near) + ranked.others == len(values)


def compared(rng: np.random.Generator, effect: float = 0.0) -> list[dict[str, Any]]:
    """The headline of a study of equal arms, as stages write it; shares of four agents."""
    chance = rng.beta(4, 2, (1, STATEMENTS))
    agreed = rng.binomial(4, np.broadcast_to(chance, (ARMS + 1, STATEMENTS))) / 4
    agreed[1] = np.minimum(agreed[1] + effect, 1.0)
    clusters = np.arange(STATEMENTS).astype(str)
    rows = []
    for arm in range(1, ARMS + 1):
        pairs = Pairs(agreed[arm], agreed[0], clusters)
        mean = robust_mean(pairs.differences, clusters, 1 - ALPHA)
        made = contrast_row("agreement", str(arm), "debate", "cluster_robust", mean, True)
        rows.append((made, pairs))
    limit_together(rows, 1 - ALPHA)
    return [made for made, _ in rows]


@pytest.mark.thorough
def test_the_largest_of_equal_arms_is_found_in_five_per_cent_and_covered_in_the_rest() -> None:
    rng, studies = np.random.default_rng(20251201), 1000
    found = covered = alone = 0
    for _ in range(studies):
        rows = compared(rng)
        most = picked(rows, ALPHA)
        assert most is not None
        found += is_found(most, ALPHA)
        largest = max(rows, key=lambda each: abs(each["estimate"]))
        covered += together(largest)["ci_low"] <= 0.0 <= together(largest)["ci_high"]
        alone += largest["ci_low"] <= 0.0 <= largest["ci_high"]
    # Three standard errors of simulation at 5% are .021.
    assert found / studies <= ALPHA + 0.021
    assert covered / studies >= 1 - ALPHA - 0.021
    # What a headline without it would say: too narrow by far.
    assert alone / studies < 0.9


@pytest.mark.thorough
def test_an_effect_that_is_there_is_picked_and_found() -> None:
    rng = np.random.default_rng(3)
    studies = [picked(compared(rng, effect=0.75), ALPHA) for _ in range(50)]
    assert sum(most is not None and most["arm"] == "1" for most in studies) == 50
    assert sum(most is not None and is_found(most, ALPHA) for most in studies) >= 45


def test_the_limits_of_one_contrast_alone_are_its_own() -> None:
    clusters = np.array(list("abcd"))
    pairs = Pairs(np.array([0.5, 0.6, 0.9, 0.4]), np.zeros(4), clusters)
    made = contrast_row("x", "a", "b", "m", robust_mean(pairs.differences, clusters, 0.9), True)
    limit_together([(made, pairs)], 0.9)
    assert (made["family_low"], made["family_high"]) == pytest.approx(
        (made["ci_low"], made["ci_high"])
    )


def test_contrasts_that_share_a_reference_are_told_apart_in_their_own_draws() -> None:
    """The reference varies much, and both contrasts with it: what they differ by does not."""
    rng = np.random.default_rng(5)
    clusters = np.arange(STATEMENTS).astype(str)
    reference, arms = rng.normal(0, 1.0, STATEMENTS), rng.normal(0, 0.1, (3, STATEMENTS))
    arms += np.array([[1.0], [0.6], [0.98]]) - arms.mean(axis=1, keepdims=True)
    main = []
    for name, values in zip("abc", arms, strict=True):
        pairs = Pairs(values, reference, clusters)
        mean = robust_mean(pairs.differences, clusters, 0.95)
        main.append((contrast_row("y", name, "r", "cluster_robust", mean, True), pairs))
    limit_together(main, 0.95)
    rows = [row for row, _ in main]
    assert [row["alike"] for row in rows] == [["c-r"], [], ["a-r"]]
    words = Ranked.most(rows).words(lambda one: str(one["arm"]), lambda one: str(one["arm"]))
    assert words == "a (no clear difference from c)"
    # By their limits as of independent ones, nothing would be told from the first.
    bare = [{name: row[name] for name in row if name != "alike"} for row in rows]
    assert Ranked.most(bare).others == 0
