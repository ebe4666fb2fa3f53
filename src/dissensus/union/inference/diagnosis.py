"""The worlds in which the union study's design is diagnosed: gains of coaching, biased judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dissensus.design.diagnosis import HOLM, World, run_worlds
from dissensus.stats.checks import FloatArray
from dissensus.stats.differences import flipped_gain
from dissensus.stats.logistic import score_test
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.union.inference.audit import BIASES, POSITION, SIDE, VERBOSITY, Split, grouped_votes
from dissensus.union.inference.coaching import (
    CLUSTERED,
    COACHED,
    CONTROL,
    DIFFERENCE,
    NO_DRAWS,
    RANDOMISATION,
    Draws,
    clustered_gain,
)

GAIN = "what coaching adds to the students' share of surviving claims"
BIAS = "the share of a judge's votes that it casts by its bias"

#: Spread of a memo's gain over memos, by world, in shares.
MEMOS = {"memos_alike": 0.0, "memos_vary": 0.05}
#: Shares of votes that a planted judge casts by its bias, in the worlds of that bias.
STRENGTHS = (0.3, 1.0)
UNBIASED, ANY = "unbiased_judges", "any" + HOLM

#: Claims of a speech, and by how much the share that survives varies between draws.
_CLAIMS, _DRAWS_VARY = 8, 0.15
#: How far sides differ, in logits of a vote; what the tally adds of its own; words.
_QUALITY, _TALLY, _WORDS = 1.5, 0.75, 300.0
_SEATS = 3
#: Sign patterns of a test: 999 put p = .05 exactly on the grid.
_FLIPS = 999
#: No difference of differences of shares is larger.
_LARGEST = 2.0

Votes = NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """The design as far as it bears on gains and judges.

    Attributes
    ----------
    motions, epochs, runs, arms : of the study.
    claims : of the students in a debate.
    seats : how many seats each judge has.
    """

    motions: int
    epochs: int
    runs: int
    arms: int
    claims: int
    seats: tuple[int, ...]


def diagnose(
    motions: Mapping[str, Any], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the study's estimators do where the truth is known.

    Parameters
    ----------
    motions : motion_id -> row, with its ``students``.
    settings : epochs, runs, arms, judges, ``inference.confidence``, and ``diagnosis`` with the
        number of simulations and the planted gains.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. Of coaching: the last epoch's difference
    in differences by both methods, and its plain difference by randomisation; with the ending
    :data:`~dissensus.design.diagnosis.HOLM` adjusted over epochs, at a gain of 0 any epoch's. A
    limit is at most 2, since no difference of differences of shares is larger. Without a second
    epoch or arm no study is simulated. Of judges: the test of each bias, alone and adjusted over
    judges and biases; ``any`` is the share of studies that name any judge where none is biased.

    Notes
    -----
    A claim survives with a chance of one half, less or plus half the gain; it varies by 0.15 to
    either side between draws, alike in both arms. Under ``memos_vary`` every memo has a gain of
    its own, with a standard deviation of 0.05 about the planted one: intervals over draws speak of
    the memos at hand, and cover the planted gain less often.

    A judge votes for a side by its quality, which the tally measures with error. A planted judge,
    the first of the panel, casts a share of its votes for slot A, for the longer speeches, or for
    the label of the proposition instead.
    """
    students = [len(row["students"]) for row in motions.values()] or [1]
    names = list(settings["judges"])
    seated = [names[seat % len(names)] for seat in range(_SEATS)]
    plan = Plan(
        len(motions),
        settings["epochs"],
        settings["runs"],
        len(settings["arms"]),
        _CLAIMS * max(1, min(students)),
        tuple(seated.count(name) for name in dict.fromkeys(seated)),
    )
    confidence, total = settings["inference.confidence"], settings["diagnosis"]["simulations"]
    compared = plan.epochs > 1 and {COACHED, CONTROL} <= set(settings["arms"])
    gains = _gain_worlds([float(gain) for gain in settings["diagnosis"]["gains"]])
    judges = _judge_worlds()
    coaching = partial(_coach, plan, gains, confidence, seed)
    voting = partial(_judge, plan, judges, seed)
    return [
        *run_worlds(gains, GAIN, coaching, total if compared else 0, confidence, cores),
        *run_worlds(judges, BIAS, voting, total, confidence, cores),
    ]


def _gain_worlds(gains: Sequence[float]) -> list[World]:
    """Every gain and none, where memos are alike and where they vary."""
    planted = dict.fromkeys([0.0, *gains])
    estimators = (RANDOMISATION, RANDOMISATION + HOLM, CLUSTERED, DIFFERENCE)
    return [World(name, gain, estimators) for name in MEMOS for gain in planted]


