"""Turns as chat messages, and what a session has besides, as viewers of agents' logs know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.keep.exporting.sessions import Exported, StudyFolder

Row = Mapping[str, Any]
#: Columns of metrics that are no outcome of a session.
_NO_OUTCOMES = ("complete", "compliant", "attempts", "repairs", "block", "position", "seed")


def message(turn: Row) -> dict[str, Any]:
    """A turn as a message: a person's is a user's, all others are an assistant's."""
    about = {
        name: turn[name]
        for name in ("turn", "speaker", "role", "round_label", "value", "repairs", "compliant")
        if turn[name] not in (None, "")
    }
    if turn["origin"]:
        about["origin"] = turn["origin"]
    about["person"] = turn["person"]
    if turn["person"]:
        return {"role": "user", "content": turn["text"], "metadata": about}
    named = {"model": turn["model"]} if turn["model"] else {}
    return {"role": "assistant", "content": turn["text"], **named, "metadata": about}


def outcomes(session: Exported) -> dict[str, float]:
    """The numbers that a session was measured by."""
    names = {*session.row, *_NO_OUTCOMES}
    return {
        name: float(value)
        for name, value in session.metrics.items()
        if name not in names
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and value == value
    }


def usage(calls: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Model -> its tokens and what they cost; without a cost where a call has no price."""
    totals: dict[str, dict[str, Any]] = {}
    for call in calls:
        of_model = totals.setdefault(
            call["model"],
            {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0, "total_cost": 0.0},
        )
        of_model["input_tokens"] += call["input_tokens"]
        of_model["output_tokens"] += call["output_tokens"]
        of_model["total_tokens"] += call["input_tokens"] + call["output_tokens"]
        cost, sum_ = call["cost_usd"], of_model["total_cost"]
        of_model["total_cost"] = None if cost is None or sum_ is None else sum_ + cost
    return totals


def metadata(study: StudyFolder, session: Exported) -> dict[str, Any]:
    """What the run says of a session, the words "simulated models" first where these spoke."""
    simulated = {"simulated models": True} if study.provenance["simulated"] else {}
    made = study.provenance
    return {
        **simulated,
        "run": study.folder.parent.name,
        "study": study.folder.name,
        "commit": made["commit"],
        **{name: plain(value) for name, value in session.row.items()},
    }


def plain(value: Any) -> Any:
    """A value of a manifest as JSON has it."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def failure(session: Exported) -> str:
    """Why a session failed for good; "" where it did not."""
    return str(session.outcome.get("failure") or "")
