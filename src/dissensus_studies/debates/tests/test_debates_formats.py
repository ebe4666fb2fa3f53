"""Files of other tools come in with what they say: who speaks, for what, and with which end."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError
from support import ROOT

from ..formats import converted
from ..turns import ImportedSession, read_table

EXAMPLES = ROOT / "examples/transcripts"


def sessions_of(path: Path, name: str, folder: Path) -> dict[str, ImportedSession]:
    table = folder / "converted.jsonl"
    table.write_text(converted(path, name).text, encoding="utf-8")
    return {each.source: each for each in read_table(table, {}, {}).sessions}


def test_discussions_of_mallm_have_rounds_agents_votes_and_what_is_right(tmp_path: Path) -> None:
    held = sessions_of(EXAMPLES / "mallm.json", "mallm", tmp_path)
    assert list(held) == ["q1", "q2", "q1 (2)"]
    first = held["q1"]
    assert (first.fields["arm"], first.fields["truth"]) == ("memory", '"A"')
    assert first.fields["decision"] == '"A"' and held["q1 (2)"].fields["arm"] == "baseline"
    assert str(first.fields["item"]).startswith("Which soil do blueberries want?\nA)")
    assert [(turn.speaker, turn.round_label, turn.value) for turn in first.turns] == [
        ("Gardener", "round 1", '"B"'),
        ("Chemist", "round 1", '"A"'),
        ("Gardener 3", "round 1", '"A"'),
        ("Gardener", "round 2", '"A"'),
        ("Gardener", "", '"A"'),
        ("Chemist", "", '"A"'),
        ("Gardener 3", "", '"A"'),
    ]
    assert {turn.model for turn in first.turns} == {"some-model"}
    assert first.turns[1].text == "[DISAGREE] It is A, by the acid."
    # Who votes says nothing.
    assert [turn.role for turn in first.turns if not turn.text] == ["vote"] * 3
    # The baseline names no model, and is none the less no person.
    assert [(turn.model, turn.person) for turn in held["q1 (2)"].turns] == [("", False)]


def test_a_log_that_mallm_itself_has_written(tmp_path: Path) -> None:
    """Of MALLM 1.0.5: two debates of three agents on a server of simulated models, with votes.

    Left out of its file: the agents' memories, which repeat the global one.
    """
    held = sessions_of(Path(__file__).with_name("made_by_mallm.json"), "mallm", tmp_path)
    assert list(held) == ["q0", "q1"]
    undecided, decided = held.values()
    assert (undecided.fields["decision"], undecided.fields["truth"]) == (None, '"yes"')
    answer = "I am a simulated model a, answer"
    assert decided.fields["decision"] == f'"{answer} 50."'
    spoken = [turn for turn in decided.turns if turn.text]
    rounds = [f"round {number}" for number in (1, 2, 3) for _ in range(3)]
    assert [turn.round_label for turn in spoken] == rounds
    assert [turn.speaker for turn in spoken[:3]] == [f"Participant {n}" for n in (1, 2, 3)]
    assert [turn.text for turn in spoken[:2]] == [f"{answer} 1.", f"{answer} 6."]
    votes = [turn.value for turn in decided.turns if turn.role == "vote"]
    assert votes == [f'"{answer} {number}."' for number in (55, 50, 50)]
    # Two rounds of votes, since the first was a tie.
    assert sum(turn.role == "vote" for turn in undecided.turns) == 6


def test_chats_of_deliberate_lab_have_people_and_models(tmp_path: Path) -> None:
    held = sessions_of(EXAMPLES / "deliberate-lab.csv", "deliberate-lab", tmp_path)
    assert list(held) == ["garden", "noise"]
    spoken = [(turn.speaker, turn.person, turn.role) for turn in held["garden"].turns]
    assert spoken == [
        ("mediator-1", False, "mediator"),
        ("H1", True, "participant"),
        ("H2", True, "participant"),
        ("H1", True, "participant"),
        ("mediator-1", False, "mediator"),
    ]
    assert held["garden"].turns[3].text == "=SUM(1;1) of us each week. We can share that."
    everything = json.dumps([turn[:11] for each in held.values() for turn in each.turns])
    assert not any(name in everything for name in ("Maria", "Jonas", "otter", "fox"))


#: What somebody may type; the tool takes commas and line breaks out.
TYPED = ['"Yes" she said: yes.', '"Quoted"', "tab\there \\ there", "=1+1", "plain", 'a ""b"" c']


def exported(form: str) -> str:
    """A chat as deliberate-lab writes it: each cell by JSON.stringify, or as it is; or resaved."""
    head = (EXAMPLES / "deliberate-lab.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    row = [
        "2026-03-04T10:01:30.000Z",
        "m",
        "garden",
        "participant",
        "calm-otter-4",
        "Maria",
        "",
        "",
    ]
    rows = [head, *([*row, text, "", "", "", "0", "", "0", ""] for text in TYPED)]
    if form == "JSON.stringify":
        return "\n".join(",".join(json.dumps(c, ensure_ascii=False) for c in r) for r in rows)
    if form == "as it is":
        return "\n".join(",".join(each) for each in rows)
    file = io.StringIO()
    kind = csv.QUOTE_ALL if form == "resaved, all quoted" else csv.QUOTE_MINIMAL
    csv.writer(file, quoting=kind).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("form", ["JSON.stringify", "as it is", "resaved", "resaved, all quoted"])
def test_cells_of_deliberate_lab_are_read_as_its_writer_writes_them(
    tmp_path: Path, form: str
) -> None:
    (tmp_path / "chat.csv").write_text(exported(form), encoding="utf-8", newline="")
    lines = converted(tmp_path / "chat.csv", "deliberate-lab").text.splitlines()
    assert [json.loads(line)["text"] for line in lines] == TYPED


def test_a_quoted_text_alone_keeps_its_quotes(tmp_path: Path) -> None:
    """A line of the tool that a reader of CSV takes for another, without a word."""
    chat = [
        line for line in exported("as it is").split("\n") if "Timestamp" in line or "Quo" in line
    ]
    (tmp_path / "chat.csv").write_text("\n".join(chat), encoding="utf-8")
    (line,) = converted(tmp_path / "chat.csv", "deliberate-lab").text.splitlines()
    assert json.loads(line)["text"] == '"Quoted"'


@pytest.mark.parametrize(
    ("name", "format", "data", "sentence"),
    [
        ("a.json", "mallm", "{", "a.json: it is not JSON"),
        ("a.json", "mallm", "{}", "MALLM writes a list"),
        ("a.json", "mallm", "[]", "a.json has no turn; it must be of the format mallm"),
        ("a.json", "mallm", "[{}]", "a.json, discussion 1: it has no exampleId"),
        (
            "a.json",
            "mallm",
            '[{"exampleId": 1, "globalMemory": [{}], "references": [], "input": []}]',
            "discussion 1: a memory has no message",
        ),
        ("a.csv", "deliberate-lab", "a,b\n", "row 1: the column 'Timestamp' is missing"),
        (
            "a.csv",
            "deliberate-lab",
            "Timestamp,Message ID,Discussion ID,Message type,Sender ID,"
            "Message content\n1,2,3,robot,5,6\n",
            "row 2: Message type holds 'robot'",
        ),
        ("a.csv", "wiki", "", "--format wiki is not known; it may be one of turns, inspect"),
    ],
)
def test_a_file_of_another_format_is_a_sentence(
    tmp_path: Path, name: str, format: str, data: str, sentence: str
) -> None:
    (tmp_path / name).write_text(data)
    with pytest.raises(DissensusError) as caught:
        converted(tmp_path / name, format)
    assert sentence in str(caught.value)


def test_half_a_character_is_named_by_its_turn(tmp_path: Path) -> None:
    discussions: list[Mapping[str, Any]] = json.loads((EXAMPLES / "mallm.json").read_text())
    discussions[1]["globalMemory"][2]["message"] = "half \ud800"
    (tmp_path / "a.json").write_text(json.dumps(discussions))
    with pytest.raises(DissensusError, match=r"a\.json: turn 10, of the session 'q2', holds"):
        converted(tmp_path / "a.json", "mallm")
