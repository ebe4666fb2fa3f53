"""What was lost, asked again and unread by arm: counts, the test's size and power, the sentence."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.report.arm_conduct import ARM_CONDUCT, differing_conduct, table_arm_conduct
from dissensus.run.arm_conduct import compare_conduct
from dissensus.tables.artefact import read, write

ARMS = ("a", "b", "c")
Counts = dict[tuple[int, str], dict[str, int]]


def compared(draws: int, counts: Counts, clusters: list[str] | None = None) -> list[dict[str, Any]]:
    """Three turns a session; ``counts``: (draw, arm) -> lost, attempts, repairs, unread."""
    names = clusters or [f"i{draw}" for draw in range(draws)]
    manifest, turns, outcomes = [], [], []
    for draw, arm in product(range(draws), ARMS):
        some = counts.get((draw, arm), {})
        ids = {"session_id": f"d{draw}-{arm}", "draw_id": f"d{draw}", "item_id": names[draw]}
        manifest.append({**ids, "arm": arm})
        ended = {"complete": not some.get("lost"), "attempts": some.get("attempts", 1)}
        outcomes.append({**ids, **ended, "repairs": some.get("repairs", 0)})
        turns += [
            {
                **ids,
                "turn": turn,
                "role": "debater",
                "repairs": some.get("repairs", 0) if turn == 0 else 0,
                "compliant": turn >= some.get("unread", 0),
                "origin": None,
            }
            for turn in range(0 if some.get("lost") else 3)
        ]
    source = pd.DataFrame({"item_id": sorted(set(names))})
    frames = (pd.DataFrame(rows) for rows in (manifest, turns, outcomes))
    return compare_conduct(*frames, source, "arm", "item_id", "item_id", 1)


def one(rows: list[dict[str, Any]], measure: str, arm: str) -> dict[str, Any]:
    return next(row for row in rows if (row["measure"], row["arm"]) == (measure, arm))


def test_counts_are_those_of_each_arm_and_lost_sessions_have_no_repairs(tmp_path: Path) -> None:
    rows = compared(
        8,
        {
            (0, "b"): {"repairs": 2, "unread": 1},
            (1, "b"): {"repairs": 1},
            (2, "c"): {"lost": 1, "attempts": 3, "repairs": 5},
        },
    )
    write(tmp_path / "arm_conduct.parquet", ARM_CONDUCT, rows, {})
    assert len(read(tmp_path / "arm_conduct.parquet", ARM_CONDUCT)) == 12
    repairs = one(rows, "repairs", "b")
    # Three turns a session.
    assert (repairs["total"], repairs["sessions"]) == (3, 8)
    assert repairs["mean"] == pytest.approx(3 / 8 / 3)
    assert one(rows, "repairs", "c")["mean"] == 0.0 and repairs["n"] == 7
    assert one(rows, "unread", "b")["total"] == 1
    assert one(rows, "lost", "c")["total"] == 1 and one(rows, "reruns", "c")["total"] == 2
    table = table_arm_conduct(rows, True)
    assert table.columns == ("Arm", "Sessions", "Lost", "Reruns", "Repairs", "Unread")
    assert table.rows[1] == ("b", "8", "0.000", "0.000", "0.125", "0.042")
    assert table.rows[3][0] == "p (Holm), all arms" and len(table.rows) == 4


@pytest.mark.thorough
def test_the_p_value_is_that_of_all_ways_to_deal_arms_within_draws() -> None:
    counted = {(draw, "b"): {"repairs": 1 + draw % 2} for draw in range(5)}
    rows = compared(6, counted)
    table = np.zeros((6, 3))
    for (draw, _), some in counted.items():
        table[draw, 1] = some["repairs"]
    orders = [list(order) for order in permutations(range(3))]
    spreads = [
        np.var([sum(table[d, o[a]] for d, o in enumerate(ways)) for a in range(3)])
        for ways in product(orders, repeat=6)
    ]
    exact = np.mean([value >= np.var(table.sum(axis=0)) - 1e-9 for value in spreads])
    assert one(rows, "repairs", "a")["p_value"] == pytest.approx(exact, abs=0.012)
    # What never happens is not tested, and no part of the family.
    assert one(rows, "lost", "a")["p_value"] is None
    assert one(rows, "repairs", "a")["p_adjusted"] == one(rows, "repairs", "b")["p_value"]


def test_arms_that_differ_are_said_against_the_headline_and_others_are_not() -> None:
    rows = compared(20, {(draw, "b"): {"unread": 2} for draw in range(12)})
    (sentence,) = differing_conduct(rows, 0.05)
    assert "turns that could not be read" in sentence and "p < 0.001 after Holm" in sentence
    assert "for each turn of the roles that all arms have, 0.00 in a and 0.40 in b" in sentence
    everywhere = {(draw, arm): {"unread": 2} for draw in range(12) for arm in ARMS}
    assert differing_conduct(compared(20, everywhere), 0.05) == []


@pytest.mark.thorough
def test_clusters_that_are_alike_are_no_difference_between_arms() -> None:
    """All draws of a cluster have trouble in one and the same arm, whichever that is."""
    rng, found = np.random.default_rng(4), np.zeros(2)
    for _ in range(40):
        names = [f"i{item}" for item in range(10) for _ in range(4)]
        troubled = {name: str(rng.choice(ARMS)) for name in set(names)}
        counts = {(draw, troubled[name]): {"repairs": 1} for draw, name in enumerate(names)}
        for place, clusters in enumerate((names, None)):
            row = one(compared(40, counts, clusters), "repairs", "a")
            found[place] += row["p_value"] <= 0.05
    assert found[0] <= 6 < found[1]


def null_world(draws: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Debaters of all arms alike; the third arm has a judge for each turn, the second is longer."""
    manifest, turns, outcomes = [], [], []
    for draw, (arm, length) in product(range(draws), (("a", 20), ("b", 64), ("c", 20))):
        ids = {"session_id": f"d{draw}-{arm}", "draw_id": f"d{draw}", "item_id": f"i{draw}"}
        manifest.append({**ids, "arm": arm})
        repairs = rng.binomial(1, 0.045, length)
        said = {**ids, "compliant": True, "origin": None}
        turns += [{**said, "role": "debater", "repairs": int(times)} for times in repairs]
        turns += [{**said, "role": "judge", "repairs": 0}] * (length if arm == "c" else 0)
        outcomes.append({**ids, "complete": True, "attempts": 1, "repairs": int(repairs.sum())})
    source = pd.DataFrame({"item_id": [f"i{draw}" for draw in range(draws)]})
    frames = (pd.DataFrame(rows) for rows in (manifest, turns, outcomes))
    return compare_conduct(*frames, source, "arm", "item_id", "item_id", int(rng.integers(1 << 30)))


