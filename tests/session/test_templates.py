"""Slots of templates, filled or left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.call import Message
from dissensus.session.templates import fill, repaired, sharing, without


@given(st.text(), st.text(), st.text())
def test_filling_puts_texts_in_and_nothing_else(a: str, b: str, text: str) -> None:
    assert fill("x{A}y{B}{C}", A=a, B=b) == f"x{a}y{b}{{C}}"
    assert fill(text) == text


def test_a_block_that_is_left_out_leaves_no_gap() -> None:
    template = 'One.\n\n{A}\n\n{B}\n\n{"stance": {C}}'
    assert without(template, ["A", "B"]) == 'One.\n\n{"stance": {C}}'
    assert without(template, ["B"]) == 'One.\n\n{A}\n\n{"stance": {C}}'


def test_nothing_left_out_changes_nothing() -> None:
    assert without("One.\n\n\n\n{A}", []) == "One.\n\n\n\n{A}"


def test_a_prompt_says_up_to_where_others_begin_like_it() -> None:
    message = sharing("one two one three", "one", "two", "four", "one")
    assert (message, message.shared) == (Message("user", "one two one three"), (3, 7, 11))
    assert sharing("one", "", "one").shared == (3,)
    (again,) = repaired((message,), "Mend: {PROBLEMS}", ["it is short"])
    assert again.content == "one two one three\n\nMend: it is short"
    assert again.shared == message.shared
