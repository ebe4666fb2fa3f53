"""A plain table of turns, which ``dissensus import`` reads back to the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ResourceError
from dissensus.keep.exporting.sessions import Exported, Row, StudyFolder
from dissensus.session.record import as_json
from dissensus.session.turn_fields import TURN_FIELDS
from dissensus.tables.artefact import replacing

#: Fields that are written; others are what a file of others may have.
FIELDS = tuple(
    name
    for name in TURN_FIELDS
    if name not in ("pair", "truth", "decision", "round", "value", "time")
)
#: What a turn took.
_TAKEN = ("input_tokens", "output_tokens", "cost_usd")
_TYPES = {"whole": pa.int64(), "number": pa.float64(), "flag": pa.bool_()}
SCHEMA = pa.schema(
    [
        pa.field(
            name,
            _TYPES.get(TURN_FIELDS[name].kind, pa.string()),
            metadata={"description": TURN_FIELDS[name].meaning},
        )
        for name in FIELDS
    ]
)


def rows(study: StudyFolder) -> Iterator[dict[str, Any]]:
    """A row a turn, in the order of the manifest; a session that failed for good has none."""
    for session in study.sessions():
        shared = session_fields(study, session)
        simulated = shared["simulated"]
        taken = _taken(study.calls(session))
        for turn in session.turns:
            yield {
                **shared,
                "turn": turn["turn"],
                "round_label": turn["round_label"],
                "speaker": turn["speaker"],
                "role": turn["role"],
                "model": turn["model"],
                "person": turn["person"],
                "text": turn["text"],
                "value_json": turn["value"],
                "repairs": turn["repairs"],
                "compliant": turn["compliant"],
                **taken.get((turn["turn"], turn["speaker"]), {}),
                # A person is none, whatever else speaks.
                "simulated": simulated and turn["person"] is False,
            }


def session_fields(study: StudyFolder, session: Exported) -> dict[str, Any]:
    """What all turns of a session have alike, by the fields of a turn."""
    row, truth, is_import = session.row, session.truth, session.is_imported
    of_file = ("score", "scores_json")
    return {
        "session": row["source_session"] if is_import else session.name,
        "arm": str(row[study.arm]),
        "item": _text(row["item"] if is_import else row[study.key]),
        "draw": row["draw_id"],
        "cluster": _text(row.get("cluster_id")),
        **({"decision_json": row["decision"]} if is_import else {}),
        **({name: row[name] for name in of_file} if is_import else {}),
        "truth_json": None if truth is None else as_json(truth),
        "simulated": bool(study.provenance["simulated"]),
    }


def _taken(calls: Sequence[Row]) -> dict[tuple[int, str], Row]:
    """Turn and speaker -> what the turn took, all tries added up; no cost where one has none."""
    sums: dict[tuple[int, str], dict[str, Any]] = {}
    for call in calls:
        before = sums.setdefault((call["turn"], call["speaker"]), dict.fromkeys(_TAKEN, 0))
        for name in _TAKEN:
            is_known = None not in (before[name], call[name])
            before[name] = before[name] + call[name] if is_known else None
    return dict(sums)


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write_turns(study: StudyFolder, path: Path) -> int:
    """Write all turns of a study; the number of them.

    Parameters
    ----------
    path : ends in .parquet or .jsonl. A CSV would have spreadsheets run texts that begin with "=".

    Raises
    ------
    ResourceError : it ends otherwise.
    """
    if path.suffix not in (".parquet", ".jsonl"):
        raise ResourceError(
            f"{path} ends in {path.suffix or 'nothing'!r}; turns are written to .parquet or "
            ".jsonl: in a CSV, spreadsheets would run what begins with '='."
        )
    table = pa.Table.from_pylist(list(rows(study)), schema=SCHEMA)
    with replacing(path) as part:
        if path.suffix == ".parquet":
            pq.write_table(table, part, compression="zstd")
        else:
            lines = (json.dumps(row, ensure_ascii=False) for row in table.to_pylist())
            part.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
    return int(table.num_rows)
