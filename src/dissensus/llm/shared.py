"""Files that several processes read and write, locked while one does."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from dissensus.errors import ResourceError

# File locks do not keep the threads of one process apart, and closing any descriptor of a file
# drops them: the threads of a process wait here first.
_ONE_AT_A_TIME = Lock()

#: Errors of a file system that has no locks.
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
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
        """Close the file; the next ``with`` opens it again."""
        with _ONE_AT_A_TIME:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1


@contextmanager
def unchanging(descriptor: int) -> Iterator[None]:
    """Keep other processes from writing a file, open for reading, through :class:`SharedFile`.

    Taking the lock also makes a network file system fetch the file's current size and content.
    Where there are no locks, the file is read all the same.
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
    """Lock a file while the ``with`` block runs; a second process or thread waits for the first.

    The lock ends with its process. Where the file cannot be opened for writing, or its file system
    has no locks, the block runs without one.

    Parameters
    ----------
    path : made, empty, with its folder where it is not there.

    Raises
    ------
    OSError : the file system has locks, and taking this one failed.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
