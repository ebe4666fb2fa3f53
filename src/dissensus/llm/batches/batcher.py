"""Batch mode: the calls of all sessions are collected and sent to their provider together.

A call joins the batch that is being collected. When no other call has come for a while, the batch
is written to disk, sent, polled until it is over, and booked, and each call gets its answer. Calls
that failed join the next batch. A call whose batch an earlier process has sent waits for that one.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dissensus.errors import BudgetReached, ProviderError
from dissensus.llm.batches.client import BatchClient, BatchLost, BatchRefused, sleep
from dissensus.llm.batches.files import Answers, BatchFiles, Plan, Planned, Try, tried
from dissensus.llm.batches.interface import BatchInterface, Line
from dissensus.llm.call import Reply
from dissensus.llm.exchange import Exchange, Failure, Terms
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.ledger import Ledger
from dissensus.llm.limits import RateLimiter
from dissensus.llm.outcomes import RULES, stopped
from dissensus.llm.prices import Price

#: Bytes of a line of a batch besides the body.
_LINE_BYTES = 200


@dataclass
class _Batch:
    """A batch from its first call to its answers; ``task`` runs while calls wait for them."""

    plan: Plan
    bodies: dict[str, Any] = field(default_factory=dict)
    size: int = 0
    last: float = 0.0
    is_open: bool = False
    waiting: int = 0
    task: asyncio.Task[Answers] | None = None


@dataclass(frozen=True)
class _Call:
    asked: str
    body: Any
    size: int
    planned: Planned
    price: Price | None


class Batcher:
    """The batches of one provider, on the providers' event loop.

    Parameters
    ----------
    terms : the provider's settings.
    interface : the provider's batches.
    parse : makes an answer of the JSON of a response and the name of the model that gave it.
    ledger : what the run has spent.
    rate_limiter : the provider's limits a minute; every request about batches takes one from it.
    folder : where the provider's batches are kept.
    """

    def __init__(
        self,
        terms: Terms,
        interface: BatchInterface,
        parse: Callable[[Any, str], Reply],
        ledger: Ledger,
        rate_limiter: RateLimiter,
        folder: Path,
    ) -> None:
        self._terms = terms
        self._interface = interface
        self._client = BatchClient(terms, interface, rate_limiter)
        self._parse = parse
        self._ledger = ledger
        self._files = BatchFiles(folder)
        self._batches: list[_Batch] = []
        self._of_key: defaultdict[str, list[_Batch]] = defaultdict(list)
        self._open: dict[str, _Batch] = {}
        self._loaded = False
        self._most_requests = interface.most_requests
        self._refusals = 0
        self._not_before = 0.0

    async def ask(self, exchange: Exchange, key: str, asked: str, body: Any) -> Reply:
        """Make a call in a batch, and again in others as the rules of its outcomes allow.

        Parameters
        ----------
        exchange : takes the failed tries, the time waited before the batches were sent, and the
            time from sending the first to the last answer.
        key : digest of the request.
        asked : the provider's name for the model.
        body : the JSON that the call by itself would send.

        Returns
        -------
        The reply; with an error where none came that can be used.

        Raises
        ------
        DissensusError : what stops the whole run; a batch that was sent is found at its next start.
        """
        self._load()
        call = _call(exchange, key, asked, body)
        began, first = time.time(), None
        done: list[str] = []
        while True:
            earlier = (b for b in self._of_key[key] if b.plan.own not in done)
            batch = next(earlier, None) or self._add(call)
            answers = await self._wait(batch)
            done.append(batch.plan.own)
            attempt = answers.tries.get(key)
            if attempt is None:
                continue
            first = first or batch.plan.made
            exchange.queued_s += max(0.0, batch.plan.made - began)
            exchange.latency_s = answers.read - first
            reply = None if attempt.body is None else exchange.parse(attempt.body)
            if reply is not None and not attempt.outcome:
                return replace(reply, cost_usd=attempt.usd)
            if not self._record(exchange, attempt, reply):
                return exchange.failed()
            began = answers.read

    def _load(self) -> None:
        """Read the batches of earlier processes."""
        if self._loaded:
            return
        for plan in self._files.plans():
            batch = _Batch(plan)
            self._batches.append(batch)
            for call in plan.calls.values():
                self._of_key[call.key].append(batch)
            if self._files.is_answered(plan):
                plan.calls = {}
        self._loaded = True

    async def _wait(self, batch: _Batch) -> Answers:
        if batch.task is None:
            batch.task = asyncio.create_task(self._process(batch))
            # Its error may come when nobody waits any more.
            batch.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        batch.waiting += 1
        try:
            return await asyncio.shield(batch.task)
        finally:
            batch.waiting -= 1
            if not batch.waiting and batch.task.done():
                # The answers are on disk.
                batch.task = None

    def _record(self, exchange: Exchange, attempt: Try, reply: Reply | None) -> bool:
        """Record a try that failed; whether the call may be tried again."""
        rule = RULES[attempt.outcome]
        exchange.failures.append(Failure(attempt.outcome, attempt.usd or 0.0, attempt.said, reply))
        if rule.stops:
            message = f"models.{exchange.model}: {attempt.said}"
            raise stopped(self._terms.name, attempt.outcome, message)
        if attempt.outcome == "rejected" and not self._ledger.answered(exchange.model):
            return False
        faults = exchange.faults
        allowed = rule.tries is None or faults.count(attempt.outcome) < rule.tries
        return allowed and len(faults) <= self._terms.retries

    # Collecting calls

    def _add(self, call: _Call) -> _Batch:
        group = call.asked if self._interface.one_model else ""
        batch = self._open.get(group)
        if batch is None or not batch.is_open or self._is_full(batch, call.size):
            if batch is not None:
                batch.is_open = False
            batch = _Batch(Plan(_new_name(), 0.0), is_open=True)
            self._open[group] = batch
            self._batches.append(batch)
        custom_id = f"{batch.plan.own}-{len(batch.bodies)}"
        batch.bodies[custom_id] = call.body
        batch.plan.calls[custom_id] = call.planned
        batch.plan.prices[call.planned.model] = call.price
        batch.size += call.size
        batch.last = time.monotonic()
        batch.is_open = not self._is_full(batch, 0)
        self._of_key[call.planned.key].append(batch)
        return batch

    def _is_full(self, batch: _Batch, more: int) -> bool:
        return (
            len(batch.bodies) >= self._most_requests
            or batch.size + more > self._interface.most_bytes
        )

    async def _collect(self, batch: _Batch) -> None:
        """Wait until no further call has come for a while."""
        while batch.is_open:
            until = max(batch.last + self._terms.batch_wait_s, self._not_before)
            left = until - time.monotonic()
            if left <= 0:
                batch.is_open = False
            else:
                await sleep(left)

    async def _fit(self, batch: _Batch) -> None:
        """Leave out the calls that the budget does not cover; they wait for this batch's end.

        Raises
        ------
        BudgetReached : it covers none, and no batch under way may still cost less than its most.
        """
        while True:
            IN_FLIGHT.check()
            self._ledger.check()
            if self._ledger.budget_usd is None or self._trim(batch):
                return
            others = [other for other in self._batches if self._is_under_way(other)]
            if not others:
                raise self._over_budget(batch)
            waits = [asyncio.ensure_future(self._wait(other)) for other in others]
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            for wait in done:
                wait.result()

    def _is_under_way(self, batch: _Batch) -> bool:
        return bool(batch.plan.id) and not self._files.is_answered(batch.plan)

    def _trim(self, batch: _Batch) -> bool:
        """Keep the first calls that the rest of the budget covers; whether there is one.

        They are written down as a plan at once, or another process would take the same money.
        """
        with self._files.pledging():
            if not self._keep_covered(batch):
                return False
            batch.plan.made = time.time()
            self._files.write(batch.plan)
            return True

    def _keep_covered(self, batch: _Batch) -> bool:
        left = (self._ledger.budget_usd or 0.0) - self._ledger.spent_usd - self._files.pledged()
        kept = 0
        for call in batch.plan.calls.values():
            left -= call.usd or 0.0
            if left < 0.0:
                break
            kept += 1
        if kept:
            for custom_id in list(batch.plan.calls)[kept:]:
                self._drop(batch, custom_id)
        return kept > 0

    def _drop(self, batch: _Batch, custom_id: str) -> None:
        del batch.bodies[custom_id]
        self._of_key[batch.plan.calls.pop(custom_id).key].remove(batch)

    def _over_budget(self, batch: _Batch) -> BudgetReached:
        usd = next(iter(batch.plan.calls.values())).usd or 0.0
        return BudgetReached(
            f"The run has spent ${self._ledger.spent_usd:,.4f}{self._ledger.in_doubt()} of the "
            f"${self._ledger.budget_usd:,.4f} that budget_usd allows, batches under way may cost "
            f"${self._files.pledged():,.4f} more, and the next call up to ${usd:,.4f}; raise "
            "budget_usd and start again: the run goes on where it stopped."
        )

    # Sending, waiting, booking

    async def _process(self, batch: _Batch) -> Answers:
        """Go on with a batch from its present state to its answers."""
        plan = batch.plan
        if not plan.made:
            await self._collect(batch)
            await self._fit(batch)
            await self._send(batch)
        elif self._files.is_answered(plan):
            return self._files.answers(plan)
        elif not plan.id:
            plan.id = await self._client.find(plan, self._ids())
            if not plan.id:
                self._forget(batch)
                return Answers(time.time(), {})
            self._files.write(plan)
        answers = await self._finish(batch)
        # The calls are on disk.
        plan.calls = {}
        return answers

    async def _send(self, batch: _Batch) -> None:
        plan = batch.plan
        plan.made = time.time()
        self._files.write(plan)
        plan.id = await self._client.create(
            plan, batch.bodies, self._ids(), lambda: self._forget(batch)
        )
        batch.bodies = {}
        self._files.write(plan)

    def _ids(self) -> set[str]:
        return {batch.plan.id for batch in self._batches if batch.plan.id}

    async def _finish(self, batch: _Batch) -> Answers:
        """Wait for a batch that was sent, and put its answers on disk and in the ledger."""
        plan = batch.plan
        try:
            lines = await self._client.lines(plan)
            self._refusals = 0
        except BatchRefused as refused:
            lines = self._refused(batch, refused)
        except BatchLost:
            print(
                f"providers.{self._terms.name} does not know its batch {plan.id!r} any more; its "
                f"{len(plan.calls)} calls are made again, and count as paid.",
                file=sys.stderr,
                flush=True,
            )
            lost = Line(outcome="connection", message="its batch was lost", billed=True)
            lines = dict.fromkeys(plan.calls, lost)
        answers = Answers(
            time.time(),
            {
                call.key: tried(line, call, plan.prices[call.model], self._parse)
                for call, line in ((plan.calls[name], lines[name]) for name in plan.calls)
            },
        )
        lasting = self._without_stops(plan, answers)
        kept = self._files.keep(plan, lasting, lambda: self._book(plan, answers))
        return answers if kept is lasting else kept

    def _refused(self, batch: _Batch, refused: BatchRefused) -> dict[str, Line]:
        """The results of a batch that the provider took none of; its calls join smaller ones."""
        size = len(batch.plan.calls)
        if not refused.again:
            self._forget(batch)
            raise ProviderError(
                f"providers.{self._terms.name} refused a batch of {size} calls ({refused}); "
                "mend that and start again: the run goes on where it stopped."
            )
        # The usual reason is too many tokens at once.
        self._refusals += 1
        self._most_requests = max(1, size // 2)
        self._not_before = time.monotonic() + self._client.backoff(self._refusals)
        return dict.fromkeys(batch.plan.calls, Line(outcome="rate_limit", message=str(refused)))

    def _book(self, plan: Plan, answers: Answers) -> None:
        for call in plan.calls.values():
            attempt = answers.tries[call.key]
            if attempt.body is not None or attempt.usage.total:
                tokens = (attempt.usage.input_tokens, attempt.usage.output_tokens)
                self._ledger.add(call.model, attempt.usd or 0.0, *tokens, sure=attempt.sure)

    def _without_stops(self, plan: Plan, answers: Answers) -> Answers:
        """The answers to keep: calls that stop the run are made again once the cause is mended."""
        models = {call.key: call.model for call in plan.calls.values()}
        answered = {models[key] for key, attempt in answers.tries.items() if not attempt.outcome}
        answered |= {model for model in plan.prices if self._ledger.answered(model)}
        lasting = {
            key: attempt
            for key, attempt in answers.tries.items()
            if not (attempt.outcome and RULES[attempt.outcome].stops)
            and not (attempt.outcome == "rejected" and models[key] not in answered)
        }
        return Answers(answers.read, lasting)

    def _forget(self, batch: _Batch) -> None:
        """Delete a batch that was not sent."""
        self._files.forget(batch.plan)
        for call in batch.plan.calls.values():
            self._of_key[call.key].remove(batch)
        self._batches.remove(batch)


def _call(exchange: Exchange, key: str, asked: str, body: Any) -> _Call:
    most = exchange.max_usage
    usd = None if exchange.price is None else exchange.most(batch=True)
    planned = Planned(key, exchange.model, most.input_tokens, most.output_tokens, usd)
    size = len(json.dumps(body)) + _LINE_BYTES
    return _Call(asked, body, size, planned, exchange.price)


def _new_name() -> str:
    """A unique name for a batch: the time and a random number."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(5)}"
