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
#: Two files with one of these are the same in all that counts.
_ALIKE = ("bare_sha256", "whole_sha256")
#: Of a plan that says them.
_SAID = ("hypothesis",)
#: Files of dissensus' own code that a sentence names.
_MOST_NAMED = 3
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
        *_of_values("design", {name: then[name] for name in _SAID if name in then}, now),
        *_of_settings(then["settings"], now["settings"], plan.defaults),
        *_of_analysis(then["analysis"], now["analysis"]),
        *_of_materials(then["materials"], now["materials"]),
        *_of_versions(then.get("versions", {}), now["versions"]),
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


def _of_settings(
    then: Mapping[str, Any], now: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Iterator[Deviation]:
    """What is set otherwise. What a later version can set, and leaves at its default, is not."""
    for name in dict.fromkeys([*then, *now]):
        kind = "model" if name.startswith(("models.", "providers.")) else "setting"
        if name not in now:
            yield Deviation(kind, name, f"{name} was {_shown(then[name])} and is no longer set.")
        elif name not in then:
            is_default = name in defaults and defaults[name] == now[name]
            if not is_default and not _is_of_later(name, then):
                yield Deviation(kind, name, f"{name} was not set and is {_shown(now[name])}.")
        elif then[name] != now[name]:
            sentence = f"{name} was {_shown(then[name])} and is {_shown(now[name])}."
            yield Deviation(kind, name, sentence)


def _is_of_later(name: str, then: Mapping[str, Any]) -> bool:
    """Whether a plan is of a version that registered no such settings."""
    for of_later in ("providers.", ".block_size"):
        if of_later in name:
            return not any(of_later in each for each in then)
    return False


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
    of_project: dict[str, str] = {}
    for name in dict.fromkeys([*then, *now]):
        before, after = then.get(name), now.get(name)
        given = before or after or {}
        if before is None or after is None:
            state = "is new" if before is None else "is no longer used"
        elif _is_same(before, after) or _feeds_the_same(after, then, now):
            continue
        else:
            state = "has changed"
        if given["kind"] == "code" and given["text"] is None:
            of_project[name] = state
            continue
        diff = how = ""
        if before and after:
            if None not in (before["text"], after["text"]):
                diff = _diff(name, before["text"], after["text"])
            else:
                how = f" (SHA-256 {before['sha256'][:12]}, now {after['sha256'][:12]})"
        yield Deviation(given["kind"], name, f"{name} {state}{how}.", diff)
    if of_project:
        yield _of_project(of_project)


def _is_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether what counts in a file is as it was; a plan may be of a version that said less."""
    if before["sha256"] in (after["sha256"], after.get("whole_sha256")):
        return True
    # Of rows of which others are drawn, the manifest says so.
    return any(before.get(each) and before[each] == after.get(each) for each in _ALIKE)


def _feeds_the_same(
    after: Mapping[str, Any], then: Mapping[str, Any], now: Mapping[str, Any]
) -> bool:
    """Whether a file was changed where nothing was drawn: the rows that were are as they were."""
    rows = after.get("feeds", "")
    return rows in then and rows in now and _is_same(then[rows], now[rows])


def _of_project(states: Mapping[str, str]) -> Deviation:
    """All of dissensus' own code that differs, which the commits tell apart."""
    names = [*states][:_MOST_NAMED]
    more = len(states) - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more else "")
    counted = "1 file" if len(states) == 1 else f"{len(states)} files"
    sentence = f"{counted} of dissensus' own code, without comments, are not as registered: {shown}"
    listing = "\n".join(f"{name} {state}" for name, state in states.items())
    return Deviation("code", "dissensus", f"{sentence}.", listing)


def _of_versions(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Deviation]:
    """Packages of which a run has another version, or the lock where that is another."""
    for name in (each for each in then if then[each] != now.get(each)):
        sentence = f"{name} was {then[name]} and is {now.get(name, 'not there')}."
        yield Deviation("code", name, sentence)


def _diff(name: str, before: str, after: str) -> str:
    lines = [
        *unified_diff(
            before.splitlines(), after.splitlines(), f"{name}, registered", name, n=1, lineterm=""
        )
    ]
    more = [f"... {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return "\n".join([*lines[:_MOST_LINES], *more])


def deviations_text(listed: Sequence[Deviation], order: Sequence[str] = ()) -> str:
    """The page of deviations, in Markdown; ``order``: what is said of which came first."""
    head = "\n\n".join(["# Deviations from the preregistration", *order])
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
