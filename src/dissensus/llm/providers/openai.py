"""OpenAI's interface: OpenAI, DeepSeek, Mistral, vLLM, Ollama, gateways."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from dissensus.errors import ProviderError
from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Reply, Request, Usage
from dissensus.llm.exchange import UNREADABLE, NoAnswer, count, label
from dissensus.llm.marks import Marks
from dissensus.llm.outcomes import finish_reason
from dissensus.llm.thought import split_thought

#: Variables of the environment that OpenAI's own package sends, too -> header.
_ACCOUNT = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}


class OpenAIInterface:
    """Chat completions and embeddings."""

    takes = ("temperature", "top_p", "max_tokens", "seed")
    # Its providers keep what prompts begin with by themselves.
    marks_cache = 0
    address = "https://api.openai.com/v1"
    call_path, embedding_path, models_path = "/chat/completions", "/embeddings", "/models"

    @staticmethod
    def headers(key: str, address: str) -> dict[str, str]:
        """Of every request; Azure, whose addresses name its version, has its own for the key."""
        account = {header: _account(name) for name, header in _ACCOUNT.items()}
        return {
            **({"api-key": key} if _query(address) else {"authorization": f"Bearer {key}"}),
            "content-type": "application/json",
            **{header: value for header, value in account.items() if value},
        }

    @staticmethod
    def batches(key: str, address: str, http_client: Any) -> BatchInterface:
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

    def body(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> dict[str, Any]:
        return {"model": model, "messages": messages(request), **parameters}

    def embedding_body(self, model: str, texts: Sequence[str], *, plain: bool) -> dict[str, Any]:
        coding = {} if plain else {"encoding_format": "base64"}
        return {"model": model, "input": list(texts), **coding}

    def parse(self, body: Any, marks: Marks | None = None) -> Reply:
        usage = _usage(body)
        try:
            return self._parse(body, usage, marks)
        except UNREADABLE:
            raise NoAnswer(usage) from None

    def _parse(self, body: Any, usage: Usage, marks: Marks | None) -> Reply:
        choice = body["choices"][0]
        message = choice["message"]
        reason = finish_reason(choice.get("finish_reason"))
        text, thought = split_thought(plain_text(message.get("content")), marks)
        if not text and message.get("tool_calls"):
            text = json.dumps(message["tool_calls"], ensure_ascii=False)
        if not text and message.get("refusal"):
            text, reason = plain_text(message["refusal"]), "refusal"
        return Reply(
            text=text,
            thought=thought or _apart(message),
            finish_reason=reason,
            **vars(usage),
            answered_by=label(body.get("model")),
            fingerprint=label(body.get("system_fingerprint")),
            request_id=label(body.get("id")),
            error=why_lost(text, reason),
        )

    def parse_vectors(self, body: Any) -> tuple[Reply, tuple[str, ...]]:
        # Some compatible servers leave the index out; then they keep the order.
        placed = {row.get("index", place): row for place, row in enumerate(body["data"])}
        rows = [placed[place] for place in sorted(placed)]
        if [*sorted(placed)] != list(range(len(body["data"]))):
            raise ValueError("an embedding is missing, or there twice")
        vectors = tuple(_base64(row["embedding"]) for row in rows)
        if len({len(vector) for vector in vectors}) > 1:
            raise ValueError("the embeddings are not of one length")
        reply = Reply(
            "",
            **vars(_usage(body)),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
        )
        return reply, vectors


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


def messages(request: Request) -> Any:
    """A request's messages as this interface has them."""
    return [{"role": message.role, "content": message.content} for message in request.messages]


def plain_text(content: Any, kind: str = "text") -> str:
    """The text of a message's content, a string or the blocks of a kind in a list of blocks."""
    if isinstance(content, list):
        content = "".join(block.get(kind) or "" for block in content if block.get("type") == kind)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    # A reply cut off inside an emoji ends with half a character, which UTF-8 cannot write.
    return content.encode(errors="replace").decode().strip()


def _apart(message: Mapping[str, Any]) -> str:
    """The thought that a server keeps apart from the text; "" where it has none."""
    thoughts = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((plain_text(thought) for thought in thoughts if isinstance(thought, str)), "")


def why_lost(text: str, reason: str) -> str:
    """The outcome of an answer that cannot be used, by why the model stopped; "" of one that can.

    What the provider's own fault cut off is asked for again.
    """
    if reason == "error":
        return "server_error"
    if text:
        return ""
    return reason if reason in ("length", "content_filter", "refusal") else "empty"


def _details(usage: Any, name: str) -> Mapping[str, Any]:
    """A part of what was used; empty where a gateway has something else there."""
    details = usage.get(name)
    return details if isinstance(details, Mapping) else {}


def _usage(body: Any) -> Usage:
    usage = body.get("usage") or {}
    details = _details(usage, "prompt_tokens_details")
    # DeepSeek counts what its cache answered in a place of its own.
    # Moonshot, too, at the top.
    cached = (
        details.get("cached_tokens")
        or usage.get("prompt_cache_hit_tokens")
        or usage.get("cached_tokens")
    )
    prompt = count(usage.get("prompt_tokens"))
    completion, total = count(usage.get("completion_tokens")), count(usage.get("total_tokens"))
    thought = count(_details(usage, "completion_tokens_details").get("reasoning_tokens"))
    # xAI and gateways to Gemini count thought beside the completion; the total has both.
    if not total and thought > completion:
        completion += thought
    return Usage(
        prompt,
        min(count(cached), prompt),
        max(completion, total - prompt) if prompt else completion,
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
