"""The debate prompt is the paper's, word for word; the fixture is typed from its appendix D."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.session.protocol import Call, Decoding
from scripted import ROOT

from ..prompts import Prompts
from ..protocol import debate

FOLDER = ROOT / "studies" / "language" / "prompts"
EN, ZH = (Prompts.read(FOLDER / f"{language}.yaml") for language in ("en", "zh"))
CAST = {"P1": "a", "P2": "b", "O1": "c", "O2": "d"}

# Appendix D.1 with the line breaks of the printed column.
PAPER = """\
You are participating in a debate about
"{TOPIC}".
{LANGUAGE_INSTRUCTION}

Your role is: {ROLE}.
Current round: {ROUND_INFO}

Output rules (must follow exactly):
- Plain text only. No markdown or formatting
symbols: #, *, **, _, ~, ` , >, |.
- Do not greet anyone. Do not announce your
role, the round, or restate the topic.
- No bullet/numbered lists. No headings. No
emojis.
- Length and structure:
  - Opening / Rebuttal / Cross-examination:
  exactly 5 sentences, each <= 50 words.
  - Closing: exactly 4 sentences, each <= 50
  words.

Content rules:
- Sentence 1: a clear claim that advances your
side.
- Sentence 2: your strongest reason or
concrete example (no fabricated statistics).
- Sentence 3: directly answer one key point
from the previous speaker (quote <= 10 words
in single quotes), then rebut it.
- Sentence 4: weigh risks/tradeoffs and show
why your side minimizes the worst plausible
outcome.
- Final sentence: either a sharp question to
the opponent or a decisive takeaway. Do not
say "Judges" or "vote".

Your position: {POSITION_LINE}

{OPTIONAL_PREVIOUS_SPEAKER_BLOCK}

{OPTIONAL_DEBATE_HISTORY_BLOCK}

Strategy:
{STRATEGY_PROMPT}

