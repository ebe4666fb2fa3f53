"""The worlds in which the union study's design is diagnosed: gains of coaching, biased judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dissensus.design.diagnosis import World, run_worlds
from dissensus.stats.checks import FloatArray
from dissensus.stats.differences import flipped_gain
from dissensus.stats.results import Estimate
from dissensus.union.inference.coaching import (
    FEWEST_MOTIONS,
    NO_DRAWS,
    Draws,
    clustered_gain,
)
from dissensus.union.inference.judged_worlds import (
    BIAS,
    FOLLOWING,
    Panel,
    biased_worlds,
    favour_slot,
    judge,
    slot_worlds,
)
from dissensus.union.inference.library import Conditions, Library, simulate_library
from dissensus.union.outcomes import OUTCOMES
from dissensus.union.prompts import Wording
from dissensus.union.tables import CLUSTERED, COACHED, CONTROL, IN_DIFFERENCES, RANDOMISATION

GAINS = {name: f"what coaching adds to the {of.named}" for name, of in OUTCOMES.items()}
_SEATS = 3
#: Sign patterns of a test: 999 put p = .05 exactly on the grid.
_FLIPS = 999
#: No difference of differences of shares is larger.
_LARGEST = 2.0


def gain_words(outcome: str) -> str:
    """What is estimated of coaching, by the outcome."""
    return GAINS.get(outcome) or f"what it adds to {outcome}"


@dataclass(frozen=True)
class Plan:
    """The design as far as it bears on gains.

    Attributes
    ----------
    motions, epochs, runs : of the study.
    """

    motions: int
    epochs: int
    runs: int


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

    Of judges see :mod:`dissensus.union.inference.judged_worlds`.
    """
    plan = Plan(len(motions), settings["epochs"], settings["runs"])
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
    panel, biased = _panel(len(motions), settings), biased_worlds()
    rows += run_worlds(biased, BIAS, partial(judge, panel, biased, seed), total, confidence)
    slots = slot_worlds(settings["diagnosis"]["people"]["judges"])
    favour = partial(favour_slot, panel, slots, confidence, seed)
    return rows + run_worlds(slots, FOLLOWING, favour, total, confidence)


def _panel(motions: int, settings: Mapping[str, Any]) -> Panel:
    """The judges of the settings, who take seats in turn, and their debates."""
    names = list(settings["judges"])
    seated = [names[seat % len(names)] for seat in range(_SEATS)]
    seats = tuple(seated.count(name) for name in dict.fromkeys(seated))
    return Panel(motions * settings["epochs"] * settings["runs"] * len(settings["arms"]), seats)


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
        finite = np.isfinite(differences)
        if finite.any(axis=1).all():
            true = float(np.nanmean(differences, axis=1).mean()) if strength else 0.0
            variances = np.nanvar(differences, axis=1, ddof=1) / finite.sum(axis=1)
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
    finite = np.isfinite(values)
    return Draws(values[finite], tuple(names[finite].tolist()))


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
