"""Simulated agents answer as the paper's model says, through the true prompts, and nothing else."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, kstest

from dissensus.errors import ResourceError, SettingError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import check_speech
from dissensus.session.protocol import Decoding, Steps
from scripted import ROOT

from .. import simulated
from ..design.banks import read_bank, write_question
from ..design.formats import Question
from ..design.graph import Peers, peers_in
from ..protocol import AGENT, AnswerFormat, Prompts, TeamDebate
from ..settings import BankSettings
from ..simulated_text import Asked, Weighed, compose

PROMPTS = Prompts.read(ROOT / "studies" / "identity" / "prompts" / "debate.yaml")
OWN = [str(ROOT / f"resources/questions/{name}.csv") for name in ("choice", "numeric")]
QUESTIONS, AGENTS = 400, 5
W_SELF, W_PEER, W_BLIND = 0.3, 1.2, 0.6
RING, FULL = (peers_in(graph, AGENTS) for graph in ("ring", "full"))


def settings(files: Sequence[str] = OWN, **speech: Any) -> dict[str, Any]:
    weights = {
        "vanilla": {"self": W_SELF, "peer": W_PEER},
        "anonymized": {"self": W_BLIND, "peer": W_BLIND},
    }
    planted = {"questions": list(files), "knows": 4.0, "errs": 1.0, "weights": weights}
    return {"speech": planted | speech}


def table(path: Path, questions: int) -> str:
    """A bank in the project's own format; the right option is each letter in turn."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "field", "question", *"ABCD", "answer", "why"])
        for number in range(questions):
            options = [f"thing {number}-{letter}" for letter in "abcd"]
            writer.writerow(
                [f"q{number}", "f", f"Which of {number}?", *options, "ABCD"[number % 4], "so"]
            )
    return str(path)


def answer_in(text: str) -> str:
    """What a response ends with, read without the project's parser."""
    found = re.search(r"\{final answer: \((.+)\)\}$", text)
    return found[1] if found else ""


def debate_on(question: Question, systems: Sequence[str] = ("",) * AGENTS) -> TeamDebate:
    asked = write_question(question.kind, question.text, question.options)
    seats = (AGENT,) * len(systems)
    format = AnswerFormat(question.kind, tuple(question.options))
    return TeamDebate(PROMPTS, asked, format, Decoding(1.0, 64), "m", seats, tuple(systems))


def played(steps: Steps, model: dict[str, Any], rng: np.random.Generator) -> list[list[str]]:
    """The texts of every round of a debate between simulated agents."""
    rounds = []
    step = next(steps, None)
    while step is not None:
        said = [simulated.speak(call.messages, model, rng) for call in step]
        rounds.append(said)
        turns = [c.turn(text) for c, text in zip(step, said, strict=True)]
        try:
            step = steps.send(turns)
        except StopIteration:
            step = None
    return rounds


@dataclass
class Held:
    """Debates on one question: what all agents answered, by round, in each condition."""

    belief: dict[str, float]
    right: str
    answers: dict[tuple[str, Peers], list[list[str]]]


@pytest.fixture(scope="module")
def held(tmp_path_factory) -> list[Held]:
    path = table(tmp_path_factory.mktemp("bank") / "q.csv", QUESTIONS)
    model, rng = settings([path]), np.random.default_rng(1)
    found = []
    for number, (_, question) in enumerate(
        read_bank(BankSettings(format="dissensus", source=path))
    ):
        debate = debate_on(question)
        (opening,) = played(debate.opening(), model, rng)
        answers = {}
        for peers, rounds in ((RING, 2), (FULL, 1)):
            for condition in ("vanilla", "anonymized"):
                steps = debate.goes_on(condition, opening, peers, rounds, number)
                texts = [opening, *played(steps, model, rng)]
                answers[condition, peers] = [[answer_in(t) for t in said] for said in texts]
        options, probabilities = simulated.belief(question, 4.0, 1.0)
        found.append(Held(dict(zip(options, probabilities, strict=True)), question.answer, answers))
    return found


def first_step(belief: dict[str, float], own: str, peers: list[str], w_self: float, w_peer: float):
    """P(y_1 = k) = (p_k + w_self 1[k = own] + w_peer sum 1[k = peer]) / (1 + w_self + n w_peer)."""
    total = 1 + w_self + len(peers) * w_peer
    return {
        k: (p + w_self * (k == own) + w_peer * peers.count(k)) / total for k, p in belief.items()
    }


