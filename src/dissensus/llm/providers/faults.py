"""What the errors of providers say: the outcome that they name, and the parameter at fault.

Structure comes before words: codes, types and the parameter that is named are the provider's own,
and sentences may repeat what was said in the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

#: Outcome -> names of errors, in what is no sentence; they are surer than any words.
_BY_CODE = (
    (
        "empty",
        re.compile(
            r"(tool_?use|tool_?call|function_?call|output|json|response)"
            r"(_parse|_validat\w*|_generation)?_?fail"
        ),
    ),
    (
        "credit",
        re.compile(
            r"insufficient_?(account_?|user_?)?(quota|balance|credit|funds)|billing|"
            r"arrear|payment_?required|exceeded_?current_?quota|free_?tier_?only|"
            r"(budget|credits?|spend\w*)_?(limit_?)?exceed|"
            r"exceeded_?budget|(credit|spend\w*)_?limit|out_?of_?credit"
        ),
    ),
    (
        "authentication",
        re.compile(
            r"(invalid|incorrect)_?api_?key|api_?key_?invalid|"
            r"unsupported_?(country|region|location)|"
            r"(account|organi[sz]ation|user|workspace|project|consumer)_?"
            r"(is_?)?(deactivated|disabled|suspended|banned|blocked|restricted|locked)"
        ),
    ),
    (
        "context_overflow",
        re.compile(
            r"context_?(length|window)_?exceeded|string_above_max|"
            r"request_too_large|(prompt|input)_too_long"
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"content_?(filter|policy|management|moderation)|responsibleai|"
            r"moderation|data_?inspection|invalid_prompt|flagged|(cyber|usage)_?policy|"
            r"sensitive_?(word|content)|safety_?(violation|block)"
        ),
    ),
)
#: Outcome -> words in the body of an error; the first that match decide.
_BY_WORDS = (
    # A sample of the model's that its server could not read: gpt-oss's headers, tools, JSON.
    ("empty", re.compile(r"tokens remaining in message header|harmony(error|_error| error)|"
                         r"failed to (call a function|generate json)|failed_generation|"
                         r"failed to parse input at pos|"
                         r"(failed to parse|could ?n.t parse|unable to parse|error parsing) the "
                         r"(model|generat|output|tool|response)|(parsing|to parse) (the )?"
                         r"(model.s|generated) (output|response)|tool call validation failed")),
    ("credit", re.compile(r"insufficient[_ ]((account|user)[_ ])?(quota|balance|credit|funds)|"
                          r"(credit|account)[_ ]balance|balance (is )?(too low|not enough)|"
                          r"not enough (balance|credit|funds)|out of credit|arrearage|in arrears|"
                          r"billing_(hard_limit|not_active|error)|specified api usage limits|"
                          r"used all available credits|requires more credits|余额不足|欠费|"
                          r"credits? .{0,20}(deplet|exhaust|used up)|run out of credits?|"
                          r"free tier .{0,30}exhausted|"
                          r"(workspace|organi[sz]ation|specified|daily|weekly|monthly|account)"
                          r".{0,20} usage "
                          r"limit|"
                          r"(spend(ing)?|credit|budget|key|billing) limit.{0,20}"
                          r"(reached|exceeded|hit)|budget has been exceeded|"
                          r"(exceed|reach|hit|over)\w* .{0,30}(spend(ing)?|credit|billing|budget)"
                          r" (limit|cap)")),
    ("authentication", re.compile(r"(invalid|incorrect)[ _]?(x-)?api[ _-]?key|"
                                  r"api[ _]key not (valid|found)|api_key_invalid|"
                                  r"(organi[sz]ation|account|workspace|user|project) "
                                  r"(has been |is |was )?(currently )?(disabled|deactivated|"
                                  r"suspended|banned|terminated|restricted|locked)|"
                                  r"(账户|账号|帐号)已?被?(锁定|封禁|停用|冻结)|"
                                  r"(countr|region|user location|your location|territor)\w*.{0,30}"
                                  r"(not|un)[ -]?(supported|available|allowed)|"
                                  r"(not|un)[ -]?(supported|available|allowed) .{0,30}"
                                  r"(countr|region|user location|your location|territor)")),
    ("context_overflow", re.compile(r"context[_ ]?(length|window|limit|size)|maximum context|"
                                    r"too many (input )?tokens|(prompt|input) is too long|"
                                    r"exceeds the maximum number of tokens|string_above_max|"
                                    r"range of input length|model token limit|"
                                    r"inputs`? tokens \+ `?max_new_tokens|"
                                    r"(输入|上下文|长度|prompt).{0,9}(过长|超长|超过|超出)|"
                                    r"max_tokens must be at least 1, got -")),
    ("content_filter", re.compile(r"content[_ ]?(filter|policy|management|moderation)|"
                                  r"content exists risk|usage (polic|guideline)|responsibleai|"
                                  r"flagged|requires moderation|"
                                  r"safety (system|reasons)|moderation_blocked|"
                                  r"data_inspection_failed|inappropriate content|"
                                  r"(input|output|content|new)[_ ]?sensitive|敏感|违规")),
)  # fmt: skip
#: OpenAI's and Groq's limit of tokens, and what was asked for.
_LIMIT = re.compile(r"\blimit:? (\d[\d,]*)\b[^\n]{0,60}\brequested:? (\d[\d,]*)", re.IGNORECASE)
#: What a sentence quotes of the request, which may be of anything: several words in single quotes.
_QUOTED = re.compile(r"(?<!\w)'(?=[^'\s]{1,40}\s)(?:[^']|'(?=\w)){0,400}+'(?!\w)")
#: The members of an error that hold its sentence, the surest first.
SENTENCES = (
    *("error", "message", "detail", "msg", "status_msg", "error_msg", "error_message", "errors"),
    *("error_description", "description", "reason", "title", "base_resp"),
)
#: And those that hold words; others may repeat the request.
_MEMBERS = (
    *SENTENCES,
    *("code", "type", "status", "status_code", "error_code", "metadata", "raw", "innererror"),
    "reasons",
)
#: Those that name an error, and of which one is there only where a prompt or a sample is at fault.
_NAMING = ("code", "type", "status", "error_code", "reason", "errortype")
#: Statuses that leave open only which of the account's own faults it is.
_OF_ACCOUNT = {401: {"credit"}, 429: {"credit", "authentication"}}
_TELLING = {"failedgeneration": "empty", "flaggedinput": "content_filter"}
#: Those that name the parameter at fault, and those of a request that are what is said in it.
_PARAMETER = ("param", "parameter", "field", "loc")
_CONTENT = ("messages", "message", "prompt", "input", "inputtokens", "content", "system", "body")


def named_outcome(status: int, error: Any) -> str | None:
    """The outcome that an error names, by its structure before its words; None for none."""
    ambiguous = status in (400, 401, 403, 404, 412, 413, 422, 429, 451)
    if not (ambiguous or (status >= 500 and not isinstance(error, str))):
        return None
    every = {outcome for outcome, _ in _BY_CODE}
    allowed = _OF_ACCOUNT.get(status, every) if ambiguous else {"empty"}
    names = [name for name, _ in _walk(error) if name in _TELLING]
    told = [_TELLING[name] for name in names if _TELLING[name] in allowed]
    if told:
        return told[0]
    codes = " ".join(value for name, value in _walk(error) if name in _NAMING).lower()
    if parameter_of(error):
        # What is wrong with a parameter is said in words that may be of anything.
        allowed -= {"content_filter", "empty"}
    for table, text in (
        (_BY_CODE, re.sub(r"[ -]", "_", codes)),
        (_BY_WORDS, words_of_error(error).lower()),
    ):
        for outcome, words in table:
            if outcome in allowed and words.search(text):
                return outcome
    return None


def is_named(status: int, error: Any) -> bool:
    """Whether an error says by more than its status what it is."""
    return named_outcome(status, error) is not None


def parameter_of(error: Any) -> str:
    """The parameter of a request that an error names as the one at fault; "" for none.

    OpenAI's ``param``, FastAPI's ``loc`` and their like; what was said in the request is none.
    """
    for name, value in _walk(error):
        parameter = value.rpartition(".")[2].strip()
        plain = parameter.lower().replace("_", "")
        is_name = len(parameter) <= 60 and parameter.isidentifier()
        if name in _PARAMETER and is_name and plain not in _CONTENT:
            return parameter
    return ""


def _walk(error: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The short texts in an error by their names in small letters, without underscores.

    What may repeat the request is left out; a list of names, as ``loc``, is its last text.
    """
    if depth > 5:
        return
    if isinstance(error, list):
        for entry in error[:3]:
            yield from _walk(entry, depth + 1)
        return
    if not isinstance(error, Mapping):
        return
    for name, value in [*error.items()][:50]:
        plain = plain_name(name)
        if plain == "loc" and isinstance(value, list):
            value = next((part for part in reversed(value) if isinstance(part, str)), "")
        if isinstance(value, str) and len(value) <= 4000:
            yield plain, value
            yield from _walk(_embedded(value), depth + 1)
        elif plain not in ("input", "messages", "body", "request", "ctx"):
            yield from _walk(value, depth + 1)


