"""Reads an Inspect log with Inspect's own package, and prints a turn a line as JSON.

It runs in the Python that has the package, which need not have this project:
``python inspect_reader.py LOG``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]
#: Scores that stand for numbers.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def turns(path: str) -> Iterator[Row]:
    """The turns of all samples of a log; a sample that has none is left out.

    Raises
    ------
    SystemExit : no sample has any, since the evaluation ended in an error.
    """
    from inspect_ai.log import read_eval_log  # type: ignore[import-not-found]

    log = read_eval_log(path, resolve_attachments=True)
    epochs = max((sample.epoch for sample in log.samples or ()), default=1)
    is_empty = True
    for sample in log.samples or ():
        name = f"{sample.id}/{sample.epoch}" if epochs > 1 else str(sample.id)
        shared = {"session": name, "arm": log.eval.task, **_of_sample(sample)}
        for row in _turns(sample):
            is_empty = False
            yield {**shared, **row}
    if is_empty and log.error:
        sys.exit(f"no turn is in it, as the evaluation ended in an error: {log.error.message}")


def _of_sample(sample: Any) -> Row:
    """What a sample's turns have alike."""
    scores = [_number(score.value) for score in (sample.scores or {}).values()]
    numbers = [number for number in scores if number is not None]
    answers = [score.answer for score in (sample.scores or {}).values() if score.answer]
    target = sample.target if isinstance(sample.target, str) else None
    return {
        "item": str(sample.id),
        "truth": target or None,
        "score": numbers[0] if numbers else None,
        "decision": answers[0] if answers else None,
    }


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return _GRADES.get(value)
    return float(value) if isinstance(value, bool | int | float) else None


def _turns(sample: Any) -> list[Row]:
    """What is said in a sample: by agents in spans, where several are; else its messages."""
    spoken = list(_of_events(sample.events))
    if len({row["speaker"] for row in spoken}) > 1:
        return spoken
    return list(_of_messages(sample.messages)) or spoken


def _of_events(events: list[Any]) -> Iterator[Row]:
    """The replies of models, by the agent in whose span each is, or by its role, or its model."""
    agents: list[tuple[str, str]] = []
    for event in events:
        if event.event == "span_begin" and event.type == "agent":
            agents.append((event.id, event.name))
        elif event.event == "span_end":
            agents = [each for each in agents if each[0] != event.id]
        elif event.event == "model" and event.output.choices and not event.error:
            text = event.output.choices[0].message.text
            speaker = agents[-1][1] if agents else event.role or event.model
            yield {
                "speaker": speaker,
                "role": event.role or "",
                "model": event.model,
                "person": False,
                "text": text,
            }


def _of_messages(messages: list[Any]) -> Iterator[Row]:
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
            names = ("turn", "role", "round_label", "repairs", "compliant")
            row |= {name: about.get(name) for name in names}
            row["value_json"] = about.get("value")
        yield row


def main() -> None:
    for row in turns(sys.argv[1]):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
