"""Rounds of a debate of three agents, measured by hand; the loop run again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from ..controls.loop import Loop
from ..measures.debate import MeasuredDebate, difference
from ..measures.records import ROUNDS
from ..measures.rounds import agreement, measure_rounds, quadrant
from .deliberation_debates import debate, debates

CONTROL = {
    **{"kp": 0.15, "ki": 0.01, "kd": 0.03, "target": 0.8, "leak": 0.9, "start": 0.5},
    **{"slope_guard": True, "rca_retries": 3},
}
MEASURES = {
    "movement": 0.05,
    "katz": 0.5,
    "collapse": 0.2,
    "alerts": [0.8, 0.65],
    "material": "all",
}
CLAIMS = {"A1.1.c1": ("e1", "e2"), "A2.1.c1": ("e2",), "A3.1.c1": ("e3",), "A1.2.c1": ("e1",)}


def made(**parts: Any) -> MeasuredDebate:
    """P, Q and R; then two of P; then all P."""
    edges = [(2, "A1", "rebut", "A2.1.c1"), (2, "A2", "concede", "dangling")]
    return debate(["PQR", "PPR", "PPP"], list(CLAIMS), edges, CLAIMS, **parts)


def rows_of(given: MeasuredDebate, schedule: str | None = None) -> list[dict[str, Any]]:
    return measure_rounds(given, {"schedule": schedule}, CONTROL, MEASURES)


def test_by_hand():
    first, second, third = rows_of(made())
    two_to_one = np.log2(3) - 2 / 3
    assert [row["entropy"] for row in (first, second, third)] == pytest.approx(
        [np.log2(3), two_to_one, 0]
    )
    # Certain agents have no entropy of their own, so that divergence is all there is.
    assert [row["js"] for row in (first, second, third)] == pytest.approx(
        [np.log2(3), two_to_one, 0]
    )
    assert second["entropy_mm"] == pytest.approx(two_to_one + 1 / (6 * np.log(2)))
    assert second["retention"] == pytest.approx(two_to_one / np.log2(3))
    assert [row["alert"] for row in (first, second, third)] == ["", "0.65", "0.65"]
    assert (first["density"], second["density"]) == (None, pytest.approx(1 / 6))
    # Each opposes the two others' claims: one of six is engaged, in vain by A2.
    assert second["claim_engagement"] == pytest.approx(1 / 6)
    assert (first["compliance"], second["compliance"]) == (None, 0.5)
    # {e1, e2} and {e2} share half, neither shares with {e3}; then A1 alone cites.
    assert first["evidence_overlap"] == pytest.approx(0.5 / 3)
    assert (second["evidence_overlap"], third["evidence_overlap"]) == (0, None)
    assert (first["contentiousness"], first["error"], first["quadrant"]) == (None, None, "")
    assert {"round", *ROUNDS.columns} - set(first) == {"session_id", "draw_id", "topic_id", "arm"}


def test_a_difference_of_shares_needs_both():
    assert difference([True, False, False, False], [True, False]) == pytest.approx(1 / 4 - 1 / 2)
    assert difference([], [True]) is difference([True], []) is None


def test_the_loop_is_run_again_on_what_the_transcript_says():
    given = made(quality={1: 0.75, 2: 0.85, 3: 0.8}, quality_signed={1: 0.4})
    rows = rows_of(given, "pid")
    loop = Loop.of("pid", CONTROL, 3)
    for row in rows:
        loop.observe(row["round"], row["quality"], row["js"], row["evidence_overlap"])
    assert [row["contentiousness"] for row in rows] == [loop.beta(t) for t in (1, 2, 3)]
    # In round 2 divergence falls, and so does the overlap of evidence, from a sixth to none.
    assert rows[0]["control"] == pytest.approx(0.0095)
    assert rows[1]["error"] == pytest.approx(0.95)
    assert (rows[0]["quality_signed"], rows[1]["quality_signed"]) == (0.4, None)


def test_open_loops_are_written_down():
    assert [row["contentiousness"] for row in rows_of(made(), "linear")] == [0.5, 0.25, 0]
    assert [row["error"] for row in rows_of(made(), "linear")] == [None] * 3


@pytest.mark.parametrize(
    ("js", "quality", "expected"),
    [
        (0.0, 0.1, "stuck"),
        (1.0, 0.1, "chaotic"),
        (0.0, 0.9, "converged"),
        (1.0, 0.9, "healthy"),
        (0.1 * np.log2(3), 0.5, "healthy"),
        (0.09 * np.log2(3), 0.49, "stuck"),
        (None, 0.9, ""),
        (1.0, None, ""),
    ],
)
def test_quadrants(js: float | None, quality: float | None, expected: str):
    assert quadrant(made(), js, quality) == expected


def test_unknown_distributions_are_left_out():
    rows = rows_of(debate(["PQ-", "P--"]))
    assert rows[0]["js"] == pytest.approx(1)
    assert (rows[1]["js"], rows[1]["entropy"], rows[1]["retention"]) == (None, None, None)
    assert agreement(debate(["PPQ-"]), 1) == pytest.approx(2 / 3)
    assert agreement(debate(["--"]), 1) is None


@given(debates())
def test_every_round_of_any_debate(given):
    rows = rows_of(given, "pid")
    assert [row["round"] for row in rows] == list(range(1, given.rounds + 1))
    for row in rows:
        for name in ("density", "claim_engagement", "compliance", "evidence_overlap"):
            assert row[name] is None or 0 <= row[name] <= 1
        if row["js"] is not None:
            assert row["js"] <= row["entropy"] + 1e-9
            assert row["entropy"] <= row["entropy_mm"] + 1e-12
