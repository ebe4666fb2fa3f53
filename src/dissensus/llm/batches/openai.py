"""Batches by OpenAI's interface, through its package.

Of a batch, a file of requests goes up, and a file of answers and one of errors come down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import openai
from openai.types import Batch

from dissensus.llm.batches.interface import SKEW_S, Found, Line, Sought, State, id_of
from dissensus.llm.outcomes import fault_in, label, outcome_of, sentence_of, status_of

#: The key of our own name for a batch in its metadata.
_OURS = "dissensus"
_OVER = ("completed", "expired", "cancelled", "failed")
#: Error codes of a batch that may be sent again later, such as too many tokens in the queue.
_AGAIN = re.compile(r"limit|server|internal|timeout|unavailable|try_again")
#: Error codes of requests in a batch that were never run, and cost nothing -> outcome.
_NEVER = {"batch_expired": "timeout", "batch_cancelled": "server_error"}
_ENDED_EARLY = {"expired": "timeout", "cancelled": "server_error"}


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

    async def submit(self, job: str, bodies: Mapping[str, Any]) -> str:
        endpoint = "/v1/chat/completions"
        lines = "".join(
            json.dumps({"custom_id": name, "method": "POST", "url": endpoint, "body": body}) + "\n"
            for name, body in bodies.items()
        )
        file = await self._uploading.files.create(
            file=(f"{job}.jsonl", lines.encode()), purpose="batch"
        )
        batch = await self._client.batches.create(
            input_file_id=id_of(file),
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={_OURS: job},
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
    fault = fault_in(body)
    if 200 <= status < 300 and fault is None:
        return Line(body)
    if status < 400:
        status = status_of(fault) if 200 <= status < 300 else 500
    words = label(sentence_of(body if fault is None else fault), 300)
    return Line(outcome=outcome_of(status, body if fault is None else fault), message=words)
