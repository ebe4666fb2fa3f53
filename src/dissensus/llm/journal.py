"""The journal: every reply is on disk before anyone uses it.

One JSON line a reply, keyed by the digest of its request. Disk space for the reply is reserved
before a call is made, so that a paid reply can always be written. A process that was killed leaves
at most one torn line, the last, and reserved space; both are cut off, and the calls that were in
flight are made again.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from threading import Condition, Lock
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from dissensus.errors import ResourceError, Stopped
from dissensus.llm.call import Provider, Reply, Request

Record = TypeVar("Record")

#: Bytes reserved at once while a file is kept open.
_AHEAD = 1 << 16

#: Errors of a file system that does not offer an operation, rather than failed at it.
_CANNOT = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


class InFlight:
    """Counts the calls that have begun and whose replies are not yet on disk."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self._closed = False

    def __enter__(self) -> None:
        """Begin a call.

        Raises
        ------
        Stopped : the run is stopping.
        """
        with self._changed:
            self.check()
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def check(self) -> None:
        """Return where calls may still be made.

        Raises
        ------
        Stopped : the run is stopping.
        """
        if self._closed:
            raise Stopped(
                "The run is stopping and makes no further call; start it again and it goes on "
                "where it stopped."
            )

    def close(self) -> None:
        """Let no further call begin."""
        with self._changed:
            self._closed = True

    def drain(self, timeout_s: float) -> bool:
        """Wait until the replies of all calls are on disk; whether they are before the time-out."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout_s)


#: The calls of this process.
IN_FLIGHT = InFlight()


class Records(Generic[Record]):
    """Records by key in an append-only file of JSON lines, which one process writes at a time.

    Parameters
    ----------
    path : made with its folder when space is first reserved or a record appended.
    read : makes a record of the members of its line; raises ValueError, KeyError or TypeError
        where they make none.
    write : the members of a record's line.
    key : the name of the member that holds the key.

    Raises
    ------
    ResourceError : a line other than the last is damaged.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[dict[str, Any]], Record],
        write: Callable[[Record], Mapping[str, Any]],
        key: str = "key",
    ) -> None:
        self.path = path
        self._write = write
        self._key = key
        self._known: dict[str, Record] = {}
        self._intact = 0
        self._reserved = 0
        self._space = 0
        self._kept = 0
        self._file = -1
        self._lock = Lock()
        for name, record, end in _lines(path, read, key):
            # The first was used, whatever was appended after it.
            self._known.setdefault(name, record)
            self._intact = end

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

    def append(self, key: str, record: Record, reserved: int = 0) -> None:
        """Write a record, as :meth:`append_many` does."""
        self.append_many({key: record}, reserved)

    def append_many(self, records: Mapping[str, Record], reserved: int = 0) -> None:
        """Write records; on return they are on disk. Records of known keys stay as they are.

        Parameters
        ----------
        reserved : bytes reserved for them before, which are given back.

        Raises
        ------
        ResourceError : they cannot be written; what was in the file is still intact.
        """
        with self._lock:
            self._reserved -= reserved
            try:
                new = {key: record for key, record in records.items() if key not in self._known}
                if new:
                    data = "".join(self._line(key, record) for key, record in new.items()).encode()
                    self._open()
                    self._put(data)
            except OSError as error:
                raise ResourceError(
                    f"{self.path} cannot be written ({error.strerror}); free some space and start "
                    "again: the run goes on where it stopped."
                ) from None
            finally:
                self._settle()
            self._known.update(new)

    def _line(self, key: str, record: Record) -> str:
        return json.dumps({self._key: key, **self._write(record)}, ensure_ascii=False) + "\n"

    def _open(self) -> None:
        if self._file >= 0:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
        try:
            self._file = os.open(self.path, flags, 0o666)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, flags, 0o666)
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

    def _put(self, data: bytes) -> None:
        end = self._intact
        try:
            while data:
                written = os.pwrite(self._file, data, end)
                data, end = data[written:], end + written
            _sync(self._file)
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
        os.close(self._file)
        self._file = -1


class Journal:
    """The replies of one session.

    Parameters
    ----------
    path : the journal's file; made with its folder when the first call is made.
    in_flight : counts the calls that are made.

    Raises
    ------
    ResourceError : a line other than the last is damaged.
    """

    def __init__(self, path: Path, in_flight: InFlight = IN_FLIGHT) -> None:
        self.path = path
        self._records: Records[Reply] = Records(path, reply_from, vars, "request_sha256")
        self._in_flight = in_flight
        self._turns: dict[str, Lock] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __enter__(self) -> Self:
        """Keep the file open for a whole session."""
        self._records.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._records.__exit__()

    def ask(self, provider: Provider, request: Request, patience_s: float | None = None) -> Reply:
        """The reply in the journal, or else the provider's, which is written down first.

        Parameters
        ----------
        patience_s : seconds that the provider may wait for its model.

        Raises
        ------
        ResourceError : there is no space for the reply; the provider is not called.
        Stopped : the run is stopping.
        """
        key = request.sha256
        known = self._records.get(key)
        if known is not None:
            return known
        # Of two threads with the same request, the second finds the reply of the first.
        with self._turns.setdefault(key, Lock()):
            return self._records.get(key) or self._call(provider, request, patience_s)

    def _call(self, provider: Provider, request: Request, patience_s: float | None) -> Reply:
        size = _space(request)
        with self._in_flight:
            self._records.reserve(size)
            try:
                reply = provider.ask(request, patience_s)
            except BaseException:
                self._records.release(size)
                raise
            self._records.append(request.sha256, reply, size)
        return reply


def _space(request: Request) -> int:
    """The most bytes of the reply's line: no language takes 16 a token."""
    return 4096 + 16 * request.max_tokens


_REPLY = frozenset(field.name for field in fields(Reply))


def reply_from(members: dict[str, Any]) -> Reply:
    """A reply from its members; a version before or after this one may have fewer or more."""
    known = {name: value for name, value in members.items() if name in _REPLY}
    if not isinstance(known["text"], str):
        raise ValueError("text is no text")
    if "faults" in known:
        known["faults"] = tuple(known["faults"])
    return Reply(**known)


def _sync(file: int) -> None:
    try:
        getattr(os, "fdatasync", os.fsync)(file)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise


def _lines(
    path: Path, read: Callable[[dict[str, Any]], Record], key: str
) -> Iterator[tuple[str, Record, int]]:
    """Each intact line's key and record with the offset of its end; stops at a torn last line."""
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise ResourceError(
            f"{path} cannot be read ({error.strerror}); let the run read the journal, or move it "
            "away and its calls will be made again."
        ) from None
    end = 0
    # After the last line's end there is a torn line, or reserved space.
    for number, raw in enumerate(lines[:-1], start=1):
        end += len(raw) + 1
        try:
            members = json.loads(raw.decode())
            name = members.pop(key)
            if not isinstance(name, str):
                raise ValueError(f"{key} is no text")
            record = read(members)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines) - 1:
                return
            raise ResourceError(
                f"{path}: line {number} of the journal is damaged ({error}); "
                "delete that line and its call will be made again."
            ) from None
        yield name, record, end
