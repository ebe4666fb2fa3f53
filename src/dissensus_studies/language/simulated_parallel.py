"""Parallel texts of simulated debates: what was said, clause by clause, in another language.

Spaces of arguments and sentence frames are written in all languages, row by row. So a speech that
was composed in one has an exact parallel in the other: the same frames, with the same clauses and
labels. An answer becomes what a debater in the other language would have made of the same speech:
of its question, of a clause to quote, or of a point by name. Where two debates come from one
process, the parallel of the one has the distribution of the other; whatever a measure says of the
two is then the measure's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dissensus.text.sentences import split_sentences

from .simulated import join
from .simulated_space import (
    ANSWERS,
    Before,
    Clause,
    Space,
    composed,
    frames_of,
    space_of,
)

_PLACES = {
    "{X}": r"(?P<clause>.+)",
    "{x}": r"(?P<clause>.+)",
    "{label}": r"(?P<label>.+?)",
    "{quote}": r"(?P<quote>.+?)",
    "{named}": r"(?P<named>.+?)",
}
#: Which kind of clause a frame takes that is not of its own kind.
_TAKES = {"question": "harm", "takeaway": "claim", **dict.fromkeys(ANSWERS, "answer")}


class NoParallel(Exception):
    """A speech is not composed of whole frames and clauses, so that it has no exact parallel."""


@dataclass(frozen=True)
class Spoken:
    """One sentence, read: its frame, and the place of its clause in the space.

    Attributes
    ----------
    kind, frame : which of the frames.
    clause : number of the clause in the space.
    """

    kind: str
    frame: int
    clause: int


def render_debate(
    turns: Sequence[Mapping[str, Any]],
    sources: Mapping[str, Mapping[str, str]],
    topic: str,
    language: str,
    into: str,
) -> list[str]:
    """The texts of a debate in the other language.

    Parameters
    ----------
    turns : in order, each with ``speaker``, ``model`` and ``text``.
    sources : model -> its ``arguments`` and ``motions``, as its settings have them.
    topic : the motion as the debaters were given it, or its id.
    language, into : of the debate, and of the rendering.

    Returns
    -------
    A text for each turn.

    Raises
    ------
    NoParallel : a turn breaks the format rules in a way that frames and clauses do not show; or its
        debater does not speak both languages.
    """
    rendered: list[str] = []
    for turn in turns:
        source = sources[turn["model"]]
        arguments, motions = source["arguments"], source["motions"]
        if not {language, into} <= frames_of(arguments).keys():
            raise NoParallel(topic)
        spoken = space_of(arguments, motions, topic, language)
        other = space_of(arguments, motions, topic, into)
        side = "pro" if turn["speaker"].startswith("P") else "con"
        before = rendered[-1] if rendered else ""
        rendered.append(_render(turn["text"], arguments, spoken, other, side, before))
    return rendered


def _render(text: str, arguments: str, spoken: Space, other: Space, side: str, before: str) -> str:
    """One speech; ``before``: the rendering of the speech before it."""
    frames = frames_of(arguments)
    here, there = frames[spoken.language], frames[other.language]
    if text == " ".join([here["foreign"]] * text.count(here["foreign"])):
        return " ".join([there["foreign"]] * text.count(here["foreign"]))
    listed = text.startswith("- ")
    lines = [line.removeprefix("- ") for line in text.split("\n")]
    sentences, bold = [], []
    for sentence in [s for line in lines for s in split_sentences(line)]:
        # An emphasised sentence ends with the mark of its end inside the emphasis.
        plain = sentence.strip("*")
        if plain:
            bold.append(plain != sentence)
            sentences.append(plain)
    sentences_rendered = []
    for sentence, marked in zip(sentences, bold, strict=True):
        if sentence == here["greeting"] or sentence in split_sentences(here["greeting"]):
            composed = there["greeting"]
        else:
            composed = _compose(
                _read(sentence, arguments, spoken, side), there, other, side, before
            )
        sentences_rendered.append(f"**{composed}**" if marked else composed)
    return (
        "\n".join(f"- {line}" for line in sentences_rendered)
        if listed
        else join(sentences_rendered, other.language)
    )


def _compose(
    spoken: Spoken, frames: Mapping[str, Any], space: Space, side: str, before: str
) -> str:
    clause = space.clauses[spoken.clause]
    return composed(
        frames, spoken.kind, clause, lambda count: spoken.frame, Before(before, side, space)
    )


def _read(sentence: str, arguments: str, space: Space, side: str) -> Spoken:
    """Which frame and which clause a sentence is made of."""
    clauses = _clauses(space)
    for kind, number, pattern in _patterns(arguments, space.language):
        match = pattern.fullmatch(sentence)
        if not match:
            continue
        parts, taken = match.groupdict(), _TAKES.get(kind, kind)
        if kind == "question_asked":
            # It has no clause of its own side.
            return Spoken(kind, number, 0)
        if "clause" in parts:
            place = clauses.get((side, taken, parts["clause"].lower()))
        else:
            place = clauses.get((side, taken, "label:" + parts["label"].lower()))
        if place is None:
            continue
        if "label" in parts and parts["label"] != space.clauses[place].label:
            continue
        return Spoken(kind, number, place)
    raise NoParallel(sentence)


@cache
def _clauses(space: Space) -> dict[tuple[str, str, str], int]:
    """Side, kind, and a clause's text or the label of its point -> number of the clause."""
    numbers: dict[tuple[str, str, str], int] = {}
    for number, clause in enumerate(space.clauses):
        numbers[clause.side, clause.kind, clause.lower] = number
        numbers.setdefault((clause.side, clause.kind, "label:" + _label(clause)), number)
    return numbers


def _label(clause: Clause) -> str:
    return clause.label.lower()


@cache
def _patterns(arguments: str, language: str) -> list[tuple[str, int, re.Pattern[str]]]:
    """Kind, number and pattern of every frame, those with most words of their own first."""
    patterns = []
    for kind, frames in frames_of(arguments)[language].items():
        for number, frame in enumerate(frames if isinstance(frames, list) else []):
            pieces = re.split(r"(\{\w+\})", frame)
            pattern = "".join(_PLACES.get(piece) or re.escape(piece) for piece in pieces)
            patterns.append((len(frame), kind, number, re.compile(pattern)))
    return [(kind, number, pattern) for _, kind, number, pattern in sorted(patterns, key=_longest)]


def _longest(entry: tuple[int, str, int, Any]) -> int:
    return -entry[0]
