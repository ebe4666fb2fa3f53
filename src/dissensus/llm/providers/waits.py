"""How long an error asks to wait, as providers and gateways say it.

``Retry-After`` is a number of seconds or a date (RFC 9110, 10.2.3); servers send milliseconds, Go's
durations (``6m0s``), ISO dates and epochs, too. Where it is missing, other headers say when a limit
that is used up is open again, by name: ``x-ratelimit-reset-requests``, ``anthropic-ratelimit-
tokens-reset``.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

#: What asks for a time, the surest first -> its numbers in a second.
_ASKS = (("retry-after-ms", 1000.0), ("x-ms-retry-after-ms", 1000.0), ("retry-after", 1.0))
#: A duration as Go writes it, and its parts in seconds.
_DURATION = re.compile(
    r"(?:(\d{1,6}(?:\.\d{1,9})?)d)?(?:(\d{1,6}(?:\.\d{1,9})?)h)?"
    r"(?:(\d{1,6}(?:\.\d{1,9})?)m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?"
    r"(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)
_PARTS = (86_400.0, 3600.0, 60.0, 1.0, 0.001)
#: Numbers from which on they are seconds, and milliseconds, since 1970.
_EPOCH, _EPOCH_MS = 1e9, 1e11
#: Headers that say when a limit is open again.
_RESET = re.compile(r"(?:x-|anthropic-)?rate-?limit-(?:[\w-]{1,30}-)?reset(?:-[\w-]{1,30})?")
#: The most seconds to wait for such: it may be when a limit is whole again, and not when some of it
#: is.
MOST_RESET_S = 60.0


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that an answer asks to wait; 0 where it does not say.

    Parameters
    ----------
    headers : of the answer, by names in small letters, or in any.
    """
    for name, in_a_second in _ASKS:
        seconds = _seconds(headers.get(name, ""), headers, in_a_second)
        if seconds > 0.0:
            return seconds
    return 0.0


def wait_of(headers: Mapping[str, str], error: Any = None) -> float:
    """The same, or else until a limit that is used up is open again, for at most a minute.

    Parameters
    ----------
    error : the body of the answer, in which Google asks for a time (``retryDelay``), and OpenRouter
        has the headers that it was sent.
    """
    asked = retry_after(headers)
    if asked:
        return asked
    told = dict(_told(error))
    if delay := _seconds(str(told.pop("retryDelay", "")), headers):
        return delay
    waits = []
    for source in (headers, told):
        small = {str(name).lower(): str(value) for name, value in source.items()}
        for name, value in small.items():
            if _RESET.fullmatch(name) and _is_used_up(small, name):
                waits.append(_seconds(value, headers))
    return min(max(waits, default=0.0), MOST_RESET_S)


def _is_used_up(headers: Mapping[str, str], reset: str) -> bool:
    """Whether nothing remains of the limit that a header tells the reset of."""
    with suppress(ValueError):
        return float(headers.get(reset.replace("reset", "remaining"), "")) <= 0.0
    return False


def _told(error: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The time that Google's errors ask for, and the headers in OpenRouter's."""
    if isinstance(error, list):
        for entry in error[:5] if depth < 5 else ():
            yield from _told(entry, depth + 1)
    elif isinstance(error, Mapping) and depth < 5:
        if "retryDelay" in error:
            yield "retryDelay", error["retryDelay"]
        if isinstance(headers := error.get("headers"), Mapping):
            yield from [*headers.items()][:50]
        for name in ("error", "details", "metadata"):
            yield from _told(error.get(name), depth + 1)


def _seconds(value: str, headers: Mapping[str, str], in_a_second: float = 1.0) -> float:
    """The seconds from an answer on that a value means; 0 for none, the past or nonsense."""
    text = value.strip()[:100]
    with suppress(ValueError):
        number = float(text)
        if not (math.isfinite(number) and number > 0.0):
            return 0.0
        if number < _EPOCH:
            return number / in_a_second
        return _until(number / (1000.0 if number >= _EPOCH_MS else 1.0), headers)
    duration = _DURATION.fullmatch(text.lower().replace(" ", ""))
    if duration and any(duration.groups()):
        parts = zip(duration.groups(), _PARTS, strict=True)
        return sum((float(part) * each for part, each in parts if part), 0.0)
    until = _date(text)
    return 0.0 if until is None else _until(until, headers)


def _until(until: float, headers: Mapping[str, str]) -> float:
    """Seconds until a time, by the clock that it is of: this machine's may show another time."""
    said = _date(headers.get("date", ""))
    return max(0.0, until - (time.time() if said is None else said))


def _date(text: str) -> float | None:
    """A date of a header, in seconds since 1970; None where it is none."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            date = read(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return None
