"""What a run keeps outside its folder while it lasts, and leaves behind where it is killed."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dissensus.run.run_folder import has_ended
from dissensus.tables.artefact import write_text

#: Where Snakemake keeps the copies of scripts that it runs; each holds the names of its files.
_SCRIPTS = Path(".snakemake/scripts")
_RECORD = ".temporary"


def take_over(results: Path, folders: Sequence[Path], parts: Sequence[Path] = ()) -> None:
    """Remove what an earlier process of this run left, and note what this one may leave.

    Parameters
    ----------
    results : the run's folder, whose lock this process has.
    folders : temporary ones of this process.
    parts : folders of the run's panels.
    """
    record = results / _RECORD
    with suppress(OSError, ValueError):
        host, number, *left = record.read_text(encoding="utf-8").splitlines()
        if host == platform.node() and has_ended(int(number)):
            for line in left:
                _remove(Path(line))
            for place in {results, *parts}:
                _remove_parts(place)
    for place in {results, *parts}:
        remove_scripts(place)
    lines = (platform.node(), os.getpid(), *(folder.absolute() for folder in folders))
    write_text(record, "".join(f"{line}\n" for line in lines))


def remove_scripts(results: Path) -> None:
    """Remove the copies of scripts that make files of this run; other runs keep theirs."""
    mark = f"{results.as_posix()}/".encode()
    for script in _SCRIPTS.glob("tmp*"):
        with suppress(OSError):
            if mark in script.read_bytes():
                script.unlink()


def _remove_parts(results: Path) -> None:
    """Remove the files that killed processes had begun to write and that nobody will finish."""
    for folder, _, names in os.walk(results):
        for name in names:
            if name.endswith(".part"):
                writer = name.split(".")[-2]
                if writer.isdecimal() and has_ended(int(writer)):
                    Path(folder, name).unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    """Remove a temporary folder of Snakemake's, and nothing that is called otherwise."""
    if folder.name.startswith("snakemake") or folder.parent.name == "snakemake-runtime-cache":
        shutil.rmtree(folder, ignore_errors=True)
