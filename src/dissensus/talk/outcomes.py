"""What can become of one try at a call, and the rule for each: one table, read by all providers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rule:
    """What follows from an outcome.

    Attributes
    ----------
    tries : how many tries of one call may end this way before it is given up; None as many as the
        provider's ``retries`` allow, 1 never again.
    stops : whether it stops the whole run, since no other call could fare better.
    billed : whether the provider may have charged for the try.
    """

    tries: int | None = None
    stops: bool = False
    billed: bool = False


#: Outcomes of a try that left no text to go on with. An empty or malformed answer was paid for, so
#: it is asked for again less patiently than an error.
RULES = {
    "rate_limit": Rule(),
    "overload": Rule(),
    "server_error": Rule(),
    "connection": Rule(billed=True),
    "timeout": Rule(billed=True),
    "malformed": Rule(tries=5, billed=True),
    "empty": Rule(tries=5, billed=True),
    "rejected": Rule(tries=3),
    "length": Rule(tries=1, billed=True),
    "content_filter": Rule(tries=1, billed=True),
    "refusal": Rule(tries=1, billed=True),
    "context_overflow": Rule(tries=1),
    "authentication": Rule(tries=1, stops=True),
    "credit": Rule(tries=1, stops=True),
}

#: Words that providers use in the body of an error, in the order in which they are looked for.
_SAID = (
    ("credit", re.compile(r"insufficient[_ ](quota|balance|credit|funds)|credit balance|"
                          r"billing_(hard_limit|not_active)")),
    ("context_overflow", re.compile(r"context[_ ](length|window)|too many (input )?tokens|"
                                    r"prompt is too long|maximum context|string_above_max")),
    ("content_filter", re.compile(r"content[_ ](filter|policy|management)|safety|moderation")),
)  # fmt: skip
_BY_STATUS = {
    401: "authentication",
    402: "credit",
    403: "authentication",
    408: "timeout",
    409: "server_error",
    413: "context_overflow",
    425: "overload",
    429: "rate_limit",
    499: "connection",
    503: "overload",
    504: "timeout",
    529: "overload",
}


def outcome_of(status: int, error: Any) -> str:
    """The outcome that a status above 299 stands for.

    Parameters
    ----------
    status : of the HTTP answer.
    error : what the answer's body says is wrong: its ``error`` entry, or the whole of it.
    """
    # Told by its words only where the status leaves it open: a gateway's page may hold any.
    if status in (400, 403, 404, 413, 422, 429):
        said = _said(error)
        for outcome, words in _SAID[: 1 if status == 429 else None]:
            if words.search(said):
                return outcome
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server_error" if status >= 500 else "rejected"


def _said(error: Any) -> str:
    """The machine-readable words of an error and its message, in lower case."""
    if isinstance(error, Mapping):
        inner = error.get("error")
        error = inner if isinstance(inner, Mapping) else error
        return " ".join(str(error.get(key, "")) for key in ("code", "type", "message")).lower()
    return str(error).lower()
