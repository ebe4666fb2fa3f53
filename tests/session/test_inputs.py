"""What a session reads of others: transcripts, files, and placeholders before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ArtefactError
from dissensus.language.design.manifest import IDS
from dissensus.session.inputs import FolderInputs, PlaceholderInputs
from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.tables.artefact import write


def turn(number: int, speaker: str, text: str) -> dict[str, object]:
    ids = {name: "d001-en" if name == "session_id" else "x" for name in IDS}
    rest = {"role": "r", "round_label": "round 1", "model": "m", "repairs": 0, "compliant": True}
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


def test_before_a_run_there_are_placeholders() -> None:
    assert PlaceholderInputs().texts("any", ["A1", "A2"]) == [PLACEHOLDER, PLACEHOLDER]
    assert PlaceholderInputs().text_of("memos/1.txt") == PLACEHOLDER
