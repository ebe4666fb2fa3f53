"""Strategies against a debate: by hand, and beside scipy's bootstrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import bootstrap

from dissensus.design.equal_tokens import Spent, Strategy, compare_strategies

HOW: dict[str, Any] = {"confidence": 0.95, "resamples": 4000, "seed": 3}


def strategy(name: str, scores: Any, tokens: Any) -> Strategy:
    """A strategy whose questions all take the same tokens, and no dollars that are known."""
    array = np.asarray(scores, dtype=np.float64)
    spent = np.broadcast_to(np.asarray(tokens, dtype=np.float64), array.shape)
    calls = np.arange(1.0, array.shape[1] + 1)
    return Strategy(name, calls, array, spent, np.full(array.shape, np.nan))


def test_differences_are_paired_by_question_as_scipy_has_them() -> None:
    rng = np.random.default_rng(1)
    debate, alone = (rng.random((60, 2)) < share for share in (0.7, 0.5))
    both = (strategy("debate", debate, [10, 30]), strategy("alone", alone, [10, 20]))
    rows = compare_strategies(both, np.arange(60), **HOW)
    assert [(row["strategy"], row["step"], row["compared"]) for row in rows] == [
        ("debate", 0, False),
        ("debate", 1, False),
        ("alone", 0, False),
        ("alone", 1, True),
    ]
    gains = debate[:, 1].astype(float) - alone[:, 1]
    row = rows[-1]
    assert row["estimate"] == pytest.approx(gains.mean())
    limits = bootstrap((gains,), np.mean, method="percentile", random_state=1).confidence_interval
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(limits), abs=0.02)
    assert row["accuracy"] == pytest.approx(alone[:, 1].mean())
    assert rows[1]["accuracy"] == pytest.approx(debate[:, 1].mean())
    assert row["usd"] is None and row["p_adjusted"] == row["p_value"]
    assert rows[0]["estimate"] is None


def test_a_strategy_is_compared_where_it_has_spent_no_more_than_the_debate() -> None:
    debate = strategy("debate", [[1], [0], [1]], [100])
    under = strategy("under", [[0, 1, 1]] * 3, [40, 100, 101])
    over = strategy("over", [[0, 1]] * 3, [150, 300])
    rows = compare_strategies([debate, under, over], np.arange(3), **HOW)
    assert [(r["strategy"], r["step"]) for r in rows if r["compared"]] == [
        ("under", 1),
        ("over", 0),
    ]


def test_only_questions_that_all_completed_count() -> None:
    debate = strategy("debate", [[1], [1], [np.nan], [0]], [5])
    other = strategy("other", [[0], [np.nan], [1], [0]], [5])
    rows = compare_strategies([debate, other], np.array(list("aabb")), **HOW)
    assert {(row["n"], row["n_clusters"]) for row in rows} == {(2, 2)}
    assert rows[1]["estimate"] == 0.5
    none = strategy("none", [[np.nan]] * 4, [5])
    assert compare_strategies([debate, none], np.arange(4), **HOW) == []


def test_no_difference_is_seldom_found_and_topics_are_drawn_whole() -> None:
    rng = np.random.default_rng(2)
    found = 0
    for seed in range(100):
        # Two draws of a topic have the same answers: half as many of them are independent.
        debate, other = np.repeat(rng.random((2, 30, 1)) < 0.5, 2, axis=1).astype(float)
        both = (strategy("debate", debate, [1]), strategy("other", other, [1]))
        how = HOW | {"resamples": 199, "seed": seed}
        found += compare_strategies(both, np.repeat(np.arange(30), 2), **how)[1]["p_value"] < 0.05
    assert 1 <= found <= 13


def test_what_a_session_spends_is_added_up_step_by_step() -> None:
    spent = Spent(
        {"session_id": name, "turn": turn, "input_tokens": 10, "output_tokens": turn}
        | {"cost_usd": usd, "faults_usd": 0.5}
        for name, turn, usd in (("a", 1, 1.0), ("a", 1, 1.0), ("a", 2, 2.0), ("b", 4, None))
    )
    assert spent.until("a", 2).tolist() == [[22.0, 34.0], [3.0, 5.5]]
    # A judge's turn counts with the debaters' before it.
    assert spent.until("a", 1).tolist() == [[34.0], [5.5]]
    assert spent.until("b", 1)[0] == [14.0] and np.isnan(spent.until("b", 1)[1, 0])
    assert spent.until("none", 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_an_accuracy_of_all_is_not_certain() -> None:
    debate, other = strategy("debate", [[1]] * 9, [5]), strategy("other", [[0]] * 9, [5])
    least = 0.025 ** (1 / 9)
    all_right, none = compare_strategies([debate, other], np.arange(9), **HOW)
    assert (all_right["accuracy_low"], all_right["accuracy_high"]) == pytest.approx((least, 1.0))
    assert (none["accuracy_low"], none["accuracy_high"]) == pytest.approx((0.0, 1 - least))
