"""One run's folder: who may write in it, and what kind of models it holds."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterable
from pathlib import Path

import psutil

from dissensus.errors import SettingError
from dissensus.llm.ledger import LEDGER
from dissensus.tables.artefact import write_text

#: How a folder is marked -> what its run has.
_KINDS = {
    "simulated": "simulated models",
    "real": "real models",
    "imported": "imported sessions",
}


#: Bits of permissions that a private run's files lack: those of everybody but their owner.
_OTHERS = 0o077


def write_privately() -> None:
    """Have this process, and those that it starts, write what their owner alone may read."""
    os.umask(_OTHERS)


def make_private(folders: Iterable[Path]) -> None:
    """Take the permissions of everybody but its owner from all that some folders have."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")) if folder.is_dir() else ():
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~_OTHERS)


class RunLock:
    """A lock on a run that dies with the process that holds it, however that ends.

    Snakemake's own lock outlives a killed process and then needs a person; the profile turns it
    off in favour of this one, which the operating system releases.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".lock"
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock for the rest of the process.

        Raises
        ------
        SettingError : another process has it.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise SettingError(
                f"{self._path.parent} is being written by another snakemake; wait for it to end, "
                "or give this run another name (--config run=...)."
            ) from None
        os.truncate(handle, 0)
        os.pwrite(handle, f"{platform.node()} {os.getpid()}\n".encode(), 0)
        self._handle = handle


def is_abandoned(folder: Path) -> bool:
    """Whether the process that has a run's lock is gone; on another machine, nobody can say."""
    try:
        host, number = (folder / ".lock").read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    return host == platform.node() and has_ended(int(number))


def claim_run(folder: Path, simulated: bool, is_imported: bool = False) -> None:
    """Mark a folder as a run's of simulated or real models, or of imports, or check that it is.

    A folder without a reply of a model is neither: a first start may have failed for its settings.

    Raises
    ------
    SettingError : the folder holds a run of the other kind.
    """
    marker = folder / ".models"
    kind = "imported" if is_imported else "simulated" if simulated else "real"
    if not marker.exists() or not _has_replies(folder):
        write_text(marker, kind + "\n")
    marked = marker.read_text(encoding="utf-8").strip()
    if marked != kind:
        raise SettingError(
            f"{folder} holds a run with {_KINDS[marked]} and this one has {_KINDS[kind]}; "
            "give it another name (run in config.yaml)."
        )


def _has_replies(folder: Path) -> bool:
    """Whether something in a run's folder was said by a model, or paid for."""
    written = ("*/journal/*", "*/transcripts/*", LEDGER)
    return any(path.stat().st_size for name in written for path in folder.glob(name))


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or would be if its parent asked: in a container, nobody may."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True
