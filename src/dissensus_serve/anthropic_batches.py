"""Anthropic's message batches: the requests are one body, the results are lines."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from dissensus_serve import delivery
from dissensus_serve.batches import Batch, Batches, Line, Result, new_id, page, unordered
from dissensus_serve.refusals import Refusal
from dissensus_serve.service import Service


class AnthropicBatches:
    """The routes."""

    def __init__(self, service: Service, batches: Batches) -> None:
        self._service = service
        self._batches = batches

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Add them all."""
        batch = "/v1/messages/batches/{id}"
        routes: tuple[tuple[str, str, Callable[[web.Request, Any], dict[str, Any] | bytes]], ...]
        routes = (
            ("GET", "/v1/messages/batches", self._list),
            ("GET", batch, self._get),
            ("GET", f"{batch}/results", self._results),
            ("POST", f"{batch}/cancel", self._cancel),
        )
        for method, path, act in routes:
            router.add_route(method, path, delivery.controls(self._service, "anthropic", act))
        create = delivery.controls(self._service, "anthropic", self._create, delivery.json_of)
        router.add_route("POST", "/v1/messages/batches", create)

    def _batch(self, request: web.Request) -> Batch:
        return self._batches.find(request.match_info["id"], "anthropic")

    def _create(self, request: web.Request, body: Any) -> dict[str, Any]:
        entries = body.get("requests") if isinstance(body, dict) else None
        if not isinstance(entries, list) or not entries:
            raise Refusal(400, "requests: Field required")
        try:
            lines = [Line(str(e["custom_id"]), "messages", e["params"]) for e in entries]
        except (KeyError, TypeError):
            raise Refusal(400, "requests: each needs custom_id and params") from None
        if len({line.custom_id for line in lines}) < len(lines):
            raise Refusal(400, "requests: the custom_id of each must be unique")
        batch = Batch(new_id("msgbatch_"), "anthropic", lines, {})
        self._batches.start(batch)
        return _as_json(batch, request)

    def _get(self, request: web.Request, _: Any) -> dict[str, Any]:
        return _as_json(self._batch(request), request)

    def _list(self, request: web.Request, _: Any) -> dict[str, Any]:
        query = request.query
        return page(
            self._batches.newest("anthropic"),
            query.get("limit", "20"),
            query.get("after_id"),
            query.get("before_id"),
            lambda batch: _as_json(batch, request),
        )

    def _results(self, request: web.Request, _: Any) -> bytes:
        batch = self._batch(request)
        if batch.ended is None:
            raise Refusal(404, f"Message batch {batch.id} has no available results.")
        return b"".join(
            delivery.encoded(_line(result)) + b"\n" for result in unordered(batch.results)
        )

    def _cancel(self, request: web.Request, _: Any) -> dict[str, Any]:
        batch = self._batch(request)
        if batch.ended is not None:
            raise Refusal(400, f"Message batch {batch.id} has ended and cannot be canceled.")
        self._batches.cancel(batch)
        return _as_json(batch, request)


def _as_json(batch: Batch, request: web.Request) -> dict[str, Any]:
    status = "ended" if batch.ended else "canceling" if batch.cancelled else "in_progress"
    where = f"{request.scheme}://{request.host}/v1/messages/batches/{batch.id}/results"
    # Until a batch has ended, all of its requests count as being processed.
    fates = batch.fates() if batch.ended else dict.fromkeys(batch.fates(), 0)
    processing = 0 if batch.ended else len(batch.lines)
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": status,
        "request_counts": {"processing": processing, **fates},
        "created_at": _moment(batch.created),
        "expires_at": _moment(batch.created, days=1),
        "ended_at": _moment(batch.ended),
        "cancel_initiated_at": _moment(batch.cancelled),
        "archived_at": None,
        "results_url": where if batch.ended else None,
    }


def _moment(seconds: float | None, days: int = 0) -> str | None:
    if seconds is None:
        return None
    return (datetime.fromtimestamp(seconds, UTC) + timedelta(days=days)).isoformat()


def _line(result: Result) -> dict[str, Any]:
    """One line of the results."""
    outcome: dict[str, Any] = {"type": result.fate}
    if result.fate == "succeeded":
        outcome["message"] = result.body
    elif result.fate == "errored":
        outcome["error"] = result.body
    return {"custom_id": result.custom_id, "result": outcome}
