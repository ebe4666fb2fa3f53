"""Makes the site's pages of README.md and docs/: links to files beside docs become their paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[(`?)([^]]+?)`?\]\(([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add README.md as the first page."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "index.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page whose links stay within the site."""
    return _LINK.sub(_link, markdown)


def _link(found: re.Match[str]) -> str:
    _, words, target, _ = found.groups()
    if "://" in target or ((ROOT / "docs" / target).exists() and not target.startswith("..")):
        return found[0]
    path = target.removeprefix("../")
    return f"`{path}`" if words in path else f"{words} (`{path}`)"
