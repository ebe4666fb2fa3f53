"""From the rows of a file to sessions: every turn checked, or none taken."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.session.protocol import round_label
from dissensus.session.turn_fields import NEEDED, TURN_FIELDS
from dissensus.setting_faults import show, unwritable

from .order import ImportedTurn, in_order
from .reading import (
    as_flag,
    as_name,
    as_number,
    as_value,
    as_whole,
    columns_of,
    read_rows,
)

_READS = {
    "name": as_name,
    "whole": as_whole,
    "number": as_number,
    "flag": as_flag,
    "value": as_value,
}
_OF_SESSION = [name for name, each in TURN_FIELDS.items() if each.of_session and name != "session"]
#: Fields that a table may have one value of, which stands in no column.
ALWAYS = ("session", "arm", "item", "cluster", "role", "model", "person", "simulated")
#: Fields that hold JSON already.
_JSON = ("value_json", "truth_json", "decision_json", "scores_json")
#: What a turn took.
_USED = ("input_tokens", "output_tokens", "cost_usd")
_TEXTS = ("text", "value", "truth", "decision", *_JSON)
#: What is no name that stands on a line.
_MANY_LINES = ("item", *_JSON)


@dataclass
class ImportedSession:
    """One session of a file.

    Attributes
    ----------
    source : its name there.
    file : the file's name, without its folder.
    place : of its first row.
    fields : the fields that all its turns have alike; None for what is missing.
    turns : in order.
    sha256 : of the file; "" until that is known.
    """

    source: str
    file: str
    place: str
    fields: dict[str, Any]
    turns: list[ImportedTurn] = field(default_factory=list)
    sha256: str = ""


@dataclass
class ImportedTable:
    """What a file holds.

    Attributes
    ----------
    sessions : in the order of their first rows.
    turns : how many rows say something.
    wordless : how many rows have no words: a value alone, or nothing.
    mapped : field -> column.
    simulated : how many turns the file says are of simulated models.
    twice : places of rows that have what another row has, and of that.
    """

    sessions: list[ImportedSession]
    turns: int
    wordless: int
    mapped: dict[str, str]
    simulated: int
    twice: list[tuple[str, str]]


def read_table(
    path: str | Path,
    columns: Mapping[str, str | None],
    always: Mapping[str, str],
    keep: Collection[str] = (),
) -> ImportedTable:
    """All sessions of a file of turns.

    Parameters
    ----------
    path : of the file.
    columns : field -> column; None for a field that is not read. Columns that are called like other
        fields count too.
    always : field -> what all turns have.
    keep : "names" of people.

    Raises
    ------
    ResourceError : the first row that is wrong, by file and row, with the mend.
    """
    path = Path(path)
    mapped = _mapped(path, columns, always)
    fixed = {name: _READS[TURN_FIELDS[name].kind](value) for name, value in always.items()}
    asked = list(dict.fromkeys(mapped.values()))
    texts = {mapped[name] for name in _TEXTS if name in mapped}
    sessions: dict[str, ImportedSession] = {}
    first: dict[tuple[Any, ...], str] = {}
    twice: list[tuple[str, str]] = []
    rows = wordless = simulated = 0
    for place, row in read_rows(path, asked, texts, mapped["text"]):
        given = {name: _cell(name, row[column], place) for name, column in mapped.items()} | fixed
        _add(sessions, given, place, path.name)
        if (other := first.setdefault(tuple(given.values()), place)) != place:
            _refuse_same(given, place, other)
            twice.append((place, other))
        rows, simulated = rows + 1, simulated + bool(given.get("simulated"))
        wordless += not says_something(given["text"] or "")
    if not rows:
        raise ResourceError(f"{path} has no turn; give it a row for each.")
    for session in sessions.values():
        session.turns = in_order(session.turns, session.source)
        if "names" not in keep:
            _give_seats(session)
    found = list(sessions.values())
    return ImportedTable(found, rows - wordless, wordless, mapped, simulated, twice)


def _mapped(
    path: Path, columns: Mapping[str, str | None], always: Mapping[str, str]
) -> dict[str, str]:
    """Field -> column: those that are named, and the columns that are called like fields.

    A column that is named for a field counts for that alone.
    """
    taken = {column for column in columns.values() if column is not None}
    needed = {name for name in NEEDED if name not in columns and name not in always}
    there = columns_of(path, taken | needed)
    mapped = {
        name: name
        for name in TURN_FIELDS
        if name in there and name not in always and name not in columns and name not in taken
    }
    for name in ("value", "truth", "decision"):
        # Who names one of the two has chosen it.
        both = {name, f"{name}_json"}
        if named := both & columns.keys():
            for other in both - named:
                mapped.pop(other, None)
    mapped |= {name: column for name, column in columns.items() if column is not None}
    for name in NEEDED:
        if name not in mapped and name not in always:
            may = f", or name all turns' with --always {name}=..." if name in ALWAYS else ""
            raise ResourceError(
                f"{path}: no column is called {name!r}; say what it is called with --column "
                f"{name}=...{may}: there are {', '.join(map(repr, there)) or 'none'}."
            )
    return mapped


def _refuse_same(given: Mapping[str, Any], place: str, other: str) -> None:
    """Refuse a row that is there twice, where that cannot be what somebody has said again."""
    # A turn that is there twice is found when turns are put in order.
    for name in ("time", "round"):
        if given.get(name) is not None and given.get("turn") is None:
            raise ResourceError(
                f"{place}: it has what {other} has, its {name} too; leave one of them out, or give "
                "each a turn of its own."
            )


def says_something(text: str) -> bool:
    """Whether a row's text has words; one without is no turn, but may carry a value."""
    return bool(text.strip())


