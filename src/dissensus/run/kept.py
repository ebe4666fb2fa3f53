"""What sessions were run with, kept beside them: their configuration, and the files that it names.

So prompts can be rebuilt after an edit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from dissensus.errors import ResourceError
from dissensus.shipped import named_file
from dissensus.study.sources import asking_code, is_the_projects, named_files, text_of
from dissensus.study.study import Study
from dissensus.tables.artefact import write_text

_CONFIGURATION, _FILES = ".configuration.json", ".files.json"
#: Bytes beyond which a file's digest alone is kept.
_MOST_BYTES = 1_000_000

#: Path of a file -> SHA-256 of what it held.
State = dict[str, str]


def keep_configuration(configuration: Mapping[str, Any], folder: Path) -> None:
    """Keep a configuration where it is not kept yet, complete or not at all.

    Parameters
    ----------
    configuration : as Snakemake merged it.
    folder : of the study, results/<run>/<study>.

    Raises
    ------
    ResourceError : it cannot be written.
    """
    path = folder / _CONFIGURATION
    given = without_passwords(configuration)
    text = json.dumps(given, ensure_ascii=False, indent=1, default=str) + "\n"
    _write(path, text)


def kept_configuration(folder: Path) -> tuple[dict[str, Any], Path] | None:
    """What :func:`keep_configuration` kept, and where; None of a run that is older than that.

    Raises
    ------
    ResourceError : the file is damaged.
    """
    path = folder / _CONFIGURATION
    if not path.is_file():
        return None
    named = "name the run's own configuration with --configfile"
    return _read(path, f"delete it, and {named}."), path


def without_passwords(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration as plain data, addresses without a name and a password."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(key): plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        return _address(value) if isinstance(value, str) and "://" in value else value

    return {str(key): plain(value) for key, value in configuration.items()}


def _address(value: str) -> str:
    parts = urlsplit(value)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, parts.query, parts.fragment))


def files_of(study: Study[Any]) -> list[Path]:
    """What prompts are made of besides settings: the files that settings name, and the code."""
    return sorted(map(Path, {*named_files(study), *map(named_file, asking_code(study))}))


def keep_files(study: Study[Any], folder: Path) -> None:
    """Keep what a study's files hold now, where that is not kept yet.

    Parameters
    ----------
    folder : of the study, results/<run>/<study>.

    Raises
    ------
    ResourceError : it cannot be written.
    """
    data = {str(path): path.read_bytes() for path in files_of(study)}
    state = {path: _digest(content) for path, content in data.items()}
    states, texts = _kept(folder)
    if state in states[-1:]:
        return
    for path, content in data.items():
        of_project = path.endswith(".py") and is_the_projects(Path(path))
        text = None if of_project else text_of(content, _MOST_BYTES)
        if text is not None:
            texts[state[path]] = text
    kept = {"states": [*states, state], "texts": texts}
    _write(folder / _FILES, json.dumps(kept, ensure_ascii=False))


def kept_states(folder: Path) -> list[State]:
    """What the files of a study held while its sessions ran: the last first; none of older runs."""
    return _kept(folder)[0][::-1]


def changed_since(state: State) -> list[str]:
    """The files that are not as they were, in the order of their names."""
    return [path for path, digest in sorted(state.items()) if _digest_of(Path(path)) != digest]


@contextmanager
def as_they_were(state: State, folder: Path) -> Iterator[bool]:
    """Go to a folder where the project is as it is, but for files that are as they were.

    Parameters
    ----------
    state : one of :func:`kept_states`.
    folder : that these are of.

    Yields
    ------
    Whether all that have changed could be laid there: the project's code, and what is outside,
    cannot.
    """
    texts, changed = _kept(folder)[1], changed_since(state)
    if not changed:
        yield True
        return
    project = Path.cwd()
    with TemporaryDirectory() as place:
        laid = [
            path
            for path in changed
            if state[path] in texts and _lay(Path(path), texts[state[path]], project, Path(place))
        ]
        _link(project, Path(place))
        with chdir(place):
            yield laid == changed


def _lay(path: Path, text: str, project: Path, place: Path) -> bool:
    """Write a file at its path below a place, with what lies beside it in the project."""
    if path.is_absolute():
        return False
    for number in range(1, len(path.parts)):
        inner = Path(*path.parts[:number])
        (place / inner).mkdir(exist_ok=True)
    (place / path).write_text(text, encoding="utf-8", newline="")
    for number in range(1, len(path.parts)):
        inner = Path(*path.parts[:number])
        _link(project / inner, place / inner)
    return True


def _link(source: Path, target: Path) -> None:
    """Make what a folder has seen in another that lacks it."""
    for each in source.iterdir() if source.is_dir() else ():
        if not (target / each.name).exists():
            (target / each.name).symlink_to(each.resolve())


def _kept(folder: Path) -> tuple[list[State], dict[str, str]]:
    """The states in their order, and SHA-256 -> text.

    Raises
    ------
    ResourceError : the file is damaged.
    """
    path = folder / _FILES
    if not path.is_file():
        return [], {}
    mend = "delete it: prompts of before an edit can then not be shown."
    kept = _read(path, mend)
    try:
        return list(kept["states"]), dict(kept["texts"])
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error, mend) from None


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _digest_of(path: Path) -> str:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return ""


def _write(path: Path, text: str) -> None:
    try:
        if not path.is_file() or path.read_bytes() != text.encode():
            write_text(path, text)
    except OSError as error:
        raise ResourceError(
            f"{path} could not be written ({error}); mend that and start again."
        ) from None


def _read(path: Path, mend: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error, mend) from None


def _unreadable(path: Path, error: Exception, mend: str) -> ResourceError:
    return ResourceError(f"{path} cannot be read ({error}); {mend}")
