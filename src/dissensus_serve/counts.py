"""What the server has counted, to compare with a client's own ledger."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from dissensus_serve.calls import Answer, Call
from dissensus_serve.limits import Window


@dataclass
class KindCounts:
    """The requests of one kind.

    Attributes
    ----------
    received : all of them.
    answered : those whose answer, whole and without a fault, was written.
    distinct : digests of the answered.
    faults : simulated ones, by outcome.
    refused : errors that the request itself or a limit earned, by status.
    abandoned : those whose client left before the answer.
    """

    received: int = 0
    answered: int = 0
    distinct: set[bytes] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    abandoned: int = 0

    def finished(self, digest: str) -> None:
        """Count an answer that was written."""
        self.answered += 1
        self.distinct.add(bytes.fromhex(digest))

    def as_json(self) -> dict[str, Any]:
        return {
            "received": self.received,
            "answered": self.answered,
            "distinct": len(self.distinct),
            "repeats": self.answered - len(self.distinct),
            "faults": dict(self.faults),
            "refused": dict(self.refused),
            "abandoned": self.abandoned,
        }


@dataclass
class Tokens:
    """Tokens billed for one model's answers; lost are those that no client could read.

    Those that its cache had, and those that it took in (for an hour among them), are of the input.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    written_1h: int = 0
    lost_input: int = 0
    lost_output: int = 0


class Counts:
    """The counts that ``GET /stats`` gives."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._window = Window()
        self._first = self._last = 0.0
        self._inside = self._peak = 0
        self._tokens: defaultdict[str, Tokens] = defaultdict(Tokens)
        self.calls: defaultdict[str, KindCounts] = defaultdict(KindCounts)
        self.control = KindCounts()
        self.batches: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def entered(self, kind: str) -> KindCounts:
        """Count a request; the counts of its kind."""
        now = time.monotonic()
        self._window.add(now)
        self._first = self._first or now
        self._last = now
        self._inside += 1
        self._peak = max(self._peak, self._inside)
        counts = self.calls[kind]
        counts.received += 1
        return counts

    def left(self) -> None:
        """Count the end of a request, however it ended."""
        self._inside -= 1

    def billed(self, call: Call, answer: Answer, is_lost: bool) -> None:
        """Count the tokens of an answer that a provider would charge for."""
        tokens = self._tokens[call.model]
        if is_lost:
            tokens.lost_input += answer.input_tokens
            tokens.lost_output += answer.output_tokens
        else:
            tokens.input += answer.input_tokens
            tokens.output += answer.output_tokens
            tokens.cached += answer.used.read
            tokens.written += answer.used.written
            tokens.written_1h += answer.used.written_1h

    def as_json(self, admitted_in_a_minute: int) -> dict[str, Any]:
        """All counts, as JSON."""
        faults: Counter[str] = Counter()
        for counts in self.calls.values():
            faults.update(counts.faults)
        return {
            "calls": {kind: counts.as_json() for kind, counts in self.calls.items()},
            "faults": dict(faults),
            "in_flight": {"now": self._inside, "peak": self._peak},
            "largest_minute": {
                "received": self._window.largest,
                "admitted": admitted_in_a_minute,
            },
            "calls_span_s": round(self._last - self._first, 3),
            "tokens": {model: vars(tokens) for model, tokens in self._tokens.items()},
            "control": {
                "received": self.control.received,
                "faults": dict(self.control.faults),
                "refused": dict(self.control.refused),
            },
            "batches": {interface: dict(counts) for interface, counts in self.batches.items()},
            "uptime_s": round(time.monotonic() - self._started, 3),
        }
