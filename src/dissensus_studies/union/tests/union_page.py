"""The page of the map, made of some claims and opened in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browsing import Browser, Opened

from ..map.page import map_page
from .union_maps import MOTIONS, Row, clusters

Open = Callable[..., Any]


def opener(browser: Browser, tmp_path: Path) -> Open:
    """Writes the page of some claims and opens it."""

    @contextmanager
    def opened(
        rows: list[Row],
        found: list[Row] | None = None,
        motions: dict[str, str] = MOTIONS,
        simulated: bool = True,
        scripts: bool = True,
        **window: Any,
    ) -> Iterator[Opened]:
        path = tmp_path / "map.html"
        there = clusters(rows) if found is None else found
        text = map_page(
            rows, there, motions, projection="pca", confidence=0.95, simulated=simulated
        )
        path.write_text(text, encoding="utf-8")
        # The page stores nothing.
        with (
            browser.open_again(path, **window)
            if scripts
            else browser.open(path, scripts=False) as page
        ):
            yield page

    return opened
