"""Records in an append-only file of JSON lines, each with a digest of itself at its end.

A process that was killed leaves at most one torn line, the last, and reserved space; both are cut
off. Anything else that is not as it was written is damage, which stops the run.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple, Self, TypeVar

from dissensus.errors import ResourceError

#: Of a line without its end, between the line's own members and the digest of these.
_MARK = b', "line_sha256": "'
_DIGITS = 16
_END = b'"}'
#: What a heading begins with, and no record.
HEADING = "plan_sha256"
_BEGINNING = b'{"plan_sha256": '
#: How much longer the digest makes a line.
_LENGTH = len(_MARK) + _DIGITS + len(_END)


def write_line(members: Mapping[str, Any]) -> bytes:
    """One line of JSON, its digest the last member; at least one member."""
    text = json.dumps(members, ensure_ascii=False).encode()[:-1]
    return text + _MARK + _digest(text) + _END + b"\n"


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


def without_digest(path: Path) -> list[int]:
    """The numbers of lines without a digest in a file where other lines have one."""
    lines = path.read_bytes().rstrip(b"\0").splitlines()
    bare = [number for number, line in enumerate(lines, start=1) if _MARK not in line]
    return bare if len(bare) < len(lines) else []


def _digest(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:_DIGITS].encode()


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


Record = TypeVar("Record")

#: Bytes reserved at once while a file is kept open.
_AHEAD = 1 << 16

#: A sector that a power cut left unwritten; no line of JSON has a zero byte.
_UNWRITTEN = bytes(512)

#: Errors of a file system that does not offer an operation, rather than failed at it.
_CANNOT = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


class Records(Generic[Record]):
    """Records by key in an append-only file of JSON lines, which one process writes at a time.

    Parameters
    ----------
    path : made with its folder when space is first reserved or a record appended.
    read : makes a record of the members of its line; raises ValueError, KeyError or TypeError
        where they make none.
    write : the members of a record's line.
    key : the name of the member that holds the key.
    heading : members of the first line of a file that has no record yet; nothing without.

    Attributes
    ----------
    heading : of the file as it is; empty of one without.

    Raises
    ------
    ResourceError : a line is damaged; see :func:`_lines`.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[dict[str, Any]], Record],
        write: Callable[[Record], Mapping[str, Any]],
        key: str = "key",
        heading: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self.heading: dict[str, Any] = {}
        self._first = dict(heading or {})
        self._write = write
        self._key = key
        self._known: dict[str, Record] = {}
        self._intact = 0
        self._owed = b""
        self._reserved = 0
        self._space = 0
        self._kept = 0
        self._file = -1
        self._is_synced = True
        self._lock = Lock()
        for line in _lines(path, read, key):
            # The first was used, whatever was appended after it.
            if isinstance(line, _Heading):
                self.heading = line.members
            else:
                self._known.setdefault(line.key, line.record)
            self._intact = line.end
            self._owed = b"" if line.ended else b"\n"

    def __len__(self) -> int:
        return len(self._known)

    def __enter__(self) -> Self:
        """Keep the file open, with reserved space, rather than open it every time."""
        with self._lock:
            self._kept += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._kept -= 1
            self._settle()

    def get(self, key: str) -> Record | None:
        """The record of a key, None where there is none."""
        return self._known.get(key)

    def records(self) -> list[Record]:
        """All records, in the order in which they were written down."""
        with self._lock:
            return list(self._known.values())

    def by_key(self) -> dict[str, Record]:
        """Key -> record."""
        with self._lock:
            return dict(self._known)

    def reserve(self, size: int) -> None:
        """Reserve ``size`` bytes on the disk, until they are released or appended.

        Raises
        ------
        ResourceError : the space cannot be had.
        """
        with self._lock:
            try:
                self._open()
                self._reserve_space(self._reserved + size)
            except OSError as error:
                self._settle()
                raise ResourceError(
                    f"{self.path}: no room for a reply ({error.strerror}); free some space and "
                    "start again: the run goes on where it stopped."
                ) from None
            self._reserved += size

    def release(self, size: int) -> None:
        """Give reserved bytes back."""
        with self._lock:
            self._reserved -= size
            self._settle()

    def append(
        self, records: Mapping[str, Record], reserved: int = 0, at_once: bool = True
    ) -> None:
        """Write records; on return they are on disk. Records of known keys stay as they are.

        Parameters
        ----------
        reserved : bytes reserved for them before, which are given back.
        at_once : whether they are on disk on return, or when the file is closed. Until then they
            outlive the process, but not a power cut.

        Raises
        ------
        ResourceError : they cannot be written; what was in the file is still intact.
        """
        with self._lock:
            self._reserved -= reserved
            new, data = {}, self._owed
            try:
                for key, record in records.items():
                    if key not in self._known:
                        new[key] = record
                        data += write_line({self._key: key, **self._write(record)})
                if new:
                    heading = {} if self._intact else self._first
                    self._open()
                    self._put((write_line(heading) if heading else b"") + data, at_once)
                    self._owed, self.heading = b"", heading or self.heading
            except OSError as error:
                raise ResourceError(
                    f"{self.path} cannot be written ({error.strerror}); free some space and start "
                    "again: the run goes on where it stopped."
                ) from None
            finally:
                self._settle()
            self._known.update(new)

    def _open(self) -> None:
        if self._file >= 0:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
        try:
            self._file = os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, flags, 0o600)
        # The rest of a torn line would stand behind a shorter line written over it.
        self._trim()

    def _trim(self) -> None:
        """Cut the file off after its last intact line."""
        self._space = 0
        if os.fstat(self._file).st_size != self._intact:
            os.ftruncate(self._file, self._intact)

    def _reserve_space(self, size: int) -> None:
        if self._intact + size <= self._space or not hasattr(os, "posix_fallocate"):
            return
        size = max(size, _AHEAD) if self._kept else size
        try:
            os.posix_fallocate(self._file, self._intact, size)
            self._space = self._intact + size
        except OSError as error:
            if error.errno not in _CANNOT:
                raise

    def _put(self, data: bytes, at_once: bool) -> None:
        end = self._intact
        try:
            while data:
                written = os.pwrite(self._file, data, end)
                data, end = data[written:], end + written
            if at_once:
                _sync(self._file)
            self._is_synced = at_once
        except OSError:
            with contextlib.suppress(OSError):
                self._trim()
                self._reserve_space(self._reserved)
            raise
        self._intact = end
        # A record larger than its reserved space took some of the others'.
        with contextlib.suppress(OSError):
            self._reserve_space(self._reserved)

    def _settle(self) -> None:
        """Cut off the reserved space and close the file, once nobody needs them."""
        if self._file < 0 or self._reserved or self._kept:
            return
        with contextlib.suppress(OSError):
            self._trim()
        if not self._is_synced:
            # What a power cut takes of these can be had again.
            with contextlib.suppress(OSError):
                _sync(self._file)
            self._is_synced = True
        os.close(self._file)
        self._file = -1


