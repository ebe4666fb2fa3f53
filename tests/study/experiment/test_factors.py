"""How the levels of factors come to the draws of an experiment."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.design.manifest import stream
from dissensus.errors import SettingError
from dissensus.study.experiment import Factor
from dissensus.study.experiment.drawing import draw_sessions, manifest_schema
from panel_study import declared

CROSSED, BALANCED = Factor((1, 3, 6), "crossed"), Factor(("ab", "ba"), "balanced")
ITEMS = ["i1", "i2", "i3", "i4"]


def draws(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({row["draw_id"]: row for row in rows}.values())


@given(repeats=st.integers(1, 3), seed=st.integers(0, 2**40))
def test_crossed_levels_come_with_every_item_in_every_arm(repeats: int, seed: int) -> None:
    factors = {"dose": CROSSED, "side": Factor(("for", "against"), "crossed")}
    rows = draw_sessions(ITEMS, ["a", "b"], factors, repeats, 5, seed)
    cells = Counter((row["item_id"], row["dose"], row["side"], row["arm"]) for row in rows)
    every = product(ITEMS, (1, 3, 6), ("for", "against"), ("a", "b"))
    assert cells == dict.fromkeys(every, repeats)
    # All arms of a draw share its levels.
    per_draw = Counter((row["draw_id"], row["item_id"], row["dose"], row["side"]) for row in rows)
    assert set(per_draw.values()) == {2} and len(per_draw) == 24 * repeats
    assert {type(row["dose"]) for row in rows} == {int}


@given(turns=st.integers(1, 3), seed=st.integers(0, 2**40))
def test_balanced_levels_are_as_often_over_an_items_repeats(turns: int, seed: int) -> None:
    factors = {"dose": CROSSED, "order": BALANCED, "side": Factor(("x", "y", "z"))}
    repeats = 2 * turns
    drawn = draws(draw_sessions(ITEMS, ["a", "b"], factors, repeats, 5, seed))
    cells = Counter((row["item_id"], row["dose"], row["order"]) for row in drawn)
    assert cells == dict.fromkeys(product(ITEMS, (1, 3, 6), ("ab", "ba")), turns)


def test_the_order_of_balanced_levels_is_random() -> None:
    rows = draw_sessions(map(str, range(2000)), ["a"], {"order": BALANCED}, 2, 5, 7)
    first = {row["item_id"]: row["order"] for row in reversed(draws(rows))}
    # Three standard errors of a fair coin.
    assert abs(Counter(first.values())["ab"] - 1000) < 3 * (2000 / 4) ** 0.5


@given(seed=st.integers(0, 2**40), more=st.integers(1, 2))
def test_more_repeats_and_more_items_keep_the_draws(seed: int, more: int) -> None:
    factors = {"dose": CROSSED, "order": BALANCED, "side": Factor(("for", "against"))}
    some = draw_sessions(ITEMS, ["a", "b"], factors, 2, 5, seed)
    again = draw_sessions(ITEMS, ["a", "b"], factors, 2 + 2 * more, 5, seed)
    assert all(row in again for row in some)
    once = {"dose": CROSSED}
    few = draw_sessions(ITEMS, ["a", "b"], once, 1, 5, seed)
    many = draw_sessions([*ITEMS, "i5"], ["a", "b"], once, 1, 5, seed)
    assert all(row in many for row in few)


def test_drawn_levels_are_those_of_every_run_before() -> None:
    levels = ("right", "wrong", "none")
    rows = draws(draw_sessions(ITEMS * 9, ["a"], {"first": Factor(levels)}, 1, 5, 11))
    before = [str(stream(11, "first", index).choice(list(levels))) for index in range(36)]
    assert [row["first"] for row in rows] == before and set(before) == set(levels)


def test_the_column_of_a_factor_is_of_its_levels() -> None:
    factors = {"dose": CROSSED, "share": Factor((0, 0.5)), "side": Factor(("for", "against"))}
    columns = manifest_schema(factors).columns
    assert [columns[name].kind for name in factors] == ["int", "float", "string"]
    assert columns["side"].meaning == "Drawn at random for each draw: for, against."
    (row, *_) = draw_sessions(["i"], ["a"], {"share": Factor((0, 0.5), "crossed")}, 1, 5, 1)
    assert isinstance(row["share"], float)


def test_repeats_that_cannot_be_balanced_are_a_sentence() -> None:
    study = declared(
        factors={"order": BALANCED},
        items=lambda self, rng: [],
        debate=lambda self, session: [],
        measure=lambda self, turns, item: {},
    )
    made = study(study.Settings.model_validate({"model": "m", "repeats": 3}))
    with pytest.raises(SettingError) as caught:
        made.check_settings()
    assert str(caught.value) == (
        "x.repeats holds 3, and order is balanced over an item's repeats; it must be a multiple "
        "of 2, the number of its levels."
    )
    study(study.Settings.model_validate({"model": "m", "repeats": 4})).check_settings()


def test_an_empty_text_is_a_level_with_a_name() -> None:
    factor = Factor(("", "Think."))
    assert factor.fault == "" and factor.names == ("(empty)", "Think.")
    study = declared(factors={"hint": factor})
    assert study.levels()["hint"] == ("", "Think.")
