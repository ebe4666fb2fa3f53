"""The outcomes of one try at a call, and the rule for each: one table for all providers.

Whose fault an outcome is decides what it may do. What is the session's own fault, such as a prompt
that is too long, ends its attempt once the tries are used up, and is journaled. What is the
provider's may befall any call: it ends an attempt only where the provider answers other calls in
the meantime; where it answers none, that is an outage (:mod:`dissensus.llm.outage`). What is the
account's stops the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from dissensus.errors import ProviderError
from dissensus.llm.providers.faults import (
    SENTENCES,
    is_beyond,
    is_named,
    is_number,
    named_outcome,
    parameter_of,
    passed_on,
    plain_name,
    words_of_error,
)


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

_BY_STATUS = {
    401: "authentication",
    402: "credit",
    403: "authentication",
    408: "timeout",
    409: "server_error",
    413: "context_overflow",
    425: "overload",
    429: "rate_limit",
    498: "overload",
    499: "connection",
    503: "overload",
    504: "timeout",
    524: "timeout",
    529: "overload",
}
#: Status -> names of errors, for errors that came with status 200.
_BY_NAME = (
    (
        429,
        re.compile(
            r"rate.?limit|too.many.requests|throttl|\bqps\b|频率|限流|速率|并发|"
            r"\brequests? limit"
        ),
    ),
    (529, re.compile(r"overloaded|unavailable|capacity|\bbusy\b|繁忙|过载")),
    (
        401,
        re.compile(
            r"authenticat|unauthori[sz]ed|not authori[sz]ed|鉴权|认证失败|身份验证|"
            r"(access|api|bearer) ?(token|key) (is )?(invalid|expired|no longer valid)"
        ),
    ),
    (403, re.compile(r"permission|forbidden")),
    (504, re.compile(r"time.?out|timed out|超时")),
    (400, re.compile(r"invalid|bad.?request|not.?found|unsupported|参数")),
)
#: MiniMax's codes of its own (platform.minimax.io/docs/api-reference/errorcode), in ``base_resp``.
_BASE_RESP = {
    **{1001: 504, 1002: 429, 1004: 401, 1008: 402, 1013: 500, 1024: 500, 1033: 500, 1039: 429},
    **{1041: 503, 1042: 400, 2013: 400, 2037: 400, 2039: 400, 2042: 403, 2048: 400, 2049: 401},
    2056: 429,
}
#: What members of an answer hold where there is no error.
_NO_ERROR: tuple[Any, ...] = (
    *(None, False, 0, 200, [], {}),
    *("", "0", "200", "ok", "success", "null", "none"),
)


_CODES = ("code", "statuscode", "status", "httpcode", "httpstatus", "errorcode")
#: Words for why a model stopped, as they are after their prefix -> ours.
_FINISHES = {
    # The natural ends: a model's own, a stop sequence, and what calls a tool.
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete"), "stop"),
    **dict.fromkeys(("completed", "end", "eot", "normal", "stop_token", "finished"), "stop"),
    **dict.fromkeys(("tool_calls", "tool_use", "function_call", "tool_call"), "tool_calls"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
    **dict.fromkeys(("model_context_window_exceeded", "max_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "recitation", "sensitive"), "content_filter"),
    **dict.fromkeys(("blocklist", "prohibited_content", "spii", "image_safety"), "content_filter"),
    **dict.fromkeys(("content_filtered", "guardrail_intervened"), "content_filter"),
    "refusal": "refusal",
    # What a provider's own fault cut off: vLLM's and SGLang's aborts, gateways' and DeepSeek's.
    **dict.fromkeys(("error", "abort", "aborted", "cancelled", "canceled", "interrupted"), "error"),
    **dict.fromkeys(("network_error", "insufficient_system_resource", "server_error"), "error"),
    **dict.fromkeys(("internal_error", "timeout", "timed_out", "failed", "failure"), "error"),
    **dict.fromkeys(("engine_overloaded", "overloaded", "disconnect", "disconnected"), "error"),
}
#: The ends of whole texts. A server that gives no reason at all is believed.
_WHOLE = ("stop", "tool_calls", "refusal", "")
_CUT_OFF = {
    "length": "cut off at the limit of tokens",
    "content_filter": "cut off by the provider's content filter",
}


def label(value: Any, most: int = 200) -> str:
    """A name or sentence from a provider as one printable line; "" for what is no text."""
    words = " ".join(value[: 20 * most].split())[:most] if isinstance(value, str) else ""
    return words if words.isprintable() else "".join(filter(str.isprintable, words))


def finish_reason(value: Any) -> str:
    """Why a model stopped, in one word for all providers; the provider's own where it has none.

    Gateways pass on the words of others: ``MAX_TOKENS``, ``FinishReason.SAFETY``,
    ``content_filter: RECITATION``. ``""`` is for no reason, ``unknown`` for one that is no word.
    """
    if value is None:
        return ""
    given = label(value) or "unknown"
    words = re.split(r"[.:\s]+", given.lower().replace("-", "_").replace("finish_reason_", ""))
    for word in words:
        if word in _FINISHES:
            return _FINISHES[word]
    return given


def cut_off(finish: str) -> str:
    """How a text was cut off, by :func:`finish_reason`, as a format rule that it breaks; or "".

    What is not known as a natural end is none.
    """
    if finish in _WHOLE:
        return ""
    return _CUT_OFF.get(finish) or f"cut off: its end is {finish!r}, which is no natural one"


def outcome_of(status: int, error: Any) -> str:
    """The outcome that a status above 299 stands for.

    Parameters
    ----------
    status : of the HTTP answer.
    error : the body of the answer, or its ``error`` member.
    """
    if status == 429 and is_beyond(error):
        return "context_overflow"
    # Words decide only where the status is ambiguous: a gateway's page may have any words.
    if (named := named_outcome(status, error)) is not None:
        return named
    if status == 403 and isinstance(error, str) and error:
        # A page, not the provider's JSON: a firewall refused, and the key is not at fault.
        return "rejected"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server_error" if status >= 500 else "rejected"


#: Words of an error -> what stops the run, where its outcome alone would say another thing.
_WHY = (
    (re.compile(r"countr|region|location|territor"), "does not serve the place it is asked from"),
    (re.compile(r"disabled|deactivated|suspended|banned|terminated|blocked"),
     "says that the account or its organization is disabled"),
    (re.compile(r"limit|budget|\bcap\b"), "says that a limit of spending is reached"),
)  # fmt: skip


def stopped(provider: str, outcome: str, message: str) -> ProviderError:
    """The error of an outcome that stops the run; ``message`` names the model and the reason."""
    why = {
        "authentication": "does not accept the key, or not for this model",
        "credit": "says that its account has no credit left",
    }[outcome]
    for words, other in _WHY[:2] if outcome == "authentication" else _WHY[2:]:
        if words.search(message.lower()):
            why = other
            break
    return ProviderError(
        f"providers.{provider} {why} ({message}); mend that and start again: the run goes on where "
        "it stopped."
    )


#: Members of an answer that say what went wrong, where they say anything.
_ERRORS = {"error", "errors", "error_code", "error_msg"}


def fault_in(body: Any) -> Any:
    """The error in the body of an answer of status 200, wherever it stands; None for none.

    Gateways, and some providers, answer 200 with what went wrong: as ``error``, at the choice or
    its message, as ``success: false``, as a code of their own.
    """
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        for part in (choices[0], choices[0].get("message")):
            if isinstance(part, Mapping) and "error" in part and _is_set(part["error"]):
                return {"error": part["error"]}
    base = body.get("base_resp")
    if isinstance(base, Mapping) and _is_set(base.get("status_code")):
        return base
    has_answer = bool(choices or body.get("content") or body.get("data"))
    is_error = (
        any(map(_is_set, map(body.get, _ERRORS & body.keys())))
        or str(body.get("success", "")).lower() in ("false", "0")
        or "error" in (body.get("type"), body.get("object"))
        or str(body.get("status", "")).lower() in ("error", "failed", "fail", "failure")
        or (not has_answer and _is_set(body.get("code")))
        or (not has_answer and _is_status_of_error(body))
        # A sentence where the answer should be, such as FastAPI's {"detail": ...}.
        or (not has_answer and any(isinstance(body.get(name), str) for name in SENTENCES))
    )
    return body if is_error else None


def _is_status_of_error(body: Mapping[str, Any]) -> bool:
    """Whether a member holds the status of an error, as ``statusCode``."""
    codes = (value for name, value in body.items() if plain_name(name) in _CODES)
    return any(re.fullmatch(r"[45]\d\d", str(code)) for code in codes if is_number(code))


def _is_set(value: Any) -> bool:
    plain = value.lower() if isinstance(value, str) else value
    return plain not in _NO_ERROR


def fault_of_stream(text: str) -> Any:
    """The first error in an answer in pieces, such as ``data: {"error": ...}``; None for none."""
    for line in text.splitlines()[:1000]:
        piece = line.strip().removeprefix("data:").strip()
        if not piece.startswith("{"):
            continue
        with suppress(ValueError, RecursionError):
            if (fault := fault_in(json.loads(piece))) is not None:
                return fault
    return None


def status_of(error: Any) -> int:
    """The status that an error stands for which came with an answer of status 200."""
    parts = [error] if isinstance(error, Mapping) else []
    for name in ("error", "errors", "base_resp"):
        inner = parts[0].get(name) if parts else None
        inner = inner[0] if isinstance(inner, list) and inner else inner
        parts += [inner] if isinstance(inner, Mapping) else []
    codes = [
        value
        for part in parts[::-1]
        for wanted in _CODES
        for name, value in part.items()
        if plain_name(name) == wanted
    ]
    for code in codes:
        if is_number(code) and re.fullmatch(r"[45]\d\d", str(code)):
            return int(code)
    text = words_of_error(error).lower()
    if isinstance(error, Mapping) and "status_msg" in error:
        with suppress(ValueError, TypeError):
            http_status = _BASE_RESP.get(int(str(error.get("status_code"))))
            if http_status is not None:
                return http_status
    if is_named(400, error) or parameter_of(error):
        return 400
    return next((status for status, words in _BY_NAME if words.search(text)), 502)


def message_of(error: Any) -> str:
    """The provider's own sentence in an error, for a person to read; "" where there is none."""
    while isinstance(error, Mapping | list):
        if isinstance(error, list):
            error = error[0] if error else ""
        else:
            inner = (error.get(name) for name in SENTENCES)
            error = next((value for value in inner if value not in ("", None, [], {}, True)), "")
    return "" if error is None else str(error)


def sentence_of(error: Any) -> str:
    """The same, with what a gateway passes on, and the parameter that the error names beside it."""
    said, parameter = message_of(error), parameter_of(error)
    told = passed_on(error)
    told = message_of(told) if isinstance(told, Mapping) else told
    said = f"{said}: {told}" if said and told and told not in said else said
    return f"{parameter}: {said}" if parameter and said and parameter not in said else said
