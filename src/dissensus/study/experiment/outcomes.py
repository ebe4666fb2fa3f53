"""What an experiment measures of each session, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping

from dissensus.report.declared import Outcome
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, number, text

__all__ = ["BY", "Outcome", "metrics_schema", "rounds_schema"]

#: What an outcome may be a number of, besides the session.
BY: tuple[tuple[str, ...], ...] = ((), ("round",), ("round", "agent"))


def metrics_schema(
    ids: Mapping[str, Column], clusters: Mapping[str, Column], outcomes: Mapping[str, Outcome]
) -> Schema:
    """The schema of the metrics.

    Parameters
    ----------
    ids : the columns that name a session.
    clusters : the column of the cluster, where the ids have it not.
    outcomes : by name; those by session.
    """
    measured = {name: number(each.meaning, each.unit) for name, each in outcomes.items()}
    columns = {**ids, **clusters, **common("complete"), **measured}
    return Schema("metrics", "session", columns, key=("session_id",))


def rounds_schema(ids: Mapping[str, Column], clusters: Mapping[str, Column]) -> Schema:
    """The schema of outcomes by round; the parameters are those of :func:`metrics_schema`."""
    return Schema(
        "outcomes_by_round",
        "session, outcome, round and agent",
        {
            **ids,
            **clusters,
            "outcome": text("Name of the outcome."),
            **common("round"),
            "agent": text("Agent whose number it is; empty where it is one of the round."),
            "value": Column(
                "float", "The number; a round without one has no row.", "of the outcome"
            ),
        },
        key=("session_id", "outcome", "round", "agent"),
    )
