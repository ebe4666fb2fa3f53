"""The page: each source's numbers as published and as they are here, then the papers' own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from textwrap import fill
from typing import Any

from dissensus.report.claims.published import Claimed, Published, Section, as_rows
from dissensus.report.escaping import markdown
from dissensus.report.labels import counted
from dissensus.shipped import SHIPPED, shipped_folders
from dissensus.validation import judges
from dissensus.validation.sources import Data, Figures, Source

_TITLE = "# Measured against the world"
_INTRODUCTION = (
    "What others published, put through the code of this project: each number as printed, what it "
    "is here, the difference, and why. `make validate` (or `dissensus validate --to "
    "docs/validation.md`) writes this page from figures in `resources/validation/`: numbers "
    "without texts, as far as their licences permit. Nothing of it needs a network. Whoever has "
    "fetched a source, which is named below, gives its folder; its numbers are then made anew from "
    "the files themselves:"
)
_COMMAND = "```\ndissensus validate --fetched delidata=delitoolkit\n```"
_WAYS = (
    "A difference that nobody has explained is called open. What is not published has no number to "
    "compare with: it is what this project finds in the same data."
)
_PRINTED = "## The papers' printed numbers against their own tables"
_PRINTED_WORDS = (
    "What the sources of the five studies print, beside what follows from the numbers that they "
    "print themselves, or have published with them. No run is needed for it."
)
_WIDTH = 125


def page(data: Data) -> str:
    """The page in Markdown."""
    sections = [*_sections(data)]
    parts = [
        _TITLE,
        _filled(_INTRODUCTION),
        _COMMAND,
        _filled(_WAYS),
        _counts(sections),
        *(part for section in sections for part in _shown(section, data)),
        _PRINTED,
        _filled(_PRINTED_WORDS),
        _table([("paper", "quantity", "printed", "from its own numbers", "why"), *_printed(data)]),
        "## The sources",
        "\n\n".join(_source(name, source) for name, source in data.sources.items()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sections(data: Data) -> Iterator[Section]:
    for of_study in _of_studies("sections"):
        yield from of_study(data)
    yield from judges.sections(data)


def _printed(data: Data) -> Iterator[tuple[str, ...]]:
    for of_study in _of_studies("printed"):
        yield from of_study(data)


def makers() -> dict[str, Figures]:
    """Name of a source -> what makes its figures of the files that a user fetched."""
    made = dict(judges.FIGURES)
    for of_study in _of_studies("FIGURES"):
        made.update(of_study)
    return made


def _of_studies(name: str) -> Iterator[Any]:
    """What each study's module ``validation`` calls so, where it has both."""
    for study, folder in shipped_folders().items():
        if (folder / "validation.py").is_file():
            found = getattr(import_module(f"{SHIPPED}.{study}.validation"), name, None)
            if found is not None:
                yield found


def _counts(sections: Sequence[Section]) -> str:
    lines = [line for section in sections for line in section.lines]
    published = [
        line for line in lines if isinstance(line, Published) and line.published is not None
    ]
    claims = [line for line in lines if isinstance(line, Claimed)]
    equal = sum(line.is_equal for line in published)
    true = sum(line.holds is True for line in claims)
    return (
        f"Of {counted(len(published), 'number')} that were published {equal} are equal here; of "
        f"{counted(len(claims), 'sentence')} {true} hold."
    )


def _shown(section: Section, data: Data) -> Iterator[str]:
    yield f"## {section.title}"
    if section.source:
        yield _origin(section.source, data)
    yield _filled(section.words)
    if section.lines:
        yield _table(as_rows(section.lines))
    yield section.after


def _origin(name: str, data: Data) -> str:
    """What the numbers of a section are made from."""
    source = data.sources[name]
    if any(file in data.fetched for file in source.kept):
        return _filled(f"Made from the files of {source.address} at commit `{source.commit[:12]}`.")
    kept = ", ".join(f"`{file}`" for file in source.kept)
    return _filled(f"By the figures in {kept}, from [{name}](#{name}): {source.title}.")


def _source(name: str, source: Source) -> str:
    files = ", ".join(f"`{file}`" for file in source.files)
    words = (
        f"{source.title}. {source.paper} {source.licence} Fetch it with `git clone "
        f"{source.address}` and `git checkout {source.commit}`; used are {files} "
        f"(SHA-256 of all `{source.fetched}`)."
    )
    return f"### {name}\n\n{_filled(words)}"


def _filled(words: str) -> str:
    return fill(words, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = [head, ("---",) * len(head), *(tuple(map(markdown, row)) for row in body)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
