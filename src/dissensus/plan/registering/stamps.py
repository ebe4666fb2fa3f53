"""Stamps of a plan: what somebody else keeps, or says, of when it was there.

No page says more than was checked. A time stamp is verified whenever it is read; a commit when it
is noted, and again by ``verify``; a DOI and an address of OSF are noted, and not checked.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.plan.registering.commit_stamp import Unreachable, check_commit, is_near
from dissensus.plan.registering.time_stamp import TimeStamp, stamped
from dissensus.tables.provenance import PLAN_FILE, STAMPS_FILE

#: A stamp's members, by its kind, besides ``kind``, ``plan_sha256`` and ``noted``.
_MEMBERS = {
    "rfc3161": ("answer", "trusted"),
    "commit": ("commit", "remote"),
    "doi": ("address",),
    "osf": ("address",),
}
_NAMES = {"doi": "DOI", "osf": "OSF"}


@dataclass(frozen=True)
class Witness:
    """What a stamp says.

    Attributes
    ----------
    sentence : for a page.
    short : the same in a few words; "" where it says nothing of when.
    proves : whether it was checked here that the plan was there before the first call.
    """

    sentence: str
    short: str = ""
    proves: bool = False


def read_stamps(folder: Path) -> list[dict[str, str]]:
    """The stamps of a study's plan; none where there are none.

    Raises
    ------
    ResourceError : the file is damaged.
    """
    path = folder / STAMPS_FILE
    if not path.is_file():
        return []
    try:
        stamps = json.loads(path.read_text(encoding="utf-8"))["stamps"]
        for each in stamps:
            wanted = ("plan_sha256", "noted", *_MEMBERS[each["kind"]])
            if not all(isinstance(each[name], str) for name in wanted):
                raise ValueError("a member is no text")
        return list(stamps)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceError(
            f"{path} holds no stamps that this program noted ({error}); restore it from a copy, or "
            "delete it and note them again."
        ) from None


def note(folder: Path, kind: str, plan_sha256: str, **members: str) -> None:
    """Add a stamp to those of a plan."""
    # Imported here: it loads pyarrow, and each command imports this file.
    from dissensus.tables.artefact import write_text

    noted = datetime.now(UTC).isoformat(timespec="seconds")
    given = {"kind": kind, "plan_sha256": plan_sha256, "noted": noted, **members}
    stamps = [*read_stamps(folder), given]
    text = json.dumps({"stamps": stamps}, ensure_ascii=False, indent=1)
    write_text(folder / STAMPS_FILE, f"{text}\n")


def as_text(answer: bytes) -> str:
    """An authority's answer as a stamp holds it."""
    return b64encode(answer).decode()


def witnesses(folder: Path, plan_sha256: str, begun: str) -> Iterator[Witness]:
    """What each stamp of a plan says.

    Parameters
    ----------
    folder : of the study.
    plan_sha256 : of its plan as it is now.
    begun : when the first call of all was begun; "" where none was.
    """
    for stamp in read_stamps(folder):
        if stamp["plan_sha256"] != plan_sha256:
            yield Witness("A stamp is kept that is of another plan.")
        elif stamp["kind"] == "rfc3161":
            yield _of_authority(stamp, begun)
        elif stamp["kind"] == "commit":
            yield _of_commit(stamp)
        else:
            name = _NAMES[stamp["kind"]]
            yield Witness(
                f"Said to be deposited at {stamp['address']} ({name}), noted {stamp['noted']}; "
                "this was not checked: look there for what is deposited, and when.",
                f"said to be deposited ({name}), not checked",
            )


def _of_authority(stamp: Mapping[str, str], begun: str) -> Witness:
    try:
        made = verified_answer(stamp)
    except ResourceError as error:
        return Witness(f"A time stamp is kept that does not hold ({error}).")
    when = made.time.isoformat(timespec="seconds")
    by = made.authority or "an authority that does not give its name"
    trust = (
        "an authority that this system knows"
        if made.is_known
        else "an authority that this system does not know; it is trusted by the certificate that "
        "was noted with the stamp, and whether to trust that is for you to judge"
    )
    said = f"Time stamp (RFC 3161) of {when} by {by}, {trust}; verified with openssl"
    if begun and datetime.fromisoformat(begun) < made.time:
        return Witness(f"{said}. It is of after the first call: it does not say what came first.")
    short = f"stamped {when}" + ("" if made.is_known else " by an authority of the author's choice")
    before = "before the first call" if begun else "and no call was begun yet"
    return Witness(f"{said}, {before}.", short, proves=True)


def verified_answer(stamp: Mapping[str, str]) -> TimeStamp:
    """The time stamp that is kept.

    Raises
    ------
    ResourceError : it does not verify.
    """
    try:
        answer = b64decode(stamp["answer"], validate=True)
    except ValueError:
        raise ResourceError("what is kept of it is damaged") from None
    return stamped(answer, stamp["plan_sha256"], stamp["trusted"])


def _of_commit(stamp: Mapping[str, str]) -> Witness:
    said = f"Commit {stamp['commit']} holds the plan, and {stamp['remote']} had it when this was "
    said += f"noted ({stamp['noted']})"
    if is_near(stamp["remote"]):
        return Witness(f"{said}; that is a folder of this machine, which nobody else keeps.")
    return Witness(
        f"{said}. The date of a commit is its author's own; since when it is there, the host of "
        "the remote can tell.",
        f"in a commit that {stamp['remote']} has",
    )


def checked(folder: Path, plan_sha256: str) -> Iterator[tuple[bool, str]]:
    """Each stamp of a plan, checked as far as it can be: whether it is wrong, and a sentence."""
    for stamp in read_stamps(folder):
        try:
            if stamp["plan_sha256"] != plan_sha256:
                yield True, "a stamp is of another plan"
            elif stamp["kind"] == "rfc3161":
                yield False, f"a time stamp of {verified_answer(stamp).time.isoformat()} verifies"
            elif stamp["kind"] == "commit":
                check_commit(stamp["commit"], stamp["remote"], folder / PLAN_FILE)
                yield False, f"{stamp['remote']} has commit {stamp['commit'][:12]} with the plan"
            else:
                yield False, f"{stamp['address']} is noted, and cannot be checked from here"
        except Unreachable as error:
            yield False, f"{stamp['remote']} could not be asked for its commit ({error})"
        except ResourceError as error:
            yield True, f"a stamp ({stamp['kind']}) does not hold: {error}"
