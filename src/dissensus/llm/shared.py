"""Files that several processes read and write, one at a time."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from dissensus.errors import ResourceError

# A process's locks do not keep its own threads apart, and closing any descriptor of a file drops
# them: within a process everybody waits here first.
_ONE_AT_A_TIME = Lock()

#: What a file system says that has no locks, or cannot get at them.
_NO_LOCKS = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOLCK})


class SharedFile:
    """A file that is locked while its ``with`` block runs.

    The lock is of the kind that network file systems keep too, and dies with its process.

    Parameters
    ----------
    path : made with its folder when first locked.

    Raises
    ------
    ResourceError : the file cannot be opened for writing, or not locked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def __enter__(self) -> int:
        """Lock the file; its descriptor, open for reading and writing."""
        _ONE_AT_A_TIME.acquire()
        try:
            if self._descriptor < 0:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
        except BaseException as error:
            _ONE_AT_A_TIME.release()
            if isinstance(error, OSError):
                raise ResourceError(
                    f"{self.path} cannot be written and locked ({error.strerror}); make its "
                    "folder one that the run may write to, with file locks switched on."
                ) from None
            raise
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN)
        finally:
            _ONE_AT_A_TIME.release()

    def close(self) -> None:
        """Let go of the file; the next ``with`` opens it again."""
        with _ONE_AT_A_TIME:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1


@contextmanager
def unchanging(descriptor: int) -> Iterator[None]:
    """Keep a file, open for reading, from being written by users of :class:`SharedFile`.

    A network file system remembers sizes and contents for seconds, but not across the taking of a
    lock. Where there are no locks, the file is read all the same.
    """
    with _ONE_AT_A_TIME:
        with suppress(OSError):
            fcntl.lockf(descriptor, fcntl.LOCK_SH)
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.lockf(descriptor, fcntl.LOCK_UN)


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a file alone while the ``with`` block runs; who comes second waits for the first.

    The claim holds among processes and among threads, and dies with its process. Where the file
    cannot be opened for writing, nobody else can write it either, and where its file system has no
    locks, nobody can be kept from it: there the block runs without.

    Parameters
    ----------
    path : made, empty, with its folder where it is not there.

    Raises
    ------
    OSError : the file system has locks, and gave none.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        descriptor = -1
    try:
        if descriptor >= 0:
            _claim(descriptor)
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _claim(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
