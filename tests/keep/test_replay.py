"""A file that is no whole archive of a run begins none, and fills no memory and no disk."""

from __future__ import annotations

import random
import shutil
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from dissensus.errors import ResourceError
from dissensus.keep.replay import begin_from_archive
from dissensus.study.configuration import load
from scripted import default_configuration

FIRST, SECOND = (f"results/demo/language/journal/{n}.jsonl" for n in (1, 2))
LINES = "".join(f'{{"reply": "{n * 7919 % 1000}"}}\n' for n in range(400))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two journals of a run; the second is the one that is harmed."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr(FIRST, LINES)
        packed.writestr(SECOND, LINES)
    return path


def add(name: str, parts: Iterable[bytes]) -> None:
    with ZipFile("a.zip", "a", ZIP_DEFLATED) as packed, packed.open(name, "w") as file:
        for part in parts:
            file.write(part)


def begin() -> None:
    begin_from_archive(load({**default_configuration(), "replay": "a.zip"}))


def refused() -> str:
    """What is said of the archive, of which nothing was written."""
    with pytest.raises(ResourceError) as caught:
        begin()
    assert not Path("results").exists()
    return str(caught.value)


def header(raw: bytes | bytearray) -> int:
    """Where the second file begins."""
    return raw.index(b"PK\x03\x04", 4)


def test_a_whole_archive_begins_its_run(archive: Path) -> None:
    begin()
    assert Path(FIRST).read_text() == Path(SECOND).read_text() == LINES


def test_a_damaged_archive_is_a_sentence(archive: Path) -> None:
    raw = bytearray(archive.read_bytes())
    raw[header(raw) + 120] ^= 0xFF
    archive.write_bytes(raw)
    assert refused().startswith("replay: a.zip cannot be read as an archive (")


@pytest.mark.thorough
def test_no_byte_of_an_archive_that_is_wrong_ends_in_anything_but_a_sentence(
    archive: Path,
) -> None:
    whole, drawn = archive.read_bytes(), random.Random(1)
    outcomes = set()
    for _ in range(400):
        shutil.rmtree("results", ignore_errors=True)
        raw = bytearray(whole)
        raw[drawn.randrange(len(raw))] ^= 1 << drawn.randrange(8)
        archive.write_bytes(raw[: drawn.choice([len(raw), drawn.randrange(len(raw))])])
        try:
            begin()
        except ResourceError as error:
            outcomes.add("refused")
            assert "\n" not in str(error)
        else:
            outcomes.add("read")
            assert not Path(SECOND).exists() or Path(SECOND).read_text() == LINES
    assert outcomes == {"refused", "read"}


def test_an_archive_with_a_password_is_a_sentence(archive: Path) -> None:
    """The bit that says so stands in both headers of a file."""
    raw = bytearray(archive.read_bytes())
    raw[header(raw) + 6] |= 1
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(raw)
    assert f"replay: a.zip, {SECOND}: it has a password" in refused()


@pytest.mark.thorough
def test_zeros_are_not_unpacked(archive: Path) -> None:
    add("results/demo/zeros.jsonl", (bytes(1 << 20) for _ in range(300)))
    tracemalloc.start()
    try:
        assert "would become 314,572,800, as in no archive of a run" in refused()
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
    archive.write_bytes(bytes(300 << 20))
    assert "cannot be read as an archive" in refused()


def test_a_large_file_is_written_without_filling_the_memory(archive: Path) -> None:
    drawn = random.Random(2)
    add("results/demo/large.jsonl", (drawn.randbytes(1 << 20) for _ in range(32)))
    tracemalloc.start()
    try:
        begin()
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
    assert Path("results/demo/large.jsonl").stat().st_size == 32 << 20
