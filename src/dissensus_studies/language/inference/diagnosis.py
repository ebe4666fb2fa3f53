"""The worlds in which the language study's design is diagnosed, from texts to the last interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.design.contrasts import robust_mean, sign_flip
from dissensus.design.diagnosis import World, run_worlds
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import ANYTIME
from dissensus.stats.results import Estimate

from . import net
from .estimators import NET, NET_SIGN_FLIP, REFITTED
from .library import Conditions, Library, simulate_library
from .net import Readings, Scaling, estimate_net, net_draws
from .paired_readings import estimate_at_stop

Array = NDArray[np.float64]

ESTIMAND = "the language effect net of the instrument, in SDs of debates in the reference"

#: What is diagnosed: the headline; the same with its anchors fixed; the sign-flip test beside it;
#: and the paper's index as it reads, whose bias is the instrument's offset.
FIXED = "net_anchors_fixed"
DIAGNOSED = (NET, FIXED, NET_SIGN_FLIP, REFITTED)

#: The world whose library is moved to have no effect at all, and by these SDs, beyond what
#: recycling can do.
ZERO = "zero"
SHIFTS = (1.0, 2.5)
#: The world of the debaters as they are, and what it and the null are estimated by.
AS_RUN, LIBRARY_MEAN = "planted_as_run", "library_mean"

#: Repetitions within a study: 999 put p = .05 exactly on the grid.
_REPETITIONS = 999


@dataclass(frozen=True)
class Planted:
    """A planted effect in the library.

    Attributes
    ----------
    name : of the world.
    draws : of a study in it.
    treated : components of the sessions in the language, shape (m, u, 2, 2).
    true : the net effect over the library, in SDs of the reference.
    raw : the same of each part as it is measured, shape (parts,).
    true_se : its standard error, from so many sessions of these motions.
    """

    name: str
    draws: int
    treated: Array
    true: float
    raw: Array
    true_se: float = 0.0


def diagnose(
    pool: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the estimators do where the truth is known.

    Parameters
    ----------
    pool : motion_id -> row.
    settings : the languages, of which the first other one is compared with the reference, the
        protocol, the measures, ``inference.confidence``, and ``diagnosis``: the simulated debaters,
        what is planted, draws of a study, simulated studies, and draws of the libraries; ``stop``,
        ``block_size`` and ``draws`` of a study that may stop.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. ``true`` is the net effect over the whole
    library. That of the world without an effect is a random number near zero (the library is
    finite); it is subtracted, so that the null is one, and what it was is in the row
    ``library_mean``, with the interval that must hold zero. Last comes the true effect of
    :func:`plant_as_run`, and what a study of it, of as many draws as are set, finds at its stop.

    Notes
    -----
    Sessions are run, rendered and measured once (:mod:`.inference.library`). A
    study draws as many motions for each domain as the pool has there, with replacement, so that the
    pool's motions are a sample of motions; then domains and motions as the manifest does; then for
    each draw a pair of sessions of its motion. Anchors, offset and intervals are those of the run.
    """
    diagnosis, confidence = settings["diagnosis"], settings["inference.confidence"]
    library = simulate_library(
        list(pool.values()), _conditions(settings), diagnosis["sessions"], seed, cores
    )
    weights = settings["measures.weights"]
    shares = (weights["lexical"], weights["semantic"])
    planted, checks = plant(library, shares, diagnosis["draws"])
    stop = SimulatedStop.of(settings.get("stop"), confidence, settings.get("block_size", 0))
    estimators = (*DIAGNOSED, *[ANYTIME] * bool(stop))
    worlds = [World(plan.name, plan.true, estimators, plan.true_se) for plan in planted]
    simulate = partial(_simulate, library, planted, shares, confidence, seed, stop)
    rows = run_worlds(worlds, ESTIMAND, simulate, diagnosis["simulations"], confidence, cores)
    world = World("zero_as_run", 0.0, (LIBRARY_MEAN,))
    rows += run_worlds([world], ESTIMAND, lambda _: [checks], 1, confidence)
    of_debaters = plant_as_run(pool, settings, seed, cores)
    if of_debaters is None:
        return rows
    library, own = of_debaters
    true = Estimate(own.true, own.true_se)
    world = World(own.name, own.true, (LIBRARY_MEAN,), own.true_se)
    rows += run_worlds([world], ESTIMAND, lambda _: [{LIBRARY_MEAN: true}], 1, confidence)
    if stop is None:
        return rows
    world, times = replace(world, estimators=(ANYTIME,)), diagnosis["simulations"]
    simulate = partial(_stop, library, own, shares, seed, stop)
    return rows + run_worlds([world], ESTIMAND, simulate, times, confidence, cores)


