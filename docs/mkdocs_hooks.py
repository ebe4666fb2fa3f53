"""Makes the site's pages: README.md, docs/, each study's own. Links to other files become paths.

Where a page names an artefact, such as `metrics.parquet`, the name leads to its columns.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STUDIES = "src/dissensus_studies"
_LINK = re.compile(r"\[(`?)([^]]+?)`?\]\(([^)#\s]+)(#[^)]*)?\)")
_ARTEFACT = re.compile(r"(?<![\[\w`])`(\w+)\.parquet`(?!])")
_HEADING = re.compile(r"^## (\w+)$", re.MULTILINE)
#: The page of the artefacts that all studies have.
SHARED = "every-study"
_OF_STUDY = re.compile(rf"{STUDIES}/(\w+)/docs\.md")


def on_files(files: Any, config: Any) -> Any:
    """Add README.md as the first page, and the pages of the studies."""
    from mkdocs.structure.files import File

    pages = {"index.md": ROOT / "README.md"}
    pages |= {f"{path.parent.name}.md": path for path in ROOT.glob(f"{STUDIES}/*/docs.md")}
    for name, path in sorted(pages.items()):
        content = linked(path.read_text(encoding="utf-8"), path.parent.relative_to(ROOT).as_posix())
        content = with_columns(content, Path(name).stem)
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page of docs/ whose links stay within the site; the others have theirs already."""
    if page.file.generated_by:
        return markdown
    path = Path(page.file.src_uri)
    own = linked(markdown, f"docs/{path.parent.as_posix()}")
    return own if path.parent.name else with_columns(own, path.stem)


def with_columns(markdown: str, page: str) -> str:
    """Text in which the name of an artefact leads to its columns, of the page's study if it can."""
    places = [
        (room, _HEADING.findall((ROOT / f"docs/artefacts/{room}.md").read_text("utf-8")))
        for room in (page, SHARED)
        if (ROOT / f"docs/artefacts/{room}.md").exists()
    ]

    def link(found: re.Match[str]) -> str:
        room = next((room for room, names in places if found[1] in names), "")
        return f"[{found[0]}](artefacts/{room}.md#{found[1]})" if room else found[0]

    return _ARTEFACT.sub(link, markdown)


def linked(markdown: str, folder: str) -> str:
    """Text with links to other pages of the site alone; ``folder``: where its file is."""

    def link(found: re.Match[str]) -> str:
        tick, words, target, anchor = found.groups()
        if "://" in target:
            return found[0]
        path = normpath(f"{folder}/{target}")
        page = _OF_STUDY.sub(r"docs/\1.md", path)
        if page.startswith("docs/") and (page != path or (ROOT / path).exists()):
            # Pages of a folder of docs/ are one step further down.
            up = "../" * (len(Path(folder).parts) - 1) if folder.startswith("docs") else ""
            return f"[{tick}{words}{tick}]({up}{page.removeprefix('docs/')}{anchor or ''})"
        return f"`{path}`" if words in path else f"{words} (`{path}`)"

    return _LINK.sub(link, markdown)
