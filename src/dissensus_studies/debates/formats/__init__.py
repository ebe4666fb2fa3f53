"""Files of other tools, as tables of turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dissensus.digests import file_digest
from dissensus.encodings import no_text
from dissensus.errors import ResourceError, SettingError

#: Format -> the module whose ``turns`` gives the rows of a file, with the fields of a turn.
CONVERTERS = {
    "inspect": f"{__package__}.inspect_log",
    "mallm": f"{__package__}.mallm",
    "deliberate-lab": f"{__package__}.deliberate_lab",
    "messages": f"{__package__}.messages",
    "convokit": f"{__package__}.convokit",
}
#: Those whose ``turns`` takes where a file has a field, too.
_MAPPED = ("inspect", "messages", "convokit")


@dataclass(frozen=True)
class Converted:
    """A file as a table of turns.

    Attributes
    ----------
    text : JSON lines, a turn each.
    sha256 : of what the file was.
    without_turns : sessions that have none, and are left out.
    """

    text: str
    sha256: str
    without_turns: tuple[str, ...] = ()


def converted(path: Path, name: str, columns: Mapping[str, str | None] | None = None) -> Converted:
    """A file of another tool as a table of turns.

    Parameters
    ----------
    name : of its format.
    columns : field -> where the file has it, such as ``metadata.arm``; None for what is left out.

    Raises
    ------
    DissensusError : there is no such format, or the file is of another; by its place.
    """
    if name not in CONVERTERS:
        may = ", ".join(["turns", *CONVERTERS])
        raise SettingError(f"--format {name} is not known; it may be one of {may}.")
    if columns and name not in _MAPPED:
        raise SettingError(
            f"--column is for tables, {', '.join(_MAPPED)}; {name} names its own fields: leave "
            "it out."
        )
    if not path.is_file():
        raise ResourceError(
            f"{path} {'is no file' if path.exists() else 'is not there'}; name a file of {name}."
        )
    turns: Callable[..., Iterable[Mapping[str, Any]]] = import_module(CONVERTERS[name]).turns
    told = (columns or {},) if name in _MAPPED else ()
    lines = []
    without_turns = []
    for number, turn in enumerate(turns(path, *told), start=1):
        if turn.keys() == {"session"}:
            without_turns.append(str(turn["session"]))
            continue
        line = json.dumps(turn, ensure_ascii=False)
        has_nul = any("\x00" in value for value in turn.values() if isinstance(value, str))
        if has_nul or not _is_whole(line):
            raise ResourceError(
                f"{path}: turn {number}, of the session {turn['session']!r}, holds U+0000 or half "
                "a character, which no file carries; take it out."
            )
        lines.append(f"{line}\n")
    if not lines:
        raise ResourceError(f"{path} has no turn; it must be of the format {name}.")
    return Converted("".join(lines), file_digest(path), tuple(without_turns))


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_json(path: Path) -> Any:
    """What a file of JSON holds.

    Raises
    ------
    ResourceError : it cannot be read, by line.
    """
    try:
        raw = path.read_bytes()
        if wrong := no_text(raw):
            raise ResourceError(f"{path} {wrong}.")
        return json.loads(raw)
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{path}: it is not JSON ({error}); correct it.") from None
