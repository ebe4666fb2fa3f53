"""The files that the page of the map is made of, beside its data: style, scripts, and Plotly."""

from __future__ import annotations

from pathlib import Path

from dissensus.digests import digest, file_digest

_FOLDER = Path(__file__).parent
#: Plotly.js 4.1.1, its basic bundle: scatter, bars and pies; 1.2 MB; MIT, see the file beside it.
PLOTLY = _FOLDER / "vendor" / "plotly-basic.min.js"
STYLE = _FOLDER / "page.css"
#: In the order in which they run.
SCRIPTS = (PLOTLY, *(_FOLDER / name for name in ("page_charts.js", "page.js")))


def files_digest() -> str:
    """SHA-256 of all files: what the page depends on besides its code in Python."""
    return digest([file_digest(path) for path in (STYLE, *SCRIPTS)])


def style() -> str:
    return STYLE.read_text(encoding="utf-8")


def scripts() -> list[str]:
    """The text of each script."""
    return [path.read_text(encoding="utf-8") for path in SCRIPTS]
