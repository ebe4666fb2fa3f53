"""What is complete is told by files alone, and without opening those that nobody changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dissensus.session.record import TRANSCRIPTS
from dissensus.study.completion import FolderState, Noted, State, note, read_note
from dissensus.tables.artefact import write

MADE_TO = "0123456789abcdef" * 4
OTHER = MADE_TO[::-1]
#: Sessions of a folder that a shard has noted.
NAMES = ("d001-en", "d001-zh")


def transcript(folder: Path, name: str) -> Path:
    return folder / f"transcripts/{name}.parquet"


def write_transcript(folder: Path, name: str, made_to: str = MADE_TO) -> Path:
    path = transcript(folder, name)
    write(path, TRANSCRIPTS, [], {"settings_sha256": made_to})
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two sessions that a shard has noted."""
    paths = {name: write_transcript(tmp_path, name) for name in NAMES}
    (tmp_path / "shards/1").mkdir(parents=True)
    (tmp_path / "shards/1/sessions").write_text(note(paths))
    return tmp_path


def complete(folder: Path, digest: str = MADE_TO) -> set[str]:
    state = FolderState.of(folder)
    return {name for name in NAMES if state.is_complete(name, digest)}


def test_a_note_says_what_each_transcript_was_made_to_and_its_state(folder: Path) -> None:
    noted = read_note(folder / "shards/1/sessions")
    status = transcript(folder, "d001-en").stat()
    assert set(noted) == set(NAMES)
    assert noted["d001-en"] == Noted(MADE_TO, State(status.st_size, status.st_mtime_ns))


def test_what_was_noted_is_not_opened(folder: Path) -> None:
    path = transcript(folder, "d001-en")
    status = path.stat()
    write_transcript(folder, "d001-en", OTHER)
    assert path.stat().st_size == status.st_size
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert complete(folder) == set(NAMES), "the same size and time"
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert complete(folder) == {"d001-zh"}


def test_other_specifications_are_seen(folder: Path) -> None:
    assert complete(folder) == set(NAMES)
    assert complete(folder, OTHER) == set()


def test_a_session_without_its_transcript_is_pending(folder: Path) -> None:
    transcript(folder, "d001-en").unlink()
    assert complete(folder) == {"d001-zh"}


def test_a_transcript_that_was_damaged_is_pending(folder: Path) -> None:
    path = transcript(folder, "d001-en")
    sound = path.read_bytes()
    for harmed in (sound[:-40], sound[:20] + bytes([sound[20] ^ 1]) + sound[21:], b""):
        path.write_bytes(harmed)
        assert complete(folder) == {"d001-zh"}
    path.write_bytes(sound)
    assert complete(folder) == set(NAMES)


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: "",
        lambda text: text.replace("d001", "d002"),
        lambda text: text.replace(MADE_TO, "f" * 64),
        lambda text: text.replace("\t", " "),
        lambda text: text[: len(text) // 2],
    ],
    ids=["emptied", "of others", "another digest", "no columns", "cut"],
)
def test_a_note_that_is_gone_or_wrong_costs_time_and_no_session(
    folder: Path, harm: Callable[[str], str]
) -> None:
    path = folder / "shards/1/sessions"
    path.write_text(harm(path.read_text()))
    assert complete(folder) == set(NAMES)
    assert complete(folder, OTHER) == set()
    path.unlink()
    assert complete(folder) == set(NAMES)


def test_a_folder_that_is_copied_without_its_times_is_as_complete(folder: Path) -> None:
    for path in folder.rglob("*.parquet"):
        os.utime(path)
    assert complete(folder) == set(NAMES)


def test_a_shard_is_gathered_where_it_has_its_sessions_as_they_are_and_no_others(
    folder: Path,
) -> None:
    digests = dict.fromkeys(NAMES, MADE_TO)
    state = FolderState.of(folder)
    assert state.is_gathered("1", digests)
    assert not state.is_gathered("2", digests)
    assert not state.is_gathered("1", {**digests, "d001-zh": OTHER})
    assert not state.is_gathered("1", {**digests, "d002-en": MADE_TO})
    assert not state.is_gathered("1", {"d001-en": MADE_TO})


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    state = FolderState.of(tmp_path)
    assert not state.is_complete("d001-en", MADE_TO)
    assert not state.is_gathered("1", {"d001-en": MADE_TO})
