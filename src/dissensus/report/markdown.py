"""Texts of others in Markdown and JSON: whatever a page says goes through here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.report import escaping
from dissensus.report.captions import SIMULATED
from dissensus.report.frames import Column, tabulate
from dissensus.report.tables import as_markdown
from dissensus.report.view import View
from dissensus.tables.artefact import write_text

_EMPTY_LINE = re.compile(r"\n\s*\n")


def line(text: str) -> str:
    """One line of Markdown, such as a heading's."""
    return escaping.markdown(text.strip())


def paragraphs(text: str, mark: str = "") -> str:
    """A text of several paragraphs in Markdown; ``mark`` stands before each line, such as "> "."""
    parts = [line(part) for part in _EMPTY_LINE.split(escaping.plain(text)) if part.strip()]
    return f"\n{mark.rstrip()}\n".join(f"{mark}{part}" for part in parts)


def bullets(texts: Sequence[str]) -> str:
    """A list in Markdown; a line says so where it has no entry."""
    return "\n".join(f"- {line(text)}" for text in texts) or "*None.*"


def table(
    title: str, columns: Iterable[Column], rows: Iterable[Mapping[str, Any]], note: str
) -> str:
    """A table in Markdown with its title before and its note behind it."""
    # The page's first lines say where models are simulated.
    view = View("", {}, simulated=False)
    return as_markdown(tabulate("", title, columns, rows, note, view)).rstrip()


def page(title: str, parts: Sequence[str], simulated: bool) -> str:
    """A page in Markdown; its first lines say so where the models were simulated."""
    simulated_line = [f"*{SIMULATED}*"] if simulated else []
    return "\n\n".join([f"# {line(title)}", *simulated_line, *parts]) + "\n"


def write_data(path: str | Path, data: Any) -> None:
    """Write structured data as JSON, without what no format shows."""
    text = json.dumps(_plain(data), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(path, f"{text}\n")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return escaping.plain(value)
    if isinstance(value, dict):
        return {_plain(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value
