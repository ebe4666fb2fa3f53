"""The journal: every reply is on disk before anyone uses it, but for those of simulated models.

One JSON line a reply, keyed by the digest of its request. Disk space for the reply is reserved
before a call is made, so that a paid reply can always be written. After a kill, only the calls that
were in flight are made again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Lock
from types import TracebackType
from typing import Any, Self

from dissensus.errors import Stopped
from dissensus.llm.call import Provider, Reply, Request
from dissensus.llm.records import HEADING, Records
from dissensus.llm.thought import reread


class InFlight:
    """Counts the calls that have begun and whose replies are not yet on disk."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count = 0
        self._closed = False

    def __enter__(self) -> None:
        """Begin a call.

        Raises
        ------
        Stopped : the run is stopping.
        """
        with self._changed:
            self.check()
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def check(self) -> None:
        """Return where calls may still be made.

        Raises
        ------
        Stopped : the run is stopping.
        """
        if self._closed:
            raise Stopped(
                "The run is stopping and makes no further call; start it again and it goes on "
                "where it stopped."
            )

    def close(self) -> None:
        """Let no further call begin."""
        with self._changed:
            self._closed = True

    def drain(self, timeout_s: float) -> bool:
        """Wait until the replies of all calls are on disk; whether they are before the time-out."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout_s)


#: The calls of this process.
IN_FLIGHT = InFlight()


class Journal:
    """The replies of one session.

    Parameters
    ----------
    path : the journal's file; made with its folder when the first call is made.
    in_flight : counts the calls that are made.
    plan : SHA-256 of the registered plan that calls are made under, which a new journal begins
        with; "" of none.

    Attributes
    ----------
    made : keys of the replies that were no replay: a model gave them since it was opened.

    Raises
    ------
    ResourceError : a line is damaged.
    """

    def __init__(self, path: Path, in_flight: InFlight = IN_FLIGHT, plan: str = "") -> None:
        self.path = path
        self._records: Records[Reply] = Records(
            path, reply_from, vars, "request_sha256", {HEADING: plan} if plan else None
        )
        self._in_flight = in_flight
        self._turns: dict[str, Lock] = {}
        self._asked: set[str] = set()
        self.made: set[str] = set()

    def __len__(self) -> int:
        return len(self._records)

    @property
    def replies(self) -> list[Reply]:
        """All replies, in the order in which they came."""
        return self._records.records()

    @property
    def by_request(self) -> dict[str, Reply]:
        """SHA-256 of a request -> its reply."""
        return self._records.by_key()

    @property
    def plan(self) -> str:
        """SHA-256 of the plan that its first call was made under; "" where there was none."""
        return str(self._records.heading.get(HEADING, ""))

    @property
    def unused(self) -> int:
        """How many replies it holds that nobody has asked for since it was opened."""
        return len(self._records) - len(self._asked)

    def __enter__(self) -> Self:
        """Keep the file open for a whole session."""
        self._records.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._records.__exit__()

    def ask(self, provider: Provider, request: Request, patience_s: float | None = None) -> Reply:
        """The reply in the journal, or else the provider's, which is written down first.

        Parameters
        ----------
        patience_s : seconds that the provider may wait for its model.

        Raises
        ------
        ResourceError : there is no space for the reply; the provider is not called.
        Stopped : the run is stopping.
        """
        key = request.sha256
        if (reply := self._records.get(key)) is not None:
            reply = reread(reply, provider.marks)
        else:
            # Of two threads with the same request, the second finds the reply of the first.
            with self._turns.setdefault(key, Lock()):
                reply = self._records.get(key) or self._call(key, provider, request, patience_s)
        self._asked.add(key)
        return reply

    def _call(
        self, key: str, provider: Provider, request: Request, patience_s: float | None
    ) -> Reply:
        # No language takes 16 bytes a token; what is kept as it came may have some likely tokens
        # beside each.
        size = 4096 + (16 if not request.options else 1024) * request.max_tokens
        with self._in_flight:
            self._records.reserve(size)
            try:
                started = _now()
                reply = provider.ask(request, patience_s)
                reply = replace(reply, started=started, ended=_now())
            except BaseException:
                self._records.release(size)
                raise
            # A simulated model gives the same reply again, and to wait for the disk takes longer.
            self._records.append({key: reply}, size, at_once=not provider.simulated)
        self.made.add(key)
        return reply


class NotJournaled(Exception):
    """A reply was asked for that the journal does not hold."""


class Replay(Journal):
    """A journal that answers what it can, and is never written.

    Raises
    ------
    NotJournaled : by :meth:`ask`, where it has no reply.
    """

    def _call(
        self, key: str, provider: Provider, request: Request, patience_s: float | None
    ) -> Reply:
        raise NotJournaled(f"no reply to request {key}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _is_text(value: Any) -> bool:
    # JSON can name halves of a character, which no file can hold.
    return isinstance(value, str) and (value.isascii() or bool(value.encode()))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


_IS: dict[Any, Callable[[Any], bool]] = {
    "str": _is_text,
    "int": _is_count,
    "float": _is_amount,
    "float | None": lambda value: value is None or _is_amount(value),
    "tuple[str, ...]": lambda value: isinstance(value, list) and all(map(_is_text, value)),
}
#: Member of a reply -> whether a value may be that.
_REPLY = {field.name: _IS[field.type] for field in fields(Reply)}


def reply_from(members: Mapping[str, Any]) -> Reply:
    """A reply from its members; a version before or after this one may have fewer or more.

    Raises
    ------
    ValueError : it has no text, or a member is of another type.
    """
    reply = {name: value for name, value in members.items() if name in _REPLY}
    if "text" not in reply:
        raise ValueError("it has no text")
    for name, value in reply.items():
        if not _REPLY[name](value):
            raise ValueError(f"{name} is {value!r:.60}")
    for name in ("faults", "faults_said"):
        if name in reply:
            reply[name] = tuple(reply[name])
    return Reply(**reply)


class NoJournal(Journal):
    """Asks and forgets: a simulated reply costs nothing to make again."""

    def __init__(self) -> None:
        super().__init__(Path("unused"))

    def ask(self, provider: Provider, request: Request, patience_s: float | None = None) -> Reply:
        return provider.ask(request)
