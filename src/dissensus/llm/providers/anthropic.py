"""Anthropic's interface: messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.errors import ProviderError
from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Reply, Request, Usage
from dissensus.llm.exchange import UNREADABLE, NoAnswer, count, label
from dissensus.llm.marks import Marks
from dissensus.llm.outcomes import finish_reason
from dissensus.llm.prefix_cache import MOST_MARKS, Piece, ends, marked_pieces
from dissensus.llm.providers.openai import plain_text, why_lost
from dissensus.llm.thought import split_thought

#: The version of its interface that is spoken here.
_VERSION = "2023-06-01"


class AnthropicInterface:
    """Messages; it has no embeddings, and takes no seed."""

    takes = ("temperature", "top_p", "max_tokens")
    marks_cache = MOST_MARKS
    address = "https://api.anthropic.com"
    call_path, embedding_path, models_path = "/v1/messages", "", "/v1/models"

    @staticmethod
    def headers(key: str, address: str) -> dict[str, str]:
        """Of every request."""
        return {
            "x-api-key": key,
            "anthropic-version": _VERSION,
            "content-type": "application/json",
        }

    @staticmethod
    def batches(key: str, address: str, http_client: Any) -> BatchInterface:
        """Its batches, through its package."""
        import anthropic

        from dissensus.llm.batches.anthropic import AnthropicBatches

        return AnthropicBatches(
            anthropic.AsyncAnthropic(
                api_key=key, base_url=address, timeout=None, http_client=http_client
            )
        )

    def body(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> dict[str, Any]:
        return {"model": model, **conversation(request, parameters, marks)}

    def embedding_body(self, model: str, texts: Sequence[str], *, plain: bool) -> dict[str, Any]:
        raise ProviderError(
            f"{model!r} cannot embed: Anthropic has no embeddings; name another embedder."
        )

    def parse(self, body: Any, marks: Marks | None = None) -> Reply:
        usage = _usage(body)
        try:
            return self._parse(body, usage, marks)
        except UNREADABLE:
            raise NoAnswer(usage) from None

    def _parse(self, body: Any, usage: Usage, marks: Marks | None) -> Reply:
        text, thought = split_thought(plain_text(body["content"]), marks)
        if not text and (used := _tools(body["content"])):
            text = json.dumps(used, ensure_ascii=False)
        reason = finish_reason(body.get("stop_reason"))
        return Reply(
            text=text,
            thought=thought or plain_text(body["content"], "thinking"),
            finish_reason=reason,
            **vars(usage),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
            error=why_lost(text, reason),
        )

    def parse_vectors(self, body: Any) -> tuple[Reply, tuple[str, ...]]:
        raise ValueError("there are no embeddings here")


def _usage(body: Any) -> Usage:
    """Tokens; Anthropic counts the cached ones beside the input, the others count them in it."""
    usage = body.get("usage") or {}
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    parts = usage.get("cache_creation")
    long = count(parts.get("ephemeral_1h_input_tokens")) if isinstance(parts, dict) else 0
    return Usage(
        count(usage.get("input_tokens")) + cached + written,
        cached,
        count(usage.get("output_tokens")),
        written,
        min(written, long),
    )


def _tools(content: Any) -> list[Any]:
    """The blocks of a reply that call a tool."""
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "tool_use"]


def conversation(request: Request, parameters: Mapping[str, Any], marks: int = 0) -> dict[str, Any]:
    """A request as this interface has it: the system message apart from the others.

    Parameters
    ----------
    marks : the most marks of what is to be kept in the provider's cache.
    """
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    others = [m for m in request.messages if m.role != "system"]
    contents: list[Any] = [system, *(m.content for m in others)]
    if marks:
        kept = [(len(system),), *ends(others)]
        contents = [_content(pieces) for pieces in marked_pieces(contents, kept, marks)]
    system_content, *other_contents = contents
    return {
        "messages": [
            {"role": m.role, "content": content}
            for m, content in zip(others, other_contents, strict=True)
        ],
        **({"system": system_content} if system else {}),
        **parameters,
    }


def _content(pieces: Sequence[Piece]) -> Any:
    """A message's content: a text, or its pieces as blocks where it has several, or a mark."""
    if len(pieces) < 2 and not any(piece.is_marked for piece in pieces):
        return "".join(piece.text for piece in pieces)
    mark = {"cache_control": {"type": "ephemeral"}}
    return [
        {"type": "text", "text": piece.text, **(mark if piece.is_marked else {})}
        for piece in pieces
    ]
