"""Looks at a study that may stop: rules, blocks of whole clusters, and what each look counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.design import betting
from dissensus.design.looks import anytime_rows, looks_of, paired_differences
from dissensus.design.manifest import in_blocks
from dissensus.design.pairs import Columns
from dissensus.design.stopping import ANYTIME, DIFFERENCES, GO_ON, STOP, Rule, stopped_after
from dissensus.design.weights import Contrast
from made_frames import frame_of

BY_ALPHA, BY_WIDTH = Rule(None, 0.05, 0.95), Rule(0.5, None, 0.95)


def differences(
    values: Any,
    block_size: int,
    clusters: Any = None,
    contrast: str = "b-a",
    bound: float | None = None,
) -> pd.DataFrame:
    """Differences of draws in their order."""
    rows = [
        {
            **{"contrast": contrast, "arm": contrast[0], "reference": contrast[-1]},
            **{"outcome": "y", "draw_id": f"d{place:03d}", "block": place // block_size + 1},
            "cluster": str(place if clusters is None else clusters[place]),
            "difference": None if value is None else float(value),
            "bound": bound,
        }
        for place, value in enumerate(values)
    ]
    return frame_of(DIFFERENCES, rows)


def test_it_stops_at_the_first_look_that_has_what_is_asked_for() -> None:
    looks = looks_of(differences(np.linspace(0.9, 1.1, 40), 5), BY_ALPHA)
    verdicts = [row["verdict"] for row in looks]
    assert verdicts == [GO_ON] * (len(looks) - 1) + [STOP] and len(looks) < 8
    assert [row["p_value"] <= 0.05 for row in looks] == [v == STOP for v in verdicts]
    assert stopped_after(looks) == len(looks)
    assert [row["draws"] for row in looks] == [5 * (k + 1) for k in range(len(looks))]
    narrow = looks_of(differences(np.linspace(-0.2, 0.2, 40), 5), BY_WIDTH)
    assert narrow[-1]["verdict"] == STOP
    assert narrow[-1]["ci_high"] - narrow[-1]["ci_low"] <= 1.0
    assert stopped_after(looks_of(differences([1, -1] * 20, 5), BY_ALPHA)) is None
    assert looks_of(differences([], 5), BY_ALPHA) == []


def test_a_bound_that_differences_have_is_bet_on() -> None:
    """Of few and large differences, bets allow what sign flips that are symmetric do not."""
    values = [0.1] * 36 + [-0.9] * 4
    rows = looks_of(differences(values, 40, bound=1.0), BY_ALPHA)
    assert np.exp(betting.evidence(np.array(values), 1.0, 0.0)) == pytest.approx(rows[0]["e_value"])
    assert rows[0]["e_value"] != looks_of(differences(values, 40), BY_ALPHA)[0]["e_value"]


def test_the_bound_is_the_width_of_the_outcome_times_the_weights_of_a_side() -> None:
    metrics = pd.DataFrame({"draw_id": [1, 1, 1], "arm": ["a", "b", "c"], "complete": True,
                            "topic_id": 1, "y": [1.0, 5.0, 5.0]})  # fmt: skip
    compared = [Contrast.of("b", "a"), Contrast("x", {"b": 1.0, "c": 1.0, "a": -2.0})]
    rows = paired_differences(metrics, compared, "y", Columns(), {1: 1}, (1.0, 5.0))
    assert [(row["difference"], row["bound"]) for row in rows] == [(4.0, 4.0), (8.0, 8.0)]
    assert paired_differences(metrics, compared, "y", Columns(), {1: 1})[0]["bound"] is None


def test_every_headline_contrast_must_be_known() -> None:
    known, open_ = differences([1.0] * 40, 5), differences([1, -1] * 20, 5, contrast="c-a")
    assert stopped_after(looks_of(known, BY_ALPHA)) == 2
    both = looks_of(pd.concat([known, open_]), BY_ALPHA)
    assert stopped_after(both) is None and len(both) == 16
    rows = {row["contrast"]: row for row in anytime_rows(both)}
    assert [(row["method"], row["headline"]) for row in rows.values()] == [(ANYTIME, True)] * 2
    # Holm's over the two of them.
    assert rows["b-a"]["p_adjusted"] == pytest.approx(2 * rows["b-a"]["p_value"])
    assert rows["c-a"]["p_adjusted"] == rows["c-a"]["p_value"]
    assert rows["b-a"]["estimate"] == 1.0 and rows["b-a"]["n"] == 40


@pytest.mark.parametrize("bound", [None, 4.0])
def test_limits_of_several_contrasts_hold_together(bound: float | None) -> None:
    """Bonferroni: those of two contrasts at 95% are those of one contrast at 97.5%."""
    values = np.random.default_rng(2).normal(0.3, 0.5, 40).clip(-2, 2)
    pair = [differences(values, 10, bound=bound, contrast=name) for name in ("b-a", "c-a")]
    both = looks_of(pd.concat(pair), Rule(None, 1e-9, 0.95))
    alone = looks_of(pair[0], Rule(None, 1e-9, 0.975))
    of_one = [row for row in both if row["contrast"] == "b-a"]
    limits = [(row["family_low"], row["family_high"]) for row in of_one]
    assert limits == [(row["ci_low"], row["ci_high"]) for row in alone]
    last = of_one[-1]
    assert last["family_low"] < last["ci_low"] < last["ci_high"] < last["family_high"]
    (row,) = [row for row in anytime_rows(both) if row["contrast"] == "b-a"]
    assert (row["family_low"], row["family_high"]) == limits[-1]
    without = looks_of(pd.concat(pair), Rule(None, 1e-9, 0.95), together=False)
    assert {row["family_low"] for row in without} == {None}


def test_what_ends_a_study_of_several_contrasts_is_significant_after_holm() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.7, 1.0, 60)
    others = values + rng.normal(0.0, 0.1, 60)
    pairs = [differences(values, 2), differences(others, 2, contrast="c-a")]
    # All evidence that there is, by a rule that ends no study.
    every = pd.DataFrame(looks_of(pd.concat(pairs), Rule(None, 1e-9, 0.95)))
    at_look = every.pivot(index="block", columns="contrast", values="p_value")
    low, high = at_look.min(axis=1), at_look.max(axis=1)
    last = stopped_after(looks := looks_of(pd.concat(pairs), BY_ALPHA))
    # Holm (1979): twice the smaller of two, and the larger, are 0.05 at most.
    assert last == at_look.index[(2 * low <= 0.05) & (high <= 0.05)].min()
    assert last > at_look.index[high <= 0.05].min()
    assert all(row["p_adjusted"] <= 0.05 for row in anytime_rows(looks))


def test_a_cluster_counts_by_its_first_block_and_a_lost_pair_by_nothing() -> None:
    values = [1.0, 3.0, None, 2.0, 100.0, 5.0]
    (_, last) = looks_of(differences(values, 3, ["a", "a", "b", "c", "a", "d"]), BY_ALPHA)
    # The sign of a is known after the first look: what it has in the second is no fair coin.
    assert (last["n"], last["n_clusters"], last["draws"]) == (4, 3, 6)
    assert last["estimate"] == pytest.approx((1.0 + 3.0 + 2.0 + 5.0) / 4)
    lost = looks_of(differences([None] * 6, 3), BY_ALPHA)
    assert [(row["estimate"], row["e_value"], row["n"]) for row in lost] == [(None, 1.0, 0)] * 2


@settings(max_examples=15)
@given(st.lists(st.floats(-5, 5), min_size=8, max_size=30), st.integers(4, 8), st.data())
def test_looks_depend_on_nothing_that_comes_after_them(
    values: list[float], size: int, data: st.DataObject
) -> None:
    clusters = data.draw(st.lists(st.integers(0, 9), min_size=40, max_size=40))
    whole = differences(values, size, clusters)
    every = looks_of(whole, BY_ALPHA)
    for row in every:
        so_far = looks_of(whole[whole["block"] <= row["block"]], BY_ALPHA)
        assert so_far[-1] == row
    # A row of the file that comes in another order is the same row.
    assert looks_of(whole.sample(frac=1, random_state=1), BY_ALPHA) == every


@given(st.lists(st.integers(1, 6), max_size=30), st.integers(1, 10))
def test_blocks_hold_whole_clusters_and_are_filled(sizes: list[int], least: int) -> None:
    blocks = in_blocks(sizes, least)
    assert blocks == sorted(blocks) and set(blocks) == set(range(1, len(set(blocks)) + 1))
    for block in set(blocks) - {max(blocks, default=0)}:
        inside = [size for size, own in zip(sizes, blocks, strict=True) if own == block]
        assert sum(inside) >= least > sum(inside[:-1])
    for more in range(len(sizes)):
        assert in_blocks(sizes[:more], least) == blocks[:more]


def test_a_pair_is_the_difference_of_a_draw() -> None:
    arms = ["a", "b"] * 3
    metrics = pd.DataFrame(
        {
            "draw_id": ["d1", "d1", "d2", "d2", "d3", "d3"],
            "topic_id": ["t", "t", "t", "t", "u", "u"],
            "arm": arms,
            "complete": [True] * 5 + [False],
            "y": [1.0, 4.0, 2.0, 1.0, 0.0, 9.0],
        }
    )
    blocks = {"d1": 1, "d2": 1, "d3": 2}
    rows = paired_differences(metrics, [Contrast.of("b", "a")], "y", Columns(), blocks)
    assert [row["difference"] for row in rows] == [3.0, -1.0, None]
    assert [(row["block"], row["cluster"]) for row in rows] == [(1, "t"), (1, "t"), (2, "u")]
    assert paired_differences(metrics.head(0), [Contrast.of("b", "a")], "y", Columns(), {}) == []


def test_what_rounding_leaves_is_no_evidence() -> None:
    """0.1 + 0.2 and 0.3 differ by the same residue, with the same sign, in every draw."""
    names = [f"d{number:02d}" for number in range(20)]
    metrics = pd.DataFrame(
        {
            "draw_id": [name for name in names for _ in "ab"],
            "topic_id": [name for name in names for _ in "ab"],
            "arm": ["a", "b"] * 20,
            "complete": True,
            "y": [0.3, 0.1 + 0.2] * 20,
        }
    )
    rows = paired_differences(
        metrics, [Contrast.of("b", "a")], "y", Columns(), dict.fromkeys(names, 1)
    )
    assert {row["difference"] for row in rows} == {0.0}
    (look,) = looks_of(pd.DataFrame(rows), BY_ALPHA)
    assert (look["estimate"], look["e_value"], look["verdict"]) == (0.0, 1.0, GO_ON)
