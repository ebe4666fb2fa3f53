"""A run that begins with an archive's plans and replies, so that no call is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from dissensus.errors import ResourceError
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import replacing


def begin_from_archive(settings: Configuration) -> None:
    """Put what the archive of the setting ``replay`` has of this run where the run looks for it.

    A file that is there already stays as it is.

    Raises
    ------
    ResourceError : it is no archive of this run.
    """
    if settings.replay is None:
        return
    path = Path(settings.replay)
    try:
        with ZipFile(path) as archive:
            members = [*_members(archive, settings.results)]
            if not members:
                raise ResourceError(
                    f"replay: {path} has no replies of a run named {settings.run}; name the "
                    "archive of this run, or give `run` the name that it has there."
                )
            for member, target in members:
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with replacing(target) as part:
                        part.write_bytes(archive.read(member))
    except (OSError, BadZipFile) as error:
        raise ResourceError(
            f"replay: {path} cannot be read as an archive ({error}); name a file that "
            f"`{command('archive', cores=0)}` wrote, or leave the setting out."
        ) from None


def _members(archive: ZipFile, results: Path) -> Iterator[tuple[ZipInfo, Path]]:
    """The files of a run's results, and where each belongs; no name leads elsewhere."""
    for member in archive.infolist():
        inside = PurePosixPath(member.filename)
        if not member.is_dir() and inside.is_relative_to(results) and ".." not in inside.parts:
            yield member, Path(inside)