def _cell(name: str, value: Any, place: str) -> Any:
    """A cell as its field has it."""
    about = TURN_FIELDS[name]
    try:
        if about.kind == "text":
            if not isinstance(value, str | None):
                raise ValueError("it must be a text")
            read: Any = value
        else:
            read = _READS[about.kind](value)
            if name in _JSON and read is not None:
                json.loads(read)
        if isinstance(read, str):
            _check_characters(read, about.kind in ("text", "value") or name in _MANY_LINES)
    except ValueError as error:
        wrong = "is no JSON" if isinstance(error, json.JSONDecodeError) else str(error)
        raise ResourceError(f"{place}: {name} holds {show(value)}; {wrong}.") from None
    return read


def _check_characters(text: str, is_text: bool) -> None:
    """Refuse characters that no file carries; in names, all that are not on one line too."""
    if "\x00" in text:
        raise ValueError("it has the character U+0000, which is no text: take it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        wrong = unwritable(text[error.start])
        raise ValueError(f"it has {wrong}, half a character: take it out") from None
    if not is_text and (unwritable(text) or text.splitlines() != [text]):
        raise ValueError("a name must be one line without control characters")


def _add(
    sessions: dict[str, ImportedSession], given: Mapping[str, Any], place: str, file: str
) -> None:
    """Add a row's turn to its session."""
    for name in NEEDED:
        # Who says nothing has a text without letters.
        if given[name] is None and name != "text":
            raise ResourceError(f"{place}: {name} is empty; each turn must have one.")
    source = given["session"]
    fields = {name: given.get(name) for name in _OF_SESSION}
    for name in ("truth", "decision"):
        fields[name] = fields.pop(f"{name}_json") or fields[name]
    session = sessions.setdefault(source, ImportedSession(source, file, place, fields))
    for name, value in fields.items():
        if value != session.fields[name]:
            raise ResourceError(
                f"{place}: the session {source!r} has the {name} {show(value)}, and "
                f"{show(session.fields[name])} in {session.place}; a session has one."
            )
    label = given.get("round_label") or ""
    if given.get("round") is not None and not label:
        label = round_label(given["round"])
    compliant = given.get("compliant")
    model = given.get("model") or ""
    person = given.get("person")
    if person and model:
        raise ResourceError(
            f"{place}: the speaker {given['speaker']!r} is a person, and has the model {model!r}; "
            "leave the model empty."
        )
    session.turns.append(
        ImportedTurn(
            given.get("turn"),
            given["speaker"],
            given.get("role") or "",
            label,
            model,
            False if person is None and model else person,
            given["text"] or "",
            given.get("value_json") or given.get("value"),
            given.get("repairs") or 0,
            True if compliant is None else compliant,
            given.get("time") or "",
            place,
            given.get("round"),
            *(given.get(name) for name in _USED),
        )
    )


def _give_seats(session: ImportedSession) -> None:
    """Call people, and whoever may be one, by their seats: H1 and so on, or S1 where unknown."""
    kinds: dict[str, bool | None] = {}
    for turn in session.turns:
        judgements = [kinds.get(turn.speaker), turn.person]
        kinds[turn.speaker] = True if True in judgements else False if False in judgements else None
    taken = {name for name, person in kinds.items() if person is False}
    seats: dict[str, str] = {}
    for name, person in kinds.items():
        if person is False:
            seats[name] = name
            continue
        seat = next(seat for seat in _numbered("H" if person else "S") if seat not in taken)
        taken.add(seat)
        seats[name] = seat
    session.turns = [
        ImportedTurn(turn.number, seats[turn.speaker], *turn[2:]) for turn in session.turns
    ]


def _numbered(letter: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{letter}{number}"
