"""A study's plan as text before any session, and what a run did otherwise.

The text is for people: a registry, a co-author, a reviewer. Beside it the same plan stands as data,
which later runs in the folder are compared with. Neither is ever written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.plan.call_plan import unidentified
from dissensus.report.escaping import line
from dissensus.study.configuration import Configuration
from dissensus.study.kind import Row
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions
from dissensus.study.study import Registered, plain
from dissensus.tables.artefact import write_text

TEXT, DATA = "preregistration.md", "preregistration.json"

#: Settings that say how and where a run is made, and not what it is.
_NOT_REGISTERED = ("block_size",)


@dataclass(frozen=True)
class Plan:
    """What is registered of a study.

    Attributes
    ----------
    run, study, seed : of the run.
    commit : of the code, "unknown" outside a checkout.
    draws, sessions : in the manifest.
    manifest_sha256 : of its rows as canonical JSON.
    settings : path -> value, of the study and of the models that it asks.
    """

    run: str
    study: str
    seed: int
    commit: str
    draws: int
    sessions: int
    manifest_sha256: str
    settings: Mapping[str, Any]


@makes()
def preregister(configuration: Configuration, commit: str) -> Iterator[str]:
    """The plan of every study as text, written before any session."""
    for name in configuration.studies:
        sessions = Sessions.read(configuration, configuration.results / name)
        study, folder = sessions.study, sessions.folder
        registered = study.registered(sessions.items, configuration.seed)
        if gap := unidentified(configuration, sessions):
            registered = replace(
                registered, estimands=(*registered.estimands, f"{gap.reason} {gap.mend}")
            )
        plan = plan_of(configuration, sessions, commit)
        begun = begun_sessions(folder, sessions.rows.values())
        yield from register(folder, plan, registered, study.question, begun)


@makes(deviations=write_text)
def list_deviations(plan: Path, configuration: Configuration, commit: str) -> str:
    """What a study does otherwise than registered, in Markdown."""
    sessions = Sessions.read(configuration, plan.parent)
    return deviations_text(deviations(plan.parent, plan_of(configuration, sessions, commit)))


def plan_of(settings: Configuration, sessions: Sessions, commit: str) -> Plan:
    """The plan of a study whose manifest is drawn."""
    study, rows = sessions.study, list(sessions.rows.values())
    return Plan(
        settings.run,
        study.name,
        settings.seed,
        commit,
        len({row["draw_id"] for row in rows}),
        len(rows),
        digest(rows),
        registered_settings(settings, study.name),
    )


def registered_settings(settings: Configuration, study: str) -> dict[str, Any]:
    """Path -> value of all that a study's results depend on, as plain data."""
    declared = settings.study(study)
    named = dict.fromkeys(name for use in declared.models() for name in use.models)
    models = {name: settings.models[name].model_dump() for name in named}
    block = {k: v for k, v in plain(declared.settings).items() if k not in _NOT_REGISTERED}
    # As JSON has it, so that what is read back compares.
    registered: dict[str, Any] = json.loads(json.dumps(_flat({study: block, "models": models})))
    return registered


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Nested settings as path -> value; lists and empty blocks are values."""
    if not isinstance(value, Mapping) or not value:
        return {path: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{path}.{key}" if path else str(key))
    return flat


def register(
    folder: Path, plan: Plan, registered: Registered, question: str, begun: Iterable[str]
) -> list[str]:
    """Write a plan, once, before any session.

    Parameters
    ----------
    folder : of the study.
    plan : as data.
    registered : what the study says of its analysis.
    question : what it asks.
    begun : sessions that have begun.

    Returns
    -------
    Lines that say what was written; or, where a plan is there, how this configuration differs.

    Raises
    ------
    ResourceError : there is no plan and sessions have begun: it would be none.
    """
    if (folder / DATA).exists():
        differ = deviations(folder, plan)
        return [
            f"{folder / TEXT} is there and is not written again.",
            *(differ or ["This configuration is as registered."]),
        ]
    started = sorted(begun)
    if started:
        raise ResourceError(
            f"{folder}: {len(started)} sessions have begun, such as {started[0]}, so that a plan "
            "would be no preregistration; register under another run's name."
        )
    write_text(folder / TEXT, as_text(plan, registered, question))
    write_text(folder / DATA, json.dumps(vars(plan), ensure_ascii=False, indent=1) + "\n")
    return [f"{folder / TEXT} holds the plan; deposit it before the first session."]


def as_text(plan: Plan, registered: Registered, question: str) -> str:
    """The plan in Markdown."""
    sections: list[tuple[str, Sequence[str]]] = [
        ("Question", [question]),
        (
            "Design",
            [
                registered.design,
                f"{plan.draws:,} draws, {plan.sessions:,} sessions, seed {plan.seed}. All "
                "randomisation is in the manifest, which anyone can draw again.",
                f"SHA-256 of the manifest's rows: `{plan.manifest_sha256}`",
                f"Code: commit `{plan.commit}`",
            ],
        ),
        ("Estimands", registered.estimands),
        ("Primary outcome", [registered.primary]),
        ("Tests", registered.tests),
        ("Exclusions", registered.exclusions),
        ("Power", registered.power),
    ]
    blocks = [f"# Preregistration: the {plan.study} study, run {line(plan.run)}"]
    for title, sentences in sections:
        body = (
            sentences[0]
            if len(sentences) == 1
            else "\n".join(f"- {sentence}" for sentence in sentences)
        )
        blocks += [f"## {title}\n{body}"] if sentences else []
    values = "\n".join(
        f"{path}: {json.dumps(value, ensure_ascii=False)}" for path, value in plan.settings.items()
    )
    blocks.append(f"## All settings\n```\n{values}\n```")
    return "\n\n".join(blocks) + "\n"


def deviations(folder: Path, plan: Plan) -> list[str]:
    """Every difference between a registered plan and this run's, a sentence each.

    Raises
    ------
    ResourceError : the plan's data cannot be read.
    """
    path = folder / DATA
    try:
        registered = json.loads(path.read_text(encoding="utf-8"))
        then: Mapping[str, Any] = registered["settings"]
        names = ("seed", "draws", "sessions", "manifest_sha256", "commit")
        registered_values = {name: registered[name] for name in names}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceError(
            f"{path} is no plan that this program wrote ({error}); restore it from where it was "
            "deposited."
        ) from None
    sentences = []
    for name, before in registered_values.items():
        now = getattr(plan, name)
        if now != before:
            sentences.append(f"{name.replace('_', ' ')} was {_shown(before)} and is {_shown(now)}.")
    for name in dict.fromkeys([*then, *plan.settings]):
        if name not in plan.settings:
            sentences.append(f"{name} was {_shown(then[name])} and is no longer set.")
        elif name not in then:
            sentences.append(f"{name} was not set and is {_shown(plan.settings[name])}.")
        elif then[name] != plan.settings[name]:
            sentences.append(
                f"{name} was {_shown(then[name])} and is {_shown(plan.settings[name])}."
            )
    return sentences


def deviations_text(sentences: Sequence[str]) -> str:
    """The page of deviations, in Markdown."""
    head = "# Deviations from the preregistration"
    if not sentences:
        return f"{head}\n\nNone: settings, manifest and code are as registered.\n"
    return f"{head}\n\n" + "\n".join(f"- {sentence}" for sentence in sentences) + "\n"


def begun_sessions(folder: Path, rows: Iterable[Row]) -> list[str]:
    """Sessions of which a reply is kept."""
    names = (str(row["session_id"]) for row in rows)
    return [name for name in names if (folder / f"journal/{name}.jsonl").exists()]


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
