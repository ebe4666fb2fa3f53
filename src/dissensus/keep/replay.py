"""A run that begins with an archive's plans and replies, so that no call is made."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from zipfile import BadZipFile, ZipFile, ZipInfo

from dissensus.errors import ResourceError
from dissensus.llm.ledger import LEDGER
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import replacing
from dissensus.user_files import swells

#: The bit of a file in a ZIP that has a password.
_ENCRYPTED = 1


def begin_from_archive(settings: Configuration) -> None:
    """Put what the archive of the setting ``replay`` has of this run where the run looks for it.

    A file that is there already stays as it is.

    Raises
    ------
    ResourceError : it is no archive of this run, or not whole; nothing is written then.
    """
    if settings.replay is None:
        return
    path = Path(settings.replay)
    try:
        with ZipFile(path) as archive:
            members = [*_members(archive, settings)]
            if not any(target.is_relative_to(settings.results) for _, target in members):
                raise ResourceError(
                    f"replay: {path} has no replies of a run named {settings.run}; name the "
                    "archive of this run, or give `run` the name that it has there."
                )
            # All of it is looked at before a file of it is written.
            for member, _ in members:
                _check(archive, member, path)
            for member, target in members:
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with (
                        replacing(target) as part,
                        part.open("wb") as file,
                        archive.open(member) as packed,
                    ):
                        copyfileobj(packed, file)
    except (OSError, EOFError, ValueError, NotImplementedError, BadZipFile, zlib.error) as error:
        raise ResourceError(
            f"replay: {path} cannot be read as an archive ({error}); name a file that "
            f"`{command('archive', cores=0)}` wrote, or leave the setting out."
        ) from None


def _check(archive: ZipFile, member: ZipInfo, path: Path) -> None:
    """Refuse a file of an archive that has a password, is damaged, or fills a disk from nothing."""
    where = f"replay: {path}, {member.filename}"
    if member.flag_bits & _ENCRYPTED:
        raise ResourceError(f"{where}: it has a password; unpack it, and pack it without one.")
    if swells(member):
        raise ResourceError(
            f"{where}: {member.compress_size:,} bytes would become {member.file_size:,}, as in no "
            "archive of a run; name another."
        )
    with archive.open(member) as file:
        # Its end tells whether what was read has the digest that the archive has of it.
        while file.read(1 << 20):
            pass


def _members(archive: ZipFile, settings: Configuration) -> Iterator[tuple[ZipInfo, Path]]:
    """The files of a run's results, and where each belongs; no name leads elsewhere.

    Of a panel, the ledger that it shares is one of them.
    """
    results = settings.results
    ledger = settings.home(results) / LEDGER
    for member in archive.infolist():
        inside = PurePosixPath(member.filename)
        is_its_own = inside.is_relative_to(results) or Path(inside) == ledger
        if not member.is_dir() and is_its_own and ".." not in inside.parts:
            yield member, Path(inside)
