"""How close agents' answers come to those of whom they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import defined, robust_mean
from dissensus.digests import seed_of
from dissensus.run.embedding import embedding_calls
from dissensus.stats.bootstrap import cluster_bootstrap
from dissensus.stats.shares import share_limits, wilson
from dissensus.study.makes import TurnsBySession, makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, text
from dissensus.text.embeddings import Vectors
from dissensus.text.rouge import rouge_l, rouge_n

from ..design import SANITY
from ..domains import STATEMENTS, read_domain
from ..protocol.sanity import LetterFormat
from .questions import (
    DIRECT,
    EXTRAPOLATED,
    OPEN,
    Question,
    read_questions,
)

Row = Mapping[str, Any]

#: Where all agents of a domain stand together.
ALL_AGENTS = "all"
ACCURACY = "accuracy"
_CHOICES = (DIRECT, EXTRAPOLATED)
_TEXTS = ("rouge_1", "rouge_2", "rouge_l", "cosine")
CHECKS = Schema(
    name="sanity",
    row="domain, agent, condition and measure",
    columns={
        **STATEMENTS.pick("domain"),
        "agent": text("Name of the agent in its domain; all for its agents together."),
        "condition": text("Name of the condition in consensus.sanity."),
        "measure": text(
            "accuracy, and of direct and extrapolated questions alone: share of choices that are "
            "the agent's own; rouge_1, rouge_2, rouge_l (F1) and cosine with its answers in full."
        ),
        **common("estimate?", "ci_low?", "ci_high?", "n"),
    },
    key=("domain", "agent", "condition", "measure"),
)
SANITY_CALLS = embedding_calls("sanity_calls")


@makes(sanity=CHECKS, calls=SANITY_CALLS)
def score_answers(
    manifest: list[dict[str, Any]],
    turns: TurnsBySession,
    domains: Mapping[str, str],
    embed: Callable[[Sequence[str]], Vectors],
    inference: Mapping[str, Any],
    seed: int,
) -> list[dict[str, Any]]:
    """The stage of :func:`score_sanity`.

    Parameters
    ----------
    domains : name -> folder of its agents and questions.
    inference : ``confidence`` and ``resamples``.
    """
    questions = {
        name: read_questions(folder, tuple(read_domain(folder).names))
        for name, folder in domains.items()
    }
    level, resamples = inference["confidence"], inference["resamples"]
    return score_sanity(manifest, turns, questions, embed, level, resamples, seed)


def score_sanity(
    manifest: Sequence[Row],
    turns: Mapping[str, Sequence[Row]],
    questions: Mapping[str, Sequence[Question]],
    embed: Callable[[Sequence[str]], Vectors],
    confidence: float,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Rows of :data:`CHECKS`, for each agent and for all of a domain together.

    An agent's accuracies have Wilson's interval; those of all agents Student's over questions, on
    the logit scale; texts a bootstrap of questions. A choice that cannot be read is a wrong one; an
    answer in full that is lost counts in no mean.

    Parameters
    ----------
    manifest : its rows.
    turns : session_id -> its turns.
    questions : domain -> its questions.
    embed : unit vectors of texts, all of the study in one call.
    confidence, resamples, seed : of the intervals.
    """
    answers = [
        answer
        for row in manifest
        if row["kind"] == SANITY and row["session_id"] in turns
        for answer in _answers(row, turns[row["session_id"]], questions[row["domain"]])
    ]
    if not answers:
        return []
    frame = pd.DataFrame(answers)
    _add_cosines(frame, embed)
    rows = []
    for (domain, condition), of_condition in frame.groupby(["domain", "condition"], sort=False):
        for agent in (*pd.unique(of_condition["agent"]), ALL_AGENTS):
            some = (
                of_condition
                if agent == ALL_AGENTS
                else of_condition[of_condition["agent"] == agent]
            )
            for measure in (ACCURACY, *_CHOICES, *_TEXTS):
                key = seed_of(seed, domain, condition, agent, measure)
                estimated = _estimate(
                    some, measure, agent != ALL_AGENTS, (confidence, resamples, key)
                )
                names = {"domain": domain, "agent": agent, "condition": condition}
                rows.append({**names, "measure": measure, **estimated})
    return rows


def _answers(
    row: Row, turns: Sequence[Row], questions: Sequence[Question]
) -> Iterator[dict[str, Any]]:
    question_of = {question.id: question for question in questions}
    for turn in turns:
        question, reply = question_of[turn["round_label"]], turn["text"]
        agent = turn["speaker"]
        scored: dict[str, Any] = {"text": "", "reference": "", "own": np.nan}
        scored |= dict.fromkeys(_TEXTS, np.nan)
        if question.kind != OPEN:
            format = LetterFormat("".join(map(chr, range(65, 65 + len(question.answers)))))
            scored["own"] = float(format.read(reply).value == question.letter(agent))
        elif reply.strip():
            reference = question.answers[agent]
            scored |= {"text": reply, "reference": reference, "rouge_l": rouge_l(reply, reference)}
            scored |= {f"rouge_{n}": rouge_n(reply, reference, n) for n in (1, 2)}
        names = {"domain": row["domain"], "condition": row["arm"], "agent": agent}
        yield {**names, "question": question.id, "kind": question.kind, **scored}


def _add_cosines(frame: pd.DataFrame, embed: Callable[[Sequence[str]], Vectors]) -> None:
    """Each distinct text is embedded once."""
    answered = frame["text"] != ""
    if not answered.any():
        return
    texts = pd.unique(pd.concat([frame.loc[answered, "text"], frame.loc[answered, "reference"]]))
    places = {text: place for place, text in enumerate(texts)}
    vectors = embed(list(texts))
    first, second = (
        vectors[[places[text] for text in frame.loc[answered, side]]]
        for side in ("text", "reference")
    )
    frame.loc[answered, "cosine"] = np.clip((first * second).sum(axis=1), -1.0, 1.0).astype(float)


def _estimate(
    frame: pd.DataFrame, measure: str, is_one: bool, options: tuple[float, int, int]
) -> dict[str, Any]:
    confidence, resamples, seed = options
    column = measure if measure in _TEXTS else "own"
    answered = frame[frame["kind"] == measure] if measure in _CHOICES else frame
    answered = answered[answered[column].notna()]
    values, n = answered[column].to_numpy(dtype=float), len(answered)
    low = high = float("nan")
    if column == "own" and is_one and n:
        low, high = wilson(int(values.sum()), n, confidence)
    elif column == "own" and n:
        questions = answered["question"].to_numpy(dtype=str)
        low, high = share_limits(robust_mean(values, questions, confidence), confidence)
    elif answered["question"].nunique() > 1 and np.ptp(values) > 0:
        bootstrapped = cluster_bootstrap(
            values,
            answered["question"].to_numpy(dtype=str),
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        )
        low, high = bootstrapped.ci_low, bootstrapped.ci_high
    estimate = float(values.mean()) if n else float("nan")
    limits = {"estimate": estimate, "ci_low": low, "ci_high": high}
    return {**{name: defined(value) for name, value in limits.items()}, "n": n}
