"""What chance decides: at the stated rates, the same for both arms, and again when asked again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import pytest
from scipy.stats import chisquare

from ..protocol.gates import Gate, Place, drawn, passages, unprotected

GATE = Gate(2, 0.45, 0.30)
DRAWS = 20_000


@dataclass(frozen=True)
class Offer:
    argument: int
    name: str = ""


def offers(*arguments: int) -> list[Offer]:
    return [Offer(argument, str(number)) for number, argument in enumerate(arguments)]


@pytest.mark.parametrize(
    ("speech", "share"),
    [
        (1, 0.45),
        pytest.param(2, 0.45, marks=pytest.mark.thorough),
        pytest.param(4, 0.45, marks=pytest.mark.thorough),
        (5, 0.30),
        pytest.param(6, 0.30, marks=pytest.mark.thorough),
    ],
)
def test_offers_are_accepted_at_the_stated_rates(speech: int, share: float) -> None:
    """20,000 offers, two a speech; both are accepted as often as independence has it."""
    taken = [
        [accepted for _, accepted in drawn(offers(2, 3, 4), 5, Place(seed, speech, 6), GATE)]
        for seed in range(DRAWS // 2)
    ]
    assert sum(map(sum, taken)) / DRAWS == pytest.approx(share, abs=0.01)
    assert sum(map(all, taken)) / len(taken) == pytest.approx(share**2, abs=0.015)


def test_the_last_speech_of_each_side_is_late_however_many_speak() -> None:
    late = [
        [speech for speech in range(1, count + 1) if Place(1, speech, count).is_late]
        for count in (2, 4, 6, 8)
    ]
    assert late == [[1, 2], [3, 4], [5, 6], [7, 8]]


@pytest.mark.thorough
def test_every_pair_of_offers_is_as_likely_as_any_other() -> None:
    pairs = Counter(
        tuple(one.name for one, _ in drawn(offers(2, 2, 3, 4), 5, Place(seed, 1, 6), GATE))
        for seed in range(DRAWS)
    )
    assert set(pairs) == {tuple(map(str, pair)) for pair in combinations(range(4), 2)}
    assert max(abs(n / DRAWS - 1 / 6) for n in pairs.values()) < 0.01
    assert chisquare(list(pairs.values())).pvalue > 1e-4


def test_an_offer_in_protected_time_is_none() -> None:
    assert list(unprotected(5)) == [2, 3, 4]
    assert [len(unprotected(count)) for count in (0, 1, 2, 3)] == [0, 0, 0, 1]
    place = Place(3, 1, 6)
    assert drawn(offers(1, 5, 0, -2, 6, 99), 5, place, GATE) == []
    assert [one.argument for one, _ in drawn(offers(5, 4, 1), 5, place, GATE)] == [4]
    assert drawn(offers(2, 2), 2, place, GATE) == []
    assert drawn(offers(2, 2), 0, place, GATE) == []


@pytest.mark.parametrize(
    ("most", "count", "expected"), [(0, 3, 0), (1, 3, 1), (2, 3, 2), (5, 3, 3)]
)
def test_a_speech_is_offered_no_more_points_than_may_be(
    most: int, count: int, expected: int
) -> None:
    found = drawn(offers(*[3] * count), 5, Place(1, 2, 6), Gate(most, 0.5, 0.5))
    assert len(found) == expected


def test_what_is_drawn_is_drawn_again_in_the_order_of_arguments() -> None:
    for seed in range(50):
        once = drawn(offers(4, 2, 3), 5, Place(seed, 2, 6), GATE)
        assert once == drawn(offers(4, 2, 3), 5, Place(seed, 2, 6), GATE)
        places = [one.argument for one, _ in once]
        assert places == sorted(places)


def test_one_offer_more_changes_no_decision_on_those_that_stay() -> None:
    """The arms of a draw may differ in how many points are offered: acceptance goes by the slot."""
    for seed in range(50):
        few, many = (
            [accepted for _, accepted in drawn(offers(*[3] * n), 5, Place(seed, 1, 6), GATE)]
            for n in (2, 6)
        )
        assert few == many


def test_speeches_and_draws_have_gates_of_their_own() -> None:
    def pattern(seed: int, speech: int) -> list[tuple[str, bool]]:
        found = drawn(offers(2, 3, 4, 2, 3, 4), 5, Place(seed, speech, 20), Gate(4, 0.5, 0.5))
        return [(one.name, accepted) for one, accepted in found]

    assert len({str(pattern(1, speech)) for speech in range(1, 15)}) > 10
    assert len({str(pattern(seed, 1)) for seed in range(14)}) > 10


def test_no_setting_of_the_gate_but_the_rates_decides_who_is_accepted() -> None:
    gate = Gate.of({"points": False, "points_a_speech": 2, "accepted": 0.4, "accepted_late": 0.1})
    assert gate == Gate(0, 0.4, 0.1)
    assert Gate.of(
        {"points": True, "points_a_speech": 2, "accepted": 0.4, "accepted_late": 0.1}
    ) == Gate(2, 0.4, 0.1)


def test_every_passage_is_drawn_as_often_as_any_other() -> None:
    """10 of 20, 4,000 times: each 2,000 times with a standard deviation of 32."""
    counted = Counter(
        place for seed in range(4000) for place in passages(seed, "Ada", available=20, wanted=10)
    )
    assert set(counted) == set(range(20))
    assert max(abs(n - 2000) for n in counted.values()) < 4 * 31.7


def test_passages_are_of_the_draw_and_the_speaker() -> None:
    assert passages(1, "Ada", 20, 10) == passages(1, "Ada", 20, 10)
    assert len({tuple(passages(seed, "Ada", 20, 10)) for seed in range(20)}) == 20
    assert passages(1, "Ada", 20, 10) != passages(1, "Bo", 20, 10)
    assert passages(1, "Ada", 4, 10) == [0, 1, 2, 3]
    assert passages(1, "Ada", 0, 10) == []
    chosen = passages(1, "Ada", 20, 10)
    assert chosen == sorted(set(chosen))
