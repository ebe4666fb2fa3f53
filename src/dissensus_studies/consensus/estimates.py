"""All estimates of the study: arms, contrasts, what was planted, and what agents learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dissensus.design.contrasts import Options, Row
from dissensus.study.makes import makes

from .inference import (
    CONTRASTS,
    ESTIMATES,
    PLANTED,
    contrast_arms,
    estimate_arms,
    planted_values,
)
from .learning.inference import ABLATIONS_TABLE, learned_contrasts
from .settings import InferenceSettings


@makes(estimates=ESTIMATES, contrasts=CONTRASTS, planted=PLANTED, ablations=ABLATIONS_TABLE)
def estimate_all(
    metrics: pd.DataFrame,
    manifest: pd.DataFrame,
    statements: pd.DataFrame,
    inference: InferenceSettings,
    arms: Mapping[str, str],
    compared: list[str],
    models: Mapping[str, str],
    temperatures: Mapping[str, float],
    reference: str,
    rounds: int,
    speech: Mapping[str, Any],
    seed: int,
    again: str | None = None,
) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
    """Estimate every measure in every arm, compare the arms, and say what was planted.

    Parameters
    ----------
    metrics, manifest, statements : artefacts of the run.
    arms : name -> strategy.
    compared : arms that are compared with the reference.
    models, temperatures : arm -> those of its agents.
    reference : name of an arm.
    rounds : the most of a debate.
    speech : model -> settings of simulated agents; real models are not in it.
    again : the arm that is the reference once more, where there is one.
    """
    level = inference.confidence
    estimates = estimate_arms(metrics, rounds, level)
    options = Options(level, inference.flips, seed)
    contrasts = contrast_arms(metrics, compared, reference, options, again)
    by_arm = {arm: speech.get(model) for arm, model in models.items()}
    planted = planted_values(manifest, statements, by_arm, reference, seed)
    agents = {arm: (model, temperatures[arm]) for arm, model in models.items()}
    learned = learned_contrasts(metrics, arms, agents, reference, planted, options)
    return estimates, contrasts, planted, learned
