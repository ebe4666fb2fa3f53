"""Sessions that may end early: the plan and the cost have the fewest calls and the most."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dissensus.llm.prices import Price
from dissensus.plan import quote
from dissensus.plan.call_plan import call_plans
from dissensus.plan.cost import Terms, estimate
from dissensus.plan.described import describe
from dissensus.study.experiment import Experiment, text
from dissensus.study.sessions import Sessions


class Patient(Experiment):
    """Two agents who talk until one gives in, for five rounds at most."""

    name = "patient"
    arms = ("a", "b")
    item: ClassVar = {"topic": text("t")}
    outcomes: ClassVar = {"rounds": "How many there were."}

    def items(self, rng: np.random.Generator) -> Any:
        yield {"topic": "trees"}

    def debate(self, session: Any) -> Any:
        for _ in range(5):
            turn = yield session.call("A", "Give in?", _yes, expected="yes", otherwise="no")
            if turn.value:
                return

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"rounds": float(len(turns))}


def _yes(text: str) -> bool | None:
    return {"yes": True, "no": False}.get(text)


def patients(tmp_path: Path) -> Sessions:
    """Three draws of two sessions each of the patient."""
    study = Patient(Patient.Settings.model_validate({"model": "m"}))
    rows = Patient.draw_manifest({"i": {}}, {"repeats": 3, "block_size": 2}, 1)
    return Sessions(
        study,
        tmp_path,
        {row["session_id"]: row for row in rows},
        {"i": {"item_id": "i", "topic": "trees"}},
        {"m": "identity"},
    )


def test_a_plan_says_the_fewest_and_the_most_calls_of_steps_that_depend_on_replies(
    tmp_path: Path,
) -> None:
    sessions = patients(tmp_path)
    assert {(len(p.calls), p.fewest, p.sessions) for p in call_plans(sessions)} == {(5, 1, 3)}
    said = describe(sessions)
    assert "at least 6 calls, at most 30, as replies have it, if nothing goes wrong" in said[1]
    assert said[2] == "  debate: m: 6 to 30 calls"


def test_a_cost_begins_at_the_fewest_calls(tmp_path: Path) -> None:
    sessions = patients(tmp_path)
    terms = {("debate", "m"): Terms("openai", "gpt", Price(1.0, None, 1.0, None, "", ""))}
    once = {"repairs": 0, "session_attempts": 1}
    protocol = sessions.study.settings.protocol.model_dump() | once
    (line,) = lines = estimate(sessions, terms, protocol)
    assert {name: tokens.calls for name, tokens in line.tokens.items()} == {
        **{"low": 6, "expected": 30, "high": 30, "ceiling": 30}
    }
    # One call of a session is what five are, but for the length of the reply.
    assert 5 * line.tokens["low"].input == line.tokens["high"].input
    told = {"name": "patient", "protocol": protocol, "prices": None}
    sentence = "low counts the calls that they make at least, the others those that they make at"
    assert sentence in " ".join(quote.describe(lines, **told))
    always = [replace(line, tokens=dict.fromkeys(line.tokens, line.tokens["high"]))]
    assert sentence not in " ".join(quote.describe(always, **told))
