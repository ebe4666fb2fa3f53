"""Reads an Inspect log with Inspect's own package, and prints a turn a line as JSON.

It runs in the Python that has the package, which need not have this project:
``python inspect_reader.py LOG COLUMNS``, where COLUMNS is JSON: field -> where a message, a sample
or the evaluation has it, such as ``metadata.arm``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

Row = dict[str, Any]
#: Scores that stand for numbers.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: What a span of a round is called.
_ROUND = re.compile(r"round[ _-]?(\d+)", re.IGNORECASE)
#: Where a log that dissensus wrote has what its own table of turns would have.
_OURS = "turn_fields"
#: What the metadata of a message of ours says of its turn.
_OF_TURN = ("turn", "role", "round_label", "repairs", "compliant")


def turns(path: str, columns: Mapping[str, str | None]) -> Iterator[Row]:
    """The turns of all samples of a log; of a sample without any, its session alone.

    Raises
    ------
    SystemExit : no sample has any, since the evaluation ended in an error.
    """
    from inspect_ai.log import read_eval_log  # type: ignore[import-not-found]

    log = read_eval_log(path, resolve_attachments=True)
    epochs = max((sample.epoch for sample in log.samples or ()), default=1)
    evaluation = {
        "task": log.eval.task,
        "model": log.eval.model,
        "tags": log.eval.tags,
        "eval": {"metadata": log.eval.metadata or {}, "task_args": log.eval.task_args},
    }
    is_empty = True
    for sample in log.samples or ():
        name = f"{sample.id}/{sample.epoch}" if epochs > 1 else str(sample.id)
        shared = {"session": name, "arm": log.eval.task, **_of_sample(sample)}
        is_ours = isinstance(sample.metadata.get(_OURS), dict)
        made = _numbered(_turns(sample))
        is_empty = is_empty and not made
        beside = {**evaluation, **_as_objects(sample)}
        for row, message in made:
            row = {**shared, **row}
            row["simulated"] = bool(row.get("simulated")) and row["person"] is False
            for field, place in columns.items():
                row[field] = place and _at(message, beside, place)
            if "round" in columns and "turn" not in columns and not is_ours:
                # Such rounds order the turns.
                row["turn"] = None
            yield row
        if not made:
            yield {"session": shared["session"]}
    if is_empty and log.error:
        sys.exit(f"no turn is in it, as the evaluation ended in an error: {log.error.message}")


def _of_sample(sample: Any) -> Row:
    """What a sample's turns have alike."""
    scores = dict(_scores(sample))
    numbers = [number for each in scores.values() if (number := _number(each)) is not None]
    answers = [score.answer for score in (sample.scores or {}).values() if score.answer]
    target = [sample.target] if isinstance(sample.target, str) else sample.target
    ours = sample.metadata.get(_OURS)
    return {
        "item": str(sample.id),
        "truth": target[0] if len(target) == 1 and target[0] else None,
        "score": numbers[0] if numbers else None,
        "scores_json": json.dumps(scores) if scores else None,
        "decision": answers[0] if answers else None,
        **(_of_ours(ours) if isinstance(ours, dict) else {}),
    }


def _of_ours(fields: Mapping[str, Any]) -> Row:
    """The fields of a session that dissensus exported; scores of ours are measured anew."""
    return {"truth": None, "decision": None, "score": None, "scores_json": None, **fields}


def _scores(sample: Any) -> Iterator[tuple[str, Any]]:
    """Name and value of each score; of a score with several values, each by its name."""
    for name, score in (sample.scores or {}).items():
        if isinstance(score.value, dict):
            yield from ((f"{name}/{part}", value) for part, value in score.value.items())
        else:
            yield name, score.value


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return _GRADES.get(value)
    if isinstance(value, bool | int | float) and value == value:
        return float(value)
    return None


