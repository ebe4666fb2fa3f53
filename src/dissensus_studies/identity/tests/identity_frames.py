"""Small synthetic runs with the columns of the study's artefacts, to draw and tabulate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dissensus.report.view import Artefacts, View
from dissensus.study.gather import outcomes_schema
from equal_token_rows import equal_tokens
from made_frames import frame_of

from ..design.manifest import IDS, MANIFEST
from ..inference.comparisons import COMPARISONS
from ..inference.dcm import DCM, DCM_TESTS
from ..inference.estimates import ESTIMATES
from ..inference.martingale import MARTINGALE
from ..inference.power import POWER, detectable_ibc, needed_questions, power_of
from ..measures.metrics import METRICS
from ..terms import POOLED

VIEW = View("identity", {"confidence": 0.95, "ibc_noise": 0.1, "resamples": 2000}, True)
RING, FULL = "2|3|4|5|1", "2+3+4+5|1+3+4+5|1+2+4+5|1+2+3+5|1+2+3+4"

#: name -> model, personas, graph.
TEAMS = {
    "deferring": ("identity-deferring", False, RING),
    "stubborn": ("identity-stubborn", False, RING),
    "deferring-4": ("identity-deferring", False, FULL),
    "personas": ("identity-deferring", True, RING),
    "a-model-of-a-longer-name": ("long", False, RING),
    "sixth": ("long", False, FULL),
}
BANKS = ("choice", "numeric", "professional-medicine", "hellaswag", "gsm8k")
MEASURES = (
    "conformity",
    "obstinacy",
    "delta",
    "subversion",
    "correction",
    "accuracy",
    "vote",
    "parse_failures",
)
QUESTIONS = 24


@dataclass(frozen=True)
class Run:
    """Every frame that figures and tables are made from."""

    manifest: pd.DataFrame
    estimates: pd.DataFrame
    dcm: pd.DataFrame
    dcm_tests: pd.DataFrame
    martingale: pd.DataFrame
    metrics: pd.DataFrame
    outcomes: pd.DataFrame
    power: pd.DataFrame
    comparisons: pd.DataFrame
    equal_tokens: pd.DataFrame

    @property
    def artefacts(self) -> Artefacts:
        return Artefacts({}, dict(vars(self)))


def make_run(teams: int, banks: int, rounds: int = 2, several: bool = True) -> Run:
    """A run of the first so many teams and banks; the last session of all is lost.

    With ``several`` false, teams with more than one peer are passed over.
    """
    rng = np.random.default_rng(teams * 10 + banks)
    chosen = [name for name in TEAMS if several or TEAMS[name][2] == RING][:teams]
    held = BANKS[:banks]
    manifest = _manifest(chosen, held)
    lost = manifest["session_id"] == manifest["session_id"].iloc[-1]
    outcomes = frame_of(
        outcomes_schema(IDS),
        manifest[[*IDS]].assign(
            complete=~lost,
            attempts=np.where(lost, 3, 1),
            repairs=0,
            compliant=[None if gone else True for gone in lost],
            failure=np.where(lost, "timed out", ""),
        ),
    )
    return Run(
        manifest,
        _estimates(chosen, held, rounds, rng),
        _dcm(chosen, held, rng),
        _dcm_tests(chosen, held),
        _martingale(chosen, held, rounds),
        _metrics(manifest[~lost], rounds),
        outcomes,
        _power(chosen, held),
        _comparisons(chosen, rng),
        equal_tokens("team", chosen, QUESTIONS),
    )


def _manifest(teams: list[str], banks: tuple[str, ...]) -> pd.DataFrame:
    owners: dict[tuple[str, bool], str] = {}
    for team in teams:
        owners.setdefault(TEAMS[team][:2], team)
    rows = []
    for team, bank, number in product(teams, banks, range(1, QUESTIONS + 1)):
        model, personas, graph = TEAMS[team]
        owner = owners[model, personas]
        question = f"{bank}-{number:03d}"
        for condition in ("opening", "vanilla", "anonymized"):
            first = condition == "opening"
            if first and owner != team:
                continue
            rows.append(
                {
                    "session_id": f"{team}-{question}-{condition}",
                    "team": team,
                    "bank": bank,
                    "question_id": question,
                    "condition": condition,
                    "opening": "" if first else f"{owner}-{question}-opening",
                    "model": model,
                    "personas": personas,
                    "graph": "" if first else graph,
                    "agents": 5,
                    "rounds": 0 if first else 2,
                }
            )
    return frame_of(MANIFEST, rows)


def _row(value: float, half: float, n: int, questions: int) -> dict[str, Any]:
    return {
        "estimate": value,
        "se": half / 1.96,
        "ci_low": value - half,
        "ci_high": value + half,
        "n": n,
        "n_questions": questions,
    }


def _values(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Condition -> measure -> value, as the definitions tie them."""
    found = {}
    for condition, least in (("vanilla", 0.4), ("anonymized", 0.3)):
        conformity = float(rng.uniform(least, least + 0.3))
        values = dict(zip(MEASURES, rng.uniform(0.3, 0.9, len(MEASURES)).tolist(), strict=True))
        obstinacy = float(rng.uniform(0.2, 0.95 - conformity))
        values |= {"conformity": conformity, "obstinacy": obstinacy}
        found[condition] = values | {"delta": conformity - obstinacy, "parse_failures": 0.02}
    one, other = found["vanilla"], found["anonymized"]
    found["difference"] = {name: one[name] - other[name] for name in MEASURES} | {
        "ibc": one["delta"] - other["delta"],
        **{
            f"{name}_drop": (one[name] - other[name]) / one[name]
            for name in ("subversion", "correction")
        },
    }
    return found


