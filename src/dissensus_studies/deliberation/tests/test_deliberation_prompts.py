"""The prompt files, and what is filled into them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dissensus.digests import digest
from prompt_faults import NOT_THERE, said_of_change, shipped
from scripted import ROOT

from ..controls.crit import Assessment
from ..prompts import Spoken, View
from ..turns import ParsedTurn, parse_turn
from .deliberation_sessions import TOPIC, WORDING

ROUND, JUDGING = "deliberation/round.yaml", "deliberation/judging.yaml"
TONES = shipped(ROUND).split("tones:")[1].split("\n\n")[0]
RETRIES = shipped(JUDGING).split("retries:")[1]

#: A text of a shipped file, what stands in its place, and the sentence or how it begins.
FAULTS = [
    (
        ROUND,
        "Question: {QUESTION}",
        "Question: {QUESTIN}",
        "line 10: template has {QUESTIN}, which is no slot; {QUESTION} is.",
    ),
    (ROUND, "  {TRANSCRIPT}\n", "", "line 10: template lacks {TRANSCRIPT}; put it in."),
    (
        ROUND,
        '"- {OPTION}"',
        '"- {LABEL}"',
        "line 38: option has {LABEL}, which is no slot; its slots are {OPTION}.",
    ),
    (ROUND, '{ID}: {TEXT}"\n\ntopo', '{ID}"\n\ntopo', "line 39: evidence lacks {TEXT}; put it in."),
    (
        ROUND,
        "is wrong with it.",
        "is wrong with {CLAIM}.",
        f"line 45: topologies.full has {{CLAIM}}, {NOT_THERE}",
    ),
    (
        ROUND,
        "to what is not.",
        "to what {AGENT} says.",
        f"line 63: tones.2 has {{AGENT}}, {NOT_THERE}",
    ),
    (
        ROUND,
        "Stance: {STANCE}",
        "Stance: {STANCE} {BETA}",
        "line 78: turn has {BETA}, which is no slot; its slots are",
    ),
    (ROUND, 'option "{OPTION}".', "right option.", "line 96: hint lacks {OPTION}; put it in."),
    (ROUND, "  {ENTRIES}\n", "", "line 99: assessment lacks {ENTRIES}; put it in."),
    (
        ROUND,
        "with the option that it leads to.",
        "with {OPTION}.",
        f"line 104: reply has {{OPTION}}, {NOT_THERE}",
    ),
    (
        JUDGING,
        "  {TURN}\n\n  Read",
        "  {TRANSCRIPT}\n\n  Read",
        "line 8: crit has {TRANSCRIPT}, which is no slot; its slots are",
    ),
    (
        JUDGING,
        "{REASON}\n    Write the turn again, in the same format. Let the text be",
        "None.\n    Write the turn again, in the same format. Let the text be",
        "line 62: retries.2 lacks {REASON}; put it in.",
    ),
    (
        ROUND,
        "  one_target: >-",
        "  one: >-",
        "line 48: topologies.one is no part; known here are emergent, full, one_target.",
    ),
    (ROUND, TONES, " calm", "line 56: tones holds 'calm'; it must be a list."),
    (ROUND, TONES, " []", "line 56: tones holds []; it needs at least 1 entry."),
    (JUDGING, RETRIES, " abc", "line 52: retries holds 'abc'; it must be a list."),
    (
        JUDGING,
        RETRIES,
        " ['{REASON}', '{REASON}']",
        "line 52: retries holds ['{REASON}', '{REASON}']; it needs at least 3 entries.",
    ),
]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_digests_are_of_the_wording_of_debaters_and_of_judges_where_there_are():
    debating, judging = (yaml.safe_load(shipped(name)) for name in (ROUND, JUDGING))
    assert WORDING.sha256(judged=True) == digest([debating, judging])
    assert WORDING.sha256(judged=False) == digest([debating, None])


@pytest.mark.parametrize(("name", "old", "new", "sentence"), FAULTS)
def test_a_fault_is_a_sentence_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, sentence: str
):
    said = said_of_change(tmp_path, name, old, new)
    assert any(line.startswith(sentence) for line in said), said


def test_an_example_in_the_prompt_is_no_turn():
    """A debater that repeats its instructions has not taken a stance."""
    view = View(("A1", "A2"), 1, 1, (), "emergent", None, None, {})
    assert not parse_turn(WORDING.round_prompt(TOPIC, "A1", view).content, TOPIC.options).stance


def test_scores_that_are_missing_are_shown_as_none():
    spoken = (WORDING.shown(Spoken("A1", 1, ParsedTurn("x"))),)
    assessments = {"A1": Assessment("c", ((10.0, 5.0),), (), ())}
    view = View(("A1", "A2"), 2, 2, spoken, "emergent", None, None, assessments)
    assert "quality 0.50; reasons (validity/credibility) 10/5; rival reasons none" in (
        WORDING.round_prompt(TOPIC, "A1", view).content
    )
