"""Reading a debater's reply: whatever stands around its object, and whatever has become of that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..turns import Claim, Engagement, ParsedTurn, claim_id, parse_turn

OPTIONS = ("build a tram", "widen the road", "do nothing")
MEMBERS: dict[str, Any] = {
    "stance": "build a tram",
    "probabilities": {"build a tram": 0.5, "widen the road": 0.3, "do nothing": 0.2},
    "confidence": 0.8,
    "claims": [
        {"id": "c1", "text": "Trams carry more.", "evidence": ["e1", "e2"]},
        {"id": "c2", "text": "Roads fill up."},
    ],
    "engagements": [
        {"agent": "A2", "claim": "A2.1.c1", "quote": "wider is faster", "relation": "rebut"}
    ],
}
TEXT = "Roads fill up {always}.\n\nTherefore: build a tram."
CLAIMS = (Claim("c1", "Trams carry more.", ("e1", "e2")), Claim("c2", "Roads fill up.", ()))
ENGAGEMENTS = (Engagement("A2", "A2.1.c1", "wider is faster", "rebut"),)
WHOLE = ParsedTurn(
    TEXT, MEMBERS["stance"], MEMBERS["probabilities"], 0.8, CLAIMS, ENGAGEMENTS, "", ()
)
enough = settings(max_examples=100)


def written(text: str = TEXT, **changes: Any) -> str:
    return f"{text}\n\n{json.dumps({**MEMBERS, **changes})}"


def without(part: str) -> str:
    return f"{TEXT}\n{json.dumps({k: v for k, v in MEMBERS.items() if k != part})}"


@pytest.mark.parametrize(
    "reply",
    [
        written(),
        f"{TEXT}\n```json\n{json.dumps(MEMBERS, indent=2)}\n```\n",
        f"{TEXT}\n```\n{json.dumps(MEMBERS)}\n```",
        f"{TEXT} {json.dumps(MEMBERS)}",
        # Small faults that a mender mends.
        f"{TEXT}\n{json.dumps(MEMBERS)[:-1]},}}",
        f"{TEXT}\n```json\n{json.dumps(MEMBERS)[:-1]}\n```",
        written().replace('"confidence"', "confidence"),
        f"{TEXT}\n{MEMBERS!r}",
        # Labels in another case and spacing.
        written(stance=" Build a  TRAM. "),
    ],
)
def test_a_reply_is_read_whatever_its_form(reply: str):
    assert parse_turn(reply, OPTIONS) == WHOLE


def test_the_last_object_counts():
    other = {**MEMBERS, "stance": "do nothing"}
    quoted = f"A2 wrote {json.dumps(other)} and is wrong.\n{json.dumps(MEMBERS)}"
    turn = parse_turn(quoted, OPTIONS)
    assert (turn.stance, turn.problems) == ("build a tram", ())
    assert turn.reasoning == f"A2 wrote {json.dumps(other)} and is wrong."
    # Even where it has to be mended and the one before does not.
    mended = parse_turn(f"{json.dumps(other)}\n{json.dumps(MEMBERS)[:-1]},}}", OPTIONS)
    assert (mended.stance, mended.problems) == ("build a tram", ())


def test_words_after_the_object_are_kept():
    turn = parse_turn(written() + "\nThat is all.", OPTIONS)
    assert turn.reasoning == f"{TEXT}\nThat is all."
    assert turn.stance == "build a tram"


@pytest.mark.parametrize(
    "reply", ["", "Only words.", "{", "{}", "[1, 2]", "{ a heap } of {", "null"]
)
def test_without_an_object_the_text_is_the_reasoning(reply: str):
    problem = "there is no JSON object with a stance at the end"
    assert parse_turn(reply, OPTIONS) == ParsedTurn(reply.strip(), problems=(problem,))


@pytest.mark.parametrize("part", ["probabilities", "confidence", "claims", "engagements"])
def test_a_part_that_is_missing_is_named_and_costs_no_other(part: str):
    turn = parse_turn(without(part), OPTIONS)
    assert turn.problems == (f"{part} is missing",)
    for other in ("stance", "probabilities", "confidence", "claims", "engagements"):
        expected = getattr(ParsedTurn(""), other) if other == part else getattr(WHOLE, other)
        assert getattr(turn, other) == expected
    assert turn.reasoning == TEXT


@pytest.mark.parametrize(
    ("changes", "problem", "lost"),
    [
        ({"stance": "fly"}, "the stance 'fly' is none of the options", "stance"),
        ({"stance": ["fly"]}, "stance: input should be a valid string", "stance"),
        ({"confidence": 1.5}, "confidence: input should be less than or equal to 1", "confidence"),
        ({"confidence": "0.5"}, "confidence: input should be a valid number", "confidence"),
        ({"confidence": True}, "confidence: input should be a valid number", "confidence"),
        ({"probabilities": [0.5, 0.5]}, "probabilities: input should be a valid", "probabilities"),
        (
            {"probabilities": {"build a tram": 1.0}},
            "probabilities lacks the option 'widen the road'",
            "probabilities",
        ),
        (
            {"probabilities": {**MEMBERS["probabilities"], "fly": 0.0}},
            "probabilities has 'fly' twice or beside the options",
            "probabilities",
        ),
        (
            {"probabilities": {**MEMBERS["probabilities"], "DO nothing": 0.0}},
            "probabilities has 'DO nothing' twice or beside the options",
            "probabilities",
        ),
        (
            {"probabilities": dict.fromkeys(OPTIONS, 0.5)},
            "the probabilities sum to 1.5, not 1",
            "probabilities",
        ),
        (
            {"probabilities": dict.fromkeys(OPTIONS, 0.0)},
            "the probabilities sum to 0, not 1",
            "probabilities",
        ),
        (
            {"probabilities": dict(zip(OPTIONS, (50, 30, 20), strict=True))},
            "probabilities.build a tram: input should be less than or equal to 1",
            "probabilities",
        ),
        ({"claims": "none"}, "claims: input should be a valid list", "claims"),
        ({"engagements": {}}, "engagements: input should be a valid list", "engagements"),
        ({"reasoning_answer": 3}, "reasoning_answer: input should be a valid", "reasoning_answer"),
    ],
)
def test_a_part_that_is_wrong_is_named_and_left_out(changes: dict, problem: str, lost: str):
    turn = parse_turn(written(**changes), OPTIONS)
    assert problem in " ".join(turn.problems)
    assert getattr(turn, lost) == getattr(ParsedTurn(""), lost)
    for other in {"stance", "probabilities", "confidence", "claims", "engagements"} - {lost}:
        assert getattr(turn, other) == getattr(WHOLE, other)


def test_an_entry_that_is_wrong_costs_no_other():
    claims = [{"id": "c 1", "text": "x"}, {"text": "y"}, MEMBERS["claims"][0], "z"]
    wrong = {"agent": "A1", "claim": "A1.1.c1", "quote": "", "relation": "attack"}
    turn = parse_turn(
        written(claims=claims, engagements=[wrong, MEMBERS["engagements"][0]]), OPTIONS
    )
    assert turn.claims == CLAIMS[:1]
    assert turn.engagements == ENGAGEMENTS
    assert [problem.split(":")[0] for problem in turn.problems] == [
        "claims, entry 1.id",
        "claims, entry 2.id",
        "claims, entry 4",
        "engagements, entry 1.relation",
    ]


def test_claims_have_local_ids_and_each_its_own():
    claims = [
        {"id": "A1.3.c1", "text": "first", "evidence": ["e1", " e1", "e2"]},
        {"id": "c1", "text": "second"},
    ]
    turn = parse_turn(written(claims=claims), OPTIONS)
    assert turn.claims == (Claim("c1", "first", ("e1", "e2")),)
    assert turn.problems == ("two claims have the id 'c1'",)
    assert claim_id("A1", 3, turn.claims[0].id) == "A1.3.c1"


def test_probabilities_that_miss_one_by_rounding_are_scaled():
    turn = parse_turn(
        written(probabilities=dict(zip(OPTIONS, (0.34, 0.33, 0.34), strict=True))), OPTIONS
    )
    assert turn.problems == ()
    assert list(turn.probabilities) == list(OPTIONS)
    assert list(turn.probabilities.values()) == pytest.approx(
        [0.34 / 1.01, 0.33 / 1.01, 0.34 / 1.01]
    )


def test_probabilities_stand_in_the_order_of_the_options():
    backwards = dict(reversed(MEMBERS["probabilities"].items()))
    turn = parse_turn(written(probabilities=backwards), OPTIONS)
    assert list(turn.probabilities.items()) == list(MEMBERS["probabilities"].items())


def test_without_options_labels_stand_as_written():
    turn = parse_turn(written(stance=" Fly. ", reasoning_answer=" fly "))
    assert (turn.stance, turn.reasoning_answer, turn.problems) == ("Fly.", "fly", ())
    assert turn.stance and turn.probabilities


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "-0.1", "1e400"])
def test_no_number_but_a_share_passes(number: str):
    reply = written().replace("0.8", number).replace("0.3", number)
    turn = parse_turn(reply, OPTIONS)
    assert (turn.confidence, turn.probabilities) == (None, {})
    assert len(turn.problems) == 2


def test_halves_of_surrogate_pairs_do_not_get_out():
    turn = parse_turn(written(claims=[{"id": "c1", "text": "a \ud83d b", "evidence": ["\udfff"]}]))
    assert turn.claims == (Claim("c1", "a ? b", ("?",)),)


@pytest.mark.parametrize(
    "reply", ["{" * 20_000, '{"stance":' * 3_000, "[" * 20_000 + "{stance", '{"stance": "a"' * 500]
)
def test_heaps_of_braces_are_read_to_their_end(reply: str):
    assert parse_turn(reply, OPTIONS).problems


def check(turn: ParsedTurn) -> None:
    """What holds of every parsed turn."""
    assert turn.stance in ("", *OPTIONS)
    assert turn.confidence is None or 0 <= turn.confidence <= 1
    if turn.probabilities:
        assert tuple(turn.probabilities) == OPTIONS
        assert sum(turn.probabilities.values()) == pytest.approx(1)
        assert all(0 <= share <= 1 for share in turn.probabilities.values())
    names = [claim.id for claim in turn.claims]
    assert len(set(names)) == len(names)
    assert {one.relation for one in turn.engagements} <= {"rebut", "concede", "question", "support"}
    for text in (turn.reasoning, turn.reasoning_answer, *(claim.text for claim in turn.claims)):
        assert text.encode().decode() == text
    if not turn.problems:
        assert turn.stance and turn.probabilities
        assert turn.confidence is not None


@enough
@given(st.text())
def test_no_text_is_too_strange(text: str):
    turn = parse_turn(text, OPTIONS)
    check(turn)
    if "stance" not in text:
        assert turn.reasoning == text.strip()


@enough
@given(st.data())
def test_no_damage_is_too_great(data: st.DataObject):
    """A reply with pieces cut out, doubled or exchanged for others."""
    reply = written()
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(reply)))
        end = data.draw(st.integers(begin, min(len(reply), begin + 60)))
        piece = data.draw(
            st.sampled_from(["", '"', "{", "}", "[", ",", "\\", "null", "```", "\ud800"])
        )
        reply = reply[:begin] + piece.encode("utf-8", "replace").decode() + reply[end:]
    check(parse_turn(reply, OPTIONS))


@enough
@given(st.integers(0, len(json.dumps(MEMBERS)) - 1))
def test_a_reply_that_is_cut_off_is_never_taken_for_whole(length: int):
    turn = parse_turn(f"{TEXT}\n\n{json.dumps(MEMBERS)[:length]}", OPTIONS)
    check(turn)
    assert turn.reasoning.startswith(TEXT)
    # Where nothing but brackets is missing, nothing is lost.
    assert turn.problems or (turn.claims, turn.engagements) == (CLAIMS, ENGAGEMENTS)


leaf = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
anything = st.recursive(
    leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)


@enough
@given(
    st.fixed_dictionaries(
        {"stance": anything},
        optional={name: anything for name in (*MEMBERS, "reasoning_answer") if name != "stance"},
    )
)
def test_no_object_is_too_strange(members: dict):
    turn = parse_turn(f"{TEXT}\n{json.dumps(members)}", OPTIONS)
    check(turn)
    assert turn.reasoning.startswith(TEXT)
