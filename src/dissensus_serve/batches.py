"""The batches of both interfaces: many calls, answered after a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4
from zlib import crc32

from dissensus_serve.calls import Call
from dissensus_serve.refusals import Interface, Refusal
from dissensus_serve.service import Service

#: Calls of a batch answered before other requests are served.
_STRIDE = 10

Fate = Literal["succeeded", "errored", "expired", "canceled"]


@dataclass(frozen=True)
class Line:
    """One call of a batch, as it was sent."""

    custom_id: str
    kind: str
    body: Any


@dataclass(frozen=True)
class Result:
    """The result of a line: an answer or an error in its interface's format, or neither."""

    custom_id: str
    fate: Fate
    status: int = 200
    body: dict[str, Any] = field(default_factory=dict)


@dataclass
class Batch:
    """A batch; times are seconds since 1970.

    Attributes
    ----------
    request : the request that created it.
    faults : of the batch as a whole; where there are any, no line is answered.
    results : in the order of the lines, as far as they are answered.
    """

    id: str
    interface: Interface
    lines: Sequence[Line]
    request: dict[str, Any]
    faults: list[dict[str, Any]] = field(default_factory=list)
    created: float = field(default_factory=time.time)
    cancelled: float | None = None
    ended: float | None = None
    results: list[Result] = field(default_factory=list)

    def fates(self) -> dict[Fate, int]:
        """The number of lines that ended in each way."""
        counts: dict[Fate, int] = {"succeeded": 0, "errored": 0, "expired": 0, "canceled": 0}
        for result in self.results:
            counts[result.fate] += 1
        return counts


class Batches:
    """All batches of a server, newest last."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._by_id: dict[str, Batch] = {}
        self._cancelled: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, batch: Batch) -> None:
        """Start a batch; it is answered in the background."""
        counts = self._service.counts.batches[batch.interface]
        counts["created"] += 1
        counts["requests"] += len(batch.lines)
        self._by_id[batch.id] = batch
        if batch.faults:
            batch.ended = batch.created
            return
        self._cancelled[batch.id] = asyncio.Event()
        task = asyncio.get_running_loop().create_task(self._work(batch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def find(self, batch_id: str, interface: Interface) -> Batch:
        """The batch with an id; Refusal where there is none."""
        batch = self._by_id.get(batch_id)
        if batch is None or batch.interface != interface:
            raise Refusal(404, f"No batch found with id '{batch_id}'.", param="batch_id")
        return batch

    def newest(self, interface: Interface) -> list[Batch]:
        """The batches of an interface, newest first."""
        return [b for b in reversed(self._by_id.values()) if b.interface == interface]

    def cancel(self, batch: Batch) -> None:
        """Answer no further line of a batch."""
        if batch.ended is None and batch.cancelled is None:
            batch.cancelled = time.time()
            self._service.counts.batches[batch.interface]["cancelled"] += 1
            self._cancelled[batch.id].set()

    async def _work(self, batch: Batch) -> None:
        try:
            async with asyncio.timeout(self._service.options.batch_s):
                await self._cancelled[batch.id].wait()
        except TimeoutError:
            pass
        for number, line in enumerate(batch.lines):
            if batch.cancelled:
                batch.results.append(Result(line.custom_id, "canceled"))
                continue
            batch.results.append(self._settle(line, batch.interface))
            if number % _STRIDE == 0:
                await asyncio.sleep(0)
        batch.ended = time.time()
        self._service.counts.batches[batch.interface]["ended"] += 1

    def _settle(self, line: Line, interface: Interface) -> Result:
        counts = self._service.counts.calls[f"batched {line.kind}"]
        counts.received += 1
        try:
            call = self._service.read(line.kind, line.body)
        except Refusal as problem:
            counts.refused[str(problem.status)] += 1
            return _errored(line, problem, interface)
        fault = self._service.faults.draw(f"batched {line.kind}", call.digest).fault
        if fault:
            counts.faults[fault] += 1
        else:
            counts.finished(call.digest)
        return self._result(line, call, fault)

    def _result(self, line: Line, call: Call, fault: str) -> Result:
        if fault == "timeout":
            return Result(line.custom_id, "expired")
        # A batch has no connection that could break.
        outcome = "server_error" if fault == "connection" else fault
        problem = self._service.fault(outcome, call.interface)
        if problem:
            return _errored(line, problem, call.interface)
        try:
            answer = call.answer(self._service.replies, self._service.reported(call.model), fault)
        except Refusal as refused:
            return _errored(line, refused, call.interface)
        answer = self._service.billed(call, answer)
        self._service.counts.billed(call, answer, fault == "malformed")
        body = {"status": "ok"} if fault == "malformed" else answer.body
        return Result(line.custom_id, "succeeded", 200, body)


def new_id(prefix: str) -> str:
    """A unique id."""
    return f"{prefix}{uuid4().hex[:24]}"


def unordered(results: Sequence[Result]) -> list[Result]:
    """Results in another order than the lines, since providers promise none."""
    return sorted(results, key=lambda result: (crc32(result.custom_id.encode()), result.custom_id))


def _errored(line: Line, problem: Refusal, interface: Interface) -> Result:
    body = problem.body(interface, new_id("req_"))
    return Result(line.custom_id, "errored", problem.status, body)


def page(
    batches: list[Batch],
    limit: str,
    after: str | None,
    before: str | None,
    as_json: Callable[[Batch], dict[str, Any]],
) -> dict[str, Any]:
    """One page of a list, in the members that both interfaces have; Refusal for a wrong limit."""
    if not limit.isdecimal() or not 1 <= int(limit) <= 1000:
        raise Refusal(400, "limit: it must be a whole number from 1 to 1000", param="limit")
    ids = [batch.id for batch in batches]
    if after in ids:
        batches = batches[ids.index(after) + 1 :]
    elif before in ids:
        batches = batches[max(0, ids.index(before) - int(limit)) : ids.index(before)]
    shown = batches[: int(limit)]
    return {
        "data": [as_json(batch) for batch in shown],
        "first_id": shown[0].id if shown else None,
        "last_id": shown[-1].id if shown else None,
        "has_more": len(batches) > len(shown),
    }
