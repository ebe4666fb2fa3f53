"""Turns that functions take: journaled like replies, and asked of no model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dissensus.errors import ResourceError
from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import Journal, Replay
from dissensus.plan.call_plan import assumed_calls
from dissensus.session.computed import Tool
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, run_session
from dissensus.study.experiment.session import Session, numbered
from dissensus.study.study import ModelUse
from fake_client import FakeClient

LIMITS = Limits(repairs=1, session_attempts=1)
CALLS: list[str] = []


def square(argument: str) -> str:
    CALLS.append(argument)
    return str(int(argument) ** 2)


def say(request: Request) -> Reply:
    return Reply("I would ask a calculator.")


def session() -> Session:
    use = {"model": ModelUse("model", "debate", ["m"])}
    given = SimpleNamespace()
    return Session("a", given, given, None, 1, use, Decoding(0.0, 100))


def steps(of: Session, tool: Any = square) -> Any:
    def debate() -> Any:
        turn = yield of.call("A", "How much is 12 squared?")
        found = yield [of.tool("calculator", tool, "12", int), of.call("B", "And you?")]
        told = {"role": "tool", "name": "calculator", "content": found[0].text}
        yield of.call("A", [{"role": "user", "content": turn.text}, told])

    return lambda: numbered(debate(), __file__)


def test_a_tool_is_asked_once_and_its_turn_stands_in_the_transcript(tmp_path: Path) -> None:
    CALLS.clear()
    for _ in range(2):
        with Journal(tmp_path / "journal") as journal:
            left = run_session(1, steps(session()), {"m": FakeClient(say)}, journal, LIMITS)
        assert left.failure == ""
        places = [(turn.number, turn.speaker, turn.origin) for turn in left.turns]
        assert places == [
            (1, "A", ""),
            (2, "calculator", "tool:calculator"),
            (2, "B", ""),
            (3, "A", ""),
        ]
        (tool,) = [turn for turn in left.turns if turn.role == "tool"]
        assert (tool.text, tool.value, tool.compliant, tool.model) == (
            "144",
            144,
            True,
            "calculator",
        )
        # No call of a model, and so no cost.
        assert {attempt.call.speaker for attempt in left.attempts} == {"A", "B"}
        assert "calculator gave:\n> 144" in left.attempts[-1].request.messages[-1].content
    assert CALLS == ["12"]
    # What is verified without asking anybody finds it, too.
    with Replay(tmp_path / "journal") as journal:
        again = run_session(1, steps(session()), {"m": FakeClient(say)}, journal, LIMITS)
    assert [turn.text for turn in again.turns] == [turn.text for turn in left.turns]
    assert CALLS == ["12"]


def test_an_edit_of_the_function_has_it_asked_again() -> None:
    assert Tool("c", square).identity == Tool("c", square).identity
    others = [Tool("d", square), Tool("c", lambda argument: argument), Tool("c", len)]
    assert len({Tool("c", square).identity, *(each.identity for each in others)}) == 4


def test_a_plan_counts_no_tool() -> None:
    calls = [call for call in assumed_calls(steps(session())()) if call.given is None]
    assert [call.speaker for call in calls] == ["A", "B", "A"]


def breaks(argument: str) -> str:
    raise KeyError(argument)


def gives_a_number(argument: str) -> Any:
    return 7


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (breaks, "breaks ends with KeyError: '12' where calculator is given '12'; let it return a"),
        (gives_a_number, "gives 7 where calculator is given '12'; it must return a text"),
    ],
)
def test_a_function_that_breaks_stops_the_run_with_its_line(
    function: Any, sentence: str, tmp_path: Path
) -> None:
    with Journal(tmp_path / "journal") as journal, pytest.raises(ResourceError) as caught:
        run_session(1, steps(session(), function), {"m": FakeClient(say)}, journal, LIMITS)
    assert sentence in str(caught.value) and __file__ in str(caught.value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("c", 3, "x"), "the tool c is 3; it must be a function"),
        (("c", square, 3), "the argument of c is 3; it must be a text"),
        (("", square, "x"), "the speaker of a call is ''; it must be a name of one line"),
    ],
)
def test_a_tool_that_is_none_is_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        session().tool(*given)
    assert sentence in str(caught.value)
