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
    FEWEST_MOTIONS,
    NO_DRAWS,
    OUTCOMES,
    Draws,
    clustered_gain,
)
from dissensus.union.inference.library import Conditions, Library, simulate_library
from dissensus.union.prompts import Wording
from dissensus.union.tables import CLUSTERED, COACHED, CONTROL, IN_DIFFERENCES, RANDOMISATION

GAINS = {
    "student_survival": "what coaching adds to the share of the students' claims that survive",
    "student_votes": "what it adds to the students' share of votes",
    "student_demolitions": "what it adds to the share of their rebuttals that demolish",
}


def gain_words(outcome: str) -> str:
    """What is estimated of coaching, by the outcome."""
    return GAINS.get(outcome) or f"what it adds to {outcome}"


BIAS = "the share of a judge's votes that it casts by its bias"

FOLLOWING = "of the pairs of votes that follow the slot, the share for slot A"

#: Shares of votes that a planted judge casts by its bias, in the worlds of that bias.
STRENGTHS = (0.3, 1.0)
UNBIASED, ANY = "unbiased_judges", "any" + HOLM

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
    seats : how many seats each judge has.
    """

    motions: int
    epochs: int
    runs: int
    arms: int
    seats: tuple[int, ...]


def diagnose(
    motions: Mapping[str, Any], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the study's estimators do where the truth is known.

    Parameters
    ----------
    motions : motion_id -> row.
    settings : epochs, runs, arms, judges, the prompt files, the protocol, ``inference.confidence``,
        and ``diagnosis``: the simulated people, what coaching adds to a student's strength, pairs
        of debates in the library, and simulated studies.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. Of coaching, for each outcome and planted
    strength: the difference over all coached epochs by randomisation, from three motions on by both
    methods; and the last epoch's less the first's. A limit is at most 2, since no difference of
    differences of shares is larger. A design without a second epoch or arm has none of these rows.
    Of judges: the test of each bias, alone and adjusted over judges and biases; ``any`` is the
    share of studies that name any judge where none is biased.

    Notes
    -----
    Debates are held once (:mod:`dissensus.union.inference.library`); nothing is planted but what
    advice adds to a student's strength, and a study draws pairs of debates with replacement. The
    true gain is the mean over the library. At 0 both debates of a pair are alike by design: they
    change places at random in each study, so that the true gain is exactly 0; so do the pairs of
    the first epoch, which nobody coaches. What a memo says bears on nothing that simulated students
    do: intervals here know no other chains of memos. The second panel, which audits judges, is left
    out.

    A judge votes for a side by its quality, which the tally measures with error. A planted judge,
    the first of the panel, casts a share of its votes for slot A, for the longer speeches, or for
    the label of the proposition instead.
    """
    plan = _plan(len(motions), settings)
    confidence, total = settings["inference.confidence"], settings["diagnosis"]["simulations"]
    rows = []
    if plan.epochs > 1 and {COACHED, CONTROL} <= set(settings["arms"]):
        pairs = settings["diagnosis"]["pairs"]
        library = simulate_library(
            list(motions.values()), _conditions(settings), pairs, seed, cores
        )
        for place, outcome in enumerate(OUTCOMES):
            planted = plant(library, place)
            worlds = _gain_worlds(outcome, planted, plan)
            simulate = partial(_coach, plan, planted, confidence, seed)
            rows += run_worlds(worlds, gain_words(outcome), simulate, total, confidence, cores)
    judges = _judge_worlds()
    rows += run_worlds(judges, BIAS, partial(_judge, plan, judges, seed), total, confidence)
    slots = _slot_worlds(settings["diagnosis"]["people"]["judges"])
    favour = partial(_favour_slot, plan, slots, confidence, seed)
    return rows + run_worlds(slots, FOLLOWING, favour, total, confidence)


def _plan(motions: int, settings: Mapping[str, Any]) -> Plan:
    """The design of the settings; judges take seats in turn."""
    names = list(settings["judges"])
    seated = [names[seat % len(names)] for seat in range(_SEATS)]
    seats = tuple(seated.count(name) for name in dict.fromkeys(seated))
    return Plan(motions, settings["epochs"], settings["runs"], len(settings["arms"]), seats)


def _conditions(settings: Mapping[str, Any]) -> Conditions:
    diagnosis = settings["diagnosis"]
    return Conditions(
        Wording.read(settings["prompts"], settings["judging"]),
        {**settings["protocol"], "audited": False},
        diagnosis["people"],
        list(dict.fromkeys([0.0, *diagnosis["coached"]])),
    )


@dataclass(frozen=True)
class Planted:
    """Pairs of one outcome under one strength of coaching.

    Attributes
    ----------
    strength : what advice adds to a student's, in logits.
    differences : coached less control, shape (m, u); NaN where a debate has none.
    true : the gain over the library.
    true_se : its standard error, from so many pairs of these motions.
    """

    strength: float
    differences: FloatArray
    true: float
    true_se: float = 0.0


def plant(library: Library, place: int) -> list[Planted]:
    """The worlds of an outcome, by its place; without one that all debates of a motion lack."""
    plans = []
    for strength, treated in library.coached.items():
        differences = treated[..., place] - library.control[..., place]
        known = np.isfinite(differences)
        if known.any(axis=1).all():
            true = float(np.nanmean(differences, axis=1).mean()) if strength else 0.0
            variances = np.nanvar(differences, axis=1, ddof=1) / known.sum(axis=1)
            error = float(np.sqrt(variances.sum()) / len(variances)) if strength else 0.0
            plans.append(Planted(strength, differences, true, error))
    return plans


