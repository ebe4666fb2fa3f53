"""Simulated deliberators do what their equations say, and see only what they are sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ResourceError, SettingError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import check_speech
from dissensus.session.quoting import quoted
from dissensus.session.runner import Session

from .. import simulated as behaviour
from ..controls.crit import gamma, parse_assessment
from ..controls.rca import parse_verdict
from ..measures.reconstruct import reconstruct_session
from ..prompts import Note
from ..turns import ParsedTurn, parse_turn
from .deliberation_sessions import (
    CONTROL,
    PLAIN,
    TOPICS,
    hold_simulated,
    prompts,
    simulated,
    topic_rows,
)

ROWS = topic_rows()
FREE = {"epsilon": 1.0}


def turns_of(session: Session, topic: int = 0) -> dict[tuple[int, str], ParsedTurn]:
    """(round, agent) -> its last reply, read."""
    return {
        (int(turn.round_label.removeprefix("round ")), turn.speaker): parse_turn(
            turn.text, ROWS[topic]["options"]
        )
        for turn in session.turns
        if turn.role in ("debater", "retry")
    }


def beliefs(session: Session, round_: int, topic: int = 0) -> np.ndarray:
    """Distributions of a round, shape (agents, options)."""
    turns = turns_of(session, topic)
    return np.array([list(t.probabilities.values()) for (r, _), t in turns.items() if r == round_])


def distance(p: Sequence[float], q: Sequence[float]) -> float:
    return 0.5 * float(np.abs(np.asarray(p) - np.asarray(q)).sum())


def spread(shares: np.ndarray) -> float:
    return max(distance(p, q) for p in shares for q in shares)


def group(count: int = 4, **speech: Any) -> list[dict[str, Any]]:
    return [simulated(**speech)] * count


def test_first_beliefs_are_the_topics_and_the_agents_in_every_arm_and_session():
    one = beliefs(hold_simulated(group(), rounds=1, seed=1), 1)
    full = beliefs(hold_simulated(group(), replace(PLAIN, topology="full"), rounds=1, seed=2), 1)
    assert np.array_equal(one, full)
    other = beliefs(hold_simulated(group(), rounds=1, topic=3), 1, 3)
    assert not np.allclose(one, other)
    assert len({tuple(shares) for shares in one}) == 4


def test_opinion_concentrates_first_beliefs_on_a_favourite():
    def top(opinion: float) -> float:
        held = [
            beliefs(hold_simulated(group(opinion=opinion), rounds=1, topic=topic), 1, topic)
            for topic in range(8)
        ]
        return float(np.mean([shares.max(axis=1).mean() for shares in held]))

    # Of Dirichlet(1 + opinion, 1, ..) the favourite has (1 + opinion) / (K + opinion) in the mean.
    assert top(0.0) < top(2.0) < top(50.0)
    assert top(50.0) == pytest.approx(51 / 54, abs=0.03)


def test_free_of_bounds_and_stubbornness_a_group_agrees_at_once():
    session = hold_simulated(group(**FREE), rounds=3)
    first, second = beliefs(session, 1), beliefs(session, 2)
    assert spread(first) > 0.3
    mean = first.mean(axis=0)
    for shares, agent in zip(second, first, strict=True):
        # Conviction sharpens by the share of others with the same stance.
        same = int(((first.argmax(axis=1)) == agent.argmax()).sum()) - 1
        expected = mean ** (1 + 0.5 * same / 3)
        assert shares == pytest.approx(expected / expected.sum(), abs=0.002)
    assert spread(beliefs(session, 3)) < 0.1


def test_with_small_bounds_a_group_stays_split():
    session = hold_simulated(group(epsilon=0.05), rounds=5)
    assert spread(beliefs(session, 1)) > 0.3
    assert beliefs(session, 5) == pytest.approx(beliefs(session, 1), abs=0.003)


@pytest.mark.parametrize("stubbornness", [0.0, 0.4, 1.0])
def test_stubbornness_is_the_share_of_its_own_belief_that_an_agent_keeps(stubbornness: float):
    session = hold_simulated(group(2, stubbornness=stubbornness, **FREE), rounds=2, topic=2)
    first, second = beliefs(session, 1, 2), beliefs(session, 2, 2)
    assert first[0].argmax() != first[1].argmax()
    mean = first.mean(axis=0)
    expected = stubbornness * first + (1 - stubbornness) * mean
    assert second == pytest.approx(expected, abs=0.002)


def test_an_agent_that_the_others_heed_wins():
    won = 0
    for topic in range(8):
        session = hold_simulated(group(heeds={"A3": 60.0}, **FREE), rounds=3, topic=topic)
        turns = turns_of(session, topic)
        won += {turns[3, agent].stance for agent in ("A1", "A2", "A4")} == {turns[1, "A3"].stance}
        relations = Counter(
            (one.agent == "A3", one.relation)
            for (round_, agent), turn in turns.items()
            if round_ == 2 and agent != "A3"
            for one in turn.engagements
        )
        # It is conceded to or supported, and rebutted by no one.
        assert relations[True, "rebut"] == relations[True, "question"] == 0
        for agent in ("A1", "A2", "A4"):
            cited = {item for claim in turns[2, agent].claims for item in claim.evidence}
            granted = {one.claim for one in turns[2, agent].engagements if one.relation != "rebut"}
            for claim in turns[1, "A3"].claims:
                if f"A3.1.{claim.id}" in granted:
                    assert set(claim.evidence) <= cited
    assert won == 8


def test_silence_moves_without_a_word():
    still = {"epsilon": 0.0, "silence": 1.0}
    moving = hold_simulated(group(2, yields=0.5, **still), rounds=2, topic=2)
    first, second = beliefs(moving, 1, 2), beliefs(moving, 2, 2)
    assert not any(turn.engagements for turn in turns_of(moving, 2).values())
    own = first.argmax(axis=1)
    assert own[0] != own[1]
    unit = np.eye(first.shape[1])[own[::-1]]
    assert second == pytest.approx(0.5 * first + 0.5 * unit, abs=0.003)
    firm = hold_simulated(group(2, yields=0.0, **still), rounds=2, topic=2)
    assert beliefs(firm, 2, 2) == pytest.approx(first, abs=0.003)


def test_whoever_answers_everything_accepts_nothing():
    session = hold_simulated(group(2, epsilon=0.0, yields=1.0), rounds=2, topic=2)
    assert beliefs(session, 2, 2) == pytest.approx(beliefs(session, 1, 2), abs=0.003)
    turns = turns_of(session, 2)
    for agent, other in (("A1", "A2"), ("A2", "A1")):
        named = {one.claim for one in turns[2, agent].engagements}
        assert named == {f"{other}.1.{claim.id}" for claim in turns[1, other].claims}


def test_claims_are_come_back_to_and_nobody_moves():
    still = {"epsilon": 0.0, "silence": 1.0, "returns": 1.0}
    session = hold_simulated(group(2, **still), rounds=3, topic=2)
    turns = turns_of(session, 2)
    for agent, other in (("A1", "A2"), ("A2", "A1")):
        assert turns[2, agent].engagements == ()
        again = {(one.claim, one.relation) for one in turns[3, agent].engagements}
        assert again == {(f"{other}.1.{claim.id}", "rebut") for claim in turns[1, other].claims}
    assert beliefs(session, 3, 2) == pytest.approx(beliefs(session, 1, 2), abs=0.003)


@pytest.mark.parametrize(("topology", "targets"), [("full", 3), ("one_target", 1)])
def test_set_topologies_are_kept(topology: str, targets: int):
    arm = replace(PLAIN, topology=topology)
    turns = turns_of(hold_simulated(group(silence=1.0, yields=1.0, returns=1.0), arm, rounds=3))
    for (round_, agent), turn in turns.items():
        engaged = [one.agent for one in turn.engagements]
        assert len(engaged) == len(set(engaged)) == (targets if round_ > 1 else 0)
        assert agent not in engaged
        if topology == "full":
            assert {one.relation for one in turn.engagements} <= {"rebut"}


def scored(session: Session) -> float:
    replies = [turn.text for turn in session.turns if turn.role == "judge:crit"]
    scores = [gamma(parse_assessment(text)) for text in replies]
    return float(np.mean([score for score in scores if score is not None]))


@pytest.mark.parametrize("heat", [1.0, -1.0])
def test_contentiousness_slows_movement_and_raises_quality_or_lowers_it(heat: float):
    """A positive plant gain, which the controller needs, and a negative one."""
    quality, moved = [], []
    for start in (0.1, 0.9):
        arm = replace(PLAIN, assessed=True, schedule="fixed", control={**CONTROL, "start": start})
        held = [
            hold_simulated(group(heat=heat, **FREE), arm, topic=topic, rounds=3)
            for topic in range(6)
        ]
        quality.append(np.mean([scored(session) for session in held]))
        moved.append(
            np.mean(
                [
                    np.abs(beliefs(session, 2, topic) - beliefs(session, 1, topic)).sum()
                    for topic, session in enumerate(held)
                ]
            )
        )
    assert (quality[1] - quality[0]) * np.sign(heat) > 0.1
    assert moved[1] < 0.3 * moved[0]


def test_where_nothing_is_said_of_contentiousness_heat_changes_nothing():
    told, cool = (
        hold_simulated(group(heat=heat, silence=0.5, stubbornness=0.3)) for heat in (1.0, 0.0)
    )
    assert [turn.text for turn in told.turns] == [turn.text for turn in cool.turns]


def test_a_note_moves_by_the_trust_in_it_and_only_in_its_round():
    option = ROWS[0]["options"][0]
    note = Note(option, 2)
    session = hold_simulated(group(hint_trust=0.4, epsilon=0.0), note=note, rounds=3)
    first, second, third = (beliefs(session, round_) for round_ in (1, 2, 3))
    assert second == pytest.approx(0.6 * first + 0.4 * np.eye(4)[0], abs=0.002)
    assert third == pytest.approx(second, abs=0.003)


def test_a_judge_sends_back_what_only_the_note_brought_about():
    """Half of the stances that a note alone brings about go against the text; sent back, none."""
    arm = replace(PLAIN, retries=3)
    judge = simulated("judge", misjudgement_rate=0.0)
    accepted = []
    for topic in range(14):
        option = ROWS[topic]["options"][0]
        session = hold_simulated(
            group(hint_trust=1.0, epsilon=0.0),
            arm,
            topic=topic,
            rounds=2,
            note=Note(option, 2),
            judge=judge,
        )
        turns = turns_of(session, topic)
        sent = {turn.speaker for turn in session.turns if turn.role == "retry"}
        for agent in ("A1", "A2", "A3", "A4"):
            before, after = turns[1, agent].stance, turns[2, agent].stance
            if agent in sent:
                assert after == before != option
            else:
                assert after == option
            if before != option:
                accepted.append(agent not in sent)
    # Binomial with p = 1/2: four standard errors.
    assert abs(np.mean(accepted) - 0.5) < 2 / np.sqrt(len(accepted))


def test_a_judge_errs_as_often_as_it_is_told():
    arm = replace(PLAIN, retries=0)
    for rate in (0.0, 1.0):
        judge = simulated("judge", misjudgement_rate=rate)
        session = hold_simulated(group(), arm, rounds=2, judge=judge)
        verdicts = [parse_verdict(t.text).follows for t in session.turns if t.role == "judge:rca"]
        assert verdicts == [rate == 0.0] * 8


def test_faults_come_at_their_rates():
    session = hold_simulated(
        group(8, epsilon=0.05, dangling_rate=0.3, ambiguous_rate=0.2, inconsistent_rate=0.25),
        rounds=6,
    )
    ids = {"session_id": "t001-x", "draw_id": "t001", "topic_id": ROWS[0]["topic_id"], "arm": "x"}
    tables = reconstruct_session([ids | vars(turn) for turn in session.turns], ROWS[0]["options"])
    found = Counter(row["status"] for row in tables.engagements)
    n = found.total()
    assert found.keys() == {"resolved", "dangling", "ambiguous"}
    assert abs(found["dangling"] / n - 0.3) < 4 * np.sqrt(0.3 * 0.7 / n)
    assert abs(found["ambiguous"] / n - 0.2) < 4 * np.sqrt(0.2 * 0.8 / n)
    parted = np.mean([not row["consistent"] for row in tables.stances])
    assert abs(parted - 0.25) < 4 * np.sqrt(0.25 * 0.75 / len(tables.stances))


def test_two_agents_are_ambiguous_too():
    session = hold_simulated(group(2, epsilon=0.0, ambiguous_rate=1.0), rounds=2, topic=2)
    named = [(a, one.agent) for (r, a), t in turns_of(session, 2).items() for one in t.engagements]
    assert set(named) == {("A1", "A1"), ("A2", "A2")}


def test_without_faults_every_reply_is_in_order():
    arm = replace(PLAIN, crit=True, assessed=True, retries=1)
    session = hold_simulated(group(stubbornness=0.3, silence=0.3, yields=0.5, heat=0.5), arm)
    assert all(turn.compliant for turn in session.turns)
    options, evidence = ROWS[0]["options"], set(ROWS[0]["evidence_ids"])
    for turn in turns_of(session).values():
        assert turn.problems == ()
        best = max(turn.probabilities, key=lambda option: turn.probabilities[option])
        assert (turn.stance, turn.stance in options) == (best, True)
        assert {item for claim in turn.claims for item in claim.evidence} <= evidence
    supports = dict(zip(ROWS[0]["evidence_ids"], ROWS[0]["supports"], strict=True))
    for (round_, _), turn in turns_of(session).items():
        if round_ == 1:
            cited = {supports[item] for claim in turn.claims for item in claim.evidence}
            assert cited <= {turn.stance}


def test_broken_objects_are_mended_on_repair():
    session = hold_simulated(group(8, bad_json_rate=0.6), rounds=6, repairs=2)
    repairs = [turn.repairs for turn in session.turns]
    # Three in four broken objects are beyond mending: .6 * .75 of 48.
    assert abs(np.mean([count > 0 for count in repairs]) - 0.45) < 4 * np.sqrt(0.25 / 48)
    assert sum(not turn.compliant for turn in session.turns) <= 3
    last = prompts(session)[6, "A1"]
    for turn in session.turns:
        if turn.round_label != "round 6":
            assert quoted(parse_turn(turn.text, ROWS[0]["options"]).reasoning) in last


def test_the_same_messages_and_luck_give_the_same_words():
    first, again = (hold_simulated(group(noise=0.05, silence=0.5)) for _ in range(2))
    assert [turn.text for turn in first.turns] == [turn.text for turn in again.turns]
    other = hold_simulated(group(noise=0.05, silence=0.5), seed=2)
    assert [turn.text for turn in first.turns] != [turn.text for turn in other.turns]


def test_a_turn_that_could_not_be_read_leaves_its_author_where_it_stood():
    content = prompts(hold_simulated(group(epsilon=0.0), rounds=3))[3, "A1"]
    block = content.split("--- A1, round 2 ---\n")[1].split("\n\n---")[0]
    lost = content.replace(
        block,
        "What I think.\nStance: not stated\nProbabilities: not stated\nConfidence: not stated\n"
        "Claims:\nnone\nEngagements:\nnone",
    )
    replies = [
        behaviour.speak((Message("user", one),), simulated(epsilon=0.0), np.random.default_rng(1))
        for one in (content, lost)
    ]
    held = [parse_turn(reply).probabilities for reply in replies]
    assert held[0] == pytest.approx(held[1], abs=0.003)


def test_what_assessments_say_of_others_weighs_them():
    content = prompts(hold_simulated(group(2), rounds=2, topic=2))[2, "A1"]
    shown = content.replace(
        "Now give your reply",
        '- A1, claim "x": quality 0.10; x\n- A2, claim "y": quality 0.90; x\n\nNow give your reply',
    )
    first = beliefs(hold_simulated(group(2), rounds=1, topic=2), 1, 2)
    for prompt, weights in ((content, (0.5, 0.5)), (shown, (0.1, 0.9))):
        reply = behaviour.speak(
            (Message("user", prompt),), simulated(**FREE), np.random.default_rng(1)
        )
        shares = list(parse_turn(reply, ROWS[2]["options"]).probabilities.values())
        assert shares == pytest.approx(np.average(first, axis=0, weights=weights), abs=0.002)


@pytest.mark.parametrize(
    ("speech", "sentence"),
    [
        ({"role": "moderator"}, "speech.role holds 'moderator'"),
        ({"topics": "none.yaml"}, "speech.topics holds 'none.yaml'; there is no such file"),
        ({"heeds": {"model-a": 2.0}}, "it must be a seat"),
        ({"epsilon": 2.0}, "speech.epsilon holds 2.0; it must be at most 1"),
        ({"loudness": 1.0}, "speech.loudness is no setting"),
    ],
)
def test_wrong_settings_are_named(speech: dict[str, Any], sentence: str):
    with pytest.raises(SettingError) as raised:
        check_speech(behaviour.__name__, {**simulated()["speech"], **speech})
    assert sentence in str(raised.value)


def test_a_prompt_that_cannot_be_read_is_named():
    rng = np.random.default_rng(1)
    with pytest.raises(ResourceError, match="cannot read this prompt"):
        behaviour.speak((Message("user", "Hello."),), simulated(), rng)
    content = prompts(hold_simulated(group(2), rounds=1))[1, "A1"]
    unknown = content.replace(ROWS[0]["question"], "Who did it?")
    with pytest.raises(ResourceError, match=r"topics\.yaml has no topic .*'Who did it\?'"):
        behaviour.speak((Message("user", unknown),), simulated(), rng)


def test_what_its_words_depend_on_is_its_identity(tmp_path):
    path = tmp_path / "topics.yaml"
    path.write_bytes(Path(TOPICS).read_bytes())
    known = behaviour.identity(simulated())
    assert behaviour.identity(simulated(topics=str(path))) == known
    other = tmp_path / "other.yaml"
    other.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert behaviour.identity(simulated(topics=str(other))) != known
