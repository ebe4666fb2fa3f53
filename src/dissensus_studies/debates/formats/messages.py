"""Lists of messages, as chat APIs and frameworks of agents write them, as turns.

A file is JSON or JSON lines. A list of messages is a session, and so is an object that has such a
list: the messages of OpenAI's fine-tuning files, AutoGen's TaskResult and ChatResult, ChatArena's
history. Who speaks and what is said stands where ``--column`` says, or else where OpenAI has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.session.turn_fields import TURN_FIELDS
from dissensus.setting_faults import show

from ..reading import within
from . import read_json

Row = dict[str, Any]
#: Where objects have their messages: OpenAI and AutoGen, and AutoGen before 0.4.
_LISTS = ("messages", "chat_history")
#: Who speaks, where ``--column`` does not say: the first of these that a message has.
_SPEAKERS = ("name", "role")
_TEXT = "content"
#: Roles of what is no turn: instructions, and calls of tools.
_NO_TURNS = ("system", "developer", "tool", "function")
_USER = "user"


def turns(path: Path, columns: Mapping[str, str | None]) -> Iterator[Row]:
    """The messages of a file that say something.

    Where the user speaks first and then no more, that is the task: the item of the session.

    Parameters
    ----------
    columns : field -> where a message has it, or the object that has the list, such as
        ``metadata.arm``; None for what is not read.

    Raises
    ------
    ResourceError : it holds no list of messages, or a message has no speaker; by its place.
    """
    conversations = list(_conversations(path))
    for number, (where, about, messages) in enumerate(conversations, start=1):
        name = path.stem if len(conversations) == 1 else f"{path.stem} {number}"
        spoken: list[Row] = []
        for place, given in enumerate(messages, start=1):
            if not isinstance(given, dict):
                raise ResourceError(f"{where}: message {place} is {show(given)} and no object.")
            row = _row(given, about, columns, f"{where}, message {place}")
            if row["text"] is not None:
                spoken.append(row)
        for turn, row in enumerate(_with_item(name, spoken), start=1):
            # The order of a list is that in which they speak, unless the file has another.
            yield row if {"turn", "round"} & columns.keys() else {**row, "turn": turn}


def _conversations(path: Path) -> Iterator[tuple[str, Mapping[str, Any], list[Any]]]:
    """Place of each list of messages, what stands beside it, and the list."""
    given = _lines(path) if path.suffix.lower() in (".jsonl", ".ndjson") else read_json(path)
    if not isinstance(given, list):
        given = [given]
    elif given and all(isinstance(each, dict) and _list_of(each) is None for each in given):
        yield f"{path}", {}, given
        return
    for number, each in enumerate(given, start=1):
        about = each if isinstance(each, dict) else {}
        messages = each if isinstance(each, list) else _list_of(about)
        where = f"{path}, list {number}"
        if messages is None:
            may = " or ".join(map(repr, _LISTS))
            raise ResourceError(
                f"{where}: it holds {show(each)}; it must be a list of messages, or an object that "
                f"has one called {may}."
            )
        yield where, about, messages


def _list_of(given: Mapping[str, Any]) -> list[Any] | None:
    return next((given[name] for name in _LISTS if isinstance(given.get(name), list)), None)


def _lines(path: Path) -> list[Any]:
    """What each line holds that is not blank."""
    made = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip(b"\xef\xbb\xbf \t"):
            try:
                made.append(json.loads(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                raise ResourceError(
                    f"{path}, line {number}: it is not JSON ({error}); correct it."
                ) from None
    return made


def _row(
    given: Mapping[str, Any],
    about: Mapping[str, Any],
    columns: Mapping[str, str | None],
    where: str,
) -> Row:
    """A message as a row; its text is None where it says nothing."""
    row: Row = {}
    for name, place in columns.items():
        if place is not None:
            is_there, value = within(given, place)
            row[name] = value if is_there else within(about, place)[1]
    if "speaker" not in columns:
        row["speaker"] = next((given[name] for name in _SPEAKERS if given.get(name)), None)
    if row.get("speaker") in (None, ""):
        raise ResourceError(
            f"{where}: it does not say who speaks, where "
            f"{columns.get('speaker') or ' or '.join(_SPEAKERS)} is looked for; say where with "
            "--column speaker=..., such as speaker=source."
        )
    if "role" not in columns:
        row["role"] = given.get("role")
    row["text"] = _said(row["text"] if "text" in columns else given.get(_TEXT))
    if given.get("role") in _NO_TURNS:
        row["text"] = None
    return {name: value for name, value in row.items() if name in TURN_FIELDS}


def _said(content: Any) -> str | None:
    """The words of a message; of a list of parts, those that are texts."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str)) or None
    return content if isinstance(content, str) else None


def _with_item(name: str, spoken: list[Row]) -> Iterator[Row]:
    """The rows of a session, without the task that the user began it with."""
    users = [number for number, row in enumerate(spoken) if _USER in (row["speaker"], row["role"])]
    item = {}
    if users == [0] and len(spoken) > 1 and "item" not in spoken[0]:
        item = {"item": spoken.pop(0)["text"]}
    for row in spoken:
        yield {"session": name, **item, **row}
