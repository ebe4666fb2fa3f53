"""Inspect's logs come in: those of its own making, and ours to the same texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from viewers import viewer

from ..formats import converted, inspect_log
from ..turns import ImportedSession, read_table

#: A log that Inspect makes itself, with a mock of a model: two epochs, a scorer, a dialogue.
MAKE = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.agent import Agent, AgentState, agent, run
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, match, mean, scorer
from inspect_ai.solver import solver
from inspect_ai.util import span

def says(words):
    # Without usage, the mock would fetch a tokeniser.
    output = ModelOutput.from_content("mockllm/model", words)
    output.usage = ModelUsage(input_tokens=7, output_tokens=len(words), total_tokens=9,
                              input_tokens_cache_read=3, total_cost=0.25)
    return output

@scorer(metrics={"calm": [mean()], "brief": [mean()]})
def manner():
    async def score(state, target: Target) -> Score:
        return Score(value={"calm": 0.5, "brief": 1})
    return score

@agent
def debater(words: str) -> Agent:
    async def execute(state: AgentState) -> AgentState:
        model = get_model("mockllm/model", custom_outputs=[says(words)])
        state.output = await model.generate(state.messages)
        state.messages.append(state.output.message)
        return state
    return execute

@solver
def debate():
    async def solve(state, generate):
        said = [("optimist", "I say 42."), ("pessimist", "I doubt it, yet 42.")]
        for number in (1, 2) if sys.argv[2] == "rounds" else (0,):
            async with span(f"round {number}" if number else "debate"):
                for name, words in said:
                    ended = await run(debater(words), state.messages, name=name)
                    state.messages, state.output = ended.messages, ended.output
        return state
    return solve

@solver
def alone():
    async def solve(state, generate):
        if sys.argv[2] == "refused":
            raise ValueError("Error code: 404 - Invalid URL")
        return await generate(state)
    return solve

task = Task(dataset=[Sample(input="What is 6 x 7?", target="42.", id="six",
                            metadata={"arm": "open", "group": {"name": "g1"}})],
            solver=debate() if sys.argv[2] in ("debate", "rounds") else alone(),
            scorer=[match(), manner()], epochs=2, name="arithmetic", tags=["first"])
(log,) = eval(task, model=get_model("mockllm/model", custom_outputs=[
    says("It is 41.") for _ in range(9)]), log_dir=sys.argv[1],
    log_format=sys.argv[3], display="none")
print(json.dumps(log.location))
"""


def sessions_of(
    log: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    columns: Mapping[str, str | None] | None = None,
) -> list[ImportedSession]:
    from viewers import PYTHON

    monkeypatch.setattr(inspect_log, "_OWN", PYTHON)
    table = folder / "converted.jsonl"
    table.write_text(converted(log, "inspect", columns).text, encoding="utf-8")
    return read_table(table, {}, {}).sessions


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_debate_that_inspect_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    log = Path(viewer(MAKE, tmp_path / "logs", "debate", form).removeprefix("file://"))
    first, second = sessions_of(log, tmp_path, monkeypatch)
    assert [first.source, second.source] == ["six/1", "six/2"]
    assert (first.fields["arm"], first.fields["item"]) == ("arithmetic", "six")
    assert (first.fields["truth"], first.fields["score"]) == ('"42."', 1.0)
    assert [(turn.speaker, turn.text) for turn in first.turns] == [
        ("optimist", "I say 42."),
        ("pessimist", "I doubt it, yet 42."),
    ]
    assert {turn.model for turn in first.turns} == {"mockllm/model"}
    assert {turn.person for turn in first.turns} == {False}


@pytest.mark.thorough
def test_a_log_has_its_metadata_all_scores_rounds_and_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Path(viewer(MAKE, tmp_path / "logs", "rounds", "eval").removeprefix("file://"))
    columns = {
        "arm": "metadata.arm",
        "cluster": "metadata.group.name",
        "score": "scores.manner/calm",
        "item": "input",
        "role": "metadata.nothing",
        "decision": None,
    }
    first, second = sessions_of(log, tmp_path, monkeypatch, columns)
    named = {name: first.fields[name] for name in ("arm", "cluster", "score", "item", "decision")}
    assert named == {
        "arm": "open",
        "cluster": "g1",
        "score": 0.5,
        "item": "What is 6 x 7?",
        "decision": None,
    }
    scores = json.loads(str(first.fields["scores_json"]))
    assert scores == {"match": "C", "manner/calm": 0.5, "manner/brief": 1}
    assert [(turn.speaker, turn.round_label, turn.role) for turn in first.turns] == [
        ("optimist", "round 1", ""),
        ("pessimist", "round 1", ""),
        ("optimist", "round 2", ""),
        ("pessimist", "round 2", ""),
    ]
    # Tokens in a cache were read, too.
    taken = [(turn.input_tokens, turn.output_tokens, turn.cost_usd) for turn in second.turns]
    assert taken == [(10, len(turn.text), 0.25) for turn in second.turns]


@pytest.mark.thorough
def test_a_log_of_one_model_has_its_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Path(viewer(MAKE, tmp_path / "logs", "alone", "eval").removeprefix("file://"))
    first, _ = sessions_of(log, tmp_path, monkeypatch)
    assert [(turn.speaker, turn.text) for turn in first.turns] == [("assistant", "It is 41.")]
    assert (first.turns[0].input_tokens, first.turns[0].output_tokens) == (10, 9)
    assert first.fields["score"] == 0.0


@pytest.mark.thorough
def test_a_log_of_an_evaluation_that_failed_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Path(viewer(MAKE, tmp_path / "logs", "refused", "eval").removeprefix("file://"))
    with pytest.raises(ResourceError, match=r"ended in an error: .*404 - Invalid URL"):
        sessions_of(log, tmp_path, monkeypatch)


@pytest.mark.thorough
def test_what_is_no_log_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("{}")
    viewer("print(1)")
    with pytest.raises(ResourceError, match=r"a\.json: Inspect cannot read it \("):
        sessions_of(tmp_path / "a.json", tmp_path, monkeypatch)
    with pytest.raises(ResourceError, match=r"b\.json is not there"):
        sessions_of(tmp_path / "b.json", tmp_path, monkeypatch)


def test_without_inspect_the_sentence_says_how_to_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_log, "_OWN", tmp_path / "nowhere")
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(ResourceError, match=r"make \.venv/inspect/installed"):
        converted(tmp_path / "a.json", "inspect")
