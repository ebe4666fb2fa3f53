"""Scout's Parquet: a transcript a row, its messages as JSON, our columns as its metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ResourceError
from dissensus.keep.exporting.messages import failure, message, metadata, outcomes, usage
from dissensus.keep.exporting.sessions import Exported, StudyFolder
from dissensus.tables.artefact import replacing

#: Scout's own columns, which ours must not pass for.
_THEIRS = {
    **dict.fromkeys(
        (
            *("transcript_id", "source_type", "source_id", "source_uri", "date", "task_set"),
            *("task_id", "agent", "agent_args", "model", "model_options", "score", "error"),
            *("score_explanation", "limit", "messages", "events", "timelines", "filename"),
            "metadata",
        ),
        pa.string(),
    ),
    "task_repeat": pa.int64(),
    "success": pa.bool_(),
    "message_count": pa.int64(),
    "total_time": pa.float64(),
    "total_tokens": pa.int64(),
    "trust_content": pa.bool_(),
}
_WRITTEN = (
    *("transcript_id", "source_type", "source_id", "task_set", "task_id", "agent", "model"),
    *("success", "message_count", "total_tokens", "error", "trust_content", "messages"),
)


def write_scout(study: StudyFolder, path: Path) -> int:
    """Write a file of Scout's data base of transcripts, which is a folder of such; how many it has.

    Raises
    ------
    ResourceError : the file's name does not end in .parquet.
    """
    if path.suffix != ".parquet":
        raise ResourceError(f"{path} ends otherwise than .parquet; Scout reads a folder of these.")
    rows = [_row(study, session) for session in study.sessions()]
    names = list(dict.fromkeys(name for row in rows for name in row))
    further = [name for name in names if name not in _THEIRS]
    fields = [pa.field(name, _THEIRS[name]) for name in _WRITTEN]
    fields += [pa.field(name, _kind([row.get(name) for row in rows])) for name in further]
    table = pa.Table.from_pylist(rows, schema=pa.schema(fields))
    with replacing(path) as part:
        pq.write_table(table, part, compression="zstd")
    return len(rows)


def _row(study: StudyFolder, session: Exported) -> dict[str, Any]:
    source = f"{study.folder.parent.name}/{study.folder.name}"
    used = usage(study.calls(session)).values()
    lost = failure(session)
    about = {**metadata(study, session), **outcomes(session)}
    about["cost_usd"] = None if None in (costs := [u["total_cost"] for u in used]) else sum(costs)
    about["title"] = session.title
    return {
        # What a run or a study adds may be called like a column of Scout's.
        **{(f"own_{name}" if name in _THEIRS else name): _flat(v) for name, v in about.items()},
        "transcript_id": f"{source}/{session.name}",
        "source_type": "dissensus",
        "source_id": source,
        "task_set": study.folder.name,
        "task_id": str(session.row.get(study.key) or session.name),
        "agent": ", ".join(dict.fromkeys(turn["speaker"] for turn in session.turns)),
        "model": ", ".join(dict.fromkeys(t["model"] for t in session.turns if t["model"])) or None,
        "success": not lost,
        "message_count": len(session.turns),
        "total_tokens": sum(u["total_tokens"] for u in used) if used else None,
        "error": lost or None,
        # What models say is no instruction to whoever scans it.
        "trust_content": False,
        "messages": json.dumps([message(turn) for turn in session.turns], ensure_ascii=False),
    }


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _kind(values: list[Any]) -> pa.DataType:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return pa.bool_()
    if kinds <= {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()
