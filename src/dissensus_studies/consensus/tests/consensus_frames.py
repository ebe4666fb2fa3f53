"""A small run of the consensus study as frames, for tests of what readers see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from dissensus.design.contrasts import Options
from dissensus.report.view import Artefacts, View
from made_frames import frame_of

from ..inference import (
    CONTRASTS,
    ESTIMATES,
    PLANTED,
    contrast_arms,
    estimate_arms,
    planted_values,
)
from ..learning.inference import ABLATIONS_TABLE, learned_contrasts
from ..records import METRICS
from ..sanity.scoring import CHECKS
from .consensus_runs import STILL, run, statements

OTHERS = {
    "debate": "debate",
    "again": "debate",
    "compromise": "compromise",
    "reconcile": "reconcile",
}
ARMS = OTHERS | {"ccagent": "ccagent"}
LEARNED = {
    "no_rationale": "ccagent_without_rationale",
    "no_counterfactual": "ccagent_without_counterfactual",
    "elsewhere": "ccagent_transferred",
}
ALL_ARMS = ARMS | LEARNED
MODELS = dict.fromkeys(ALL_ARMS, "consensus-agent")
SPEECH: dict[str, Any] = {
    **STILL,
    **{"stubbornness": 0.3, "conformity": 0.2, "repeats": 0.8},
    "meets": {"compromise": 0.7},
    "learns": {"rationale": 0.6, "told": 0.1},
    "carries": 0.5,
}
VIEW = View.of(
    {
        "study": "consensus",
        "reference": "debate",
        "confidence": 0.95,
        "arms": ALL_ARMS,
        "compared": list(ARMS),
        "models_by_arm": MODELS,
        "temperatures": dict.fromkeys(ALL_ARMS, 0.7),
        "domains": {"city": "", "politics": ""},
        "rounds": 5,
    },
    simulated=True,
)


@dataclass(frozen=True)
class Frames:
    """The artefacts that figures and tables read."""

    metrics: pd.DataFrame
    manifest: pd.DataFrame
    statements: pd.DataFrame
    estimates: pd.DataFrame
    contrasts: pd.DataFrame
    planted: pd.DataFrame
    ablations: pd.DataFrame
    sanity: pd.DataFrame

    @property
    def artefacts(self) -> Artefacts:
        return Artefacts({}, dict(vars(self)))


@cache
def _ran(each: int) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    _, metrics, rows = run(SPEECH, ALL_ARMS, statements=each)
    return metrics, rows


@cache
def make_run(each: int = 3, lost: int = 0) -> Frames:
    """A run of so many statements of each domain, of which some sessions failed for good."""
    metrics, rows = _ran(each)
    manifest, items = pd.DataFrame(rows), pd.DataFrame(statements().values())
    complete = pd.Series(metrics.index >= lost, metrics.index)
    numbers = [
        name for name in metrics if METRICS.columns[name].kind.endswith("?") and name != "compliant"
    ]
    left = metrics[numbers].astype(object).where(complete, None)
    metrics = frame_of(METRICS, metrics.assign(complete=complete, **left))
    contrasts = contrast_arms(metrics, list(ARMS), "debate", Options(0.95, 200, 1), "again")
    planted = planted_values(manifest, items, dict.fromkeys(ALL_ARMS, SPEECH), "debate", 1)
    keys = {arm: (model, 0.7) for arm, model in MODELS.items()}
    learned = learned_contrasts(metrics, ALL_ARMS, keys, "debate", planted, Options(0.95, 200, 1))
    measures = ("accuracy", "direct", "extrapolated", "rouge_1", "rouge_2", "rouge_l", "cosine")
    checked = [
        {
            **{"domain": domain, "agent": agent, "condition": "few_shot", "measure": measure},
            **{"estimate": 0.5, "ci_low": 0.4, "ci_high": 0.6, "n": 20},
        }
        for domain, agent in (("city", "ngo"), ("city", "all"), ("politics", "all"))
        for measure in measures
    ]
    return Frames(
        metrics,
        manifest,
        items,
        frame_of(ESTIMATES, estimate_arms(metrics, 5, 0.95)),
        frame_of(CONTRASTS, contrasts),
        frame_of(PLANTED, planted),
        frame_of(ABLATIONS_TABLE, learned),
        frame_of(CHECKS, checked),
    )
