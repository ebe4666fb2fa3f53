"""What the study can find: power and the minimum detectable effect by number of draws.

By simulation of the design and of the headline's test, not by a formula for independent draws: with
draws that repeat motions, 100 of them are worth fewer. Each simulated study draws domains and
motions as the manifest does and tests the mean with its standard error clustered on motion. The
design diagnosis (``snakemake diagnosis``) has the power of the whole chain, from texts on, at a few
planted effects.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from dissensus.design.stopping import ANYTIME
from dissensus.digests import seed_of
from dissensus.stats.results import NAN
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, count, number, text

from .estimators import NET

POWER = Schema(
    name="power",
    row="basis, number of draws and effect",
    columns={
        "basis": text("Where the spread comes from: standardised, or a contrast."),
        "n_draws": count("How many complete draws the study has."),
        "sd": number("Standard deviation of a paired difference.", "of the outcome"),
        "effect_sd": Column(
            "float", "True effect, standardised.", "standard deviations of a paired difference"
        ),
        "effect": number("True effect in the unit of the outcome.", "of the outcome"),
        "power": chance("Power of the headline's test, by simulation of the design."),
        "mde": number("Smallest effect that is found with a power of .8.", "of the outcome"),
    },
    key=("basis", "n_draws", "effect_sd"),
)

#: The basis that needs no data: effects in standard deviations of a paired difference.
STANDARDISED = "standardised"

#: The power at which an effect counts as detectable.
TARGET = 0.8

# Simulated studies of each size, and the most draws, or motions, of all of them together.
_STUDIES, _MOST_CELLS = 4_000, 2_000_000


def ladder(planned: int) -> list[int]:
    """Numbers of draws shown beside the planned one: 25, doubled to 400, or to the planned one."""
    return [25 * 2**rung for rung in range(max(5, (planned // 25).bit_length()))]


@dataclass(frozen=True)
class Studies:
    """Simulated studies of one size without an effect, in SDs of a paired difference.

    Attributes
    ----------
    estimates, errors, critical : mean difference, its CR2 standard error clustered on motion, and
        the quantile of Satterthwaite's t that it is tested with, shape (s,) each.
    """

    estimates: NDArray[np.float64]
    errors: NDArray[np.float64]
    critical: NDArray[np.float64]

    def power(self, effect: float) -> float:
        """Share of the studies that are significant with an effect, in SDs."""
        exceeding = np.abs(self.estimates + effect) > self.critical * self.errors
        return float(exceeding.mean()) if len(exceeding) else NAN

    @property
    def detectable(self) -> float:
        """The effect that :data:`TARGET` of the studies find, in SDs."""
        needed = self.critical * self.errors - self.estimates
        return float(np.quantile(needed, TARGET)) if len(needed) else NAN


def simulate_studies(
    pool: pd.DataFrame, n: int, motion_share: float, confidence: float, seed: int
) -> Studies:
    """Studies of n complete draws through the headline's test.

    Parameters
    ----------
    pool : a row a motion; drawable ones are drawn from as the manifest draws.
    n : complete draws of a study.
    motion_share : share of the variance of a paired difference between motions, drawn anew.
    confidence : one minus the two-sided level.
    seed : of the run.

    Returns
    -------
    Studies in which all draws fell on one motion have no test and are left out.
    """
    drawable = pool[pool["drawable"].to_numpy(dtype=bool)]
    sizes = drawable.groupby("domain_id").size().to_numpy()
    motions, first = int(sizes.sum()), np.cumsum(sizes) - sizes
    times = int(np.clip(_MOST_CELLS // max(n, motions), 200, _STUDIES))
    rng = np.random.default_rng(seed_of(seed, "power", n))
    domains = rng.integers(len(sizes), size=(times, n))
    codes = first[domains] + (rng.random((times, n)) * sizes[domains]).astype(np.int64)
    codes += motions * np.arange(times)[:, None]
    between = rng.standard_normal(times * motions)[codes]
    values = np.sqrt(motion_share) * between
    values += np.sqrt(1.0 - motion_share) * rng.standard_normal((times, n))

    def summed(weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        flat = None if weights is None else weights.ravel()
        totals = np.bincount(codes.ravel(), flat, times * motions).astype(np.float64)
        return totals.reshape(times, motions)

    counts = summed(None)
    mean = values.mean(axis=1)
    residual = summed(values) - counts * mean[:, None]
    usable = (counts > 0).sum(axis=1) > 1
    counts, residual, mean = counts[usable], residual[usable], mean[usable]
    # As in dissensus.stats.bootstrap.cluster_robust_mean, for all studies at once.
    variance = (residual**2 / (1.0 - counts / n)).sum(axis=1) / n**2
    leverage = counts**2 / (n - counts)
    squares = (counts**2).sum(axis=1) + leverage.sum(axis=1) ** 2 - (leverage**2).sum(axis=1)
    critical = special.stdtrit(n**2 / squares, (1.0 + confidence) / 2.0)
    return Studies(mean, np.sqrt(variance), critical)


@makes(power=POWER)
def power_table(
    pool: pd.DataFrame,
    effect: pd.DataFrame | None,
    planned: int,
    effects: Sequence[float],
    motion_share: float,
    confidence: float,
    seed: int,
) -> list[dict[str, Any]]:
    """Power for the planned and the observed number of draws, and a ladder of others.

    Parameters
    ----------
    pool : a row a motion.
    effect : rows of the language effect; None before there are any.
    planned : draws in the configuration.
    effects : true effects in standard deviations of a paired difference.
    motion_share : share of the variance of a paired difference between motions.
    confidence : one minus the two-sided level.
    seed : of the run.

    Returns
    -------
    Rows of :data:`POWER`: in standard deviations, and for each contrast in the unit of the outcome,
    with the SD that gives so many draws the standard error of the run's own headline. ``mde`` is
    the effect whose power is 80% (Bloom 1995).
    """
    ns = {n for n in (*ladder(planned), planned) if n >= 2}
    answers = [] if effect is None else _answers(effect)
    observed = {str(row["contrast"]): row for row in answers}
    every = ns | {int(row["n"]) for row in answers if row["n"] >= 2}
    studies = {n: simulate_studies(pool, n, motion_share, confidence, seed) for n in sorted(every)}
    rows = _rows(STANDARDISED, 1.0, {n: studies[n] for n in sorted(ns)}, effects)
    for contrast, row in observed.items():
        n, se = int(row["n"]), row["se"]
        mean_se = float(studies[n].errors.mean()) if n >= 2 and len(studies[n].errors) else NAN
        sd = float(se) / mean_se if se is not None and mean_se > 0 else NAN
        shown = {size: studies[size] for size in sorted(ns | ({n} if n >= 2 else set()))}
        rows += _rows(contrast, sd, shown, effects)
    return rows


def _answers(effect: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """The headline of each contrast, by the method with a standard error."""
    headline = effect[effect["headline"].to_numpy(bool)]
    if not (headline["method"] == ANYTIME).any():
        return headline.to_dict("records")
    of_outcome = effect[effect["outcome"].isin(headline["outcome"])]
    return of_outcome[of_outcome["method"] == NET].to_dict("records")


def _rows(
    basis: str, sd: float, studies: dict[int, Studies], effects: Sequence[float]
) -> list[dict[str, Any]]:
    """Without a positive, finite SD the numbers are NaN."""
    unit = sd if np.isfinite(sd) and sd > 0 else NAN
    return [
        {
            "basis": basis,
            "n_draws": n,
            "sd": sd,
            "effect_sd": float(effect),
            "effect": effect * sd,
            "power": study.power(effect) if np.isfinite(unit) else NAN,
            "mde": study.detectable * unit,
        }
        for n, study in studies.items()
        for effect in effects
    ]
