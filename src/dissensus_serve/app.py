"""The routes of the server, and a call from its request to its answer."""

from __future__ import annotations

import asyncio

from aiohttp import web

from dissensus_serve import delivery
from dissensus_serve.anthropic_batches import AnthropicBatches
from dissensus_serve.batches import Batches
from dissensus_serve.calls import Call
from dissensus_serve.counts import KindCounts
from dissensus_serve.openai_batches import OpenAIBatches
from dissensus_serve.refusals import Interface, Refusal
from dissensus_serve.service import Service

#: The largest request: a file of batched requests.
_LARGEST = 256 * 2**20


def build(service: Service) -> web.Application:
    """The server's application."""
    app = web.Application(client_max_size=_LARGEST)
    add = app.router.add_route
    add("POST", "/v1/chat/completions", _calls(service, "chat", "openai"))
    add("POST", "/v1/messages", _calls(service, "messages", "anthropic"))
    add("POST", "/v1/embeddings", _calls(service, "embeddings", "openai"))
    add("GET", "/v1/models", _models(service))
    add("GET", "/v1/models/{name:.+}", _model(service))
    batches = Batches(service)
    OpenAIBatches(service, batches).add_routes(app.router)
    AnthropicBatches(service, batches).add_routes(app.router)
    add("GET", "/stats", _stats(service))
    add("GET", "/health", _health)
    add("*", "/{path:.*}", _nothing)
    return app


def _calls(service: Service, kind: str, interface: Interface) -> delivery.Handler:
    """The handler of requests of one kind."""

    async def handle(request: web.Request) -> web.StreamResponse:
        started = asyncio.get_running_loop().time()
        counts = service.counts.entered(kind)
        try:
            service.check_key(request.headers, interface)
            call = service.read(kind, await delivery.json_of(request))
            service.gate.enter(started, call.input_tokens)
        except Refusal as problem:
            counts.refused[str(problem.status)] += 1
            return delivery.refusal(problem, interface)
        except BaseException:
            # The client left before it had sent everything.
            counts.abandoned += 1
            raise
        else:
            return await _admitted(service, request, call, counts, started)
        finally:
            service.counts.left()

    return handle


async def _admitted(
    service: Service, request: web.Request, call: Call, counts: KindCounts, started: float
) -> web.StreamResponse:
    """Answer one try at a call that the limits let in."""
    loop = asyncio.get_running_loop()
    draw = service.faults.draw(call.kind, call.digest)
    answer = None
    is_over = False
    if draw.fault:
        counts.faults[draw.fault] += 1
    try:
        response = await delivery.without_answer(service, request, call.interface, draw)
        if response is None:
            answer = call.answer(service.replies, service.reported(call.model), draw.fault)
            wait = started + service.latency(draw) - loop.time()
            if wait > 0:
                await asyncio.sleep(wait)
            # A prompt is in the cache once its answer begins, and not for calls that came before.
            answer = service.billed(call, answer, started)
            response = await delivery.send(request, draw, delivery.encoded(answer.body))
            service.counts.billed(call, answer, draw.fault in ("malformed", "connection"))
            if not draw.fault:
                counts.finished(call.digest)
        is_over = True
        return response
    except Refusal as problem:
        counts.refused[str(problem.status)] += 1
        is_over = True
        return delivery.refusal(problem, call.interface)
    finally:
        counts.abandoned += not (is_over or draw.fault)
        service.gate.leave(loop.time(), answer.output_tokens if answer else 0)


def interface_of(request: web.Request) -> Interface:
    """The interface of a request, where the path does not tell."""
    is_theirs = "anthropic-version" in request.headers or "x-api-key" in request.headers
    return "anthropic" if is_theirs else "openai"


def _models(service: Service) -> delivery.Handler:
    async def handle(request: web.Request) -> web.Response:
        try:
            service.check_key(request.headers, interface_of(request))
        except Refusal as problem:
            return delivery.refusal(problem, interface_of(request))
        entries = service.model_entries()
        ends = {"first_id": entries[0]["id"], "last_id": entries[-1]["id"]}
        body = {"object": "list", "data": entries, "has_more": False, **ends}
        return web.Response(body=delivery.encoded(body), headers=delivery.headers())

    return handle


def _model(service: Service) -> delivery.Handler:
    async def handle(request: web.Request) -> web.Response:
        interface = interface_of(request)
        try:
            service.check_key(request.headers, interface)
            entry = service.model_entry(request.match_info["name"], interface)
        except Refusal as problem:
            return delivery.refusal(problem, interface)
        return web.Response(body=delivery.encoded(entry), headers=delivery.headers())

    return handle


def _stats(service: Service) -> delivery.Handler:
    async def handle(_: web.Request) -> web.Response:
        body = service.counts.as_json(service.gate.started.largest)
        return web.Response(body=delivery.encoded(body), headers=delivery.headers())

    return handle


async def _health(_: web.Request) -> web.Response:
    return web.Response(body=b'{"status": "ok"}', headers=delivery.headers())


async def _nothing(request: web.Request) -> web.Response:
    message = f"Invalid URL ({request.method} {request.path})"
    return delivery.refusal(Refusal(404, message), interface_of(request))
