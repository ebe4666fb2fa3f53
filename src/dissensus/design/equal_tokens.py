"""Is debate worth its tokens? What the same calls find without it, question by question.

A strategy is a way to spend calls on a question, looked at after each of its steps: a debate by
rounds, more and more answers that nobody has heard, an agent that revises its own. All strategies
of a group answered the same questions, so that two of them are compared by the same resamples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.design.contrasts import adjust_holm, defined
from dissensus.stats.checks import FloatArray
from dissensus.stats.ratios import (
    Intervals,
    Ratios,
    cluster_weights,
    percentile_intervals,
    percentile_p,
    ratios_of_sums,
)
from dissensus.stats.shares import pooled_shares
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, common, flag, number, text

Row = dict[str, Any]


@dataclass(frozen=True)
class Strategy:
    """A way to spend calls on each of M questions, after each of S steps.

    Attributes
    ----------
    name : for readers.
    calls : (S,), on a question until then.
    scores : (M, S), probability that its answer is right; NaN where the question was not completed.
    tokens, usd : (M, S), spent on the question until then; dollars NaN without a price.
    """

    name: str
    calls: FloatArray
    scores: FloatArray
    tokens: FloatArray
    usd: FloatArray

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """(M,), which questions it answered to the end."""
        return np.asarray(np.isfinite(self.scores).all(axis=1))


ONE, VOTE, SAMPLES = "one agent", "majority vote", "self-consistency"
REFINE, REFINE_VOTE = "self-refine", "self-refine, then vote"

#: What the agents of a question answered in each step, and what was right.
Answered = tuple[Sequence[Sequence[str]], str]


def by_round(rows: Iterable[Mapping[str, Any]], column: str) -> dict[str, list[list[str]]]:
    """session_id -> what its agents answered in each round.

    Parameters
    ----------
    rows : with ``session_id`` and ``round``, in their order.
    column : that has the answer.
    """
    return {
        name: [
            [row[column] for row in of_round]
            for _, of_round in groupby(of_session, itemgetter("round"))
        ]
        for name, of_session in groupby(rows, itemgetter("session_id"))
    }


def strategies_of(
    kind: str, answered: Sequence[Answered | None], costs: FloatArray
) -> list[Strategy]:
    """What sessions of one kind are scored by.

    Parameters
    ----------
    kind : :data:`REFINE` for agents that revise their own answers alone, :data:`SAMPLES` for
        answers that nobody has heard, else the name of a debate.
    answered : of every question; None where it is not complete.
    costs : (2, M, S), tokens and dollars of every question until each step.

    Returns
    -------
    Of a debate: it by the vote of its agents, and its first step as one agent and as a vote. Of
    revised answers: those of one agent, and with a vote. Of samples: the vote over all until then.
    """
    agents = len(next(question for question in answered if question)[0][0])
    votes, means, pooled = np.full((3, *costs.shape[1:]), np.nan)
    for place, question in enumerate(answered):
        if question is None:
            continue
        steps, right = question
        votes[place] = [majority_vote(answers, right) for answers in steps]
        means[place] = [np.mean([text == right for text in answers]) for answers in steps]
        so_far = [
            [text for step in steps[:end] for text in step] for end in range(1, len(steps) + 1)
        ]
        pooled[place] = [majority_vote(answers, right) for answers in so_far]
    calls = agents * np.arange(1.0, costs.shape[2] + 1)

    def strategy(
        name: str, scores: FloatArray, share: float = 1.0, end: int | None = None
    ) -> Strategy:
        spent = costs[:, :, :end] * share
        return Strategy(name, np.asarray(calls[:end] * share), scores[:, :end], *spent)

    if kind == SAMPLES:
        return [strategy(SAMPLES, pooled)]
    if kind == REFINE:
        return [strategy(REFINE, means, 1.0 / agents), strategy(REFINE_VOTE, votes)]
    alone = strategy(ONE, means, 1.0 / agents, 1)
    return [strategy(kind, votes), alone, strategy(VOTE, votes, end=1)]


def equal_tokens_schema(group: Mapping[str, Column]) -> Schema:
    """The schema of the artefact of a study; ``group`` are the columns that name a group."""
    return Schema(
        name="equal_tokens",
        row="strategy and step, on the questions that all strategies of the group completed",
        columns={
            **group,
            "strategy": text("Way to spend calls on a question, such as debate or one agent."),
            "step": Column("int", "How often it has been looked at before, from 0.", "count"),
            "calls": number("Calls on a question until then.", "count"),
            "tokens": number("Mean tokens on a question until then, sent and received.", "tokens"),
            "usd": number("Mean price of a question until then.", "US dollars"),
            "accuracy": chance("Mean probability over questions that its answer is right."),
            "accuracy_low": chance("Lower limit of the interval of the accuracy."),
            "accuracy_high": chance("Upper limit of the interval of the accuracy."),
            "is_debate": flag("Whether it is the debate that all others are compared with."),
            "compared": flag("Whether this is the strategy's last step at no more tokens."),
            **common("estimate?", "se?", "ci_low?", "ci_high?", "p_value?", "p_adjusted?", "n"),
            **common("n_clusters"),
        },
        key=(*group, "strategy", "step"),
    )


def compare_strategies(
    strategies: Sequence[Strategy],
    clusters: npt.NDArray[Any],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> list[Row]:
    """Every strategy against the first, which is the debate.

    Parameters
    ----------
    strategies : of the same M questions.
    clusters : (M,), labels of what is resampled.
    confidence : level of the intervals.
    resamples : of clusters.
    seed : of the resamples.

    Returns
    -------
    Rows of :func:`equal_tokens_schema` without the group. A strategy is compared where it has spent
    as much as it could without spending more tokens than the debate at its end, or at its first
    step. Limits of accuracies are those of :func:`~dissensus.stats.shares.pooled_shares`.
    ``estimate`` is the debate's accuracy less the strategy's, with percentiles of resampled
    clusters; p-values are adjusted by Holm's method over the strategies. Empty where no question
    was completed by all.
    """
    shared = np.all([strategy.complete for strategy in strategies], axis=0)
    if not shared.any():
        return []
    scores = np.concatenate([strategy.scores[shared] for strategy in strategies], axis=1)
    sums, sizes = _sums(scores, clusters[shared])
    means = ratios_of_sums(sums, sizes, cluster_weights(len(sums), resamples, seed))
    last = len(strategies[0].calls) - 1
    count = len(sums)
    accuracy = pooled_shares(sums, sizes, confidence)
    gains = Ratios(
        means.observed[[last]] - means.observed, means.resampled[:, [last]] - means.resampled
    )
    gain, p = percentile_intervals(gains, confidence), percentile_p(gains)
    most = float(strategies[0].tokens[shared, last].mean())
    rows: list[Row] = []
    for place, strategy in enumerate(strategies):
        at = last if place == 0 else _affordable(strategy.tokens[shared].mean(axis=0), most)
        for step in range(len(strategy.calls)):
            column, compared = len(rows), place > 0 and step == at
            rows.append(
                {
                    **_spent(strategy, step, shared),
                    **_scored(accuracy, column),
                    "is_debate": place == 0,
                    "compared": compared,
                    **(_tested(gain, p, column) if compared else dict.fromkeys(_TESTED)),
                    "p_adjusted": None,
                    "n": int(shared.sum()),
                    "n_clusters": count,
                }
            )
    adjust_holm([row for row in rows if row["compared"]])
    return rows


_TESTED = ("estimate", "se", "ci_low", "ci_high", "p_value")


def _tested(gain: Intervals, p: FloatArray, column: int) -> Row:
    """What the debate has more than a strategy at a step."""
    values = (gain.estimate, gain.se, gain.low, gain.high, p)
    return {
        name: defined(float(of_all[column])) for name, of_all in zip(_TESTED, values, strict=True)
    }


def _scored(accuracy: Intervals, column: int) -> Row:
    """The accuracy of a strategy at a step."""
    return {
        "accuracy": float(accuracy.estimate[column]),
        "accuracy_low": defined(float(accuracy.low[column])),
        "accuracy_high": defined(float(accuracy.high[column])),
    }


def _spent(strategy: Strategy, step: int, shared: npt.NDArray[np.bool_]) -> Row:
    """What a strategy has spent until the end of a step, on average over the shared questions."""
    return {
        "strategy": strategy.name,
        "step": step,
        "calls": float(strategy.calls[step]),
        "tokens": float(strategy.tokens[shared, step].mean()),
        "usd": defined(float(strategy.usd[shared, step].mean())),
    }


def _sums(scores: FloatArray, clusters: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Of every cluster the sum of each column's scores, and how many they are."""
    names, codes = np.unique(clusters, return_inverse=True)
    sums, sizes = np.zeros((2, len(names), scores.shape[1]))
    np.add.at(sums, codes, scores)
    np.add.at(sizes, codes, 1.0)
    return sums, sizes


