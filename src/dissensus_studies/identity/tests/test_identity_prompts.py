"""What is said of prompt files of the identity study before a run begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from prompt_faults import NOT_THERE, QUOTED, said_of, said_of_change
from scripted import ROOT

DEBATE, PERSONAS = "identity/debate.yaml", "identity/personas.yaml"


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


#: A text of a shipped file, what stands in its place, and the sentence or how it begins.
FAULTS = [
    (
        DEBATE,
        "vanilla: |-\n  <question>",
        "vanilla: |-\n  <topic>",
        "line 22: vanilla has <topic>, which is no slot; its slots are",
    ),
    (
        DEBATE,
        "opening: |-\n  <question>\n",
        "opening: |-\n",
        "line 18: opening lacks <question>; put it in.",
    ),
    (
        DEBATE,
        "1: <peer agent's response",
        "1: <peer agents response",
        "line 22: vanilla has <peer agents response from the previous round>, which is no slot; "
        "<peer agent's response from the previous round> is.",
    ),
    (
        DEBATE,
        "- <agent's response",
        "- <question> <agent's response",
        "line 22: vanilla has <question> and <agent's response from the previous round> in one "
        "line; give each its own.",
    ),
    (
        DEBATE,
        "opening: |-\n  <question>",
        "opening: |-\n  <question>\n  {TOPIC}",
        "line 18: opening has {TOPIC}, which is no slot; its slots are <question>.",
    ),
    (
        DEBATE,
        "  Your last response had",
        "  To <question> your last response had",
        f"line 39: repair has <question>, {NOT_THERE}",
    ),
    (
        PERSONAS,
        "You are a mathematician.",
        "You are a {PERSONA}.",
        f"line 19: Mathematician has {{PERSONA}}, {NOT_THERE}",
    ),
    (PERSONAS, "Doctor: >-\n", "Doctor: 7\nSurgeon: >-\n", f"line 10: Doctor holds 7; {QUOTED}"),
    (
        PERSONAS,
        "Programmer: >-",
        "Doctor: >-",
        "line 23: Doctor stands in line 10 already; keep one.",
    ),
]

#: What the whole file may hold.
WHOLE = [
    (PERSONAS, b"[Doctor, Nurse]", "it holds ['Doctor', 'Nurse']; it must be a block of personas."),
    (PERSONAS, b"{}", "it holds {}; it needs at least 1 entry."),
    (PERSONAS, b"Dr. No: []\nDoctor: x", "line 1: Dr. No holds []; it must be a text."),
]


def test_a_persona_may_be_the_only_one(tmp_path: Path):
    assert said_of(tmp_path, PERSONAS, "Dr. No: You are a doctor.") == []


@pytest.mark.parametrize(("name", "old", "new", "sentence"), FAULTS)
def test_a_fault_is_a_sentence_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, sentence: str
):
    said = said_of_change(tmp_path, name, old, new)
    assert any(line.startswith(sentence) for line in said), said


@pytest.mark.parametrize(("name", "content", "sentence"), WHOLE)
def test_another_file_is_told(tmp_path: Path, name: str, content: bytes, sentence: str):
    (said,) = said_of(tmp_path, name, content)
    assert said.startswith(sentence)
