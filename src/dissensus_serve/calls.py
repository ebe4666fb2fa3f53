"""Requests for a text in the format of each interface, and their answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol

from dissensus.llm.call import Message
from dissensus.llm.prefix_cache import (
    LIFE_S,
    LONG_LIFE_S,
    MOST_MARKS,
    Block,
    PrefixCache,
    Used,
)
from dissensus_serve.refusals import Interface, Refusal, unsupported
from dissensus_serve.replies import Replies, cut, tokens

#: The time of creation in every answer: an answer depends on its request alone.
CREATED = 1735689600
FINGERPRINT = "dissensus-simulated"


@dataclass(frozen=True)
class Answer:
    """The JSON of an answer and the tokens that it is billed for.

    ``used`` is what of the input the cache had, or took in.
    """

    body: dict[str, Any]
    input_tokens: int
    output_tokens: int
    used: Used = field(default_factory=Used)

    def with_usage(self, used: Used, **usage: Any) -> Answer:
        """The same, its usage told with what a cache did."""
        body = {**self.body, "usage": {**self.body["usage"], **usage}}
        return replace(self, body=body, used=used)


class Call(Protocol):
    """One request to a model, of any kind.

    Attributes
    ----------
    kind : chat, messages or embeddings.
    model : the name in the request.
    digest : of all that the answer depends on (64 hexadecimal digits).
    input_tokens : of the request.
    """

    kind: ClassVar[str]
    interface: ClassVar[Interface]

    @property
    def model(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def input_tokens(self) -> int: ...

    def answer(self, replies: Replies, reported: str, fault: str) -> Answer:
        """The answer, with a fault (a key of RULES) or without ("")."""

    def cached(self, answer: Answer, cache: PrefixCache, at: float | None = None) -> Answer:
        """The answer where the model has a cache of prompts; ``at``: when the call came."""


@dataclass(frozen=True)
class _TextCall:
    """A call for the next message of a conversation; ``blocks`` are all that is sent, in order."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None
    digest: str
    input_tokens: int
    blocks: tuple[Block, ...]

    def _reply(self, replies: Replies, fault: str) -> tuple[str, int, bool]:
        """The text, its number of tokens, and whether it is cut off."""
        if fault in ("empty", "refusal", "content_filter"):
            return "", 0, False
        text = replies.text(self.model, self.messages, self.digest)
        count = tokens(text)
        limit = max(1, count // 2) if fault == "length" else self.max_tokens
        if limit is not None and count > limit:
            return cut(text, limit), limit, True
        return text, count, False


class ChatCall(_TextCall):
    """POST /v1/chat/completions."""

    kind: ClassVar[str] = "chat"
    interface: ClassVar[Interface] = "openai"

    def answer(self, replies: Replies, reported: str, fault: str) -> Answer:
        text, count, is_cut = self._reply(replies, fault)
        refused = "I'm sorry, I can't help with that." if fault == "refusal" else None
        finish = "length" if is_cut else "content_filter" if fault == "content_filter" else "stop"
        content = None if refused else text
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": refused},
            "logprobs": None,
            "finish_reason": finish,
        }
        body = {
            "id": f"chatcmpl-{self.digest[:24]}",
            "object": "chat.completion",
            "created": CREATED,
            "model": reported,
            "choices": [choice],
            "usage": {
                "prompt_tokens": self.input_tokens,
                "completion_tokens": count,
                "total_tokens": self.input_tokens + count,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
            "service_tier": "default",
            "system_fingerprint": FINGERPRINT,
        }
        return Answer(body, self.input_tokens, count)

    def cached(self, answer: Answer, cache: PrefixCache, at: float | None = None) -> Answer:
        used = cache.by_prefix((block.text for block in self.blocks), at)
        return answer.with_usage(used, prompt_tokens_details={"cached_tokens": used.read})


class MessagesCall(_TextCall):
    """POST /v1/messages."""

    kind: ClassVar[str] = "messages"
    interface: ClassVar[Interface] = "anthropic"

    def answer(self, replies: Replies, reported: str, fault: str) -> Answer:
        text, count, is_cut = self._reply(replies, fault)
        stop = "max_tokens" if is_cut else "refusal" if fault == "refusal" else "end_turn"
        body = {
            "id": f"msg_{self.digest[:24]}",
            "type": "message",
            "role": "assistant",
            "model": reported,
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": self.input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": count,
                "service_tier": "standard",
            },
        }
        return Answer(body, self.input_tokens, count)

    def cached(self, answer: Answer, cache: PrefixCache, at: float | None = None) -> Answer:
        used = cache.by_marks(self.blocks, at)
        return answer.with_usage(
            used,
            input_tokens=self.input_tokens - used.read - used.written,
            cache_read_input_tokens=used.read,
            cache_creation_input_tokens=used.written,
            cache_creation={
                "ephemeral_5m_input_tokens": used.written - used.written_1h,
                "ephemeral_1h_input_tokens": used.written_1h,
            },
        )


def read_chat(body: Mapping[str, Any], refused: frozenset[str]) -> ChatCall:
    """The call in a chat completion's request; Refusal where it cannot be answered."""
    _check(body, refused, "openai")
    limits = [
        name for name in ("max_tokens", "max_completion_tokens") if body.get(name) is not None
    ]
    if len(limits) > 1:
        message = (
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        )
        raise Refusal(400, message, code="invalid_parameter_combination", param="max_tokens")
    if body.get("n") not in (None, 1):
        raise Refusal(400, "'n' may be 1 only.", code="unsupported_value", param="n")
    limit = _limit(body, limits[0]) if limits else None
    messages = _messages(body)
    blocks = tuple(Block(_bytes(message.content)) for message in messages)
    return ChatCall(*_conversation(body, messages, limit), blocks)


