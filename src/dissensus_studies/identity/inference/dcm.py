"""The tables `dcm` and `dcm_tests`: the model of every team, bank and condition, and its tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from dissensus.digests import seed_of
from dissensus.stats.results import NAN, Estimate
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, flag, number, text, texts

from ..design.graph import read_peers
from ..design.manifest import MANIFEST
from ..terms import CONDITIONS, DIFFERENCE, POOLED
from .fitting import Fit, equal_weights_test, fit
from .goodness import goodness_of_fit
from .likelihood import QUANTITIES
from .moments import moment_estimate
from .panel import Panel, panel_of

DCM = Schema(
    name="dcm",
    row="parameter of the model, by team, bank, condition, rounds and method",
    columns={
        **MANIFEST.pick("team", "bank", "condition"),
        "rounds": text("Which transitions are fitted: 1 for the first, 1-3 for the first three."),
        **common("method"),
        "parameter": text("Name of the model's parameter, or of what follows from its parameters."),
        **common("estimate?", "se?", "ci_low?", "ci_high?"),
        "n_questions": count("How many questions the numbers of the row rest on."),
        "converged": flag("Whether the fit converged, or the closed form gave a number."),
    },
    key=("team", "bank", "condition", "rounds", "method", "parameter"),
)

DCM_TESTS = Schema(
    name="dcm_tests",
    row="test of a fitted model",
    columns={
        **DCM.pick("team", "bank", "condition", "rounds"),
        **common("test"),
        "statistic": number("Value of the test statistic."),
        **common("df?", "p_value?"),
        "cells": texts("Transitions in each cell, as in agree-stay 512/508.1 (observed/expected)."),
        **common("n"),
    },
    key=("team", "bank", "condition", "rounds", "test"),
)

#: What is compared between the conditions, by the name of its difference. Equation 5 of the paper
#: takes the difference of the Deltas for (w_peer - w_self) / |alpha|, which holds only where the
#: total weight is the same in both conditions; so that stands beside it.
DIFFERENCES = {"ibc_difference": "delta", "ibc": "ibc", "total_weight": "total_weight"}


@dataclass(frozen=True)
class Inference:
    """Level of the intervals, resamples of questions and of the model, and the seed."""

    confidence: float
    resamples: int
    goodness_resamples: int
    seed: int


Rows = list[dict[str, Any]]


def estimate_dcm(
    answers: pd.DataFrame, questions: pd.DataFrame, manifest: pd.DataFrame, inference: Inference
) -> tuple[Rows, Rows]:
    """Fit the model to every team, bank and condition, and test each fit.

    Parameters
    ----------
    answers, questions, manifest : the tables of those names.
    inference : level, resamples and seed.

    Returns
    -------
    Rows of :data:`DCM` and of :data:`DCM_TESTS`. Rounds are "1", the first transition, and "1-T"
    where there are T rounds; fit is tested for the first and bank by bank. What has no transition
    to fit has rows without numbers. Under the condition "difference" stand vanilla less anonymised:
    "ibc_difference", of the Deltas that the models imply (the paper's equation 5), "ibc", of
    pi_peer - pi_self, and "total_weight". If the interval of the last leaves out 0, the first is
    not (w_peer - w_self) / |alpha|.
    """
    debates = manifest[manifest["condition"].isin(CONDITIONS)]
    graphs = debates.groupby("team")["graph"].first()
    estimates: Rows = []
    tests: Rows = []
    for team, graph in sorted(graphs.to_dict().items()):
        peers = [[peer - 1 for peer in heard] for heard in read_peers(str(graph))]
        of_team = answers[answers["team"] == team]
        seats = debates[debates["team"] == team].drop_duplicates("question_id")
        casts = dict(zip(seats["question_id"], seats["seats"], strict=True))
        banks = sorted(of_team["bank"].unique())
        for bank in banks:
            of_bank = of_team[of_team["bank"] == bank]
            made = _of_bank(of_bank, questions, (peers, casts), inference, [str(team), bank])
            _add(made, {"team": team, "bank": bank}, estimates, tests)
        if len(banks) > 1:
            made = _of_bank(of_team, questions, (peers, casts), inference, [str(team), POOLED])
        if banks:  # of a single bank the pool is the bank
            _add(made, {"team": team, "bank": POOLED}, estimates, tests)
    return estimates, tests


@makes(dcm=DCM, tests=DCM_TESTS)
def fit_dcm(
    answers: pd.DataFrame,
    questions: pd.DataFrame,
    manifest: pd.DataFrame,
    confidence: float,
    resamples: int,
    goodness_resamples: int,
    seed: int,
) -> tuple[Rows, Rows]:
    """:func:`estimate_dcm` as a stage, which is told its settings one by one."""
    inference = Inference(confidence, resamples, goodness_resamples, seed)
    return estimate_dcm(answers, questions, manifest, inference)


def _add(made: tuple[Rows, Rows], place: dict[str, Any], estimates: Rows, tests: Rows) -> None:
    estimates += [{**place, **row} for row in made[0]]
    tests += [{**place, **row} for row in made[1]]


def _of_bank(
    answers: pd.DataFrame,
    questions: pd.DataFrame,
    who: tuple[list[list[int]], dict[str, Any]],
    how: Inference,
    name: list[str],
) -> tuple[Rows, Rows]:
    """All rows of some questions of one team, without the columns team and bank.

    ``who`` are the peers of each agent, and question -> persona of each agent, if they have some.
    """
    peers, casts = who
    panels = {
        condition: panel_of(answers[answers["condition"] == condition], questions, peers)
        for condition in CONDITIONS
        if (answers["condition"] == condition).any()
    }
    names = {
        condition: np.unique(answers.loc[answers["condition"] == condition, "question_id"])
        for condition in panels
    }
    estimates: Rows = []
    tests: Rows = []
    fits: dict[tuple[str, int], Fit] = {}
    for condition, panel in panels.items():
        for rounds in _spans(panel):
            place = {"condition": condition, "rounds": _span(rounds)}
            stream = seed_of(how.seed, "dcm", *name, *place.values())
            fitted = _fitted(panel, rounds, how.confidence)
            if fitted is not None:
                fits[condition, rounds] = fitted
            estimates += [
                {**place, **row} for row in _estimates(panel, rounds, fitted, how, stream)
            ]
            tests += [{**place, **row} for row in _weights(panel, rounds, fitted)]
            # Its resamples are most of the time there is; banks differ in their beliefs, and later
            # rounds follow from the first.
            if rounds == 1 and name[-1] != POOLED:
                seated = [casts[question] for question in names[condition]]
                good = _goodness(panel, fitted, how, stream, seated)
                tests += [{**place, **row} for row in good]
    estimates += _differences(fits, names, how.confidence)
    return estimates, tests


def _spans(panel: Panel) -> Iterator[int]:
    """How many transitions to fit: the first, and all."""
    yield from sorted({1, panel.rounds} - {0})


def _span(rounds: int) -> str:
    return "1" if rounds == 1 else f"1-{rounds}"


def _fitted(panel: Panel, rounds: int, confidence: float) -> Fit | None:
    """The fit; None where no agent was told anything that can be used."""
    if panel.n_questions < 2 or not panel.usable(rounds).any():
        return None
    return fit(panel, rounds, confidence)


def _estimates(panel: Panel, rounds: int, fitted: Fit | None, how: Inference, stream: int) -> Rows:
    n = panel.n_questions
    rows = [
        _row("hierarchical", name, fitted.estimates[name] if fitted else Estimate(NAN), n, fitted)
        for name in QUANTITIES
    ]
    if rounds > 1 or fitted is None:
        return rows
    moments = moment_estimate(panel, how.confidence, how.resamples, stream).estimates
    return rows + [_row("moment", name, moments[name], n, None) for name in QUANTITIES]


def _row(
    method: str, parameter: str, estimate: Estimate, n: int, fitted: Fit | None
) -> dict[str, Any]:
    """A row; what is in closed form has converged where there is a number."""
    value = _number(estimate.estimate)
    return {
        "method": method,
        "parameter": parameter,
        "estimate": value,
        "se": _number(estimate.se),
        "ci_low": _number(estimate.ci_low),
        "ci_high": _number(estimate.ci_high),
        "n_questions": n,
        "converged": fitted.converged if fitted else method == "moment" and value is not None,
    }


def _weights(panel: Panel, rounds: int, fitted: Fit | None) -> Rows:
    if fitted is None:
        return [_test("equal_weights", NAN, None, NAN, [], 0)]
    equal = equal_weights_test(panel, rounds, fitted)
    return [_test("equal_weights", equal.statistic, equal.df, equal.p_value, [], equal.n)]


_FITS = ("goodness_of_fit", "goodness_by_agent")


def _goodness(
    panel: Panel, fitted: Fit | None, how: Inference, stream: int, seated: list[Any]
) -> Rows:
    if fitted is None:
        return [_test(name, NAN, None, NAN, [], 0) for name in _FITS]
    personas = np.array([list(seats) for seats in seated], dtype=object)
    agents = personas if personas.size else None
    both = goodness_of_fit(panel, fitted, how.goodness_resamples, stream, agents)
    return [
        _test(name, good.statistic, None, good.p_value, good.words(), good.n)
        for name, good in zip(_FITS, both, strict=True)
    ]


def _test(
    test: str, statistic: float, df: int | None, p_value: float, cells: list[str], n: int
) -> dict[str, Any]:
    return {
        "test": test,
        "statistic": _number(statistic),
        "df": None if df is None else float(df),
        "p_value": _number(p_value),
        "cells": cells,
        "n": n,
    }


def _differences(
    fits: dict[tuple[str, int], Fit], names: dict[str, Any], confidence: float
) -> Rows:
    """Vanilla less anonymised.

    Both share their openings and their questions: what a question adds to the one and to the other
    estimate is subtracted before its variance is taken.
    """
    rows: Rows = []
    first, second = CONDITIONS
    z = float(special.ndtri(0.5 + confidence / 2.0))
    for rounds in sorted({span for _, span in fits}):
        if (first, rounds) not in fits or (second, rounds) not in fits:
            continue
        fit, other = fits[first, rounds], fits[second, rounds]
        every = np.union1d(names[first], names[second])
        moves = np.zeros((len(every), len(QUANTITIES)))
        moves[np.searchsorted(every, names[first])] += fit.influence
        moves[np.searchsorted(every, names[second])] -= other.influence
        n = len(every)
        errors = np.sqrt((moves**2).sum(axis=0) * n / (n - 1))
        for parameter, of in DIFFERENCES.items():
            value = fit.estimates[of].estimate - other.estimates[of].estimate
            se = float(errors[QUANTITIES.index(of)])
            estimate = Estimate(value, se, value - z * se, value + z * se)
            row = _row("hierarchical", parameter, estimate, n, fit)
            row["converged"] = fit.converged and other.converged
            rows.append({"condition": DIFFERENCE, "rounds": _span(rounds), **row})
    return rows


def _number(value: float) -> float | None:
    """None where the data define no number."""
    return None if np.isnan(value) else float(value)
