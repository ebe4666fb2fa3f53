"""What is complete is told by files alone, and without opening those that nobody changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dissensus.study.completion import FolderState, Noted, State, note, read_note

MADE_TO = "0123456789abcdef" * 4
OTHER = MADE_TO[::-1]
#: Sessions of a folder whose bundle has noted them.
NAMES = ("d001-en", "d001-zh")


def transcript(folder: Path, name: str) -> Path:
    return folder / f"transcripts/{name}.parquet"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two sessions that a bundle has run."""
    for kind in ("transcripts", "calls", "sessions"):
        (tmp_path / kind).mkdir()
        for name in NAMES:
            text = f'{{"settings_sha256": "{MADE_TO}"}}'
            (tmp_path / kind / f"{name}.parquet").write_text(text)
    (tmp_path / "bundles").mkdir()
    said = note({name: transcript(tmp_path, name) for name in NAMES})
    failed = "d001-zh: failed for good, turn 1\tx\ty\tz\n"
    (tmp_path / "bundles/d001_d001").write_text(said + failed)
    return tmp_path


def complete(folder: Path, digest: str = MADE_TO) -> set[str]:
    state = FolderState.of(folder, by_bundle=False)
    return {name for name in NAMES if state.is_complete(name, digest)}


def test_a_note_says_what_each_transcript_was_made_to_and_its_state(folder: Path) -> None:
    noted = read_note(folder / "bundles/d001_d001")
    status = transcript(folder, "d001-en").stat()
    assert set(noted) == set(NAMES)
    assert noted["d001-en"] == Noted(MADE_TO, State(status.st_size, status.st_mtime_ns))


def test_what_was_noted_is_not_opened(folder: Path) -> None:
    path = transcript(folder, "d001-en")
    status = path.stat()
    path.write_text(f'{{"settings_sha256": "{OTHER}"}}')
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert complete(folder) == set(NAMES), "the same size and time"
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert complete(folder) == {"d001-zh"}


def test_other_specifications_are_seen(folder: Path) -> None:
    assert complete(folder) == set(NAMES)
    assert complete(folder, OTHER) == set()


@pytest.mark.parametrize("kind", ["transcripts", "calls", "sessions"])
def test_a_session_that_lacks_a_file_is_pending(folder: Path, kind: str) -> None:
    (folder / kind / "d001-en.parquet").unlink()
    assert complete(folder) == {"d001-zh"}


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
    path = folder / "bundles/d001_d001"
    path.write_text(harm(path.read_text()))
    assert complete(folder) == set(NAMES)
    assert complete(folder, OTHER) == set()
    path.unlink()
    assert complete(folder) == set(NAMES)


def test_a_folder_that_is_copied_without_its_times_is_as_complete(folder: Path) -> None:
    for path in folder.rglob("*.parquet"):
        os.utime(path)
    assert complete(folder) == set(NAMES)


def test_the_last_change_is_of_transcripts_and_calls(folder: Path) -> None:
    moment = transcript(folder, "d001-en").stat().st_mtime_ns + 10**12
    os.utime(folder / "calls/d001-zh.parquet", ns=(moment, moment))
    state = FolderState.of(folder, by_bundle=False)
    assert state.changed(NAMES, []) == moment
    assert state.changed(["d001-en"], []) < moment
    assert state.changed(["d009-en"], ["d001_d001"]) == 0


def test_where_bundles_keep_what_was_tried_a_session_needs_its_transcript_alone(
    folder: Path,
) -> None:
    for kind in ("calls", "sessions"):
        (folder / kind / "d001-en.parquet").unlink()
    digests = dict.fromkeys(NAMES, MADE_TO)
    state = FolderState.of(folder, by_bundle=True)
    assert state.is_complete("d001-en", MADE_TO)
    assert not state.is_gathered("d001_d001", digests), "its file is not there"
    table = folder / "bundles/d001_d001.parquet"
    table.touch()
    moment = table.stat().st_mtime_ns + 10**12
    os.utime(table, ns=(moment, moment))
    state = FolderState.of(folder, by_bundle=True)
    assert state.is_gathered("d001_d001", digests)
    assert not state.is_gathered("d001_d001", {**digests, "d001-zh": OTHER})
    assert not state.is_gathered("d001_d001", {**digests, "d002-en": MADE_TO})
    assert state.changed(NAMES, ["d001_d001"]) == moment > state.changed(NAMES, [])


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    state = FolderState.of(tmp_path, by_bundle=False)
    assert not state.is_complete("d001-en", MADE_TO)
    assert state.changed(NAMES, []) == 0
