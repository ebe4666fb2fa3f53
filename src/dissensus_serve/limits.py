"""The server's own limits: requests and tokens in any 60 seconds, and requests at once."""

from __future__ import annotations

from collections import deque

from dissensus_serve.refusals import Refusal

WINDOW_S = 60.0


class Window:
    """A sum over the last 60 seconds."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, int]] = deque()
        self.total = 0
        self.largest = 0

    def add(self, now: float, amount: int = 1) -> None:
        """Count an amount now."""
        self.forget(now)
        self._entries.append((now, amount))
        self.total += amount
        self.largest = max(self.largest, self.total)

    def forget(self, now: float) -> None:
        """Drop what is older than the window."""
        while self._entries and self._entries[0][0] <= now - WINDOW_S:
            self.total -= self._entries.popleft()[1]

    def wait(self, now: float, amount: int, limit: int) -> float:
        """Seconds until ``amount`` more fits under the limit; 0 where it does now."""
        self.forget(now)
        excess = self.total + amount - limit
        if excess <= 0:
            return 0.0
        for entered, amount_then in self._entries:
            excess -= amount_then
            if excess <= 0:
                return min(entered + WINDOW_S - now, WINDOW_S)
        return WINDOW_S


class Gate:
    """Lets a call in, or refuses it with the seconds after which to try again.

    Parameters
    ----------
    requests, tokens : the most in any 60 seconds; None for no limit. A call's input counts when it
        is let in and its output when it is answered.
    concurrency : the most calls at once; None for no limit.
    """

    def __init__(self, requests: int | None, tokens: int | None, concurrency: int | None) -> None:
        self._requests, self._tokens, self._concurrency = requests, tokens, concurrency
        self.started = Window()
        self.spent = Window()
        self._inside = 0

    def enter(self, now: float, tokens: int) -> None:
        """Let a call in; Refusal with status 429 where it is over a limit."""
        if self._concurrency is not None and self._inside >= self._concurrency:
            raise _refusal("concurrent requests", "requests", self._concurrency, 1.0)
        if self._requests is not None:
            wait = self.started.wait(now, 1, self._requests)
            if wait > 0:
                raise _refusal("requests per min (RPM)", "requests", self._requests, wait)
        if self._tokens is not None:
            wait = self.spent.wait(now, tokens, self._tokens)
            if wait > 0:
                raise _refusal("tokens per min (TPM)", "tokens", self._tokens, wait)
        self._inside += 1
        self.started.add(now)
        self.spent.add(now, tokens)

    def leave(self, now: float, tokens: int) -> None:
        """Count the end of a call, and its tokens of output."""
        self._inside -= 1
        self.spent.add(now, tokens)


def _refusal(what: str, kind: str, limit: int, wait: float) -> Refusal:
    message = f"Rate limit reached on {what}: Limit {limit}. Please try again in {wait:.3f}s."
    return Refusal(429, message, "rate_limit_exceeded", None, kind, wait)
