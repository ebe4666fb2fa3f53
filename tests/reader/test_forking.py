"""A fork of a debate that has ended: what is said instead, and only what comes after is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dissensus.cli import main
from dissensus.run.kept import keep_configuration
from dissensus.tables.artefact import read
from reader.small_run import configuration, run_sessions
from support import ROOT

FOLDER = Path("results/demo/language")
COMMAND = ["fork", "d001-en", "--say", "say.txt"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project's folder with a run of one draw, and a text that is said instead."""
    folder = tmp_path_factory.mktemp("fork")
    (folder / "resources").symlink_to(ROOT / "resources")
    (folder / "config.yaml").symlink_to(ROOT / "config.yaml")
    (folder / "more.yaml").write_text(
        yaml.safe_dump({"studies": ["language"], "language": {"draws": 1, "block_size": 2}})
    )
    (folder / "say.txt").write_text("  Rivers need no laws. \n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_sessions(Path("results/demo"), configuration())
        keep_configuration(configuration().model_dump(), FOLDER)
    return folder


@pytest.fixture(autouse=True)
def _at_place(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def journals() -> dict[str, int]:
    return {str(path): len(path.read_bytes().splitlines()) for path in FOLDER.rglob("*.jsonl")}


def test_the_tail_alone_is_asked_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    before = journals()
    assert main([*COMMAND, "--turn", "6"]) == 0
    printed = capsys.readouterr()
    assert "from d001-en" in printed.out and "in place of d001-en" in printed.out
    assert "Rivers need no laws." in printed.out
    (made,) = set(journals()) - set(before)
    place = Path(made).parent
    turns = read(place / "transcripts/d001-en.parquet").to_pylist()
    debate = read(FOLDER / "transcripts/d001-en.parquet").to_pylist()
    assert [turn["text"] for turn in turns[:5]] == [turn["text"] for turn in debate[:5]]
    assert turns[5]["text"] == "Rivers need no laws."
    assert [turn["origin"] for turn in turns] == [
        *["d001-en"] * 5,
        "in place of d001-en",
        None,
        None,
    ]
    # Two turns of eight, each with its repairs.
    calls = read(place / "calls/d001-en.parquet").to_pylist()
    assert {call["turn"] for call in calls} == {7, 8}
    assert journals()[made] == len(calls)
    assert f"{len(calls)} calls were made, and 0 answered by" in printed.err
    # Again, and nothing is asked.
    assert main([*COMMAND, "--turn", "6"]) == 0
    assert f"0 calls were made, and {len(calls)} answered by" in capsys.readouterr().err
    assert journals()[made] == len(calls)
    assert {path: number for path, number in journals().items() if path != made} == before


def test_a_model_that_is_told_the_same_says_the_same() -> None:
    debate = read(FOLDER / "transcripts/d001-en.parquet").to_pylist()
    Path("same.txt").write_text(debate[1]["text"], encoding="utf-8")
    before = set(journals())
    assert main(["fork", "d001-en", "--turn", "2", "--say", "same.txt"]) == 0
    (made,) = set(journals()) - before
    turns = read(Path(made).parent / "transcripts/d001-en.parquet").to_pylist()
    assert [turn["text"] for turn in turns] == [turn["text"] for turn in debate]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--turn", "9"], "d001-en has no turn 9; its turns are 1 to 8."),
        (["--turn", "2", "--speaker", "X"], "Turn 2 of d001-en is taken by O1; say by --speaker"),
        (["--turn", "2", "--say", "none.txt"], "none.txt cannot be read"),
        (["--turn", "2", "--say", "empty.txt"], "What is said instead in turn 2 is empty"),
        (["--turn", "2", "--say", "bytes.txt"], "bytes.txt: byte 1 is not UTF-8"),
    ],
)
def test_what_cannot_be_forked_is_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_text(" \n")
    Path("bytes.txt").write_bytes(b"a\xff")
    assert main([*COMMAND, *arguments]) == 1
    printed = capsys.readouterr().err
    assert words in printed and printed.count("\n") == 1
