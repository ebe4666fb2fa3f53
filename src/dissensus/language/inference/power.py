"""What the study can find: power and the minimum detectable effect by number of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import HEADLINE, contrast_name
from dissensus.language.inference.estimators import Options, estimate
from dissensus.language.inference.pairs import compared_languages, pair_up
from dissensus.stats.power import minimum_detectable_effect, power_paired_t
from dissensus.stats.results import NAN
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, count, number, text

POWER = Schema(
    name="power",
    row="basis, number of draws and effect",
    columns={
        "basis": text("Where the spread comes from: standardised, or a contrast and its unit."),
        "n_draws": count("How many complete draws the study has."),
        "sd": number("Standard deviation of a paired difference.", "of the outcome"),
        "effect_sd": Column(
            "float", "True effect, standardised.", "standard deviations of a paired difference"
        ),
        "effect": number("True effect in the unit of the outcome.", "of the outcome"),
        "power": chance("Power of the paired t test."),
        "mde": number("Smallest effect that is found with a power of .8.", "of the outcome"),
    },
    key=("basis", "n_draws", "effect_sd"),
)

#: The basis that needs no data: effects in standard deviations of a paired difference.
STANDARDISED = "standardised"

#: The power at which an effect counts as detectable.
TARGET = 0.8


def ladder(planned: int) -> list[int]:
    """Numbers of draws shown beside the planned one: 25, doubled to 400, or to the planned one."""
    return [25 * 2**rung for rung in range(max(5, (planned // 25).bit_length()))]


def power_rows(
    basis: str, sd: float, ns: Sequence[int], effects: Sequence[float], confidence: float
) -> list[dict[str, Any]]:
    """Power of the paired t test for given SDs, sizes and effects.

    Parameters
    ----------
    basis : where the standard deviation comes from.
    sd : of a paired difference.
    ns : numbers of complete draws, at least 2.
    effects : true effects in standard deviations.
    confidence : one minus the two-sided level.

    Returns
    -------
    Rows of :data:`POWER`; without a positive, finite SD the numbers are NaN.

    Notes
    -----
    Power is P(|T| > t_{n-1, 1-alpha/2}) for T noncentral t of noncentrality effect / sd * sqrt(n)
    (Cohen 1988, section 2.3.5); ``mde`` is the effect, in the outcome's unit, whose power is
    80% (Bloom 1995).
    """
    known = bool(np.isfinite(sd) and sd > 0)
    rows = []
    for n in ns:
        mde = minimum_detectable_effect(sd, n, TARGET, 1.0 - confidence) if known else NAN
        for effect in effects:
            power = float(power_paired_t(effect, 1.0, n, 1.0 - confidence)) if known else NAN
            rows.append(
                {
                    "basis": basis,
                    "n_draws": n,
                    "sd": sd,
                    "effect_sd": float(effect),
                    "effect": effect * sd,
                    "power": power,
                    "mde": mde,
                }
            )
    return rows


def power_table(
    metrics: pd.DataFrame | None,
    reference: str,
    outcome: str,
    planned: int,
    effects: Sequence[float],
    confidence: float,
) -> list[dict[str, Any]]:
    """Power for the planned and the observed number of draws, and a ladder of others.

    Parameters
    ----------
    metrics : a row a session; None before there are any.
    reference : the language that the others are compared with.
    outcome : the primary outcome.
    planned : draws in the configuration.
    effects : true effects in standard deviations of a paired difference.
    confidence : one minus the two-sided level.

    Returns
    -------
    Rows of :data:`POWER`: in standard deviations, and for each contrast with the observed SD of
    the differences (``zh-en by draw``) and with SE * sqrt(n) of the headline's motion-clustered
    standard error (``zh-en by motion``), which is what draws are worth when motions repeat.
    """
    ns = {n for n in (*ladder(planned), planned) if n >= 2}
    rows = power_rows(STANDARDISED, 1.0, sorted(ns), effects, confidence)
    if metrics is None:
        return rows
    for language in compared_languages(metrics, reference):
        contrast = contrast_name(language, reference)
        sample = pair_up(metrics, outcome, language, reference).sample()
        n = len(sample.differences)
        robust = estimate(HEADLINE, sample, Options(confidence, 2, 1, 0))
        spreads = {
            "draw": float(sample.differences.std(ddof=1)) if n > 1 else NAN,
            "motion": robust.se * n**0.5,
        }
        sizes = sorted(ns | ({n} if n >= 2 else set()))
        for unit, sd in spreads.items():
            rows += power_rows(f"{contrast} by {unit}", sd, sizes, effects, confidence)
    return rows
