"""OpenAI's interface, through its package: OpenAI, DeepSeek, Mistral, vLLM, Ollama, gateways."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
import numpy as np
import openai

from dissensus.llm.batches.openai import OpenAIBatches
from dissensus.llm.call import Request
from dissensus.llm.exchange import Answer, Usage, count, label
from dissensus.llm.http_client import HttpClient

#: Its words for why it stopped, where they differ from ours.
_REASONS = {"max_tokens": "length", "model_length": "length", "sensitive": "content_filter"}
#: What gateways and DeepSeek say of a text that their own trouble cut off.
_BROKEN = ("error", "network_error", "insufficient_system_resource")


class OpenAIInterface:
    """Chat completions and embeddings."""

    takes = ("temperature", "top_p", "max_tokens", "seed")

    def __init__(self, wire: HttpClient, key: str, base_url: str | None, retries: int) -> None:
        self._client = openai.AsyncOpenAI(
            api_key=key, base_url=base_url, timeout=None, max_retries=retries, http_client=wire
        )
        self.batches = OpenAIBatches(self._client)

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> None:
        # The package's general call: its typed one takes a quarter more time for building an object
        # of what the wire has read already, and refuses parameters that other providers have.
        body = self.body(model, request, parameters)
        await self._client.post("/chat/completions", body=body, cast_to=httpx2.Response)

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": model, "messages": messages(request), **parameters}

    async def embed(self, model: str, texts: Sequence[str]) -> None:
        body = {"model": model, "input": list(texts), "encoding_format": "base64"}
        await self._client.post("/embeddings", body=body, cast_to=httpx2.Response)

    async def knows(self, model: str) -> bool | None:
        client = self._client.with_options(max_retries=2)
        try:
            if any(entry.id == model for entry in (await client.models.list()).data or []):
                return True
        except (openai.NotFoundError, openai.APIResponseValidationError, AttributeError):
            return None
        try:
            await client.models.retrieve(model)
        except openai.NotFoundError:
            return False
        return True

    def read(self, body: Any) -> Answer:
        choice = body["choices"][0]
        message = choice["message"]
        reason = label(choice.get("finish_reason"))
        reason = _REASONS.get(reason, reason)
        text = plain_text(message.get("content"))
        if not text and message.get("refusal"):
            text, reason = plain_text(message["refusal"]), "refusal"
        return Answer(
            text=text,
            finish_reason=reason,
            usage=_usage(body),
            answered_by=label(body.get("model")),
            fingerprint=label(body.get("system_fingerprint")),
            request_id=label(body.get("id")),
            fault="server_error" if reason in _BROKEN else "" if text else why_empty(reason),
        )

    def read_vectors(self, body: Any) -> Answer:
        rows = sorted(body["data"], key=lambda row: row["index"])
        if [row["index"] for row in rows] != list(range(len(rows))):
            raise ValueError("an embedding is missing, or there twice")
        vectors = tuple(_base64(row["embedding"]) for row in rows)
        if len({len(vector) for vector in vectors}) > 1:
            raise ValueError("the embeddings are not of one length")
        return Answer(
            vectors=vectors,
            finish_reason="stop",
            usage=_usage(body),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
        )


def messages(request: Request) -> Any:
    """A request's messages as this interface has them."""
    return [{"role": message.role, "content": message.content} for message in request.messages]


def plain_text(content: Any) -> str:
    """The words of a message's content, which may be a text or a list of parts."""
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    # A reply cut off inside an emoji ends with half a character, which UTF-8 cannot write.
    return content.encode(errors="replace").decode().strip()


def why_empty(reason: str) -> str:
    """The outcome of an answer without a text, by why the model stopped."""
    return reason if reason in ("length", "content_filter", "refusal") else "empty"


def _usage(body: Any) -> Usage:
    usage = body.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    # DeepSeek counts what its cache answered in a place of its own.
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
    prompt = count(usage.get("prompt_tokens"))
    return Usage(
        prompt,
        min(count(cached), prompt),
        count(usage.get("completion_tokens")),
    )


def _base64(vector: Any) -> str:
    """A vector as base64; some compatible servers send numbers whatever they are asked for."""
    if isinstance(vector, str):
        numbers = np.frombuffer(base64.b64decode(vector, validate=True), dtype="<f4")
    else:
        with np.errstate(over="ignore"):
            numbers = np.asarray(vector, dtype=np.float64).astype("<f4")
    if numbers.ndim != 1 or not np.isfinite(numbers).all() or not numbers.any():
        raise ValueError("an embedding is no vector")
    return base64.b64encode(numbers.tobytes()).decode()
