"""Any session can be read in a terminal, with what its models were sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dissensus.cli import main
from dissensus.keep.reading import Row, messages, read_session, sent
from dissensus.keep.reading_pages import fitted, page
from dissensus.llm.call import Message, Request
from dissensus.run.kept import keep_configuration
from dissensus.tables.artefact import read
from dissensus.text.seen import UNSEEN
from dissensus.user_files import read_yaml
from reader.small_run import configuration, run_sessions
from support import ROOT


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project's folder with a run of two draws."""
    folder = tmp_path_factory.mktemp("read")
    (folder / "resources").symlink_to(ROOT / "resources")
    (folder / "config.yaml").symlink_to(ROOT / "config.yaml")
    small = {"studies": ["language"], "language": {"draws": 2, "block_size": 2}}
    (folder / "more.yaml").write_text(yaml.safe_dump(small), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_sessions(Path("results/demo"), configuration())
    return folder


@pytest.fixture
def at_place(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(place)
    return place


def test_each_request_is_rebuilt_and_its_digest_is_the_journals(at_place: Path) -> None:
    frame = messages("d001-zh", configuration=["config.yaml", "more.yaml"])
    journal = Path("results/demo/language/journal/d001-zh.jsonl").read_text("utf-8")
    assert set(frame["request_sha256"]) == {
        json.loads(line)["request_sha256"] for line in journal.splitlines()
    }
    # The digest is that of what is shown: made again here from the messages alone.
    settings = configuration()
    model = frame["model"].iloc[0]
    identity = settings.registry(Path("results/demo"), "test").model(model).identity
    first = frame[frame["request_sha256"] == frame["request_sha256"].iloc[0]]
    said = tuple(Message(row["message_role"], row["content"]) for _, row in first.iterrows())
    protocol = settings.study("language").settings.protocol
    made = {
        Request(model, identity, said, protocol.temperature, protocol.max_tokens, seed).sha256
        for seed in [_seed(read_session(Path("results/demo/language"), "d001-zh").row)]
    }
    assert made == {frame["request_sha256"].iloc[0]}
    turns = read("results/demo/language/transcripts/d001-zh.parquet").to_pylist()
    assert turns[0]["text"] in first["content"].iloc[0] or turns[0]["text"] in "".join(
        frame["content"]
    )


def _seed(row: dict[str, int]) -> int:
    """As the protocol's documentation has it: of session, attempt, turn, speaker and attempt."""
    from hashlib import sha256

    digest = sha256(f"{row['seed']}/1/1/P1/1".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def test_requests_that_are_no_longer_what_was_sent_are_refused(
    at_place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hot = {"studies": ["language"], "language": {"draws": 2, "protocol": {"temperature": 0.1}}}
    Path("hot.yaml").write_text(yaml.safe_dump(hot), encoding="utf-8")
    assert main(["read", "d001-zh", "--prompts", "--configfile", "hot.yaml"]) == 1
    said = capsys.readouterr().err
    assert "cannot be rebuilt, since settings, prompts or code have changed" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("content", ["", "[1, 2]", "7", "text"])
def test_a_file_without_settings_is_a_sentence(
    at_place: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    Path("none.yaml").write_text(content, encoding="utf-8")
    assert main(["read", "d001-zh", "--prompts", "--configfile", "none.yaml"]) == 1
    said = capsys.readouterr().err
    assert said.endswith("none.yaml holds no settings; each is a line such as 'seed: 7'.\n")
    assert said.count("\n") == 1


def test_a_run_keeps_the_configuration_that_its_prompts_are_rebuilt_with(
    at_place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {"studies": ["identity"]}
    Path("config.yaml").unlink()
    Path("config.yaml").write_text(yaml.safe_dump(read_yaml(ROOT / "config.yaml") | own))
    try:
        command = ["read", "d001-zh", "--run", "demo", "--study", "language", "--prompts"]
        assert main(command) == 1
        assert "studies leaves out 'language'" in capsys.readouterr().err
        folder = Path("results/demo/language")
        keep_configuration(configuration().model_dump(), folder)
        assert main(command) == 0
        assert "You are participating in a debate" in capsys.readouterr().out
        assert len(messages("d001-zh")) == len(sent(folder, "d001-zh", configuration()))
        # What is named goes before what is kept.
        assert main([*command, "--configfile", "more.yaml"]) == 0
        (folder / ".configuration.json").unlink()
    finally:
        Path("config.yaml").unlink()
        Path("config.yaml").symlink_to(ROOT / "config.yaml")


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_the_command_prints_turns_and_prompts(
    at_place: Path, capfdbinary: pytest.CaptureFixture[bytes], form: str
) -> None:
    turns = read("results/demo/language/transcripts/d002-en.parquet").to_pylist()
    assert main(["read", "d002-en", "--format", form]) == 0
    plain = capfdbinary.readouterr().out.decode()
    files = ["--configfile", "more.yaml"]
    assert main(["read", "d002-en", "--format", form, "--prompts", *files]) == 0
    whole = capfdbinary.readouterr().out.decode()
    rows = sent(Path("results/demo/language"), "d002-en", configuration())
    if form == "json":
        assert [turn["text"] for turn in json.loads(plain)["turns"]] == [t["text"] for t in turns]
        assert json.loads(whole)["messages"] == rows
    else:
        assert all(turn["text"][:30] in plain for turn in turns)
        assert all(row["request_sha256"] in whole for row in rows)
        assert "You are participating in a debate" in whole
        assert "You are participating in a debate" not in plain
        assert "Simulated models" in plain


def test_what_no_reader_sees_is_written_out(at_place: Path) -> None:
    reading = read_session(Path("results/demo/language"), "d002-en")
    attack = "a\u061c\u200f\u3164\U000e0041\u2028b\x1b[2J"
    turns = [{**turn, "text": attack} for turn in reading.turns]
    for form in ("text", "md", "json"):
        shown = page(replace(reading, turns=turns), None, form)
        assert not UNSEEN.search(shown)
        if form == "json":
            assert json.loads(shown)["turns"][0]["text"] == attack
        else:
            told = shown.replace("\\", "").replace("\n> ", "\n")
            assert "a[U+061C][U+200F][U+3164][U+E0041]\nb[U+001B][2J" in told


@pytest.mark.parametrize("messages", [None, []])
def test_each_attempt_at_a_session_has_a_heading(
    at_place: Path, messages: list[Row] | None
) -> None:
    reading = read_session(Path("results/demo/language"), "d002-en")
    tries = [
        ({**attempt, "session_attempt": number}, call)
        for number in (1, 2)
        for attempt, call in list(zip(reading.attempts, reading.calls, strict=True))[: number + 1]
    ]
    attempts, calls = ([pair[place] for pair in tries] for place in (0, 1))
    lost = replace(reading, turns=[], attempts=attempts, calls=calls, failure="turn 3: timeout")
    told = {form: page(lost, messages, form) for form in ("text", "md")}
    marks = [line[:13] for line in told["text"].split("\n") if line[:2] in ("--", "~~")]
    assert marks == [
        *("-- Attempt 1 ", "~~ Turn 1, P1", "~~ Turn 2, O1"),
        *("-- Attempt 2 ", "~~ Turn 1, P1", "~~ Turn 2, O1", "~~ Turn 3, P2"),
    ]
    assert "## Attempt 2 of 2 at the session\n\n### Turn 1" in told["md"]
    once = page(replace(lost, attempts=attempts[:2], calls=calls[:2]), messages, "text")
    assert "at the session" not in once and "-- Turn 2, O1" in once


def test_a_session_that_is_not_there_is_one_sentence(
    at_place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", "d999-zh"]) == 1
    assert capsys.readouterr().err == (
        "d999-zh is no session of results/demo/language; they have such as d001-en.\n"
    )
    assert main(["read", "d001-zh", "--run", "other"]) == 1
    assert "No sessions in results/other/<study>" in capsys.readouterr().err


@given(st.text("ab 中\n-", max_size=200), st.integers(8, 40))
def test_a_terminal_has_whole_words_and_all_of_them(text: str, columns: int) -> None:
    lines = fitted(text, columns).split("\n")
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= columns or " " not in line.strip() for line in lines)
    assert fitted(text, 1000) == text


def test_lines_that_go_on_keep_their_indent() -> None:
    assert fitted("  one two three", 11) == "  one two\n  three"
