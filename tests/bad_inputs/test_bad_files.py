"""Files that cannot be used: each is one sentence that names the file, and its row if it has."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from dissensus.errors import DissensusError
from dissensus.llm.prices import read_prices
from dissensus.study.configuration import load
from dissensus.study.given import stage_settings
from dissensus.study.makes import resolve
from dissensus.user_files import read_yaml
from dissensus_studies.language.simulated_space import space_of
from scripted import ROOT

Change = Callable[[bytes], bytes]
THOROUGH = pytest.mark.thorough
#: Files in tables -> the study that reads them.
TABLES = {
    "resources/motions/motions.csv": "language",
    "resources/motions/codebook.csv": "language",
    "resources/motions/coding_a.csv": "language",
    "resources/motions/coding_b.csv": "language",
    "resources/motions/adjudication.csv": "language",
    "resources/questions/choice.csv": "identity",
    "resources/questions/numeric.csv": "identity",
    "resources/stakeholders/city/statements.csv": "consensus",
    "resources/prices.csv": "prices",
}
#: A column of each that is needed.
NEEDED = {
    "motions": "motion_zh",
    "codebook": "domain",
    "choice": "answer",
    "numeric": "wrong_2",
    "statements": "truth_source",
    "prices": "as_of",
}


@pytest.fixture(autouse=True)
def _in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ignored = shutil.ignore_patterns("speakers")
    shutil.copytree(ROOT / "resources", "resources", ignore=ignored)


def collect(study: str, **changes: Any) -> dict[str, Any]:
    """What a study draws its manifest from, or the table of prices."""
    if study == "prices":
        return {"prices": read_prices("resources/prices.csv")}
    values = read_yaml(ROOT / "config.yaml")
    values[study] |= changes
    settings = load(values)
    made = settings.study(study)
    found: dict[str, Any] = resolve(made.source.function)(stage_settings(made, made.source), 1)
    return found


def complaint(path: str, change: Change, study: str, **changes: Any) -> str:
    file = Path(path)
    file.write_bytes(change(file.read_bytes() if file.exists() else b""))
    with pytest.raises(DissensusError) as caught:
        collect(study, **changes)
    said = str(caught.value)
    assert file.name in said and said.endswith(".") and "\n" not in said
    return said


def replaced(old: str, new: str) -> Change:
    def change(content: bytes) -> bytes:
        assert old.encode() in content
        return content.replace(old.encode(), new.encode(), 1)

    return change


def appended(text: str) -> Change:
    return lambda content: content.rstrip(b"\r\n") + b"\n" + text.encode()


def holding(content: str | bytes) -> Change:
    held = content.encode() if isinstance(content, str) else content
    return lambda _: held


def cell(content: bytes) -> bytes:
    """The last row's first cell with one more, without its end."""
    lines = content.rstrip(b"\r\n").split(b"\n")
    return b"\n".join([*lines[:2], b"x" * 3])


#: What can be wrong with any table, and what is said of it.
ANY: dict[str, tuple[Change, str]] = {
    "empty": (holding(b""), "row 1: the column "),
    "blank": (holding(b"\n\n"), "row 1: the column "),
    "other": (holding(b"a;b\n1;2\n"), "is missing"),
    "one cell more": (lambda c: c.rstrip(b"\r\n") + b",more\n", "put texts with commas in double"),
    "few cells": (cell, "row 3: it has 1 instead of "),
    "no UTF-8": (lambda c: c.replace(b"\n", b"\n\xe9", 1), "row 2: byte "),
    "UTF-16": (lambda c: c.decode().encode("utf-16"), "is in UTF-16; save it as CSV in UTF-8"),
    "NUL": (lambda c: c.replace(b"\n", b"\n\0", 1), "row 2: "),
    "escape": (lambda c: c.replace(b"\n", b"\n\x1b", 1), "the character U+001B"),
    "open quote": (lambda c: c.rstrip(b"\r\n") + b'\n"x', "not a CSV row"),
    "column twice": (
        lambda c: c.split(b",")[0] + b"," + c.replace(b"\n", b"\nx,"),
        "row 1: the column ",
    ),
}


#: Every kind of damage in one file, and one kind in every file.
DAMAGED = [
    pytest.param(path, kind, marks=THOROUGH if file and number else ())
    for file, path in enumerate(TABLES)
    for number, kind in enumerate(ANY)
]


@pytest.mark.parametrize(("path", "kind"), DAMAGED)
def test_a_damaged_table_is_named_by_its_row(path: str, kind: str) -> None:
    change, words = ANY[kind]
    banks = "questions" in path and kind in ("empty", "blank", "other")
    said = complaint(path, change, TABLES[path])
    # A question bank may have other columns: what it lacks shows in its rows.
    assert words in said or (banks and ("has no rows" in said or "is missing" in said))