def _estimates(
    teams: list[str], banks: tuple[str, ...], rounds: int, rng: np.random.Generator
) -> pd.DataFrame:
    rows = []
    for team, bank, at in product(teams, [*banks, POOLED], range(rounds + 1)):
        groups = ["all", "1,0"] if TEAMS[team][2] == RING else ["all", "4,0", "3,1", "2,2", "1,3"]
        for peers in groups if at else ["all"]:
            questions = QUESTIONS * (len(banks) if bank == POOLED else 1)
            values = _values(rng)
            for policy, condition in product(("drop", "keep", "lenient"), values):
                rows += [
                    {
                        "team": team,
                        "bank": bank,
                        "round": at,
                        "condition": condition,
                        "peers": peers,
                        "policy": policy,
                        "measure": measure,
                        **_row(value, 0.9 / questions**0.5, 3 * questions, questions),
                    }
                    for measure, value in values[condition].items()
                    if at or measure in ("accuracy", "vote", "parse_failures")
                ]
    return frame_of(ESTIMATES, rows)


def _dcm(teams: list[str], banks: tuple[str, ...], rng: np.random.Generator) -> pd.DataFrame:
    shares = ("pi_belief", "pi_self", "pi_peer", "ibc", "conformity", "obstinacy", "delta")
    parameters = ("w_self", "w_peer", "a_correct", "a_other", "total_weight", *shares)
    compared = ("ibc_difference", "ibc", "total_weight")
    rows = []
    for team, bank, rounds in product(teams, [*banks, POOLED], ("1", "1-2")):
        fits = [("vanilla", "hierarchical"), ("anonymized", "hierarchical")]
        fits += [(one, "moment") for one, _ in fits] if rounds == "1" else []
        for condition, method in [*fits, ("difference", "hierarchical")]:
            rows += [
                {
                    "team": team,
                    "bank": bank,
                    "condition": condition,
                    "rounds": rounds,
                    "method": method,
                    "parameter": parameter,
                    **_row(float(rng.uniform(0.1, 0.6)), 0.08, 0, QUESTIONS),
                    "converged": True,
                }
                for parameter in (compared if condition == "difference" else parameters)
            ]
    return frame_of(DCM, pd.DataFrame(rows).drop(columns="n"))


