"""Lists of messages come in by the mappings of the page, from files as each tool writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError
from support import ROOT

from ..formats import converted
from ..turns import ImportedSession, read_table

#: AutoGen 0.7.5's TaskResult, ChatArena 0.1.18's history and ConvoKit 5.0's corpus, each written by
#: the tool itself of agents whose words were given; OpenAI's form as its pages show it.
FILES = ROOT / "examples/transcripts"
MODELS = {"person": "false"}
AUTOGEN = {
    "speaker": "source",
    "time": "created_at",
    "input_tokens": "models_usage.prompt_tokens",
    "output_tokens": "models_usage.completion_tokens",
}
CHATARENA = {"speaker": "agent_name", "text": "content", "time": "timestamp"}
CONVOKIT = {"arm": "conversation.meta.arm", "value": "meta.stance", "round": "meta.round"}


def sessions_of(
    name: str, columns: Mapping[str, str | None], folder: Path, form: str = "messages"
) -> dict[str, ImportedSession]:
    table = folder / "converted.jsonl"
    table.write_text(converted(FILES / name, form, columns).text, encoding="utf-8")
    return {each.source: each for each in read_table(table, {}, MODELS).sessions}


def said(session: ImportedSession) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in session.turns]


def test_a_result_of_autogen(tmp_path: Path) -> None:
    (session,) = sessions_of("autogen.json", AUTOGEN, tmp_path).values()
    assert (session.source, session.fields["item"]) == ("autogen", "What is sown in April?")
    assert said(session) == [
        ("planner", "Plant beans first."),
        ("critic", "Peas stand the cold better."),
        ("planner", "Then beans, and peas in May."),
        ("critic", "Agreed: peas in May."),
    ]


def test_messages_of_openai(tmp_path: Path) -> None:
    held = sessions_of("openai.jsonl", {"arm": "metadata.arm"}, tmp_path)
    first, second = held["openai 1"], held["openai 2"]
    assert (first.fields["arm"], second.fields["arm"]) == ("open", "closed")
    assert first.fields["item"] == "Should the yard be a garden?"
    # Instructions, and calls of tools and what they give, are no turns.
    assert said(first) == [
        ("ada", "Yes: it is grey."),
        ("ben", "No: who waters it?"),
        ("ada", "The rain does."),
    ]
    assert {turn.role for turn in first.turns} == {"assistant"}


def test_a_history_of_chatarena_as_json_and_as_a_table(tmp_path: Path) -> None:
    (session,) = sessions_of("chatarena.json", CHATARENA, tmp_path).values()
    assert session.source == "chatarena"
    assert said(session)[:2] == [
        ("Moderator", "Should the yard be a garden?"),
        ("Ada", 'Yes, and "soon".\nIt is grey.'),
    ]
    always = {**MODELS, "session": "chatarena"}
    (table,) = read_table(FILES / "chatarena.csv", CHATARENA, always).sessions
    assert said(table) == said(session)


def test_a_corpus_of_convokit(tmp_path: Path) -> None:
    """Its lines are in another order than its times, and arms are of conversations."""
    held = sessions_of("convokit/utterances.jsonl", CONVOKIT, tmp_path, "convokit")
    assert {name: each.fields["arm"] for name, each in held.items()} == {
        "c1": "open",
        "c4": "anchored",
    }
    assert said(held["c1"]) == [
        ("ana", "The yard should be a garden."),
        ("bo", "Who waters it?"),
        ("ana", "We all water it."),
    ]
    assert [turn.value for turn in held["c1"].turns] == ['"yes"', '"no"', '"yes"']
    # The utterances alone are a table, too.
    columns = {"session": "conversation_id", "time": "timestamp", "value": "meta.stance"}
    first, _ = read_table(FILES / "convokit/utterances.jsonl", columns, MODELS).sessions
    assert said(first) == said(held["c1"])


@pytest.mark.parametrize(
    ("line", "columns", "sentence"),
    [
        ({"text": 7}, {}, "a.jsonl, line 1: it has no text, which ConvoKit writes"),
        ({"text": "So."}, {"arm": "conversation.meta.arm"}, "has 'conversation.meta.arm'; correct"),
    ],
)
def test_what_is_no_corpus_is_a_sentence(
    tmp_path: Path, line: dict[str, Any], columns: dict[str, str | None], sentence: str
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"root": "c", "user": "ana", **line}))
    with pytest.raises(DissensusError) as caught:
        converted(tmp_path / "a.jsonl", "convokit", columns)
    assert sentence in str(caught.value)
    (tmp_path / "a.jsonl").write_text('{"root": "c", "user": "ana", "text": "So."}')
    (row,) = map(json.loads, converted(tmp_path / "a.jsonl", "convokit").text.splitlines())
    assert (row["session"], row["speaker"], row["time"]) == ("c", "ana", None)
    (tmp_path / "conversations.json").write_text("[]")
    with pytest.raises(DissensusError, match=r"conversations\.json holds no object"):
        converted(tmp_path / "a.jsonl", "convokit")


def test_the_user_who_says_more_than_the_task_is_a_speaker(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    users = [{"role": "user", "content": text} for text in ("Why?", "I doubt it.")]
    path.write_text(json.dumps([users[0], {"role": "assistant", "content": "So."}, users[1]]))
    rows = [json.loads(line) for line in converted(path, "messages").text.splitlines()]
    assert [row["speaker"] for row in rows] == ["user", "assistant", "user"]
    assert all("item" not in row and row["session"] == "chat" for row in rows)
    assert [row["turn"] for row in rows] == [1, 2, 3]
    # What a list has alike is found beside the list, and a session has the name that is mapped.
    path.write_text(json.dumps({"id": 7, "run": {"arm": "x"}, "chat_history": users}))
    columns: dict[str, str | None] = {"session": "id", "arm": "run.arm"}
    rows = [json.loads(line) for line in converted(path, "messages", columns).text.splitlines()]
    assert [(row["session"], row["arm"], row["text"]) for row in rows] == [
        (7, "x", "Why?"),
        (7, "x", "I doubt it."),
    ]


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.json", "{", "a.json: it is not JSON"),
        ("a.json", "7", "list 1: it holds 7; it must be a list of messages, or an object"),
        ("a.json", '[{"messages": []}, {"a": 1}]', "list 2: it holds {'a': 1}"),
        ("a.json", '{"messages": ["hello"]}', "list 1: message 1 is 'hello' and no object"),
        ("a.json", '[{"content": "x"}]', "message 1: it does not say who speaks, where name or"),
        ("a.json", "[]", "a.json has no turn; it must be of the format messages"),
        ("a.jsonl", '{"messages": []}\n{', "line 2: it is not JSON"),
        ("a.jsonl", '{"messages": [{"role": "u", "content": "\\u0000"}]}', "holds U+0000 or half"),
    ],
)
def test_what_is_no_list_of_messages_is_a_sentence(
    tmp_path: Path, name: str, data: str, sentence: str
) -> None:
    (tmp_path / name).write_text(data)
    with pytest.raises(DissensusError) as caught:
        converted(tmp_path / name, "messages")
    assert sentence in str(caught.value)
    with pytest.raises(DissensusError, match=r"none\.json is not there; name a file of messages"):
        converted(tmp_path / "none.json", "messages")
