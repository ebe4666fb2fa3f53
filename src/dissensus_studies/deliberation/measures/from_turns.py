"""From the turns of some sessions to their metrics, in one step and without the other artefacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .debate import Row
from .reconstruct import reconstruct
from .sessions import Inputs, measure


def metrics_of(
    sessions: Sequence[Row],
    turns: Mapping[str, Sequence[Row]],
    topics: Sequence[Row],
    study: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """A row of metrics a session, in the order of the sessions.

    Parameters
    ----------
    sessions : rows of the manifest.
    turns : session_id -> its turns, of those that ran to the end.
    topics : rows of the source.
    study : the study's ``arms``, ``control`` and ``measures``, as plain values.
    """
    rebuilt = reconstruct(turns, {topic["topic_id"]: topic["options"] for topic in topics})
    ended = [
        {"session_id": row["session_id"], "complete": row["session_id"] in turns}
        for row in sessions
    ]
    spoken = [turn for of_session in turns.values() for turn in of_session]
    inputs = Inputs(sessions, topics, ended, spoken, **vars(rebuilt))
    return measure(inputs, {**study, "resamples": 1, "seed": 0}).metrics
