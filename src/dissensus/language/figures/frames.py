"""The frames that figures and tables are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyarrow import Table, array, string
from pyarrow.compute import is_in
from pyarrow.parquet import ParquetFile

from dissensus.report.frames import Record, keyed

#: Rows read at a time where few of them are wanted.
_BATCH = 20_000


@dataclass(frozen=True)
class View:
    """What every figure and table is told besides its frames.

    Attributes
    ----------
    reference : the language that the others are compared with.
    primary : column of the primary outcome.
    paper : column of the outcome on the bounded scale that stands for the paper's.
    level : of the intervals, such as "95%".
    simulated : whether the words came from simulated models.
    """

    reference: str
    primary: str
    paper: str
    level: str
    simulated: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any], simulated: bool) -> View:
        """From the settings that every rule of the figures is given."""
        return cls(
            settings["reference"],
            f"hi_{settings['primary']}",
            f"hi_{settings['paper_scale']}",
            f"{100 * settings['confidence']:g}%",
            simulated,
        )


def read_draws(path: str | Path, draws: Sequence[str]) -> pd.DataFrame:
    """The rows of some draws of an artefact that may be too large to hold: all speeches, say."""
    rows = (
        batch.filter(is_in(batch["draw_id"], array(draws, string())))
        for batch in ParquetFile(path).iter_batches(batch_size=_BATCH)
    )
    frame: pd.DataFrame = Table.from_batches(rows, ParquetFile(path).schema_arrow).to_pandas()
    return frame


def languages_of(frame: pd.DataFrame, reference: str) -> list[str]:
    """The languages, the reference first, the others as the rows first name them."""
    found = list(dict.fromkeys(frame["language"].tolist()))
    return [reference, *(name for name in found if name != reference)]


def wide(metrics: pd.DataFrame, column: str, languages: list[str]) -> pd.DataFrame:
    """A column with a row a draw and a column a language, NaN where a session was lost."""
    values = metrics[column].to_numpy(dtype=float, na_value=np.nan)
    kept = np.where(metrics["complete"].to_numpy(dtype=bool), values, np.nan)
    table = metrics[["draw_id", "language"]].assign(value=kept)
    return table.pivot(index="draw_id", columns="language", values="value")[languages]


def differences(metrics: pd.DataFrame, column: str, language: str, reference: str) -> pd.DataFrame:
    """The draws complete in both languages: a row a draw, both values and their difference."""
    pairs = wide(metrics, column, [language, reference]).dropna()
    return pairs.assign(difference=pairs[language] - pairs[reference])


def estimates(effect: pd.DataFrame, outcome: str, method: str) -> dict[str, Record]:
    """contrast -> the row of one outcome by one method."""
    return keyed(effect[(effect["outcome"] == outcome) & (effect["method"] == method)], "contrast")


def headlines(effect: pd.DataFrame) -> dict[str, Record]:
    """contrast -> the study's answer."""
    return keyed(effect[effect["headline"].to_numpy(dtype=bool)], "contrast")


def by_language_means(metrics: pd.DataFrame, column: str, languages: list[str]) -> pd.Series[float]:
    """Mean of a column in each language, over the draws complete in all of them."""
    return wide(metrics, column, languages).dropna().mean()
