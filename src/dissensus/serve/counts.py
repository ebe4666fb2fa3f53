"""What the server has seen and done: the other side of a client's own books."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from dissensus.serve.calls import Answer, Call
from dissensus.serve.limits import Window


@dataclass
class Tally:
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
        """An answer was written."""
        self.answered += 1
        self.distinct.add(bytes.fromhex(digest))

    def says(self) -> dict[str, Any]:
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
    """What one model's answers are billed for; lost are those that no client could read."""

    input: int = 0
    output: int = 0
    lost_input: int = 0
    lost_output: int = 0


class Counts:
    """All that ``GET /stats`` says."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._window = Window()
        self._first = self._last = 0.0
        self._inside = self._peak = 0
        self._tokens: defaultdict[str, Tokens] = defaultdict(Tokens)
        self.calls: defaultdict[str, Tally] = defaultdict(Tally)
        self.control = Tally()
        self.batches: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def entered(self, kind: str) -> Tally:
        """A request for an answer came in: the tally that it belongs to."""
        now = time.monotonic()
        self._window.add(now)
        self._first = self._first or now
        self._last = now
        self._inside += 1
        self._peak = max(self._peak, self._inside)
        tally = self.calls[kind]
        tally.received += 1
        return tally

    def left(self) -> None:
        """A request that had entered is over, however it ended."""
        self._inside -= 1

    def billed(self, call: Call, answer: Answer, is_lost: bool) -> None:
        """An answer was made that a provider would charge for."""
        held = self._tokens[call.model]
        if is_lost:
            held.lost_input += answer.input_tokens
            held.lost_output += answer.output_tokens
        else:
            held.input += answer.input_tokens
            held.output += answer.output_tokens

    def says(self, admitted_in_a_minute: int) -> dict[str, Any]:
        """The whole, as JSON has it."""
        faults: Counter[str] = Counter()
        for tally in self.calls.values():
            faults.update(tally.faults)
        return {
            "calls": {kind: tally.says() for kind, tally in self.calls.items()},
            "faults": dict(faults),
            "in_flight": {"now": self._inside, "peak": self._peak},
            "largest_minute": {
                "received": self._window.largest,
                "admitted": admitted_in_a_minute,
            },
            "calls_span_s": round(self._last - self._first, 3),
            "tokens": {model: vars(held) for model, held in self._tokens.items()},
            "control": {
                "received": self.control.received,
                "faults": dict(self.control.faults),
                "refused": dict(self.control.refused),
            },
            "batches": {interface: dict(counts) for interface, counts in self.batches.items()},
            "uptime_s": round(time.monotonic() - self._started, 3),
        }