def z_score(hits: Sequence[bool], probabilities: Sequence[float]) -> float:
    """How far a sum of independent draws is from what it should be, in standard errors."""
    p = np.asarray(probabilities)
    return float((np.sum(hits) - p.sum()) / np.sqrt((p * (1 - p)).sum()))


def transitions(held: list[Held], condition: str, peers: Peers):
    """Belief, own last answer, peers' last answers and new answer, of every agent in round 1."""
    for debate in held:
        before, after = debate.answers[condition, peers][:2]
        for agent in range(AGENTS):
            yield debate.belief, before[agent], [before[p - 1] for p in peers[agent]], after[agent]


@pytest.mark.parametrize("peers", [RING, FULL], ids=["one peer", "four peers"])
@pytest.mark.parametrize(
    ("condition", "w_self", "w_peer"),
    [("vanilla", W_SELF, W_PEER), ("anonymized", W_BLIND, W_BLIND)],
)
def test_planted_weights_show_in_the_first_transition(held, condition, peers, w_self, w_peer):
    found = list(transitions(held, condition, peers))
    assert len(found) == QUESTIONS * AGENTS >= 2000

    def scores(w_self: float, w_peer: float) -> dict[str, float]:
        hits: dict[str, list[bool]] = {"own": [], "peer": [], "other": []}
        chances: dict[str, list[float]] = {"own": [], "peer": [], "other": []}
        for belief, own, seen, answer in found:
            against = [peer for peer in seen if peer != own]
            if not against:
                continue
            p = first_step(belief, own, seen, w_self, w_peer)
            for name, options in (
                ("own", {own}),
                ("peer", set(against)),
                ("other", set(belief) - {own, *seen}),
            ):
                hits[name].append(answer in options)
                chances[name].append(sum(p[k] for k in options))
        assert len(hits["own"]) > 1000
        return {name: abs(z_score(hits[name], chances[name])) for name in hits}

    assert max(scores(w_self, w_peer).values()) < 4
    # Weights the other way round, or no identity at all, would be seen.
    wrong = (w_peer, w_self) if condition == "vanilla" else (W_SELF, W_PEER)
    assert max(scores(*wrong).values()) > 6


def test_first_answers_are_drawn_from_beliefs_and_these_from_their_dirichlet(held):
    right = [debate.belief[debate.right] for debate in held]
    assert kstest(right, beta(4.0, 3.0).cdf).pvalue > 1e-3
    wrong = [next(p for k, p in d.belief.items() if k != d.right) for d in held]
    assert kstest(wrong, beta(1.0, 6.0).cdf).pvalue > 1e-3
    hits, chances = [], []
    for debate in held:
        assert sum(debate.belief.values()) == pytest.approx(1)
        for answer in debate.answers["vanilla", RING][0]:
            hits.append(answer == debate.right)
            chances.append(debate.belief[debate.right])
    assert abs(z_score(hits, chances)) < 4


def second_round(
    held: list[Held],
    condition: str,
    chance: Callable[[dict[str, float], Any, int], dict[str, float]],
) -> dict[str, float]:
    """z scores, over all agents, of repeating each of the answers that may have been weighed."""
    hits: dict[str, list[bool]] = {name: [] for name in ("own 0", "peer 0", "own 1", "peer 1")}
    chances: dict[str, list[float]] = {name: [] for name in hits}
    for debate in held:
        rounds = debate.answers[condition, RING]
        for agent in range(AGENTS):
            peer = RING[agent][0] - 1
            p = chance(debate.belief, rounds, agent)
            for name, who, when in (
                ("own 0", agent, 0),
                ("peer 0", peer, 0),
                ("own 1", agent, 1),
                ("peer 1", peer, 1),
            ):
                hits[name].append(rounds[2][agent] == rounds[when][who])
                chances[name].append(p[rounds[when][who]])
    return {name: abs(z_score(hits[name], chances[name])) for name in hits}