def read_message(body: Mapping[str, Any], refused: frozenset[str]) -> MessagesCall:
    """The call in a message's request; Refusal where it cannot be answered."""
    _check(body, refused, "anthropic")
    if "max_tokens" not in body:
        raise Refusal(400, "max_tokens: Field required")
    messages = _messages(body)
    for number, message in enumerate(messages):
        if message.role == "system":
            problem = f"messages.{number}.role: Input should be 'user' or 'assistant'"
            raise Refusal(400, problem)
    if body.get("system"):
        messages = (Message("system", _text(body["system"], "system")), *messages)
    return MessagesCall(*_conversation(body, messages, _limit(body, "max_tokens")), _blocks(body))


def _blocks(body: Mapping[str, Any]) -> tuple[Block, ...]:
    """The blocks of a message's request, marked as it marks them.

    Raises
    ------
    Refusal : there are more marks than may be, or one is at an empty text.
    """
    contents = [body.get("system") or [], *(message["content"] for message in body["messages"])]
    parts = [
        part
        for content in contents
        for part in ([{"text": content}] if isinstance(content, str) else content)
    ]
    if body.get("cache_control") and parts:
        # A mark of the whole request stands for one at its last block.
        parts[-1] = {**parts[-1], "cache_control": body["cache_control"]}
    marked = [part for part in parts if part.get("cache_control")]
    if len(marked) > MOST_MARKS:
        raise Refusal(
            400,
            f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. "
            f"Found {len(marked)}.",
        )
    if any(not part["text"].strip() for part in parts if "type" in part):
        raise Refusal(400, "messages: text content blocks must contain non-whitespace text")
    return tuple(Block(_bytes(part["text"]), _keep_s(part.get("cache_control"))) for part in parts)


def _keep_s(mark: Any) -> float:
    """For how long a mark asks that a prefix is kept; 0 without one."""
    if not mark:
        return 0.0
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
        raise Refusal(400, "cache_control: type must be ephemeral")
    lives = {None: LIFE_S, "5m": LIFE_S, "1h": LONG_LIFE_S}
    if mark.get("ttl") not in lives:
        raise Refusal(400, "cache_control: ttl must be 5m or 1h")
    return lives[mark.get("ttl")]


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _check(body: Mapping[str, Any], refused: frozenset[str], interface: Interface) -> None:
    if not isinstance(body, Mapping):
        raise Refusal(400, "The body of the request must be a JSON object.")
    if not isinstance(body.get("model"), str):
        raise Refusal(400, "model: Field required", param="model")
    if body.get("stream"):
        raise Refusal(400, "streaming is off", code="unsupported_value", param="stream")
    for name in sorted(refused & body.keys()):
        raise unsupported(name, interface)


def _limit(body: Mapping[str, Any], name: str) -> int:
    value = body[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refusal(400, f"{name}: it must be a whole number of at least 1.", param=name)
    return value


def _messages(body: Mapping[str, Any]) -> tuple[Message, ...]:
    given = body.get("messages")
    if not isinstance(given, list) or not given:
        raise Refusal(400, "messages: at least one message is required", param="messages")
    messages = []
    for number, entry in enumerate(given):
        where = f"messages.{number}"
        if not isinstance(entry, dict):
            raise Refusal(400, f"{where}: it must be a JSON object.", param="messages")
        text = _text(entry.get("content"), f"{where}.content")
        messages.append(Message(_role(entry.get("role"), where), text))
    return tuple(messages)


def _role(role: object, where: str) -> Literal["system", "user", "assistant"]:
    if role in ("system", "developer"):
        return "system"
    if role == "user":
        return "user"
    if role == "assistant":
        return "assistant"
    raise Refusal(400, f"{where}.role: it may be system, user or assistant.", param="messages")


def _text(content: Any, where: str) -> str:
    """The text of a content, which may be a string or a list of content blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        blocks = [block.get("text") for block in content if isinstance(block, dict)]
        texts = [block for block in blocks if isinstance(block, str)]
        if len(texts) == len(content):
            return "".join(texts)
    raise Refusal(400, f"{where}: it must be a text or a list of text parts.", param="messages")


def _conversation(
    body: Mapping[str, Any], messages: tuple[Message, ...], limit: int | None
) -> tuple[str, tuple[Message, ...], int | None, str, int]:
    """The fields of a call; its digest is the same for both interfaces."""
    for name in ("temperature", "top_p", "seed", "random_seed"):
        if not isinstance(body.get(name), int | float | None):
            raise Refusal(400, f"{name}: it must be a number.", param=name)
    model = body["model"]
    seed = body.get("seed", body.get("random_seed"))
    nucleus = [body["top_p"]] if body.get("top_p") is not None else []
    settings = json.dumps([model, body.get("temperature"), limit, seed, *nucleus])
    # Each text after its length, so that two conversations never give the same digest.
    texts = "".join(f"{m.role} {len(m.content)} {m.content}" for m in messages)
    digest = hashlib.sha256((settings + texts).encode(errors="replace")).hexdigest()
    return model, messages, limit, digest, sum(tokens(message.content) for message in messages)
