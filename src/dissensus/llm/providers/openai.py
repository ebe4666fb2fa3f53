"""OpenAI's interface: OpenAI, DeepSeek, Mistral, vLLM, Ollama, gateways."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from dissensus.errors import ProviderError
from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Request, Usage
from dissensus.llm.codec import Answer, Codec, usage_of
from dissensus.llm.exchange import Post
from dissensus.llm.providers.content import plain_text, refusal_in, thought_in

#: Variables of the environment that OpenAI's own package sends, too -> header.
_ACCOUNT = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}


class OpenAICodec(Codec):
    """Chat completions and embeddings."""

    address = "https://api.openai.com/v1"

    @staticmethod
    def headers(key: str, address: str) -> dict[str, str]:
        """Of every request; Azure, whose addresses name its version, has its own for the key."""
        account = {header: _account(name) for name, header in _ACCOUNT.items()}
        return {
            **({"api-key": key} if _query(address) else {"authorization": f"Bearer {key}"}),
            "content-type": "application/json",
            **{header: value for header, value in account.items() if value},
        }

    @classmethod
    def batches(cls, key: str, address: str, http_client: Any) -> BatchInterface:
        """Its batches, through its package."""
        import openai

        from dissensus.llm.batches.openai import OpenAIBatches

        query = _query(address)
        return OpenAIBatches(
            openai.AsyncOpenAI(
                api_key=key,
                base_url=address.partition("?")[0],
                timeout=None,
                http_client=http_client,
                default_query=query,
                default_headers={"api-key": key} if query else {},
            )
        )

    def post(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> Post:
        messages = [{"role": each.role, "content": each.content} for each in request.messages]
        return Post("/chat/completions", {"model": model, "messages": messages, **parameters})

    def post_texts(self, model: str, texts: Sequence[str], *, plain: bool) -> Post:
        coding = {} if plain else {"encoding_format": "base64"}
        return Post("/embeddings", {"model": model, "input": list(texts), **coding})

    def usage(self, body: Any) -> Usage:
        return usage_of(body)

    def answer(self, body: Any) -> Answer:
        choice = body["choices"][0]
        message = choice["message"]
        content = message.get("content")
        return Answer(
            plain_text(content),
            choice.get("finish_reason"),
            thought=thought_in(content, message),
            tools=message.get("tool_calls"),
            refusal=message.get("refusal") or refusal_in(content),
            answered_by=body.get("model"),
            fingerprint=body.get("system_fingerprint"),
            request_id=body.get("id"),
        )

    def vectors(self, body: Any) -> tuple[str, ...]:
        # Some compatible servers leave the index out; then they keep the order.
        placed = {row.get("index", place): row for place, row in enumerate(body["data"])}
        rows = [placed[place] for place in sorted(placed)]
        if [*sorted(placed)] != list(range(len(body["data"]))):
            raise ValueError("an embedding is missing, or there twice")
        vectors = tuple(_base64(row["embedding"]) for row in rows)
        if len({len(vector) for vector in vectors}) > 1:
            raise ValueError("the embeddings are not of one length")
        return vectors


def _query(address: str) -> dict[str, str]:
    """What an address has after its path, where Azure's version is among it; empty for others."""
    query = dict(parse_qsl(urlsplit(address).query))
    return query if "api-version" in query else {}


def _account(name: str) -> str:
    """The value of a variable of the environment, as a header may hold it.

    Raises
    ------
    ProviderError : no header can.
    """
    value = os.environ.get(name, "").strip()
    if value and not (value.isascii() and value.isprintable()):
        raise ProviderError(
            f"the environment variable {name} holds {value!r}, which no request can carry; "
            "correct it, or unset it."
        )
    return value


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
