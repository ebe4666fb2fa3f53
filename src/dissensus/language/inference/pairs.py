"""Sessions put into pairs: each draw in one language against the same draw in the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[Any]

_ROUNDING = 1e-12


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
class Pairs:
    """One outcome in one contrast, an entry for every draw, lost sessions included.

    Attributes
    ----------
    treated, reference : outcomes by draw, NaN where the session was lost.
    draws, motions, domains : labels by draw.
    first : whether the session in the language came before the one in the reference.
    """

    treated: Array
    reference: Array
    draws: Labels
    motions: Labels
    domains: Labels
    first: NDArray[np.bool_]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which draws have the outcome in both languages."""
        return np.asarray(np.isfinite(self.treated) & np.isfinite(self.reference))

    @property
    def differences(self) -> Array:
        """Language minus reference, NaN where the pair is not complete.

        Differences that agree up to rounding are made equal, lest rounding pass for variance.
        """
        found = np.where(self.complete, self.treated - self.reference, np.nan)
        known = found[self.complete]
        if len(known) == 0:
            return found
        size = np.abs(self.treated[self.complete]).max() + np.abs(known).max()
        equal = np.ptp(known) <= _ROUNDING * size
        return np.where(self.complete, known[0], np.nan) if equal else found

    def sample(self) -> Sample:
        """The differences of the complete pairs."""
        kept = self.complete
        return Sample(self.differences[kept], self.motions[kept], self.first[kept])


def languages_of(metrics: pd.DataFrame) -> list[str]:
    """The languages, in the order in which the sessions name them."""
    return list(dict.fromkeys(metrics["language"].tolist()))


def compared_languages(metrics: pd.DataFrame, reference: str) -> list[str]:
    """The languages that are compared with the reference."""
    return [language for language in languages_of(metrics) if language != reference]


def contrast_name(language: str, reference: str) -> str:
    """How artefacts name a contrast: ``zh-en`` is Chinese minus English."""
    return f"{language}-{reference}"


def by_language(metrics: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column with a row a draw and a column a language, NaN where a session was lost.

    A session that did not run to the end has no outcome, whatever its row may hold.
    """
    complete = metrics["complete"].to_numpy(dtype=bool)
    values = metrics[column].to_numpy(dtype=float, na_value=np.nan)
    frame = metrics[["draw_id", "language"]].assign(value=np.where(complete, values, np.nan))
    wide = frame.pivot(index="draw_id", columns="language", values="value")
    return wide.reindex(index=pd.unique(metrics["draw_id"]), columns=languages_of(metrics))


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
    wide, shared = by_language(metrics, outcome), draw_table(metrics)
    order = metrics.pivot(index="draw_id", columns="language", values="position")
    order = order.reindex(index=wide.index)
    return Pairs(
        wide[language].to_numpy(dtype=float),
        wide[reference].to_numpy(dtype=float),
        wide.index.to_numpy(),
        shared["motion_id"].to_numpy(),
        shared["domain_id"].to_numpy(),
        (order[language] < order[reference]).to_numpy(dtype=bool),
    )
