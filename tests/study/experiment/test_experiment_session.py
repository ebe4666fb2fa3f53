"""What a step asks can be sent, and what is read in a reply can be kept."""

from __future__ import annotations

import json
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ResourceError
from dissensus.session.protocol import Decoding
from dissensus.session.record import as_json
from dissensus.session.spoken import user
from dissensus.study.experiment.session import Read, Session
from dissensus.study.study import ModelUse


def call(speaker: Any = "A", messages: Any = "Why?", **more: Any) -> Any:
    models = {"model": ModelUse("model", "debate", ["m"])}
    nothing = SimpleNamespace()
    session = Session("a", nothing, nothing, nothing, 7, models, Decoding(1.0, 9))
    return session.call(speaker, messages, **more)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"speaker": 7}, "the speaker of a call is 7; it must be a name of one line"),
        ({"speaker": "A\nB"}, r"the speaker of a call is 'A\nB'; it must be a name of one line"),
        ({"speaker": ""}, "the speaker of a call is ''; it must be a name of one line"),
        ({"messages": None}, "the prompt of a call is null; it must be a text, or a list of user"),
        ({"messages": ["Why?"]}, "the prompt of a call is ['Why?']; it must be a text, or a list"),
        ({"messages": []}, "the prompt of a call is []; it must be a text, or a list of user(...)"),
        ({"messages": [user(7)]}, "it must be a text, or a list of user(...)"),  # type: ignore[arg-type]
        (
            {"messages": "Is \ud83d it?"},
            "the prompt of a call has U+D83D at place 4, half a character, which cannot be sent",
        ),
        ({"system": "\udc00"}, "the prompt of a call has U+DC00 at place 1, half a character"),
        ({"system": {"A": "x"}}, "system is {'A': 'x'}; it must be a text"),
        ({"temperature": 9}, "temperature is 9; it must be a number from 0 to 2"),
        ({"temperature": "0"}, "temperature is '0'; it must be a number from 0 to 2"),
        ({"max_tokens": "100"}, "max_tokens is '100'; it must be a whole number, at least 1"),
        ({"max_tokens": 0}, "max_tokens is 0; it must be a whole number, at least 1"),
        ({"reads": "scores"}, "what reads a reply is 'scores'; it must be a function"),
        ({"reads": lambda: 1}, "cannot read a reply (too many positional arguments); it must take"),
        ({"reads": lambda a, b, c: 1}, "cannot read a reply (missing a required argument: 'b')"),
        ({"options": "json"}, "options is 'json'; it must be a mapping without messages, model"),
        ({"options": {"model": "x"}}, "options is {'model': 'x'}; it must be a mapping without"),
        ({"options": {"stop": {"x"}}}, "not JSON serializable; it must be plain data"),
    ],
)
def test_what_cannot_be_sent_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        call(**given)
    assert sentence in str(caught.value)


def test_what_can_be_sent_is_sent() -> None:
    for reads in (None, int, str.upper, lambda text, body: body, lambda text, most=3: most):
        assert call(reads=reads).format.reads is reads
    made = call("J:A 2", [user("Why?")], system="You judge.", options={"stop": ["x"]})
    assert [(each.role, each.content) for each in made.messages] == [
        ("system", "You judge."),
        ("user", "Why?"),
    ]
    assert made.decoding.options == {"stop": ["x"]}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (np.int64(7), "7"),
        (np.array([1, 2]), "[1, 2]"),
        ({"A": np.float64(1.5)}, '{"A": 1.5}'),
        ({"b", "a"}, '["a", "b"]'),
        (0, "0"),
    ],
)
def test_a_value_is_kept_as_json(value: Any, kept: str) -> None:
    read = Read(lambda _: value).read("x")
    assert not read.problems and as_json(read.value) == kept


def test_what_is_no_number_is_asked_for_again() -> None:
    for value in (None, float("nan"), np.float64("nan")):
        read = Read(lambda _, value=value: value).read("x")  # type: ignore[misc]
        assert read.problems == ("it is not in the form that was asked for",)


@pytest.mark.parametrize("value", [complex(1, 2), object(), {(1, 2): 3}])
def test_a_value_that_cannot_be_kept_names_what_gave_it(value: Any) -> None:
    def scores(reply: str) -> Any:
        return value

    line = scores.__code__.co_firstlineno
    with pytest.raises(ResourceError) as caught:
        Read(scores).read("x")
    assert str(caught.value).startswith(f"{__file__}, line {line}: scores gives what a transcript")


@pytest.mark.parametrize(
    "error", [KeyError("a"), ZeroDivisionError("x"), RecursionError("deep"), SystemExit(3)]
)
def test_a_reader_may_raise_anything_and_is_named(error: BaseException) -> None:
    def reads(reply: str) -> Any:
        raise error

    line = reads.__code__.co_firstlineno + 1
    with pytest.raises(ResourceError) as caught:
        Read(reads).read("What I say.")
    what = f"{type(error).__name__}: {error}"
    assert str(caught.value).startswith(
        f"{__file__}, line {line}: reads ends with {what} where it reads the reply 'What I say.'; "
    )


def test_a_reader_of_another_library_is_named_too() -> None:
    with pytest.raises(ResourceError, match=r"itemgetter.* ends with TypeError: "):
        Read(itemgetter("vote")).read("yes")


def test_half_a_character_in_a_value_is_asked_for_again() -> None:
    assert Read(json.loads).read('["\\ud83d"]').problems == (
        "it names half a character, such as \\ud800",
    )
