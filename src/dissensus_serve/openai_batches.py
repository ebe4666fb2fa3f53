"""OpenAI's batches: a file of requests is uploaded, a file of answers and one of errors fetched."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from dissensus_serve import delivery
from dissensus_serve.batches import Batch, Batches, Line, Result, new_id, page, unordered
from dissensus_serve.refusals import Refusal
from dissensus_serve.service import Service

_KINDS = {"/v1/chat/completions": "chat", "/v1/embeddings": "embeddings"}
_DAY_S = 86400


@dataclass(frozen=True)
class _File:
    id: str
    name: str
    purpose: str
    content: bytes
    created: float = field(default_factory=time.time)

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "file",
            "bytes": len(self.content),
            "created_at": int(self.created),
            "filename": self.name,
            "purpose": self.purpose,
            "status": "processed",
        }


class OpenAIBatches:
    """The routes and the files."""

    def __init__(self, service: Service, batches: Batches) -> None:
        self._service = service
        self._batches = batches
        self._files: dict[str, _File] = {}

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Add them all."""
        routes = (
            ("POST", "/v1/files", self._upload, _form_of),
            ("GET", "/v1/files/{id}", lambda request, _: self._file(request).as_json(), None),
            ("GET", "/v1/files/{id}/content", lambda request, _: self._file(request).content, None),
            ("POST", "/v1/batches", self._create, delivery.json_of),
            ("GET", "/v1/batches", self._list, None),
            (
                "GET",
                "/v1/batches/{id}",
                lambda request, _: self._as_json(self._batch(request)),
                None,
            ),
            ("POST", "/v1/batches/{id}/cancel", self._cancel, None),
        )
        for method, path, act, parse in routes:
            more = (parse,) if parse else ()
            router.add_route(method, path, delivery.controls(self._service, "openai", act, *more))

    def _file(self, request: web.Request) -> _File:
        wanted = request.match_info["id"]
        if wanted not in self._files:
            raise Refusal(404, f"No such File object: {wanted}", param="id")
        return self._files[wanted]

    def _batch(self, request: web.Request) -> Batch:
        return self._batches.find(request.match_info["id"], "openai")

    def _upload(self, _: web.Request, form: dict[str, str]) -> dict[str, Any]:
        if "file" not in form or form.get("purpose") != "batch":
            raise Refusal(400, "It needs a 'file', and the 'purpose' batch.", param="purpose")
        content = form["file"].encode()
        file = _File(new_id("file-"), form.get("name") or "batch.jsonl", "batch", content)
        self._files[file.id] = file
        return file.as_json()

    def _create(self, _: web.Request, body: Any) -> dict[str, Any]:
        request = body if isinstance(body, dict) else {}
        file = self._files.get(str(request.get("input_file_id")))
        if file is None:
            raise Refusal(400, "Invalid value for 'input_file_id'.", param="input_file_id")
        if request.get("endpoint") not in _KINDS:
            may = " or ".join(_KINDS)
            raise Refusal(400, f"'endpoint' may be {may}.", param="endpoint")
        if request.get("completion_window") != "24h":
            raise Refusal(400, "'completion_window' may be 24h.", param="completion_window")
        lines, faults = _lines(file.content, request["endpoint"])
        batch = Batch(new_id("batch_"), "openai", lines, request, faults)
        self._batches.start(batch)
        return self._as_json(batch)

    def _list(self, request: web.Request, _: Any) -> dict[str, Any]:
        query = request.query
        newest, limit = self._batches.newest("openai"), query.get("limit", "20")
        return {"object": "list", **page(newest, limit, query.get("after"), None, self._as_json)}

    def _cancel(self, request: web.Request, _: Any) -> dict[str, Any]:
        batch = self._batch(request)
        if batch.ended is not None:
            status = _status(batch)
            raise Refusal(409, f"Cannot cancel a batch with status '{status}'.")
        self._batches.cancel(batch)
        return self._as_json(batch)

    def _as_json(self, batch: Batch) -> dict[str, Any]:
        status = _status(batch)
        ended = int(batch.ended) if batch.ended else None
        fates = batch.fates()
        files = self._make_files(batch) if ended else (None, None)
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": batch.request["endpoint"],
            "errors": {"object": "list", "data": batch.faults} if batch.faults else None,
            "input_file_id": batch.request["input_file_id"],
            "completion_window": "24h",
            "status": status,
            "output_file_id": files[0],
            "error_file_id": files[1],
            "created_at": int(batch.created),
            "in_progress_at": int(batch.created),
            "expires_at": int(batch.created) + _DAY_S,
            "completed_at": ended if status == "completed" else None,
            "failed_at": ended if status == "failed" else None,
            "cancelling_at": int(batch.cancelled) if batch.cancelled else None,
            "cancelled_at": ended if status == "cancelled" else None,
            "request_counts": {
                "total": len(batch.lines),
                "completed": fates["succeeded"],
                "failed": len(batch.results) - fates["succeeded"],
            },
            "metadata": batch.request.get("metadata"),
        }

    def _make_files(self, batch: Batch) -> tuple[str | None, str | None]:
        """The ids of the files of answers and of errors; None for one that would be empty."""
        made: list[str | None] = []
        for what, is_wanted in (("output", True), ("error", False)):
            file_id = f"file-{what}-{batch.id.removeprefix('batch_')}"
            results = unordered(batch.results)
            wanted = [r for r in results if (r.fate == "succeeded") == is_wanted]
            if wanted and file_id not in self._files:
                content = b"".join(delivery.encoded(_line(result)) + b"\n" for result in wanted)
                name = f"{batch.id}_{what}.jsonl"
                self._files[file_id] = _File(file_id, name, "batch_output", content)
            made.append(file_id if wanted else None)
        return made[0], made[1]


