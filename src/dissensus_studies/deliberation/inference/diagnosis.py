"""The worlds in which the deliberation study's design is diagnosed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dissensus.design.contrasts import METHODS, Options, defined
from dissensus.design.diagnosis import (
    HOLM,
    Sequential,
    World,
    contrast_estimates,
    run_worlds,
    with_family,
)
from dissensus.design.pairs import Pairs
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import ANYTIME
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate

from ..outcomes import PRIMARY
from .library import simulate_library

ESTIMAND = "an arm's effect, in standard deviations of a paired difference"

#: Share of the variance of a paired difference that lies between topics, by world.
SHARES = {"topics_differ": 0.3, "sharp_null": 0.0}
#: The world of a study that may stop whose differences have a mean of 0 and are skewed: those of
#: nine topics in ten are a little above it, and the tenth's far below, as where an arm now and then
#: loses all disagreement.
SKEWED = "skewed_null"

RETENTION = "what an arm changes in the retention of disagreement, last round"

ESTIMATORS = (*METHODS, *(name + HOLM for name in METHODS))

#: Sign patterns of a test: 999 put p = .05 exactly on the grid.
_FLIPS = 999


@dataclass(frozen=True)
class Plan:
    """The design as far as it bears on paired differences.

    Attributes
    ----------
    draws : of the study.
    topics : that draws are dealt from.
    contrasts : arms beside the reference.
    treatments : those of them that are not the reference again.
    stop : when the study stops; None where it runs to its end.
    """

    draws: int
    topics: int
    contrasts: int
    treatments: int = 0
    stop: SimulatedStop | None = None


def diagnose(
    topics: Mapping[str, Any], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the study's contrasts do where the truth is known.

    Parameters
    ----------
    topics : topic_id -> row.
    settings : of the design (``compared``: the arms that hold debates), ``inference.confidence``,
        and ``diagnosis``: the number of simulations, the planted effects, and what the library is
        made with. Of a study that may stop ``stop`` and ``block_size`` too.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. An estimator with the ending
    :data:`~dissensus.design.diagnosis.HOLM` is a family: its rejection at an effect of 0 is the
    share of studies that find an effect in any arm where there is none; at another effect, which
    one arm has and the others have not, that of studies that find the one. Draws of a single topic
    have no headline. Where a study may stop, :data:`~dissensus.design.stopping.ANYTIME` is what it
    finds at its stop. Last, a world for each arm, :func:`as_run`: what the run's own arms change
    in the primary outcome of simulated debaters.

    Notes
    -----
    A session's outcome is the topic's deviation under its arm plus noise, and what a topic adds
    in all arms alike cancels in a paired difference. Differences of all arms share the reference's
    sessions, so that they correlate by one half. Under ``topics_differ`` a share of 0.3 of their
    variance lies between topics, drawn anew in every study. Under ``sharp_null`` arms change
    nothing, and all effects are zero. Under :data:`SKEWED`, which a study that may stop has, they
    are zero on average and skewed, which its sign flips take them not to be. Topics are dealt as
    evenly as draws allow, in random order.
    A study stops by all arms that are not the reference again, as the run does; that one alone has
    studies of its own that stop by it, where whatever is found is none.
    """
    settings = {**settings, "arms": {arm: settings["arms"][arm] for arm in settings["compared"]}}
    others, confidence = len(settings["arms"]) - 1, settings["inference.confidence"]
    plan = _plan(settings, len(topics))
    estimators = (*ESTIMATORS, *[ANYTIME] * bool(plan.stop))
    effects = settings["diagnosis"]["effects"]
    worlds = [World("topics_differ", float(effect), estimators) for effect in effects]
    worlds.append(World("sharp_null", 0.0, estimators))
    worlds += [World(SKEWED, 0.0, (ANYTIME,))] * bool(plan.stop)
    simulations = settings["diagnosis"]["simulations"] if others else 0
    simulate = partial(_simulate, plan, worlds, confidence, seed)
    rows = run_worlds(worlds, ESTIMAND, simulate, simulations, confidence, cores)
    if not others:
        return rows
    arms = arms_of(simulate_library(list(topics.values()), settings, seed, cores), settings)
    arm_worlds = [World(as_run(arm.name), arm.true, estimators, arm.true_se) for arm in arms]
    simulate = partial(_draw_studies, plan, arms, confidence, seed)
    return rows + run_worlds(arm_worlds, RETENTION, simulate, simulations, confidence, cores)


def _plan(settings: Mapping[str, Any], topics: int) -> Plan:
    """The design of some settings, whose arms are those that are compared."""
    arms, stop = settings["arms"], None
    treatments = sum(arm != arms[settings["reference"]] for arm in arms.values())
    if treatments:
        confidence = settings["inference.confidence"]
        stop = SimulatedStop.of(settings.get("stop"), confidence, settings.get("block_size", 0))
    return Plan(settings["draws"], topics, len(arms) - 1, treatments, stop)


def as_run(arm: str) -> str:
    """The world in which simulated debaters debate in an arm of the run."""
    return f"{arm}_as_run"


@dataclass(frozen=True)
class SimulatedArm:
    """An arm of the library against the reference.

    Attributes
    ----------
    name : of the arm.
    differences : of the primary outcome, shape (topics, draws); NaN where a session has none.
    same : whether the arm is the reference under another name.
    """

    name: str
    differences: FloatArray
    same: bool

    @property
    def true(self) -> float:
        """The mean over topics, each of which has the same weight; 0 where nothing differs."""
        return 0.0 if self.same else float(np.nanmean(self.differences, axis=1).mean())

    @property
    def true_se(self) -> float:
        """Standard error of that mean, from so many draws of each topic."""
        if self.same:
            return 0.0
        counts = np.isfinite(self.differences).sum(axis=1)
        variances = np.nanvar(self.differences, axis=1, ddof=1) / counts
        return float(np.sqrt(variances.sum()) / len(counts))