def plant_as_run(
    pool: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> tuple[Library, Planted] | None:
    """The debaters as they are, in a library of ``diagnosis.truth_sessions`` of each motion.

    The library that studies are drawn from has fewer sessions, since there its own effect is the
    truth; of the debaters themselves it is an estimate, and as unsure as half a run.

    Parameters
    ----------
    pool, settings, seed, cores : as for :func:`diagnose`.

    Returns
    -------
    The library, and the world in it; None where the debaters' chance to recycle is none of the
    planted ones.
    """
    diagnosis, weights = settings["diagnosis"], settings["measures.weights"]
    conditions = _conditions(settings)
    language = list(conditions.languages)[1]
    chances = {model["speech"]["recycle"].get(language) for model in conditions.debaters}
    as_run = {name: p for name, p in conditions.recycle.items() if {p} == chances}
    if not as_run:
        return None
    library = simulate_library(
        list(pool.values()),
        replace(conditions, recycle=as_run),
        diagnosis["truth_sessions"],
        seed,
        cores,
    )
    (treated,) = list(library.treated.values())[:1]
    effect = _Effect.of(library, treated, (weights["lexical"], weights["semantic"]))
    draws = settings.get("draws", 0)
    return library, Planted(AS_RUN, draws, treated, effect.in_sds, effect.raw, effect.se)


def _conditions(settings: Mapping[str, Any]) -> Conditions:
    """What the library is run and measured under: by measures of this machine."""
    reference, diagnosis = settings["reference"], settings["diagnosis"]
    languages = settings["languages"]
    other = next(name for name in languages if name != reference)
    return Conditions(
        {name: languages[name] for name in (reference, other)},
        diagnosis["debaters"],
        diagnosis["recycle"],
        settings["protocol"],
        {
            "tokenizer": diagnosis["tokenizer"],
            "embedder": diagnosis["embedder"],
            "unit": settings["measures.unit"],
        },
    )


def plant(
    library: Library, shares: Sequence[float], sizes: Sequence[int]
) -> tuple[list[Planted], dict[str, Estimate]]:
    """The worlds of a library, and the estimate of what its world without an effect came out as.

    Parameters
    ----------
    library : with the effect :data:`ZERO` among its own.
    shares : weights of the index's parts.
    sizes : draws of a study.
    """
    plans: list[tuple[str, Array, float, Array, float]] = []
    checks = {}
    total = float(np.sum(shares))
    for name, treated in library.treated.items():
        effect = _Effect.of(library, treated, shares)
        if name != ZERO:
            plans.append((name, treated, effect.in_sds, effect.raw, effect.se))
            continue
        labels = np.repeat(np.array(library.motions), effect.by_draw.shape[1])
        finite = np.isfinite(effect.by_draw).ravel()
        checks[LIBRARY_MEAN] = robust_mean(effect.by_draw.ravel()[finite], labels[finite], 0.95)
        moved = treated - effect.raw
        for shift in (0.0, *SHIFTS):
            raw = shift * effect.spread
            named = f"shifted_{shift:g}_SD" if shift else name
            plans.append((named, moved + raw, shift * total, raw, 0.0))
    return [
        Planted(_world(name, n), n, treated, true, raw, error)
        for n in sizes
        for name, treated, true, raw, error in plans
    ], checks


@dataclass(frozen=True)
class _Effect:
    """The net effect over a library.

    Attributes
    ----------
    raw, spread : of each part, and the SD of the reference's debates; shape (parts,).
    by_draw : in SDs, shape (m, u).
    in_sds, se : of the index, and its standard error from so many sessions of these motions.
    """

    raw: Array
    spread: Array
    by_draw: Array
    in_sds: float
    se: float

    @classmethod
    def of(cls, library: Library, treated: Array, shares: Sequence[float]) -> _Effect:
        weights = _chances(library)
        plain = library.reference[:, :, 0]
        spread = np.sqrt(_mean((plain - _mean(plain, weights)) ** 2, weights))
        differences = _net(library.reference, treated)
        effect = _mean(differences, weights)
        by_draw = (differences / spread * shares).sum(axis=-1)
        in_sds = float((effect / spread) @ np.asarray(shares))
        return cls(effect, spread, by_draw, in_sds, _mean_se(by_draw, weights))


def planted_world(chances: Collection[float | None], planted: Mapping[str, float], n: int) -> str:
    """The world of debaters who all recycle with one chance; "" where no world has it.

    Parameters
    ----------
    chances : of the debaters, each once.
    planted : effect -> chance.
    n : draws of the study.
    """
    names = [name for name, chance in planted.items() if set(chances) == {chance}]
    return _world(names[0], n) if names else ""


def _world(name: str, n: int) -> str:
    return f"{name}_{n}_draws"


def _chances(library: Library) -> Array:
    """The chance that a draw takes each motion, shape (m,): domains uniformly, then motions."""
    domains, sizes = np.unique(library.domains, return_counts=True)
    size = sizes[np.searchsorted(domains, library.domains)]
    return np.asarray(1.0 / (len(domains) * size))


def _mean(values: Array, weights: Array) -> Array:
    """Mean over the library by the chances of the design, shape (parts,)."""
    chances = np.broadcast_to(weights[:, None, None], values.shape)
    finite = np.isfinite(values)
    total = np.where(finite, values, 0.0) * chances
    return np.asarray(total.sum(axis=(0, 1)) / (finite * chances).sum(axis=(0, 1)))


def _mean_se(by_draw: Array, weights: Array) -> float:
    """Standard error of the mean over the library, from so many draws of these very motions.

    Parameters
    ----------
    by_draw : effect of each draw, shape (m, u), NaN where it has none.
    weights : chance of each motion, shape (m,).
    """
    counts = np.isfinite(by_draw).sum(axis=1)
    several = counts > 1
    variances = np.nanvar(by_draw[several], axis=1, ddof=1) / counts[several]
    return float(np.sqrt((weights[several] ** 2 * variances).sum()))


def _net(reference: Array, treated: Array) -> Array:
    """Mean of the two differences with one ruler, shape (..., parts)."""
    forward = treated[..., 0, :] - reference[..., 1, :]
    return (forward + treated[..., 1, :] - reference[..., 0, :]) / 2.0


def _simulate(
    library: Library,
    planted: Sequence[Planted],
    shares: Sequence[float],
    confidence: float,
    seed: int,
    stop: SimulatedStop | None,
    index: int,
) -> list[dict[str, Estimate]]:
    """One study in every world; worlds of one size share its draws."""
    estimates = []
    for world in planted:
        rng = np.random.default_rng([seed, index, world.draws])
        readings = draw_study(library, world.treated, world.draws, rng)
        of_study = _estimates(readings, shares, confidence, int(rng.integers(2**31)))
        if stop:
            of_study[ANYTIME] = estimate_at_stop(
                readings, shares, stop, (world.true, world.raw), rng
            )
        estimates.append(of_study)
    return estimates


def _stop(
    library: Library,
    world: Planted,
    shares: Sequence[float],
    seed: int,
    stop: SimulatedStop,
    index: int,
) -> list[dict[str, Estimate]]:
    """One study in a world, where it stops."""
    rng = np.random.default_rng([seed, index, world.draws])
    readings = draw_study(library, world.treated, world.draws, rng)
    truth = (world.true, world.raw)
    return [{ANYTIME: estimate_at_stop(readings, shares, stop, truth, rng)}]


def draw_study(library: Library, treated: Array, n: int, rng: np.random.Generator) -> Readings:
    """A study of n draws from the library, as :func:`diagnose` says."""
    domains = np.unique(library.domains)
    places = np.arange(len(library.domains))
    pool = places.copy()
    for domain in domains:
        members = places[library.domains == domain]
        pool[members] = rng.choice(members, len(members))
    drawn = domains[rng.integers(len(domains), size=n)]
    slots = np.array([rng.choice(places[library.domains == domain]) for domain in drawn])
    units = rng.integers(library.reference.shape[1], size=n)
    base, other = library.reference[pool[slots], units], treated[pool[slots], units]
    return Readings(other[:, 0], base[:, 0], base[:, 1], other[:, 1], slots.astype(object))


def _estimates(
    readings: Readings, shares: Sequence[float], confidence: float, seed: int
) -> dict[str, Estimate]:
    every = estimate_net(readings, Scaling(shares, "z"), confidence, _REPETITIONS, seed)
    spread = np.nanstd(readings.reference, axis=0, ddof=1)
    by_draw = (net_draws(readings) / spread) @ np.asarray(shares)
    finite = np.isfinite(by_draw)
    motions = readings.motions[finite].astype(str)
    estimates = {
        NET: every.get(net.NET),
        REFITTED: every.get(net.PAIRED),
        FIXED: robust_mean(by_draw[finite], motions, confidence),
    }
    if len(np.unique(motions)) > 1:
        estimates[NET_SIGN_FLIP] = sign_flip(by_draw[finite], motions, _REPETITIONS, seed)
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}
