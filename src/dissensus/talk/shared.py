"""A small file that several processes read and write, one at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from threading import Lock

from dissensus.errors import ResourceError

# A process's locks do not keep its own threads apart, and closing any descriptor of a file drops
# them: within a process everybody waits here first.
_ONE_AT_A_TIME = Lock()


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
