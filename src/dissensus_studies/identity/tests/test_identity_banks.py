"""Question banks: every format from every kind of source, drawn at random, bad rows by name."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest, chisquare

from dissensus.errors import ResourceError
from dissensus.tables.artefact import read_by, write
from scripted import ROOT

from ..design.banks import (
    QUESTIONS,
    collect_questions,
    read_bank,
    write_question,
)
from ..settings import BankSettings

CHOICE = {
    "question_id": "q1",
    "field": "law",
    "question": " Which is it? ",
    "A": "one",
    "B": "two, or more",
    "C": "three",
    "D": "four",
    "answer": "B",
    "why": "because",
}
NUMERIC = {
    "question_id": "n1",
    "field": "trade",
    "question": "How much?",
    "answer": "1,200.0",
    "wrong_1": "1000",
    "wrong_2": "3.50",
    "wrong_3": "-7",
    "working": "1000 + 200",
}
GPQA = {
    "Question": "What is the spin?",
    "Correct Answer": "right",
    "Incorrect Answer 1": "w1",
    "Incorrect Answer 2": "w2",
    "Incorrect Answer 3": "w3",
    "Subdomain": "Quantum Mechanics",
}
MMLU = {"question": "Which drug?", "subject": "med", "choices": ["a", "b", "c", "d"], "answer": 2}
HELLASWAG = {"ctx": "He opens", "endings": ["a jar.", "a sky."], "label": "1"}
GSM8K = {"question": "How many?", "answer": "2 * 621 = 1,242\n#### 1,242"}


def put(path: Path, rows: list[dict[str, Any]]) -> str:
    """Write rows in the format that the path's ending names."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            for row in rows:
                lists = {k: json.dumps(v) for k, v in row.items() if isinstance(v, list)}
                writer.writerow(row | lists)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    else:
        path.write_text(json.dumps(rows), encoding="utf-8")
    return str(path)


def bank(kind: str, source: str, questions: int | None = None) -> BankSettings:
    return BankSettings(format=kind, source=source, questions=questions)


def only(kind: str, source: str):
    ((place, question),) = read_bank(bank(kind, source))
    assert place.startswith(f"{source}, row ")
    return question


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_every_format_is_read_from_every_kind_of_file(tmp_path, ending: str):
    def read(kind: str, row: dict[str, Any]):
        return only(kind, put(tmp_path / f"{kind}.{ending}", [row]))

    choice = read("dissensus", CHOICE)
    assert (choice.kind, choice.text, choice.field) == ("choice", "Which is it?", "law")
    assert (choice.options, choice.answer) == (("one", "two, or more", "three", "four"), "B")
    numeric = read("dissensus", NUMERIC)
    assert (numeric.kind, numeric.answer) == ("numeric", "1200")
    assert numeric.options == ("1200", "1000", "3.5", "-7")
    mmlu = read("mmlu", MMLU)
    assert (mmlu.options, mmlu.answer, mmlu.field) == (("a", "b", "c", "d"), "C", "med")
    ending_of = read("hellaswag", HELLASWAG)
    assert (ending_of.options, ending_of.answer) == (("a jar.", "a sky."), "B")
    assert ending_of.text.endswith("\nHe opens")
    grade = read("gsm8k", GSM8K)
    assert (grade.kind, grade.options, grade.answer) == ("numeric", (), "1242")
    gpqa = read("gpqa", GPQA)
    assert set(gpqa.options) == {"right", "w1", "w2", "w3"}
    assert gpqa.options["ABCD".index(gpqa.answer)] == "right"
    assert gpqa.field == "Quantum Mechanics"


def test_a_benchmark_that_gives_an_option_twice_is_taken_as_it_is(tmp_path):
    # As a few published questions do; which letter is right is said all the same.
    mmlu = only("mmlu", put(tmp_path / "m.jsonl", [MMLU | {"choices": ["a", "b", "a", "a"]}]))
    assert (mmlu.options, mmlu.answer) == (("a", "b", "a", "a"), "C")
    gpqa = only("gpqa", put(tmp_path / "g.csv", [GPQA | {"Incorrect Answer 2": "w1"}]))
    assert sorted(gpqa.options) == ["right", "w1", "w1", "w3"]
    assert gpqa.options["ABCD".index(gpqa.answer)] == "right"