@pytest.mark.thorough
@pytest.mark.parametrize(("draws", "worlds"), [(24, 100), (60, 50)])
def test_an_arm_with_judges_who_break_no_rule_is_no_better_than_others(
    draws: int, worlds: int
) -> None:
    rng = np.random.default_rng(draws)
    p_values = [one(null_world(draws, rng), "repairs", "a")["p_value"] for _ in range(worlds)]
    rejected = np.mean(np.array(p_values) <= 0.05)
    # Three standard errors above the level at most.
    assert 0 < rejected <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def test_turns_count_of_roles_that_all_sessions_of_a_draw_have() -> None:
    ids = {"session_id": "", "draw_id": "", "item_id": "i", "origin": None, "compliant": True}
    manifest, turns, outcomes = [], [], []
    # Role -> turns, of which the first is repaired in debaters and in moderators.
    roles = {"a": {"debater": 4, "moderator": 2}, "b": {"debater": 8, "moderator": 1, "judge": 9}}
    for draw, (arm, some) in product(range(7), roles.items()):
        ids |= {"session_id": f"d{draw}-{arm}", "draw_id": f"d{draw}"}
        manifest.append({**ids, "arm": arm})
        outcomes.append({**ids, "complete": True, "attempts": 1})
        turns += [
            {**ids, "role": role, "repairs": int(turn == 0)}
            for role, count in some.items()
            for turn in range(count)
        ]
        # Taken from another session: it was not asked for in this one.
        turns.append({**ids, "role": "debater", "repairs": 2, "origin": "another"})
    source = pd.DataFrame({"item_id": ["i"]})
    frames = (pd.DataFrame(rows) for rows in (manifest, turns, outcomes))
    rows = compare_conduct(*frames, source, "arm", "item_id", "item_id", 1)
    a, b = one(rows, "repairs", "a"), one(rows, "repairs", "b")
    assert (a["turns"], a["total"], b["turns"], b["total"]) == (42, 14, 63, 14)
    # Of the draw's 15 turns in shared roles, 12 are of debaters and 3 of moderators.
    assert a["mean"] == pytest.approx(12 / 15 / 4 + 3 / 15 / 2)
    assert b["mean"] == pytest.approx(12 / 15 / 8 + 3 / 15)
    assert one(rows, "lost", "a")["turns"] is None
