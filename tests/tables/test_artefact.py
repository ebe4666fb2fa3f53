"""Artefacts are complete or absent, hold what their schema says, and know where they came from."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.errors import ArtefactError
from dissensus.tables.artefact import (
    Column,
    Schema,
    concatenate,
    provenance_of,
    read,
    replacing,
    write,
    write_text,
)
from dissensus.tables.seal import BLANK_SEAL, seal

COLUMNS = {
    "name": Column("string", "What it is called."),
    "n": Column("int", "Which one it is."),
    "x": Column("float?", "How long it is.", "metres"),
    "ok": Column("bool", "Whether it works."),
    "words": Column("strings", "What is said of it."),
    "vector": Column("floats", "Where it is.", "metres"),
}
SCHEMA = Schema("things", "thing", COLUMNS, key=("name", "n"))
#: With columns in two colours whose names depend on settings.
FAMILY = Schema(
    "things",
    "thing",
    {**COLUMNS, "{colour}_share": Column("float?", "Share of it in a colour.", "0 to 1")},
    key=("name", "n"),
    where={"colour": "red|blue"},
)
ROW = {"name": "一", "n": 1, "x": 0.5, "ok": True, "words": ["a"], "vector": [0.5, 0.25]}


def row(**changes: Any) -> dict[str, Any]:
    return {**ROW, **changes}


rows = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.text(max_size=5),
            "n": st.integers(-(2**63), 2**63 - 1),
            "x": st.none() | st.floats(allow_nan=False),
            "ok": st.booleans(),
            "words": st.lists(st.text(max_size=3), max_size=3),
            "vector": st.lists(st.floats(width=32, allow_nan=False), max_size=3),
        }
    ),
    max_size=5,
    unique_by=lambda made: (made["name"], made["n"]),
)


@settings(max_examples=60)
@given(made=rows)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, made):
    path = tmp_path_factory.mktemp("made") / "things.parquet"
    write(path, SCHEMA, made, {})
    table = read(path, SCHEMA)
    assert table.to_pylist() == made
    assert table.column_names == list(COLUMNS)
    first = path.read_bytes()
    write(path, SCHEMA, made, {})
    assert path.read_bytes() == first


def test_frames_and_tables_are_written_too(tmp_path: Path):
    written = []
    for made in ([ROW], pa.Table.from_pylist([ROW]), pd.DataFrame([ROW])):
        write(tmp_path / "a.parquet", SCHEMA, made, {})
        written.append((tmp_path / "a.parquet").read_bytes())
        assert read(tmp_path / "a.parquet", SCHEMA).to_pylist() == [ROW]
    assert written[0] == written[1] == written[2]


def test_columns_come_in_the_order_of_the_schema(tmp_path: Path):
    path = tmp_path / "a.parquet"
    given = row(red_share=0.25, blue_share=0.5)
    write(path, FAMILY, [dict(reversed(given.items()))], {})
    table = read(path, FAMILY)
    assert table.column_names == [*COLUMNS, "blue_share", "red_share"]
    assert table.to_pylist() == [given]


def test_a_column_that_only_some_rows_have_is_kept(tmp_path: Path):
    write(tmp_path / "a.parquet", FAMILY, [ROW, row(n=2, red_share=1.0)], {})
    assert read(tmp_path / "a.parquet", FAMILY)["red_share"].to_pylist() == [None, 1.0]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"red_share": 0.5, "green_share": 0.5}, "things has no column 'green_share'"),
        ({"red_share": 0.5, "x_red_share": 0.5}, "things has no column 'x_red_share'"),
        ({"red_share": 0.5, "{colour}_share": 0.5}, r"things has no column '\{colour\}_share'"),
        ({"red_share": "half"}, "things.red_share holds string, not double"),
        ({}, r"things lacks the column '\{colour\}_share'"),
    ],
)
def test_a_family_takes_its_own_columns_alone(tmp_path: Path, extra, message: str):
    with pytest.raises(ArtefactError, match=rf"a\.parquet: {message}"):
        write(tmp_path / "a.parquet", FAMILY, [row(**extra)], {})
    assert list(tmp_path.iterdir()) == []


def test_reading_refuses_what_writing_does(tmp_path: Path):
    """Each fault is put into a good file behind the back of what wrote it."""
    path = tmp_path / "a.parquet"
    write(path, FAMILY, [row(red_share=0.5), row(n=2, red_share=0.5)], {})
    good = pq.read_table(path)
    said = {name: text for name, text in good.schema.metadata.items() if name not in BLANK_SEAL}
    nothing = pa.array([None, None], pa.int64())
    extra = good.append_column("colour", [["a", "b"]])
    faults = [
        (good.take([0, 0]), FAMILY, "1 rows of things repeat their key"),
        (good.take([0, 0]), None, "1 rows of things repeat their key"),
        (good.set_column(1, "n", nothing), FAMILY, "things.n has missing values"),
        (good.drop_columns("red_share"), FAMILY, "things lacks the column"),
        (extra, FAMILY, "things has no column 'colour'"),
        (extra, None, "a.parquet does not say what its columns hold"),
    ]
    for table, schema, message in faults:
        buffer = pa.BufferOutputStream()
        pq.write_table(table.replace_schema_metadata(said | BLANK_SEAL), buffer)
        data = bytearray(buffer.getvalue())
        seal(data)
        path.write_bytes(data)
        with pytest.raises(ArtefactError, match=message):
            read(path, schema)


def test_no_rows_are_an_artefact(tmp_path: Path):
    write(tmp_path / "a.parquet", SCHEMA, [], {"why": "none"})
    assert read(tmp_path / "a.parquet", SCHEMA).num_rows == 0
    assert provenance_of(tmp_path / "a.parquet") == {"why": "none"}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in ROW.items() if key != name}


BROKEN = [
    ([without("n")], "things lacks the column 'n'"),
    ([without("x")], "things lacks the column 'x'"),
    ([row(colour="red")], "things has no column 'colour'"),
    ([ROW, row(n=2, colour="red")], "things has no column 'colour'"),
    ([row(n=None)], "things.n has missing values and may not"),
    ([row(name=None)], "things.name has missing values and may not"),
    ([row(n="1")], "things.n holds string, not int64"),
    ([row(n=True)], "things.n holds bool, not int64"),
    ([row(n=1.5)], "things has a column of another type: Float value 1.5"),
    ([row(n=[1])], "things.n holds list"),
    ([row(name=3)], "things.name holds int64, not string"),
    ([row(x="0.5")], "things.x holds string, not double"),
    ([row(words=[1])], "things.words holds list"),
    ([row(words="a")], "things.words holds string"),
    ([row(name="a"), row(name=3)], "things.name mixes types"),
    ([ROW, ROW], r"1 rows of things repeat their key \(name, n\)"),
]
#: Those that a table can have too, which has one type and one set of columns by nature.
BROKEN_TABLES = [
    (made, message)
    for made, message in BROKEN
    if "mixes" not in message and len({tuple(row) for row in made}) == 1
]


@pytest.mark.parametrize(("made", "message"), BROKEN)
def test_a_broken_schema_is_named(tmp_path: Path, made, message: str):
    with pytest.raises(ArtefactError, match=message):
        write(tmp_path / "a.parquet", SCHEMA, made, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("made", "message"), BROKEN_TABLES)
def test_a_broken_schema_of_a_table_is_named(tmp_path: Path, made, message: str):
    with pytest.raises(ArtefactError, match=message):
        write(tmp_path / "a.parquet", SCHEMA, pa.Table.from_pylist(made), {})
    assert list(tmp_path.iterdir()) == []


def test_a_repeated_key_is_found_among_many_rows(tmp_path: Path):
    numbered = Schema(
        "things", "thing", {"name": COLUMNS["name"], "n": COLUMNS["n"]}, key=("name", "n")
    )
    many = [{"name": f"thing-{n % 7}", "n": n} for n in range(50_000)]
    write(tmp_path / "a.parquet", numbered, many, {})
    assert read(tmp_path / "a.parquet", numbered).to_pylist() == many
    with pytest.raises(ArtefactError, match=r"2 rows of things repeat their key \(name, n\)"):
        write(tmp_path / "b.parquet", numbered, [*many, many[3], many[-1]], {})


def test_reading_checks_the_schema_too(tmp_path: Path):
    path = tmp_path / "a.parquet"
    write(path, Schema("others", "thing", {"name": COLUMNS["name"]}, ()), [{"name": "a"}], {})
    with pytest.raises(ArtefactError, match=r"a\.parquet: things lacks the column 'n'"):
        read(path, SCHEMA)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all, by far"])
def test_a_file_that_is_no_parquet_is_named(tmp_path: Path, content: bytes):
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(ArtefactError, match=r"a\.parquet is damaged \(without the digest"):
        read(path, SCHEMA)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ArtefactError, match=r"none\.parquet cannot be read"):
        read(tmp_path / "none.parquet", SCHEMA)


def test_a_truncated_file_is_named(tmp_path: Path):
    path = tmp_path / "a.parquet"
    write(path, SCHEMA, [ROW], {})
    whole = path.read_bytes()
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        with pytest.raises(ArtefactError):
            read(path, SCHEMA)


def test_provenance_is_kept(tmp_path: Path):
    said = {"stage": "s", "simulated": True, "versions": {"numpy": "2"}, "motion": "本院"}
    write(tmp_path / "a.parquet", SCHEMA, [ROW], said)
    assert provenance_of(tmp_path / "a.parquet") == said


def test_a_file_says_what_its_columns_hold(tmp_path: Path):
    path = tmp_path / "a.parquet"
    write(path, FAMILY, [row(red_share=0.5)], {"stage": "s"})
    said = {one.name: one.metadata for one in pq.read_schema(path)}
    assert said["x"][b"description"] == b"How long it is." and said["x"][b"unit"] == b"metres"
    assert said["red_share"][b"description"] == b"Share of it in a colour."
    assert b"unit" not in said["name"]
    # Whoever reads it, by the schema or by what the file says of itself, has the same table.
    tables = [read(path, FAMILY), read(path)]
    assert [table.schema.field("x").metadata for table in tables] == [
        {b"description": b"How long it is.", b"unit": b"metres"}
    ] * 2
    assert tables[0].equals(tables[1]) and read(path).to_pylist() == [row(red_share=0.5)]
    assert provenance_of(path) == {"stage": "s"}


def test_a_file_of_others_is_not_read(tmp_path: Path):
    pa.parquet.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(ArtefactError, match=r"a\.parquet is damaged \(without the digest"):
        read(tmp_path / "a.parquet")


def test_numbers_from_pandas_lose_nothing(tmp_path: Path):
    kinds = {"n": "int?", "x": "float?", "ok": "bool?"}
    schema = Schema("t", "row", {name: Column(kind, "It.") for name, kind in kinds.items()}, ())
    frame = pd.DataFrame(
        {
            "n": pd.array([2**53 + 1, None], dtype="Int64"),
            "x": [np.nan, 0.1],
            "ok": [True, None],
        }
    )
    write(tmp_path / "a.parquet", schema, frame, {})
    assert read(tmp_path / "a.parquet", schema).to_pylist() == [
        {"n": 2**53 + 1, "x": None, "ok": True},
        {"n": None, "x": 0.1, "ok": None},
    ]


def test_artefacts_are_put_under_each_other_in_order(tmp_path: Path):
    paths = [tmp_path / f"{n}.parquet" for n in (2, 1, 3)]
    for n, path in enumerate(paths):
        write(path, SCHEMA, [row(n=n)], {"n": n})
    assert concatenate(paths, SCHEMA)["n"].to_pylist() == [0, 1, 2]


def test_an_error_while_writing_leaves_what_was_there(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as part:
        part.write_text("half of the ne")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_has_the_same_bytes_everywhere(tmp_path: Path):
    write_text(tmp_path / "new/a.md", "β ≠ ρ\nend\n")
    assert (tmp_path / "new/a.md").read_bytes() == "β ≠ ρ\nend\n".encode()


def test_a_file_is_replaced_and_never_written_into(tmp_path: Path):
    """Who reads the old one goes on reading it whole: a second name for it keeps what it held."""
    path = tmp_path / "a.parquet"
    write(path, SCHEMA, [ROW], {})
    before = path.read_bytes()
    (tmp_path / "second-name").hardlink_to(path)
    write(path, SCHEMA, [row(n=2)], {})
    assert (tmp_path / "second-name").read_bytes() == before
    assert read(path, SCHEMA)["n"].to_pylist() == [2]


KILLED = """
import os, signal, sys
from pathlib import Path
from dissensus.tables.artefact import Column, Schema, write

