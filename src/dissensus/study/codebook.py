"""The page that says what every artefact holds: ``python -m dissensus.study.codebook``.

It walks the package for schemas, so that a new one is on the page without being named here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import dissensus
from dissensus.report.escaping import markdown
from dissensus.study.registry import study_class
from dissensus.tables.artefact import Schema

#: What no study defines; every study has it.
SHARED = "every study"
#: Those of them that begin with the columns that name a study's session.
_NAMED = ("outcomes", "transcripts", "turns")

_HEAD = """# Artefacts

Every table that a run makes is a Parquet file in `results/<run>/<study>/`. This page says what each
file holds. The same sentences and units are in the file itself, in the metadata of its columns
(`description` and `unit`), beside what a row is (`artefact`) and where it came from (`dissensus`).

A file has the columns that are named here and no others. A type with "?" may have missing values;
`strings` and `floats` are lists. `make docs` writes this page from the schemas in the code.
"""


def schemas() -> dict[str, list[Schema]]:
    """:data:`SHARED` and each study -> its schemas in the order of their names.

    A package is a study if it defines a manifest.
    """
    rooms: dict[str, list[Schema]] = {}
    for module in walk_packages(dissensus.__path__, "dissensus."):
        if module.name.endswith("__main__"):
            continue
        room = rooms.setdefault(module.name.split(".")[1], [])
        for value in vars(import_module(module.name)).values():
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


def page() -> str:
    """The whole page, in Markdown."""
    rooms = schemas()
    studies = [room for room in rooms if room != SHARED]
    ids = [
        f"- {study}: {', '.join(f'`{name}`' for name in study_class(study).ids)}"
        for study in studies
    ]
    lines = [_HEAD]
    for room, artefacts in rooms.items():
        lines += [f"## {room.capitalize()}", ""]
        if room == SHARED:
            named = ", ".join(f"`{name}`" for name in _NAMED)
            lines += [f"These begin with the columns that name a session: {named}.", "", *ids, ""]
        for schema in artefacts:
            lines += _artefact(schema, "<study>" if room == SHARED else room)
    return "\n".join(lines).rstrip("\n") + "\n"


def _artefact(schema: Schema, study: str) -> Iterator[str]:
    """A heading, where the files are, what a row is, and a table of the columns."""
    paths = schema.paths or (f"{schema.name}.parquet",)
    yield f"### {schema.name}"
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


if __name__ == "__main__":
    print(page(), end="")
