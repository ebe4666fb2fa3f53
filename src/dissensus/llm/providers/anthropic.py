"""Anthropic's messages, through its own package.

The requests of a batch go up in one body, and its results come down as lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anthropic
import httpx2
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

from dissensus.errors import ProviderError
from dissensus.llm.batches.interface import SKEW_S, Found, Line, Sought, State, id_of
from dissensus.llm.call import Request
from dissensus.llm.exchange import Answer, Usage, count, label
from dissensus.llm.http_client import HttpClient, answer_of
from dissensus.llm.outcomes import outcome_of
from dissensus.llm.providers.openai import plain_text, why_empty

#: Its words for why it stopped, where they differ from ours.
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}

#: Type of error in a batch -> the HTTP status that it has for a call by itself.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
#: Results of requests in a batch that were never run, and cost nothing -> outcome.
_NEVER = {"expired": "timeout", "canceled": "server_error"}


class AnthropicInterface:
    """Messages; it has no embeddings, and takes no seed."""

    takes = ("temperature", "top_p", "max_tokens")

    def __init__(
        self, http_client: HttpClient, key: str, base_url: str | None, retries: int
    ) -> None:
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=base_url,
            timeout=None,
            max_retries=retries,
            http_client=http_client,
        )
        self.batches = AnthropicBatches(self._client)

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> Answer:
        body = self.body(model, request, parameters)
        return answer_of(
            await self._client.post("/v1/messages", body=body, cast_to=httpx2.Response)
        )

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": model, **conversation(request, parameters)}

    async def embed(self, model: str, texts: Sequence[str]) -> Answer:
        raise ProviderError(
            f"{model!r} cannot embed: Anthropic has no embeddings; name another embedder."
        )

    async def knows(self, model: str) -> bool | None:
        client = self._client.with_options(max_retries=2)
        try:
            await client.models.retrieve(model)
        except anthropic.NotFoundError:
            try:
                return None if not (await client.models.list()).data else False
            except anthropic.NotFoundError:
                return None
        return True

    def parse(self, body: Any) -> Answer:
        text = plain_text(body["content"])
        reason = label(body.get("stop_reason"))
        reason = _REASONS.get(reason, reason)
        usage = body.get("usage") or {}
        cached = count(usage.get("cache_read_input_tokens"))
        written = count(usage.get("cache_creation_input_tokens"))
        return Answer(
            text=text,
            finish_reason=reason,
            # Anthropic counts the cached tokens beside the input, the others count them in it.
            usage=Usage(
                count(usage.get("input_tokens")) + cached + written,
                cached,
                count(usage.get("output_tokens")),
            ),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
            fault="" if text else why_empty(reason),
        )

    def parse_vectors(self, body: Any) -> Answer:
        raise ValueError("there are no embeddings here")


def conversation(request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A request as this interface has it: the system message apart from the others."""
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    others = [
        {"role": m.role, "content": m.content} for m in request.messages if m.role != "system"
    ]
    return {
        "messages": others,
        **({"system": system} if system else {}),
        **parameters,
    }


class AnthropicBatches:
    """See :class:`dissensus.llm.batches.interface.BatchInterface`."""

    # A tenth of the requests and less than half of the bytes that Anthropic takes, so that a batch
    # is uploaded well within the time for one request.
    most_requests = 10_000
    most_bytes = 100_000_000
    one_model = False

    def __init__(self, client: anthropic.AsyncAnthropic) -> None:
        # The caller retries: it knows when a request must not be sent twice.
        self._batches = client.with_options(max_retries=0).messages.batches

    async def submit(self, own: str, bodies: Mapping[str, Any]) -> str:
        requests: Any = [{"custom_id": name, "params": body} for name, body in bodies.items()]
        return id_of(await self._batches.create(requests=requests))

    async def state(self, batch_id: str) -> State:
        return State((await self._retrieve(batch_id)).processing_status == "ended")

    async def results(self, batch_id: str) -> dict[str, Line]:
        entries = [entry async for entry in await self._batches.results(batch_id)]
        return {
            _custom_id(entry): _line(entry.to_dict(warnings=False)["result"]) for entry in entries
        }

    async def find(self, sought: Sought) -> Found:
        """See BatchInterface; our name for a batch stands only in the custom ids of its results."""
        unsettled = False
        async for batch in self._batches.list(limit=100):
            if batch.created_at.timestamp() < sought.since - SKEW_S:
                break
            if id_of(batch) in sought.others or _size(batch) != sought.size:
                continue
            if batch.processing_status != "ended":
                unsettled = True
            elif batch.results_url and await self._is_ours(batch.id, sought.own):
                return Found(batch.id)
        return Found(unsettled=unsettled)

    async def _is_ours(self, batch_id: str, own: str) -> bool:
        async for entry in await self._batches.results(batch_id):
            return _custom_id(entry).startswith(f"{own}-")
        return False

    async def _retrieve(self, batch_id: str) -> MessageBatch:
        batch = await self._batches.retrieve(batch_id)
        if id_of(batch) != batch_id:
            raise ValueError("it is another batch")
        return batch


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired


def _custom_id(entry: MessageBatchIndividualResponse) -> str:
    found = getattr(entry, "custom_id", None)
    if not isinstance(found, str):
        raise ValueError("a line of the results has no custom_id")
    return found


def _line(result: Any) -> Line:
    kind = result["type"]
    if kind == "succeeded":
        return Line(result["message"])
    if kind in _NEVER:
        return Line(outcome=_NEVER[kind], message=f"the request was {kind}")
    error = result.get("error") or {}
    inner: Mapping[str, Any] = error.get("error") or error
    outcome = outcome_of(_STATUS.get(str(inner.get("type")), 500), error)
    return Line(outcome=outcome, message=str(inner.get("message") or "")[:300])
