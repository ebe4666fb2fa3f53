"""Which claims survive, against a search of all sets of arguments."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..measures.debate import read_debate
from ..measures.survival import fates
from ..measures.tally import Claim, Rebuttal
from .union_debates import MOTION, golden, manifest_row

SIDES = ("proposition", "opposition")


def side(speech: int) -> str:
    return SIDES[(speech + 1) % 2]


def claims(*names: str) -> list[Claim]:
    speeches = [int(name.split(".")[0]) for name in names]
    return [
        Claim(name, speech, side(speech), "principled", False)
        for name, speech in zip(names, speeches, strict=True)
    ]


def rebuttal(target: str, speech: int, bits: str, by: str = "") -> Rebuttal:
    return Rebuttal(target, by, speech, side(speech), *(bit == "1" for bit in bits))


def test_the_golden_debate_has_the_fates_found_by_hand() -> None:
    """Nothing can answer 6.1 and 6.2: in. 5.1 falls to 6.1. 4.1 is answered by nothing of worth.
    3.1 and 3.2: only an answer from before they were made. 2.1 falls to 3.1; 2.2 is answered with
    something new. 1.1 was attacked by 2.1, which has fallen, so it is in again, but answered; 1.2
    is answered.
    """
    debate = read_debate(manifest_row(), MOTION, golden().turns(manifest_row()))
    assert fates(debate.claims, debate.all_rebuttals) == {
        **dict.fromkeys(("6.1", "6.2", "4.1", "3.1", "3.2"), "survives"),
        **dict.fromkeys(("5.1", "2.1"), "demolished"),
        **dict.fromkeys(("2.2", "1.1", "1.2"), "contested"),
    }


def test_a_chain_of_demolitions_restores_every_other_claim() -> None:
    chain = claims(*(f"{n}.1" for n in range(1, 7)))
    attacks = [rebuttal(f"{n}.1", n + 1, "101", f"{n + 1}.1") for n in range(1, 6)]
    assert fates(chain, attacks) == {
        "6.1": "survives",
        **dict.fromkeys(("5.1", "3.1", "1.1"), "demolished"),
        **dict.fromkeys(("4.1", "2.1"), "contested"),
    }


@pytest.mark.parametrize(
    "by",
    ["", "9.9", "1.2", "0", "the claim on costs"],
    ids=["none", "no such claim", "of the answered side", "no name", "words"],
)
def test_a_demolition_that_is_no_claim_of_its_side_stands_for_itself(by: str) -> None:
    found = fates(claims("1.1", "1.2", "3.1"), [rebuttal("1.1", 2, "101", by)])
    assert found == {"1.1": "demolished", "1.2": "survives", "3.1": "survives"}


def test_a_demolition_by_a_fallen_claim_of_the_answered_side_stands_for_itself() -> None:
    """3.1 has fallen to 4.1, but it is of the side of 1.1: it cannot be what attacks 1.1."""
    attacks = [rebuttal("1.1", 2, "101", "3.1"), rebuttal("3.1", 4, "101", "4.1")]
    assert fates(claims("1.1", "3.1", "4.1"), attacks) == {
        **{"1.1": "demolished", "3.1": "demolished", "4.1": "survives"}
    }


@pytest.mark.parametrize(
    ("bits", "fate"),
    [
        ("000", "survives"),
        ("001", "survives"),
        *((bits, "contested") for bits in ("010", "011", "100", "110")),
        *((bits, "demolished") for bits in ("101", "111")),
    ],
)
def test_one_answer_alone_decides_by_its_three_bits(bits: str, fate: str) -> None:
    assert fates(claims("1.1"), [rebuttal("1.1", 2, bits)]) == {"1.1": fate}


@pytest.mark.parametrize(("target", "speech"), [("1.1", 3), ("2.1", 1), ("2.1", 2)])
def test_what_answers_no_earlier_claim_of_the_other_side_changes_nothing(
    target: str, speech: int
) -> None:
    found = fates(claims("1.1", "2.1"), [rebuttal(target, speech, "111")])
    assert set(found.values()) == {"survives"}


@st.composite
def annotated(draw: st.DrawFn) -> tuple[list[Claim], list[Rebuttal]]:
    """Up to six claims and five rebuttals, some of which do not count, most of which demolish."""
    speeches = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    made = claims(*(f"{speech}.{n}" for n, speech in enumerate(speeches)))
    names = [one.claim_id for one in made]
    found = st.tuples(
        st.sampled_from(names),
        st.integers(1, 6),
        st.sampled_from(["101", "111", "101", "110", "001"]),
        st.sampled_from([*names, ""]),
    )
    return made, [rebuttal(*one) for one in draw(st.lists(found, max_size=5))]


def framework(
    made: list[Claim], rebuttals: list[Rebuttal]
) -> tuple[list[str], set[tuple[str, str]]]:
    """Arguments and attacks by the definition: a demolition that counts attacks as the claim that
    makes it, a later one of the other side, or else as an argument of its own.
    """
    known = {one.claim_id: one for one in made}
    arguments, attacks = list(known), set()
    for n, one in enumerate(rebuttals):
        target = known[one.claim_id]
        if one.side == target.side or one.speech <= target.speech:
            continue
        if not (one.logic and one.undermines):
            continue
        by = known.get(one.by)
        if by and by.side != target.side and by.speech > target.speech:
            attacks.add((one.by, one.claim_id))
        else:
            arguments.append(f"rebuttal {n}")
            attacks.add((f"rebuttal {n}", one.claim_id))
    return arguments, attacks


def extensions(
    arguments: list[str], attacks: set[tuple[str, str]]
) -> tuple[list[set[str]], list[set[str]]]:
    """All complete and all stable extensions, by trying every set (Dung 1995, definitions 6, 13,
    23): complete sets are free of conflict and are just what they defend; stable ones attack all
    that they leave out.
    """
    complete, stable = [], []
    for size in range(len(arguments) + 1):
        for chosen in map(set, combinations(arguments, size)):
            attacked = {target for by, target in attacks if by in chosen}
            if chosen & attacked:
                continue
            defended = {
                one
                for one in arguments
                if all(by in attacked for by, target in attacks if target == one)
            }
            if chosen == defended:
                complete.append(chosen)
            if chosen | attacked == set(arguments):
                stable.append(chosen)
    return complete, stable


@settings(max_examples=100)
@given(annotated())
def test_what_is_in_is_the_grounded_the_preferred_and_the_stable_extension(
    debate: tuple[list[Claim], list[Rebuttal]],
) -> None:
    made, rebuttals = debate
    found = fates(made, rebuttals)
    complete, stable = extensions(*framework(made, rebuttals))
    grounded = min(complete, key=len)
    preferred = [one for one in complete if not any(one < other for other in complete)]
    assert preferred == stable == [grounded]
    names = {one.claim_id for one in made}
    assert {name for name, fate in found.items() if fate != "demolished"} == grounded & names


@given(annotated(), st.randoms(use_true_random=False))
def test_the_order_of_claims_and_rebuttals_does_not_matter(
    debate: tuple[list[Claim], list[Rebuttal]], random: Random
) -> None:
    made, rebuttals = debate
    mixed = random.sample(made, len(made)), random.sample(rebuttals, len(rebuttals))
    assert fates(*mixed) == fates(made, rebuttals)


@given(annotated())
def test_claims_of_the_last_speech_survive(debate: tuple[list[Claim], list[Rebuttal]]) -> None:
    made, rebuttals = debate
    found = fates(made, rebuttals)
    assert all(found[one.claim_id] == "survives" for one in made if one.speech == 6)


@given(annotated())
def test_an_attacker_of_a_demolished_claim_is_in_or_stands_for_itself(
    debate: tuple[list[Claim], list[Rebuttal]],
) -> None:
    made, rebuttals = debate
    found = fates(made, rebuttals)
    _, attacks = framework(made, rebuttals)
    for name, fate in found.items():
        attackers = [by for by, target in attacks if target == name]
        is_in = [found.get(by, "survives") != "demolished" for by in attackers]
        assert (fate == "demolished") == any(is_in)