def _affordable(tokens: FloatArray, most: float) -> int:
    """The last step that costs no more; the first where none does."""
    within = np.flatnonzero(tokens <= most)
    return int(within[-1]) if len(within) else 0


def majority_vote(answers: Sequence[str], right: str) -> float:
    """How far a majority vote is right: 1/k where the right answer is among k most frequent ones.

    Parameters
    ----------
    answers : of all agents; "" casts no vote.
    right : the right answer.

    Returns
    -------
    Between 0 and 1; the chance of being right if ties are broken at random. 0 without any vote.
    """
    votes = Counter(answer for answer in answers if answer)
    top = [answer for answer, count in votes.items() if count == max(votes.values())]
    return 1.0 / len(top) if right in top else 0.0


class Spent:
    """Tokens and dollars of every session, by step.

    Parameters
    ----------
    calls : rows of the gathered calls; repairs and sessions begun again are among them.
    """

    def __init__(self, calls: Iterable[Mapping[str, Any]]) -> None:
        self._spent: dict[str, dict[int, tuple[float, float]]] = {}
        for call in calls:
            of_session = self._spent.setdefault(call["session_id"], {})
            tokens, usd = of_session.get(call["turn"], (0.0, 0.0))
            cost = np.nan if call["cost_usd"] is None else call["cost_usd"] + call["faults_usd"]
            tokens += call["input_tokens"] + call["output_tokens"]
            of_session[call["turn"]] = (tokens, usd + cost)

    def until(self, session: str, steps: int) -> FloatArray:
        """(2, steps), tokens and dollars until the end of every step of a session.

        Where each step took several turns, such as a judge's, they count with it.
        """
        spent = sorted(self._spent.get(session, {}).items())
        summed = np.zeros((2, steps))
        for place, (_, numbers) in enumerate(spent):
            summed[:, min(place * steps // max(len(spent), 1), steps - 1)] += numbers
        return np.cumsum(summed, axis=1)
