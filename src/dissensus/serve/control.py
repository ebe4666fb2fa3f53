"""Requests about batches and files: the network can fail them like calls to a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from dissensus.serve import delivery
from dissensus.serve.faults import TRANSPORT
from dissensus.serve.refusals import Interface, Refusal
from dissensus.serve.service import Service

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
#: Carries out a request, given its content; the answer's JSON, or its lines.
Act = Callable[[web.Request, Any], dict[str, Any] | bytes]
Parse = Callable[[web.Request], Awaitable[Any]]


async def json_of(request: web.Request) -> Any:
    """A request's JSON; Refusal where there is none."""
    try:
        return json.loads(await request.read())
    except web.HTTPRequestEntityTooLarge:
        raise Refusal(413, "Request exceeds the maximum size") from None
    except ValueError:
        message = "We could not parse the JSON body of your request."
        raise Refusal(400, message) from None


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
            name = json.dumps([request.method, request.path_qs, content], default=str)
            digest = hashlib.sha256(name.encode()).hexdigest()
            draw = service.faults.draw("control", digest, TRANSPORT)
            if draw.fault:
                counts.faults[draw.fault] += 1
            response = await delivery.without_answer(service, request, interface, draw)
            if response is not None:
                return response
            answer = act(request, content)
        except Refusal as problem:
            counts.refused[str(problem.status)] += 1
            return delivery.refusal(problem, interface)
        if isinstance(answer, bytes):
            return await delivery.send(request, draw, answer, "application/x-jsonl")
        return await delivery.send(request, draw, delivery.encoded(answer))

    return handle
