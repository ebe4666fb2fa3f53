"""Anthropic's interface: messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Request, Usage
from dissensus.llm.codec import Answer, Codec, usage_of
from dissensus.llm.exchange import Post
from dissensus.llm.prefix_cache import MOST_MARKS, Piece, ends, marked_pieces
from dissensus.llm.providers.content import plain_text, thought_in

#: The version of its interface that is spoken here.
_VERSION = "2023-06-01"


class AnthropicCodec(Codec):
    """Messages; it has no embeddings, and takes no seed."""

    takes = ("temperature", "top_p", "max_tokens")
    marks_cache = MOST_MARKS
    address = "https://api.anthropic.com"
    models_path = "/v1/models"

    @staticmethod
    def headers(key: str, address: str) -> dict[str, str]:
        """Of every request."""
        return {
            "x-api-key": key,
            "anthropic-version": _VERSION,
            "content-type": "application/json",
        }

    @classmethod
    def batches(cls, key: str, address: str, http_client: Any) -> BatchInterface:
        """Its batches, through its package."""
        import anthropic

        from dissensus.llm.batches.anthropic import AnthropicBatches

        return AnthropicBatches(
            anthropic.AsyncAnthropic(
                api_key=key, base_url=address, timeout=None, http_client=http_client
            )
        )

    def post(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> Post:
        return Post("/v1/messages", {"model": model, **conversation(request, parameters, marks)})

    def usage(self, body: Any) -> Usage:
        return usage_of(body, is_beside=True)

    def answer(self, body: Any) -> Answer:
        content = body["content"]
        return Answer(
            plain_text(content),
            body.get("stop_reason"),
            thought=thought_in(content),
            tools=_tools(content),
            answered_by=body.get("model"),
            request_id=body.get("id"),
        )


def _tools(content: Any) -> list[Any]:
    """The blocks of a reply that call a tool."""
    blocks = content if isinstance(content, list) else []
    mappings = (block for block in blocks if isinstance(block, Mapping))
    return [block for block in mappings if block.get("type") == "tool_use"]


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