whole = Path.write_bytes
def midway(path, data):
    whole(path, data[:20])
    os.kill(os.getpid(), signal.SIGKILL)
Path.write_bytes = midway
write(sys.argv[1], Schema("t", "row", {"n": Column("int", "It.")}, ()), [{"n": 1}], {})
"""


@pytest.mark.parametrize("before", [None, b"the last good one"])
def test_a_writer_killed_midway_leaves_nothing_under_the_name(tmp_path: Path, before):
    path = tmp_path / "a.parquet"
    if before:
        path.write_bytes(before)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (path.read_bytes() if path.exists() else None) == before
    # Something was under way when it died, or this test would show nothing.
    assert [len(part.read_bytes()) for part in tmp_path.glob(".*.part")] == [20]


def test_sessions_share_one_thread_of_arrow_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each other thread would get a heap of its own."""
    encoded_by: list[int] = []
    whole = pq.write_table

    def noting(*arguments: Any, **options: Any) -> None:
        encoded_by.append(threading.get_ident())
        whole(*arguments, **options)

    monkeypatch.setattr(pq, "write_table", noting)
    with ThreadPoolExecutor(6) as sessions:
        list(sessions.map(lambda n: write(tmp_path / f"{n}.parquet", SCHEMA, [ROW], {}), range(6)))
    assert [read(tmp_path / f"{n}.parquet", SCHEMA).num_rows for n in range(6)] == [1] * 6
    assert (len(encoded_by), len(set(encoded_by))) == (6, 1)


