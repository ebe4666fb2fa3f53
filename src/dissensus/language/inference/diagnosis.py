"""The design diagnosed by simulation: whole studies drawn, and estimated by the study's own code.

In the manner of DeclareDesign (Blair, Cooper, Coppock & Humphreys 2019, American Political Science
Review 113:838-859): declare a model of the world, draw data and assignment from it many times, and
see how far the estimators are to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.language.design.manifest import Drawing, draw_manifest
from dissensus.language.inference.estimators import Options, estimate
from dissensus.language.inference.pairs import Array, Labels, Sample
from dissensus.language.settings import DiagnosisSettings
from dissensus.stats.checks import IntArray
from dissensus.stats.results import NAN
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, share, text

_SD = "standard deviations of a paired difference"

DESIGN_DIAGNOSIS = Schema(
    name="design_diagnosis",
    row="population, planted effect and estimator",
    columns={
        "population": text("The simulated world: motions_differ or sharp_null."),
        "effect": Column("float", "Effect that is planted.", _SD),
        **common("estimator"),
        "simulations": count("How many simulated studies the estimator gave a result in."),
        "mean_estimate": number("Mean estimate over the simulated studies.", _SD),
        **common("bias?", "sd?", "rmse?", "coverage?", "coverage_mc_se?", "power?"),
        "power_mc_se": share("Standard error of the power, from simulating so many studies."),
        "type_s": share("Share of the significant estimates that have the wrong sign."),
    },
    key=("population", "effect", "estimator"),
)

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

#: Populations of a paired difference, in a sentence for tables.
POPULATIONS = {
    "motions_differ": "The language effect differs between motions and between domains.",
    "sharp_null": "Language changes no debate at all: differences are noise and order alone.",
}

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
    pool: Sequence[Mapping[str, Any]],
    drawing: Drawing,
    settings: DiagnosisSettings,
    confidence: float,
    seed: int,
) -> list[dict[str, Any]]:
    """Bias, RMSE, coverage, power and sign errors of the estimators, by planted effect.

    Parameters
    ----------
    pool : rows of the motion pool.
    drawing : the study's, of which each simulated study draws its own seed; the contrast is that
        of its first two languages.
    settings : simulated studies, planted effects and the share of variance between motions.
    confidence : level of the intervals, and one minus that of the tests.
    seed : of the diagnosis.

    Returns
    -------
    Rows of :data:`DESIGN_DIAGNOSIS`, in standard deviations of a paired difference. A study that
    an estimator cannot estimate (all draws on one motion) is left out of its row, and of the
    count in ``simulations``. Tests without an interval have no coverage.

    Notes
    -----
    Each study draws a manifest, and differences d = tau + b_motion + c_domain +- P + e of total
    variance 1 about tau. b is drawn anew for every motion in every study, so that the pool's
    motions are a sample, and has the variance `motion_share`. Domains are the ten of the
    classification and no sample: their deviations c are fixed and sum to zero over the drawable
    ones. P is added where the language came first and subtracted where it came second. What
    varies between motions or draws alike in both languages cancels, and is not drawn. Effects
    share the studies: their rows differ by the planted effect and not by chance.

    Power is the share of p-values below one minus `confidence`; where the effect is zero that is
    the size, of the weak null under ``motions_differ`` and of the sharp null under ``sharp_null``.
    Type S is the share of significant estimates of the wrong sign (Gelman & Carlin 2014).
    """
    cells = [("motions_differ", float(effect)) for effect in settings.effects]
    cells.append(("sharp_null", 0.0))
    found = np.full((len(cells), len(DIAGNOSED), settings.simulations, 4), np.nan)
    for index in range(settings.simulations):
        rng = np.random.default_rng([seed, index])
        assigned = assign(pool, replace(drawing, seed=int(rng.integers(2**31))))
        noise = {
            "motions_differ": _differences(assigned, settings.motion_share, rng),
            "sharp_null": _differences(assigned, None, rng),
        }
        options = Options(confidence, _REPETITIONS, _REPETITIONS, int(rng.integers(2**31)))
        for i, (population, effect) in enumerate(cells):
            sample = Sample(noise[population] + effect, assigned.motions, assigned.first)
            for j, method in enumerate(DIAGNOSED):
                one = estimate(method, sample, options)
                found[i, j, index] = (one.estimate, one.ci_low, one.ci_high, one.p_value)
    return [
        {
            "population": population,
            "effect": effect,
            "estimator": method,
            **_performance(found[i, j], effect, 1.0 - confidence),
        }
        for i, (population, effect) in enumerate(cells)
        for j, method in enumerate(DIAGNOSED)
    ]


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


def _performance(found: Array, effect: float, alpha: float) -> dict[str, Any]:
    """How one estimator did in one population; `found` is (simulations, 4)."""
    found = found[np.isfinite(found[:, 0])]
    n = len(found)
    estimates, low, high, p_values = found.T
    spanned = ~np.isnan(low)
    significant = p_values < alpha
    coverage = _share(((low <= effect) & (effect <= high))[spanned])
    power = _share(significant)
    wrong = _share(np.sign(estimates[significant]) != np.sign(effect)) if effect else NAN
    return {
        "simulations": n,
        "mean_estimate": float(estimates.mean()) if n else NAN,
        "bias": float(estimates.mean()) - effect if n else NAN,
        "sd": float(estimates.std(ddof=1)) if n > 1 else NAN,
        "rmse": float(np.sqrt(((estimates - effect) ** 2).mean())) if n else NAN,
        "coverage": coverage,
        "coverage_mc_se": float(np.sqrt(coverage * (1.0 - coverage) / max(spanned.sum(), 1))),
        "power": power,
        "power_mc_se": float(np.sqrt(power * (1.0 - power) / max(n, 1))),
        "type_s": wrong,
    }


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else NAN
