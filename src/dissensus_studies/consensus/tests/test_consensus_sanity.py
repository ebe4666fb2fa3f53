"""The agents' sanity check: who is asked what, and what is made of the answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.errors import ResourceError
from dissensus.stats.shares import wilson

from ..design import draw
from ..domains import read_domain
from ..protocol.sanity import LetterFormat
from ..sanity.questions import Question, read_questions
from ..sanity.scoring import score_sanity
from .consensus_runs import (
    CONFIG,
    FOLDERS,
    STILL,
    drawn_by,
    one_hot,
    play,
    simulated,
    statements,
    study,
)

QUESTIONS = {
    name: read_questions(folder, tuple(read_domain(folder).names))
    for name, folder in FOLDERS.items()
}
ARMS = {"arms": {"debate": "debate"}, "statements": 1}


def sessions() -> list[dict[str, Any]]:
    rows = draw(statements(), drawn_by(study(**ARMS)), 1)
    return [row for row in rows if row["kind"] == "sanity"]


def checked(answers: dict[str, float], seeds: int = 1) -> pd.DataFrame:
    """The scores of simulated agents with some chances of their own answers."""
    made, turns, manifest = study(**ARMS), {}, []
    for seed in range(seeds):
        for row in sessions():
            own = {**row, "session_id": f"{row['session_id']}-{seed}", "seed": row["seed"] + seed}
            played = play(made, row, simulated(own, {**STILL, "answers": answers}))
            names = ("speaker", "role", "round_label", "text")
            turns[own["session_id"]] = [{n: getattr(t, n) for n in names} for t in played.turns]
            manifest.append(own)
    return pd.DataFrame(score_sanity(manifest, turns, QUESTIONS, one_hot, 0.95, 300, 1)).set_index(
        ["domain", "agent", "condition", "measure"]
    )


def test_each_domain_has_ten_questions_of_both_kinds_and_some_to_answer_in_full() -> None:
    for name, questions in QUESTIONS.items():
        kinds = [question.kind for question in questions]
        assert (kinds.count("direct"), kinds.count("extrapolated")) == (10, 10)
        assert kinds.count("open") >= 4
        said = str([agent.model_dump() for agent in read_domain(FOLDERS[name]).agents])
        # Answers in full are kept from the agents who are checked with them.
        for question in (one for one in questions if one.kind == "open"):
            assert not any(answer in said for answer in question.answers.values())


def test_every_agent_is_asked_every_question_with_its_interview_or_without() -> None:
    made = study(**ARMS)
    assert {row["arm"] for row in sessions()} == {"few_shot", "no_interview"}
    for row in sessions():
        say = lambda call, messages: "Answer: B"  # noqa: E731
        played = play(made, row, say)
        asked = {(call.round_label, call.speaker) for call in played.calls}
        agents = read_domain(FOLDERS[row["domain"]]).agents
        assert len(asked) == len(played.calls) == len(agents) * len(QUESTIONS[row["domain"]])
        for call in played.calls:
            own = next(agent for agent in agents if agent.id == call.speaker)
            assert call.messages[0].content == own.system
            told = len(own.interview) if row["arm"] == "few_shot" else 0
            assert len(call.messages) == 2 + 2 * told


def test_options_are_all_answers_in_an_order_that_tells_nothing() -> None:
    question = QUESTIONS["city"][0]
    assert sorted(question.options("ngo")) == sorted(question.answers.values())
    places = [
        "ABCD".index(one.letter(agent))
        for one in QUESTIONS["city"]
        if one.kind != "open"
        for agent in one.answers
    ]
    counts = np.bincount(places, minlength=4)
    assert counts.min() > 10 and len(places) == 80
    for agent in question.answers:
        letter = question.letter(agent)
        assert question.options(agent)["ABCD".index(letter)] == question.answers[agent]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Answer: B", "B"),
        ("I think so.\n**Answer: (c)** because", "C"),
        ("Answer: A\nAnswer: B", None),
        ("Answer: E", None),
        ("B", None),
        ("The answer: both A", None),
    ],
)
def test_a_letter_is_read_where_there_is_one(said: str, read: str | None) -> None:
    found = LetterFormat("ABCD").read(said)
    assert found.value == read and bool(found.problems) == (read is None)


def test_accuracy_is_the_chance_that_is_planted() -> None:
    answers = {"direct": 0.9, "extrapolated": 0.6, "open": 0.5, "bare": 0.3}
    frame = checked(answers, seeds=4)
    for domain in FOLDERS:
        for condition, measure, chance in (
            ("few_shot", "direct", 0.9),
            ("few_shot", "extrapolated", 0.6),
            ("no_interview", "accuracy", 0.3),
        ):
            row = frame.loc[domain, "all", condition, measure]
            error = np.sqrt(chance * (1 - chance) / row["n"])
            assert abs(row["estimate"] - chance) < 4 * error
            assert row["ci_low"] < row["estimate"] < row["ci_high"]
    # Half of the words, all in their order: 2 * .5 / 1.5.
    for measure in ("rouge_1", "rouge_l"):
        assert frame.loc["city", "all", "few_shot", measure]["estimate"] == pytest.approx(
            2 / 3, abs=0.02
        )


def test_perfect_agents_are_perfect_and_an_unread_choice_is_wrong() -> None:
    frame = checked({"direct": 1.0, "extrapolated": 1.0, "open": 1.0, "bare": 0.0})
    few = frame.xs("few_shot", level="condition")
    assert (few["estimate"].astype(float) == 1.0).all()
    ngo = few.loc["city", "ngo", "accuracy"]
    assert (ngo["ci_low"], ngo["ci_high"]) == pytest.approx(wilson(20, 20, 0.95))
    bare = frame.xs("no_interview", level="condition").xs("accuracy", level="measure")
    assert (bare["estimate"] == 0.0).all()
    row = sessions()[0]
    turns = [
        {"speaker": agent, "role": one.kind, "round_label": one.id, "text": "I pass."}
        for one in QUESTIONS[row["domain"]]
        for agent in row["order"]
    ]
    named = {row["session_id"]: turns}
    lost = pd.DataFrame(score_sanity([row], named, QUESTIONS, one_hot, 0.95, 200, 1))
    assert (lost[lost["measure"] == "accuracy"]["estimate"] == 0.0).all()


def test_without_questions_or_without_the_check_nobody_is_asked(tmp_path: Path) -> None:
    made = study(**ARMS, sanity=None)
    assert not [r for r in draw(statements(), drawn_by(made), 1) if r["kind"] == "sanity"]
    assert made.embedded_first(tmp_path) == [] and "sanity.prompts" not in made.settings.files()
    assert read_questions(str(tmp_path), ("a",)) == ()
    assert score_sanity([], {}, {}, one_hot, 0.95, 100, 1) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("d1,direct,Who?,me,me", "row 2: two agents have the same answer"),
        ("d1,both,Who?,me,you", "row 2: kind holds 'both'; it may be direct, extrapolated, open"),
        ("d1,direct,Who?,,you", "row 2: a is empty; fill it in"),
        ("d1,direct,Who?,me,you\nd1,direct,What?,me,you", "row 3: its question_id stands above"),
    ],
)
def test_wrong_questions_are_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "questions.csv").write_text(f"question_id,kind,question,a,b\n{line}\n", "utf-8")
    with pytest.raises(ResourceError, match=re.escape(said)):
        read_questions(str(tmp_path), ("a", "b"))


def test_a_condition_s_model_is_asked() -> None:
    conditions = {"trained": {"model": "consensus-other", "interview": False}}
    made = study(**ARMS, sanity={**CONFIG["consensus"]["sanity"], "conditions": conditions})
    rows = [r for r in draw(statements(), drawn_by(made), 1) if r["kind"] == "sanity"]
    assert {made.kind_of(row).cast(row)[0] for row in rows} == {"consensus-other"}
    used = {use.setting: use.models for use in made.models()}
    assert used["sanity.conditions.trained.model"] == ["consensus-other"]


def test_two_questions_with_the_same_words_have_orders_by_agent() -> None:
    one = Question("x", "direct", "Who?", {name: name for name in "abcdefgh"})
    assert one.options("a") == one.options("a") and one.options("a") != one.options("b")
