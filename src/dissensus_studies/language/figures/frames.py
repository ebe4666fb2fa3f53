"""The frames that figures and tables are made from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyarrow import Table, array, string
from pyarrow.compute import is_in

from dissensus.report.facts import Row
from dissensus.report.frames import Record, keyed
from dissensus.report.labels import language_name
from dissensus.report.view import Artefacts, View
from dissensus.tables.seal import open_sealed

from ..inference.estimators import OFFSET

#: Rows read at a time where few of them are wanted.
_BATCH = 20_000


def primary(view: View) -> str:
    """Column of the primary outcome."""
    return f"hi_{view['primary']}"


def paper(view: View) -> str:
    """Column of the outcome on the bounded scale that stands for the paper's."""
    return f"hi_{view['paper_scale']}"


def may_stop(view: View) -> bool:
    """Whether the study is looked at after each block, and has its scale from the first."""
    return "stop_alpha" in view.settings


def fitted_on(view: View) -> str:
    """The texts that the scales are fitted on."""
    reference = language_name(view.reference)
    return f"the first block as read in {reference}" if may_stop(view) else reference


def read_draws(path: str | Path, draws: Sequence[str]) -> pd.DataFrame:
    """The rows of some draws of an artefact that may be too large to hold: all speeches, say."""
    with open_sealed(path) as file:
        rows = (
            batch.filter(is_in(batch["draw_id"], array(draws, string())))
            for batch in file.iter_batches(batch_size=_BATCH, use_threads=False)
        )
        frame: pd.DataFrame = Table.from_batches(rows, file.schema_arrow).to_pandas(
            use_threads=False
        )
    return frame


def debates_of(sessions: pd.DataFrame) -> pd.DataFrame:
    """The debates among sessions, without their translations."""
    return sessions[sessions["rendered_from"] == ""]


def languages_of(frame: pd.DataFrame, reference: str) -> list[str]:
    """The languages, the reference first, the others as the rows first name them."""
    languages = list(dict.fromkeys(frame["language"].tolist()))
    return [reference, *(name for name in languages if name != reference)]


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


def effect_facts(artefacts: Artefacts, **where: Any) -> dict[str, Row]:
    """contrast -> its row of the effects with an outcome and a method, or of the headline."""
    rows = artefacts.facts("language_effect").rows(**where)
    return {row["contrast"]: row for row in rows}


def headlines(effect: pd.DataFrame) -> dict[str, Record]:
    """contrast -> the study's answer."""
    return keyed(effect[effect["headline"].to_numpy(dtype=bool)], "contrast")


def offsets(effect: pd.DataFrame, outcome: str) -> dict[str, Record]:
    """contrast -> the instrument's offset on an outcome, of contrasts that measured one."""
    return estimates(effect, outcome, OFFSET)


def by_language_means(metrics: pd.DataFrame, column: str, languages: list[str]) -> pd.Series[float]:
    """Mean of a column in each language, over the draws complete in all of them."""
    return wide(metrics, column, languages).dropna().mean()
