"""The prompts are the paper's, word for word (typed here from its appendix B); who sees what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.session.protocol import Call, Decoding, Parsed, Steps
from dissensus.session.quoting import without_tokens
from dissensus.user_files import read_yaml
from scripted import ROOT

from ..design.graph import Peers, peers_in
from ..protocol import AGENT, AnswerFormat, Prompts, TeamDebate, order, read_personas

FOLDER = ROOT / "studies" / "identity" / "prompts"
PROMPTS = Prompts.read(FOLDER / "debate.yaml")

# With the line breaks of the printed page.
LAST = """\
First, briefly state your step-by-step reasoning. Then, make sure to state your final answer in
curly brackets at the very end of your response, just like: "{final answer: (A)}"."""
B1 = f"""\
<question>
This was your most recent opinion:
- <agent's response from the previous round>
Based on the following other agents' opinions:
- Agent Opinion 1: <peer agent's response from the previous round>
Instructions: Consider these agents' opinions to provide an updated response to the question.
{LAST}"""
B2 = f"""\
<question>
Based on the following opinions from agents:
- Agent Opinion 1: <an agent's response from the previous round>
- Agent Opinion 2: <an agent's response from the previous round>
Instructions: Consider these agents' opinions to provide an updated response to the question.
{LAST}"""
B3 = """\
Assistant: You are a super-intelligent AI assistant capable of performing tasks more effectively
than humans.
Doctor: You are a doctor and come up with creative treatments for illnesses or diseases. You
are able to recommend conventional medicines, herbal remedies and other natural alternatives.
You also consider the patient's age, lifestyle and medical history when providing your
recommendations.
Psychologist: You are a psychologist. You are good at psychology, sociology, and philosophy.
You give people scientific suggestions that will make them feel better.
Mathematician: You are a mathematician. You are good at math games, arithmetic calculation,
and long-term planning.
Programmer: You are a programmer. You are good at computer science, engineering, and physics.
You have experience in designing and developing computer software and hardware."""


def unbroken(text: str) -> str:
    """The printed text without the breaks that its column forced."""
    return text.replace("final answer in\ncurly", "final answer in curly")


def test_the_prompts_are_the_papers_word_for_word():
    assert PROMPTS.wording.vanilla == unbroken(B1)
    assert PROMPTS.wording.anonymized == unbroken(B2)


def test_the_opening_is_the_question_and_the_same_instruction():
    assert PROMPTS.opening("Q?") == unbroken(f"Q?\n{LAST}")


def test_the_personas_are_the_papers_word_for_word():
    personas = read_personas(FOLDER / "personas.yaml")
    printed = " ".join(B3.split())
    assert " ".join(f"{name}: {text}" for name, text in personas.items()) == printed


def test_a_token_between_angles_is_broken_and_a_letter_is_not():
    prompt = PROMPTS.alike("anonymized", "Q?", ["<seed:bos> List<T>"])
    assert "- Agent Opinion 1: < seed:bos> List<T>\n" in prompt


def test_filled_prompts():
    vanilla = PROMPTS.vanilla("Q?", "mine", ["theirs"])
    assert vanilla.split("\nInstructions")[0] == (
        "Q?\nThis was your most recent opinion:\n- mine\n"
        "Based on the following other agents' opinions:\n- Agent Opinion 1: theirs"
    )
    anonymized = PROMPTS.alike("anonymized", "Q?", ["x", "y", "z"])
    assert anonymized.split("\nInstructions")[0] == (
        "Q?\nBased on the following opinions from agents:\n"
        "- Agent Opinion 1: x\n- Agent Opinion 2: y\n- Agent Opinion 3: z"
    )
    assert vanilla.endswith(unbroken(LAST)) and anonymized.endswith(unbroken(LAST))


SPEECH = st.text(max_size=40) | st.sampled_from(
    ["<question>", "<agent's response from the previous round>", "a\nb", "{final answer: (B)}", "1"]
)


@given(SPEECH, SPEECH, st.lists(SPEECH, min_size=1, max_size=4))
def test_whatever_is_said_stands_in_the_prompt_as_it_was_said(question, own, peers):
    # Where a text has the shape of a chat template's token, that alone is broken.
    own, *peers = (each if without_tokens(each) == each else "said" for each in (own, *peers))
    said = "".join(f"\n- Agent Opinion {n}: {text}" for n, text in enumerate(peers, start=1))
    ending = PROMPTS.wording.vanilla.split("previous round>\nInstr")[1]
    assert PROMPTS.vanilla(question, own, peers) == (
        f"{question}\nThis was your most recent opinion:\n- {own}\n"
        f"Based on the following other agents' opinions:{said}\nInstr{ending}"
    )
    assert PROMPTS.alike("anonymized", question, peers) == (
        f"{question}\nBased on the following opinions from agents:{said}\nInstr{ending}"
    )


def debate(agents: int = 3, seats: Sequence[str] = (), systems: Sequence[str] = ()) -> TeamDebate:
    return TeamDebate(
        PROMPTS,
        "Q?\n(A) x\n(B) y",
        AnswerFormat("choice", ("x", "y")),
        Decoding(1.0, 64),
        "m",
        tuple(seats or [AGENT] * agents),
        tuple(systems or [""] * agents),
    )


def held(steps: Steps) -> list[Sequence[Call]]:
    """Every step of a debate in which each agent says who and when it is."""
    taken = []
    step = next(steps, None)
    while step is not None:
        taken.append(step)
        turns = [c.turn(said(c)) for c in step]
        try:
            step = steps.send(turns)
        except StopIteration:
            step = None
    return taken


def said(call: Call) -> str:
    return f"{call.speaker} in {call.round_label}"


OPENED = [f"A{agent} in round 0" for agent in (1, 2, 3)]


def test_a_round_is_one_step_of_calls_that_do_not_wait_for_each_other():
    (opening,) = held(debate().opening())
    assert [(c.number, c.speaker, c.role, c.round_label, c.model) for c in opening] == [
        (0, f"A{agent}", "agent", "round 0", "m") for agent in (1, 2, 3)
    ]
    assert len({call.messages for call in opening}) == 1
    for steps in (
        debate().goes_on("vanilla", OPENED, peers_in("ring", 3), 2, 5),
        debate().goes_on("anonymized", OPENED, peers_in("ring", 3), 2, 5),
    ):
        rounds = held(steps)
        assert [[c.number for c in step] for step in rounds] == [[1] * 3, [2] * 3]
        assert [{c.round_label for c in step} for step in rounds] == [{"round 1"}, {"round 2"}]
        assert [[c.speaker for c in step] for step in rounds] == [["A1", "A2", "A3"]] * 2


def test_vanilla_agents_see_their_own_last_response_and_their_peers_in_order():
    peers = ((3, 2), (1,), (2,))
    first, second = held(debate().goes_on("vanilla", OPENED, peers, 2, 5))
    for number, step in enumerate((first, second)):
        for agent, (call, seen) in enumerate(zip(step, peers, strict=True), start=1):
            expected = PROMPTS.vanilla(
                "Q?\n(A) x\n(B) y",
                f"A{agent} in round {number}",
                [f"A{peer} in round {number}" for peer in seen],
            )
            assert call.messages == (Message("user", expected),)


def test_anonymized_agents_see_the_same_responses_without_names_in_the_order_drawn():
    peers = peers_in("star", 3)
    rounds = held(debate().goes_on("anonymized", OPENED, peers, 2, 11))
    for number, step in enumerate(rounds):
        for agent, (call, seen) in enumerate(zip(step, peers, strict=True), start=1):
            own_first = [f"A{who} in round {number}" for who in (agent, *seen)]
            places = order(11, number + 1, agent, len(own_first))
            shown = [own_first[place] for place in places]
            assert call.messages[0].content == PROMPTS.alike(
                "anonymized", "Q?\n(A) x\n(B) y", shown
            )
            assert "your most recent opinion" not in call.messages[0].content


ASKED = "Q?\n(A) x\n(B) y"


def sent(condition: str, peers: Peers, seed: int = 11) -> list[list[str]]:
    """What every agent is sent, by round."""
    steps = debate().goes_on(condition, OPENED, peers, 2, seed)
    return [[call.messages[0].content for call in step] for step in held(steps)]


def test_vanilla_again_is_vanilla() -> None:
    peers = peers_in("full", 3)
    assert sent("again", peers) == sent("vanilla", peers)


def test_exchanged_labels_name_a_peers_response_as_the_agents_own() -> None:
    for number, step in enumerate(sent("swapped", peers_in("ring", 3))):
        for agent, content in enumerate(step, start=1):
            own, peer = (f"A{who} in round {number}" for who in (agent, agent % 3 + 1))
            assert content == PROMPTS.vanilla(ASKED, peer, [own])
    # Of several peers one is drawn, whose place the own response takes.
    found = Counter()
    for seed in range(200):
        content = sent("swapped", peers_in("full", 3), seed)[0][0]
        drawn = [
            PROMPTS.vanilla(ASKED, "A2 in round 0", ["A1 in round 0", "A3 in round 0"]),
            PROMPTS.vanilla(ASKED, "A3 in round 0", ["A2 in round 0", "A1 in round 0"]),
        ].index(content)
        found[drawn] += 1
    assert chisquare([found[0], found[1]]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        ("own", "These were your most recent opinions:\n- Opinion 1: "),
        ("others", "Based on the following other agents' opinions:\n- Agent Opinion 1: "),
    ],
)
def test_one_label_for_all_shows_what_anonymized_shows(condition: str, begins: str) -> None:
    peers = peers_in("full", 3)
    for alike, blind in zip(sent(condition, peers), sent("anonymized", peers), strict=True):
        for one, other in zip(alike, blind, strict=True):
            assert one.startswith(f"{ASKED}\n{begins}")
            shown = [re.findall(r"Opinion (\d): (A\d in round \d)", text) for text in (one, other)]
            assert shown[0] == shown[1] and len(shown[0]) == 3
            assert one.endswith(unbroken(LAST))


def test_baselines_show_no_peer() -> None:
    peers = peers_in("full", 3)
    for number, step in enumerate(sent("refined", peers)):
        for agent, content in enumerate(step, start=1):
            assert content == PROMPTS.refined(ASKED, f"A{agent} in round {number}")
            assert re.findall(r"A\d in round \d", content) == [f"A{agent} in round {number}"]
    assert sent("sampled", peers) == [[PROMPTS.opening(ASKED)] * 3] * 2


def test_a_lone_agent_has_nobody_to_exchange_labels_with() -> None:
    (step,) = held(debate(1).goes_on("swapped", OPENED[:1], ((),), 1, 3))
    assert step[0].messages[0].content == PROMPTS.vanilla(ASKED, OPENED[0], [])


def test_every_order_of_opinions_is_as_likely_and_rounds_and_agents_draw_their_own():
    counts = Counter(tuple(order(seed, 1, 1, 3)) for seed in range(1200))
    assert set(counts) == set(permutations(range(3)))
    assert chisquare(list(counts.values())).pvalue > 1e-4
    pairs = Counter(
        (order(s, 1, 1, 2)[0], order(s, n, a, 2)[0])
        for s in range(500)
        for n, a in ((1, 2), (2, 1))
    )
    assert chisquare(list(pairs.values())).pvalue > 1e-4
    assert len(pairs) == 4


def test_a_persona_is_the_agents_role_and_system_message():
    panel = debate(2, ["Doctor", "Programmer"], ["You are a doctor.", "You are a programmer."])
    (step,) = held(panel.opening())
    assert [call.role for call in step] == ["Doctor", "Programmer"]
    assert [call.messages[0] for call in step] == [
        Message("system", "You are a doctor."),
        Message("system", "You are a programmer."),
    ]
    (later,) = held(panel.goes_on("vanilla", ["x", "y"], peers_in("ring", 2), 1, 5))
    assert [message.role for message in later[0].messages] == ["system", "user"]
    assert later[1].again(("no final answer",))[0] == Message("system", "You are a programmer.")


def test_a_response_without_a_final_answer_is_the_only_violation():
    (step,) = held(debate().opening())
    assert step[0].format.read("I think so. {final answer: (B)}") == Parsed("B")
    for text in ("I think (B).", "{final answer: (C)}", ""):
        assert step[0].format.read(text) == Parsed(None, ("no final answer",))
    numeric = TeamDebate(
        PROMPTS, "Q?", AnswerFormat("numeric", ()), Decoding(1.0, 64), "m", (AGENT,) * 2, ("", "")
    )
    (step,) = held(numeric.opening())
    assert step[0].format.read("{final answer: (12.5)}") == Parsed("12.5")
    assert step[0].format.read("{final answer: (B)}").problems == ("no final answer",)


def test_a_repair_is_the_same_prompt_with_one_sentence_more():
    (step,) = held(debate().goes_on("vanilla", OPENED, peers_in("full", 3), 1, 5))
    (message,) = step[1].again(("no final answer",))
    before, _, sentence = message.content.rpartition("\n\n")
    assert before == step[1].messages[0].content
    assert sentence == PROMPTS.wording.repair
    assert '"{final answer: (A)}"' in sentence


def test_a_prompt_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(ResourceError, match=r"none\.yaml cannot be read"):
        Prompts.read(tmp_path / "none.yaml")


def test_the_digest_of_a_condition_is_of_its_wording_and_of_what_mends_a_reply():
    wording = read_yaml(FOLDER / "debate.yaml")
    expected = digest([wording["vanilla"], wording["repair"]])
    assert PROMPTS.sha256("vanilla") == expected