Deliver your statement now.
"""
INSTRUCTIONS = {
    "en": "You must write in English only.",
    "zh": "You must write in Simplified Chinese only.",
}
ROLES = {
    "P1": "Pro First Speaker",
    "O1": "Con First Speaker",
    "P2": "Pro Second Speaker",
    "O2": "Con Second Speaker",
}
# Appendix D.3.
STRATEGIES = {
    "opening": "Build a clear argument framework. Use a strong analogy or concrete example (no "
    "fabricated statistics).",
    "rebuttal": "Directly engage the opponent’s core claim. Expose weak assumptions, "
    "contradictions, or ask a pointed question.",
    "closing": "Summarize the decisive clashes, explain why your side minimizes the worst-case "
    "risk, and end with a crisp takeaway.",
}
# Appendix D.2, each turn with its strategy and its number of sentences.
SCHEDULE = [
    ("P1", "Round 1: Pro Opening Statement", "opening", 5),
    ("O1", "Round 1: Con Opening Statement", "opening", 5),
    ("P2", "Round 2: Pro Supplementary/Rebuttal", "rebuttal", 5),
    ("O2", "Round 2: Con Supplementary/Rebuttal", "rebuttal", 5),
    ("P1", "Round 3: Pro Cross-examination", "rebuttal", 5),
    ("O1", "Round 3: Con Cross-examination", "rebuttal", 5),
    ("P2", "Round 4: Pro Closing Statement", "closing", 4),
    ("O2", "Round 4: Con Closing Statement", "closing", 4),
]
# Appendix D.4.
REPAIR = (
    "Your last response violated the rules: {VIOLATION_REASON}. Rewrite the entire response to "
    "comply exactly."
)
DECODING = Decoding(0.2, 512)
MOTIONS = {"en": "This House would act", "zh": "本院将采取行动"}


def words(text: str) -> list[str]:
    """A text without its line breaks, so that only the wording counts."""
    return text.split()


def play(prompts: Prompts, topic: str, speeches: list[str], *, system: bool = False) -> list[Call]:
    """The calls of a debate in which these speeches are given."""
    steps = debate(
        prompts,
        topic,
        CAST,
        script="latin",
        words_per_sentence=50,
        system_message=system,
        decoding=DECODING,
    )()
    calls, step = [], next(steps)
    for speech in speeches:
        (call,) = step
        calls.append(call)
        try:
            step = steps.send([call.turn(speech)])
        except StopIteration:
            return calls
    return [*calls, *step]


SPEECHES = [f"Speech {number}. It has {number} points." for number in range(1, 9)]


@pytest.mark.parametrize(("prompts", "language"), [(EN, "en"), (ZH, "zh")])
def test_every_prompt_is_the_papers_word_for_word(prompts: Prompts, language: str):
    calls = play(prompts, MOTIONS[language], SPEECHES)
    assert len(calls) == 8
    for index, (call, (speaker, label, strategy, _)) in enumerate(
        zip(calls, SCHEDULE, strict=True)
    ):
        previous = history = ""
        if index:
            entries = [
                f"{ROLES[who]} ({round_}): {speech}"
                for (who, round_, *_), speech in zip(SCHEDULE, SPEECHES[:index], strict=False)
            ]
            previous = "Previous speech:\n" + SPEECHES[index - 1]
            history = "Debate history so far:\n" + "\n".join(entries)
        expected = PAPER
        for name, value in {
            "TOPIC": MOTIONS[language],
            "LANGUAGE_INSTRUCTION": INSTRUCTIONS[language],
            "ROLE": ROLES[speaker],
            "ROUND_INFO": label,
            "POSITION_LINE": ("Support" if speaker[0] == "P" else "Oppose") + " the proposition.",
            "STRATEGY_PROMPT": STRATEGIES[strategy],
            "OPTIONAL_PREVIOUS_SPEAKER_BLOCK": previous,
            "OPTIONAL_DEBATE_HISTORY_BLOCK": history,
        }.items():
            expected = expected.replace("{" + name + "}", value)
        (message,) = call.messages
        assert message.role == "user"
        assert words(message.content) == words(expected)
        assert "\n\n\n" not in message.content
        assert "{" not in message.content


def test_the_schedule_is_the_papers():
    calls = play(EN, "x", SPEECHES)
    assert [call.number for call in calls] == list(range(1, 9))
    for call, (speaker, label, _, sentences) in zip(calls, SCHEDULE, strict=True):
        assert (call.speaker, call.role, call.round_label) == (speaker, ROLES[speaker], label)
        assert call.model == CAST[speaker]
        assert call.format.read(" ".join(["It is so."] * sentences)).problems == ()
        for wrong in (sentences - 1, sentences + 1):
            (found,) = call.format.read(" ".join(["It is so."] * wrong)).problems
            assert found == f"{wrong} sentences instead of exactly {sentences}"


def test_the_first_turn_has_no_blocks_and_no_gap():
    content = play(EN, "x", [])[0].messages[0].content
    assert "Previous speech" not in content
    assert "history" not in content
    assert "Your position: Support the proposition.\n\nStrategy:\n" in content
    assert content.endswith("Deliver your statement now.")


def test_the_history_grows_by_a_speech_a_turn():
    contents = [call.messages[0].content for call in play(EN, "x", SPEECHES)]
    for number, content in enumerate(contents):
        told = content.split("Debate history so far:\n")[-1]
        assert [speech in told for speech in SPEECHES] == [True] * number + [False] * (8 - number)
        if number:
            assert f"Previous speech:\n{SPEECHES[number - 1]}\n" in content


def test_a_repair_is_the_same_prompt_with_the_papers_instruction():
    call = play(EN, "x", ["One."])[1]
    (message,) = call.messages
    (again,) = call.again(("a reason", "another"))
    assert again.role == "user"
    assert again.content.startswith(message.content)
    added = again.content.removeprefix(message.content)
    assert words(added) == words(REPAIR.replace("{VIOLATION_REASON}", "a reason; another"))


@pytest.mark.parametrize("prompts", [EN, ZH])
def test_the_two_conditions_differ_in_their_language_alone(prompts: Prompts):
    en, zh = EN.model_dump(), ZH.model_dump()
    assert {key for key in en if en[key] != zh[key]} == {"language_instruction"}
    assert prompts.strategies.model_dump() == STRATEGIES
    assert prompts.repair == REPAIR


def test_a_system_message_is_sent_only_where_it_is_asked_for():
    without, with_ = (play(EN, "The motion", SPEECHES, system=on) for on in (False, True))
    for plain, told in zip(without, with_, strict=True):
        assert [m.role for m in plain.messages] == ["user"]
        system, user = told.messages
        assert (system.role, user) == ("system", plain.messages[0])
        assert told.role in system.content
        assert "The motion" in system.content
        assert [m.role for m in told.again(("x",))] == ["system", "user"]
        assert told.again(("x",))[0] == system


@pytest.mark.parametrize(
    "tricky",
    [
        "{TOPIC}",
        "{ROLE} {",
        "}{",
        "{HISTORY}",
        "{OPTIONAL_DEBATE_HISTORY_BLOCK}",
        "{0} {x!r} %s \\1",
    ],
)
def test_braces_in_a_motion_or_a_speech_are_safe(tricky: str):
    calls = play(EN, f"motion {tricky}", [f"speech {tricky}"] * 8)
    assert len(calls) == 8
    for number, call in enumerate(calls):
        content = call.messages[0].content
        assert content.count(f'about "motion {tricky}".') == 1
        # Once in the block of the previous speech, and once a turn in the history.
        assert content.count(f"speech {tricky}") == (number + 1 if number else 0)
        assert tricky in call.again((tricky,))[0].content.split("violated the rules")[1]


def test_a_speech_that_kept_breaking_the_rules_is_shown_on_one_line():
    content = play(EN, "x", ["One.\n\n\n\nTwo  {TOPIC}."])[1].messages[0].content
    assert content.count("\nOne. Two {TOPIC}.\n") == 1
    assert content.count(": One. Two {TOPIC}.\n") == 1


def test_a_speech_that_begins_as_the_prompt_does_is_quoted():
    for head in ("Debate history so far:", "Strategy: none", "Pro Second Speaker (Round 9): so"):
        content = play(EN, "x", [head])[1].messages[0].content
        assert content.count(f"\n> {head}") == 1


def test_the_prompt_of_a_turn_can_be_had_alone():
    assert EN.turn("x", EN.schedule[0], []) == play(EN, "x", [])[0].messages[0].content


def test_each_attempt_at_a_session_starts_afresh():
    rules = {"script": "latin", "words_per_sentence": 50, "system_message": False}
    start = debate(EN, "x", CAST, decoding=DECODING, **rules)
    first = next(start())[0].messages
    second = next(start())[0].messages
    assert first == second == (Message("user", first[0].content),)


def test_a_prompt_file_that_lacks_a_part_is_named(tmp_path: Path):
    wording = EN.model_dump()
    for part in wording:
        rest = {key: value for key, value in wording.items() if key != part}
        (tmp_path / "p.yaml").write_text(yaml.safe_dump(rest), encoding="utf-8")
        with pytest.raises(ResourceError, match=rf"p\.yaml: {part} is missing"):
            Prompts.read(tmp_path / "p.yaml")


def test_the_digest_of_prompts_is_of_their_wording(tmp_path: Path):
    text = (FOLDER / "en.yaml").read_text(encoding="utf-8")
    (tmp_path / "same.yaml").write_text("# a comment\n" + text, encoding="utf-8")
    (tmp_path / "other.yaml").write_text(text.replace("greet", "welcome"), encoding="utf-8")
    assert EN.sha256 == digest(yaml.safe_load(text))
    assert Prompts.read(tmp_path / "same.yaml").sha256 == EN.sha256
    assert Prompts.read(tmp_path / "other.yaml").sha256 != EN.sha256
