"""The utterances of a ConvoKit corpus as turns, with what the corpus says of conversations.

A corpus is a folder: ``utterances.jsonl`` has a line an utterance, and ``conversations.json``
beside it has what is known of each conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError

from ..reading import json_lines, within
from . import read_json

_CONVERSATIONS = "conversations.json"
#: Field -> where an utterance has it. Before version 2.0, ConvoKit wrote ``root`` and ``user``.
_FIELDS = {"session": "conversation_id", "speaker": "speaker", "text": "text", "time": "timestamp"}
_FORMER = {"conversation_id": "root", "speaker": "user"}


def turns(path: Path, columns: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
    """The utterances of a corpus.

    Parameters
    ----------
    path : of ``utterances.jsonl``.
    columns : field -> where an utterance has it, such as ``meta.stance``, or its conversation, such
        as ``conversation.meta.arm``.

    Raises
    ------
    ResourceError : a line is no utterance, or nothing has what ``columns`` names.
    """
    beside = path.with_name(_CONVERSATIONS)
    conversations = read_json(beside) if beside.is_file() else {}
    if not isinstance(conversations, dict):
        raise ResourceError(f"{beside} holds no object; ConvoKit writes one of all conversations.")
    places = {**_FIELDS, **columns}
    found: set[str] = set()
    for where, row in json_lines(path):
        about = conversations.get(str(_at(row, "conversation_id")[1]), {})
        given: dict[str, Any] = {}
        for name, place in places.items():
            is_there, value = _at({**row, "conversation": about}, place) if place else (True, None)
            found |= {name} if is_there else set()
            given[name] = value
        if not isinstance(given["text"], str):
            raise ResourceError(f"{where}: it has no text, which ConvoKit writes of each.")
        yield given
    if lost := [name for name in columns if name not in found]:
        raise ResourceError(
            f"{path}: neither an utterance nor its conversation in {_CONVERSATIONS} has "
            f"{columns[lost[0]]!r}; correct --column {lost[0]}=...."
        )


def _at(row: Mapping[str, Any], place: str) -> tuple[bool, Any]:
    is_there, value = within(row, place)
    former = _FORMER.get(place)
    return within(row, former) if former and not is_there else (is_there, value)
