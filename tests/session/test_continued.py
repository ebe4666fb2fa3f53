"""Sessions that go on from what another one said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.journal import NoJournal
from dissensus.session.continued import continued, turn_of
from dissensus.session.protocol import Steps, Turn, assumed_calls
from dissensus.session.runner import CallFailed, run_session
from scripted import LIMITS, toy_call

Row = dict[str, Any]


def talk(steps: int, speakers: str = "AB") -> Callable[[], Steps]:
    """Each says in its prompt what it heard before."""

    def begin() -> Iterator[Any]:
        heard = ""
        for number in range(1, steps + 1):
            turns = yield [toy_call(number, who, f"{number}{who} {heard}") for who in speakers]
            heard = "|".join(turn.text for turn in turns)

    return begin  # type: ignore[return-value]


def row(turn: Turn) -> Row:
    names = ("speaker", "role", "round_label", "model", "text", "repairs", "compliant")
    return {"turn": turn.number, "value": None, **{name: getattr(turn, name) for name in names}}


class Echo:
    """Says how many calls there were, and to what."""

    waits, caches, simulated, identity, marks = False, False, True, "echo", None
    name = asked_model = "echo"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def ask(self, request: Any, patience: float | None = None) -> Any:
        from dissensus.llm.call import Reply

        self.prompts.append(request.messages[-1].content)
        return Reply(text=f"re {self.prompts[-1]}", finish_reason="stop")


def played(begin: Callable[[], Steps]) -> tuple[list[Turn], list[str]]:
    model = Echo()
    session = run_session(1, begin, {"m": model}, NoJournal(), LIMITS)  # type: ignore[dict-item]
    assert not session.failure
    return session.turns, model.prompts


@given(st.integers(1, 5), st.integers(1, 6))
def test_what_is_given_is_not_asked_and_all_else_is_the_same(steps: int, until: int) -> None:
    turns, prompts = played(talk(steps))
    again, asked = played(
        lambda: continued(talk(steps)(), "d1-a", [row(turn) for turn in turns], until=until)
    )
    assert asked == prompts[2 * until :]
    assert [(t.number, t.speaker, t.text, t.value) for t in again] == [
        (t.number, t.speaker, t.text, t.value) for t in turns
    ]
    assert [turn.origin for turn in again] == [
        "d1-a" if turn.number <= until else "" for turn in turns
    ]


@given(st.integers(2, 5), st.data())
def test_one_turn_is_replaced_and_only_its_tail_is_asked(steps: int, data: Any) -> None:
    until = data.draw(st.integers(1, steps))
    turns, prompts = played(talk(steps))
    rows = [row(turn) for turn in turns]
    again, asked = played(
        lambda: continued(
            talk(steps)(), "d1-a", rows, until=until, speaker="B", instead=lambda t: f"no: {t.text}"
        )
    )
    assert len(asked) == len(prompts) - 2 * until
    replaced = next(t for t in again if (t.number, t.speaker) == (until, "B"))
    before = next(t for t in turns if (t.number, t.speaker) == (until, "B"))
    assert replaced.text == f"no: {before.text}" and replaced.origin == "in place of d1-a"
    assert replaced.value == replaced.text.upper()
    assert all(replaced.text in prompt for prompt in asked[:2])


def test_a_text_that_breaks_a_rule_stands_and_says_so() -> None:
    turns, _ = played(talk(1, "A"))
    again, _ = played(
        lambda: continued(talk(1, "A")(), "x", [row(turns[0])], until=1, instead=lambda _: "bad")
    )
    assert again[0].violations == ("bad word",) and not again[0].compliant


@pytest.mark.parametrize(("until", "speaker"), [(9, "A"), (1, ""), (1, "C")])
def test_a_turn_that_is_not_there_ends_the_session(until: int, speaker: str) -> None:
    turns, _ = played(talk(2))
    rows = [row(turn) for turn in turns]
    session = run_session(
        1,
        lambda: continued(
            talk(2)(), "d1-a", rows, until=until, speaker=speaker, instead=lambda _: "x"
        ),
        {"m": Echo()},  # type: ignore[dict-item]
        NoJournal(),
        LIMITS,
    )
    assert f"d1-a has no turn {until}" in session.failure


def test_before_a_run_what_is_expected_is_assumed_and_marked() -> None:
    steps = continued(talk(3, "A")(), "d1-a", [], until=2, instead=lambda _: "instead")
    calls = list(assumed_calls(steps))
    assert [call.given is not None for call in calls] == [True, True, False]
    assert "instead" in calls[2].messages[-1].content


def test_a_row_of_a_transcript_is_the_turn_that_it_was() -> None:
    turn = {"turn": 1, "speaker": "A", "role": "r", "round_label": "round 1", "model": "m"}
    kept = {"repairs": 1, "compliant": True, "text": "The answer is 7."}
    assert turn_of({**turn, **kept, "value": "7"}).value == 7
    assert turn_of({**turn, **kept, "value": None}).value == "The answer is 7."
    lost = turn_of({**turn, **kept, "value": None, "compliant": False}, "d1-a")
    assert (lost.value, lost.compliant, lost.origin) == (None, False, "d1-a")


def test_a_failed_source_fails_what_goes_on_from_it() -> None:
    with pytest.raises(CallFailed, match="no turn 3"):
        list(
            assumed_calls(
                continued(talk(2, "A")(), "x", [], until=3, speaker="A", instead=lambda _: "y")
            )
        )
