"""Sizes of placeholders, by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.placeholders import shown, sized, unsized
from dissensus.session.protocol import PLACEHOLDER
from dissensus_studies.union.replies import FoundClaims
from dissensus_studies.union.tables import CHUNKS

CLAIM = {"text": PLACEHOLDER, "type": "assertion", "specific": False}


def test_the_placeholders_of_a_text_have_equal_parts_of_its_tokens() -> None:
    text = sized(f"{PLACEHOLDER} and {PLACEHOLDER} 7", 900)
    first, second = text.removesuffix(" 7").split(" and ")
    assert first == second and shown(first, 0) == 450
    assert shown(text, 0) == 900
    assert shown(f"{PLACEHOLDER}9 {text} {PLACEHOLDER}", 5) == 910


def test_json_may_write_them_its_own_way() -> None:
    text = sized(json.dumps({"claims": [CLAIM] * 3}), 1000)
    found = FoundClaims.model_validate_json(text)
    # A third of 1000, in hundredths, not less.
    assert [shown(claim.text, 0) for claim in found.claims] == [333.34] * 3


@given(st.text(alphabet="ab7 .", max_size=20), st.integers(1, 9), st.integers(1, 10**6))
def test_sizes_add_up_to_the_whole(text: str, count: int, tokens: int) -> None:
    plain = (text + PLACEHOLDER) * count
    found = sized(plain, tokens)
    assert tokens <= shown(found, 0) <= tokens + 0.01 * count
    assert unsized(found) == plain


def test_a_size_stays_and_a_text_without_a_placeholder_has_none() -> None:
    once = sized(PLACEHOLDER, 10)
    assert sized(once, 99) == once
    assert sized("words", 99) == "words" and shown("words", 5) == 0


@pytest.mark.parametrize(("tokens", "counted"), [(None, 7), (60, 60)])
def test_what_other_sessions_say_has_the_size_of_a_reply(tokens: int | None, counted: int) -> None:
    inputs = PlaceholderInputs(tokens)
    twice = json.dumps([PLACEHOLDER, PLACEHOLDER])
    (text,) = inputs.texts("any", ["A"], twice)
    (turn,) = inputs.turns("any", [{"role": "claims", "text": PLACEHOLDER}])
    assert turn["role"] == "claims"
    (row,) = inputs.rows_of("chunks.parquet", CHUNKS, {"speaker": "A"})
    assert row["speaker"] == "A"
    for said in (turn["text"], row["text"], inputs.text_of("any")):
        assert shown(said, 7) == counted
    assert shown("".join(json.loads(text)), 7) == (60 if tokens else 14)