def _embedded(text: str) -> Any:
    """The JSON object at the end of a text, as gateways pass on what they were told; None for none.

    OpenRouter has it alone in ``raw``, LiteLLM after words of its own.
    """
    begin = text.find("{")
    if begin < 0 or not text.rstrip().endswith("}"):
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(text[begin:])
    return None


def passed_on(error: Any) -> Any:
    """What a gateway was told by the provider behind it, an object or a text; "" for nothing."""
    inner = error.get("error", error) if isinstance(error, Mapping) else None
    about = inner.get("metadata") if isinstance(inner, Mapping) else None
    raw = about.get("raw") if isinstance(about, Mapping) else ""
    return (_embedded(raw) or raw[:4000]) if isinstance(raw, str) else raw or ""


def is_beyond(error: Any) -> bool:
    """Whether a limit of tokens a minute is smaller than the request, which can never be taken."""
    found = _LIMIT.search(words_of_error(error))
    if found is None:
        return False
    limit, requested = (int(number.replace(",", "")[:12]) for number in found.groups())
    return requested > limit > 0


def is_number(code: Any) -> bool:
    return isinstance(code, int | str) and not isinstance(code, bool)


def plain_name(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


def words_of_error(error: Any, depth: int = 0) -> str:
    """The machine-readable words of an error and its messages."""
    if depth < 5 and isinstance(error, Mapping):
        return " ".join(
            words_of_error(error[name], depth + 1) for name in _MEMBERS if name in error
        )
    if depth < 5 and isinstance(error, list):
        return " ".join(words_of_error(entry, depth + 1) for entry in error[:3])
    if isinstance(error, Mapping | list):
        return ""
    return _QUOTED.sub(" ", str(error)[:4000])
