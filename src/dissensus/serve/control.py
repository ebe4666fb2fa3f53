"""Requests about batches and files: no model is asked, but the network can fail them as well."""

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
#: What a request does, given its content: the answer's JSON, or its lines.
Act = Callable[[web.Request, Any], dict[str, Any] | bytes]
Parse = Callable[[web.Request], Awaitable[Any]]


async def json_of(request: web.Request) -> Any:
    """A request's JSON; Refusal where it is none."""
    try:
        return json.loads(await request.read())
    except web.HTTPRequestEntityTooLarge:
        raise Refusal(413, "Request exceeds the maximum size") from None
    except ValueError:
        said = "We could not parse the JSON body of your request."
        raise Refusal(400, said) from None


async def _no_content(_: web.Request) -> Any:
    return None


def controls(
    service: Service, interface: Interface, act: Act, parse: Parse = _no_content
) -> Handler:
    """The handler of a request that does something to batches or files.

    A connection that breaks in the middle of the answer breaks after the deed is done.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        tally = service.counts.control
        tally.received += 1
        try:
            service.check_key(request.headers, interface)
            content = await parse(request)
            what = json.dumps([request.method, request.path_qs, content], default=str)
            digest = hashlib.sha256(what.encode()).hexdigest()
            luck = service.faults.draw("control", digest, TRANSPORT)
            if luck.fault:
                tally.faults[luck.fault] += 1
            response = await delivery.without_answer(service, request, interface, luck)
            if response is not None:
                return response
            said = act(request, content)
        except Refusal as problem:
            tally.refused[str(problem.status)] += 1
            return delivery.refusal(problem, interface)
        if isinstance(said, bytes):
            return await delivery.send(request, luck, said, "application/x-jsonl")
        return await delivery.send(request, luck, delivery.encoded(said))

    return handle
