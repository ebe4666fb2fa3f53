"""No example of a reply names a choice: a model that copies it must not look as if it chose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

STUDIES = Path(__file__).parents[1] / "src/dissensus_studies"
FILES = sorted(STUDIES.glob("*/prompts/*.yaml"))
#: How a file says that its source's own example, which it keeps, names an answer.
MARK = "it names one answer"

#: A member of an object in an example, whose value is one number, one truth value or one word; a
#: list of words counts by its first.
_MEMBER = re.compile(
    r'"(?P<name>\w+)": \[?(?P<value>true|false|null|-?\d[\d.]*|"[^" {}]+")(?! or\b)'
)
#: A line of an example such as "Vote: Agree"; a slot in brackets names nothing.
_LINE = re.compile(r"(?:such as|just like|in this form):?\s*\n(?P<lines>(?:[A-Z]\w+: .+\n?)+)")
_OWN = re.compile(r"\{final answer: \((?P<value>\w)\)\}")
#: What names a thing of the reply's own, or stands for any text.
_HARMLESS = {("id", '"c1"')}


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def named(text: str) -> list[str]:
    """The choices that the examples of a prompt name."""
    found = [
        f"{match['name']}: {match['value']}"
        for match in _MEMBER.finditer(text)
        if match["value"] != '"..."' and (match["name"], match["value"]) not in _HARMLESS
    ]
    for block in _LINE.finditer(text + "\n"):
        lines = block["lines"].splitlines()
        found += [line for line in lines if not re.search(r": [\[{]", line)]
    return found + [f"final answer: {match['value']}" for match in _OWN.finditer(text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STUDIES)))
def test_no_example_of_a_reply_names_a_choice(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = [name for text in texts(yaml.safe_load(source)) for name in named(text)]
    if MARK in re.sub(r"\s*\n# ?", " ", source):
        # The source's own, word for word, and marked as such.
        assert set(found) == {"final answer: A"}
    else:
        assert found == []


def test_examples_that_name_a_choice_are_found() -> None:
    assert len(FILES) > 10
    assert named('Reply with {"winner": "A", "reason": "..."}') == ['winner: "A"']
    assert named('{"rank": 1, "new": false, "specific": true or false}') == [
        "rank: 1",
        "new: false",
    ]
    assert named('{"evidence": ["e1"]}') == ['evidence: "e1"']
    assert named("one line, such as:\nVote: Neutral\n") == ["Vote: Neutral"]
    assert named("one line, such as:\nVote: Neutral") == ["Vote: Neutral"]
    assert named("in this form:\nConfidence: [0 to 1]\nVote: [one]\n") == []
    assert named('just like: "{final answer: (A)}"') == ["final answer: A"]
