"""Topics as they are read, and the manifest: drawn once, as the design says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from scipy.stats import chisquare

from dissensus.tables.artefact import read, read_by, write

from ..design.manifest import MANIFEST, Drawing, draw_manifest
from ..design.topics import TOPICS, read_topics
from .deliberation_sessions import TOPICS as FILE

#: Five topics, three with a truth.
POOL = [
    {"topic_id": f"topic-{n}", "options": ["a", "b", "c"], "truth": "b" if n < 3 else ""}
    for n in range(5)
]
DRAWING = Drawing(
    seed=7,
    draws=20,
    block_size=6,
    rounds=5,
    panel=("m1", "m2", "m3"),
    judges=("j1", "j2"),
    arms=("emergent", "crit", "one_target"),
)
MANY = 2000
#: Far below any p of a sound draw with these fixed seeds, far above that of an unsound one.
ALPHA = 1e-4


@pytest.fixture(scope="module")
def many() -> list[dict[str, Any]]:
    rows = draw_manifest(POOL, replace(DRAWING, draws=MANY))
    return [row for row in rows if row["arm"] == "crit"]


def even(values: list[Any], cells: int) -> float:
    counts = Counter(values)
    assert len(counts) == cells
    return float(chisquare(list(counts.values())).pvalue)


def test_every_draw_is_held_once_in_every_arm():
    rows = draw_manifest(POOL, DRAWING)
    assert [row["session_id"] for row in rows] == sorted(
        f"t{draw:03d}-{arm}" for draw in range(1, 21) for arm in DRAWING.arms
    )
    shared = set(MANIFEST.columns) - {"session_id", "arm", "position", "seed"}
    for draw in {row["draw_id"] for row in rows}:
        held = [row for row in rows if row["draw_id"] == draw]
        for name in shared:
            assert all(row[name] == held[0][name] for row in held)
        in_order = sorted(held, key=lambda row: row["position"])
        assert ">".join(row["arm"] for row in in_order) == held[0]["arm_order"]
    assert [row["block"] for row in rows if row["arm"] == "crit"] == [
        index // 6 + 1 for index in range(20)
    ]
    assert len({row["seed"] for row in rows}) == len(rows)


def test_topics_are_dealt_before_any_comes_again(many):
    topics = [row["topic_id"] for row in many]
    for start in range(0, MANY, len(POOL)):
        assert len(set(topics[start : start + len(POOL)])) == len(POOL)
    assert even(topics[:: len(POOL)], len(POOL)) > ALPHA


def test_seats_and_orders_are_drawn_uniformly(many):
    casts = [tuple(row["cast"]) for row in many]
    assert set(casts) == set(permutations(DRAWING.panel))
    assert even(casts, 6) > ALPHA
    assert even([row["arm_order"] for row in many], 6) > ALPHA
    assert even([(row["cast"][0], row["arm_order"]) for row in many], 18) > ALPHA


def test_judges_take_turns(many):
    assert [row["judge"] for row in many[:4]] == ["j1", "j2", "j1", "j2"]
    none = draw_manifest(POOL, replace(DRAWING, judges=()))
    assert {row["judge"] for row in none} == {""}


def test_hints_are_balanced_over_the_draws_that_can_have_one(many):
    truths = {topic["topic_id"]: topic["truth"] for topic in POOL}
    can = [row for row in many if truths[row["topic_id"]]]
    for first, second in zip(can[::2], can[1::2], strict=False):
        assert {first["hint"], second["hint"]} == {"valid", "invalid"}
    assert even([row["hint"] for row in can[::2]], 2) > ALPHA
    for row in can:
        assert (row["hint_option"] == truths[row["topic_id"]]) == (row["hint"] == "valid")
    assert even([row["hint_option"] for row in can if row["hint"] == "invalid"], 2) > ALPHA
    assert {row["hint_option"] for row in can} == {"a", "b", "c"}
    assert even([row["hint_round"] for row in can], 3) > ALPHA
    assert {row["hint_round"] for row in can} == {2, 3, 4}
    others = [row for row in many if not truths[row["topic_id"]]]
    assert {(r["hint"], r["hint_option"], r["hint_round"]) for r in others} == {("none", "", 0)}


@pytest.mark.parametrize(
    ("rounds", "expected"), [(1, {0}), (2, {0, 2}), (3, {0, 2}), (4, {0, 2, 3})]
)
def test_a_hint_leaves_a_round_to_see_what_comes_of_it(rounds: int, expected: set[int]):
    rows = draw_manifest(POOL, replace(DRAWING, rounds=rounds))
    assert {row["hint_round"] for row in rows} == expected


def test_the_first_draws_are_the_same_whatever_their_number():
    few, more = (draw_manifest(POOL, replace(DRAWING, draws=draws)) for draws in (9, 1001))
    renamed = {
        f"t{int(row['draw_id'][1:]):03d}-{row['arm']}": {
            name: row[name] for name in row if name not in ("session_id", "draw_id")
        }
        for row in more
    }
    for row in few:
        rest = {name: row[name] for name in row if name not in ("session_id", "draw_id")}
        assert renamed[row["session_id"]] == rest
    assert more[0]["draw_id"] == "t0001"


def test_a_further_arm_changes_the_orders_alone_and_the_order_of_names_nothing():
    few = draw_manifest(POOL, DRAWING)
    assert draw_manifest(POOL, replace(DRAWING, arms=DRAWING.arms[::-1])) == few
    orders = ("arm_order", "position")
    more = {
        row["session_id"]: {name: row[name] for name in row if name not in orders}
        for row in draw_manifest(POOL, replace(DRAWING, arms=("another", *DRAWING.arms)))
    }
    for row in few:
        assert more[row["session_id"]] == {n: row[n] for n in row if n not in orders}


def test_another_seed_draws_another_manifest():
    one, other = (draw_manifest(POOL, replace(DRAWING, seed=seed)) for seed in (7, 8))
    assert one == draw_manifest(POOL, DRAWING)
    for name in ("topic_id", "cast", "arm_order", "seed"):
        assert [row[name] for row in one] != [row[name] for row in other]


def test_manifest_and_topics_are_what_was_written(tmp_path: Path):
    rows = draw_manifest(POOL, DRAWING)
    write(tmp_path / "manifest.parquet", MANIFEST, rows, {})
    assert read(tmp_path / "manifest.parquet", MANIFEST).to_pylist() == rows
    topics = read_topics(FILE)
    write(tmp_path / "topics.parquet", TOPICS, topics, {})
    by_id = read_by(tmp_path / "topics.parquet", TOPICS, "topic_id")
    assert list(by_id.values()) == topics


def test_the_projects_topics_can_be_read():
    topics = {row["topic_id"]: row for row in read_topics(FILE)}
    first, last = topics["topic-01"], topics["topic-24"]
    assert first["truth"] == "faulty sensor"
    assert first["options"] == ["worn belt", "faulty sensor", "air leak", "software error"]
    assert (first["evidence_ids"][1], first["supports"][1]) == ("e2", "faulty sensor")
    assert first["evidence"][0].startswith("The drive belt is two months past")
    assert (last["truth"], last["ordered"], first["source"]) == ("", False, FILE)


ENTRY: dict[str, Any] = {
    "id": "t",
    "title": "The way",
    "question": "Which way?",
    "options": ["left", "right"],
    "ordered": False,
    "truth": None,
    "evidence": [{"id": "e1", "text": "A map.", "supports": "left"}],
}


def item(**changes: Any) -> dict[str, Any]:
    return {**ENTRY["evidence"][0], **changes}


@pytest.mark.parametrize("form", [lambda topics: topics, lambda topics: {"topics": topics}])
def test_topics_stand_alone_or_under_their_name(tmp_path: Path, form: Any):
    path = tmp_path / "t.yaml"
    entry = {**ENTRY, "evidence": [item(supports=None), item(id="e2")]}
    path.write_text(yaml.safe_dump(form([entry])), encoding="utf-8")
    (row,) = read_topics(path)
    assert (row["supports"], row["truth"]) == (["", "left"], "")
