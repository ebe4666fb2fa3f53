"""Makes the site's pages: README.md, docs/, each study's own. Links to other files become paths."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
STUDIES = "src/dissensus_studies"
_LINK = re.compile(r"\[(`?)([^]]+?)`?\]\(([^)#\s]+)(#[^)]*)?\)")
_OF_STUDY = re.compile(rf"{STUDIES}/(\w+)/docs\.md")


def on_files(files: Any, config: Any) -> Any:
    """Add README.md as the first page, and the pages of the studies."""
    pages = {"index.md": ROOT / "README.md"}
    pages |= {f"{path.parent.name}.md": path for path in ROOT.glob(f"{STUDIES}/*/docs.md")}
    for name, path in sorted(pages.items()):
        content = linked(path.read_text(encoding="utf-8"), path.parent.relative_to(ROOT).as_posix())
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page of docs/ whose links stay within the site; the others have theirs already."""
    if page.file.generated_by:
        return markdown
    return linked(markdown, f"docs/{Path(page.file.src_uri).parent.as_posix()}")


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