def _gain_worlds(outcome: str, planted: Sequence[Planted], plan: Plan) -> list[World]:
    clustered = (CLUSTERED,) if plan.motions >= FEWEST_MOTIONS else ()
    estimators = (RANDOMISATION, *clustered, IN_DIFFERENCES)
    return [
        World(
            coached_world(outcome, planting.strength), planting.true, estimators, planting.true_se
        )
        for planting in planted
    ]


def coached_world(outcome: str, strength: float) -> str:
    """The world of an outcome in which advice adds so much to a student's strength, in logits."""
    return f"{outcome}_coached_by_{strength:g}"


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


def _judge_worlds() -> list[World]:
    worlds = [World(UNBIASED, 0.0, (*BIASES, ANY))]
    for bias in BIASES:
        worlds += [World(f"{bias}_bias", share, (bias, bias + HOLM)) for share in STRENGTHS]
    return worlds


def _slot_worlds(judges: Sequence[Mapping[str, Any]]) -> list[World]:
    """The worlds of the simulated judges who favour a slot."""
    biases = dict.fromkeys(float(judge["speech"].get("slot_bias", 0.0)) for judge in judges)
    return [
        World(slot_world(bias), slot_share(bias), (POSITION, POSITION + HOLM))
        for bias in biases
        if bias
    ]


def _coach(
    plan: Plan, planted: Sequence[Planted], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world of coaching; worlds share what is drawn."""
    gains = []
    for world in planted:
        rng = np.random.default_rng([seed, index, 1])
        null = next(planting for planting in planted if not planting.strength)
        shape = (plan.epochs, plan.runs)
        first, *later = (
            draw_pairs((world if epoch else null), shape[1], rng) for epoch in range(shape[0])
        )
        gains.append(_gains(first, later, confidence, int(rng.integers(2**31))))
    return gains


def draw_pairs(world: Planted, runs: int, rng: np.random.Generator) -> Draws:
    """The pairs of an epoch, drawn from the library: as many for each motion."""
    motions, pairs = world.differences.shape
    places = rng.integers(pairs, size=(motions, runs))
    signs = rng.choice([-1.0, 1.0], size=(motions, runs))
    drawn = np.take_along_axis(world.differences, places, axis=1)
    values = (drawn if world.strength else signs * drawn).ravel()
    names = np.repeat(np.arange(motions), runs).astype(str)
    known = np.isfinite(values)
    return Draws(values[known], tuple(names[known].tolist()))


def _gains(
    first: Draws, later: Sequence[Draws], confidence: float, seed: int
) -> dict[str, Estimate]:
    """The study's estimates from the pairs of its epochs."""
    pooled = Draws(
        np.concatenate([epoch.differences for epoch in later]),
        tuple(name for epoch in later for name in epoch.motions),
    )
    gains = {}
    if len(pooled):
        gains[RANDOMISATION] = _flipped(pooled, NO_DRAWS, confidence, seed)
        clustered, _ = clustered_gain(pooled, None, confidence)
        if np.isfinite(clustered.p_value):
            gains[CLUSTERED] = clustered
    if len(later[-1]) and len(first):
        gains[IN_DIFFERENCES] = _flipped(later[-1], first, confidence, seed)
    return gains


def _flipped(later: Draws, first: Draws, confidence: float, seed: int) -> Estimate:
    gain, _ = flipped_gain(
        later.differences,
        first.differences,
        strata=(later.motions, first.motions),
        confidence=confidence,
        flips=_FLIPS,
        seed=seed,
    )
    low, high = np.clip([gain.ci_low, gain.ci_high], -_LARGEST, _LARGEST)
    return replace(gain, ci_low=float(low), ci_high=float(high))


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


def _favour_slot(
    plan: Plan, worlds: Sequence[World], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world of a judge who favours a slot; all other judges are unbiased."""
    rng = np.random.default_rng([seed, index, 3])
    debates = draw_debates(plan.motions * plan.epochs * plan.runs * plan.arms, rng)
    unbiased = [
        bias_tests(debates, *cast_votes(debates, seats, "", 0.0, rng)) for seats in plan.seats
    ]
    others = [p for judge in unbiased[1:] for p in judge.values()]
    sides = np.array([1.0, -1.0])
    tests = []
    for world in worlds:
        bias = special.logit(world.true) / 2.0
        chances = special.expit(bias + debates.quality[:, None, None] * sides)
        for_a = rng.random((len(debates.quality), plan.seats[0], 2)) < chances
        split = Split.of(for_a[..., 0], for_a[..., 1])
        p_values = unbiased[0] | {POSITION: split.p_value}
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


def _judge(plan: Plan, worlds: Sequence[World], seed: int, index: int) -> list[dict[str, Estimate]]:
    """One study in every world of judges; worlds share the debates and the unbiased judges."""
    rng = np.random.default_rng([seed, index, 2])
    debates = draw_debates(plan.motions * plan.epochs * plan.runs * plan.arms, rng)
    unbiased = [
        bias_tests(debates, *cast_votes(debates, seats, "", 0.0, rng)) for seats in plan.seats
    ]
    others = [p for judge in unbiased[1:] for p in judge.values()]
    estimates = []
    for world in worlds:
        bias = world.name.removesuffix("_bias")
        tests = unbiased[0]
        if bias in BIASES:
            votes = cast_votes(debates, plan.seats[0], bias, world.true, rng)
            tests = bias_tests(debates, *votes)
        holm = adjust([*tests.values(), *others], "holm")
        p_values = tests | {name + HOLM: p for name, p in zip(tests, holm, strict=False)}
        p_values[ANY] = float(np.fmin.reduce(holm))
        estimates.append({name: Estimate(NAN, p_value=float(p)) for name, p in p_values.items()})
    return estimates
