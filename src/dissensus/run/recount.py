"""What a run has spent by its journals and batches, for a ledger that lost lines or is gone."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dissensus.llm.ledger import LEDGER, Ledger

#: Under which what is added is written down.
_STAGE = "journals"
#: Dollars that sums may differ by because of rounding.
_ROUNDING_USD = 1e-6


def restore_ledger(folder: Path, parts: Sequence[Path] = ()) -> float:
    """Add to a run's ledger what its journals and batches have cost beyond it.

    An intact ledger has more than these: tries of calls that were never journaled.

    Parameters
    ----------
    folder : of the run.
    parts : folders of its panels, whose replies it paid for.

    Returns
    -------
    The dollars added.

    Raises
    ------
    ResourceError : the ledger is damaged, or cannot be written.
    """
    ledger = Ledger(folder / LEDGER, None, _STAGE)
    lost = spent_by_journals(folder, parts) - (ledger.sure_usd + ledger.unsure_usd)
    if lost <= _ROUNDING_USD:
        return 0.0
    ledger.add("", lost, 0, 0)
    ledger.check()
    return lost


def spent_by_journals(folder: Path, parts: Sequence[Path] = ()) -> float:
    """Dollars of all replies in a run's journals, and of batches' answers that none has yet."""
    journaled: defaultdict[str, float] = defaultdict(float)
    for place in {folder, *parts}:
        for path in place.glob("*/**/*.jsonl"):
            for name, usd in _replies(path):
                journaled[name] += usd
    batched: defaultdict[str, float] = defaultdict(float)
    for path in folder.glob("batches/*/*.answers.json"):
        for name, usd in _answers(path):
            batched[name] += usd
    names = {*journaled, *batched}
    return sum(max(journaled[name], batched[name]) for name in names)


def _replies(path: Path) -> Iterator[tuple[str, float]]:
    """Key and dollars of each reply; a line that cannot be read is its own session's to report."""
    for line in path.read_bytes().split(b"\n"):
        members = _parsed(line)
        reply = members.get("reply", members)
        if isinstance(reply, dict):
            name = members.get("request_sha256") or f"{path} {members.get('key')}"
            yield str(name), _usd(reply.get("cost_usd")) + _usd(reply.get("faults_usd"))


def _answers(path: Path) -> Iterator[tuple[str, float]]:
    """Key and dollars of each try in the answers to a batch."""
    tries = _parsed(path.read_bytes()).get("tries")
    for name, attempt in (tries if isinstance(tries, dict) else {}).items():
        yield name, _usd(attempt.get("usd") if isinstance(attempt, dict) else None)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return members if isinstance(members, dict) else {}


def _usd(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0.0 < value < float("inf") else 0.0
