"""Arabic and Korean: prompts by name, simulated debaters of both, and the run of the docs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.session.format_rules import SpeechRules
from dissensus.text.sentences import split_sentences
from dissensus.user_files import read_yaml
from dissensus_studies.language import simulated
from dissensus_studies.language.prompts import Prompts
from dissensus_studies.language.simulated_parallel import NoParallel, render_debate
from support import ROOT, Project

FOLDER = ROOT / "examples/languages"
PROMPTS = ROOT / "src/dissensus_studies/language/prompts"
SCRIPTS = {"en": "latin", "ar": "arabic", "ko": "hangul"}
SPEECH = {
    "arguments": str(FOLDER / "arguments"),
    "motions": str(FOLDER / "motions.csv"),
    "recycle": {"en": 0.3, "ar": 0.3, "ko": 0.3},
}
TOPIC = "This House would abolish homework"


@pytest.mark.parametrize(
    ("language", "name"), [("ar", "Arabic"), ("ko", "Korean"), ("en", "English")]
)
def test_a_prompt_asks_for_the_language_by_its_name(language: str, name: str) -> None:
    prompts = Prompts.read(PROMPTS / "any.yaml", language)
    content = prompts.turn(TOPIC, prompts.schedule[0], [])
    assert f"You must write in {name} only." in content and "{" not in content
    other = Prompts.read(PROMPTS / "any.yaml", "de")
    assert prompts.sha256 != other.sha256


def test_the_prompt_for_any_language_is_the_papers() -> None:
    paper = Prompts.read(PROMPTS / "en.yaml", "en")
    assert Prompts.read(PROMPTS / "any.yaml", "en").sha256 == paper.sha256


def test_a_language_without_a_name_is_a_sentence() -> None:
    with pytest.raises(ResourceError, match=r"slot \{LANGUAGE\}, and nothing says what 'qq'"):
        Prompts.read(PROMPTS / "any.yaml", "qq")
    assert "English only" in Prompts.read(PROMPTS / "en.yaml", "qq").language_instruction


def debate(language: str, seed: int) -> list[dict[str, str]]:
    """A whole debate of simulated debaters, by the study's own prompts."""
    prompts = Prompts.read(PROMPTS / "any.yaml", language)
    transcript: list[Any] = []
    turns = []
    for number, turn in enumerate(prompts.schedule):
        content = prompts.turn(TOPIC, turn, transcript)
        rng = np.random.default_rng([seed, number])
        text = simulated.speak([Message("user", content)], {"speech": SPEECH}, rng)
        turns.append({"speaker": turn.speaker, "model": "m", "text": text})
        transcript.append(_Said(prompts.roles[turn.speaker], turn.round, text))
    return turns


class _Said:
    """What a prompt needs of a turn before it."""

    def __init__(self, role: str, round_label: str, text: str) -> None:
        self.role, self.round_label, self.text = role, round_label, text


@pytest.mark.parametrize("language", SCRIPTS)
def test_debaters_speak_it_and_keep_the_rules(language: str) -> None:
    for seed in range(5):
        turns = debate(language, seed)
        for number, turn in enumerate(turns):
            rules = SpeechRules(4 if number > 5 else 5, 50, SCRIPTS[language])
            assert rules.violations(turn["text"]) == (), turn["text"]


@pytest.mark.parametrize(("spoken", "into"), [("ar", "ko"), ("ko", "ar"), ("en", "ar")])
def test_a_debate_has_an_exact_parallel_there_and_back(spoken: str, into: str) -> None:
    sources = {"m": SPEECH}
    for seed in range(3):
        turns = debate(spoken, seed)
        there = render_debate(turns, sources, TOPIC, spoken, into)
        for turn, text in zip(turns, there, strict=True):
            assert len(split_sentences(text)) == len(split_sentences(turn["text"]))
            assert SpeechRules(len(split_sentences(text)), 50, SCRIPTS[into]).violations(text) == ()
        rendered = [{**turn, "text": text} for turn, text in zip(turns, there, strict=True)]
        back = render_debate(rendered, sources, TOPIC, into, spoken)
        assert back == [turn["text"] for turn in turns]


def test_a_language_that_debaters_do_not_speak_is_refused() -> None:
    prompts = Prompts.read(PROMPTS / "any.yaml", "de")
    content = prompts.turn(TOPIC, prompts.schedule[0], [])
    with pytest.raises(ResourceError, match="speak Arabic and English and Korean alone"):
        simulated.check_prompt(content, SPEECH["arguments"])
    with pytest.raises(NoParallel):
        render_debate(debate("ar", 1), {"m": SPEECH}, TOPIC, "ar", "de")


def test_frames_and_clauses_are_in_every_language_row_by_row() -> None:
    frames = read_yaml(FOLDER / "arguments/frames.yaml")
    assert set(frames) == set(SCRIPTS)
    for kind, own in frames["en"].items():
        for language in SCRIPTS:
            other = frames[language][kind]
            assert type(other) is type(own)
            if isinstance(own, list):
                slots = [
                    [sorted(s.lower() for s in re.findall(r"\{\w+\}", each)) for each in listed]
                    for listed in (own, other)
                ]
                assert slots[0] == slots[1], (kind, language)
    for language in SCRIPTS:
        space = simulated.space_of(SPEECH["arguments"], SPEECH["motions"], TOPIC, language)
        assert len(space.clauses) == 30 and all(clause.text for clause in space.clauses)


@pytest.mark.thorough
@pytest.mark.run
def test_the_run_of_the_docs_says_what_they_print(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(FOLDER, project.folder / "examples/languages")
    project.configuration = "examples/languages/config.yaml"
    project.succeed("results/languages/language/findings.parquet", cores=2)
    folder = project.folder / "results/languages/language"
    said = pq.read_table(folder / "findings.parquet").to_pylist()
    sentences = " ".join(row["sentence"] for row in said)
    page = (PROMPTS.parent / "docs.md").read_text("utf-8")
    printed = re.findall(r"^language: (.+)$", page, re.M)
    assert len(printed) == 2
    for line in printed:
        assert line in sentences, line
    turns = pq.read_table(folder / "turns.parquet").to_pandas()
    assert turns.groupby("language")["compliant"].mean().min() == 1.0