def mixed(belief: dict[str, float], weighed: Sequence[tuple[str, float]]) -> dict[str, float]:
    total = 1 + sum(weight for _, weight in weighed)
    return {
        k: (p + sum(weight for answer, weight in weighed if answer == k)) / total
        for k, p in belief.items()
    }


def test_counts_accumulate_over_rounds_where_agents_know_their_own(held):
    def accumulated(belief, rounds, agent):
        peer = RING[agent][0] - 1
        return mixed(
            belief,
            [(rounds[t][agent], W_SELF) for t in (0, 1)]
            + [(rounds[t][peer], W_PEER) for t in (0, 1)],
        )

    def forgotten(belief, rounds, agent):
        peer = RING[agent][0] - 1
        return mixed(belief, [(rounds[1][agent], W_SELF), (rounds[1][peer], W_PEER)])

    assert max(second_round(held, "vanilla", accumulated).values()) < 4
    assert max(second_round(held, "vanilla", forgotten).values()) > 6


def test_an_anonymized_agent_takes_the_mean_of_what_the_opinions_say_came_before(held):
    def mean(belief, rounds, agent):
        peer = RING[agent][0] - 1
        before = [
            (rounds[0][who], W_BLIND / 2) for i in (agent, peer) for who in (i, RING[i][0] - 1)
        ]
        now = [(rounds[1][agent], W_BLIND), (rounds[1][peer], W_BLIND)]
        return mixed(belief, before + now)

    assert max(second_round(held, "anonymized", mean).values()) < 4


def question(number: int = 0, file: int = 0) -> Question:
    return read_bank(BankSettings(format="dissensus", source=OWN[file]))[number][1]


def answers_to(prompt: str, times: int, model: dict[str, Any], system: str = "") -> Counter[str]:
    rng = np.random.default_rng(3)
    messages = [Message("user", prompt)]
    if system:
        messages.insert(0, Message("system", system))
    return Counter(answer_in(simulated.speak(messages, model, rng)) for _ in range(times))


def assert_drawn(found: Counter[str], expected: dict[str, float]) -> None:
    n = found.total()
    for answer, p in expected.items():
        assert abs(found[answer] - n * p) < 4 * np.sqrt(n * p * (1 - p)), answer


def test_an_opinion_without_a_final_answer_adds_nothing():
    asked = write_question("choice", question().text, question().options)
    belief = dict(zip(*simulated.belief(question(), 4.0, 1.0), strict=True))
    silent = ["I cannot say.", "It is (B), I think."]
    for prompt in (
        PROMPTS.vanilla(asked, *silent[:1], silent),
        PROMPTS.alike("anonymized", asked, silent),
    ):
        assert_drawn(answers_to(prompt, 3000, settings()), belief)
    heard = PROMPTS.vanilla(asked, silent[0], ["Yes. {final answer: (D)}", silent[1]])
    expected = mixed(belief, [("D", W_PEER)])
    assert_drawn(answers_to(heard, 3000, settings()), expected)


def test_three_rounds_are_read_from_the_agents_own_sentence():
    asked = write_question("choice", question().text, question().options)
    belief = dict(zip(*simulated.belief(question(), 4.0, 1.0), strict=True))
    weighed = Weighed({"A": 2, "B": 1}, {"C": 3})
    words = np.random.default_rng(5)
    own = compose(Asked("choice"), "B", weighed, "A", ["C"], words) + " {final answer: (B)}"
    prompt = PROMPTS.vanilla(asked, own, ["No. {final answer: (C)}"])
    expected = mixed(belief, [("A", 2 * W_SELF), ("B", 2 * W_SELF), ("C", 4 * W_PEER)])
    assert_drawn(answers_to(prompt, 3000, settings()), expected)


def test_numbers_are_answered_from_the_known_ones_and_heard_ones_are_weighed():
    asked = question(file=1)
    belief = dict(zip(*simulated.belief(asked, 4.0, 1.0), strict=True))
    assert set(belief) == set(asked.options)
    assert_drawn(answers_to(PROMPTS.opening(asked.text), 3000, settings()), belief)
    heard = PROMPTS.vanilla(asked.text, "{final answer: (9)}", ["{final answer: ($77,000.0)}"])
    expected = mixed({**belief, "77000": 0.0}, [("9", W_SELF), ("77000", W_PEER)])
    assert_drawn(answers_to(heard, 3000, settings()), expected)


