"""Which came first, a study's plan or its replies: what the files say, and what nobody proves.

A plan has the time at which it was written, and a journal begins with the digest of the plan that
its calls were made under. Both are the author's own: a page says no more than that they agree,
unless somebody else has stamped the plan (:mod:`dissensus.plan.registering.stamps`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.errors import DissensusError
from dissensus.llm.journal import Journal
from dissensus.plan.deviations import read_plan
from dissensus.plan.registering.stamps import Witness, witnesses
from dissensus.report.labels import counted
from dissensus.tables.provenance import PLAN_FILE

#: How the sentences begin where the plan did not come first.
LATE = "NOT registered"
UNPROVED = "When this was is not proved by anybody else."
_UNCHECKED = "When this was, they can tell who keep it; it was not checked here."


@dataclass(frozen=True)
class Order:
    """What a study's files say of the order.

    Attributes
    ----------
    plan_sha256 : of the registered plan.
    written, author : of the plan; "" where it says nothing.
    sessions : how many have a journal.
    without : sessions whose journal begins with no plan's digest, or another one's.
    begun : when the first call of all was begun; "" where no journal says it.
    stamps : what others say of when the plan was there.
    """

    plan_sha256: str
    written: str
    author: str
    sessions: int
    without: tuple[str, ...]
    begun: str
    stamps: tuple[Witness, ...] = ()

    @property
    def proof(self) -> str:
        """What shows when the plan was there, in a few words."""
        shown = [each.short for each in self.stamps if each.proves]
        shown += [each.short for each in self.stamps if each.short and not each.proves]
        return shown[0] if shown else "when is not proved by anybody else"

    @property
    def is_first(self) -> bool:
        """Whether all files say that the plan came first."""
        return bool(self.written) and not self.without and not (self.begun and self._is_late)

    @property
    def _is_late(self) -> bool:
        return self.begun < self.written

    def sentences(self) -> Iterator[str]:
        """What is to be said of it: a registration, or why there is none."""
        by = f" by {self.author}" if self.author else ""
        if not self.written:
            yield (
                "A plan is there, of a version that wrote no time into it: whether it came before "
                "the first session, its files do not say."
            )
        elif self.is_first:
            yield f"Registered before its first session: the plan was written {self.written}{by}."
        else:
            yield f"{LATE} before its first session. A plan was written {self.written}{by}."
        yield f"SHA-256 of the plan: {self.plan_sha256}."
        if self.without and not self.written:
            # Journals of that version began under none.
            pass
        elif self.without:
            yield (
                f"{counted(len(self.without), 'journal')} of {self.sessions:,} did not begin under "
                f"this plan, such as that of {self.without[0]}."
            )
        elif self.sessions:
            yield f"All {counted(self.sessions, 'journal')} began under this plan."
        if self.begun:
            when = "before" if self.written and self._is_late else "after"
            of_plan = f", {when} the plan" if self.written else ""
            yield f"The first call was begun {self.begun}{of_plan}."
        yield from (each.sentence for each in self.stamps)
        if not any(each.proves for each in self.stamps):
            yield _UNCHECKED if any(each.short for each in self.stamps) else UNPROVED


def order_of(folder: Path) -> Order | None:
    """The order of a study's plan and its replies; None of a study without a plan.

    Parameters
    ----------
    folder : of the study.

    Raises
    ------
    DissensusError : the plan or a journal is damaged.
    """
    path = folder / PLAN_FILE
    if not path.is_file():
        return None
    plan, digest = read_plan(folder), file_digest(path)
    journals = [Journal(each) for each in sorted((folder / "journal").glob("*.jsonl"))]
    without = tuple(each.path.stem for each in journals if each.plan != digest)
    begun = [reply.started for each in journals for reply in each.replies if reply.started]
    first = min(begun, default="")
    return Order(
        digest,
        str(plan.get("written", "")),
        str(plan.get("author", "")),
        len(journals),
        without,
        first,
        tuple(witnesses(folder, digest, first)),
    )


def contradiction(folder: Path) -> str:
    """What says that a study's plan did not come first; "" where nothing does."""
    try:
        order = order_of(folder)
    except DissensusError as error:
        return str(error)
    if order is None or not order.written or order.is_first:
        return ""
    return " ".join(order.sentences())


def changed_pages(folder: Path) -> list[Path]:
    """The texts for people of a study's plan that are not as they were written with it.

    A plan of an earlier version does not say how they were.

    Raises
    ------
    ResourceError : the plan cannot be read.
    """
    shown = read_plan(folder).get("shown_sha256", {})
    paths = {folder / name: digest for name, digest in shown.items()}
    return [
        path for path, digest in paths.items() if not path.is_file() or file_digest(path) != digest
    ]
