"""Answers that did not arrive, or not whole: what became of the try, and what it is known to cost.

A try without a whole answer counts with the most that it can have cost. Two gateways say more: an
answer of LiteLLM has its cost in a header, which comes before the words; and OpenRouter, whose
answers begin with an id, says what became of one by its id some seconds later. Both are asked for
with every answer that broke off, whatever its address is called.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import aiohttp

from dissensus.llm.connection import MAX_HEADER_BYTES, Response
from dissensus.llm.exchange import first_cause

_TOO_LONG = aiohttp.http_exceptions.LineTooLong
#: What LiteLLM says that an answer cost, in dollars.
_COST_HEADER = "x-litellm-response-cost"
#: An id as OpenRouter gives them, in a header or where its answers begin.
_ID_HEADER = "x-generation-id"
_ID = re.compile(rb'"id"\s*:\s*"(gen-[\w-]{1,100})"')
#: Seconds before each time that it is asked: its books are written after the answer.
_WAITS_S = (0.0, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Bill:
    """What a provider says that a try cost.

    Attributes
    ----------
    usd : dollars.
    input_tokens, output_tokens : None where it says dollars alone.
    """

    usd: float
    input_tokens: int | None = None
    output_tokens: int | None = None


async def bill_of(
    response: Response, get: Callable[[str, float], Awaitable[Response]], until: float
) -> Bill | None:
    """What an answer that broke off cost, as far as its provider says; None for unknown.

    Parameters
    ----------
    response : as far as it came.
    get : the provider's answer to a request for a path, until a time of the monotonic clock.
    until : when the call's deadline is over (monotonic clock).
    """
    if not response.is_success:
        return None
    if (usd := _dollars(response.headers.get(_COST_HEADER))) is not None:
        return Bill(usd)
    found = _ID.search(response.body[:4000])
    name = found[1].decode() if found else response.headers.get(_ID_HEADER, "")
    if not re.fullmatch(r"gen-[\w-]{1,100}", name):
        return None
    for wait in _WAITS_S:
        if time.monotonic() + wait >= until:
            break
        await asyncio.sleep(wait)
        with suppress(aiohttp.ClientError, OSError, ValueError, RecursionError, TimeoutError):
            answer = await get(f"/generation?id={name}", until)
            if answer.is_success and (bill := _bill_in(json.loads(answer.body))):
                return bill
    return None


def _bill_in(content: Any) -> Bill | None:
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, dict) or (usd := _dollars(data.get("total_cost"))) is None:
        return None
    tokens = [data.get(f"native_tokens_{name}") for name in ("prompt", "completion")]
    counted = [n if isinstance(n, int) and n >= 0 else None for n in tokens]
    return Bill(usd, counted[0], counted[1])


def _dollars(value: Any) -> float | None:
    with suppress(TypeError, ValueError):
        usd = float(value)
        return usd if math.isfinite(usd) and usd >= 0.0 else None
    return None


def outcome_of_exception(error: Exception) -> tuple[str, bool]:
    """The outcome of a try without an answer, and whether the request may have got through."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "connection", False
    if isinstance(error, TimeoutError):
        return "timeout", True
    if isinstance(error, aiohttp.ClientHttpProxyError):
        # The proxy made no connection.
        return "connection", False
    if isinstance(error, aiohttp.ClientResponseError) or is_garbled(error):
        return "malformed", True
    # A value that no request can carry is found before anything is sent.
    never_sent = isinstance(error, aiohttp.ClientConnectorError | ValueError)
    return "connection", not never_sent


def words_of_exception(error: Exception) -> str:
    """What became of a request that may have got through, for a person to read."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if is_garbled(error):
        return "its answer is compressed wrongly"
    if isinstance(error, aiohttp.ClientResponseError):
        cause = first_cause(error)
        if "bytes when reading" in cause or isinstance(error.__cause__, _TOO_LONG):
            return (
                f"a header of its answer is longer than {MAX_HEADER_BYTES:,} bytes, as of a "
                "gateway that sets large cookies"
            )
        return "its answer is no HTTP"
    return "the connection broke off"


def is_garbled(error: Exception) -> bool:
    """Whether an answer came that is compressed by rules of its own."""
    return isinstance(error.__cause__, aiohttp.http_exceptions.ContentEncodingError)
