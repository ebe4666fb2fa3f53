"""The outcomes of one try at a call, and the rule for each: one table for all providers.

Whose fault an outcome is decides what it may do. What is the session's own fault, such as a prompt
that is too long, ends its attempt once the tries are used up, and is journaled. What is the
provider's may befall any call: it ends an attempt only where the provider answers other calls in
the meantime; where it answers none, that is an outage (:mod:`dissensus.llm.outage`). What is the
account's stops the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dissensus.errors import ProviderError
from dissensus.llm.exchange import label


@dataclass(frozen=True)
class Rule:
    """What follows from an outcome.

    Attributes
    ----------
    fault : whose it is: the session's, the provider's or the account's.
    tries : after how many such tries a call is given up; None where only the provider's
        ``retries`` limit them.
    billed : whether the provider may have charged for the try.
    """

    fault: Literal["session", "provider", "account"]
    tries: int | None = None
    billed: bool = False

    @property
    def stops(self) -> bool:
        """Whether it stops the whole run, since every other call would fail as well."""
        return self.fault == "account"


#: Outcomes of a try without a usable text. Empty and malformed answers were paid for, so they are
#: tried again less often than errors.
RULES = {
    "rate_limit": Rule("provider"),
    "overload": Rule("provider"),
    "server_error": Rule("provider"),
    "connection": Rule("provider", billed=True),
    "timeout": Rule("provider", billed=True),
    "malformed": Rule("provider", tries=5, billed=True),
    "empty": Rule("session", tries=5, billed=True),
    "rejected": Rule("session", tries=3),
    "length": Rule("session", tries=1, billed=True),
    "content_filter": Rule("session", tries=1, billed=True),
    "refusal": Rule("session", tries=1, billed=True),
    "context_overflow": Rule("session", tries=1),
    "authentication": Rule("account", tries=1),
    "credit": Rule("account", tries=1),
}

#: Outcome -> words in the body of an error; the first that match decide.
_BY_WORDS = (
    ("credit", re.compile(r"insufficient[_ ](quota|balance|credit|funds)|credit[_ ]balance|"
                          r"billing_(hard_limit|not_active|error)|specified api usage limits|"
                          r"used all available credits")),
    ("authentication", re.compile(r"(invalid|incorrect) (x-)?api[ _-]key|invalid_api_key|"
                                  r"api[ _]key not (valid|found)|api_key_invalid")),
    ("context_overflow", re.compile(r"context[_ ](length|window|limit|size)|maximum context|"
                                    r"too many (input )?tokens|(prompt|input) is too long|"
                                    r"exceeds the maximum number of tokens|string_above_max|"
                                    r"max_tokens must be at least 1, got -")),
    ("content_filter", re.compile(r"content[_ ](filter|policy|management|moderation|exists risk)|"
                                  r"usage polic|responsibleai|was flagged|requires moderation|"
                                  r"safety (system|reasons)|moderation_blocked|"
                                  r"data_inspection_failed|inappropriate content")),
)  # fmt: skip
#: The members of an error that hold its words; others may repeat the request.
_MEMBERS = (
    *("error", "code", "type", "status", "message", "detail", "msg", "metadata", "raw"),
    "innererror",
)
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
    524: "timeout",
    529: "overload",
}
#: Status -> names of errors, for errors that came with status 200.
_BY_NAME = (
    (429, re.compile(r"rate.?limit|too_many_requests")),
    (529, re.compile(r"overloaded|unavailable|capacity")),
    (401, re.compile(r"authentication|unauthorized")),
    (403, re.compile(r"permission|forbidden")),
    (400, re.compile(r"invalid|bad.?request|not.?found|unsupported")),
)


#: Words for why a model stopped, as they are after their prefix -> ours.
_FINISHES = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
    **dict.fromkeys(("model_context_window_exceeded", "max_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "recitation", "sensitive"), "content_filter"),
    **dict.fromkeys(("blocklist", "prohibited_content", "spii", "image_safety"), "content_filter"),
    **dict.fromkeys(("content_filtered", "guardrail_intervened"), "content_filter"),
    "refusal": "refusal",
}


def finish_reason(value: Any) -> str:
    """Why a model stopped, in one word for all providers; the provider's own where it has none.

    Gateways pass on the words of others: ``MAX_TOKENS``, ``FinishReason.SAFETY``,
    ``content_filter: RECITATION``.
    """
    given = label(value)
    words = re.split(r"[.:\s]+", given.lower().replace("-", "_").replace("finish_reason_", ""))
    known = [_FINISHES[word] for word in words if word in _FINISHES]
    return known[0] if known else given


def outcome_of(status: int, error: Any) -> str:
    """The outcome that a status above 299 stands for.

    Parameters
    ----------
    status : of the HTTP answer.
    error : the body of the answer, or its ``error`` member.
    """
    # Words decide only where the status is ambiguous: a gateway's page may have any words.
    if status in (400, 403, 404, 413, 422, 429):
        text = _words(error).lower()
        for outcome, words in _BY_WORDS[: 1 if status == 429 else None]:
            if words.search(text):
                return outcome
    if status == 403 and isinstance(error, str) and error:
        # A page, not the provider's JSON: a firewall refused, and the key is not at fault.
        return "rejected"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server_error" if status >= 500 else "rejected"


def stopped(provider: str, outcome: str, message: str) -> ProviderError:
    """The error of an outcome that stops the run; ``message`` names the model and the reason."""
    why = {
        "authentication": "does not accept the key, or not for this model",
        "credit": "says that its account has no credit left",
    }[outcome]
    return ProviderError(
        f"providers.{provider} {why} ({message}); mend that and start again: the run goes on where "
        "it stopped."
    )


def status_of(error: Any) -> int:
    """The status that an error stands for which came with an answer of status 200."""
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    code = inner.get("code") if isinstance(inner, Mapping) else None
    if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
        return int(code)
    text = _words(error).lower()
    if any(words.search(text) for _, words in _BY_WORDS):
        return 400
    return next((status for status, words in _BY_NAME if words.search(text)), 502)


def message_of(error: Any) -> str:
    """The provider's own sentence in an error, for a person to read; "" where there is none."""
    while isinstance(error, Mapping | list):
        if isinstance(error, list):
            error = error[0] if error else ""
        else:
            inner = (error.get(name) for name in ("error", "message", "detail", "msg"))
            error = next((value for value in inner if value), "")
    return "" if error is None else str(error)


def _words(error: Any, depth: int = 0) -> str:
    """The machine-readable words of an error and its messages."""
    if depth < 5 and isinstance(error, Mapping):
        return " ".join(_words(error[name], depth + 1) for name in _MEMBERS if name in error)
    if depth < 5 and isinstance(error, list):
        return " ".join(_words(entry, depth + 1) for entry in error[:3])
    return "" if isinstance(error, Mapping | list) else str(error)[:4000]
