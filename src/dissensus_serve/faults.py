"""Which tries fail, and how: a random draw from the seed, the request and the try's number."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import NormalDist

#: Faults that a later try can do without; ``--faults`` gives an even mix of them.
RECOVERABLE = (
    *("rate_limit", "overload", "server_error", "connection", "timeout", "malformed", "empty"),
)
#: Faults of every try at a request, as with a real model, so that a run that is killed and resumed
#: meets the same ones.
LASTING = ("length", "content_filter", "refusal", "context_overflow")
KINDS = (*RECOVERABLE, *LASTING, "rejected", "authentication", "credit")
#: Faults that any request can have; the others need a model's answer.
TRANSPORT = ("rate_limit", "overload", "server_error", "connection", "timeout", "malformed")
#: The fault of every try in an outage.
OUT = "overload"


@dataclass(frozen=True, slots=True)
class OutageTimes:
    """When no call is answered: after the first ``tries``, for ``seconds``."""

    tries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Draw:
    """The random draw of one try.

    Attributes
    ----------
    fault : a key of RULES, or "" for none.
    turn : a number that counts up with the tries, for faults that have several forms.
    name : of the try, to seed further draws.
    """

    fault: str
    turn: int
    name: str


class Faults:
    """Draws the faults, and counts the tries at each request.

    Parameters
    ----------
    rates : outcome -> share of tries (of requests, for those in LASTING) that end so.
    seed : of the server.
    outage : when no call is answered; None for never.
    """

    def __init__(
        self, rates: Mapping[str, float], seed: int, outage: OutageTimes | None = None
    ) -> None:
        self._tried: Counter[tuple[str, str]] = Counter()
        self._by_try = {kind: rate for kind, rate in rates.items() if kind not in LASTING}
        self._by_request = {kind: rate for kind, rate in rates.items() if kind in LASTING}
        self._seed = seed
        self._outage = outage
        self._out_from: float | None = None

    def draw(self, kind: str, digest: str, possible: Collection[str] = KINDS) -> Draw:
        """Draw the next try at a request.

        Parameters
        ----------
        kind : of call.
        digest : of the request (hexadecimal).
        possible : the faults that this kind of call can have; it succeeds where another is drawn.
        """
        number = self._tried[kind, digest]
        self._tried[kind, digest] = number + 1
        name = f"{kind}/{digest}/{number}"
        fault = _pick(self._by_try, self._uniform(name)) if self._by_try else ""
        if not fault and self._by_request:
            fault = _pick(self._by_request, self._uniform(f"{kind}/{digest}"))
        turn = int(digest[:8], 16) + number
        if self._is_out():
            return Draw(OUT, turn, name)
        return Draw(fault if fault in possible else "", turn, name)

    def _is_out(self) -> bool:
        """Whether the server answers no call now."""
        if self._outage is None or self._tried.total() <= self._outage.tries:
            return False
        now = time.monotonic()
        self._out_from = self._out_from or now
        return now < self._out_from + self._outage.seconds

    def normal(self, draw: Draw) -> float:
        """A standard normal draw for a try."""
        return NormalDist().inv_cdf(min(max(self._uniform(f"{draw.name}/normal"), 1e-9), 1 - 1e-9))

    def _uniform(self, name: str) -> float:
        made = hashlib.blake2b(f"{self._seed}/{name}".encode(), digest_size=8).digest()
        return int.from_bytes(made) / 2**64


def _pick(rates: Mapping[str, float], uniform: float) -> str:
    for kind, rate in rates.items():
        uniform -= rate
        if uniform < 0:
            return kind
    return ""
