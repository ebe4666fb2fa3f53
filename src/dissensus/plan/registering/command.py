"""The command ``dissensus stamp``: an outside witness of when a plan was there is noted with it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.plan.registering.commit_stamp import address_of, check_commit
from dissensus.plan.registering.stamps import as_text, note
from dissensus.plan.registering.time_stamp import query, stamped
from dissensus.tables.provenance import PLAN_FILE, STAMPS_FILE
from dissensus.user_files import read_text

_DOI = re.compile(r"(?:https://doi\.org/)?(10\.\d{4,9}/\S+)")
_OSF = re.compile(r"https://osf\.io/[A-Za-z0-9]{5,}/?")


def add_stamp_options(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument("run", help="its name, as under results/")
    parser.add_argument("--study", help="where the run has several plans")
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument(
        "--query", type=Path, metavar="FILE", help="write what a time-stamping authority is sent"
    )
    given.add_argument("--answer", type=Path, metavar="FILE", help="what it answered (RFC 3161)")
    given.add_argument("--doi", help="of a deposit that holds the plan; noted, not checked")
    given.add_argument("--osf", help="address of a registration there; noted, not checked")
    given.add_argument("--commit", help="that holds the plan, and that --remote has")
    parser.add_argument(
        "--trust", type=Path, metavar="FILE", help="certificates (PEM) of the authority"
    )
    parser.add_argument("--remote", default="origin", help="name or address; origin unless given")


def stamp(chosen: argparse.Namespace) -> Iterator[str]:
    """Check a stamp as far as it can be, note it, and say what that shows.

    Raises
    ------
    ResourceError : there is no such plan, or the stamp does not hold.
    """
    folder = _folder(chosen.run, chosen.study)
    plan = folder / PLAN_FILE
    digest = file_digest(plan)
    if chosen.query:
        chosen.query.write_bytes(query(digest))
        yield f"{chosen.query} asks for a stamp of {plan} (SHA-256 {digest}). Send it:"
        yield (
            f"  curl -H 'Content-Type: application/timestamp-query' --data-binary @{chosen.query} "
            "-o answer.tsr <address of the authority>"
        )
        return
    try:
        yield _note(folder, digest, chosen)
    except ResourceError as error:
        raise ResourceError(f"{plan} is not stamped: {error}.") from None
    yield f"{folder / STAMPS_FILE} has it; start the run again, and its pages name it."


def _note(folder: Path, digest: str, chosen: argparse.Namespace) -> str:
    if chosen.answer:
        answer = _bytes_of(chosen.answer)
        trusted = read_text(chosen.trust) if chosen.trust else ""
        made = stamped(answer, digest, trusted)
        note(folder, "rfc3161", digest, answer=as_text(answer), trusted=trusted)
        known = "" if made.is_known else ", whom this system knows by --trust alone"
        return f"Stamped {made.time.isoformat()} by {made.authority or 'an authority'}{known}."
    if chosen.commit:
        remote = address_of(chosen.remote)
        whole = check_commit(chosen.commit, remote, folder / PLAN_FILE)
        note(folder, "commit", digest, commit=whole, remote=remote)
        return f"Commit {whole} holds the plan, and {remote} has it."
    kind, address = ("doi", _doi(chosen.doi)) if chosen.doi else ("osf", _osf(chosen.osf))
    note(folder, kind, digest, address=address)
    return f"{address} is noted, and was not checked."


def _doi(given: str) -> str:
    if not (found := _DOI.fullmatch(given)):
        raise ResourceError(f"{given!r} is no DOI, such as 10.5281/zenodo.123456")
    return f"https://doi.org/{found[1]}"


def _osf(given: str) -> str:
    if not _OSF.fullmatch(given):
        raise ResourceError(f"{given!r} is no address of OSF, such as https://osf.io/abcde")
    return given


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror})") from None


def _folder(run: str, study: str | None) -> Path:
    """The folder of the study whose plan is meant."""
    plans = sorted(Path("results").glob(f"{run}/*/{PLAN_FILE}"))
    folders = [path.parent for path in plans if study in (None, path.parent.name)]
    if len(folders) == 1:
        return folders[0]
    if not folders:
        raise ResourceError(
            f"run {run} has no plan{f' of {study}' if study else ''}; register it before its first "
            "session."
        )
    names = ", ".join(folder.name for folder in folders)
    raise ResourceError(f"run {run} has plans of {names}; name one with --study.")
