"""What an experiment measures of each session, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, number, text

#: What an outcome may be a number of, besides the session.
BY: tuple[tuple[str, ...], ...] = ((), ("round",), ("round", "agent"))


@dataclass(frozen=True)
class Outcome:
    """A number of each session, or of each round of it, or of each agent in each round.

    Attributes
    ----------
    meaning : what it is, in a sentence.
    title : for figures and tables; its name where it is empty.
    unit : such as "words"; empty for shares and counts.
    null : what the mean of one arm is tested against, such as .5 for a guess between two; None
        where no value is of interest, and a single mean has no p-value. Contrasts are tested
        against no difference.
    is_share : whether it lies between 0 and 1, as does then the interval of its mean.
    bounds : the smallest and the largest value that it can have, such as (1, 5) of a rating; a
        share's are (0, 1). A study that may stop assumes nothing else of it then.
    by : nothing for a number a session; "round", or ("round", "agent").
    """

    meaning: str
    title: str = ""
    unit: str = ""
    null: float | None = None
    is_share: bool = False
    bounds: tuple[float, float] | None = None
    by: str | tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """What it is a number of in a session, as one of :data:`BY`."""
        return tuple(self.by) if isinstance(self.by, tuple | list) else (self.by,)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Its bounds, those of a share among them."""
        return (0.0, 1.0) if self.is_share else self.bounds

    @classmethod
    def of(cls, declared: str | Outcome) -> Outcome:
        """From a study's declaration, which may be the sentence alone."""
        return declared if isinstance(declared, Outcome) else cls(declared)

    def words(self, name: str) -> str:
        """Its title with its unit; ``name``: as the study declares it."""
        title = self.title or name.replace("_", " ")
        return f"{title} ({self.unit})" if self.unit else title


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
