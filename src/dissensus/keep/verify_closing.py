"""Whether a run is as it was when it was closed, and whether its files say who made them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.errors import ArtefactError, DissensusError
from dissensus.keep.closing import (
    CLOSING,
    REPLIES,
    first_lines,
    is_appended,
    other_replies,
    read_closing,
)
from dissensus.keep.crate import DIGESTS
from dissensus.keep.packed import Packed, faults
from dissensus.keep.verified import MEND, Verified
from dissensus.llm.ledger import LEDGER
from dissensus.llm.records import without_digest
from dissensus.report.labels import counted
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import provenance_of

#: How what cannot be made again is mended.
_RESTORE = "restore it from a copy, such as the run's archive"


def verify_closed(results: Path, verified: Verified) -> None:
    """Compare a run with its closing, and the closing with the front page.

    A run that goes on after its closing has more replies and makes tables anew, until it is closed
    again: then those that are as their logs say are a note, and no finding. Nothing that is added
    to a journal takes the place of a reply.
    """
    closing, page = results / CLOSING, results / "index.html"
    shown = page.read_text("utf-8", errors="replace") if page.is_file() else ""
    if not closing.is_file():
        if f"/{CLOSING}" in shown or f'"{CLOSING}"' in shown:
            verified.find(closing, f"{closing} is not there, and {page} names it; {_RESTORE}.")
        return
    verified.files.add(closing)
    try:
        listed = read_closing(closing.read_text("utf-8", errors="replace"), closing)
    except ArtefactError as error:
        verified.find(closing, error)
        return
    digest = file_digest(closing)
    if shown and digest not in shown:
        verified.find(
            closing,
            f"{closing} has SHA-256 {digest}, which is not the one on {page}; where the run has "
            "not ended since it was closed, start it again, else restore both from a copy.",
        )
    if closing in verified.findings:
        # What a changed list says is not to be trusted.
        return
    later = []
    for path, sentence in _changes(listed, closing, verified):
        if sentence:
            verified.find(path, sentence)
        else:
            later.append(path)
    if later:
        verified.notes.append(
            f"{closing} is of before the run went on: {counted(len(later), 'file')} of it "
            f"{'is' if len(later) == 1 else 'are'} another now, such as {later[0]}; start the run "
            "again, and it is closed anew."
        )


def _changes(
    listed: dict[Path, str], closing: Path, verified: Verified
) -> Iterator[tuple[Path, str]]:
    """Each file that is not as it was closed, and what is wrong; "" where the run went on."""
    changed: dict[Path, str] = {}
    for path, digest in listed.items():
        if path.is_file():
            if (now := file_digest(path)) != digest:
                changed[path] = now
        elif _is_kept(path):
            yield path, f"{path} is gone, and {closing} lists it; {_RESTORE}."
        elif path not in verified.made:
            verified.missing += 1
    grown = [
        path
        for path in changed
        if is_appended(path) and first_lines(path.read_bytes(), listed[path]) is not None
    ]
    # What is paid after the end, such as a fork, is booked too.
    journals = [path for path in grown if path.name != LEDGER]
    went_on = bool(verified.pending or verified.missing or journals)
    for path, now in changed.items():
        if path in grown:
            yield from [(path, "")] if path in journals else []
        elif went_on and not _is_kept(path) and verified.made.get(path) == now:
            yield path, ""
        else:
            mend = _RESTORE if _is_kept(path) else f"{_RESTORE}, or {MEND}"
            yield (
                path,
                f"{path} is not as it was when the run was closed ({closing}: "
                f"{listed[path][:12]}, now {now[:12]}); {mend}.",
            )


def _is_kept(path: Path) -> bool:
    """Whether a file is what the run begins with, and is never made again."""
    return is_appended(path) or path.name.startswith("preregistration.")


def verify_made(results: Path, verified: Verified, *, is_compared: bool = False) -> None:
    """Find each result that no log says to be made: it was put there, or its log was taken away.

    ``is_compared``: whether the run has panels, whose comparison is a result too.
    """
    left_out = _BY_SESSION - {_COMPARED} if is_compared else _BY_SESSION
    for path in sorted(results.rglob("*")):
        inside = path.relative_to(results)
        if path in verified.made or not path.is_file():
            continue
        if any(part.startswith(".") or part in left_out for part in inside.parts):
            continue
        if _is_result(path, inside):
            verified.find(path, f"{path} is in no log of a stage that made it; {MEND}.")


#: What compares panels, in the folder of a run that has some.
_COMPARED = "compared"
#: Folders of what each session leaves, which is compared with its journal.
_BY_SESSION = {"calls", "journal", "logs", "sessions", "transcripts", "forks", _COMPARED}


def _is_result(path: Path, inside: Path) -> bool:
    """Whether the workflow makes such a file."""
    if path.suffix == ".parquet":
        try:
            return bool(provenance_of(path).get("stage"))
        except ArtefactError:
            return False
    is_page = path.name in ("index.html", "columns.html") and len(inside.parts) <= 2
    return is_page or inside.parts[0] == "reader" or path.name == CLOSING


def verify_lines(results: Path, verified: Verified) -> None:
    """Find journals and ledgers of which some lines have a digest and others none."""
    for path in [results / LEDGER, *sorted(results.glob("*/journal/**/*.jsonl"))]:
        if path.is_file() and (lines := without_digest(path)):
            verified.find(
                path,
                f"{path}: line {lines[0]} has no digest, as all others have: it was changed, or "
                f"put there; {_RESTORE}.",
            )


def verify_replies(results: Path, verified: Verified) -> None:
    """Find each journal with a reply that is not the one which the run was first closed with."""
    try:
        for path, key in other_replies(results):
            verified.find(
                path,
                f"{path}: the reply to request {key} is another one than when the run was first "
                f"closed ({results / REPLIES}); {_RESTORE}.",
            )
    except DissensusError:
        # The damaged journal is a finding already.
        return


def verify_archives(settings: Configuration, verified: Verified) -> None:
    """Find what is not as it was packed in the archive that a run has written, or was made from."""
    own = Packed(settings.results / "archive.zip", settings.results)
    for archive in (own, Packed.of(settings)):
        if archive is None or not archive.place.exists():
            continue
        path = archive.place / DIGESTS if archive.place.is_dir() else archive.place
        verified.files.add(path)
        if wrong := faults(archive):
            more = f" So are {len(wrong) - 1:,} more." if len(wrong) > 1 else ""
            verified.find(path, f"{wrong[0]}{more}")
        shown = archive.read(archive.closing)
        closing = settings.results / CLOSING
        if shown is not None and closing.is_file() and closing.read_bytes() != shown:
            verified.notes.append(
                f"{archive.place} has another {CLOSING} than the run: journals, plans, the ledger "
                "or tables differ."
            )
