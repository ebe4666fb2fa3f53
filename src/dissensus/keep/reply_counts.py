"""How many replies of a run could be read: at once, when asked for again, or not at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from dissensus.errors import ArtefactError
from dissensus.llm.call import Reply
from dissensus.llm.doubts import unknown
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import Ledger
from dissensus.llm.marks import read_marks
from dissensus.llm.providers.embedder import journaled_calls
from dissensus.report.labels import counted
from dissensus.study.session_tables import SessionTables
from dissensus.tables.artefact import provenance_of

#: More than the rounding error of a sum of dollars.
_ROUNDING_USD = 1e-6
_COLUMNS = ("study", "purpose", "turns", "read at once", "repaired", "unread", "without a text")


class Turn(NamedTuple):
    """What became of a turn: attempts at it, and of the last whether it has a text and is sound."""

    study: str
    purpose: str
    model: str
    attempts: int
    text: str
    has_text: bool
    is_sound: bool

    @property
    def end(self) -> str:
        if not self.has_text:
            return "without a text"
        if not self.is_sound:
            return "unread"
        return "read at once" if self.attempts == 1 else "repaired"


def reply_page(results: Path) -> str:
    """A table, in Markdown, of what became of a run's turns, by study and purpose of the call.

    Parameters
    ----------
    results : results/<run>.

    Raises
    ------
    ArtefactError : it has no session yet, or one of its files is damaged.
    """
    folders = sorted(path.parent for path in results.glob("*/transcripts"))
    counts: Counter[tuple[str, str, str]] = Counter()
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for turn in _turns(folders):
        counts[turn.study, turn.purpose, turn.end] += 1
        texts[turn.model].append(turn.text)
    if not counts and _are_imported(folders):
        return f"No reply was asked for in {results}: its sessions were imported.\n"
    if not counts:
        raise ArtefactError(f"{results} has no session that has ended; run it first.")
    rows = []
    for study, purpose in dict.fromkeys(key[:2] for key in counts):
        total = sum(counts[study, purpose, end] for end in _COLUMNS[3:])
        shares = [_share(counts[study, purpose, end], total) for end in _COLUMNS[3:]]
        rows.append([study, purpose, f"{total:,}", *shares])
    lost = [f"{folder.name} {_lost(folder)}" for folder in folders]
    note = (
        "A turn is read where it breaks no rule of its format. Unread: it still breaks one after "
        f"its last repair. Sessions lost for good: {', '.join(lost)}."
        f"{_left_out(folders)}{_of_marks(texts, _is_simulated(folders))}"
    )
    return f"{tabulate(rows, _COLUMNS, tablefmt='github', disable_numparse=True)}\n\n{note}\n"


def journals(results: Path) -> list[Path]:
    """The journals of a run, those of sessions long gone and of embeddings among them."""
    return sorted(results.glob("*/journal/**/*.jsonl"))


def replies_in(journal: Path) -> list[Reply]:
    """All replies that a journal has, in their order.

    Raises
    ------
    ResourceError : it is damaged.
    """
    if journal.parent.name == "embeddings":
        return [call.reply for call in journaled_calls(journal)]
    return [*Journal(journal).replies]


def answers_elsewhere(ledger: Path, paid_usd: float) -> str:
    """A sentence on answers that were paid and are in no journal; "" where all are in one.

    Parameters
    ----------
    ledger : the file of what was paid.
    paid_usd : what the replies in the journals have cost, with the faults before them.

    Raises
    ------
    ResourceError : the ledger is damaged.
    """
    gone = Ledger(ledger, None).sure_usd - paid_usd
    if gone <= _ROUNDING_USD:
        return ""
    return (
        f"{ledger} has ${gone:,.6f} for answers that no journal has: a process was killed before "
        "it could keep them, they are of forks, or replies were taken away and asked for again."
    )


def _share(count: int, total: int) -> str:
    """A share in per cent, in which a single turn is not lost."""
    return "<1%" if 0 < count < 0.005 * total else f"{100 * count / total:.0f}%"


def _turns(folders: list[Path]) -> Iterator[Turn]:
    for folder in folders:
        kept = SessionTables(folder)
        for name in filter(kept.has, _ended(folder)):
            calls = kept.calls(name).to_pylist()
            attempts: dict[Any, list[tuple[Any, Any]]] = {}
            for row, call in zip(kept.attempts(name).to_pylist(), calls, strict=True):
                place = row["session_attempt"], row["turn"], row["speaker"]
                attempts.setdefault(place, []).append((row, call))
            for tries in attempts.values():
                row, call = tries[-1]
                has_text = not row["error"]
                yield Turn(
                    study=folder.name,
                    purpose=call["purpose"],
                    model=row["model"],
                    attempts=len(tries),
                    text=row["text"],
                    has_text=has_text,
                    is_sound=not row["violations"],
                )


def _ended(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("transcripts/*.parquet"))


def _left_out(folders: list[Path]) -> str:
    """A sentence on sessions whose attempts are nowhere yet: those of shards under way; or ""."""
    lacking = sum(
        not kept.has(name)
        for folder in folders
        for kept in (SessionTables(folder),)
        for name in _ended(folder)
    )
    if not lacking:
        return ""
    return f" Left out, since their shards are under way: {counted(lacking, 'session')}."


def _are_imported(folders: list[Path]) -> bool:
    """Whether a run has sessions, and these came in with a file."""
    first = next(
        (path for folder in folders for path in folder.glob("transcripts/*.parquet")), None
    )
    return first is not None and "imported_from" in provenance_of(first)


def _is_simulated(folders: list[Path]) -> bool:
    """Whether the run's models are simulated."""
    path = next(path for folder in folders for path in folder.glob("transcripts/*.parquet"))
    return bool(provenance_of(path).get("simulated"))


def _of_marks(texts: Mapping[str, list[str]], simulated: bool) -> str:
    """Sentences on models whose texts share what may be thought, without a rule for it; or ""."""
    marks = read_marks()
    shared = {
        model: unknown(list(filter(None, replies)), marks, simulated=simulated)
        for model, replies in texts.items()
    }
    return "".join(
        f" models.{model}: {words}, which no rule knows; where that is thought, name its marks in "
        f"models.{model}.thought (docs/models.md)."
        for model, words in shared.items()
        if words
    )


def _lost(folder: Path) -> str:
    """How many of a study's sessions failed for good, such as "2 of 8"."""
    paths = list(folder.glob("transcripts/*.parquet"))
    failed = sum(bool(provenance_of(path)["failure"]) for path in paths)
    return f"{failed} of {len(paths)}"
