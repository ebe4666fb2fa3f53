"""The table of people's labels, and the names by which it has turns and sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.report.labels import listed
from dissensus.study.experiment.settings import LabelSettings
from dissensus.user_files import read_csv

Label = str | float
Row = Mapping[str, Any]

ID, LABEL = "id", "label"
#: Letters of ids: no number, no formula, and no word, whatever a spreadsheet makes of cells.
_LETTERS = "bcdfghjklmnpqrst"
_LENGTH = 12


@dataclass(frozen=True)
class Place:
    """What a label is of.

    Attributes
    ----------
    session_id : of the session.
    turn, speaker : of the judge's turn; 0 and "" for the whole session.
    """

    session_id: str
    turn: int = 0
    speaker: str = ""

    def id(self, study: str) -> str:
        """A name that says nothing of the arm, and is the same in every run of the study."""
        digits = digest([study, self.session_id, self.turn, self.speaker])[:_LENGTH]
        return "".join(_LETTERS[int(digit, 16)] for digit in digits)


def judged_places(turns: Iterable[Row], settings: LabelSettings) -> list[Place]:
    """What people may label: each turn of the judge, or each session, in the order of the turns."""
    if settings.judge:
        return [
            Place(turn["session_id"], turn["turn"], turn["speaker"])
            for turn in turns
            if turn["speaker"] == settings.judge
        ]
    return [Place(name) for name in dict.fromkeys(turn["session_id"] for turn in turns)]


def read_labels(
    path: Path, settings: LabelSettings, study: str, places: Iterable[Place]
) -> dict[Place, Label]:
    """The labels of a table, each by what it is of.

    Parameters
    ----------
    path : a CSV with the columns ``id`` and ``label``; others are left alone.
    study : its name.
    places : what may be labelled.

    Raises
    ------
    ResourceError : a row has an unknown id, one that another row has, no label, or one that is not
        on the scale; or there is no row.
    """
    place_of = {place.id(study): place for place in places}
    scale = listed(f"{label:g}" if isinstance(label, float) else label for label in settings.scale)
    labels: dict[Place, Label] = {}
    rows_of: dict[str, int] = {}
    for number, row in read_csv(path, (ID, LABEL)):
        where, name, given = f"{path}, row {number}", row[ID].strip(), row[LABEL].strip()
        if name not in place_of:
            raise ResourceError(
                f"{where}: the id {name!r} is none of the study {study}; keep the ids that "
                "`dissensus sample` wrote for this run."
            )
        if name in rows_of:
            raise ResourceError(
                f"{where}: the id {name!r} has a label in row {rows_of[name]} already; keep one."
            )
        if not given:
            raise ResourceError(
                f"{where}: the id {name!r} has no label; give it one of {scale}, or leave out "
                "this row and all rows below it."
            )
        label = _on_scale(given, settings.scale)
        if label is None:
            raise ResourceError(
                f"{where}: the label {given!r} is not on the scale of {study}.labels.scale; it may "
                f"be {scale}."
            )
        rows_of[name], labels[place_of[name]] = number, label
    if not labels:
        raise ResourceError(f"{path} has no labels; it needs a row for each below its header.")
    return labels


def _on_scale(given: str, scale: Iterable[Label]) -> Label | None:
    """The label of the scale that a cell holds; None where it holds none.

    A cell may begin with the apostrophe that keeps a spreadsheet from reading a formula.
    """
    for label in scale:
        if isinstance(label, str):
            if label in (given, given.removeprefix("'")):
                return label
        elif _number(given) == label:
            return label
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
