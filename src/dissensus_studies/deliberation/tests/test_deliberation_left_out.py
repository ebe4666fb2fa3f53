"""What a model changes in the others: who is heeded is found, who is not heard moves nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ..inference.left_out import leave_one_out
from ..measures.reconstruct import reconstruct_session
from .deliberation_sessions import (
    PLAIN,
    Agents,
    hold,
    hold_simulated,
    prompts,
    reply,
    simulated,
    topic_rows,
)

SEATS = ("A1", "A2", "A3", "A4")
ARMS: dict[str, dict[str, Any]] = {
    "emergent": {"without": None},
    "again": {"without": None},
    **{f"without_{seat}": {"without": seat} for seat in SEATS},
}


def test_the_turns_of_a_seat_are_shown_to_nobody_else() -> None:
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return reply(f"I am {agent}.")

    shown = prompts(hold(Agents(says), replace(PLAIN, without="A2")))
    for (round_, agent), prompt in shown.items():
        seen = [other for other in ("A1", "A2", "A3") if f"--- {other}, round" in prompt]
        expected = ["A1", "A2", "A3"] if agent == "A2" else ["A1", "A3"]
        assert seen == (expected if round_ > 1 else [])


def found(**speech: Any) -> dict[str, dict[str, Any]]:
    """Model -> its row, from sessions on some topics; model m1 sits in A1, and so on."""
    stances: list[dict[str, Any]] = []
    manifest: list[dict[str, Any]] = []
    for place, topic in enumerate(topic_rows()[:10]):
        for arm, settings in ARMS.items():
            row = {
                "session_id": f"t{place}-{arm}",
                "draw_id": f"t{place}",
                "topic_id": topic["topic_id"],
                "arm": arm,
            }
            manifest.append({**row, "cast": ["m1", "m2", "m3", "m4"]})
            how = replace(PLAIN, without=settings["without"])
            models = [simulated(epsilon=1.0, **speech)] * 4
            session = hold_simulated(
                models, how, topic=place, rounds=3, seed=100 * place + list(ARMS).index(arm)
            )
            turns = [{**vars(turn), **row} for turn in session.turns]
            stances += reconstruct_session(turns, topic["options"]).stances
    return rows_of(stances, manifest, ARMS)


def rows_of(
    stances: list[dict[str, Any]],
    manifest: list[dict[str, Any]],
    arms: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    rows = leave_one_out(stances, manifest, reference="emergent", arms=arms, confidence=0.95)
    return {row["model"]: row for row in rows}


def test_whom_the_others_heed_moves_them_most() -> None:
    rows = found(heeds={"A2": 20.0}, stubbornness=0.5, noise=0.03)
    assert set(rows) == {"m1", "m2", "m3", "m4"}
    assert all(row["n"] == 10 for row in rows.values())
    assert rows["m2"]["estimate"] > 0.1 and rows["m2"]["p_adjusted"] < 0.05
    assert rows["m2"]["estimate"] > 2 * max(rows[m]["estimate"] for m in ("m1", "m3", "m4"))
    assert rows["m2"]["moved"] - rows["m2"]["noise"] == pytest.approx(rows["m2"]["estimate"])


def test_whom_nobody_hears_moves_nobody() -> None:
    # All heed themselves alone; what is left is the noise of two sessions.
    rows = found(stubbornness=1.0, noise=0.05)
    assert all(row["moved"] > 0.02 for row in rows.values())
    assert sum(row["ci_low"] < 0.0 < row["ci_high"] for row in rows.values()) >= 3
    assert all(row["p_adjusted"] > 0.05 for row in rows.values())
    assert all(abs(row["estimate"]) < 0.04 for row in rows.values())


def session(arm: str, draw: int, **beliefs: tuple[float, float]) -> list[dict[str, Any]]:
    """Stances of a session of one round, and of one before it that does not count."""
    name = f"t{draw}-{arm}"
    ends = [(2, agent, shares) for agent, shares in beliefs.items()]
    return [
        {"session_id": name, "round": round_, "agent": agent, "probabilities": shares}
        for round_, agent, shares in [(1, "A1", (1.0, 0.0)), *ends]
    ]


def test_moves_by_hand() -> None:
    arms = {"emergent": {"without": None}, "less": {"without": "A1"}}
    manifest = [
        {
            "session_id": f"t{draw}-{arm}",
            "draw_id": f"t{draw}",
            "topic_id": f"topic {draw}",
            "arm": arm,
            "cast": ["a", "b", "c"] if draw else ["b", "a", "c"],
        }
        for draw in (0, 1, 2)
        for arm in arms
    ]
    ends = {"A1": (0.0, 1.0), "A2": (0.5, 0.5), "A3": (0.2, 0.8)}
    stances = [
        *session("emergent", 0, **ends),
        *session("less", 0, A1=(1.0, 0.0), A2=(0.9, 0.1), A3=(0.2, 0.8)),
        *session("emergent", 1, **ends),
        *session("less", 1, A2=(0.5, 0.5), A3=(0.4, 0.6)),
        *session("emergent", 2, **ends),
        # What an agent did not state is no move.
        *session("less", 2, A2=(0.1, 0.9), A3=()),
    ]
    rows = rows_of(stances, manifest, arms)
    assert rows["b"]["estimate"] == pytest.approx(0.2) and rows["b"]["n"] == 1
    moved = [0.1, 0.4]
    test = stats.ttest_1samp(moved, 0.0)
    assert rows["a"]["estimate"] == pytest.approx(np.mean(moved))
    assert rows["a"]["p_value"] == pytest.approx(test.pvalue)
    assert rows["a"]["noise"] is None and rows["b"]["p_value"] is None
    assert rows_of(stances, manifest, {"emergent": {"without": None}}) == {}
