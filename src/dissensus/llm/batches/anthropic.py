"""Batches by Anthropic's interface, through its package.

The requests of a batch go up in one body, and its results come down as lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anthropic
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

from dissensus.llm.batches.interface import SKEW_S, Found, Line, Sought, State, id_of
from dissensus.llm.outcomes import outcome_of

#: Type of error in a batch -> the HTTP status that it has for a call by itself.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
#: Results of requests in a batch that were never run, and cost nothing -> outcome.
_NEVER = {"expired": "timeout", "canceled": "server_error"}


class AnthropicBatches:
    """See :class:`dissensus.llm.batches.interface.BatchInterface`."""

    # A tenth of the requests and less than half of the bytes that Anthropic takes, so that a batch
    # is uploaded well within the time for one request.
    most_requests = 10_000
    most_bytes = 100_000_000
    one_model = False

    def __init__(self, client: anthropic.AsyncAnthropic) -> None:
        # The caller retries: it knows when a request must not be sent twice.
        self._batches = client.with_options(max_retries=0).messages.batches

    async def submit(self, job: str, bodies: Mapping[str, Any]) -> str:
        requests: Any = [{"custom_id": name, "params": body} for name, body in bodies.items()]
        return id_of(await self._batches.create(requests=requests))

    async def state(self, batch_id: str) -> State:
        return State((await self._retrieve(batch_id)).processing_status == "ended")

    async def results(self, batch_id: str) -> dict[str, Line]:
        entries = [entry async for entry in await self._batches.results(batch_id)]
        return {
            _custom_id(entry): _line(entry.to_dict(warnings=False)["result"]) for entry in entries
        }

    async def find(self, sought: Sought) -> Found:
        """See BatchInterface; our name for a batch stands only in the custom ids of its results."""
        unsettled = False
        async for batch in self._batches.list(limit=100):
            if batch.created_at.timestamp() < sought.since - SKEW_S:
                break
            if id_of(batch) in sought.others or _size(batch) != sought.size:
                continue
            if batch.processing_status != "ended":
                unsettled = True
            elif batch.results_url and await self._is_ours(batch.id, sought.own):
                return Found(batch.id)
        return Found(unsettled=unsettled)

    async def _is_ours(self, batch_id: str, job: str) -> bool:
        async for entry in await self._batches.results(batch_id):
            return _custom_id(entry).startswith(f"{job}-")
        return False

    async def _retrieve(self, batch_id: str) -> MessageBatch:
        batch = await self._batches.retrieve(batch_id)
        if id_of(batch) != batch_id:
            raise ValueError("it is another batch")
        return batch


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired


def _custom_id(entry: MessageBatchIndividualResponse) -> str:
    custom_id = getattr(entry, "custom_id", None)
    if not isinstance(custom_id, str):
        raise ValueError("a line of the results has no custom_id")
    return custom_id


def _line(result: Any) -> Line:
    kind = result["type"]
    if kind == "succeeded":
        return Line(result["message"])
    if kind in _NEVER:
        return Line(outcome=_NEVER[kind], message=f"the request was {kind}")
    error = result.get("error") or {}
    inner: Mapping[str, Any] = error.get("error") or error
    outcome = outcome_of(_STATUS.get(str(inner.get("type")), 500), error)
    return Line(outcome=outcome, message=str(inner.get("message") or "")[:300])
