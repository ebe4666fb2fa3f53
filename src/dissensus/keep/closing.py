"""The closing of a run: one list of digests of all that it planned, was told, paid and computed.

The digest of this list is on the front page of the run, in VERDICT.md of its archive and in the
metadata of that. Whoever notes it down can tell later whether anything was changed. Its author can
make all of it anew, so that it proves nothing without a note that somebody else has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from dissensus.digests import file_digest, text_digest
from dissensus.errors import ArtefactError
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import LEDGER
from dissensus.study.configuration import Configuration
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text

#: Its name in a run's folder. `sha256sum --check` reads it from the project's folder.
CLOSING = "closing.sha256"
#: The first reply that was closed to each request, in two digests: of the request and of its text.
#: A run that is closed again keeps what it has.
REPLIES = ".replies"
_DIGITS = 16
#: What each session leaves and is made again from its journal, and what says how a run went.
_LEFT_OUT = {"batches", "calls", "forks", "logs", "looks", "sessions", "shards", "transcripts"}
#: What comes after the closing: pages, what they state, and what is asked for by name.
_LATER = re.compile(
    rf"{re.escape(CLOSING)}|index\.html|report\.rst|archive\.zip|reader/.*"
    r"|(?<![^/])[^/]+/((index|columns)\.html|(findings|facts|design_diagnosis)\.parquet"
    r"|preregistration\.stamps\.json)"
)
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


@makes(closing=write_text)
def close(configuration: Configuration) -> str:
    """The list of a finished run, a line a file, in the order of their paths.

    A panel's has the ledger that it shares with the other panels, at its end.
    """
    results = configuration.results
    lines = [f"{file_digest(path)}  {path}\n" for path in closed_files(results)]
    shared = configuration.home(results) / LEDGER
    if shared.parent != results and shared.is_file():
        # That of all panels: others may write into it now.
        lines.append(f"{sha256(whole_lines(shared)).hexdigest()}  {shared}\n")
    remember_replies(results)
    return "".join(lines)


def close_panels(results: Path, panels: Iterable[Path]) -> str:
    """The list of a run with panels: what compares them, its ledger, and the list of each panel.

    Parameters
    ----------
    results : folder of the run.
    panels : those of its panels, which are closed.
    """
    closed = [*closed_files(results), *(folder / CLOSING for folder in panels)]
    return "".join(f"{file_digest(path)}  {path}\n" for path in closed)


def whole_lines(path: Path) -> bytes:
    """A file up to the end of its last line."""
    content = path.read_bytes()
    return content[: content.rfind(b"\n") + 1]


def closed_files(results: Path) -> Iterator[Path]:
    """The files that a closing lists; ``results``: folder of the run."""
    for path in sorted(results.rglob("*")):
        inside = path.relative_to(results)
        if any(part.startswith(".") or part in _LEFT_OUT for part in inside.parts):
            continue
        if path.is_file() and not _LATER.fullmatch(inside.as_posix()):
            yield path


def is_appended(path: Path) -> bool:
    """Whether a file only ever gets longer: a journal, or the ledger."""
    return path.suffix == ".jsonl" and ("journal" in path.parts or path.name == LEDGER)


def read_closing(text: str, name: object) -> dict[Path, str]:
    """File -> its digest when the run was closed.

    Parameters
    ----------
    text : of the closing.
    name : of its file, for the error.

    Raises
    ------
    ArtefactError : it is no closing.
    """
    matches = [_LINE.fullmatch(line) for line in text.splitlines()]
    if not all(matches):
        raise ArtefactError(f"{name} is no list of digests that a run wrote; restore it.")
    return {Path(match[2]): match[1] for match in matches if match}


def first_lines(content: bytes, digest: str) -> bytes | None:
    """The first lines, or none, that have a digest; None where no such have it."""
    hashed, end = sha256(), 0
    for line in (b"", *content.splitlines(keepends=True)):
        hashed.update(line)
        end += len(line)
        if hashed.hexdigest() == digest:
            return content[:end]
    return None


def remember_replies(results: Path) -> None:
    """Write down the replies to requests that no closing has seen.

    Raises
    ------
    ResourceError : a journal is damaged.
    """
    known = _remembered(results)
    new = {key: text for _, key, text in _replies(results) if key not in known}
    if new:
        with (results / REPLIES).open("a", encoding="utf-8") as file:
            file.writelines(f"{key} {text}\n" for key, text in new.items())


def other_replies(results: Path) -> Iterator[tuple[Path, str]]:
    """The journals that hold another reply than was first closed, each with a request of these.

    Raises
    ------
    ResourceError : a journal is damaged.
    """
    known = _remembered(results)
    for path, key, text in _replies(results) if known else ():
        if known.get(key, text) != text:
            yield path, key


def _remembered(results: Path) -> dict[str, str]:
    path = results / REPLIES
    lines = path.read_text("utf-8", errors="replace").splitlines() if path.is_file() else []
    known: dict[str, str] = {}
    for key, _, text in (line.partition(" ") for line in lines):
        known.setdefault(key, text)
    return known


def _replies(results: Path) -> Iterator[tuple[Path, str, str]]:
    """Journal, request and text of each reply of all sessions, the latter two as digests."""
    for path in sorted(results.glob("*/journal/*.jsonl")):
        for key, reply in Journal(path).by_request.items():
            yield path, key[:_DIGITS], text_digest(reply.text)[:_DIGITS]
