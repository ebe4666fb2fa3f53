"""Anthropic's messages, through its own package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anthropic
import httpx2

from dissensus.errors import ProviderError
from dissensus.llm.batches.anthropic import AnthropicBatches
from dissensus.llm.call import Request
from dissensus.llm.exchange import Answer, Usage, count, label
from dissensus.llm.http_client import HttpClient
from dissensus.llm.providers.openai import plain_text, why_empty

#: Its words for why it stopped, where they differ from ours.
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class AnthropicInterface:
    """Messages; it has no embeddings, and takes no seed."""

    takes = ("temperature", "top_p", "max_tokens")

    def __init__(self, wire: HttpClient, key: str, base_url: str | None, retries: int) -> None:
        self._client = anthropic.AsyncAnthropic(
            api_key=key, base_url=base_url, timeout=None, max_retries=retries, http_client=wire
        )
        self.batches = AnthropicBatches(self._client)

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> None:
        body = self.body(model, request, parameters)
        await self._client.post("/v1/messages", body=body, cast_to=httpx2.Response)

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": model, **conversation(request, parameters)}

    async def embed(self, model: str, texts: Sequence[str]) -> None:
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

    def read(self, body: Any) -> Answer:
        text = plain_text(body["content"])
        reason = label(body.get("stop_reason"))
        reason = _REASONS.get(reason, reason)
        usage = body.get("usage") or {}
        cached = count(usage.get("cache_read_input_tokens"))
        written = count(usage.get("cache_creation_input_tokens"))
        return Answer(
            text=text,
            finish_reason=reason,
            # Here the cached are counted beside the input, elsewhere among it.
            usage=Usage(
                count(usage.get("input_tokens")) + cached + written,
                cached,
                count(usage.get("output_tokens")),
            ),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
            fault="" if text else why_empty(reason),
        )

    def read_vectors(self, body: Any) -> Answer:
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