@pytest.mark.parametrize("path", TABLES)
def test_a_table_without_a_column_names_it(path: str) -> None:
    column = NEEDED.get(Path(path).stem, "code")
    said = complaint(path, replaced(column, "other"), TABLES[path])
    assert f"the column {column!r} is missing" in said


@pytest.mark.parametrize("path", TABLES)
def test_a_byte_order_mark_is_taken(path: str) -> None:
    before = collect(TABLES[path])
    Path(path).write_bytes(b"\xef\xbb\xbf" + Path(path).read_bytes())
    assert collect(TABLES[path]) == before


@pytest.mark.parametrize("path", [path for path in TABLES if path != "resources/prices.csv"])
def test_a_table_that_is_a_folder(path: str) -> None:
    Path(path).unlink()
    Path(path).mkdir()
    with pytest.raises(DissensusError, match=r"there is no (such )?file"):
        collect(TABLES[path])


MOTIONS, CODEBOOK = "resources/motions/motions.csv", "resources/motions/codebook.csv"
A, SETTLED = "resources/motions/coding_a.csv", "resources/motions/adjudication.csv"
LANGUAGE: list[tuple[str, Change, str]] = [
    (MOTIONS, replaced(",2023,", ",MMXXIII,"), "row 2: year holds 'MMXXIII'; it must be a whole"),
    (MOTIONS, replaced(",2023,", ",-5,"), "row 2: year holds '-5'; it must be a whole number of 0"),
    (MOTIONS, replaced(",2023,", f",{'9' * 30},"), "it must be a whole number"),
    (MOTIONS, replaced("wudc-2023-efl-finals", "  "), "row 2: motion_id is empty"),
    (MOTIONS, replaced("wudc-2023-efl-finals", "new"), "motions.csv has no motion 'wudc-2023-efl"),
    (
        MOTIONS,
        replaced("wudc-2023-esl-semifinals", "wudc-2023-efl-finals"),
        "row 3: motion_id 'wudc-2023-efl-finals' stands in row 2 already",
    ),
    (
        MOTIONS,
        appended("new,own,t,2024,r,This House would,  ,0,us\n"),
        "motion_zh of motion 'new' is empty; fill in the text",
    ),
    (CODEBOOK, appended("1,Once more\n"), "row 13: the code 1 stands twice"),
    (CODEBOOK, appended("99,General Public Services\n"), "the domain 'General Public Services'"),
    (CODEBOOK, appended("99, \n"), "domain is empty; name the domain of code 99"),
    (CODEBOOK, appended("x,More\n"), "code holds 'x'; it must be a whole number"),
    (A, appended("nobody,1\n"), f"{MOTIONS} has no motion 'nobody'"),
    (A, appended("wudc-2023-efl-finals,8\n"), "motion 'wudc-2023-efl-finals' is coded twice"),
    (A, appended("wudc-2023-efl-finals,3\n"), "is coded twice; keep one row"),
    (A, replaced(",8", ",health"), "row 2: code holds 'health'"),
    (A, replaced(",8", ",77"), "row 2: motion 'wudc-2023-efl-finals' has the unknown domain code"),
    (SETTLED, appended("nobody,1,why\n"), f"{MOTIONS} has no motion 'nobody'"),
    (
        SETTLED,
        appended("wudc-2023-efl-finals,3,why\n"),
        "has the code 3, and both coders gave it 8",
    ),
    (SETTLED, holding("motion_id,code,reason\n"), "settle it in"),
]


@pytest.mark.parametrize(("path", "change", "words"), LANGUAGE)
def test_a_wrong_row_of_the_pool(path: str, change: Change, words: str) -> None:
    assert words in complaint(path, change, "language")


def test_rows_are_counted_as_a_spreadsheet_counts_them() -> None:
    rows = Path(MOTIONS).read_text(encoding="utf-8").split("\n")
    # A cell of three lines is in one row, and an empty row counts.
    rows[1] = rows[1].replace("official tab of the tournament", '"official\n\ntab"')
    rows[2] = rows[2].replace(",2023,", ",MMXXIII,")
    said = complaint(MOTIONS, holding("\n".join(rows)), "language")
    assert "motions.csv, row 3: year holds 'MMXXIII'" in said
    rows.insert(2, "")
    assert "motions.csv, row 4: year" in complaint(MOTIONS, holding("\n".join(rows)), "language")
    rows[3] += "\udce9"
    said = complaint(
        MOTIONS, holding("\n".join(rows).encode("utf-8", "surrogateescape")), "language"
    )
    assert "motions.csv, row 4: byte" in said


def bank(source: str, form: str = "dissensus", questions: int | None = None) -> dict[str, Any]:
    banks = {"choice": {"format": form, "source": source, "questions": questions}}
    return {"banks": banks, "teams": {"a": {"model": "identity-deferring"}}}


