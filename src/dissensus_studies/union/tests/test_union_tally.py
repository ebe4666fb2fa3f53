"""The tally of a debate, against points that are computed by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures.debate import read_debate
from ..measures.tally import Claim, Rebuttal, claim_points, counts, tally
from .union_debates import MOTION, golden, manifest_row

SIDES = ("proposition", "opposition")
KINDS = ("evidence_backed", "principled", "assertion")


def side(speech: int) -> str:
    return SIDES[(speech + 1) % 2]


def claim(name: str, kind: str = "principled", specific: bool = False) -> Claim:
    speech = int(name.split(".")[0])
    return Claim(name, speech, side(speech), kind, specific)


def rebuttal(target: str, speech: int, bits: str, by: str = "") -> Rebuttal:
    return Rebuttal(target, by, speech, side(speech), *(bit == "1" for bit in bits))


@pytest.mark.parametrize(
    ("bits", "points"),
    [
        ("000", 0.0),
        ("001", 0.0),
        ("010", 0.5),
        ("011", 0.5),
        ("100", 0.5),
        ("101", 2.0),
        ("110", 1.5),
        ("111", 2.0),
    ],
)
def test_a_rebuttal_is_worth_what_its_three_answers_say(bits: str, points: float) -> None:
    answer = rebuttal("1.1", 2, bits)
    assert answer.points == points
    # The principled claim is worth 2, and half of it where the rebuttal demolishes.
    left = 1.0 if bits in ("101", "111") else 2.0
    assert tally([claim("1.1")], [answer], 6) == {"proposition": left, "opposition": points}


@pytest.mark.parametrize(("kind", "worth"), [(KINDS[0], 3.0), (KINDS[1], 2.0), (KINDS[2], 1.0)])
@pytest.mark.parametrize("specific", [False, True])
@pytest.mark.parametrize("fallen", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_a_claim_is_worth_what_it_rests_on_halved_by_either_rule(
    kind: str, worth: float, specific: bool, fallen: bool, last: bool
) -> None:
    one = claim("2.1", kind, specific)
    # Nothing answers a last speech in a debate, but the rules do not know of each other: both leave
    # a quarter.
    answers = [rebuttal("2.1", 3, "101")] if fallen else []
    expected = (worth + specific) / (2 if fallen else 1) / (2 if last else 1)
    assert claim_points([one], answers, 2 if last else 6) == {"2.1": expected}


def test_the_golden_debate_has_the_points_computed_by_hand() -> None:
    """Claims of the proposition: 1.1 (3 + 1) / 2 demolished = 2; 1.2 = 1; 3.1 = 3 + 1 = 4;
    3.2 = 2 + 1 = 3; 5.1 = 2 / 2 demolished = 1; together 11. Its rebuttals: 2 (logic, undermines)
    + 0.5 (new) + 0 (undermines alone) = 2.5; two do not count. 13.5.

    Claims of the opposition: 2.1 = 2 / 2 demolished = 1; 2.2 = 3; 4.1 = 1 + 1 = 2; 6.1 =
    (3 + 1) / 2 last = 2; 6.2 = 1 / 2 last = 0.5; together 8.5. Its rebuttals: 2 + 1.5 + 2 = 5.5;
    two do not count. 14.
    """
    debate = read_debate(manifest_row(), MOTION, golden().turns(manifest_row()))
    points = claim_points(debate.claims, debate.all_rebuttals, 6)
    assert points == {
        **{"1.1": 2.0, "1.2": 1.0, "3.1": 4.0, "3.2": 3.0, "5.1": 1.0},
        **{"2.1": 1.0, "2.2": 3.0, "4.1": 2.0, "6.1": 2.0, "6.2": 0.5},
    }
    total = tally(debate.claims, debate.all_rebuttals, 6)
    assert total == {"proposition": 13.5, "opposition": 14.0}


def test_a_rebuttal_of_no_speech_is_of_the_claim_that_makes_it_or_of_none() -> None:
    row = manifest_row()
    answers = [("1.1", "2.1", 9, "101"), ("1.1", "9.9", 9, "101"), ("1.1", "2.1", 4, "101")]
    script = replace(golden(), rebuttals=[{"opposition": answers}])
    found = read_debate(row, MOTION, script.turns(row)).all_rebuttals
    sides = [(one.speech, one.side) for one in found]
    assert sides == [(2, "opposition"), (0, ""), (4, "opposition")]


@pytest.mark.parametrize(
    "ignored",
    [
        rebuttal("1.1", 3, "111"),
        rebuttal("2.1", 1, "111"),
        rebuttal("3.1", 3, "111"),
        rebuttal("7.7", 2, "111"),
        Rebuttal("1.1", "", 0, "", True, True, True),
        Rebuttal("3.1", "", 3, "opposition", True, True, True),
    ],
    ids=["same side", "made later", "same speech", "no such claim", "nobody's", "own speech"],
)
def test_what_answers_no_earlier_claim_of_the_other_side_changes_nothing(
    ignored: Rebuttal,
) -> None:
    claims = [claim("1.1"), claim("2.1"), claim("3.1")]
    assert not counts(ignored, {one.claim_id: one for one in claims})
    assert tally(claims, [ignored], 6) == tally(claims, [], 6)


claims_of_a_debate = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(KINDS), st.booleans()), max_size=8
).map(
    lambda found: [
        Claim(f"{speech}.{n}", speech, side(speech), kind, specific)
        for n, (speech, kind, specific) in enumerate(found)
    ]
)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[list[Claim], list[Rebuttal]]:
    claims = draw(claims_of_a_debate)
    names = st.sampled_from([one.claim_id for one in claims] + ["9.9"])
    bits = st.text("01", min_size=3, max_size=3)
    found = st.lists(st.tuples(names, st.integers(1, 6), bits), max_size=8)
    return claims, [rebuttal(*one) for one in draw(found)]


@given(annotated())
def test_points_are_those_of_each_claim_and_each_counted_rebuttal(
    debate: tuple[list[Claim], list[Rebuttal]],
) -> None:
    claims, rebuttals = debate
    known = {one.claim_id: one for one in claims}
    worth = claim_points(claims, rebuttals, 6)
    total = tally(claims, rebuttals, 6)
    for name in SIDES:
        of_claims = sum(worth[one.claim_id] for one in claims if one.side == name)
        # Equal ones are one; without who makes it, since none of these names that.
        won = [one.points for one in {*rebuttals} if one.side == name and counts(one, known)]
        assert total[name] == of_claims + sum(won)


@given(annotated())
def test_what_is_listed_twice_counts_once(debate: tuple[list[Claim], list[Rebuttal]]) -> None:
    claims, rebuttals = debate
    again = [replace(one, by="9.8") for one in rebuttals]
    assert tally(claims, [*rebuttals, *again, *rebuttals], 6) == tally(claims, rebuttals, 6)


def test_another_kind_of_rebuttal_in_one_speech_counts_too() -> None:
    claims = [claim("1.1")]
    made = [rebuttal("1.1", 2, "101"), rebuttal("1.1", 2, "110"), rebuttal("1.1", 2, "101", "2.3")]
    assert tally(claims, made, 6)["opposition"] == 2.0 + 1.5
    assert tally(claims, [*made, rebuttal("1.1", 4, "101")], 6)["opposition"] == 2.0 + 1.5 + 2.0


@given(annotated(), annotated())
def test_one_more_rebuttal_never_helps_the_side_that_it_answers(
    debate: tuple[list[Claim], list[Rebuttal]], other: tuple[list[Claim], list[Rebuttal]]
) -> None:
    claims, rebuttals = debate
    before = tally(claims, rebuttals, 6)
    for more in other[1]:
        after = tally(claims, [*rebuttals, more], 6)
        assert after[more.side] >= before[more.side]
        answered = SIDES[1 - SIDES.index(more.side)]
        assert after[answered] <= before[answered]


@given(annotated(), st.randoms(use_true_random=False))
def test_the_order_of_claims_and_rebuttals_does_not_matter(
    debate: tuple[list[Claim], list[Rebuttal]], random: Random
) -> None:
    claims, rebuttals = debate
    mixed = random.sample(claims, len(claims)), random.sample(rebuttals, len(rebuttals))
    assert tally(*mixed, 6) == tally(claims, rebuttals, 6)


@given(annotated())
def test_sides_exchanged_exchange_the_points(debate: tuple[list[Claim], list[Rebuttal]]) -> None:
    claims, rebuttals = debate
    swap = dict(zip(SIDES, reversed(SIDES), strict=True))
    swapped = (
        [Claim(one.claim_id, one.speech, swap[one.side], one.kind, one.specific) for one in claims],
        [
            Rebuttal(
                *(one.claim_id, one.by, one.speech, swap[one.side]),
                *(one.logic, one.new, one.undermines),
            )
            for one in rebuttals
        ],
    )
    total = tally(claims, rebuttals, 6)
    assert tally(*swapped, 6) == {swap[name]: points for name, points in total.items()}
