"""The worlds in which the consensus study's design is diagnosed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dissensus.design.contrasts import METHODS, Options
from dissensus.design.diagnosis import (
    HOLM,
    World,
    contrast_estimates,
    run_worlds,
    with_family,
)
from dissensus.design.pairs import Pairs
from dissensus.llm.providers.behaviours import speech_of
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate

from .domains import read_domain
from .measures import measure
from .outcomes import OUTCOMES, PRIMARY
from .simulated import SpeechSettings
from .simulated.dynamics import Traits, debates

ESTIMAND = f"what an arm changes in the {OUTCOMES[PRIMARY].over}"
ESTIMATORS = (*METHODS, *(name + HOLM for name in METHODS))

_NULL, _PLANTED = "debate", "compromise"
#: Sign patterns of a test: 999 put p = .05 exactly on the grid.
_FLIPS = 999
#: Statements whose mean difference is taken for the true one.
_MANY = 200_000
_SEED = 20251215


def diagnose(
    statements: Mapping[str, Any], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the study's contrasts do where the truth is known.

    Parameters
    ----------
    statements : statement_id -> row.
    settings : of the design, ``inference.confidence``, and ``diagnosis`` with the number of
        simulations and the planted chances of a step towards the others' mean.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. With a chance of 0 the planted arm is a
    second name of the reference, as are all other arms: no test may find it. Statements, opinions
    and debates are drawn anew in each study, by the equations of the simulated agents, and measured
    and compared as those of a run are; the texts alone are left out.
    """
    domains = settings["domains"]
    agents = [len(read_domain(folder).agents) for folder in domains.values()]
    available = [
        sum(
            row["domain"] == name and row["split"] in settings["splits"]
            for row in statements.values()
        )
        for name in domains
    ]
    sizes = [min(settings["statements"] or most, most) for most in available]
    plan = [(n, size) for n, size in zip(agents, sizes, strict=True)]
    chances = [float(chance) for chance in settings["diagnosis"]["meets"]]
    traits = speech_of(SpeechSettings, settings["diagnosis"]["agent"]["speech"]).traits
    study = partial(_outcomes, traits, plan, settings["repeats"], settings["rounds"])
    truths = [_true(study, chance) for chance in chances]
    worlds = [
        World(step_world(chance), true, ESTIMATORS, error)
        for chance, (true, error) in zip(chances, truths, strict=True)
    ]
    contrasts = len(settings["compared"]) - 1
    confidence = settings["inference.confidence"]
    simulations = settings["diagnosis"]["simulations"] if contrasts else 0
    simulate = partial(_simulate, study, chances, contrasts, confidence, seed)
    return run_worlds(worlds, ESTIMAND, simulate, simulations, confidence, cores)


def step_world(chance: float) -> str:
    """The world in which one arm has a chance of a step towards the others' mean."""
    return f"step_{chance:g}"


def _outcomes(
    traits: Traits,
    plan: list[tuple[int, int]],
    repeats: int,
    rounds: int,
    arms: list[tuple[str, float]],
    rng: np.random.Generator,
    times: int = 1,
) -> tuple[FloatArray, Any]:
    """Agreement at the end, shape (arms, draws), and the statement of each draw."""
    parts, clusters, begun = [], [], 0
    for n, size in plan:
        many = size * times
        truth = rng.integers(1, 4, many)
        opinions = rng.standard_normal((many, n))
        dealt = np.tile(np.arange(many), repeats)
        rows = []
        for strategy, chance in arms:
            planted = replace(traits, meets={_PLANTED: chance})
            votes, lasted = debates(truth[dealt], opinions[dealt], planted, strategy, rounds, rng)
            rows.append(measure(votes, lasted)[PRIMARY])
        parts.append(np.array(rows))
        clusters.append(begun + dealt)
        begun += many
    return np.concatenate(parts, axis=1), np.concatenate(clusters)


def _true(study: Any, chance: float) -> tuple[float, float]:
    """The mean difference over very many statements, with its standard error.

    It is 0 exactly where nothing is planted.
    """
    if not chance:
        return 0.0, 0.0
    arms = [(_NULL, 0.0), (_PLANTED, chance)]
    statements = sum(size for _, size in study.args[1])
    studied, _ = study(arms, np.random.default_rng(_SEED), times=-(-_MANY // statements))
    differences = studied[1] - studied[0]
    return float(differences.mean()), float(differences.std() / len(differences) ** 0.5)


def _simulate(
    study: Any, chances: list[float], contrasts: int, confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every world; the arms without an effect are the same in all."""
    rng = np.random.default_rng([seed, index])
    planted = [(_PLANTED, chance) if chance else (_NULL, 0.0) for chance in chances]
    idle = [(_NULL, 0.0)] * contrasts
    studied, clusters = study([*idle, *planted], rng)
    options = Options(confidence, _FLIPS, int(rng.integers(2**31)))
    clusters = clusters.astype(str)
    compared = [
        contrast_estimates(Pairs(row, studied[0], clusters), options) for row in studied[1:]
    ]
    others, with_planted = compared[: contrasts - 1], compared[contrasts - 1 :]
    return [
        with_family(first, others, bool(chance))
        for first, chance in zip(with_planted, chances, strict=True)
    ]
