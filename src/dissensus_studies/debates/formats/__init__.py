"""Files of other tools, as tables of turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dissensus.digests import file_digest
from dissensus.errors import ResourceError, SettingError

#: Format -> the module whose ``turns`` gives the rows of a file, with the fields of a turn.
CONVERTERS = {
    "inspect": f"{__package__}.inspect_log",
    "mallm": f"{__package__}.mallm",
    "deliberate-lab": f"{__package__}.deliberate_lab",
}


@dataclass(frozen=True)
class Converted:
    """A file as JSON lines, a turn each, and the digest of what it was."""

    text: str
    sha256: str


def converted(path: Path, name: str) -> Converted:
    """A file of another tool as a table of turns.

    Raises
    ------
    DissensusError : there is no such format, or the file is of another; by its place.
    """
    if name not in CONVERTERS:
        may = ", ".join(["turns", *CONVERTERS])
        raise SettingError(f"--format {name} is not known; it may be one of {may}.")
    turns: Callable[[Path], Iterable[Mapping[str, Any]]] = import_module(CONVERTERS[name]).turns
    lines = []
    for number, turn in enumerate(turns(path), start=1):
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
    return Converted("".join(lines), file_digest(path))


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
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{path}: it is not JSON ({error}); correct it.") from None