def _as_objects(sample: Any) -> Row:
    """What ``--column`` may name of a sample."""
    return {
        "id": sample.id,
        "epoch": sample.epoch,
        "metadata": sample.metadata,
        "target": sample.target,
        "scores": dict(_scores(sample)),
        "input": sample.input if isinstance(sample.input, str) else None,
    }


def _at(message: Any, beside: Mapping[str, Any], place: str) -> Any:
    """What stands in a place of a message, or else beside it."""
    about = {"role": message.role, "metadata": message.metadata or {}}
    for given in (about, beside):
        found: Any = _within(given, place)
        if found is not None:
            return found
    return None


def _within(given: Any, place: str) -> Any:
    if not isinstance(given, Mapping):
        return None
    if place in given:
        return given[place]
    first, _, rest = place.partition(".")
    return _within(given.get(first), rest) if rest else None


def _turns(sample: Any) -> list[tuple[Row, Any]]:
    """What is said in a sample, each with its message.

    By agents in spans, where several are; else its messages. Messages of ours say who speaks.
    """
    spoken = list(_of_events(sample.events))
    used = {message.id: _used(row) for row, message in spoken if message.id}
    messages = [(row | used.get(m.id, {}), m) for row, m in _of_messages(sample.messages)]
    is_ours = isinstance(sample.metadata.get(_OURS), dict)
    if len({row["speaker"] for row, _ in spoken}) > 1 and not is_ours:
        return spoken
    return messages or spoken


def _numbered(made: list[tuple[Row, Any]]) -> list[tuple[Row, Any]]:
    """Turns by their rounds, each with its number; without rounds where only some have one."""
    rounds = [row.get("round") for row, _ in made]
    if None not in rounds:
        made = sorted(made, key=lambda each: int(each[0]["round"]))
    return [
        ({"turn": number, **row, "round": None if None in rounds else row["round"]}, message)
        for number, (row, message) in enumerate(made, start=1)
    ]


def _of_events(events: list[Any]) -> Iterator[tuple[Row, Any]]:
    """The replies of models, by the agent in whose span each is, or by its role, or its model."""
    spans: list[Any] = []
    for event in events:
        if event.event == "span_begin":
            spans.append(event)
        elif event.event == "span_end":
            spans = [each for each in spans if each.id != event.id]
        elif event.event == "model" and event.output.choices and not event.error:
            message = event.output.choices[0].message
            agents = [each.name for each in spans if each.type == "agent"]
            rounds = [int(m[1]) for each in spans if (m := _ROUND.fullmatch(each.name))]
            row: Row = {
                "speaker": agents[-1] if agents else event.role or event.model,
                "role": event.role or "",
                "model": event.model,
                "person": False,
                "text": message.text,
                "round": rounds[-1] if rounds else None,
                **_usage(event.output.usage),
            }
            yield row, message


def _usage(usage: Any) -> Row:
    """Tokens, those in a cache among them, and cost; nothing where they are not known."""
    if usage is None:
        return {}
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return {
        "input_tokens": usage.input_tokens + cached,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.total_cost,
    }


def _used(row: Row) -> Row:
    names = ("input_tokens", "output_tokens", "cost_usd", "round")
    return {name: row[name] for name in names if row.get(name) is not None}


def _of_messages(messages: list[Any]) -> Iterator[tuple[Row, Any]]:
    """What assistants say; what the metadata of a message says of its turn is kept."""
    for message in messages:
        about = message.metadata or {}
        is_ours = "speaker" in about and "turn" in about
        if message.role != "assistant" and not is_ours:
            continue
        row: Row = {
            "speaker": about.get("speaker") or "assistant",
            "model": getattr(message, "model", None) or "",
            "person": about.get("person", False),
            "text": message.text,
        }
        if is_ours:
            row |= {name: about.get(name) for name in _OF_TURN}
            row["value_json"] = about.get("value")
        yield row, message


def main() -> None:
    for row in turns(sys.argv[1], json.loads(sys.argv[2])):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
