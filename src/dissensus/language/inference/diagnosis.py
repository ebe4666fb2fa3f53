"""The worlds in which the language study's design is diagnosed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.design.diagnosis import World, run_worlds
from dissensus.language.design.manifest import Drawing, draw_manifest
from dissensus.language.inference.estimators import Options, estimate
from dissensus.language.inference.pairs import Array, Labels, Sample
from dissensus.stats.checks import IntArray
from dissensus.stats.results import Estimate

ESTIMAND = "the language effect, in standard deviations of a paired difference"

#: What is diagnosed: the headline, and what stands beside it in the tables.
DIAGNOSED = (
    "cluster_robust",
    "student_t",
    "sign_flip",
    "sign_flip_motion_studentised",
    "bootstrap_draw_percentile",
    "bootstrap_motion_percentile",
    "bootstrap_motion_studentised",
    "order_stratified",
)

#: Of the variance that motions do not account for: shares of domain by language and of order.
_DOMAIN_SHARE, _ORDER_SHARE = 0.05, 0.05

#: Repetitions within a study: 999 put p = .05 exactly on the grid.
_REPETITIONS = 999


@dataclass(frozen=True)
class Assignment:
    """What a manifest randomised, an entry a draw, of `n_domains` and `n_motions` in the pool."""

    n_domains: int
    n_motions: int
    domains: IntArray
    motions: IntArray
    first: NDArray[np.bool_]


def diagnose(
    pool: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the estimators do where the truth is known.

    Parameters
    ----------
    pool : motion_id -> row.
    settings : those of the manifest, of which each simulated study draws its own (the contrast is
        that of the first two languages), ``inference.confidence``, and ``diagnosis``: simulated
        studies, planted effects and the share of variance between motions.
    seed : of the run.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`, in standard deviations of a paired
    difference. A study that an estimator cannot estimate (all draws on one motion) is left out.

    Notes
    -----
    Each study draws a manifest, and differences d = tau + b_motion + c_domain +- P + e of total
    variance 1 about tau. b is drawn anew for every motion in every study, so that the pool's
    motions are a sample, and has the variance `motion_share`. Domains are the ten of the
    classification and no sample: their deviations c are fixed and sum to zero over the drawable
    ones. P is added where the language came first and subtracted where it came second. What
    varies between motions or draws alike in both languages cancels, and is not drawn. Effects
    share the studies: their rows differ by the planted effect and not by chance.
    """
    diagnosis, confidence = settings["diagnosis"], settings["inference.confidence"]
    worlds = [World("motions_differ", float(one), DIAGNOSED) for one in diagnosis["effects"]]
    worlds.append(World("sharp_null", 0.0, DIAGNOSED))
    drawing = Drawing.of(settings, seed)
    motions, share = list(pool.values()), diagnosis["motion_share"]
    simulate = partial(_simulate, motions, drawing, share, worlds, confidence, seed)
    return run_worlds(worlds, ESTIMAND, simulate, diagnosis["simulations"], confidence, cores)


def _simulate(
    pool: Sequence[Mapping[str, Any]],
    drawing: Drawing,
    share: float,
    worlds: Sequence[World],
    confidence: float,
    seed: int,
    index: int,
) -> list[dict[str, Estimate]]:
    """One study in every world; effects share the study."""
    rng = np.random.default_rng([seed, index])
    assigned = assign(pool, replace(drawing, seed=int(rng.integers(2**31))))
    noise = {
        "motions_differ": _differences(assigned, share, rng),
        "sharp_null": _differences(assigned, None, rng),
    }
    options = Options(confidence, _REPETITIONS, _REPETITIONS, int(rng.integers(2**31)))
    samples = [
        Sample(noise[world.name] + world.true, assigned.motions, assigned.first) for world in worlds
    ]
    return [{name: estimate(name, sample, options) for name in DIAGNOSED} for sample in samples]


def assign(pool: Sequence[Mapping[str, Any]], drawing: Drawing) -> Assignment:
    """Draw a manifest, and take from it what bears on the paired differences."""
    reference, language = drawing.languages[:2]
    rows = draw_manifest(pool, drawing)
    treated = [row for row in rows if row["language"] == language]
    before = {row["draw_id"]: row["position"] for row in rows if row["language"] == reference}

    def codes(column: str) -> tuple[int, IntArray]:
        labels: Labels = np.array([row[column] for row in treated])
        # Over the whole pool, so that a domain keeps its number from study to study.
        known = np.unique([motion[column] for motion in pool if motion["drawable"]])
        return len(known), np.searchsorted(known, labels).astype(np.int64)

    (n_domains, domains), (n_motions, motions) = codes("domain_id"), codes("motion_id")
    first = np.array([row["position"] < before[row["draw_id"]] for row in treated])
    return Assignment(n_domains, n_motions, domains, motions, first)


def _differences(assigned: Assignment, share: float | None, rng: np.random.Generator) -> Array:
    """Paired differences about their expectation; without a share, those of the sharp null."""
    n = len(assigned.first)
    motion, rest = (0.0, 1.0) if share is None else (share, 1.0 - share)
    domain = 0.0 if share is None else rest * _DOMAIN_SHARE
    order = rest * _ORDER_SHARE
    sampled = rng.standard_normal(assigned.n_motions)[assigned.motions]
    fixed = _spread(assigned.n_domains)[assigned.domains]
    period = np.where(assigned.first, 1.0, -1.0)
    noise = rng.standard_normal(n)
    scales = np.sqrt([motion, domain, order, rest - domain - order])
    return np.asarray(scales @ np.vstack([sampled, fixed, period, noise]))


def _spread(k: int) -> Array:
    """k equally spaced deviations of mean 0 and variance 1; 0 for a single one."""
    steps = np.arange(k, dtype=np.float64) - (k - 1) / 2.0
    return np.asarray(steps / steps.std()) if k > 1 else steps
