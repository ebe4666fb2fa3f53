"""Comparisons of two teams whose questions differ strongly: how often a null is rejected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dissensus.session.protocol import round_label

from ..inference.comparisons import compare_identity
from ..measures.metrics import METRICS, measure_identity
from ..measures.transitions import TRANSITIONS
from .identity_rows import RING, question, session, table

_WORLDS, _QUESTIONS, _AGENTS = 120, 30, 5
_LETTERS = np.array(list("ABCD"))


def _texts(letters: np.ndarray) -> list[str]:
    return [f"I thought about it. \\{{final answer: ({letter})\\}}" for letter in letters]


def _world(seed: int) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Two teams of one rule: who follows the peer is a matter of the question, in logits.

    A question's rate of following is its own (SD 1.5), and again that of each team on it (SD 1),
    so that the answers of a debate are far from independent; no team follows more than the other.
    """
    rng = np.random.default_rng(seed)
    manifest: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    questions = [question(f"choice-{place:02d}") for place in range(_QUESTIONS)]
    base = rng.normal(0.0, 1.5, _QUESTIONS)
    for team in ("a", "b"):
        rates = 1.0 / (1.0 + np.exp(-base - rng.normal(0.0, 1.0, _QUESTIONS)))
        for asked, rate in zip(questions, rates, strict=True):
            opening = rng.choice(_LETTERS, _AGENTS)
            for condition in ("opening", "vanilla", "anonymized"):
                answers, label = opening, round_label(0)
                if condition != "opening":
                    # Blind agents keep or follow by a coin, whatever the question.
                    share = rate if condition == "vanilla" else 0.5
                    follows = rng.random(_AGENTS) < share
                    answers, label = (
                        np.where(follows, np.roll(opening, -1), opening),
                        round_label(1),
                    )
                row = session(team, asked["question_id"], condition, RING[5], _AGENTS, 1)
                manifest.append(row | {"model": team, "personas": False, "seats": None})
                turns += [
                    {
                        "session_id": row["session_id"],
                        "question_id": asked["question_id"],
                        "speaker": f"A{agent}",
                        "round_label": label,
                        "text": text,
                    }
                    for agent, text in enumerate(_texts(answers), start=1)
                ]
    outcomes = [{"session_id": row["session_id"], "complete": True} for row in manifest]
    _, transitions, metrics = measure_identity(turns, outcomes, manifest, questions)
    names = ("session_id", "team", "condition", "model", "personas", "graph", "agents", "seats")
    held = pa.table({name: [row[name] for row in manifest] for name in names})
    return table(METRICS, metrics), table(TRANSITIONS, transitions), held


@pytest.mark.thorough
def test_a_null_is_rejected_as_often_as_is_said_where_questions_are_strong_clusters() -> None:
    rejected = covered = 0
    for world in range(_WORLDS):
        rows = compare_identity(*_world(world), confidence=0.95, resamples=300, seed=world)
        (row,) = (row for row in rows if row["kind"] == "model")
        assert row["n_questions"] == _QUESTIONS
        rejected += row["p_value"] < 0.05
        covered += row["ci_low"] <= 0.0 <= row["ci_high"]
    # The level of 5%, and some four standard errors of its count.
    assert 1 <= rejected <= 0.13 * _WORLDS
    assert covered >= 0.87 * _WORLDS
