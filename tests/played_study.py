"""Experiments played in memory: their own manifest, a text for each turn, their own measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from dissensus.session.record import as_json
from dissensus.study.experiment import Experiment
from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.experiment.session import Read
from panel_study import declared

Row = Mapping[str, Any]


def last_number(reply: str) -> float:
    return float(reply.rpartition(" ")[2].strip("."))


def study_of(**declarations: Any) -> type[Experiment]:
    """An experiment whose outcome is the last number that is said, unless it says otherwise."""
    return declared(
        **{
            "items": lambda self, rng: [],
            "debate": lambda self, session: [],
            "measure": lambda self, turns, item: {"y": turns["value"].iloc[-1]},
            **declarations,
        }
    )


def played(
    study: type[Experiment],
    items: int | Mapping[str, Row],
    says: Callable[[Row], Sequence[float]],
    repeats: int = 1,
    seed: int = 1,
    again: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics and outcomes by round of a study whose sessions say these numbers, one a turn.

    Parameters
    ----------
    items : how many, or the items by name.
    says : from a row of the manifest to what its session says; nothing where it fails for good.
    again : whether the reference is run a second time.
    """
    reads = Read(last_number)
    pool: Mapping[str, Row] = (
        {f"i{number}": {"item_id": f"i{number}", "topic": "t"} for number in range(items)}
        if isinstance(items, int)
        else items
    )
    names = {"draws": None, "repeats": repeats, "block_size": 25, "again": again}
    turns, outcomes = [], []
    for row in study.draw_manifest(pool, names, seed):
        ids = {name: row[name] for name in study.ids}
        numbers = says(row)
        outcomes.append({**ids, "complete": bool(numbers)})
        for turn, number in enumerate(numbers, start=1):
            value = reads.read(f"All in all I put it at {number:.6f}.").value
            turns.append({**ids, "turn": turn, "speaker": "A1", "value": as_json(value)})
    made = study(study.Settings.model_validate({"model": "m", "repeats": repeats}))
    by_session = turns_by_session(turns, study.levels())
    metrics, by_round = measure_sessions(made, by_session, outcomes, pool)
    return pd.DataFrame(metrics), pd.DataFrame(by_round)