def test_the_right_option_of_gpqa_stands_at_every_letter_alike_and_always_at_the_same(tmp_path):
    rows = [GPQA | {"Question": f"Question {number}?"} for number in range(400)]
    source = put(tmp_path / "g.csv", rows)
    questions = [question for _, question in read_bank(bank("gpqa", source))]
    counts = ["ABCD".index(question.answer) for question in questions]
    assert chisquare([counts.count(letter) for letter in range(4)]).pvalue > 1e-3
    again = [question for _, question in read_bank(bank("gpqa", source))]
    assert again == questions


def test_the_projects_own_questions_are_read_and_written_as_an_artefact(tmp_path):
    folder = ROOT / "resources" / "questions"
    banks = {n: bank("dissensus", str(folder / f"{n}.csv")) for n in ("choice", "numeric")}
    rows = collect_questions(banks, 1)
    write(tmp_path / "questions.parquet", QUESTIONS, rows, {})
    read = read_by(tmp_path / "questions.parquet", QUESTIONS, "question_id")
    assert list(read.values()) == rows
    assert list(read) == sorted(read)
    assert {row["kind"] for row in rows if row["bank"] == "choice"} == {"choice"}
    for row in rows:
        if row["kind"] == "choice":
            assert row["answer"] in "ABCD"
        else:
            assert row["options"][0] == row["answer"]
    first = read["choice-001"]
    with (folder / "choice.csv").open(encoding="utf-8", newline="") as file:
        raw = next(csv.DictReader(file))
    assert first["text"] == raw["question"]
    assert first["options"] == [raw[letter] for letter in "ABCD"]
    assert first["source"] == f"{folder / 'choice.csv'}, row 2"


def test_a_sample_is_drawn_by_the_seed_alike_from_all_and_grows_by_addition(tmp_path):
    source = put(
        tmp_path / "m.jsonl", [MMLU | {"question": f"Which {number}?"} for number in range(30)]
    )

    def drawn(questions: int, seed: int, name: str = "b") -> list[str]:
        rows = collect_questions({name: bank("mmlu", source, questions)}, seed)
        assert [int(row["text"].split()[1][:-1]) + 1 for row in rows] == [
            int(row["question_id"].split("-")[1]) for row in rows
        ]
        return [row["question_id"] for row in rows]

    assert drawn(10, 3) == drawn(10, 3) != drawn(10, 4)
    assert set(drawn(10, 3)) < set(drawn(20, 3))
    assert drawn(30, 3) == [f"b-{number:03d}" for number in range(1, 31)]
    assert [i[2:] for i in drawn(10, 3)] != [i[2:] for i in drawn(10, 3, "c")]
    hits = sum("b-001" in drawn(10, seed) for seed in range(150))
    assert binomtest(hits, 150, 1 / 3).pvalue > 1e-3


def test_a_sample_larger_than_its_bank_is_refused(tmp_path):
    source = put(tmp_path / "m.csv", [MMLU])
    with pytest.raises(ResourceError, match=r"identity\.banks\.b\.questions holds 2; .* has 1"):
        collect_questions({"b": bank("mmlu", source, 2)}, 1)


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
def test_a_file_that_is_not_there_is_told(tmp_path, ending: str):
    with pytest.raises(ResourceError, match="cannot be read"):
        read_bank(bank("gsm8k", str(tmp_path / f"a.{ending}")))


def test_the_hub_is_asked_for_name_configuration_and_split(monkeypatch):
    asked = []

    def load_dataset(name: str, config: str | None, split: str) -> list[dict[str, Any]]:
        asked.append((name, config, split))
        return [MMLU]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    for source in (
        "datasets:cais/mmlu/professional_medicine:validation",
        "datasets:cais/mmlu",
        "datasets:mmlu",
    ):
        assert only("mmlu", source).answer == "C"
    assert asked == [
        ("cais/mmlu", "professional_medicine", "validation"),
        ("cais/mmlu", None, "test"),
        ("mmlu", None, "test"),
    ]


def test_a_hub_that_cannot_be_used_is_told_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ResourceError, match=r"datasets:a/b needs the package datasets; install"):
        read_bank(bank("mmlu", "datasets:a/b"))

    def load_dataset(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route\nto host")

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(ResourceError) as caught:
        read_bank(bank("mmlu", "datasets:a/b"))
    assert "datasets:a/b cannot be loaded (ConnectionError: no route to host)" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_choice_is_stated_with_its_options_and_a_number_without():
    assert write_question("choice", "Which?", ["x", "y"]) == "Which?\n(A) x\n(B) y"
    assert write_question("numeric", "How many?", ["1", "2"]) == "How many?"
