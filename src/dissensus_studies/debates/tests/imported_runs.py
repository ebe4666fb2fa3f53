"""A run of imported debates in memory: from a file of turns to the last estimate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dissensus.llm.journal import NoJournal
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.record import rows_of
from dissensus.session.runner import Limits, run_session
from dissensus.study.gather import Gathered, gather, outcomes_schema, turns_schema
from dissensus.study.given import stage_settings
from dissensus.tables.artefact import read, write

from ..design import MANIFEST, collect, draw
from ..inference import compare_debates, gather_measures
from ..measures import METRICS, ROUNDS, measure_shard
from ..settings import DebatesSettings
from ..study import Debates

Row = dict[str, Any]


@dataclass
class Letters:
    """An embedder whose vectors are the words of a text, so that cosines are known."""

    name: str = "letters"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([unit(text) for text in texts], dtype=np.float32)

    @property
    def used(self) -> Letters:
        return self

    @property
    def calls(self) -> list[Row]:
        return []


def unit(text: str) -> np.ndarray:
    """How often each of 64 sorts of words stands in a text, scaled to length 1."""
    vector = np.zeros(64)
    for word in text.split():
        vector[sum(map(ord, word)) % 64] += 1.0
    return np.asarray(vector / np.linalg.norm(vector))


@dataclass
class Run:
    """What a run has: rows of its artefacts."""

    gathered: Gathered
    metrics: pd.DataFrame
    by_round: pd.DataFrame
    effective: list[Row]
    contrasts: pd.DataFrame
    contrasts_by_round: pd.DataFrame

    def contrast(self, outcome: str, arm: str, reference: str, method: str) -> Row:
        rows = self.contrasts
        found = rows[
            (rows["outcome"] == outcome)
            & (rows["arm"] == arm)
            & (rows["reference"] == reference)
            & (rows["method"] == method)
        ]
        (row,) = found.to_dict("records")
        return row


def settings_of(file: Path, **block: Any) -> DebatesSettings:
    return DebatesSettings(tables=[{"file": str(file)}], **block)  # type: ignore[list-item]


def run_of(folder: Path, turns: Iterable[Mapping[str, Any]], **block: Any) -> Run:
    """The run of a table of turns, whose columns are called like fields.

    Parameters
    ----------
    block : settings besides the table.
    """
    file = folder / "turns.jsonl"
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    study = Debates(settings_of(file, tokenizer="words", **block))
    items = {
        row["session_id"]: row
        for row in collect(stage_settings(study, study.source), 1)["imported"][1]
    }
    rows = draw(items, stage_settings(study, study.manifest), 1)
    gathered = gather(played(study, row, items[row["session_id"]]) for row in rows)
    write(folder / "manifest.parquet", MANIFEST, rows, {})
    write(folder / "turns.parquet", turns_schema(study.ids), gathered.turns, {})
    write(folder / "outcomes.parquet", outcomes_schema(study.ids), gathered.outcomes, {})
    spoken: dict[str, list[Row]] = {}
    for turn in read(folder / "turns.parquet").to_pylist():
        spoken.setdefault(turn["session_id"], []).append(turn)
    measured = measure_shard(
        spoken,  # type: ignore[arg-type]
        gathered.outcomes,
        folder / "manifest.parquet",
        "words",
        "letters" if study.settings.embedder else None,
        lambda name, path: Letters(),  # type: ignore[arg-type, return-value]
    )
    tables = []
    for schema, made in zip((METRICS, ROUNDS), measured, strict=False):
        write(folder / f"{schema.name}.parquet", schema, made, {})
        tables.append(read(folder / f"{schema.name}.parquet", schema))
    arms = study.settings.arms
    all_turns: pa.Table = read(folder / "turns.parquet")
    metrics, by_round, effective = gather_measures(*tables, all_turns, rows, arms)
    frames = metrics.to_pandas(), by_round.to_pandas()
    inference = study.settings.inference.model_dump()
    contrasts, course = compare_debates(
        *frames, arms, study.is_paired, inference, study.settings.primary, 1
    )
    return Run(gathered, *frames, effective, pd.DataFrame(contrasts), pd.DataFrame(course))


def played(study: Debates, row: Row, item: Row) -> Any:
    """A session as its protocol plays it."""
    (kind,) = study.kinds
    steps = kind.steps(kind.spec(row, item), PlaceholderInputs())
    limits = Limits.of(study.settings.protocol.model_dump())
    session = run_session(0, steps, {}, NoJournal(), limits)
    return rows_of(session, {name: row[name] for name in study.ids})
