"""A codec of the tests, of Gemini's own interface: the model in the path, no ``messages``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dissensus.llm.call import Request, Usage
from dissensus.llm.codec import Answer, Codec, count
from dissensus.llm.exchange import Post

_NAMES = {"max_tokens": "maxOutputTokens", "top_p": "topP"}


class GeminiCodec(Codec):
    """Contents and parts; neither embeddings nor batches."""

    @staticmethod
    def headers(key: str, address: str) -> dict[str, str]:
        return {"x-goog-api-key": key, "content-type": "application/json"}

    def post(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> Post:
        parts = [{"text": sent.content} for sent in request.messages if sent.role == "system"]
        contents = [
            {
                "role": "model" if sent.role == "assistant" else "user",
                "parts": [{"text": sent.content}],
            }
            for sent in request.messages
            if sent.role != "system"
        ]
        decoding = {_NAMES.get(name, name): value for name, value in parameters.items()}
        body = {"contents": contents, "generationConfig": decoding}
        system = {"systemInstruction": {"parts": parts}} if parts else {}
        return Post(f"{self.model_path(model)}:generateContent", body | system)

    def usage(self, body: Any) -> Usage:
        used = body.get("usageMetadata") or {}
        thought = count(used.get("thoughtsTokenCount"))
        cached = count(used.get("cachedContentTokenCount"))
        out = count(used.get("candidatesTokenCount")) + thought
        return Usage(count(used.get("promptTokenCount")), cached, out)

    def answer(self, body: Any) -> Answer:
        candidate = body["candidates"][0]
        told, thought = ["", ""], False
        for part in candidate["content"]["parts"]:
            thought = bool(part.get("thought"))
            told[thought] += part["text"]
        named = {"answered_by": body.get("modelVersion"), "request_id": body.get("responseId")}
        return Answer(told[0].strip(), candidate.get("finishReason"), told[1].strip(), **named)

    def listed(self, body: Any) -> Collection[str]:
        return [entry["name"].removeprefix("models/") for entry in body["models"] or []]
