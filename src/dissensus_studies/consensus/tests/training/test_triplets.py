"""Preference data: the better and the worse debate of one agent on one statement."""

from __future__ import annotations

from typing import Any

import pytest

from ...domains import read_domain
from ...learning.profiles import behaviour
from ...learning.tables import FEWSHOT_FILE, PROFILES_FILE
from ...training.triplets import SCORE, TRAIN, make_triplets
from ..consensus_runs import FOLDERS, STILL, whole_run

AGENTS = {name: {a.id: a for a in read_domain(folder).agents} for name, folder in FOLDERS.items()}


@pytest.fixture(scope="module")
def learned() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    speech = {**STILL, "conformity": 0.2, "stubbornness": 0.3, "meets": {"compromise": 0.6}}
    ran = whole_run(speech, {"debate": "debate", "ccagent": "ccagent"}, statements=1)
    return ran.tables[PROFILES_FILE], ran.tables[FEWSHOT_FILE]


def test_both_debates_are_of_one_agent_on_one_statement(learned: Any) -> None:
    profiles, examples = learned
    rows = list(make_triplets(profiles, examples, AGENTS))
    known = {(row["session_id"], row["agent"]): row for row in profiles}
    said = {(row["session_id"], row["agent"]): row for row in examples}
    assert len(rows) > 10
    for row in rows:
        better, worse = (
            known[row[f"{side}_session"], row["agent"]] for side in ("chosen", "rejected")
        )
        assert better["statement_id"] == worse["statement_id"] == row["statement_id"]
        assert behaviour(better) < behaviour(worse)
        assert row["system"] == AGENTS[row["domain"]][row["agent"]].system
        assert better["statement"] in row["question"]
        for text, side in ((row["chosen"], better), (row["rejected"], worse)):
            assert text.count("Vote: ") == len(side["votes"])
            assert text.endswith(f"Vote: {side['votes'][-1]}")
        example = said.get((row["chosen_session"], row["agent"]), {})
        good = example.get("label") == "good"
        assert row["rationale"] == (example["rationale"] if good else "")
    assert any(row["rationale"] for row in rows) and any(row["counterfactual"] for row in rows)


def test_statements_for_scoring_are_none_of_those_for_training(learned: Any) -> None:
    rows = list(make_triplets(*learned, AGENTS))
    kept = {row["statement_id"] for row in rows if row["purpose"] == SCORE}
    used = {row["statement_id"] for row in rows if row["purpose"] == TRAIN}
    assert kept and used and not kept & used
    assert all("-t" in name for name in kept | used)


def test_agents_who_behaved_alike_have_no_triplet(learned: Any) -> None:
    profiles, examples = learned
    alike = [row | {"rounds_to": 1, "compromise": 0.0, "sycophancy": 0.0} for row in profiles]
    same = [row | {"dogmatic": 0.0} for row in alike]
    assert not list(make_triplets(same, examples, AGENTS))
