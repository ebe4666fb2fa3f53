"""OpenAI's interface, through its package: OpenAI, DeepSeek, Mistral, vLLM, Ollama, gateways.

Of a batch, a file of requests goes up, and a file of answers and one of errors come down.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
import numpy as np
import openai
from openai.types import Batch

from dissensus.llm.batches.interface import SKEW_S, Found, Line, Sought, State, id_of
from dissensus.llm.call import Request
from dissensus.llm.exchange import Answer, Usage, count, label
from dissensus.llm.http_client import HttpClient, answer_of
from dissensus.llm.outcomes import outcome_of

#: Its words for why it stopped, where they differ from ours.
_REASONS = {"max_tokens": "length", "model_length": "length", "sensitive": "content_filter"}
#: Finish reasons of gateways and DeepSeek for a text that their own fault cut off.
_BROKEN = ("error", "network_error", "insufficient_system_resource")
#: The key of our own name for a batch in its metadata.
_OURS = "dissensus"
_OVER = ("completed", "expired", "cancelled", "failed")
#: Error codes of a batch that may be sent again later, such as too many tokens in the queue.
_AGAIN = re.compile(r"limit|server|internal|timeout|unavailable|try_again")
#: Error codes of requests in a batch that were never run, and cost nothing -> outcome.
_NEVER = {"batch_expired": "timeout", "batch_cancelled": "server_error"}
_ENDED_EARLY = {"expired": "timeout", "cancelled": "server_error"}


class OpenAIInterface:
    """Chat completions and embeddings."""

    takes = ("temperature", "top_p", "max_tokens", "seed")

    def __init__(
        self, http_client: HttpClient, key: str, base_url: str | None, retries: int
    ) -> None:
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            timeout=None,
            max_retries=retries,
            http_client=http_client,
        )
        self.batches = OpenAIBatches(self._client)

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> Answer:
        return await self._post("/chat/completions", self.body(model, request, parameters))

    async def _post(self, path: str, body: dict[str, Any]) -> Answer:
        # The package's general call: its typed one takes a quarter more time for building an object
        # of what is parsed already, and refuses parameters that other providers have.
        return answer_of(await self._client.post(path, body=body, cast_to=httpx2.Response))

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": model, "messages": messages(request), **parameters}

    async def embed(self, model: str, texts: Sequence[str]) -> Answer:
        body = {"model": model, "input": list(texts), "encoding_format": "base64"}
        return await self._post("/embeddings", body)

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

    def parse(self, body: Any) -> Answer:
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

    def parse_vectors(self, body: Any) -> Answer:
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
    """The text of a message's content, which may be a string or a list of content blocks."""
    if isinstance(content, list):
        content = "".join(
            block.get("text") or "" for block in content if block.get("type") == "text"
        )
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


class OpenAIBatches:
    """See :class:`dissensus.llm.batches.interface.BatchInterface`."""

    # Half of what OpenAI takes, so that a file is uploaded well within the time for one request.
    most_requests = 25_000
    most_bytes = 100_000_000
    one_model = True

    def __init__(self, client: openai.AsyncOpenAI) -> None:
        # The caller retries: it knows when a request must not be sent twice.
        self._client = client.with_options(max_retries=0)
        self._uploading = client.with_options(max_retries=2)

    async def submit(self, own: str, bodies: Mapping[str, Any]) -> str:
        endpoint = "/v1/chat/completions"
        lines = "".join(
            json.dumps({"custom_id": name, "method": "POST", "url": endpoint, "body": body}) + "\n"
            for name, body in bodies.items()
        )
        file = await self._uploading.files.create(
            file=(f"{own}.jsonl", lines.encode()), purpose="batch"
        )
        batch = await self._client.batches.create(
            input_file_id=id_of(file),
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={_OURS: own},
        )
        return id_of(batch)

    async def state(self, batch_id: str) -> State:
        batch = await self._retrieve(batch_id)
        if batch.status != "failed":
            return State(batch.status in _OVER, missing=_ENDED_EARLY.get(batch.status, ""))
        errors = (batch.errors.data if batch.errors else None) or []
        reason = "; ".join(f"{e.message or e.code}" for e in errors[:3]) or "it gives no reason"
        again = bool(errors) and all(_AGAIN.search((e.code or "").lower()) for e in errors)
        return State(over=True, refused=reason, again=again)

    async def results(self, batch_id: str) -> dict[str, Line]:
        batch = await self._retrieve(batch_id)
        lines: dict[str, Line] = {}
        for file_id in (batch.output_file_id, batch.error_file_id):
            if not file_id:
                continue
            content = (await self._client.files.content(file_id)).content
            entries = [json.loads(line) for line in content.splitlines() if line.strip()]
            lines |= {entry["custom_id"]: _line(entry) for entry in entries}
        return lines

    async def find(self, sought: Sought) -> Found:
        async for batch in self._client.batches.list(limit=100):
            if (batch.metadata or {}).get(_OURS) == sought.own:
                return Found(id_of(batch))
            if batch.created_at < sought.since - SKEW_S:
                break
        return Found()

    async def _retrieve(self, batch_id: str) -> Batch:
        batch = await self._client.batches.retrieve(batch_id)
        if id_of(batch) != batch_id:
            raise ValueError("it is another batch")
        return batch


def _line(entry: Any) -> Line:
    response, error = entry.get("response"), entry.get("error")
    if not response:
        code, message = (str((error or {}).get(name) or "") for name in ("code", "message"))
        return Line(outcome=_NEVER.get(code) or outcome_of(500, error), message=message or code)
    status, body = response.get("status_code") or 500, response.get("body")
    wrong = body.get("error") if isinstance(body, dict) else None
    if 200 <= status < 300 and not wrong:
        return Line(body)
    return Line(outcome=outcome_of(status if status >= 400 else 500, body), message=_message(wrong))


def _message(error: Any) -> str:
    return str(error.get("message") if isinstance(error, dict) else error or "")[:300]
