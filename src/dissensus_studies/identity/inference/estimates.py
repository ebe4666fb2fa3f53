"""Every measure of the paper with its interval, from a bootstrap over questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import special

from dissensus.design.contrasts import defined
from dissensus.digests import seed_of
from dissensus.stats.checks import FloatArray
from dissensus.stats.ratios import Ratios, cluster_weights, percentile_intervals, ratios_of_sums
from dissensus.stats.shares import pooled_shares
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, text

from ..design.manifest import MANIFEST
from ..outcomes import PRIMARY
from ..terms import CONDITIONS, DIFFERENCE, POLICIES, POOLED
from .power import linearised_sd
from .tallies import EVERY, BoolArray, Tally, tally

#: What the study is judged by: measure, round, policy and peers of a difference.
HEADLINE = (PRIMARY, 1, POLICIES[0], EVERY)
_RATIO_OF_HEADLINE = ("delta", *HEADLINE[1:])
#: Measures that are shares, from none to all.
SHARES = (
    *("conformity", "obstinacy", "subversion", "correction"),
    *("accuracy", "vote", "parse_failures"),
)

ESTIMATES = Schema(
    name="estimates",
    row="measure of a team in a bank, by round, condition, peers and policy; "
    "without numbers where the data define none",
    columns={
        **MANIFEST.pick("team", "bank"),
        **common("round"),
        **MANIFEST.pick("condition"),
        "peers": text("Number of peers that disagree and that agree, as in 2,1; all for any."),
        "policy": text(
            "Of an unread new answer: drop, keep as the agent's own, or lenient reading."
        ),
        "measure": text("Name of the measure, such as conformity, obstinacy or ibc."),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "family_low?", "family_high?", "n"),
        "n_questions": Column("int", "How many questions the numbers of the row rest on.", "count"),
    },
    key=("team", "bank", "round", "condition", "peers", "policy", "measure"),
)


@dataclass(frozen=True)
class _Ratios:
    """What is estimated on M questions: L ratios of two counts under each of C conditions.

    ``labels`` are (measure, round, policy, peers), ``above`` and ``below`` have shape (M, C, L)
    and ``complete`` (M, C); the first two conditions are those of the difference.
    """

    conditions: Sequence[str]

    labels: Sequence[tuple[str, int, str, str]]
    above: FloatArray
    below: FloatArray
    complete: BoolArray


@makes(estimates=ESTIMATES)
def estimate_identity(
    metrics: pa.Table,
    transitions: pa.Table,
    manifest: pa.Table,
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Estimate every measure of every team, in each bank and in all banks together.

    Parameters
    ----------
    metrics : of every debate of the manifest, failed ones included.
    transitions : of the complete debates.
    manifest : the sessions.
    confidence : level of the intervals.
    resamples : of the questions, the same ones for all measures of a team in a bank.
    seed : the study's; every team and bank has a random stream of its own.

    Returns
    -------
    Rows of :data:`ESTIMATES`. A measure of one condition takes the questions whose debate under
    it is complete, a difference (vanilla minus anonymised) those complete under both;
    ``n_questions`` counts them, ``n`` what the ratio is of: transitions, answers or votes. The
    difference of ``delta`` is ``ibc``. Accuracy, vote and parse failures do not depend on the
    policy and stand under "drop" only, from round 0 on; their difference from round 1, since
    openings are shared.

    The coefficient of the headline has limits that hold for all teams of a bank together besides:
    of m teams each has a t interval of level 1 - (1 - confidence)/m (Bonferroni), with the
    linearised standard error.

    Notes
    -----
    Ratios are pooled over questions and agents ("Measuring and mitigating identity bias", A.3),
    whose answers depend on each other within a question. A share under one condition has the limits
    of :func:`~dissensus.stats.shares.pooled_shares` over questions; differences, and what is no
    share, have percentiles of resampled questions. Subversion, correction and their relative
    drops are equations 6 and 7, and its table 2.
    """
    rows = []
    tallied = list(tally(metrics, transitions, manifest))
    teams = Counter(bank for team in tallied for bank in {*team.banks.tolist(), POOLED})
    for team in tallied:
        banks = dict.fromkeys(team.banks.tolist())
        for bank in (*banks, POOLED):
            chosen = np.array([bank in (of_team, POOLED) for of_team in team.banks])
            # All banks are the only one where a team has one: one quantity has one interval.
            named = next(iter(banks)) if len(banks) == 1 else bank
            stream = seed_of(seed, "identity estimates", team.team, named)
            weights = cluster_weights(int(chosen.sum()), resamples, stream)
            together = 1.0 - (1.0 - confidence) / teams[bank]
            estimated = _estimated(_ratios(team, chosen), weights, confidence, together)
            rows += [{"team": team.team, "bank": bank} | row for row in estimated]
    return rows


def _ratios(team: Tally, chosen: BoolArray) -> _Ratios:
    """All measures, on some of a team's questions."""
    answers, exposures, transitions = (
        {name: counts[chosen] for name, counts in group.items()}
        for group in (team.answers, team.exposures, team.transitions)
    )
    rounds = range(team.rounds + 1)
    by_cell = list(product(rounds[1:], POLICIES, team.cells))
    by_policy = list(product(rounds[1:], POLICIES, (EVERY,)))
    by_round = list(product(rounds, POLICIES[:1], (EVERY,)))
    conformed, stayed = transitions["conformed"], transitions["stayed"]
    disagreeing = transitions["disagreeing"]
    measures = [
        ("conformity", by_cell, conformed, disagreeing),
        ("obstinacy", by_cell, stayed, disagreeing),
        ("delta", by_cell, conformed - stayed, disagreeing),
        ("subversion", by_policy, exposures["subverted"], exposures["exposed_correct"]),
        ("correction", by_policy, exposures["corrected"], exposures["exposed_wrong"]),
        ("accuracy", by_round, answers["accuracy"], answers["answers"]),
        ("vote", by_round, answers["vote"], answers["votes"]),
        ("parse_failures", by_round, answers["parse_failures"], answers["answers"]),
    ]
    flat = (int(chosen.sum()), len(team.conditions), -1)
    return _Ratios(
        team.conditions,
        [(name, *label) for name, labels, _, _ in measures for label in labels],
        np.concatenate([above.reshape(flat) for _, _, above, _ in measures], axis=2),
        np.concatenate([below.reshape(flat) for _, _, _, below in measures], axis=2),
        team.complete[chosen],
    )


