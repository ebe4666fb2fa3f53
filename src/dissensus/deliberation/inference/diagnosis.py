"""The design diagnosed by simulation: whole studies drawn, and estimated by the study's own code.

In the manner of DeclareDesign (Blair, Cooper, Coppock & Humphreys 2019, American Political Science
Review 113:838-859): declare a model of the world, draw data from it many times, and see how far
the estimators are to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.deliberation.inference.contrasts import (
    HEADLINE,
    METHODS,
    Pairs,
    compare,
    defined,
)
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.stats.multiplicity import adjust
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common

DESIGN_DIAGNOSIS = Schema(
    name="design_diagnosis",
    row="scenario, estimator and planted effect",
    columns={
        **common("scenario", "estimator", "true", "mean?", "bias?", "sd?", "rmse?"),
        **common("coverage?", "coverage_mc_se?", "power?", "replicates"),
    },
    key=("scenario", "estimator", "true"),
)

#: Share of the variance of a paired difference that lies between topics, by scenario.
SCENARIOS = {"topics_differ": 0.3, "sharp_null": 0.0}

#: After a method's name: its p-values adjusted over the arms.
HOLM = "_holm"

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
    """

    draws: int
    topics: int
    contrasts: int


def diagnose(
    draws: int,
    topics: int,
    arms: Sequence[str],
    reference: str,
    simulations: int,
    effects: Sequence[float],
    confidence: float,
    seed: int,
) -> list[dict[str, Any]]:
    """Bias, RMSE, coverage, power and family-wise error of the study's contrasts.

    Parameters
    ----------
    draws, topics : of the design.
    arms : the study's, the reference among them.
    reference : the arm that the others are compared with.
    simulations : studies drawn.
    effects : planted, in standard deviations of a paired difference.
    confidence : level of the intervals, and one minus that of the tests.
    seed : of the diagnosis.

    Returns
    -------
    Rows of :data:`DESIGN_DIAGNOSIS`. An estimator with the ending :data:`HOLM` is a family: its
    power at an effect of 0 is the share of studies that find an effect in any arm where there is
    none; at another effect, which one arm has and the others have not, that of studies that find
    the one. Tests have no interval and no coverage. Replicates are the studies whose interval or
    test is defined; draws of a single topic have none.

    Notes
    -----
    A session's outcome is the topic's deviation under its arm plus noise, and what a topic adds
    in all arms alike cancels in a paired difference. Differences of all arms share the reference's
    sessions, so that they correlate by one half. Under ``topics_differ`` a share of 0.3 of their
    variance lies between topics, drawn anew in every study. Under ``sharp_null`` arms change
    nothing, and all effects are zero. Topics are dealt as evenly as draws allow, in random order.
    """
    plan = Plan(draws, topics, sum(arm != reference for arm in arms))
    cells = [("topics_differ", float(effect)) for effect in effects] + [("sharp_null", 0.0)]
    shape = (len(cells), len(METHODS), simulations, 4)
    single, family = np.full(shape, np.nan), np.full(shape[:3], np.nan)
    for index in range(simulations if plan.contrasts else 0):
        rng = np.random.default_rng([seed, index])
        dealt = deal_topics(plan, rng)
        noise = {name: differences(plan, dealt, share, rng) for name, share in SCENARIOS.items()}
        flips = int(rng.integers(2**31))
        nulls = {name: _study(d, dealt, confidence, flips) for name, d in noise.items()}
        for i, (scenario, effect) in enumerate(cells):
            results = nulls[scenario].copy()
            if effect:
                planted = noise[scenario][:1] + effect
                results[:1] = _study(planted, dealt, confidence, flips)
            single[i, :, index] = results[0]
            family[i, :, index] = _family(results[:, :, 3], effect)
    return _rows(cells, single, family, 1.0 - confidence)


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


def _study(values: FloatArray, dealt: IntArray, confidence: float, seed: int) -> FloatArray:
    """Estimate, limits and p of every contrast by every method, (contrasts, methods, 4)."""
    topics = dealt.astype(np.str_)
    return np.array(
        [
            [
                (one.estimate, one.ci_low, one.ci_high, one.p_value)
                for one in compare(Pairs(own, topics), confidence, _FLIPS, seed).values()
            ]
            for own in values
        ]
    )


def _family(p_values: FloatArray, effect: float) -> FloatArray:
    """By method: the smallest adjusted p of the family, or that of the arm with the effect."""
    adjusted = np.column_stack([adjust(column, "holm") for column in p_values.T])
    # Not `nanmin`, which warns where a method has no p-value at all.
    return np.asarray(adjusted[0] if effect else np.fmin.reduce(adjusted))


def _rows(
    cells: Sequence[tuple[str, float]], single: FloatArray, family: FloatArray, alpha: float
) -> list[dict[str, Any]]:
    rows = []
    for i, (scenario, effect) in enumerate(cells):
        for j, method in enumerate(METHODS):
            own = _performance(single[i, j], effect, alpha, estimates=method == HEADLINE)
            rows.append({"scenario": scenario, "estimator": method, "true": effect, **own})
        for j, method in enumerate(METHODS):
            name = method + HOLM
            tests = _tests(family[i, j], alpha)
            rows.append({"scenario": scenario, "estimator": name, "true": effect, **tests})
    return rows


def _performance(found: FloatArray, effect: float, alpha: float, estimates: bool) -> dict[str, Any]:
    """How one method did in one cell; `found` is (simulations, 4)."""
    tests = _tests(found[:, 3], alpha)
    if not estimates or not tests["replicates"]:
        return tests
    values, low, high, _ = found[~np.isnan(found[:, 3])].T
    coverage = float(((low <= effect) & (effect <= high)).mean())
    return {
        **tests,
        "mean": float(values.mean()),
        "bias": float(values.mean()) - effect,
        "sd": defined(float(values.std(ddof=1)) if len(values) > 1 else np.nan),
        "rmse": float(np.sqrt(((values - effect) ** 2).mean())),
        "coverage": coverage,
        "coverage_mc_se": _mc_se(coverage, len(values)),
    }


def _tests(p_values: FloatArray, alpha: float) -> dict[str, Any]:
    """Share of significant tests; all other columns are missing."""
    known = p_values[~np.isnan(p_values)]
    power = float((known < alpha).mean()) if len(known) else np.nan
    missing = dict.fromkeys(("mean", "bias", "sd", "rmse", "coverage", "coverage_mc_se"))
    return {
        **missing,
        "power": defined(power),
        "replicates": len(known),
    }


def _mc_se(share: float, n: int) -> float:
    return float(np.sqrt(share * (1.0 - share) / max(n, 1)))