async def _form_of(request: web.Request) -> dict[str, str]:
    """The fields of an upload, and its file's name."""
    try:
        form = await request.post()
    except (web.HTTPRequestEntityTooLarge, ValueError):
        raise Refusal(400, "The upload could not be read.") from None
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    file = form.get("file")
    if isinstance(file, web.FileField):
        content = file.file.read().decode(errors="replace")
        fields |= {"file": content, "name": file.filename}
    return fields


def _lines(content: bytes, endpoint: str) -> tuple[list[Line], list[dict[str, Any]]]:
    """The calls in a file, and its faults."""
    lines: list[Line] = []
    faults: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, text in enumerate(content.decode().strip("\n").split("\n"), start=1):
        try:
            entry = json.loads(text)
            line = Line(str(entry["custom_id"]), _KINDS[entry["url"]], entry["body"])
        except (ValueError, KeyError, TypeError, RecursionError):
            message = (
                "This line is not parseable as valid JSON with custom_id, method, url and body."
            )
            faults.append(_fault("invalid_json_line", number, message))
            continue
        if entry["url"] != endpoint:
            message = "The URL of this line does not match the endpoint of the batch."
            faults.append(_fault("mismatched_url", number, message))
        if line.custom_id in seen:
            message = f"The custom_id '{line.custom_id}' was used before in this file."
            faults.append(_fault("duplicate_custom_id", number, message))
        seen.add(line.custom_id)
        lines.append(line)
    return lines, faults


def _fault(code: str, line: int, message: str) -> dict[str, Any]:
    return {"code": code, "line": line, "message": message, "param": None}


def _status(batch: Batch) -> str:
    if batch.faults:
        return "failed"
    if batch.cancelled:
        return "cancelled" if batch.ended else "cancelling"
    return "completed" if batch.ended else "in_progress"


def _line(result: Result) -> dict[str, Any]:
    """One line of a file of answers or errors."""
    response = error = None
    if result.fate in ("succeeded", "errored"):
        request_id = new_id("")
        response = {"status_code": result.status, "request_id": request_id, "body": result.body}
    elif result.fate == "expired":
        message = "This request could not be executed before the completion window expired."
        error = {"code": "batch_expired", "message": message}
    else:
        message = "This request was not executed because the batch was cancelled."
        error = {"code": "batch_cancelled", "message": message}
    return {
        "id": new_id("batch_req_"),
        "custom_id": result.custom_id,
        "response": response,
        "error": error,
    }
