"""A study's folder with a plan and journals that were written at times which a test says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.tables.provenance import PLAN_FILE

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def at(minutes: int) -> str:
    return (NOON + timedelta(minutes=minutes)).isoformat(timespec="milliseconds")


def register(folder: Path, minutes: int | None, **further: object) -> str:
    """Write a plan, and its digest."""
    plan = dict.fromkeys(("seed", "draws", "sessions", "manifest_sha256", "commit"), 1)
    plan |= {"uncommitted": [], "settings": {}, "analysis": {}, "materials": {}, **further}
    if minutes is not None:
        plan |= {"written": at(minutes), "author": "Ada"}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLAN_FILE).write_text(json.dumps(plan), encoding="utf-8")
    return file_digest(folder / PLAN_FILE)


def ask(folder: Path, session: str, minutes: int, plan: str) -> None:
    """A session's journal with one reply."""
    journal = Journal(folder / f"journal/{session}.jsonl", plan=plan)
    reply = replace(Reply("yes"), started=at(minutes), ended=at(minutes + 1))
    journal._records.append({"k" * 64: reply})
