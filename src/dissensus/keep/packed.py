"""What an archive says of its own files: whether it is as it was packed, and what it published."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Self
from zipfile import BadZipFile, ZipFile

from dissensus.errors import ArtefactError, ResourceError
from dissensus.keep.closing import CLOSING, first_lines, is_appended, read_closing
from dissensus.keep.crate import DIGESTS, METADATA, PUBLISHED
from dissensus.keep.verdict import VERDICT
from dissensus.llm.ledger import LEDGER
from dissensus.study.configuration import Configuration

_SHA256 = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Packed:
    """An archive, in its file or unpacked into a folder.

    Attributes
    ----------
    place : the file or the folder.
    results : folder of the run in it, such as results/demo.
    """

    place: Path
    results: Path

    @classmethod
    def of(cls, settings: Configuration) -> Self | None:
        """The archive that a run was made from: that of ``replay``, or its own folder."""
        if settings.replay is not None:
            return cls(Path(settings.replay), settings.results)
        here = cls(Path(), settings.results)
        is_here = Path(METADATA).is_file() and Path(DIGESTS).is_file()
        return here if is_here and here._lists_it() else None

    def _lists_it(self) -> bool:
        listed = Path(DIGESTS).read_text("utf-8", errors="replace")
        return f"  {self.results.as_posix()}/" in listed

    def names(self) -> list[str]:
        """All files in it, by their paths.

        Raises
        ------
        ResourceError : it cannot be read.
        """
        if self.place.is_dir():
            folders = (self.place / PUBLISHED, self.place / self.results)
            below = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
            return sorted(path.relative_to(self.place).as_posix() for path in below)
        try:
            return sorted(each.filename for each in self._zip.infolist() if not each.is_dir())
        except (OSError, BadZipFile) as error:
            raise ResourceError(f"{self.place} cannot be read as an archive ({error})") from None

    @cached_property
    def _zip(self) -> ZipFile:
        return ZipFile(self.place)

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where it has none of that name."""
        try:
            if self.place.is_dir():
                return (self.place / name).read_bytes()
            return self._zip.read(name)
        except (OSError, KeyError, BadZipFile, ValueError, RuntimeError, EOFError):
            return None

    def text(self, name: str) -> str:
        """The same as text; "" where there is none."""
        return (self.read(name) or b"").decode("utf-8", errors="replace")

    @property
    def closing(self) -> str:
        """The name of its closing, which archives of earlier versions lack."""
        return f"{PUBLISHED}/{CLOSING}"

    def may_list(self, path: Path) -> bool:
        """Whether a file is the run's own, or the ledger that it shares with other panels."""
        is_ledger = path.name == LEDGER and path.parent.parent == self.results.parent
        return is_ledger or path.is_relative_to(self.results)

    def published(self, path: Path) -> str:
        """The name that a result has among what was published."""
        return f"{PUBLISHED}/{path.relative_to(self.results).as_posix()}"


def faults(archive: Packed) -> list[str]:
    """What in an archive is not as it was packed, a sentence each; none of one that is whole.

    Its author can pack all of it anew: what its digest should be, somebody else must have noted.
    """
    try:
        names = archive.names()
    except ResourceError as error:
        return [f"{error}."]
    return [*_of_verdict(archive), *_of_crate(archive), *_of_results(archive, names),
            *_of_closing(archive, names)]  # fmt: skip


def _of_verdict(archive: Packed) -> Iterator[str]:
    """Whether VERDICT.md has the digests of both lists, and the front page that of the closing."""
    verdict = {*_SHA256.findall(archive.text(VERDICT))}
    page = f"{PUBLISHED}/index.html"
    for name, pages in ((DIGESTS, (VERDICT,)), (archive.closing, (VERDICT, page))):
        if (content := archive.read(name)) is None:
            if name == DIGESTS:
                yield f"{archive.place} has no {name}."
            continue
        digest = sha256(content).hexdigest()
        for each in pages:
            known = verdict if each == VERDICT else {*_SHA256.findall(archive.text(each))}
            if digest not in known:
                yield f"{archive.place}: {name} is not the one whose SHA-256 {each} has."


def _of_crate(archive: Packed) -> Iterator[str]:
    """Whether the files whose digests are in the metadata have these."""
    try:
        graph = json.loads(archive.text(METADATA))["@graph"]
        known = {each["@id"]: each["sha256"] for each in graph if "sha256" in each}
    except (ValueError, KeyError, TypeError):
        yield f"{archive.place}: {METADATA} cannot be read."
        return
    for name, digest in known.items():
        content = archive.read(str(name))
        if content is None or sha256(content).hexdigest() != digest:
            yield f"{archive.place}: {name} is not as {METADATA} has it."


def _of_results(archive: Packed, names: Sequence[str]) -> Iterator[str]:
    """Whether what was published is what the list of results says, and all of it."""
    listed = read_list(archive, DIGESTS)
    inside = {archive.published(path): digest for path, digest in listed.items()}
    for name, digest in inside.items():
        content = archive.read(name)
        if content is None:
            yield f"{archive.place} lacks {name}, which {DIGESTS} lists."
        elif sha256(content).hexdigest() != digest:
            yield f"{archive.place}: {name} is not as {DIGESTS} has it."
    for name in names:
        if name.startswith(f"{PUBLISHED}/") and name not in inside:
            yield f"{archive.place}: {name} is in no list of what was published."


def read_list(archive: Packed, name: str) -> dict[Path, str]:
    """Result -> its digest, as a list of the archive has it; none of a list that cannot be read."""
    try:
        listed = read_closing(archive.text(name), name)
    except ArtefactError:
        return {}
    return {path: digest for path, digest in listed.items() if archive.may_list(path)}


def _of_closing(archive: Packed, names: Sequence[str]) -> Iterator[str]:
    """Whether journals, ledger, plans and tables are as they were when the run was closed."""
    listed = read_list(archive, archive.closing)
    if not listed:
        return
    for path, digest in listed.items():
        begins = path.as_posix()
        is_kept = begins in names or not path.is_relative_to(archive.results)
        name = begins if is_kept else archive.published(path)
        content = archive.read(name)
        if content is None:
            yield f"{archive.place} lacks {path}, which {archive.closing} lists."
        elif sha256(content).hexdigest() != digest and not (
            is_appended(path) and first_lines(content, digest) is not None
        ):
            yield f"{archive.place}: {name} is not as it was when the run was closed."
    of_run = f"{archive.results.as_posix()}/"
    for name in names:
        if name.startswith(of_run) and is_appended(Path(name)) and Path(name) not in listed:
            yield f"{archive.place}: {name} is in no list of what the run was told."


def tables(archive: Packed) -> list[str]:
    """The names of the tables that were published."""
    return [
        name
        for name in archive.names()
        if PurePosixPath(name).suffix == ".parquet" and name.startswith(f"{PUBLISHED}/")
    ]
