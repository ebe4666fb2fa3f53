"""Files of turns come in as they are, or not at all: every trap that a spreadsheet lays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import ResourceError
from dissensus.tables.artefact import write

from ..design import IMPORTED, MANIFEST, collect, draw
from ..turns import ImportedTable, read_table

HEAD = "id,who,said\n"
COLUMNS = {"session": "id", "speaker": "who", "text": "said"}
#: Nobody in these files is a person, so that speakers keep their names.
MODELS = {"person": "false"}


def table_of(path: Path, data: bytes | str, columns: Mapping[str, str] = COLUMNS) -> ImportedTable:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_table(path, columns, MODELS)


def texts(table: ImportedTable) -> list[str]:
    return [turn.text for session in table.sessions for turn in session.turns]


@pytest.mark.parametrize(
    "data",
    [
        "id,who,said\na,x,one\na,y,two\n",
        "\ufeffid,who,said\na,x,one\na,y,two\n",
        "id;who;said\na;x;one\na;y;two\n",
        "id\twho\tsaid\na\tx\tone\na\ty\ttwo\n",
        "id,who,said\r\na,x,one\r\na,y,two\r\n",
        "id,who,said\na,x,one\n\n,,\na,y,two\n,,\n",
        'said,id,note,who\n"one",a,"n\nm",x\n"two",a,,y\n',
    ],
    ids=["plain", "BOM", "semicolons", "tabs", "CRLF", "empty rows", "more columns"],
)
def test_a_csv_of_any_spreadsheet_is_read(tmp_path: Path, data: str) -> None:
    table = table_of(tmp_path / "a.csv", data)
    assert texts(table) == ["one", "two"]
    assert [turn.speaker for turn in table.sessions[0].turns] == ["x", "y"]
    assert [turn.number for turn in table.sessions[0].turns] == [1, 2]


def test_texts_stay_byte_for_byte(tmp_path: Path) -> None:
    odd = ["=1+1", " two\r\nlines\n", '"quoted"', "\x1b[31mred", "\u2028\u202e", "<b>é</b>", "7"]
    rows = "".join(f'"a","x","{text.replace(chr(34), chr(34) * 2)}"\r\n' for text in odd)
    assert texts(table_of(tmp_path / "a.csv", HEAD + rows)) == odd


def test_ids_are_texts_and_stay_apart(tmp_path: Path) -> None:
    table = table_of(tmp_path / "a.csv", HEAD + "007,01,a\n7,1,b\n7.0,1.0,c\n")
    assert [session.source for session in table.sessions] == ["007", "7", "7.0"]
    lines = [{"id": 7, "who": 1, "said": "a"}, {"id": True, "who": 1.0, "said": "b"}]
    table = table_of(tmp_path / "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert [session.source for session in table.sessions] == ["7", "true"]
    pq.write_table(
        pa.table({"id": [date(2024, 1, 2)], "who": [3.0], "said": ["x"]}), tmp_path / "a.parquet"
    )
    (session,) = read_table(tmp_path / "a.parquet", COLUMNS, MODELS).sessions
    assert (session.source, session.turns[0].speaker) == ("2024-01-02", "3")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (HEAD + "a,x\n", "row 2: it has 2 instead of 3 cells"),
        (HEAD + ",x,one\n", "row 2: session is empty"),
        (HEAD + "a,,one\n", "row 2: speaker is empty"),
        (HEAD + "a,x,o\x00ne\n", "row 2: said holds the character U+0000"),
        (HEAD + "a\x1b,x,one\n", "row 2: id holds the character U+001B"),
        (HEAD + '"a\nb",x,one\n', "row 2: session holds 'a\\nb'; a name must be one line"),
        ("id,who\na,x\n", "row 1: the column 'said' is missing"),
        ("id,who,said,said\na,x,y,z\n", "row 1: the column 'said' stands twice"),
        ("id,who,said\na,x,caf\xe9\n".encode("latin-1"), "row 2: byte 19 is not UTF-8"),
        (HEAD, "has no turn; give it a row for each"),
        ("", "the column 'id' is missing"),
        ('id,who,said\na,x,"open\n', "not a CSV row"),
    ],
)
def test_a_broken_csv_is_a_sentence_with_its_row(
    tmp_path: Path, data: str | bytes, sentence: str
) -> None:
    with pytest.raises(ResourceError) as caught:
        table_of(tmp_path / "a.csv", data)
    assert sentence in str(caught.value) and "a.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "line 2: it is not JSON"),
        ("[1]", "line 2: it holds [1]; each line must be an object"),
        ('{"id": "a", "id": "b", "who": "x", "said": "y"}', "the key 'id' stands twice"),
        ('{"id": "a", "who": "x", "said": 7}', "line 2: text holds 7; it must be a text"),
        ('{"id": ["a"], "who": "x", "said": "y"}', "line 2: session holds ['a']"),
        ('{"id": "a", "who": "x", "said": "\\ud800"}', "it has U+D800, half a character"),
        ('{"id": "a", "who": "x", "said": "\\u0000"}', "line 2: text holds '\\x00'"),
        ('{"id": "a", "said": "y"}', "line 2: speaker is empty"),
    ],
)
def test_a_broken_line_of_json_is_a_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    good = '{"id": "a", "who": "x", "said": "y"}\n'
    with pytest.raises(ResourceError) as caught:
        table_of(tmp_path / "a.jsonl", good + line)
    assert sentence in str(caught.value) and "a.jsonl" in str(caught.value)


def test_files_of_other_kinds_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    with pytest.raises(ResourceError, match=r"a\.parquet cannot be read as Parquet"):
        read_table(tmp_path / "a.parquet", COLUMNS, {})
    with pytest.raises(ResourceError, match=r"nothing\.csv is not there"):
        read_table(tmp_path / "nothing.csv", COLUMNS, {})
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "b.parquet")
    with pytest.raises(ResourceError, match="the column 'who' is missing; it has 'id'"):
        read_table(tmp_path / "b.parquet", COLUMNS, {})


FULL = {**COLUMNS, "turn": "n", "arm": "arm", "model": "m", "person": "p", "value": "v"}


def mapped(*rows: Mapping[str, Any]) -> dict[str, str]:
    """The columns that some rows have."""
    there = {"id", "who", "said"}.union(*rows)
    return {field: column for field, column in FULL.items() if column in there}


def lines(*rows: Mapping[str, Any]) -> str:
    first = {"id": "a", "who": "x", "said": "y"}
    return "".join(json.dumps({**first, **row}) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"n": 1}, {"n": 1}], "line 2: 'x' speaks in turn 1 of the session 'a', and in "),
        ([{"n": "one"}], "line 1: turn holds 'one'; it must be a whole number"),
        ([{"n": 1.5}], "line 1: turn holds 1.5; it must be a whole number"),
        ([{"p": "perhaps"}], "line 1: person holds 'perhaps'; it must be true or false"),
        ([{"p": True, "m": "gpt"}], "line 1: the speaker 'x' is a person, and has the model 'gpt'"),
        ([{"arm": "b"}, {"arm": "c"}], "line 2: the session 'a' has the arm 'c', and 'b' in "),
    ],
)
def test_turns_that_contradict_each_other_are_sentences(
    tmp_path: Path, rows: Sequence[Mapping[str, Any]], sentence: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines(*rows))
    with pytest.raises(ResourceError) as caught:
        read_table(path, mapped(*rows), {})
    assert sentence in str(caught.value)


def test_those_who_speak_at_once_share_a_turn(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"n": 2, "p": 0}, {"n": 1, "who": "z", "p": 0}, {"n": 1, "p": 0}]
    path.write_text(lines(*rows))
    (session,) = read_table(path, mapped(*rows), {}).sessions
    assert [(turn.number, turn.speaker) for turn in session.turns] == [(1, "z"), (1, "x"), (2, "x")]


def test_names_of_people_are_dropped_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    people: list[dict[str, Any]] = [
        {"who": "Ana", "p": 1},
        {"who": "H1", "m": "gpt"},
        {"who": "Bo"},
        {"who": "Ana"},
    ]
    path.write_text(lines(*people))
    (session,) = read_table(path, mapped(*people), {}).sessions
    # Who is a person in one row is one in all; a model keeps its name, and no seat takes that.
    assert [turn.speaker for turn in session.turns] == ["H2", "H1", "S1", "H2"]
    assert [turn.person for turn in session.turns] == [True, False, None, None]
    (session,) = read_table(path, mapped(*people), {}, ["names"]).sessions
    assert [turn.speaker for turn in session.turns] == ["Ana", "H1", "Bo", "Ana"]


def test_values_keep_their_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    values = [7, "7", 0.5, {"a": ["b"]}, None, ""]
    rows = [{"n": n, "v": value, "p": 0} for n, value in enumerate(values)]
    path.write_text(lines(*rows))
    (session,) = read_table(path, mapped(*rows), {}).sessions
    assert [turn.value for turn in session.turns] == ["7", '"7"', "0.5", '{"a": ["b"]}', None, None]


def settings(*tables: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    made = [{"columns": {}, "always": {}, "made_from": [], **table} for table in tables]
    first = {"arms": ["debates"], "paired_by": "none", "keep": [], "simulated": False}
    return {"tables": made, **first, **more}


def test_a_run_takes_all_of_a_file_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines({"arm": "b"}, {"id": "c", "arm": "d"}))
    table = {"file": str(path), "columns": {**COLUMNS, "arm": "arm"}}
    with pytest.raises(ResourceError, match=r"line 2: the session 'c' has the arm 'd'; debates\."):
        collect(settings(table, arms=["b"]), 1)
    with pytest.raises(ResourceError, match="has no item, which debates"):
        collect(settings(table, arms=["b", "d"], paired_by="item"), 1)
    with pytest.raises(ResourceError, match="has the same bytes as"):
        collect(settings(table, table, arms=["b", "d"]), 1)


def test_simulated_models_of_a_file_pass_for_no_others(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines({"sim": True}))
    table = {"file": str(path), "columns": {**COLUMNS, "simulated": "sim"}}
    with pytest.raises(ResourceError, match="simulated models speak in 1 turns"):
        collect(settings(table), 1)
    assert collect(settings(table, simulated=True), 1)["imported_files"][1][0]["simulated_turns"]


def test_what_is_drawn_keeps_the_pairs_and_the_ids_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    held = [("9", "b", "one"), ("8", "b", "two"), ("7", "c", "two"), ("6", "c", "one")]
    path.write_text(lines(*({"id": name, "arm": arm, "q": q} for name, arm, q in held)))
    table = {"file": str(path), "columns": {**COLUMNS, "arm": "arm", "item": "q"}}
    collected = collect(settings(table, arms=["b", "c"], paired_by="item"), 1)
    schema, imported = collected["imported"]
    assert schema is IMPORTED
    drawn = draw({row["session_id"]: row for row in imported}, {"block_size": 3}, 1)
    write(tmp_path / "manifest.parquet", MANIFEST, drawn, {})
    assert [(row["source_session"], row["draw_id"], row["block"]) for row in drawn] == [
        ("9", "d0001", 1),
        ("8", "d0002", 1),
        ("7", "d0002", 1),
        ("6", "d0001", 2),
    ]
    assert [row["cluster_id"] for row in drawn] == ["one", "two", "two", "one"]
    again = collect(settings(table, arms=["b", "c"], paired_by="item"), 2)
    assert again == collected


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=1
    )
)
def test_any_text_comes_back_from_every_form(tmp_path_factory, said: list[str]) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("texts")
    rows = [{"id": "a", "who": "x", "said": text} for text in said]
    pq.write_table(pa.Table.from_pylist(rows), folder / "a.parquet")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "a.jsonl").write_text(lines, encoding="utf-8", newline="")
    for name in ("a.parquet", "a.jsonl"):
        assert texts(read_table(folder / name, COLUMNS, MODELS)) == said