def test_replies_lack_their_final_answer_at_the_set_rate():
    prompt = PROMPTS.opening(write_question("choice", question().text, question().options))
    found = answers_to(prompt, 3000, settings(unparsable_rate=0.3))
    assert abs(found[""] - 900) < 4 * np.sqrt(3000 * 0.3 * 0.7)
    assert answers_to(prompt, 500, settings())[""] == 0


def test_agents_of_a_team_share_a_belief_which_personas_move():
    asked = question()
    options, common = simulated.belief(asked, 4.0, 1.0)
    doctor = simulated.belief(asked, 4.0, 1.0, "You are a doctor.", 1.0)[1]
    coder = simulated.belief(asked, 4.0, 1.0, "You are a programmer.", 1.0)[1]
    half = simulated.belief(asked, 4.0, 1.0, "You are a doctor.", 0.5)[1]
    assert len({common, doctor, coder}) == 3
    assert half == pytest.approx((np.array(common) + np.array(doctor)) / 2)
    prompt = PROMPTS.opening(write_question("choice", asked.text, asked.options))
    moved = settings(persona_shift=1.0)
    found = answers_to(prompt, 3000, moved, "You are a doctor.")
    assert_drawn(found, dict(zip(options, doctor, strict=True)))
    assert_drawn(answers_to(prompt, 3000, moved), dict(zip(options, common, strict=True)))
    unmoved = answers_to(prompt, 3000, settings(), "You are a doctor.")
    assert_drawn(unmoved, dict(zip(options, common, strict=True)))


def test_a_reply_depends_on_its_messages_and_seed_alone():
    prompt = PROMPTS.opening(write_question("choice", question().text, question().options))
    said = [
        [
            simulated.speak([Message("user", prompt)], settings(), np.random.default_rng(seed))
            for seed in range(300)
        ]
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert len(set(said[0])) > 200


def test_a_question_in_none_of_the_files_is_answered_without_knowing():
    choice = PROMPTS.opening("Which one is new?\n(A) x\n(B) y\n(C) z")
    assert set(answers_to(choice, 300, settings())) <= {"A", "B", "C"}
    numbers = set(answers_to(PROMPTS.opening("How many are new?"), 300, settings()))
    assert 1 < len(numbers) <= 4
    assert all(number.isdigit() for number in numbers)
    right = Counter()
    for number in range(300):
        unknown = Question("", "choice", f"New {number}?", ("x", "y", "z", "w"), "")
        right[np.argmax(simulated.belief(unknown, 4.0, 1.0)[1])] += 1
    assert all(40 < right[option] < 115 for option in range(4))


def test_a_prompt_of_another_kind_is_refused():
    rng = np.random.default_rng(0)
    for content in ("Hello", "Q?\nBased on the following opinions from agents:\nnothing"):
        with pytest.raises(ResourceError, match="cannot read this prompt"):
            simulated.speak([Message("user", content)], settings(), rng)


@pytest.mark.parametrize(
    ("speech", "message"),
    [
        ({"knows": 0.0}, r"^speech\.knows holds 0\.0; it must be above 0"),
        ({"unparsable_rate": 2.0}, r"^speech\.unparsable_rate holds 2\.0;"),
        ({"questions": ["none.csv"]}, r"^speech\.questions holds 'none\.csv'; there is no such"),
        (
            {"weights": {"vanilla": {"self": 1, "peer": 1}, "anonymized": {"self": 1, "peer": 2}}},
            r"^speech\.weights\.anonymized holds .*; self and peer must be equal",
        ),
        ({"weights": {"vanilla": {"self": 1}}}, r"speech\.weights\.vanilla\.peer is missing"),
    ],
)
def test_settings_are_checked(speech, message: str):
    check_speech(simulated.__name__, settings()["speech"])
    with pytest.raises(SettingError, match=message):
        check_speech(simulated.__name__, settings(**speech)["speech"])


def test_an_identity_changes_with_the_questions_that_agents_know(tmp_path):
    before = simulated.identity(settings([table(tmp_path / "a.csv", 3)]))
    assert simulated.identity(settings([table(tmp_path / "b.csv", 3)])) == before
    assert simulated.identity(settings([table(tmp_path / "c.csv", 4)])) != before
