"""Pages and sentences that say another number than the tables have are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dissensus.keep.verified import Verified
from dissensus.keep.verify_pages import is_printed, verify_pages
from dissensus.report.facts import FACTS
from dissensus.report.findings import FINDINGS
from dissensus.tables.artefact import Column, Schema, read, write
from dissensus.tables.common import common
from dissensus.tables.provenance import provenance

RUN = Path("results/demo")
STUDY = RUN / "mine"
CONTRASTS = Schema(
    name="contrasts",
    row="contrast",
    columns={**common("contrast", "estimate?"), "n": Column("int", "Draws.", "count")},
    key=("contrast",),
)
SENTENCE = "Score, b − a & more: +0.123, in 40 draws."
CARD = "b says more: 12.3%."


def fact(place: int, printed: str, column: str, value: float, **more: Any) -> dict[str, Any]:
    return {
        "sentence": "finding:1", "place": place, "printed": printed, "artefact": "contrasts",
        "key": json.dumps({"contrast": "b-a"}), "column": column, "statistic": "",
        "value": value, "times": 1.0, **more,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with a study, whose pages say what its tables have."""
    monkeypatch.chdir(tmp_path)
    made = provenance("state", False, {})
    rows = [{"contrast": "b-a", "estimate": 0.12345, "n": 40}]
    write(str(STUDY / "contrasts.parquet"), CONTRASTS, rows, made)
    facts = [
        fact(1, "+0.123", "estimate", 0.12345),
        fact(2, "40", "n", 40.0),
        fact(1, "12.3%", "estimate", 0.12345, sentence="finding:2", times=100.0),
    ]
    write(str(STUDY / "facts.parquet"), FACTS, facts, made)
    said = [("headline", SENTENCE), ("card", CARD), ("bar", "drawn alone: +7")]
    findings = [
        {"place": place, "kind": kind, "sentence": sentence}
        for place, (kind, sentence) in enumerate(said, 1)
    ]
    write(str(STUDY / "findings.parquet"), FINDINGS, findings, made)
    shown = (
        "<script>let x = '<p>';</script>"
        "<p>Score, <b>b − a</b> &amp; more:\n +0.123, in 40 draws.</p>"
    )
    (STUDY / "index.html").write_text(f"{shown}<p>{CARD}</p>", "utf-8")
    (RUN / "index.html").write_text(f"<p>{CARD}</p>", "utf-8")


def found() -> dict[str, str]:
    verified = Verified("demo")
    verify_pages(RUN, ["mine", "without_findings"], verified)
    return {path.relative_to(RUN).as_posix(): said for path, said in verified.findings.items()}


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def rewrite(name: str, schema: Schema, **changes: Any) -> None:
    """Another value in the first row of a table."""
    path = STUDY / f"{name}.parquet"
    first, *others = read(path).to_pylist()
    write(str(path), schema, [first | changes, *others], provenance("state", False, {}))


def test_pages_that_say_what_the_tables_have_are_sound() -> None:
    assert found() == {}


def test_another_number_on_a_page_is_found() -> None:
    edit(STUDY / "index.html", "+0.123", "+0.523")
    assert list(found()) == ["mine/index.html"]
    assert f"lacks “{SENTENCE}”" in found()["mine/index.html"]
    edit(STUDY / "index.html", "+0.523", "+0.123")
    edit(RUN / "index.html", "12.3%", "52.3%")
    assert list(found()) == ["index.html"]


def test_another_sentence_is_found_by_the_numbers_of_its_facts() -> None:
    rewrite("findings", FINDINGS, sentence=SENTENCE.replace("0.123", "0.523"))
    edit(STUDY / "index.html", "+0.123", "+0.523")
    assert "finding 1 lacks +0.123" in found()["mine/findings.parquet"]
    rewrite("facts", FACTS, printed="+0.523")
    assert list(found()) == ["mine/facts.parquet"]
    assert (
        "finding:1 prints +0.523 for estimate of contrasts, 0.12345"
        in found()["mine/facts.parquet"]
    )
    rewrite("facts", FACTS, printed="+0.523", value=0.523)
    assert (
        "finding:1 states 0.523 for estimate of contrasts, which has 0.12345"
        in found()["mine/facts.parquet"]
    )
    # Who makes the table anew as well is found by whoever makes the run again.
    rewrite("contrasts", CONTRASTS, estimate=0.523)
    assert "mine/findings.parquet" not in found()


@pytest.mark.parametrize(
    ("printed", "value", "is_so"),
    [
        ("+0.123", 0.12345, True),
        ("−0.371", -0.370859, True),
        ("0.371", -0.370859, True),
        ("1,204", 1204.0, True),
        ("48%", 47.6, True),
        ("$1.20", 1.2049, True),
        ("0.13", 0.12345, False),
        ("+0.124", 0.12345, False),
        ("1,205", 1204.0, False),
        ("no number", 3.0, True),
        ("none", float("nan"), True),
    ],
)
def test_a_number_is_printed_where_it_is_rounded_to_its_digits(
    printed: str, value: float, is_so: bool
) -> None:
    assert is_printed(printed, value) is is_so