ASKED = {"question": "Q?", "A": "1", "B": "2", "C": "3", "D": "4", "answer": "A"}
MMLU = {"question": "Q?", "choices": ["1", "2"], "answer": 0}


def line(**changes: Any) -> str:
    return json.dumps({**ASKED, **changes}) + "\n"


QUESTIONS: list[tuple[str, str, str | bytes, str]] = [
    ("jsonl", "dissensus", "", "has no rows"),
    ("jsonl", "dissensus", "{", "row 1: not JSON"),
    ("jsonl", "dissensus", line() + "[1]\n", "row 2: not an object"),
    ("jsonl", "dissensus", line() + "[" * 100_000, "row 2: not JSON"),
    ("jsonl", "dissensus", b"\xff", "byte 0 is not UTF-8"),
    ("jsonl", "dissensus", line(question=" "), "row 1: question holds ' '; it must be a text"),
    ("jsonl", "dissensus", line(question=5), "row 1: question holds 5; it must be a text"),
    ("jsonl", "dissensus", line(question="a\0b"), "row 1: question holds the character U+0000"),
    ("jsonl", "dissensus", line(question="\ud800"), "question holds the character U+D800"),
    ("jsonl", "dissensus", line(field="a\x07"), "row 1: field holds the character U+0007"),
    ("jsonl", "dissensus", line(A="2"), "row 1: the option '2' stands twice"),
    ("jsonl", "dissensus", line(answer="E"), "row 1: answer holds 'E'; it must be one of A, B"),
    ("jsonl", "dissensus", line(answer="AB"), "row 1: answer holds 'AB'; it must be one of A, B"),
    ("jsonl", "dissensus", line(C=" "), "row 1: C holds ' '; it must be a text"),
    ("jsonl", "dissensus", line(wrong_1="1", wrong_2="dear", answer="2"), "wrong_2 holds 'dear'"),
    (
        "jsonl",
        "dissensus",
        line(answer="1,200", wrong_1="5", wrong_2="1200", wrong_3="7"),
        "the option '1200' stands twice",
    ),
    ("jsonl", "dissensus", line(wrong_1="x", answer="y"), "answer holds 'y'; it must be a number"),
    ("json", "dissensus", "{}", "is not a list of objects"),
    ("json", "dissensus", "[", "row 1: not JSON"),
    ("json", "dissensus", "[" * 100_000, "row 1: not JSON"),
    ("json", "dissensus", "[]", "has no rows"),
    ("json", "dissensus", "[1]", "row 1: not an object"),
    ("json", "dissensus", f"[{'9' * 5000}]", "row 1: not JSON"),
    ("json", "mmlu", json.dumps([{**MMLU, "answer": 2}]), "a whole number from 0 to 1"),
    (
        "json",
        "mmlu",
        json.dumps([{**MMLU, "answer": "\N{SUPERSCRIPT TWO}"}]),
        "a whole number from",
    ),
    ("json", "mmlu", json.dumps([{**MMLU, "answer": True}]), "answer holds True; it must be a"),
    ("json", "mmlu", json.dumps([{**MMLU, "choices": ["1"]}]), "must be a list of 2 to 26 texts"),
    ("json", "mmlu", json.dumps([{**MMLU, "choices": ["1", "\0"]}]), "the character U+0000"),
    ("json", "mmlu", json.dumps([{**MMLU, "choices": "[" * 9999}]), "must be a list of 2 to 26"),
    ("json", "gpqa", json.dumps([MMLU]), "the column 'Question' is missing"),
    ("json", "hellaswag", json.dumps([MMLU]), "the column 'endings' is missing"),
    (
        "json",
        "hellaswag",
        json.dumps([{"ctx": "He", "endings": ["a", "b"], "label": ""}]),
        "label holds ''; it must be a whole number",
    ),
    ("json", "gsm8k", json.dumps([{"question": "Q", "answer": "5"}]), "answer has no '####'"),
    ("json", "gsm8k", json.dumps([{"question": "Q", "answer": "#### x"}]), "must be a number"),
    ("parquet", "mmlu", "x", "cannot be read as Parquet"),
    ("parquet", "mmlu", b"PAR1" + b"\0" * 40 + b"PAR1", "cannot be read as Parquet"),
    ("csv", "mmlu", "question,choices,answer\nQ?,[1,0\n", "must be a list"),
]


@pytest.mark.parametrize(
    ("ending", "form", "content", "words"), QUESTIONS, ids=range(len(QUESTIONS))
)
def test_a_wrong_question(ending: str, form: str, content: str | bytes, words: str) -> None:
    source = f"mine.{ending}"
    assert words in complaint(source, holding(content), "identity", **bank(source, form))


