"""What ``dissensus import`` refuses before it writes, and what it says of a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.user_files import read_settings
from support import ROOT

FILES = Path(__file__).with_name("files")
EXAMPLES = ROOT / "examples/transcripts"
TURNS = "session,speaker,text,model\na,x,one,m\na,y,two,m\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder below the one where commands are typed has nothing else."""
    made = tmp_path / "project"
    made.mkdir()
    monkeypatch.chdir(made)
    (made / "turns.csv").write_text(TURNS)
    return made


def there(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder.parent).as_posix() for path in folder.parent.rglob("*"))


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        ("../x", "--run holds '../x'; it names a folder: plain letters"),
        ("", "--run holds ''; it names a folder: plain letters"),
        (".", "--run holds '.'; it names a folder"),
        ("a/b", "--run holds 'a/b'; it names a folder"),
        ("x" * 101, "--run holds 'xxx"),
    ],
)
@pytest.mark.parametrize("format", ["turns", "messages"])
def test_what_is_no_name_of_a_run_is_refused_before_anything_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], run: str, sentence: str, format: str
) -> None:
    shutil.copy2(EXAMPLES / "openai.jsonl", folder)
    before = there(folder)
    file = "turns.csv" if format == "turns" else "openai.jsonl"
    assert main(["import", file, "--format", format, "--run", run]) == 1
    assert sentence in capsys.readouterr().err
    assert there(folder) == before


def test_a_run_that_is_there_already_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "results/old").mkdir(parents=True)
    before = there(folder)
    assert main(["import", "turns.csv", "--run", "old"]) == 1
    assert "results/old is there already, and old.yaml is not" in capsys.readouterr().err
    assert there(folder) == before
    assert main(["import", "turns.csv", "--run", "new"]) == 0
    assert main(["import", "turns.csv", "--run", "new"]) == 1
    assert "new.yaml is there already; give --run another name" in capsys.readouterr().err


def test_a_second_file_of_one_name_does_not_lose_the_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        shutil.copy2(EXAMPLES / "openai.jsonl", folder / name)
    told = ["--format", "messages", "--run", "chats", "--column", "arm=metadata.arm"]
    assert main(["import", "one/openai.jsonl", *told]) == 0
    first = (folder / "chats-openai.jsonl").read_bytes()
    assert main(["import", "two/openai.jsonl", *told, "--add"]) == 1
    assert "chats-openai.jsonl is there already" in capsys.readouterr().err
    assert (folder / "chats-openai.jsonl").read_bytes() == first
    (table,) = read_settings(folder / "chats.yaml")["debates"]["tables"]
    assert table["made_from"][:2] == ["messages", "openai.jsonl"]
    assert table["made_from"][3:] == ["arm=metadata.arm"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--column", "session=a", "--column", "session=b"], "--column names session twice"),
        (["--always", "arm="], "--always arm= has no value"),
        (["--column", "who=x"], "--column 'who=x' must be FIELD=NAME"),
        (["--column", "speaker=nobody"], "the column 'nobody' is missing"),
        (
            ["--format", "mallm", "--column", "arm=x"],
            "--column is for tables, inspect, messages, convokit",
        ),
    ],
)
def test_options_that_say_nothing_are_sentences(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    before = there(folder)
    assert main(["import", "turns.csv", "--run", "x", *options]) == 1
    assert sentence in capsys.readouterr().err
    assert there(folder) == before


def test_rows_that_are_there_twice_are_named_where_it_is_imported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "turns.csv").write_text(TURNS + "a,x,one,m\n")
    assert main(["import", "turns.csv", "--run", "x", "--column", "model="]) == 0
    said = capsys.readouterr().out
    assert "Rows that have what another row has, 1 in all: " in said
    assert "turns.csv, row 4 (as turns.csv, row 2). All count" in said
    assert "The file does not say who is a person" in said


def test_a_spreadsheet_is_imported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ("session=group", "arm=condition", "speaker=name", "text=said", "item=topic")
    told = [word for pair in columns for word in ("--column", pair)]
    path = str(FILES / "groups.xlsx")
    assert main(["import", path, "--run", "x", *told, "--always", "person=true"]) == 0
    assert "2 sessions with 18 turns; arms: people." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "primary"),
    [
        ({}, "s_lex"),
        ({"truth": "yes"}, "s_lex"),
        ({"value": "no"}, "s_lex"),
        ({"truth": "yes", "value": "no"}, "right_last"),
        ({"truth": "yes", "decision": "no"}, "decided_right"),
        ({"truth": "yes", "decision": "no", "value": "no"}, "right_last"),
    ],
)
def test_the_primary_outcome_is_based_on_the_truth_where_every_arm_has_one(
    folder: Path, given: dict[str, str], primary: str
) -> None:
    turn = {"speaker": "x", "text": "So.", "model": "m"}
    rows = [{**turn, **given, "session": arm, "arm": arm} for arm in ("one", "two")]
    lines = [json.dumps(row) + "\n" for row in rows]
    (folder / "turns.jsonl").write_text("".join(lines))
    assert main(["import", "turns.jsonl", "--run", "x"]) == 0
    assert read_settings(folder / "x.yaml")["debates"]["primary"] == primary
    # An arm that comes in without a truth cannot be compared by it.
    third = {**turn, "session": "three", "arm": "three"}
    (folder / "more.jsonl").write_text(json.dumps(third) + "\n")
    assert main(["import", "more.jsonl", "--run", "x", "--add"]) == 0
    assert read_settings(folder / "x.yaml")["debates"]["primary"] == "s_lex"
