"""Does accuracy drift from round to round? The mean-field martingale, tested and not assumed.

The paper's Appendix D.1 shows that the predictive probability of an answer is a martingale where
all agents draw from one and the same predictive distribution. What follows for data is that the
mean accuracy over agents and questions keeps its expectation from one round to the next. Nothing
follows for a single agent, whose own distribution moves with what it hears, nor for the majority
vote, which is no linear function of the answers; the vote is tested for its own sake.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dissensus.digests import seed_of
from dissensus.stats.balance import paired_proportion_equivalence
from dissensus.stats.location import paired_t, two_one_sided_tests
from dissensus.stats.signflip import sign_flip_test
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, text

from ..design.manifest import MANIFEST
from ..terms import CONDITIONS, POOLED

MARTINGALE = Schema(
    name="martingale",
    row="test of a round against the one before it",
    columns={
        **MANIFEST.pick("team", "bank", "condition"),
        **common("round", "test", "estimate?", "ci_low?", "ci_high?", "p_value?", "n"),
        "verdict": text("What the test says, in words."),
    },
    key=("team", "bank", "condition", "round", "test"),
)

_FLIPS = 20_000


@makes(martingale=MARTINGALE)
def martingale_tests(
    metrics: pd.DataFrame, confidence: float, margin: float, seed: int
) -> list[dict[str, Any]]:
    """Test every round against the one before it, by team, bank and condition.

    Parameters
    ----------
    metrics : rows of the table `metrics`; those of incomplete sessions are left out.
    confidence : level of the intervals, and one minus that of the tests.
    margin : largest change in accuracy that counts as none, as a share.
    seed : of the sign flips.

    Returns
    -------
    Rows of :data:`MARTINGALE`. "sign_flip": the mean change in accuracy, its t interval, and the
    randomisation p-value with a question's change flipped as one. "equivalence": the same mean
    with the interval of level 1 - 2 alpha that two one-sided tests make, whose small p speaks for
    a change within the margin. "mcnemar_vote": the change in the share of questions whose correct
    option alone has most votes, with Tango's interval and McNemar's exact p.
    """
    rows: list[dict[str, Any]] = []
    for place, before, after in _pairs(metrics):
        stream = seed_of(seed, "martingale", *place.values())
        tested = _tests(before, after, confidence, margin, stream)
        rows += [{**place, **row} for row in tested]
    return rows


def _pairs(metrics: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]]:
    """Questions with a number in both of two successive rounds, by team, bank and condition."""
    usable = metrics[metrics["complete"] & metrics["accuracy"].notna() & metrics["vote"].notna()]
    usable = usable[usable["condition"].isin(CONDITIONS)]
    for (team, condition), sessions in usable.groupby(["team", "condition"], sort=True):
        banks = sorted(sessions["bank"].unique())
        for bank in [*banks, POOLED]:
            chosen = sessions if bank == POOLED else sessions[sessions["bank"] == bank]
            for number in sorted(chosen["round"].unique().tolist()):
                before, after = (
                    chosen[chosen["round"] == at].set_index("question_id").sort_index()
                    for at in (number - 1, number)
                )
                if len(before):
                    both = before.index.intersection(after.index)
                    place = {"team": team, "bank": bank, "condition": condition, "round": number}
                    yield place, before.loc[both], after.loc[both]


def _tests(
    before: pd.DataFrame, after: pd.DataFrame, confidence: float, margin: float, seed: int
) -> list[dict[str, Any]]:
    n, alpha = len(before), 1.0 - confidence
    if n < 2:
        names = ("sign_flip", "equivalence", "mcnemar_vote")
        return [_row(name, None, None, None, None, n, "too few questions") for name in names]
    # Of shares of a few agents, so that 0.6 - 0.4 and 0.4 - 0.2 are one change and not nearly so.
    change = np.round((after["accuracy"] - before["accuracy"]).to_numpy(dtype=np.float64), 12)
    flip = sign_flip_test(change, flips=_FLIPS, clusters=before.index.to_numpy(), seed=seed)
    mean = paired_t(change, confidence)
    same = two_one_sided_tests(change, margin, alpha)
    won, had_won = (rows["vote"].eq(1.0).to_numpy() for rows in (after, before))
    # Its interval is of level 1 - 2 alpha, and should be of the level of the test beside it.
    vote = paired_proportion_equivalence(won, had_won, margin, alpha / 2.0)
    points = f"{100 * margin:g} points"
    return [
        _row(
            "sign_flip",
            mean.estimate,
            mean.ci_low,
            mean.ci_high,
            flip.p_value,
            n,
            _moved("accuracy", mean.estimate, flip.p_value, alpha),
        ),
        _row(
            "equivalence",
            same.estimate,
            same.ci_low,
            same.ci_high,
            same.p_value,
            n,
            f"within {points}" if same.p_value < alpha else f"not shown to be within {points}",
        ),
        _row(
            "mcnemar_vote",
            vote.difference,
            vote.ci_low,
            vote.ci_high,
            vote.p_mcnemar,
            n,
            _moved("vote", vote.difference, vote.p_mcnemar, alpha),
        ),
    ]


def _moved(what: str, change: float, p_value: float, alpha: float) -> str:
    """What a test of no change says; that none is detected is no proof of none."""
    if p_value >= alpha:
        return f"no change of {what} detected"
    return f"{what} {'rises' if change > 0.0 else 'falls'}"


def _row(
    test: str,
    estimate: float | None,
    low: float | None,
    high: float | None,
    p_value: float | None,
    n: int,
    verdict: str,
) -> dict[str, Any]:
    return {
        "test": test,
        "estimate": estimate,
        "ci_low": low,
        "ci_high": high,
        "p_value": p_value,
        "n": n,
        "verdict": verdict,
    }
