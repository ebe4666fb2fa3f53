"""The words and marks that the study's figures and tables share."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from dissensus.report.escaping import label
from dissensus.report.labels import counted
from dissensus.report.style import Mark
from dissensus.report.view import Artefacts

from ..tables import ALL, CONTESTED, FATES, SIDES

#: More motions than these are in the tables alone.
MOST_MOTIONS = 4

#: A side, or that nobody won.
VERDICTS = (
    Mark(SIDES[0], "#0b3c6f", "o"),
    Mark(CONTESTED, "#bdbdbd", "s", hatch="////"),
    Mark(SIDES[1], "#e08a00", "D"),
)
COACHED = Mark("coached", "#0b3c6f", "o")
ARMS = (COACHED, Mark("control", "#8a8a8a", "s", (0, (4, 1.5))))
FATE_MARKS = (
    Mark(FATES[0], "#3f9b7a", "o"),
    Mark(FATES[1], "#d9d9d9", "s", hatch="////"),
    Mark(FATES[2], "#8c2d04", "D", hatch="xxxx"),
)
BIASES = {"position": "Position", "verbosity": "Length", "side": "Side prior"}
#: What a judge without the bias shows.
UNBIASED = {"position": 0.5, "verbosity": 0.0, "side": 0.5}


def motion_words(motion: str) -> str:
    """A motion's name for readers."""
    return "all motions" if motion == ALL else label(motion, 28)


def judge_words(judge: str) -> str:
    """A judge's name for readers."""
    return "all judges" if judge == ALL else label(judge, 24)


def kind_words(kind: str) -> str:
    """Such as "evidence-backed" for evidence_backed."""
    return kind.replace("_", "-")


def motions_of(frame: pd.DataFrame) -> list[str]:
    """The motions in their order, with all of them together last where there are several."""
    motions = set(frame["motion_id"])
    return [*sorted(motions - {ALL}), *([ALL] if ALL in motions else [])]


def left_out(motions: Iterable[str]) -> str:
    """How many motions a figure has no room for, as a sentence; "" where it has them all."""
    left = len(set(motions) - {ALL}) - MOST_MOTIONS
    return f"{counted(left, 'further motion')} only in the tables." if left > 0 else ""


def footnotes(notes: Iterable[str]) -> tuple[dict[str, str], str]:
    """A mark for each different note of a table's rows, and the notes with their marks.

    Long notes that many rows share would make a table that nobody can read.
    """
    marks = {"": ""}
    for note in notes:
        marks.setdefault(note, str(len(marks)))
    text = "".join(f" ({mark}) {note}" for note, mark in marks.items() if note)
    return marks, f" Notes:{text}" if text else ""


def attrition(artefacts: Artefacts) -> str:
    """How many debates came through, as "79 of 80 debates"."""
    ended = artefacts.facts("verdicts").over("count", "session_id")
    drawn = artefacts.facts("manifest").over("count", "session_id", kind="debate")
    return f"{ended} of {counted(drawn, 'debate')}"
