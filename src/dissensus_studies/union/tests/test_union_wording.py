"""The prompt files: every part is needed, and a fault is found before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from prompt_faults import NOT_THERE, TRUTH, said_of_change, shipped
from scripted import ROOT

from ..study import Union
from .test_union_study import settings
from .union_sessions import PROMPTS

DEBATE, JUDGING = "union/debate.yaml", "union/judging.yaml"
LENSES = shipped(DEBATE).split("lenses:")[1].split("\ndirective:")[0]

#: A text of a shipped file, what stands in its place, and how the sentence begins.
FAULTS = [
    (
        DEBATE,
        "{NOTES}",
        "{NOTE}",
        "line 61: speech has {NOTE}, which is no slot; {NOTES} is.",
    ),
    (DEBATE, "  {DIRECTIVE}\n", "", "line 30: prepare lacks {DIRECTIVE}; put it in."),
    (
        DEBATE,
        "\n  Closing patterns: {CLOSINGS}",
        "",
        "line 21: style_entry lacks {CLOSINGS}; put it in.",
    ),
    (
        DEBATE,
        "The motion is: {MOTION}",
        "The motion is: {motion}",
        "line 30: prepare has {motion}; write {MOTION}.",
    ),
    (
        DEBATE,
        "  [{NUMBER}] {TEXT}",
        "  [{NUMBER}] {TEXT} {SPEAKER}",
        "line 28: passage has {SPEAKER}, which is no slot; its slots are {TEXT}, {NUMBER}.",
    ),
    (
        DEBATE,
        "when things go wrong",
        "when {SIDE} goes wrong",
        f"line 51: lenses.6 has {{SIDE}}, {NOT_THERE}",
    ),
    (DEBATE, "  - Ask who bears the cost when things go wrong\n", "", "line 44: lenses holds ["),
    (DEBATE, LENSES, " a lens", "line 44: lenses holds 'a lens'; it must be a list."),
    (DEBATE, LENSES, " []", "line 44: lenses holds []; it needs at least 8 entries."),
    (DEBATE, "none: none", 'none: "\\ue000"', "line 167: none has the character U+E000; take it"),
    (
        JUDGING,
        "## Team {SLOT}, speech",
        "## Team, speech",
        "line 84: blind_entry lacks {SLOT}; put it in.",
    ),
    (
        JUDGING,
        "person: a person",
        "persons: a person",
        "line 92: masks.persons is no part; 'person' is.",
    ),
    (JUDGING, "person: a person", "person: on", f"line 92: masks.person holds True; {TRUTH}"),
    (
        JUDGING,
        'side: "team {SLOT}"',
        'side: "the {SIDE}"',
        "line 92: masks.side has {SIDE}, which is no slot; its slots are {SLOT}.",
    ),
    (
        JUDGING,
        "  {TRANSCRIPT}\n  =====\n  Team A is",
        "  =====\n  Team A is",
        "line 93: labelled lacks {TRANSCRIPT}; put it in.",
    ),
    (
        JUDGING,
        "doing it wrong. Re-read the transcript.",
        "doing it wrong: {FOUND}.",
        f"line 65: both_directions has {{FOUND}}, {NOT_THERE}",
    ),
]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_prompt_is_rendered_before_a_run() -> None:
    for switches in ({}, {"definitions": False}, {"points": False}, {"audited": False}):
        Union(settings(protocol=switches)).compile_prompts()


@pytest.mark.parametrize(("name", "old", "new", "sentence"), FAULTS)
def test_a_fault_of_a_prompt_file_is_a_sentence_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, sentence: str
) -> None:
    said = said_of_change(tmp_path, name, old, new)
    assert any(line.startswith(sentence) for line in said), said


def test_the_printed_sentences_are_word_for_word() -> None:
    """From the post; the source prints these and no other."""
    texts = [" ".join(Path(path).read_text(encoding="utf-8").split()) for path in PROMPTS.values()]
    for sentence in (
        "Lead with your most concrete, evidence-backed argument",
        "Find the most counterintuitive angle in your preparation material",
        "All speakers should argue within this framework. If you disagree, contest explicitly — do "
        "NOT silently operate under different definitions.",
        "You MUST look for rebuttals in BOTH directions. If you find 10+ rebuttals from one side "
        "but 0 from the other, you are doing it wrong. Re-read the transcript.",
    ):
        assert sum(sentence in text for text in texts) == 1
