"""The worlds of judges: those who cast votes by a bias, and those who favour a slot.

A judge votes for a side by its quality, which the tally measures with error. A planted judge, the
first of the panel, casts a share of its votes for slot A, for the longer speeches, or for the label
of the proposition instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dissensus.design.diagnosis import HOLM, World
from dissensus.stats.checks import FloatArray
from dissensus.stats.logistic import score_test
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.stats.shares import Split

from .audit import BIASES, POSITION, SIDE, VERBOSITY, grouped_votes

BIAS = "the share of a judge's votes that it casts by its bias"

FOLLOWING = "of the pairs of votes that follow the slot, the share for slot A"

#: Shares of votes that a planted judge casts by its bias, in the worlds of that bias.
STRENGTHS = (0.3, 1.0)
UNBIASED, ANY = "unbiased_judges", "any" + HOLM

#: How far sides differ, in logits of a vote; what the tally adds of its own; words.
_QUALITY, _TALLY, _WORDS = 1.5, 0.75, 300.0

Votes = NDArray[np.bool_]


@dataclass(frozen=True)
class Panel:
    """The judges as far as their biases are concerned.

    Attributes
    ----------
    debates : that each of them judges.
    seats : how many seats each has.
    """

    debates: int
    seats: tuple[int, ...]


def slot_world(logits: float) -> str:
    """The world of a judge for whom slot A counts so much."""
    return f"slot_bias_of_{logits:g}"


def slot_share(logits: float) -> float:
    """Of the pairs of votes that follow the slot, the share for slot A: 1 / (1 + exp(-2 b)).

    A judge with the bias b votes for slot A with the logit b + x in one pass and b - x in the
    other, x being what it sees in the speeches. Both votes are for A with odds of exp(2 b) against
    both for B, whatever x is.
    """
    return float(special.expit(2.0 * logits))


def biased_worlds() -> list[World]:
    """A panel without a bias, and panels whose first judge has one, by its strength."""
    worlds = [World(UNBIASED, 0.0, (*BIASES, ANY))]
    for bias in BIASES:
        worlds += [World(f"{bias}_bias", share, (bias, bias + HOLM)) for share in STRENGTHS]
    return worlds


def slot_worlds(judges: Sequence[Mapping[str, Any]]) -> list[World]:
    """The worlds of the simulated judges who favour a slot."""
    biases = dict.fromkeys(float(judge["speech"].get("slot_bias", 0.0)) for judge in judges)
    return [
        World(slot_world(bias), slot_share(bias), (POSITION, POSITION + HOLM))
        for bias in biases
        if bias
    ]


@dataclass(frozen=True)
class Debates:
    """What judges see: how much better and longer the proposition is, and the tally's points."""

    quality: FloatArray
    words: FloatArray
    points: FloatArray


def draw_debates(n: int, rng: np.random.Generator) -> Debates:
    """n debates in which lengths tell nothing of quality."""
    quality = _QUALITY * rng.standard_normal(n)
    points = quality + _TALLY * rng.standard_normal(n)
    return Debates(quality, _WORDS * rng.standard_normal(n), points)


def cast_votes(
    debates: Debates, seats: int, bias: str, strength: float, rng: np.random.Generator
) -> tuple[Votes, Votes]:
    """Votes of one judge: for slot A, and for the label of the proposition.

    Parameters
    ----------
    debates : what is judged.
    seats : of the judge.
    bias : one of :data:`BIASES`; any other text for none.
    strength : share of the votes that are cast by the bias.
    rng : draws the votes.

    Returns
    -------
    Each of shape (debates, seats, 2), the last axis being the passes: in the first the proposition
    is in slot A and has its own label.
    """
    shape = (2, len(debates.quality), seats, 2)
    blind, labelled = rng.random(shape) < special.expit(debates.quality)[:, None, None]
    # In the second pass slot A, and the label of the proposition, are the opposition's.
    sides = np.array([True, False])
    for_a, for_label = blind == sides, labelled == sides
    by_bias = rng.random(shape) < strength
    if bias == POSITION:
        for_a = for_a | by_bias[0]
    elif bias == VERBOSITY:
        longer = (debates.words > 0)[:, None, None] == sides
        for_a = np.where(by_bias[0], longer, for_a)
    elif bias == SIDE:
        for_label = for_label | by_bias[1]
    return for_a, for_label


def _unbiased(
    panel: Panel, debates: Debates, rng: np.random.Generator
) -> tuple[dict[str, float], list[float]]:
    """P-values of a panel without a bias: of the first judge by bias, and of all the others."""
    first, *others = (
        bias_tests(debates, *cast_votes(debates, seats, "", 0.0, rng)) for seats in panel.seats
    )
    return first, [p for tests in others for p in tests.values()]


def favour_slot(
    panel: Panel, worlds: Sequence[World], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world of a judge who favours a slot; all other judges are unbiased."""
    rng = np.random.default_rng([seed, index, 3])
    debates = draw_debates(panel.debates, rng)
    first, others = _unbiased(panel, debates, rng)
    sides = np.array([1.0, -1.0])
    tests = []
    for world in worlds:
        bias = special.logit(world.true) / 2.0
        chances = special.expit(bias + debates.quality[:, None, None] * sides)
        for_a = rng.random((len(debates.quality), panel.seats[0], 2)) < chances
        split = Split.of(for_a[..., 0], for_a[..., 1])
        p_values = first | {POSITION: split.p_value}
        holm = adjust([*p_values.values(), *others], "holm")[list(p_values).index(POSITION)]
        tests.append(
            {
                POSITION: split.estimate(confidence),
                POSITION + HOLM: Estimate(NAN, p_value=float(holm)),
            }
        )
    return tests


def bias_tests(debates: Debates, for_a: Votes, for_label: Votes) -> dict[str, float]:
    """P-value of every bias of one judge, from votes as :func:`cast_votes` gives them."""
    passes = np.array([1.0, -1.0])
    trials = np.full((len(for_a), 2), float(for_a.shape[1]))
    data = grouped_votes(
        debates.words[:, None] * passes,
        debates.points[:, None] * passes,
        for_a.sum(axis=1).astype(float),
        trials,
    )
    return {
        POSITION: Split.of(for_a[..., 0], for_a[..., 1]).p_value,
        VERBOSITY: score_test(data)[1],
        SIDE: Split.of(for_label[..., 0], for_label[..., 1]).p_value,
    }


def judge(
    panel: Panel, worlds: Sequence[World], seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world of judges; worlds share the debates and the unbiased judges."""
    rng = np.random.default_rng([seed, index, 2])
    debates = draw_debates(panel.debates, rng)
    first, others = _unbiased(panel, debates, rng)
    estimates = []
    for world in worlds:
        bias = world.name.removesuffix("_bias")
        tests = first
        if bias in BIASES:
            votes = cast_votes(debates, panel.seats[0], bias, world.true, rng)
            tests = bias_tests(debates, *votes)
        holm = adjust([*tests.values(), *others], "holm")
        p_values = tests | {name + HOLM: p for name, p in zip(tests, holm, strict=False)}
        p_values[ANY] = float(np.fmin.reduce(holm))
        estimates.append({name: Estimate(NAN, p_value=float(p)) for name, p in p_values.items()})
    return estimates
