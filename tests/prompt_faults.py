"""What is said before a run of a prompt file with a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.plan.preflight import check_inputs
from dissensus.study.configuration import load
from dissensus.study.registry import study_folder
from dissensus.user_files import read_yaml
from scripted import ROOT

#: Prompt file of the project -> the setting that names it.
FILES = {
    "language/en.yaml": "language.languages.en.prompts",
    "language/zh.yaml": "language.languages.zh.prompts",
    "identity/debate.yaml": "identity.prompts",
    "identity/personas.yaml": "identity.personas",
    "deliberation/round.yaml": "deliberation.prompts",
    "deliberation/judging.yaml": "deliberation.judging",
    "union/debate.yaml": "union.prompts",
    "union/judging.yaml": "union.judging",
    "consensus/debate.yaml": "consensus.prompts",
    "consensus/sanity.yaml": "consensus.sanity.prompts",
    "consensus/learning.yaml": "consensus.learning.prompts",
}
#: Ends of sentences.
NOT_THERE = "and no slot is filled there; take it out."
QUOTED = "it must be a text; put it in quotes."
TRUTH = "it must be a text; unquoted yes, no, on and off are truth values, so put it in quotes."


def source_of(name: str) -> Path:
    """Where a prompt file of the project is."""
    study, _, file = name.partition("/")
    return study_folder(study) / "prompts" / file


def shipped(name: str) -> str:
    return source_of(name).read_text(encoding="utf-8")


def said_of(folder: Path, name: str, content: str | bytes) -> list[str]:
    """The sentences that end a run in which a prompt file holds something else; none if it begins.

    Each comes without the file, which it must begin with, and with a full stop.
    """
    path = folder / Path(name).name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    values: Any = read_yaml(ROOT / "config.yaml")
    *above, last = FILES[name].split(".")
    block = values
    for key in above:
        block = block[key]
    block[last] = str(path)
    values["studies"] = [FILES[name].split(".")[0]]
    try:
        check_inputs(load(values))
    except ResourceError as error:
        lines = str(error).split("\n")
        assert all(line.startswith(str(path)) and line.endswith(".") for line in lines), lines
        return [line.removeprefix(str(path)).lstrip(",: ") for line in lines]
    return []


def said_of_change(folder: Path, name: str, old: str, new: str) -> list[str]:
    """The same of a shipped file in which one text is changed."""
    text = shipped(name)
    assert old in text, old
    return said_of(folder, name, text.replace(old, new, 1))