def _judge_worlds() -> list[World]:
    worlds = [World(UNBIASED, 0.0, (*BIASES, ANY))]
    for bias in BIASES:
        worlds += [World(f"{bias}_bias", share, (bias, bias + HOLM)) for share in STRENGTHS]
    return worlds


def _coach(
    plan: Plan, worlds: Sequence[World], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world of coaching; gains share what is drawn."""
    rng = np.random.default_rng([seed, index, 1])
    shape = (plan.motions, plan.epochs, plan.runs)
    level = rng.uniform(-1.0, 1.0, (*shape, 1))
    claims = rng.random((*shape, 2, plan.claims))
    memos = rng.standard_normal((plan.motions, plan.epochs, 1))
    flips = int(rng.integers(2**31))
    found = []
    for world in worlds:
        gains = world.true + MEMOS[world.name] * memos
        gains[:, 0] = 0.0
        differences = simulated_differences(level, claims, gains, world.true)
        found.append(_gains(differences, world.true, confidence, flips))
    return found


def simulated_differences(
    level: FloatArray, claims: FloatArray, gains: FloatArray, planted: float
) -> FloatArray:
    """Coached less control shares of surviving claims, shape (motions, epochs, runs).

    Parameters
    ----------
    level : how well a draw goes, from -1 to 1, shape (motions, epochs, runs, 1).
    claims : uniform, shape (motions, epochs, runs, 2, claims); coached first.
    gains : of each memo, shape (motions, epochs, 1).
    planted : the gain that they vary about.
    """
    width = min(_DRAWS_VARY, 0.5 - abs(planted) / 2.0)
    control = 0.5 - planted / 2.0 + width * level
    chances = np.concatenate([control + gains[..., None], control], axis=-1)
    shares = (claims < chances[..., None]).mean(axis=-1)
    return np.asarray(shares[..., 0] - shares[..., 1])


def _gains(
    differences: FloatArray, planted: float, confidence: float, seed: int
) -> dict[str, Estimate]:
    """The study's estimates from the differences, shape (motions, epochs, runs)."""
    names = tuple(str(motion) for motion in range(len(differences)) for _ in differences[motion, 0])
    first = Draws(differences[:, 0].ravel(), names)
    *others, last = (Draws(later.ravel(), names) for later in differences[:, 1:].swapaxes(0, 1))
    found = [_flipped(later, first, confidence, seed, False) for later in others]
    found.append(_flipped(last, first, confidence, seed))
    adjusted = adjust([one.p_value for one in found], "holm")
    family = float(adjusted[-1] if planted else adjusted.min())
    clustered, _ = clustered_gain(last, first, confidence)
    return {
        RANDOMISATION: found[-1],
        RANDOMISATION + HOLM: Estimate(NAN, p_value=family),
        CLUSTERED: clustered if np.isfinite(clustered.p_value) else Estimate(NAN),
        DIFFERENCE: _flipped(last, NO_DRAWS, confidence, seed, False),
    }


def _flipped(
    later: Draws, first: Draws, confidence: float, seed: int, interval: bool = True
) -> Estimate:
    found, _ = flipped_gain(
        later.differences,
        first.differences,
        strata=(later.motions, first.motions),
        confidence=confidence,
        flips=_FLIPS,
        seed=seed,
        interval=interval,
    )
    # NaN where the interval is not asked for, and stays so.
    low, high = np.clip([found.ci_low, found.ci_high], -_LARGEST, _LARGEST)
    return replace(found, ci_low=float(low), ci_high=float(high))


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


def _judge(plan: Plan, worlds: Sequence[World], seed: int, index: int) -> list[dict[str, Estimate]]:
    """One study in every world of judges; worlds share the debates and the unbiased judges."""
    rng = np.random.default_rng([seed, index, 2])
    debates = draw_debates(plan.motions * plan.epochs * plan.runs * plan.arms, rng)
    unbiased = [
        bias_tests(debates, *cast_votes(debates, seats, "", 0.0, rng)) for seats in plan.seats
    ]
    others = [p for judge in unbiased[1:] for p in judge.values()]
    found = []
    for world in worlds:
        bias = world.name.removesuffix("_bias")
        own = unbiased[0]
        if bias in BIASES:
            votes = cast_votes(debates, plan.seats[0], bias, world.true, rng)
            own = bias_tests(debates, *votes)
        holm = adjust([*own.values(), *others], "holm")
        p_values = own | {name + HOLM: p for name, p in zip(own, holm, strict=False)}
        p_values[ANY] = float(np.fmin.reduce(holm))
        found.append({name: Estimate(NAN, p_value=float(p)) for name, p in p_values.items()})
    return found
