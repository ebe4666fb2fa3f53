"""Every schema is closed and says what each of its columns holds, and so does the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from dissensus.errors import ArtefactError
from dissensus.keep.codebook import SHARED, pages, schemas
from dissensus.study.configuration import load
from dissensus.study.stages import outputs_of
from dissensus.tables.artefact import Column, Schema, read, write
from dissensus.tables.common import COMMON
from scripted import default_configuration

ROOT = Path(__file__).parents[2]
#: Those whose word is another in the study's own language: a tournament's round, say.
OWN_MEANING = {
    "language/pool: round",
    "deliberation/pairs: round",
    "deliberation/pairs: n",
    "deliberation/rounds: error",
    "identity/metrics: complete",
    "identity/coefficients: contrast",
    "every study/spending: session_id",
    "debates/outcomes_by_round: outcome",
    *(f"union/coaching: {name}" for name in ("outcome", "contrast", "method")),
    "union/survival: method",
    # Speakers of the union study are people with names, not seats.
    *(f"union/{name}: speaker" for name in ("chunks", "claims", "documents", "map", "passages")),
    *(f"union/{name}: speaker" for name in ("points", "rebuttals", "scores", "speeches", "wins")),
}


@cache
def every_schema() -> dict[str, Schema]:
    """Study and artefact -> its schema. It imports every module, so no sooner than needed."""
    return {f"{study}/{schema.name}": schema for study, own in schemas().items() for schema in own}


def rows_of(schema: Schema) -> pa.Table:
    """A table of one row that a schema takes."""
    filled = {key: "z" if re.fullmatch(form, "z") else "1" for key, form in schema.where.items()}
    names = {name: name.format_map(filled) for name in schema.columns}
    fields = [column.field(names[name]) for name, column in schema.columns.items()]
    blank = {pa.string(): "", pa.int64(): 1, pa.float64(): 0.5, pa.bool_(): True}
    return pa.table([pa.array([blank.get(f.type, [])], f.type) for f in fields], pa.schema(fields))


def test_every_artefact_of_the_workflow_has_its_schema_here():
    """Files are counted by their names in rules and stages, which know nothing of the schemas."""
    rules = [path for place in ("workflow/rules/*.smk", "Snakefile") for path in ROOT.glob(place)]
    text = "".join(path.read_text(encoding="utf-8") for path in rules)
    made = set(re.findall(r"(\w+)(?:/\{session\})?\.parquet", text)) - {"session", "kind", "name"}
    settings = load(default_configuration())
    models = {name: model.model_dump() for name, model in settings.models.items()}
    for study in settings.studies:
        for stage in settings.study(study).stages(models):
            files = outputs_of(stage).values()
            made |= {file.removesuffix(".parquet") for file in files if file.endswith(".parquet")}
    assert len(made) > 60
    assert made <= {schema.name for schema in every_schema().values()}
    assert {name.split("/")[0] for name in every_schema()} == {
        SHARED,
        *("consensus", "debates", "deliberation", "identity", "language", "union"),
    }


def columns() -> Iterator[tuple[str, str, Column]]:
    """Study, artefact and column; the column's name alone; what is declared of it."""
    for artefact, schema in every_schema().items():
        for name, column in schema.columns.items():
            yield f"{artefact}: {name}", name, column


def test_every_column_has_a_sentence():
    for place, name, column in columns():
        words = re.findall(r"[a-z]+", column.meaning.casefold())
        assert re.fullmatch(r"\S.*\S\.", column.meaning), place
        assert len(words) > 2 and set(words) != set(re.findall(r"[a-z]+", name.casefold())), place
        assert column.unit == column.unit.strip() and not column.unit.endswith("."), place


def test_every_number_has_a_unit_but_those_that_name_something():
    for place, _, column in columns():
        if column.kind.rstrip("?") in ("string", "strings", "bool"):
            assert not column.unit, place


def test_an_extra_column_is_refused(tmp_path: Path):
    path = tmp_path / "a.parquet"
    for schema in every_schema().values():
        table = rows_of(schema)
        write(path, schema, table, {})
        assert read(path).equals(read(path, schema)) and read(path).num_rows == 1
        refused = rf"b\.parquet: {schema.name} has no column 'extra'\."
        with pytest.raises(ArtefactError, match=refused):
            write(tmp_path / "b.parquet", schema, table.append_column("extra", [[1]]), {})


def test_one_name_has_one_meaning():
    own = {
        f"{artefact}: {name}"
        for artefact, schema in every_schema().items()
        for name, column in schema.columns.items()
        if name in COMMON and replace(column, kind="") != replace(COMMON[name], kind="")
    }
    assert own == OWN_MEANING
    used = {name for schema in every_schema().values() for name in schema.columns}
    assert set(COMMON) <= used


def test_the_pages_are_true():
    docs = ROOT / "docs"
    made = pages()
    kept = {path.relative_to(docs).as_posix() for path in docs.glob("artefacts/*.md")}
    assert kept | {"artefacts.md"} == set(made)
    for path, text in made.items():
        assert (docs / path).read_text("utf-8") == text, f"docs/{path} is out of date: make docs"
    assert "| `hi_{scale}` | float? |" in made["artefacts/language.md"]


def test_the_index_leads_to_each_artefact():
    made = pages()
    links = re.findall(r"^- \[(\w+)\]\((\S+\.md)#(\w+)\)", made["artefacts.md"], re.M)
    assert len(links) == sum(map(len, schemas().values()))
    for name, path, anchor in links:
        # The site numbers the second of two headings that are alike.
        assert anchor in (name, f"{name}_1")
        assert made[path].count(f"\n## {name}\n") > (anchor != name)
