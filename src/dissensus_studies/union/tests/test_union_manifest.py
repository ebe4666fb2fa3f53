"""The manifest: paired arms, orders and lenses drawn fairly, and nothing that moves by itself."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from dissensus.tables.artefact import read, write

from ..design.manifest import draw
from ..tables import MANIFEST

MOTIONS = {
    name: {
        "motion_id": name,
        "motion": name,
        "about": "",
        "proposition": [f"P{n}" for n in range(sides)],
        "opposition": [f"O{n}" for n in range(sides)],
        "students": ["P0", "P1"],
    }
    for name, sides in (("one", 3), ("two", 2))
}
SETTINGS: dict[str, Any] = {
    **{"epochs": 4, "runs": 5, "arms": ["coached", "control"]},
    "map.namer": None,
}
#: Far below any p of a sound draw with this fixed seed, far above that of an unsound one.
ALPHA = 1e-4


def debates(rows: list[dict[str, Any]], motion: str = "one") -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] == "debate" and row["motion_id"] == motion]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return draw(MOTIONS, SETTINGS, 7)


@pytest.fixture(scope="module")
def many() -> list[dict[str, Any]]:
    return debates(draw(MOTIONS, {**SETTINGS, "runs": 600, "arms": ["coached"]}, 7))


def even(values: list[Any], cells: int) -> float:
    counts = Counter(values)
    assert len(counts) == cells
    return float(chisquare(list(counts.values())).pvalue)


def test_there_is_every_session_and_no_other(rows: list[dict[str, Any]]):
    expected = []
    for motion in MOTIONS:
        expected += [f"{motion}-e0-style"]
        expected += [f"{motion}-e{epoch}-memo" for epoch in (2, 3, 4)]
        expected += [
            f"{motion}-e{epoch}-r{run:02d}-{arm}"
            for epoch in (1, 2, 3, 4)
            for run in range(1, 6)
            for arm in ("coached", "control")
        ]
    assert [row["session_id"] for row in rows] == sorted(expected)


def test_the_manifest_is_what_was_written(rows: list[dict[str, Any]], tmp_path: Path):
    write(tmp_path / "manifest.parquet", MANIFEST, rows, {})
    assert read(tmp_path / "manifest.parquet", MANIFEST).to_pylist() == rows
    assert rows == draw(MOTIONS, SETTINGS, 7)


def test_what_is_no_debate_has_no_order_of_speeches(rows: list[dict[str, Any]]):
    others = {row["session_id"]: row for row in rows if row["kind"] != "debate"}
    style, memo = others["two-e0-style"], others["two-e3-memo"]
    assert (style["kind"], style["arm"], style["epoch"], style["run"]) == ("style", "shared", 0, 0)
    assert (memo["kind"], memo["arm"], memo["epoch"], memo["run"]) == ("memo", "coached", 3, 0)
    assert (style["order"], style["lenses"]) == ([], [])
    assert (memo["order"], memo["lenses"]) == (["P0", "P1"], [])


def test_both_arms_of_a_draw_have_all_but_their_seed_alike(rows: list[dict[str, Any]]):
    pairs: dict[str, list[dict[str, Any]]] = {}
    for row in debates(rows):
        pairs.setdefault(row["draw_id"], []).append(row)
    assert len(pairs) == 20
    own = {"session_id", "arm", "position", "seed"}
    for draw_id, (one, other) in pairs.items():
        assert draw_id == f"one-e{one['epoch']}-r{one['run']:02d}"
        assert {name for name in one if one[name] != other[name]} == own
    assert len({row["seed"] for row in rows}) == len(rows)
    assert len({row["draw_seed"] for row in rows}) == len({row["draw_id"] for row in rows})


def test_a_block_is_an_epoch_of_a_motion(rows: list[dict[str, Any]]):
    blocks = {(row["motion_id"], row["epoch"]): row["block"] for row in rows}
    assert sorted(blocks.values()) == list(range(1, 11))
    assert all(row["block"] == blocks[row["motion_id"], row["epoch"]] for row in rows)
    assert [blocks["one", epoch] for epoch in range(5)] == [1, 3, 5, 7, 9]


def test_sides_take_turns_and_everybody_speaks_once(rows: list[dict[str, Any]]):
    for motion, sides in (("one", 3), ("two", 2)):
        for row in debates(rows, motion):
            assert "".join(name[0] for name in row["order"]) == "PO" * sides
            assert len(set(row["order"])) == len(row["lenses"]) == 2 * sides


def test_orders_are_drawn_uniformly_on_each_side_and_apart(many: list[dict[str, Any]]):
    sides = [(tuple(row["order"][::2]), tuple(row["order"][1::2])) for row in many]
    assert set(sides[0][0]) == {"P0", "P1", "P2"}
    assert {first for first, _ in sides} == set(permutations(["P0", "P1", "P2"]))
    assert even(sides, 36) > ALPHA


def test_lenses_are_drawn_uniformly_and_apart(many: list[dict[str, Any]]):
    lenses = [lens for row in many for lens in row["lenses"]]
    assert set(lenses) == set("01234567")
    assert even(lenses, 8) > ALPHA
    assert even([tuple(row["lenses"][:2]) for row in many], 64) > ALPHA
    by_speaker = [
        (name, lens) for row in many for name, lens in zip(row["order"], row["lenses"], strict=True)
    ]
    assert even(by_speaker, 48) > ALPHA


@pytest.mark.parametrize(
    ("motions", "settings"),
    [
        (["one", "two"], {"runs": 150}),
        (["one", "two"], {"epochs": 12}),
        (["one", "two"], {"arms": ["control", "coached"]}),
    ],
)
def test_a_run_or_an_epoch_more_changes_nothing_else(
    rows: list[dict[str, Any]], motions: list[str], settings: dict[str, Any]
):
    more = draw({name: MOTIONS[name] for name in motions}, {**SETTINGS, **settings}, 7)
    known = {row["session_id"]: row for row in more}
    assert [known[row["session_id"]] for row in rows] == rows
    assert [row["session_id"] for row in more] == sorted(known)


def test_a_motion_or_an_arm_less_changes_no_draw(rows: list[dict[str, Any]]):
    kept = ("order", "lenses", "draw_seed", "seed")
    known = {row["session_id"]: [row[name] for name in kept] for row in rows}
    alone = draw({"two": MOTIONS["two"]}, {**SETTINGS, "arms": ["control"]}, 7)
    assert {row["kind"] for row in alone} == {"style", "debate"}
    assert len(alone) == 21
    for row in alone:
        assert [row[name] for name in kept] == known[row["session_id"]]


def test_another_seed_draws_another_manifest(rows: list[dict[str, Any]]):
    other = draw(MOTIONS, SETTINGS, 8)
    for name in ("order", "lenses", "draw_seed", "seed"):
        assert [row[name] for row in other] != [row[name] for row in rows]


def test_a_namer_has_a_session_for_each_motion_after_all_others(rows: list[dict[str, Any]]):
    named = draw(MOTIONS, {**SETTINGS, "map.namer": "somebody"}, 7)
    assert [row for row in named if row["kind"] != "names"] == rows
    late = [row for row in named if row["kind"] == "names"]
    assert [row["session_id"] for row in late] == ["one-e0-names", "two-e0-names"]
    assert [row["block"] for row in late] == [max(row["block"] for row in rows) + n for n in (1, 2)]
    assert {(row["arm"], row["epoch"], row["run"]) for row in late} == {("shared", 0, 0)}
