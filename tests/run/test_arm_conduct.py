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
            {**ids, "turn": turn, "compliant": turn >= some.get("unread", 0)}
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
    assert "for each turn 0.00 in a and 0.40 in b" in sentence
    everywhere = {(draw, arm): {"unread": 2} for draw in range(12) for arm in ARMS}
    assert differing_conduct(compared(20, everywhere), 0.05) == []


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
