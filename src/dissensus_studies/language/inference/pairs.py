"""Sessions put into pairs: each draw in one language against the same draw in the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design import pairs as of_design

Array = NDArray[np.float64]
Labels = NDArray[Any]

#: What the language study compares, and within what.
COLUMNS = of_design.Columns(arm="language", unit="draw_id", cluster="motion_id")


@dataclass(frozen=True)
class Sample:
    """Paired differences as plain arrays, one entry a pair: all that an estimator sees.

    Attributes
    ----------
    differences : language minus reference, finite.
    motions : label of the motion debated.
    first : whether the session in the language came before the one in the reference.
    """

    differences: Array
    motions: Labels
    first: NDArray[np.bool_]


@dataclass(frozen=True)
class Pairs(of_design.Pairs):
    """One outcome in one contrast, an entry for every draw, in the order of their names.

    Attributes
    ----------
    treated, reference, clusters : as in the class above; a cluster is a motion.
    domains : labels by draw.
    first : whether the session in the language came before the one in the reference.
    """

    domains: Labels
    first: NDArray[np.bool_]

    def sample(self) -> Sample:
        """The differences of the complete pairs."""
        kept = self.complete
        return Sample(self.differences[kept], self.clusters[kept], self.first[kept])


def languages_of(metrics: pd.DataFrame) -> list[str]:
    """The languages, in the order in which the sessions name them."""
    return list(dict.fromkeys(metrics["language"].tolist()))


def compared_languages(metrics: pd.DataFrame, reference: str) -> list[str]:
    """The languages that are compared with the reference."""
    return [language for language in languages_of(metrics) if language != reference]


def draw_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """What the languages of a draw share, a row a draw: motion_id and domain_id."""
    shared = metrics.drop_duplicates("draw_id").set_index("draw_id")
    return shared[["motion_id", "domain_id"]]


def pair_up(metrics: pd.DataFrame, outcome: str, language: str, reference: str) -> Pairs:
    """The pairs of one outcome in one contrast.

    Parameters
    ----------
    metrics : a row a session, failed ones included.
    outcome : which column.
    language, reference : what is compared with what.
    """
    pairs = of_design.pair_up(metrics, outcome, language, reference, COLUMNS)
    order = metrics.pivot(index="draw_id", columns="language", values="position").sort_index()
    return Pairs(
        pairs.treated,
        pairs.reference,
        pairs.clusters,
        draw_table(metrics).sort_index()["domain_id"].to_numpy(),
        (order[language] < order[reference]).to_numpy(dtype=bool),
    )