def arms_of(library: FloatArray, settings: Mapping[str, Any]) -> list[SimulatedArm]:
    """The arms beside the reference, from a library of shape (arms, topics, draws)."""
    arms, reference = settings["arms"], settings["reference"]
    base = library[list(arms).index(reference)]
    return [
        SimulatedArm(name, values - base, arms[name] == arms[reference])
        for name, values in zip(arms, library, strict=True)
        if name != reference
    ]


def _draw_studies(
    plan: Plan, arms: Sequence[SimulatedArm], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study of the run's arms: its estimates, arm by arm.

    In a null arm the two sessions of a draw are exchangeable, and change places at random.
    """
    rng = np.random.default_rng([seed, index, 1])
    dealt = deal_topics(plan, rng)
    places = rng.integers(arms[0].differences.shape[1], size=len(dealt))
    options = Options(confidence, _FLIPS, int(rng.integers(2**31)))
    drawn = {}
    for arm in arms:
        signs = rng.choice([-1.0, 1.0], size=len(dealt)) if arm.same else 1.0
        drawn[arm.name] = signs * arm.differences[dealt, places]
    estimates = [_compare(values, dealt, options) for values in drawn.values()]
    if plan.stop:
        treatments = {arm.name: drawn[arm.name] for arm in arms if not arm.same}
        stopped = _stopped(plan.stop, treatments, dealt)
        for arm, contrast in zip(arms, estimates, strict=True):
            alone = {arm.name: drawn[arm.name]}
            of = _stopped(plan.stop, alone, dealt) if arm.same else stopped
            contrast[ANYTIME] = of[arm.name]
    for name in METHODS:
        adjusted = adjust([contrast[name].p_value for contrast in estimates], "holm")
        for contrast, p_value in zip(estimates, adjusted, strict=True):
            contrast[name + HOLM] = Estimate(NAN, p_value=float(p_value))
    return estimates


def _simulate(
    plan: Plan, worlds: Sequence[World], confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world; effects share the study."""
    rng = np.random.default_rng([seed, index])
    dealt = deal_topics(plan, rng)
    noise = {name: differences(plan, dealt, share, rng) for name, share in SHARES.items()}
    if plan.stop:
        noise[SKEWED] = skewed(plan, dealt, rng)
    options = Options(confidence, _FLIPS, int(rng.integers(2**31)))
    nulls = {name: [_compare(row, dealt, options) for row in rows] for name, rows in noise.items()}
    estimates = []
    for world in worlds:
        first, *others = nulls[world.name]
        planted = noise[world.name].copy()
        planted[0] += world.true
        if world.true:
            first = _compare(planted[0], dealt, options)
        estimates.append(with_family(first, others, bool(world.true)))
        if plan.stop:
            treatments = {str(place): planted[place] for place in range(plan.treatments)}
            estimates[-1][ANYTIME] = _stopped(plan.stop, treatments, dealt)["0"]
    return estimates


def _stopped(
    stop: SimulatedStop, treatments: Mapping[str, FloatArray], dealt: IntArray
) -> dict[str, Sequential]:
    """Arm -> its estimate where a study stops, or ends.

    Parameters
    ----------
    treatments : arm -> its paired differences, shape (draws,); the study stops by all of them.
    dealt : the topic of each draw, shape (draws,).
    """
    blocks = stop.blocks(range(len(dealt)), dealt.tolist())
    names = {"outcome": PRIMARY, "reference": ""}
    return stop.estimates(
        [
            {
                **names,
                "contrast": arm,
                "arm": arm,
                "draw_id": draw,
                "block": block,
                "cluster": int(dealt[draw]),
                "difference": defined(float(values[draw])),
                "bound": None,
            }
            for arm, values in treatments.items()
            for draw, block in blocks.items()
        ]
    )


def deal_topics(plan: Plan, rng: np.random.Generator) -> IntArray:
    """A topic for each draw, shape (draws,), every topic as often as any other or once more."""
    rounds = -(-plan.draws // plan.topics)
    dealt = np.concatenate([rng.permutation(plan.topics) for _ in range(rounds)])
    return dealt[: plan.draws].astype(np.int64)


def differences(plan: Plan, dealt: IntArray, share: float, rng: np.random.Generator) -> FloatArray:
    """Paired differences without any effect, shape (contrasts, draws), of variance 1."""
    arms = plan.contrasts + 1
    by_topic = rng.standard_normal((arms, plan.topics))[:, dealt]
    outcomes = np.sqrt(share / 2.0) * by_topic
    outcomes += np.sqrt((1.0 - share) / 2.0) * rng.standard_normal((arms, plan.draws))
    return np.asarray(outcomes[1:] - outcomes[0])


def skewed(plan: Plan, dealt: IntArray, rng: np.random.Generator) -> FloatArray:
    """The same in the world :data:`SKEWED`: 1/3 in nine topics of ten, and -3 in the tenth."""
    is_far = rng.random((plan.contrasts, plan.topics)) < 0.1
    return np.where(is_far, -3.0, 1.0 / 3.0)[:, dealt]


def _compare(values: FloatArray, dealt: IntArray, options: Options) -> dict[str, Estimate]:
    return contrast_estimates(Pairs(values, np.zeros_like(values), dealt.astype(np.str_)), options)