def _dcm_tests(teams: list[str], banks: tuple[str, ...]) -> pd.DataFrame:
    cells = [
        "agree-stay 512/508.1",
        "agree-leave 20/23.9",
        "disagree-self 61/60.0",
        "disagree-peer 112/110.4",
        "disagree-third 15/17.6",
    ]
    rows = []
    for team, bank, condition in product(teams, banks, ("vanilla", "anonymized")):
        ids = {"team": team, "bank": bank, "condition": condition, "rounds": "1"}
        rows += [
            {**ids, "test": "equal_weights", "statistic": 8.1, "df": 1.0, "p_value": 0.004}
            | {"cells": [], "n": QUESTIONS},
            {**ids, "test": "goodness_of_fit", "statistic": 2.2, "df": np.nan, "p_value": 0.41}
            | {"cells": cells, "n": 720},
            {**ids, "test": "goodness_by_agent", "statistic": 31.0, "df": np.nan, "p_value": 0.02}
            | {"cells": [f"A{seat} {cell}" for seat in (1, 2) for cell in cells], "n": 720},
        ]
    return frame_of(DCM_TESTS, rows)


def _martingale(teams: list[str], banks: tuple[str, ...], rounds: int) -> pd.DataFrame:
    verdicts = {
        "sign_flip": "no change of accuracy detected",
        "equivalence": "not shown to be within 2 points",
        "mcnemar_vote": "no change of vote detected",
    }
    rows = [
        {
            "team": team,
            "bank": bank,
            "condition": condition,
            "round": at,
            "test": test,
            "estimate": 0.01,
            "ci_low": np.nan if test == "mcnemar_vote" else -0.03,
            "ci_high": np.nan if test == "mcnemar_vote" else 0.05,
            "p_value": 0.3,
            "n": QUESTIONS,
            "verdict": verdict,
        }
        for team, bank, condition in product(teams, banks, ("vanilla", "anonymized"))
        for at in range(1, rounds + 1)
        for test, verdict in verdicts.items()
    ]
    return frame_of(MARTINGALE, rows)


def _metrics(manifest: pd.DataFrame, rounds: int) -> pd.DataFrame:
    debates = manifest[manifest["condition"] != "opening"]
    ids = ["session_id", "team", "bank", "question_id", "condition"]
    frames = [
        debates[ids].assign(
            round=at,
            complete=True,
            parsed_share=np.where(debates["question_id"].str.endswith("-001"), 0.8, 1.0),
        )
        for at in range(rounds + 1)
    ]
    return frame_of(METRICS, pd.concat(frames, ignore_index=True))


def _power(teams: list[str], banks: tuple[str, ...]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for place, (team, bank) in enumerate(product(teams, [*banks, POOLED])):
        own = QUESTIONS * (len(banks) if bank == POOLED else 1)
        sd = 0.5 + 0.08 * place
        ids = {"team": team, "bank": bank, "sd": sd}
        for ibc, size in product((0.05, 0.1, 0.2, 0.3), sorted({own, 25, 100, 272, 500, 2000})):
            value = float(power_of(ibc, size, sd))
            rows.append({**ids, "quantity": "power", "ibc": ibc, "questions": size, "power": value})
        for target in (0.8, 0.9):
            asked = {**ids, "power": target}
            rows += [
                {**asked, "quantity": "needed", "ibc": ibc}
                | {"questions": needed_questions(ibc, sd, target)}
                for ibc in (0.05, 0.1, 0.2, 0.3)
            ]
            rows += [
                {**asked, "quantity": "detectable", "ibc": detectable_ibc(size, sd, target)}
                | {"questions": size}
                for size in sorted({own, 272})
            ]
    return frame_of(POWER, rows)


def _comparisons(teams: list[str], rng: np.random.Generator) -> pd.DataFrame:
    """A comparison of every kind; none but of seats where there is one team."""
    kinds = ("personas", "peers", "graph", "model", "round", "drops", "labels", "again")
    chosen = [*(kinds if len(teams) > 1 else ()), "seat", "persona"]
    rows = []
    for kind in chosen:
        value = float(rng.uniform(-0.4, 0.4))
        sides = {"one": f"{kind} one", "other": "others", "measure": "ibc"}
        numbers = {"estimate_one": 0.2 + value, "estimate_other": 0.2}
        tested = {"p_value": 0.04, "p_adjusted": 0.08}
        row = _row(value, 0.3, 0, QUESTIONS)
        rows.append({"kind": kind, "team": teams[0], **sides, **numbers, **row, **tested})
    return frame_of(COMPARISONS, pd.DataFrame(rows).drop(columns="n"))