def _estimated(
    ratios: _Ratios, weights: FloatArray, confidence: float, together: float
) -> Iterator[dict[str, Any]]:
    """Rows under each condition, of the differences and of the relative drops.

    ``together`` is the level of an interval by which those of all teams hold together.
    """
    pair = slice(0, len(CONDITIONS))
    both: BoolArray = np.all(ratios.complete[:, pair], axis=1)
    under = _by_condition(ratios.above, ratios.below, weights)
    paired = under[pair]
    if not np.array_equal(both, ratios.complete[:, pair].any(axis=1)):
        shared = both[:, None, None]
        above, below = (counts[:, pair] * shared for counts in (ratios.above, ratios.below))
        paired = _by_condition(above, below, weights)
    for at, condition in enumerate(ratios.conditions):
        counts = ratios.below[:, at].sum(axis=0)
        questions = int(ratios.complete[:, at].sum())
        rows = _rows(condition, ratios.labels, under[at], counts, questions, confidence)
        limits = _share_limits(ratios, at, confidence)
        for row in rows:
            yield row | (next(limits) if row["measure"] in SHARES else {})
    vanilla, anonymized = paired
    counts = ratios.below[both][:, pair].sum(axis=(0, 1))
    difference = vanilla - anonymized
    for drop, kind in ((False, difference), (True, difference / vanilla)):
        kept = [index for index, label in enumerate(ratios.labels) if _is_compared(label, drop)]
        labels = [_compared(ratios.labels[index], drop) for index in kept]
        of_kept = Ratios(kind.observed[kept], kind.resampled[:, kept])
        for row, label in zip(
            _rows(DIFFERENCE, labels, of_kept, counts[kept], int(both.sum()), confidence),
            labels,
            strict=True,
        ):
            is_headline = label == HEADLINE and not drop
            yield row | (_together(ratios, both, row["estimate"], together) if is_headline else {})


def _share_limits(ratios: _Ratios, at: int, confidence: float) -> Iterator[dict[str, Any]]:
    """Standard error and limits of every share under a condition, in the order of the labels."""
    kept = [place for place, label in enumerate(ratios.labels) if label[0] in SHARES]
    above, below = (counts[:, at, kept] for counts in (ratios.above, ratios.below))
    share = pooled_shares(above, below, confidence)
    for numbers in zip(share.se, share.low, share.high, strict=True):
        yield dict(zip(("se", "ci_low", "ci_high"), map(defined, numbers), strict=True))


def _together(
    ratios: _Ratios, both: BoolArray, estimate: float | None, confidence: float
) -> dict[str, float]:
    """Limits of the headline's coefficient at a level beyond what resamples resolve.

    A t interval with the linearised standard error of :func:`linearised_sd`: percentiles of so few
    questions are too narrow so far out.
    """
    place = ratios.labels.index(_RATIO_OF_HEADLINE)
    pair = slice(0, len(CONDITIONS))
    above, below = (counts[both][:, pair, place] for counts in (ratios.above, ratios.below))
    sd = linearised_sd(above, below)
    if estimate is None or not sd > 0.0:
        return {}
    n = len(above)
    half = float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * sd / float(np.sqrt(n))
    return {"family_low": estimate - half, "family_high": estimate + half}


def _by_condition(above: FloatArray, below: FloatArray, weights: FloatArray) -> list[Ratios]:
    flat, conditions = (len(above), -1), above.shape[1]
    every = ratios_of_sums(above.reshape(flat), below.reshape(flat), weights)
    cuts = np.split(every.resampled, conditions, axis=1)
    return [Ratios(*cut) for cut in zip(np.split(every.observed, conditions), cuts, strict=True)]


def _is_compared(label: tuple[str, int, str, str], drop: bool) -> bool:
    """Openings are shared, and a drop is printed of two measures."""
    return label[1] > 0 and (not drop or label[0] in ("subversion", "correction"))


def _compared(label: tuple[str, int, str, str], drop: bool) -> tuple[str, int, str, str]:
    name = "ibc" if label[0] == "delta" else label[0]
    return (f"{name}_drop" if drop else name, *label[1:])


def _rows(
    condition: str,
    labels: Sequence[tuple[str, int, str, str]],
    ratios: Ratios,
    counts: FloatArray,
    questions: int,
    confidence: float,
) -> Iterator[dict[str, Any]]:
    intervals = percentile_intervals(ratios, confidence)
    numbers = zip(intervals.estimate, intervals.se, intervals.low, intervals.high, strict=True)
    for label, values, count in zip(labels, numbers, counts, strict=True):
        measure, number, policy, peers = label
        estimate, se, low, high = (None if np.isnan(value) else float(value) for value in values)
        yield {
            "round": number,
            "condition": condition,
            "peers": peers,
            "policy": policy,
            "measure": measure,
            "estimate": estimate,
            "se": se,
            "ci_low": low,
            "ci_high": high,
            "family_low": None,
            "family_high": None,
            "n": int(count),
            "n_questions": questions,
        }
