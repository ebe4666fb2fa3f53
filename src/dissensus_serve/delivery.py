"""Reads a request and sends its answer: whole, broken off, or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import socket
import struct
from collections.abc import Awaitable, Callable
from itertools import count
from os import urandom
from typing import Any

from aiohttp import web

from dissensus_serve.faults import TRANSPORT, Draw
from dissensus_serve.refusals import Interface, Refusal
from dissensus_serve.service import Service

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
#: Carries out a request, given its content; the answer's JSON, or its lines.
Act = Callable[[web.Request, Any], dict[str, Any] | bytes]
Parse = Callable[[web.Request], Awaitable[Any]]

_PAGE = (
    "<html><head><title>502 Bad Gateway</title></head>"
    "<body><center><h1>502 Bad Gateway</h1></center></body></html>\n"
)
_START = urandom(6).hex()
_NUMBERS = count()
_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False)


def headers(content_type: str = "application/json") -> dict[str, str]:
    """Headers of every answer, with an id of its own."""
    request_id = f"req_{_START}{next(_NUMBERS):012x}"
    return {
        "Content-Type": content_type,
        "x-request-id": request_id,
        "request-id": request_id,
        "x-dissensus-simulated": "1",
    }


def encoded(body: Any) -> bytes:
    """JSON as a provider writes it."""
    # A lone surrogate in a request must not break the answer that repeats it.
    return _JSON.encode(body).encode(errors="replace")


def refusal(problem: Refusal, interface: Interface) -> web.Response:
    """An error as an answer."""
    extra = headers()
    if problem.retry_after is not None:
        # Whole seconds, as HTTP wants them, are too coarse to use up a limit.
        extra["retry-after-ms"] = f"{problem.retry_after * 1000:.0f}"
        extra["retry-after"] = f"{_whole(problem.retry_after):g}"
    body = encoded(problem.body(interface, extra["request-id"]))
    return web.Response(status=problem.status, body=body, headers=extra)


async def without_answer(
    service: Service, request: web.Request, interface: Interface, draw: Draw
) -> web.StreamResponse | None:
    """The response of a fault that needs no answer; None where an answer is needed."""
    fault, is_odd = draw.fault, draw.turn % 2 == 1
    if fault == "timeout":
        await asyncio.sleep(service.options.hang_s)
        return await _break_off(request, None)
    if fault == "connection" and is_odd:
        return await _break_off(request, None)
    if fault == "server_error" and is_odd:
        return web.Response(status=502, body=_PAGE.encode(), headers=headers("text/html"))
    problem = service.fault(fault, interface)
    return refusal(problem, interface) if problem else None


async def send(
    request: web.Request, draw: Draw, body: bytes, content_type: str = "application/json"
) -> web.StreamResponse:
    """Send an answer, or what a fault leaves of it; returns once everything is sent."""
    if draw.fault == "connection":
        return await _break_off(request, body)
    if draw.fault == "malformed":
        return _malformed(body, draw.turn)
    response = web.Response(body=body, headers=headers(content_type))
    await response.prepare(request)
    await response.write_eof()
    return response


def _malformed(body: bytes, turn: int) -> web.Response:
    """A response of status 200 without an answer: torn JSON, a page, or other JSON."""
    form = turn % 3
    if form == 0:
        return web.Response(body=body[: len(body) // 2], headers=headers())
    if form == 1:
        return web.Response(body=_PAGE.encode(), headers=headers("text/html; charset=utf-8"))
    return web.Response(body=b'{"status": "ok"}', headers=headers())


async def _break_off(request: web.Request, body: bytes | None) -> web.StreamResponse:
    """End the connection: after half of ``body``, or reset it where that is None."""
    response = web.StreamResponse(headers=headers())
    if body is not None:
        response.content_length = len(body)
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        # Bytes not yet sent are lost when a connection is aborted.
        await asyncio.sleep(0.001)
    if request.transport is not None:
        if body is None:
            # Without lingering, closing a socket sends a reset.
            connection = request.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return response


def _whole(seconds: float) -> float:
    return seconds if seconds < 1 else math.ceil(seconds)


async def json_of(request: web.Request) -> Any:
    """A request's JSON; Refusal where there is none."""
    try:
        return json.loads(await request.read())
    except web.HTTPRequestEntityTooLarge:
        raise Refusal(413, "Request exceeds the maximum size") from None
    except (ValueError, RecursionError):
        message = "We could not parse the JSON body of your request."
        raise Refusal(400, message) from None


def named(value: Any) -> str:
    """JSON that stands for a value; Refusal where it is nested too deeply to be written."""
    try:
        return json.dumps(value, default=str)
    except RecursionError:
        raise Refusal(400, "The JSON body of your request is nested too deeply.") from None


async def _no_content(_: web.Request) -> Any:
    return None


def controls(
    service: Service, interface: Interface, act: Act, parse: Parse = _no_content
) -> Handler:
    """The handler of a request about batches or files.

    A connection that breaks in the middle of the answer breaks after ``act`` was carried out.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        counts = service.counts.control
        counts.received += 1
        try:
            service.check_key(request.headers, interface)
            content = await parse(request)
            name = named([request.method, request.path_qs, content])
            digest = hashlib.sha256(name.encode()).hexdigest()
            draw = service.faults.draw("control", digest, TRANSPORT)
            if draw.fault:
                counts.faults[draw.fault] += 1
            response = await without_answer(service, request, interface, draw)
            if response is not None:
                return response
            answer = act(request, content)
        except Refusal as problem:
            counts.refused[str(problem.status)] += 1
            return refusal(problem, interface)
        if isinstance(answer, bytes):
            return await send(request, draw, answer, "application/x-jsonl")
        return await send(request, draw, encoded(answer))

    return handle
