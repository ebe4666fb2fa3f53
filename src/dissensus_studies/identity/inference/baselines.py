"""What the tokens of a debate find without debate: one agent, votes, self-refine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.design.equal_tokens import (
    ONE,
    REFINE,
    REFINE_VOTE,
    SAMPLES,
    VOTE,
    Answered,
    Spent,
    Strategy,
    by_round,
    compare_strategies,
    equal_tokens_schema,
    strategies_of,
)
from dissensus.digests import seed_of
from dissensus.study.makes import makes

from ..design.manifest import MANIFEST
from ..terms import ANONYMIZED, BASELINES, REFINED, SAMPLED, VANILLA

EQUAL_TOKENS = equal_tokens_schema(MANIFEST.pick("team"))

Row = Mapping[str, Any]

#: What readers call what is scored: the debates first, of which the first is the reference.
DEBATE, BLIND = "debate, vanilla", "debate, anonymised"


@makes(equal_tokens=EQUAL_TOKENS)
def compare_baselines(
    answers: list[dict[str, Any]],
    calls: list[dict[str, Any]],
    manifest: list[dict[str, Any]],
    questions: list[dict[str, Any]],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Debates and baselines of every team that holds the controls refined or sampled.

    Parameters
    ----------
    answers, manifest, questions : the artefacts of those names.
    calls : of all sessions, repairs and sessions begun again among them.
    confidence, resamples, seed : as for :func:`compare_strategies`.

    Returns
    -------
    Rows of :data:`EQUAL_TOKENS`, over all banks. A debate's answer is the vote of its agents, after
    the opening (step 0) and after every round. ``one agent`` is one of the opening, ``majority
    vote`` its vote, ``self-consistency`` the vote over all answers to the bare question until then,
    N (R + 1) of them in the end (Wang and others, 2023), ``self-refine`` one agent that revises its
    own answer R times (after Madaan and others, 2023), and the same of N agents who then vote.
    """
    right = {row["question_id"]: str(row["answer"]) for row in questions}
    given = by_round(answers, "answer")
    spent = Spent(calls)
    rows = []
    for team, sessions in _by_team(manifest).items():
        if not set(BASELINES) & set(sessions):
            continue
        asked = sorted({name for of_condition in sessions.values() for name in of_condition})
        strategies = [
            strategy
            for condition, of_condition in sessions.items()
            for strategy in _strategies(
                condition, [of_condition.get(name) for name in asked], given, spent, right
            )
        ]
        strategies.sort(key=lambda strategy: _ORDER.index(strategy.name))
        if not strategies or strategies[0].name != DEBATE:
            continue
        rows += [
            {"team": team, **row}
            for row in compare_strategies(
                strategies,
                np.array(asked, dtype=object),
                confidence=confidence,
                resamples=resamples,
                seed=seed_of(seed, "equal tokens", team),
            )
        ]
    return rows


_ORDER = (DEBATE, BLIND, ONE, VOTE, SAMPLES, REFINE, REFINE_VOTE)
_KINDS = {VANILLA: DEBATE, ANONYMIZED: BLIND, REFINED: REFINE, SAMPLED: SAMPLES}


def _by_team(manifest: Sequence[Row]) -> dict[str, dict[str, dict[str, Row]]]:
    """Team -> condition -> question -> session, of what the baselines are about."""
    by_team: dict[str, dict[str, dict[str, Row]]] = {}
    for row in manifest:
        if row["condition"] in _KINDS:
            of_team = by_team.setdefault(row["team"], {})
            of_team.setdefault(row["condition"], {})[row["question_id"]] = row
    return by_team


def _strategies(
    condition: str,
    sessions: Sequence[Row | None],
    given: Mapping[str, Sequence[Sequence[str]]],
    spent: Spent,
    right: Mapping[str, str],
) -> list[Strategy]:
    """What is scored of the sessions of a condition, one for every question of the team."""
    steps = 1 + max(row["rounds"] for row in sessions if row)
    costs = np.full((2, len(sessions), steps), np.nan)
    answered: list[Answered | None] = [None] * len(sessions)
    for place, row in enumerate(sessions):
        if row is None or row["session_id"] not in given:
            continue
        answered[place] = given[row["session_id"]], right[row["question_id"]]
        later = np.pad(spent.until(row["session_id"], steps - 1), ((0, 0), (1, 0)))
        costs[:, place] = spent.until(row["opening"], 1) + later
    if not any(answered):
        return []
    strategies = strategies_of(_KINDS[condition], answered, costs)
    return strategies[:1] if condition == ANONYMIZED else strategies
