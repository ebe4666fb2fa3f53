"""The pages that say what every artefact holds: ``python -m dissensus.keep.codebook docs``.

It walks the package for schemas, so that a new one is on a page without being named here.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import dissensus
from dissensus.report.escaping import markdown
from dissensus.shipped import SHIPPED, shipped_places
from dissensus.study.registry import study_class
from dissensus.tables.artefact import Schema

#: What no study defines; every study has it.
SHARED = "every study"
#: Those of them that begin with the columns that name a study's session.
_NAMED = ("outcomes", "transcripts", "turns")

_HEAD = """# Artefacts

Every table that a run makes is a Parquet file in `results/<run>/<study>/`. These pages say what
each file holds. The same sentences and units are in the file itself, in the metadata of its columns
(`description` and `unit`), beside what a row is (`artefact`) and where it came from (`dissensus`).

A run's own page of them, with the columns of its settings, is `results/<run>/<study>/columns.html`.

A file has the columns that are named here and no others. A type with "?" may have missing values;
`strings` and `floats` are lists. `make docs` writes these pages from the schemas in the code.
"""


def schemas() -> dict[str, list[Schema]]:
    """:data:`SHARED` and each study -> its schemas in the order of their names.

    A package is a study if it defines a manifest.
    """
    rooms: dict[str, list[Schema]] = {}
    for name in _modules():
        room = rooms.setdefault(name.split(".")[1], [])
        for value in vars(import_module(name)).values():
            if isinstance(value, Schema) and all(value is not other for other in room):
                room.append(value)
    studies = {
        room: artefacts
        for room, artefacts in rooms.items()
        if any(s.name == "manifest" for s in artefacts)
    }
    shared = {
        id(s): s for room, artefacts in rooms.items() if room not in studies for s in artefacts
    }
    schemas_of = {SHARED: list(shared.values())}
    schemas_of |= {
        room: [schema for schema in studies[room] if id(schema) not in shared]
        for room in sorted(studies)
    }
    return {
        room: sorted(artefacts, key=lambda schema: schema.name)
        for room, artefacts in schemas_of.items()
    }


def _modules() -> Iterator[str]:
    """The modules of the core and of the shipped studies."""
    places = [(dissensus.__path__, "dissensus."), ([*map(str, shipped_places())], f"{SHIPPED}.")]
    for path, prefix in places:
        for module in walk_packages(path, prefix):
            if not {"tests", "__main__"} & {*module.name.split(".")}:
                yield module.name


def pages() -> dict[str, str]:
    """Path below the docs' folder -> a page in Markdown: an index, and one page a study."""
    rooms = schemas()
    paths = {room: f"artefacts/{room.replace(' ', '-')}.md" for room in rooms}
    lines = [_HEAD]
    for room, artefacts in rooms.items():
        # Markdown makes anchors of headings, of which no page has two alike but for these.
        anchors = _anchors(schema.name for schema in artefacts)
        lines += [f"## {room.capitalize()}", ""]
        lines += [
            f"- [{schema.name}]({paths[room]}#{anchor}): one row per {schema.row}"
            for schema, anchor in zip(artefacts, anchors, strict=True)
        ]
        lines.append("")
    made = {"artefacts.md": lines}
    for room, artefacts in rooms.items():
        made[paths[room]] = [*_opening(room, list(rooms))]
        for schema in artefacts:
            made[paths[room]] += _artefact(schema, "<study>" if room == SHARED else room)
    return {path: "\n".join(lines).rstrip("\n") + "\n" for path, lines in made.items()}


def _anchors(names: Iterable[str]) -> Iterator[str]:
    """What the site's headings of these names are linked by: a name's second one has a number."""
    seen: Counter[str] = Counter()
    for name in names:
        yield f"{name}_{seen[name]}" if seen[name] else name
        seen[name] += 1


def _opening(room: str, rooms: Sequence[str]) -> Iterator[str]:
    """A page's heading; of what every study has, which columns name a session in each."""
    yield from (f"# Artefacts of {room if room == SHARED else f'the {room} study'}", "")
    if room == SHARED:
        named = ", ".join(f"`{name}`" for name in _NAMED)
        yield from (f"These begin with the columns that name a session: {named}.", "")
        for study in rooms:
            if study != SHARED:
                yield f"- {study}: {', '.join(f'`{name}`' for name in study_class(study).ids)}"
        yield ""


def _artefact(schema: Schema, study: str) -> Iterator[str]:
    """A heading, where the files are, what a row is, and a table of the columns."""
    paths = schema.paths or (f"{schema.name}.parquet",)
    yield f"## {schema.name}"
    yield ""
    yield from (f"`results/<run>/{study}/{path}`  " for path in paths)
    yield f"One row per {schema.row}. Rows are named by {', '.join(schema.key)}."
    yield ""
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for name, column in schema.columns.items():
        cells = (f"`{name}`", column.kind, column.unit, markdown(column.meaning))
        yield f"| {' | '.join(cells)} |"
    yield ""
    for name, pattern in schema.where.items():
        among = pattern.split("|")
        some = ", ".join(among) if all(map(str.isidentifier, among)) else "a name in the settings"
        yield from (f"`{{{name}}}` stands for: {some}.", "")


def write(docs: Path) -> None:
    """Write all pages into the docs' folder."""
    (docs / "artefacts").mkdir(exist_ok=True)
    for path, text in pages().items():
        (docs / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
