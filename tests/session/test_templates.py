"""Slots of templates, filled or left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dissensus.session.templates import fill, without


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
