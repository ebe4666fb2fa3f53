"""The prompt files: every part is needed, and a fault is found before a run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dissensus.errors import ResourceError
from dissensus.union.study import Union
from prompt_faults import NOT_THERE, QUOTED, TRUTH, said_of, said_of_change, shipped
from scripted import ROOT
from union.test_union_study import settings
from union.union_sessions import PROMPTS

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
    (
        DEBATE,
        "nothing_yet: Nothing has been said yet.",
        "nothing_yet: no",
        f"line 79: nothing_yet holds False; {TRUTH}",
    ),
    (DEBATE, "none: none", "none: 0", f"line 167: none holds 0; {QUOTED}"),
    (DEBATE, "none: none", 'none: "\\ue000"', "line 167: none has the character U+E000; take it"),
    (DEBATE, "none: none", 'none: " "', "line 167: none is empty; write its text."),
    (
        DEBATE,
        "nothing_yet:",
        "no:",
        "line 79: no is read as a truth value; put the key in quotes.",
    ),
    (DEBATE, "contest:", "definitions:", "line 132: definitions stands in line 123 already"),
    (DEBATE, "memo_claim:", "memo_claims:", "line 160: memo_claims is no part; 'memo_claim' is."),
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

#: What the whole file may hold.
WHOLE = [
    (DEBATE, b"", "it is empty; it must be a block of parts."),
    (JUDGING, b"- masks", "it holds ['masks']; it must be a block of parts."),
    (JUDGING, b"a: [", "line 1: it is not YAML ("),
    (DEBATE, b"\xff\xfea\0", "line 1: it is not UTF-8; save it as UTF-8."),
]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_prompt_is_rendered_before_a_run() -> None:
    for switches in ({}, {"definitions": False}, {"points": False}, {"audited": False}):
        Union(settings(protocol=switches)).compile_prompts()


def test_every_part_of_the_prompt_files_is_needed(tmp_path: Path) -> None:
    for file, path in PROMPTS.items():
        wording = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        for part in wording:
            rest = {name: text for name, text in wording.items() if name != part}
            changed = tmp_path / "changed.yaml"
            changed.write_text(yaml.safe_dump(rest), encoding="utf-8")
            with pytest.raises(ResourceError, match=f"{part} is missing"):
                Union(settings(**{file: str(changed)})).compile_prompts()


@pytest.mark.parametrize(("name", "old", "new", "sentence"), FAULTS)
def test_a_fault_of_a_prompt_file_is_a_sentence_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, sentence: str
) -> None:
    said = said_of_change(tmp_path, name, old, new)
    assert any(line.startswith(sentence) for line in said), said


@pytest.mark.parametrize(("name", "content", "sentence"), WHOLE)
def test_a_file_that_is_no_prompt_file_is_a_sentence(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (said,) = said_of(tmp_path, name, content)
    assert said.startswith(sentence)


@pytest.mark.parametrize("name", [DEBATE, JUDGING])
def test_the_shipped_files_pass(tmp_path: Path, name: str) -> None:
    assert said_of(tmp_path, name, shipped(name)) == []


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
