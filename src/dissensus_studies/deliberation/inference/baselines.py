"""What the tokens of a deliberation find without it, on the topics that have a truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.design.equal_tokens import (
    REFINE,
    SAMPLES,
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

EQUAL_TOKENS = equal_tokens_schema(MANIFEST.pick("arm"))

Row = Mapping[str, Any]

#: What the reference is called among strategies.
DEBATE = "debate"
_KINDS = {"own": REFINE, "nothing": SAMPLES}


@makes(equal_tokens=EQUAL_TOKENS)
def compare_baselines(
    stances: list[dict[str, Any]],
    calls: list[dict[str, Any]],
    manifest: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    topics: list[dict[str, Any]],
    *,
    reference: str,
    arms: Mapping[str, Mapping[str, Any]],
    confidence: float,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """The reference beside the arms in which agents see their own turns alone, or nothing.

    Parameters
    ----------
    stances, manifest, outcomes, topics : the artefacts of those names.
    calls : of all sessions, repairs and sessions begun again among them.
    reference : the arm that deliberates.
    arms : name -> settings, of which ``sees`` and ``samples`` are read; of several that see alike
        the first is taken.
    confidence, resamples, seed : as for
        :func:`~dissensus.design.equal_tokens.compare_strategies`; topics are resampled.

    Returns
    -------
    Rows of :data:`EQUAL_TOKENS`, over the draws whose topic has a truth; none where no arm is a
    baseline. A debate's answer is the vote of the known stances after each round.
    """
    kinds = _kinds(arms, reference)
    truths = {topic["topic_id"]: topic["truth"] for topic in topics}
    draws = _scored_draws(manifest, outcomes, truths)
    if len(kinds) == 1 or not draws:
        return []
    stated = by_round(stances, "stance")
    sessions = {(row["arm"], row["draw_id"]): row for row in manifest}
    spent = Spent(calls)
    strategies = [
        strategy
        for arm, kind in kinds.items()
        for strategy in _strategies(
            kind,
            [sessions[arm, draw] for draw in draws],
            arms[arm]["samples"],
            stated,
            spent,
            truths,
        )
    ]
    if not strategies or strategies[0].name != DEBATE:
        return []
    rows = compare_strategies(
        strategies,
        np.array(list(draws.values()), dtype=object),
        confidence=confidence,
        resamples=resamples,
        seed=seed_of(seed, "equal tokens"),
    )
    return [{"arm": reference, **row} for row in rows]


def _scored_draws(
    manifest: Iterable[Mapping[str, Any]],
    outcomes: Iterable[Mapping[str, Any]],
    truths: Mapping[str, Any],
) -> dict[str, str]:
    """Draw -> topic, of those whose topic has a truth; one without an outcome was not run."""
    run = {row["draw_id"] for row in outcomes}
    return {
        row["draw_id"]: row["topic_id"]
        for row in manifest
        if truths[row["topic_id"]] and row["draw_id"] in run
    }


def _kinds(arms: Mapping[str, Mapping[str, Any]], reference: str) -> dict[str, str]:
    """Arm -> what is scored of it: the reference, and the first arm of each kind of baseline."""
    kinds = {reference: DEBATE}
    for arm, settings in arms.items():
        kind = _KINDS.get(settings["sees"])
        if kind and kind not in kinds.values():
            kinds[arm] = kind
    return kinds


def _strategies(
    kind: str,
    sessions: Sequence[Row],
    samples: int | None,
    stated: Mapping[str, Sequence[Sequence[str]]],
    spent: Spent,
    truths: Mapping[str, str],
) -> list[Strategy]:
    """What is scored of the sessions of an arm, one for every draw.

    ``samples`` are the answers of each agent where they are not as many as rounds.
    """
    steps = int(samples or sessions[0]["rounds"])
    spending = [spent.until(row["session_id"], steps) for row in sessions]
    answered: list[Answered | None] = [
        (stated[row["session_id"]], truths[row["topic_id"]])
        if row["session_id"] in stated
        else None
        for row in sessions
    ]
    return strategies_of(kind, answered, np.stack(spending, axis=1)) if any(answered) else []
