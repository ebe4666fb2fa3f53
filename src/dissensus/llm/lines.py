"""Lines of JSON that carry a digest of themselves, so that a changed byte is seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

#: Of a line without its end, between the line's own members and the digest of these.
_MARK = b', "line_sha256": "'
_DIGITS = 16
_END = b'"}'
#: How much longer the digest makes a line.
_LENGTH = len(_MARK) + _DIGITS + len(_END)


def write_line(members: Mapping[str, Any]) -> bytes:
    """One line of JSON, its digest the last member; at least one member."""
    said = json.dumps(members, ensure_ascii=False).encode()[:-1]
    return said + _MARK + _digest(said) + _END + b"\n"


def read_line(line: bytes) -> dict[str, Any]:
    """The members of a line, without its end.

    A line of an earlier version, which has no digest, is read as it is.

    Raises
    ------
    ValueError : it is no object in JSON, or was changed.
    """
    try:
        members = _DECODER.decode(line.decode())
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(members, dict):
        raise ValueError("it is no object")
    if members.pop("line_sha256", None) is not None and not is_whole(line):
        raise ValueError("it was changed after it was written")
    return members


def is_whole(line: bytes) -> bool:
    """Whether a line ends with its digest, and that is right."""
    return line[-_LENGTH:] == _MARK + _digest(line[:-_LENGTH]) + _END


def was_finished(line: bytes) -> bool:
    """Whether a line was written as far as the end of its digest, whatever it holds now."""
    return 0 <= line.rfind(_MARK) <= len(line) - _LENGTH


def _digest(said: bytes) -> bytes:
    return sha256(said).hexdigest()[:_DIGITS].encode()


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)
