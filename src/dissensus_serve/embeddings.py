"""Vectors of texts: words are hashed into dimensions, so that similar texts are near."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from dissensus.llm.prefix_cache import PrefixCache
from dissensus_serve.calls import Answer
from dissensus_serve.refusals import Interface, Refusal, unsupported
from dissensus_serve.replies import Replies, tokens

#: What OpenAI takes in one request.
_MOST_TEXTS = 2048
_MOST_TOKENS = 300_000
_WORD = re.compile(r"[㐀-鿿]|\w+")


@dataclass(frozen=True)
class EmbeddingsCall:
    """POST /v1/embeddings."""

    model: str
    texts: tuple[str, ...]
    dimensions: int
    encoding: str
    digest: str
    input_tokens: int

    kind: ClassVar[str] = "embeddings"
    interface: ClassVar[Interface] = "openai"

    def answer(self, replies: Replies, reported: str, fault: str) -> Answer:
        texts = () if fault == "empty" else self.texts
        data = [
            {"object": "embedding", "index": index, "embedding": self._encoded(text)}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": self.input_tokens, "total_tokens": self.input_tokens}
        body = {"object": "list", "data": data, "model": reported, "usage": usage}
        return Answer(body, self.input_tokens, 0)

    def cached(self, answer: Answer, cache: PrefixCache, at: float | None = None) -> Answer:
        """As it is: there is no cache of texts to be embedded."""
        return answer

    def _encoded(self, text: str) -> list[float] | str:
        made = vector(text, self.dimensions)
        if self.encoding == "base64":
            return base64.b64encode(made.astype("<f4").tobytes()).decode()
        floats: list[float] = made.tolist()
        return floats


def vector(text: str, dimensions: int) -> NDArray[np.float32]:
    """A text's vector of length 1, in single precision."""
    made = np.zeros(dimensions)
    for word in _WORD.findall(text.lower()):
        number = crc32(word.encode())
        made[number % dimensions] += 1.0 if number >> 31 else -1.0
    # The same words in another order, or no word at all, give another vector.
    made[crc32(text.encode(errors="replace")) % dimensions] += 0.5
    return (made / np.linalg.norm(made)).astype(np.float32)


def read_embeddings(
    body: Mapping[str, Any], refused: frozenset[str], dimensions: int
) -> EmbeddingsCall:
    """The call in a request for embeddings; Refusal where it cannot be answered."""
    if not isinstance(body, Mapping) or not isinstance(body.get("model"), str):
        raise Refusal(400, "you must provide a model parameter", param="model")
    for name in sorted(refused & body.keys()):
        raise unsupported(name, "openai")
    given = body.get("input")
    texts = tuple(given) if isinstance(given, list) else (given,)
    if not 1 <= len(texts) <= _MOST_TEXTS or not all(isinstance(t, str) and t for t in texts):
        message = f"'$.input' must hold 1 to {_MOST_TEXTS} texts, none of them empty."
        raise Refusal(400, message, param="input")
    count = sum(tokens(text) for text in texts)
    if count > _MOST_TOKENS:
        message = f"Requested {count} tokens, max {_MOST_TOKENS} tokens per request"
        raise Refusal(400, message, code="max_tokens_per_request", kind="max_tokens_per_request")
    encoding = body.get("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise Refusal(400, "encoding_format may be float or base64.", param="encoding_format")
    size = body.get("dimensions") or dimensions
    if not isinstance(size, int) or not 1 <= size <= 4096:
        raise Refusal(400, "dimensions may be 1 to 4096.", param="dimensions")
    content = json.dumps([body["model"], size, texts])
    digest = hashlib.sha256(content.encode()).hexdigest()
    return EmbeddingsCall(body["model"], texts, size, encoding, digest, count)