AT_THE_END = """
import sys, threading, time
from dissensus.tables.artefact import Column, Schema, write

def late():
    threading.main_thread().join()
    time.sleep(0.2)
    write(sys.argv[1], Schema("t", "row", {"n": Column("int", "It.")}, ()), [{"n": 1}], {})
write(sys.argv[1] + ".early", Schema("t", "row", {"n": Column("int", "It.")}, ()), [{"n": 1}], {})
threading.Thread(target=late).start()
"""
IN_A_FORK = """
import os, sys, warnings
from dissensus.tables.artefact import Column, Schema, write

def put(path):
    write(path, Schema("t", "row", {"n": Column("int", "It.")}, ()), [{"n": 1}], {})
put(sys.argv[1] + ".early")
# Pyarrow has threads; Python warns of them from 3.12 on.
warnings.simplefilter("ignore", DeprecationWarning)
if os.fork():
    os.wait()
else:
    put(sys.argv[1])
    os._exit(0)
"""


@pytest.mark.parametrize("script", [AT_THE_END, IN_A_FORK], ids=["at the end", "in a fork"])
def test_what_is_written_late_or_by_a_child_is_written(tmp_path: Path, script: str):
    path = tmp_path / "a.parquet"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == (tmp_path / "a.parquet.early").read_bytes()
