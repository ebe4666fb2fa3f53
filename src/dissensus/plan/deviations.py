"""What a run does otherwise than its plan: by kind, with what was and what is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import ResourceError
from dissensus.tables.artefact import Schema
from dissensus.tables.common import text
from dissensus.tables.provenance import PLAN_FILE

if TYPE_CHECKING:
    from dissensus.plan.registered import Plan

DATA = PLAN_FILE
DEVIATIONS = Schema(
    name="deviations",
    row="thing that differs from the registered plan",
    columns={
        "kind": text("design, setting, model, prompt, data or code."),
        "name": text("The setting or the file."),
        "sentence": text("What was, and what is."),
        "diff": text("Line by line, of a text that the plan holds; empty without one."),
    },
    key=("kind", "name"),
    paths=("deviations.parquet",),
)
_DESIGN = ("seed", "draws", "sessions", "manifest_sha256", "commit", "uncommitted")
_NEXT_MODEL = ("eligible", "prediction")
#: Lines of a difference that are shown.
_MOST_LINES = 400


@dataclass(frozen=True)
class Deviation:
    """One thing that differs; see :data:`DEVIATIONS`."""

    kind: str
    name: str
    sentence: str
    diff: str = ""


def deviations(folder: Path, plan: Plan) -> list[Deviation]:
    """Every difference between a registered plan and this run's.

    Parameters
    ----------
    folder : of the study, which holds the plan.
    plan : of the run as it is now.

    Raises
    ------
    ResourceError : the plan's data cannot be read.
    """
    then = read_plan(folder)
    now = plan.as_data()
    return [
        *_of_values("design", {name: then[name] for name in _DESIGN}, now),
        # A plan of a version without them has neither.
        *_of_values("design", {name: then.get(name) for name in _NEXT_MODEL}, now),
        *_of_settings(then["settings"], now["settings"]),
        *_of_analysis(then["analysis"], now["analysis"]),
        *_of_materials(then["materials"], now["materials"]),
    ]


def read_plan(folder: Path) -> dict[str, Any]:
    """A registered plan as data.

    Raises
    ------
    ResourceError : it is no plan that this program wrote.
    """
    path = folder / DATA
    try:
        plan: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        wanted = {name: plan[name] for name in (*_DESIGN, "settings", "analysis", "materials")}
        for name in ("settings", "analysis", "materials"):
            dict(wanted[name])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceError(
            f"{path} is no plan that this program wrote ({error}); restore it from where it was "
            "deposited."
        ) from None
    return plan


def _of_values(kind: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for name, before in then.items():
        if now[name] != before:
            words = name.replace("_", " ")
            yield Deviation(kind, name, f"{words} was {_shown(before)} and is {_shown(now[name])}.")


def _of_settings(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for name in dict.fromkeys([*then, *now]):
        kind = "model" if name.startswith("models.") else "setting"
        if name not in now:
            yield Deviation(kind, name, f"{name} was {_shown(then[name])} and is no longer set.")
        elif name not in then:
            yield Deviation(kind, name, f"{name} was not set and is {_shown(now[name])}.")
        elif then[name] != now[name]:
            sentence = f"{name} was {_shown(then[name])} and is {_shown(now[name])}."
            yield Deviation(kind, name, sentence)


def _of_analysis(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    """What the study says of its analysis; its power is an estimate, and no promise."""
    for name in (each for each in then if each != "power"):
        if then[name] != now.get(name):
            before, after = (_sentences(each.get(name)) for each in (then, now))
            yield Deviation(
                "design", name, f"{name} is said in other words.", _diff(name, before, after)
            )


def _sentences(given: Any) -> str:
    return given if isinstance(given, str) else "\n".join(given or ())


def _of_materials(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for name in dict.fromkeys([*then, *now]):
        before, after = then.get(name), now.get(name)
        if before is None or after is None:
            given = before or after or {}
            state = "is new" if before is None else "is no longer used"
            yield Deviation(given["kind"], name, f"{name} {state}.")
        elif before["sha256"] != after["sha256"]:
            texts = before["text"], after["text"]
            diff = "" if None in texts else _diff(name, *texts)
            how = "" if diff else f" (SHA-256 {before['sha256'][:12]}, now {after['sha256'][:12]})"
            yield Deviation(before["kind"], name, f"{name} has changed{how}.", diff)


def _diff(name: str, before: str, after: str) -> str:
    lines = [
        *unified_diff(
            before.splitlines(), after.splitlines(), f"{name}, registered", name, n=1, lineterm=""
        )
    ]
    more = [f"... {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return "\n".join([*lines[:_MOST_LINES], *more])


def deviations_text(listed: Sequence[Deviation]) -> str:
    """The page of deviations, in Markdown."""
    head = "# Deviations from the preregistration"
    if not listed:
        return f"{head}\n\nNone: settings, manifest, prompts, data and code are as registered.\n"
    blocks = [head]
    for kind in dict.fromkeys(each.kind for each in listed):
        blocks.append(f"## {kind.capitalize()}")
        for each in (each for each in listed if each.kind == kind):
            blocks.append(f"- {each.sentence}")
            if each.diff:
                # Four spaces more than any fence that the text itself may have.
                blocks.append("\n".join(f"      {line}" for line in each.diff.splitlines()))
    return "\n\n".join(blocks) + "\n"


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
