"""What each part of CCAgent is worth: ablations, transfer and other models, by statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    Options,
    Row,
    defined,
)
from dissensus.design.declared import ALL, Contrasts
from dissensus.stats.power import minimum_detectable_effect, power_paired_t
from dissensus.tables.artefact import Schema
from dissensus.tables.common import number, share, text

from ..inference import CONTRASTS
from ..outcomes import OUTCOMES, PRIMARY
from ..wording import ABLATIONS, CCAGENT, TRANSFERRED

#: What is asked of the arms that learn.
ABLATION, TRANSFER, CLAIM, MODELS = "ablation", "transfer", "counterfactuals", "models"
#: The arm whose removal the paper says to hurt most, and those it is compared with.
_WITHOUT_COUNTERFACTUAL = "ccagent_without_counterfactual"
_RIVALS = ("ccagent_without_good", "ccagent_without_bad", "ccagent_without_rationale")
#: Power at which an effect counts as one that can be found.
POWER = 0.8
#: Statements of each of the project's domains that no agent has learned from.
OF_A_DOMAIN = 24

ABLATIONS_TABLE = Schema(
    name="ablations",
    row="question, domain, arm, reference, outcome and method",
    columns={
        "question": text(
            "ablation: a part of ccagent left out, minus ccagent; transfer: examples of another "
            "domain, minus ccagent and minus the study's reference; counterfactuals: another part "
            "left out, minus counterfactuals left out, which is above 0 for agreement where the "
            "counterfactuals' absence hurts more; models: ccagent minus its like without examples, "
            "with another model or temperature."
        ),
        **CONTRASTS.columns,
        "detectable": number(
            "Smallest true difference that is found in 80% of studies with so many statements, "
            "after the strictest step of Holm's method; of agreement by the headline's method."
        ),
        "detectable_24": number(
            "The same with 24 statements, which each of the project's domains has."
        ),
        "true": number("The planted difference, where the agents are simulated."),
        "power": share("How often such a study finds the planted difference, likewise."),
    },
    key=("question", *CONTRASTS.key),
)


def learned_contrasts(
    metrics: pd.DataFrame,
    arms: Mapping[str, str],
    models: Mapping[str, tuple[str, float]],
    reference: str,
    planted: Sequence[Row],
    options: Options,
) -> list[Row]:
    """Every comparison of arms that learn, on the same statements.

    Parameters
    ----------
    metrics : a row a session, columns of ``metrics.parquet``.
    arms : name -> strategy.
    models : arm -> its model and temperature.
    reference : the arm that all others of the study are compared with.
    planted : rows of :data:`~.inference.PLANTED`.
    options : level, flips and seed.

    Returns
    -------
    Rows of :data:`ABLATIONS_TABLE`. Each question is a family of its own, in each domain: Holm is
    over its comparisons for agreement, and over comparisons and outcomes for the rest.
    """
    outcomes = (PRIMARY, *(name for name in OUTCOMES if name != PRIMARY))
    true = {(row["domain"], row["arm"], row["outcome"]): row["true"] for row in planted}
    rows: list[Row] = []
    for question, comparisons in _questions(arms, models, reference).items():
        alpha = (1.0 - options.confidence) / len(comparisons)
        contrasts = Contrasts(
            outcomes, comparisons, cluster="statement_id", within="domain", family="outcome"
        )
        for row in contrasts.rows(metrics, options):
            arm, other = (
                true.get((row["domain"], row[end], row["outcome"])) for end in ("arm", "reference")
            )
            gap = None if arm is None or other is None else arm - other
            rows.append({"question": question, "true": gap, **row, **_powers(row, gap, alpha)})
    return rows


def _questions(
    arms: Mapping[str, str], models: Mapping[str, tuple[str, float]], reference: str
) -> dict[str, list[tuple[str, str]]]:
    """Question -> arm and reference of each of its comparisons; those that have any."""
    common = models[reference]
    arm_of = {strategy: arm for arm, strategy in arms.items() if models[arm] == common}
    full, without = arm_of.get(CCAGENT), arm_of.get(_WITHOUT_COUNTERFACTUAL)
    asked: dict[str, list[tuple[str, str]]] = {}
    if full:
        asked[ABLATION] = [(arm_of[name], full) for name in ABLATIONS if name in arm_of]
        if TRANSFERRED in arm_of:
            asked[TRANSFER] = [(arm_of[TRANSFERRED], full), (arm_of[TRANSFERRED], reference)]
    if without:
        asked[CLAIM] = [(arm_of[name], without) for name in _RIVALS if name in arm_of]
    asked[MODELS] = [
        (arm, other)
        for arm, strategy in arms.items()
        for other, alike in arms.items()
        if strategy == CCAGENT and alike == arms[reference]
        if models[arm] == models[other] != common
    ]
    return {question: some for question, some in asked.items() if some}


def _powers(row: Row, true: float | None, alpha: float) -> dict[str, float | None]:
    """What the headline's test can find, by the spread that it found."""
    n, se = row["n_clusters"], row["se"]
    if row["outcome"] != PRIMARY or row["method"] != HEADLINE or not se:
        return {"detectable": None, "detectable_24": None, "power": None}
    spread = se * np.sqrt(n)
    return {
        "detectable": defined(minimum_detectable_effect(spread, n, POWER, alpha)),
        "detectable_24": defined(minimum_detectable_effect(spread, OF_A_DOMAIN, POWER, alpha)),
        "power": None if true is None else float(power_paired_t(true, spread, n, alpha)),
    }


def claim_p(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """The p-value of "the absence of counterfactuals hurts agreement most", over all domains.

    An intersection-union test (Berger 1982, *Technometrics* 24): the claim is that every other
    part's absence leaves more agreement, so that its p is the largest of the one-sided ones, and
    no adjustment is due. None where any of them is undefined.
    """
    contrasted = [
        row
        for row in rows
        if row["question"] == CLAIM
        and row["domain"] == ALL
        and row["outcome"] == PRIMARY
        and row["method"] == HEADLINE
    ]
    ones = [one_sided(row) for row in contrasted]
    return (
        None
        if not ones or None in ones
        else max(p_value for p_value in ones if p_value is not None)
    )


def one_sided(row: Mapping[str, Any]) -> float | None:
    """The p-value of a contrast above 0, from the two-sided one; None where it has none."""
    p, estimate = row["p_value"], row["estimate"]
    if p is None or p != p:
        return None
    return float(p / 2 if estimate > 0 else 1 - p / 2)