def _sync(file: int) -> None:
    try:
        getattr(os, "fdatasync", os.fsync)(file)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise


class _Line(NamedTuple, Generic[Record]):
    """An intact line; ``end``: the offset of its end, which its newline may lack."""

    key: str
    record: Record
    end: int
    ended: bool = True


class _Heading(NamedTuple):
    """The first line of a file, where it is no record."""

    members: dict[str, Any]
    end: int
    ended: bool = True


def _lines(
    path: Path, read: Callable[[dict[str, Any]], Record], key: str
) -> Iterator[_Line[Record] | _Heading]:
    """The lines of a file; what a kill, or a power cut, left of the last is no line.

    Raises
    ------
    ResourceError : the file cannot be read, or a line was written to its end and is damaged.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise ResourceError(
            f"{path} cannot be read ({error.strerror}); let the run read the journal, or move it "
            "away, and its calls are made, and paid, again."
        ) from None
    # After the last line's end there is a torn line, or reserved space.
    rest = lines.pop().rstrip(b"\0")
    end = 0
    for number, raw in enumerate(lines, start=1):
        end += len(raw) + 1
        if number == len(lines) and _UNWRITTEN in raw:
            return
        if number == 1 and raw.startswith(_BEGINNING):
            yield _Heading(_heading(raw, path), end)
            continue
        yield _Line(*_record(raw, read, key, path, number), end)
    if was_finished(rest):
        record = _record(rest, read, key, path, len(lines) + 1)
        yield _Line(*record, end + len(rest), ended=False)


def _heading(raw: bytes, path: Path) -> dict[str, Any]:
    """The members of a heading.

    Raises
    ------
    ResourceError : it was changed.
    """
    try:
        return read_line(raw)
    except ValueError as error:
        raise ResourceError(
            f"{path}: line 1 of the journal is damaged ({error}); restore the file from a copy."
        ) from None


def _record(
    raw: bytes, read: Callable[[dict[str, Any]], Record], key: str, path: Path, number: int
) -> tuple[str, Record]:
    """A line's key and record."""
    try:
        # Some editors begin a file with a mark.
        members = read_line(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw)
        if not isinstance(name := members.pop(key, None), str):
            raise ValueError(f"it has no {key}")
        return name, read(members)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResourceError(
            f"{path}: line {number} of the journal is damaged ({error}); restore the file from a "
            "copy, or move that line into another file, and its call is made, and paid, again."
        ) from None
