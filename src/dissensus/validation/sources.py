"""Where data are from, what of them is kept here, and whether files are those that were used."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import Field

from dissensus.data_files import read_data
from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.settings import Settings
from dissensus.shipped import home

#: Beside the Snakefile, in a checkout and in an installed package.
FOLDER = "resources/validation"


class Source(Settings):
    """Data that others published.

    Attributes
    ----------
    title : what they are.
    paper : what published the numbers.
    address, commit : of the repository that has the data.
    licence : what it permits, and where it says so.
    files : of the repository, that are used: a file, or a folder with all in it.
    fetched : SHA-256 of them, see :func:`digest_of`.
    kept : file of this project -> its SHA-256.
    """

    noun = "part"

    title: str
    paper: str
    address: str
    commit: str
    licence: str
    files: Annotated[list[str], Field(min_length=1)]
    fetched: str
    kept: dict[str, str] = Field(default={})


class Sources(Settings):
    """The file of all sources."""

    noun = "part"

    sources: dict[str, Source]


#: Makes figures of a folder that a user fetched: file -> its rows.
Figures = Callable[[Path], dict[str, pd.DataFrame]]


@dataclass(frozen=True)
class Data:
    """What is at hand of the sources.

    Attributes
    ----------
    folder : with the figures that are kept.
    sources : by name.
    fetched : file -> figures made anew, of the sources that the user has fetched.
    """

    folder: Path
    sources: dict[str, Source]
    fetched: dict[str, pd.DataFrame]

    def figures(self, name: str) -> pd.DataFrame:
        """A file of figures, with texts as they stand there: made anew, or else as kept.

        Raises
        ------
        ResourceError : there is none, or it is not the one that the list of sources has.
        """
        if name in self.fetched:
            return self.fetched[name]
        path = self.folder / name
        digests = [each.kept[name] for each in self.sources.values() if name in each.kept]
        if not path.is_file() or not digests:
            raise ResourceError(f"{path} is missing; get it from this version of dissensus again.")
        if file_digest(path) != digests[0]:
            raise ResourceError(
                f"{path} is not the file that sources.yaml has the SHA-256 of ({digests[0]}); "
                "get it from this version of dissensus again."
            )
        return _as_read(path)


def written(frame: pd.DataFrame) -> str:
    """Figures as a file has them."""
    return str(frame.to_csv(index=False, lineterminator="\n"))


def _as_read(file: Path | io.StringIO) -> pd.DataFrame:
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def read_sources(folder: Path | None = None) -> dict[str, Source]:
    """All sources by name, from the project's folder unless another is given."""
    return _read(folder or home() / FOLDER)


@cache
def _read(folder: Path) -> dict[str, Source]:
    return read_data(Sources, folder / "sources.yaml").sources


def at_hand(given: list[str], makers: dict[str, Figures], folder: Path | None = None) -> Data:
    """What is kept, and what the user has fetched.

    Parameters
    ----------
    given : NAME=FOLDER, of each source that the user has fetched.
    makers : name of a source -> what makes its figures.
    folder : with the figures that are kept, unless it is the project's.

    Raises
    ------
    ResourceError : no such source, no such folder, or other files than those that were used.
    """
    place = folder or home() / FOLDER
    sources = read_sources(place)
    fetched: dict[str, pd.DataFrame] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or name not in makers or name not in sources:
            raise ResourceError(
                f"--fetched {text}: write NAME=FOLDER, with one of {', '.join(sources)}."
            )
        check(name, sources[name], Path(path))
        for file, frame in makers[name](Path(path)).items():
            fetched[file] = _as_read(io.StringIO(written(frame)))
    return Data(place, sources, fetched)


def check(name: str, source: Source, folder: Path) -> None:
    """Refuse a folder that has not the files that were used.

    Raises
    ------
    ResourceError : a file is missing, or is another.
    """
    found = digest_of(folder, source.files)
    if found != source.fetched:
        raise ResourceError(
            f"--fetched {name}={folder}: these are not the files of {source.address} at commit "
            f"{source.commit} (SHA-256 {found}, and not {source.fetched}); check out that commit."
        )


def digest_of(folder: Path, files: list[str]) -> str:
    """SHA-256 of the digests and names of files, in order; of a folder, of all files in it.

    Raises
    ------
    ResourceError : there is no such file.
    """
    whole = hashlib.sha256()
    for path in _paths(folder, files):
        whole.update(f"{file_digest(path)}  {path.relative_to(folder).as_posix()}\n".encode())
    return whole.hexdigest()


def _paths(folder: Path, files: list[str]) -> Iterator[Path]:
    for name in files:
        path = folder / name
        if not path.exists():
            raise ResourceError(f"{path} is missing; give the folder of the whole repository.")
        inside = (each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        yield from sorted(each for each in inside if "__pycache__" not in each.parts)
