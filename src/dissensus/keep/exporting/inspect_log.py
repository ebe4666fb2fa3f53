"""An Inspect log: a sample a session, its messages by agent, outcomes as scores, usage and cost.

The form is that of ``inspect_ai.log.EvalLog``, version 2, as JSON. Prompts are in no artefact, so
that the events of models have none; nor do artefacts say when, and the log's times are no times.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any

from dissensus.errors import ResourceError
from dissensus.keep.exporting.messages import failure, message, metadata, outcomes, usage
from dissensus.keep.exporting.sessions import Exported, StudyFolder
from dissensus.keep.exporting.turns import session_fields
from dissensus.tables.artefact import replacing

Row = dict[str, Any]
_ENDING = ".json"
#: What the names of files that the viewer lists begin with.
_LISTED = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}")
#: What the name of a task has none of in a file's name.
_TASK = re.compile(r"[^A-Za-z0-9-]+")
#: Stands for the times that no artefact has.
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def log_in(study: StudyFolder, path: Path) -> Path:
    """The log in a folder, or the file that is named.

    Inspect's viewer lists only files of JSON whose names begin with a time, and reads the task and
    its id in the rest of the name: ``log_file_pattern`` in inspect_ai/log/_file.py, 0.3.285.

    Raises
    ------
    ResourceError : the viewer would not list a file of that name.
    """
    task = _TASK.sub("-", study.folder.name)
    name = f"{_NO_TIME:%Y-%m-%dT%H-%M-%S}+00-00_{task}_{_id(study)}{_ENDING}"
    if not path.suffix:
        return path / name
    if path.suffix != _ENDING or not _LISTED.match(path.name):
        raise ResourceError(
            f"{path} is no name of a log that Inspect's viewer lists; name a folder, and the log "
            f"in it will be {name}."
        )
    return path


def _id(study: StudyFolder) -> str:
    """The same for the same study of a run, in letters and digits alone."""
    place = f"{study.folder.parent.name}/{study.folder.name}"
    return sha256(place.encode()).hexdigest()[:22]


def write_inspect(study: StudyFolder, path: Path) -> int:
    """Write a log that Inspect's viewer opens; how many samples it has.

    Parameters
    ----------
    path : of the file; see :func:`log_in`.
    """
    names: list[str] = []
    models: set[str] = set()
    totals: dict[str, Row] = {}
    scores: dict[str, list[float]] = {}
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as samples:
        for session in study.sessions():
            made = _sample(study, session)
            samples.write(("," if names else "") + "\n" + json.dumps(made, ensure_ascii=False))
            names.append(session.name)
            models |= {turn["model"] for turn in session.turns if turn["model"]}
            _add(totals, made["model_usage"])
            for name, value in outcomes(session).items():
                scores.setdefault(name, []).append(value)
        head = {
            "version": 2,
            "status": "success",
            "eval": _spec(study, names, sorted(models)),
            "plan": {"name": "plan", "steps": []},
            "results": _results(len(names), scores),
            "stats": {
                "started_at": _NO_TIME.isoformat(),
                "completed_at": _NO_TIME.isoformat(),
                "model_usage": totals,
            },
        }
        samples.seek(0)
        with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
            # Who lists logs reads no further than the samples.
            file.write(json.dumps(head, ensure_ascii=False)[:-1] + ',\n"samples": [')
            copyfileobj(samples, file)
            file.write("\n]}\n")
    return len(names)


def _spec(study: StudyFolder, names: list[str], models: list[str]) -> Row:
    run = study.folder.parent.name
    made = study.provenance
    tags = ["simulated models"] if made["simulated"] else []
    return {
        "eval_id": _id(study),
        "run_id": run,
        "created": _NO_TIME.isoformat(),
        "task": study.folder.name,
        "task_id": _id(study),
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "dataset": {
            "name": run,
            "samples": len(names),
            "sample_ids": names,
            "shuffled": False,
        },
        "model": " and ".join(models) or "none",
        "model_args": {},
        "config": {},
        "packages": {"dissensus": made["versions"]["dissensus"]},
        "tags": tags,
        "metadata": {
            "commit": made["commit"],
            "settings_sha256": made["settings_sha256"],
            "simulated": made["simulated"],
            "times": "not exported; those in this log stand for none",
        },
    }


def _results(count: int, scores: Mapping[str, list[float]]) -> Row:
    made = [
        {
            "name": name,
            "scorer": name,
            "params": {},
            "metrics": {"mean": {"name": "mean", "value": sum(each) / len(each)}},
        }
        for name, each in scores.items()
    ]
    return {"total_samples": count, "completed_samples": count, "scores": made}


def _sample(study: StudyFolder, session: Exported) -> Row:
    lost = failure(session)
    truth, calls = session.truth, study.calls(session)
    made: Row = {
        "id": session.name,
        "epoch": 1,
        "input": session.title,
        "target": truth if isinstance(truth, str) else "" if truth is None else json.dumps(truth),
        "messages": [
            {"id": f"{session.name}-{number}", **message(turn)}
            for number, turn in enumerate(session.turns, start=1)
        ],
        "scores": {name: {"value": value} for name, value in outcomes(session).items()},
        # So that an import has what a table of turns would have.
        "metadata": metadata(study, session) | {"turn_fields": session_fields(study, session)},
        "store": {},
        "events": list(_events(session, calls)),
        "model_usage": usage(calls),
        "attachments": {},
    }
    if lost:
        made["error"] = {"message": lost, "traceback": "", "traceback_ansi": ""}
    return made


def _events(session: Exported, calls: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Each turn within a span of its agent, with what it took."""
    for number, turn in enumerate(session.turns, start=1):
        span, exported = f"{session.name}-{number}", message(turn)
        at = {"timestamp": _NO_TIME.isoformat(), "working_start": 0.0, "span_id": span}
        yield {**at, "event": "span_begin", "id": span, "type": "agent", "name": turn["speaker"]}
        if turn["person"] or not turn["model"]:
            yield {**at, "event": "info", "source": turn["speaker"], "data": turn["text"]}
        else:
            spoken = {"id": span, **exported, "source": "generate"}
            own = [c for c in calls if (c["turn"], c["speaker"]) == (turn["turn"], turn["speaker"])]
            used = usage(own).get(turn["model"])
            yield {
                **at,
                "event": "model",
                "model": turn["model"],
                "role": turn["role"] or None,
                "input": [],
                "tools": [],
                "tool_choice": "none",
                "config": {},
                "output": {
                    "model": turn["model"],
                    "choices": [{"message": spoken, "stop_reason": "stop"}],
                    **({"usage": used} if used else {}),
                },
            }
        yield {**at, "event": "span_end", "id": span}


def _add(totals: dict[str, Row], more: Mapping[str, Row]) -> None:
    for model, used in more.items():
        before = totals.get(model)
        totals[model] = {
            name: value
            if before is None
            else None
            if value is None or before[name] is None
            else before[name] + value
            for name, value in used.items()
        }
