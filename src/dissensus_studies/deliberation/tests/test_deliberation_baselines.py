"""Arms in which agents hear nobody; and whether debate is worth its tokens, planted both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ..inference.baselines import compare_baselines
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

ARMS = {"emergent": "all", "refined": "own", "sampled": "nothing"}
#: A sample takes fewer tokens than a turn of a debate.
SAMPLES = 7
SETTINGS = {
    name: {"sees": sees, "samples": SAMPLES if sees == "nothing" else None}
    for name, sees in ARMS.items()
}
ROUNDS = 3


def test_agents_see_their_own_turns_alone_or_nothing() -> None:
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return reply(f"I am {agent} for time {times}.")

    own = prompts(hold(Agents(says), replace(PLAIN, sees="own")))
    for (round_, agent), prompt in own.items():
        others = {"A1", "A2", "A3"} - {agent}
        assert not any(f"--- {other}, round" in prompt for other in others)
        assert prompt.count(f"--- {agent}, round") == round_ - 1
    for samples, count in ((None, 9), (5, 15)):
        nothing = prompts(hold(Agents(says), replace(PLAIN, sees="nothing", samples=samples)))
        assert len(nothing) == count
        for (_, agent), prompt in nothing.items():
            assert "---" not in prompt and "this is round 1 of" in prompt
            assert prompt == nothing[1, agent]
        assert prompts(hold(Agents(says)))[1, "A1"] == nothing[1, "A1"]


def compared(models: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Strategy -> its compared row, from sessions on every topic."""
    topics = topic_rows()
    stances: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    manifest: list[dict[str, Any]] = []
    for place, topic in enumerate(topics):
        for arm, sees in ARMS.items():
            row = {
                "session_id": f"t{place:03d}-{arm}",
                "draw_id": f"t{place:03d}",
                "topic_id": topic["topic_id"],
                "arm": arm,
                "rounds": ROUNDS,
            }
            manifest.append(row)
            if not topic["truth"]:
                continue
            how = replace(PLAIN, sees=sees, samples=SETTINGS[arm]["samples"])
            session = hold_simulated(models, how, topic=place, rounds=ROUNDS, seed=place)
            turns = [{**vars(turn), **row} for turn in session.turns]
            tables = reconstruct_session(turns, topic["options"])
            stances += tables.stances
            for attempt in session.attempts:
                words = sum(len(one.content.split()) for one in attempt.call.messages)
                spent = {"input_tokens": words, "output_tokens": 100}
                place_of = {"session_id": row["session_id"], "turn": attempt.call.number}
                calls.append({**place_of, **spent, "cost_usd": 0.001, "faults_usd": 0.0})
    rows = compare_baselines(
        stances,
        calls,
        manifest,
        manifest,
        topics,
        reference="emergent",
        arms=SETTINGS,
        confidence=0.95,
        resamples=1000,
        seed=1,
    )
    truths = sum(bool(topic["truth"]) for topic in topics)
    assert {(row["arm"], row["n"]) for row in rows} == {("emergent", truths)}
    debate = [row for row in rows if row["is_debate"]]
    assert [row["calls"] for row in debate] == [len(models) * r for r in (1, 2, 3)]
    assert debate[-1]["usd"] == pytest.approx(0.001 * len(models) * ROUNDS)
    found = {row["strategy"]: row for row in rows if row["compared"]}
    of_samples = [row for row in rows if row["strategy"] == "self-consistency"]
    # Who reads its own turns reads more than who reads nothing.
    assert found["self-refine, then vote"]["tokens"] > of_samples[ROUNDS - 1]["tokens"]
    # More samples than the debate has turns, for no more tokens, as far as another would go.
    assert [row["calls"] for row in of_samples] == [len(models) * n for n in range(1, SAMPLES + 1)]
    affordable = [row for row in of_samples if row["tokens"] <= debate[-1]["tokens"]]
    assert found["self-consistency"]["calls"] == affordable[-1]["calls"] > len(models) * ROUNDS
    return found


def test_debate_is_worth_its_tokens_where_agents_know_the_truth_when_another_holds_it() -> None:
    found = compared([simulated(epsilon=0.0, recognises=0.9, opinion=1.0)] * 5)
    assert set(found) == {
        *("one agent", "majority vote", "self-consistency", "self-refine"),
        "self-refine, then vote",
    }
    for name, row in found.items():
        assert row["estimate"] > 0.2, name
        assert row["p_adjusted"] < 0.05, name


@pytest.mark.thorough
def test_debate_is_not_worth_them_where_all_follow_one_who_is_mostly_wrong() -> None:
    """Of nine agents on these topics A1 is right least often; their vote is right in most."""
    found = compared([simulated(opinion=6.0, epsilon=1.0, heeds={"A1": 500.0})] * 9)
    for name in ("majority vote", "self-consistency", "self-refine, then vote"):
        assert found[name]["accuracy"] > 0.5
        assert found[name]["estimate"] < -0.2, name
        assert found[name]["p_adjusted"] < 0.05, name


def test_without_baselines_or_truths_there_is_nothing_to_compare() -> None:
    topics = [{"topic_id": "a", "truth": ""}]
    manifest = [
        {"session_id": f"t-{arm}", "draw_id": "t", "topic_id": "a", "arm": arm, "rounds": 1}
        for arm in ARMS
    ]
    how: dict[str, Any] = {"confidence": 0.95, "resamples": 50, "seed": 1, "reference": "emergent"}
    assert compare_baselines([], [], manifest, manifest, topics, arms=SETTINGS, **how) == []
    known = [{"topic_id": "a", "truth": "x"}]
    alone = {"emergent": SETTINGS["emergent"]}
    assert compare_baselines([], [], manifest, manifest, known, arms=alone, **how) == []
    assert compare_baselines([], [], manifest, manifest, known, arms=SETTINGS, **how) == []
    said = [{"session_id": "t-emergent", "round": 1, "stance": "x"}]
    assert compare_baselines(said, [], manifest, manifest, known, arms=alone, **how) == []
