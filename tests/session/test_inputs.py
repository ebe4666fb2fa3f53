"""What a session reads of others: transcripts, files, and placeholders before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ArtefactError
from dissensus.session.inputs import FolderInputs, PlaceholderInputs
from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.tables.artefact import Column, Schema, write
from dissensus_studies.language.design.manifest import IDS

KINDS = {"name": "string", "place": "int", "share": "float", "is_so": "bool", "all": "strings"}


def turn(number: int, speaker: str, text: str) -> dict[str, object]:
    ids = {name: "d001-en" if name == "session_id" else "x" for name in IDS}
    rest = {
        "role": "r",
        "round_label": "round 1",
        "model": "m",
        "repairs": 0,
        "compliant": True,
        "value": None,
        "origin": None,
        "person": False,
    }
    return {**ids, "turn": number, "speaker": speaker, "text": text, **rest}


@pytest.fixture
def inputs(tmp_path: Path) -> FolderInputs:
    rows = [turn(1, "A1", "one"), turn(1, "A2", "two"), turn(2, "A1", "three")]
    write(tmp_path / "transcripts/d001-en.parquet", transcript(IDS), rows, {})
    write(tmp_path / "transcripts/d002-en.parquet", transcript(IDS), [], {})
    (tmp_path / "memos").mkdir()
    (tmp_path / "memos/1.txt").write_text("Be brief.", encoding="utf-8")
    return FolderInputs(tmp_path, IDS)


def test_the_last_text_of_each_speaker_in_the_order_asked_for(inputs: FolderInputs) -> None:
    assert inputs.texts("d001-en", ["A2", "A1"]) == ["two", "three"]


@pytest.mark.parametrize(("session", "speaker"), [("d002-en", "A1"), ("d001-en", "A3")])
def test_a_session_that_failed_or_a_speaker_who_was_silent_ends_the_attempt(
    inputs: FolderInputs, session: str, speaker: str
) -> None:
    with pytest.raises(CallFailed, match=f"{session}, which it reads, failed"):
        inputs.texts(session, [speaker])


def test_a_transcript_that_is_not_there_is_no_failure_of_the_session(inputs: FolderInputs) -> None:
    with pytest.raises(ArtefactError, match="d009-en"):
        inputs.texts("d009-en", ["A1"])


def test_a_file_is_read_whole(inputs: FolderInputs) -> None:
    assert inputs.text_of("memos/1.txt") == "Be brief."


def test_the_turns_of_another_session_in_order(inputs: FolderInputs) -> None:
    turns = inputs.turns("d001-en", [{"text": "not this"}])
    assert [(one["turn"], one["speaker"], one["text"]) for one in turns] == [
        *((1, "A1", "one"), (1, "A2", "two"), (2, "A1", "three"))
    ]
    with pytest.raises(CallFailed, match="d002-en, which it reads, failed"):
        inputs.turns("d002-en")


ROWS = Schema(
    "rows", "row", {name: Column(kind, "Any.") for name, kind in KINDS.items()}, ("name", "place")
)


def test_rows_of_a_table_by_what_they_have(tmp_path: Path) -> None:
    rows = [
        {"name": name, "place": n, "share": 0.5, "is_so": True, "all": ["x"]}
        for name in "ab"
        for n in (1, 2)
    ]
    write(tmp_path / "rows.parquet", ROWS, rows, {})
    inputs = FolderInputs(tmp_path, IDS)
    assert inputs.rows_of("rows.parquet", ROWS, {"name": "b"}) == rows[2:]
    assert inputs.rows_of("rows.parquet", ROWS, {"name": "b", "place": 1}) == rows[2:3]
    assert inputs.rows_of("rows.parquet", ROWS, {"name": "c"}, expected=3) == []
    assert inputs.rows_of("rows.parquet", ROWS, {}) == rows
    with pytest.raises(ArtefactError, match="other"):
        inputs.rows_of("other.parquet", ROWS, {})


def test_before_a_run_there_is_what_is_expected() -> None:
    inputs = PlaceholderInputs()
    assert inputs.texts("any", ["A1", "A2"], "{}") == ["{}", "{}"]
    assert inputs.turns("any", [{"text": "x"}]) == [{"text": "x"}]
    rows = inputs.rows_of("rows.parquet", ROWS, {"name": "a"}, expected=2)
    rest = {"share": 0.0, "is_so": False, "all": []}
    assert rows == [{"name": "a", "place": n, **rest} for n in (1, 2)]
    assert inputs.rows_of("rows.parquet", ROWS, {}, expected=1)[0]["name"] == PLACEHOLDER


def test_before_a_run_there_are_placeholders() -> None:
    assert PlaceholderInputs().texts("any", ["A1", "A2"]) == [PLACEHOLDER, PLACEHOLDER]
    assert PlaceholderInputs().text_of("memos/1.txt") == PLACEHOLDER
