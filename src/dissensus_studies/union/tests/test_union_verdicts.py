"""The verdict: the majority of the panel, and what decides where there is none."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures.verdicts import higher, margin, panel, passes_agree, verdict
from ..tables import LAYERS

P, O, C, N = "proposition", "opposition", "contested", "none"  # noqa: E741


@pytest.mark.parametrize(
    ("proposition", "opposition", "says"),
    [
        *((n, 6 - n, P if n > 3 else C if n == 3 else O) for n in range(7)),
        (3, 2, P),
        (2, 2, C),
        (1, 3, O),
        (3, 0, N),
        (0, 0, N),
    ],
)
def test_the_panel_says_what_the_majority_of_at_least_four_votes_says(
    proposition: int, opposition: int, says: str
) -> None:
    unreadable = [""] * (6 - proposition - opposition)
    assert panel([*unreadable, *[P] * proposition, *[O] * opposition]) == says


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ([P, P, O], [P, O, P], True),
        ([P, P, O], [O, O, P], False),
        ([P, P, P], [O, O, O], False),
        ([P, O, ""], [P, O, ""], False),
        ([P, P, ""], [P, O, ""], False),
        ([], [P, P, P], False),
    ],
)
def test_passes_agree_where_one_side_has_the_majority_of_both(
    first: list[str], second: list[str], agree: bool
) -> None:
    votes = [(1, side) for side in first] + [(2, side) for side in second]
    assert passes_agree(votes) is agree


@pytest.mark.parametrize(
    ("proposition", "opposition", "says"),
    [(2.5, 2.0, P), (2.0, 2.5, O), (2.0, 2.0, C), (None, 2.0, N), (2.0, None, N)],
)
def test_the_higher_number_wins(
    proposition: float | None, opposition: float | None, says: str
) -> None:
    assert higher(proposition, opposition) == says


def says(*four: str) -> dict[str, str]:
    return dict(zip(LAYERS, four, strict=True))


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (says(P, O, O, O), (P, "panel")),
        # Nobody wins a tie of the panel, whatever the others say.
        (says(C, O, O, O), (C, "panel")),
        (says(N, O, P, P), (O, "annotation")),
        # A tie of another layer decides nothing.
        (says(N, C, P, O), (P, "rubric")),
        (says(N, N, C, O), (O, "audit")),
        (says(N, C, N, C), (C, "none")),
        (says(N, N, N, N), (C, "none")),
    ],
)
def test_the_first_layer_that_decides_gives_the_verdict(
    given_: dict[str, str], expected: tuple[str, str]
) -> None:
    assert verdict(given_, LAYERS) == expected


@pytest.mark.parametrize("removed", LAYERS)
def test_each_layer_can_be_taken_out(removed: str) -> None:
    """With each layer of another opinion than the next, the verdict shows who was asked."""
    left = [layer for layer in LAYERS if layer != removed]
    for index, deciding in enumerate(left):
        given_ = dict.fromkeys(LAYERS, N) | {deciding: O, removed: P}
        given_ |= dict.fromkeys(left[index + 1 :], P)
        assert verdict(given_, left) == (O, deciding)
    assert verdict(dict.fromkeys(LAYERS, N) | {removed: P}, left) == (C, "none")


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_alone_says_its_own(layer: str) -> None:
    for side in (P, O):
        assert verdict(says(C, C, C, C) | {layer: side}, [layer]) == (side, layer)
    nobody = "panel" if layer == "panel" else "none"
    assert verdict(says(C, C, C, C), [layer]) == (C, nobody)


def test_the_order_of_the_layers_is_that_of_the_setting() -> None:
    assert verdict(says(P, P, P, O), ["audit", "panel"]) == (O, "audit")
    assert verdict(says(C, P, P, C), ["audit", "panel", "rubric"]) == (C, "panel")


@given(st.permutations(LAYERS), st.sets(st.sampled_from(LAYERS), min_size=1))
def test_every_verdict_of_every_choice_of_layers_is_what_the_deciding_layer_says(
    order: list[str], kept: set[str]
) -> None:
    layers = [layer for layer in order if layer in kept]
    for four in product((P, O, C, N), repeat=4):
        given_ = says(*four)
        winner, by = verdict(given_, layers)
        if by == "none":
            assert winner == C
            assert all(given_[layer] in (C, N) for layer in layers)
            continue
        assert winner == given_[by]
        before = layers[: layers.index(by)]
        assert all(given_[layer] == N or (given_[layer] == C != "panel") for layer in before)
        assert "panel" not in before or given_["panel"] == N


#: Numbers of the proposition and of the opposition, and the margin that the source prints with them
#: in the verdicts that it has published: of votes, and of points of its tally.
PUBLISHED = {
    "panel": [
        *((1, 10, "landslide"), (0, 5, "landslide"), (1, 4, "clear"), (5, 0, "landslide")),
        (3, 2, "narrow"),
    ],
    "annotation": [
        *((26, 31, "narrow"), (20, 30, "clear"), (15, 19, "clear"), (34, 38, "narrow")),
        *((24, 20, "narrow"), (6, 52, "landslide"), (31, 44, "clear"), (41, 25, "clear")),
    ],
}


@pytest.mark.parametrize(
    ("layer", "proposition", "opposition", "printed"),
    [(layer, *row) for layer, rows in PUBLISHED.items() for row in rows],
)
def test_margins_are_those_that_the_source_prints(
    layer: str, proposition: int, opposition: int, printed: str
) -> None:
    numbers = {layer: {P: proposition, O: opposition}}
    winner = higher(proposition, opposition)
    assert margin(winner, layer, numbers) == printed
    assert margin(C, layer, numbers) == margin(winner, "audit", numbers) == ""


@pytest.mark.parametrize(("votes", "said"), [(6, "landslide"), (5, "clear"), (4, "narrow")])
def test_margins_of_six_votes(votes: int, said: str) -> None:
    assert margin(P, "panel", {"panel": {P: votes, O: 6 - votes}}) == said