def test_a_parquet_of_other_columns() -> None:
    pq.write_table(pa.table({"question": [1, 2], "answer": [None, None]}), "mine.parquet")
    said = complaint("mine.parquet", lambda c: c, "identity", **bank("mine.parquet"))
    assert "row 1: question holds 1; it must be a text" in said


def test_more_questions_than_there_are() -> None:
    with pytest.raises(DissensusError, match=r"holds 9999; resources/questions/choice\.csv has "):
        collect("identity", **bank("resources/questions/choice.csv", questions=9999))


TOPIC: dict[str, Any] = {
    "id": "t1",
    "title": "A title",
    "question": "Why?",
    "options": ["one", "two"],
    "ordered": False,
    "truth": "one",
    "evidence": [{"id": "e1", "supports": "one", "text": "It is so."}],
}
EVIDENCE: dict[str, Any] = TOPIC["evidence"][0]
TOPICS: list[tuple[Any, str]] = [
    (None, "holds no topics"),
    ([], "holds no topics"),
    ({"topics": {}}, "holds no topics"),
    (["x"], "topic 1: it holds 'x'; it must be a block"),
    ([TOPIC, TOPIC], "topic 2 has the id 't1' of topic 1"),
    ([TOPIC, TOPIC | {"id": "t2"}], "topic 't2' asks the question of 't1'"),
    ([TOPIC | {"colour": 1}], "topic 1: colour is no setting"),
    *[([{k: v for k, v in TOPIC.items() if k != name}], f"{name} is missing") for name in TOPIC],
    ([TOPIC | {"id": "a b"}], "id holds 'a b'; it may have plain letters"),
    ([TOPIC | {"question": " "}], "question holds ' '; it must be a text that is not empty"),
    ([TOPIC | {"question": "a\0b"}], "question holds the character U+0000"),
    ([TOPIC | {"title": "\x1b[31m"}], "title holds the character U+001B"),
    ([TOPIC | {"options": ["one"]}], "needs at least 2 entries"),
    ([TOPIC | {"options": ["one", "One"]}], "no two may be alike but for capitals"),
    ([TOPIC | {"options": ["one", "One "]}], "options.1 holds 'One '"),
    ([TOPIC | {"options": ["one", 2]}], "options.1 holds 2; it must be a text"),
    ([TOPIC | {"options": ["one", False]}], "options.1 holds False; it must be a text"),
    ([TOPIC | {"ordered": "maybe"}], "ordered holds 'maybe'; it must be true or false"),
    ([TOPIC | {"truth": "three"}], "truth holds 'three'; it may be one of the options"),
    ([TOPIC | {"evidence": "x"}], "evidence holds 'x'; it must be a list"),
    ([TOPIC | {"evidence": [EVIDENCE, EVIDENCE]}], "another item of this topic has that id"),
    ([TOPIC | {"evidence": [EVIDENCE | {"supports": "x"}]}], "evidence.0.supports holds 'x'"),
    ([TOPIC | {"evidence": [EVIDENCE | {"text": ""}]}], "evidence.0.text holds ''"),
    ([TOPIC | {"evidence": [EVIDENCE | {"text": "\x07"}]}], "evidence.0.text holds the character"),
]


@pytest.mark.parametrize(("content", "words"), TOPICS, ids=range(len(TOPICS)))
def test_a_wrong_topic(content: Any, words: str) -> None:
    change = holding(yaml.safe_dump(content, allow_unicode=False))
    assert words in complaint("resources/topics/topics.yaml", change, "deliberation")


@pytest.mark.parametrize("content", [b"- a: [", b"\xff\xfe", b"\0", b"{{{{"])
def test_topics_that_are_no_yaml(content: bytes) -> None:
    said = complaint("resources/topics/topics.yaml", holding(content), "deliberation")
    assert "topics.yaml, line 1: it " in said


SPACE: list[tuple[str, str]] = [
    ("side\tpoint\n", "row 1: the column 'part' is missing"),
    (
        "side\tpoint\tpart\ten\npro\t1\tclaim\n",
        "row 2: it has 3 instead of 4 cells; part its cells",
    ),
    (
        "side\tpoint\tpart\ten\npro\t1\tclaim\tx\n",
        "row 2: point '1' of 'pro' is no number or has no",
    ),
    (
        "side\tpoint\tpart\ten\npro\tx\tlabel\tx\n",
        "row 2: point 'x' of 'pro' is no number or has no",
    ),
    ("side\tpoint\tpart\ten\npro\t1\tlabel\t\0\n", "row 2: en holds the character U+0000"),
]


@pytest.mark.parametrize(("content", "words"), SPACE, ids=range(len(SPACE)))
def test_a_wrong_argument_space(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "generic.tsv").write_text(content, encoding="utf-8")
    with pytest.raises(DissensusError, match=r"generic\.tsv") as caught:
        space_of(str(tmp_path), MOTIONS, "This House would", "en")
    assert words in str(caught.value)
