"""A study's plan as text before any session, and what a run did otherwise.

The text is for people: a registry, a co-author, a reviewer. Beside it the same plan stands as data,
which later runs in the folder are compared with. Neither is ever written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.plan.call_plan import unidentified
from dissensus.plan.deviations import DATA, DEVIATIONS, deviations, deviations_text
from dissensus.plan.diagnosed import diagnosed_rows
from dissensus.plan.materials import Material, as_data, materials_of, uncommitted
from dissensus.report.escaping import line
from dissensus.study.configuration import Configuration
from dissensus.study.kind import Row
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions
from dissensus.study.study import Registered, Study, plain
from dissensus.tables.artefact import write_text

TEXT = "preregistration.md"

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
    uncommitted : files of the checkout that are not as they were committed.
    settings : path -> value, of the study and of the models that it asks.
    analysis : what the study says of its analysis: estimands, primary outcome, tests and so on.
    materials : path -> the file's kind, its SHA-256 and, of the study's own prompts and code, its
        text.
    """

    run: str
    study: str
    seed: int
    commit: str
    draws: int
    sessions: int
    manifest_sha256: str
    settings: Mapping[str, Any]
    analysis: Registered
    uncommitted: Sequence[str] = ()
    materials: Mapping[str, Material] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON holds it."""
        given = {**vars(self), "analysis": vars(self.analysis)}
        given["materials"] = as_data(self.materials)
        data: dict[str, Any] = json.loads(json.dumps(given))
        return data


@makes()
def preregister(configuration: Configuration, commit: str) -> Iterator[str]:
    """The plan of every study as text, written before any session."""
    for name in configuration.studies:
        sessions = Sessions.read(configuration, configuration.results / name)
        plan = plan_of(configuration, sessions, commit)
        begun = begun_sessions(sessions.folder, sessions.rows.values())
        yield from register(sessions.folder, plan, sessions.study.question, begun)


@makes(deviations=DEVIATIONS, page=write_text)
def list_deviations(
    plan: Path, configuration: Configuration, commit: str
) -> tuple[list[dict[str, Any]], str]:
    """What a study does otherwise than registered: as rows, and in Markdown."""
    sessions = Sessions.read(configuration, plan.parent)
    found = deviations(plan.parent, plan_of(configuration, sessions, commit))
    return [vars(each) for each in found], deviations_text(found)


def plan_of(settings: Configuration, sessions: Sessions, commit: str) -> Plan:
    """The plan of a study whose manifest is drawn."""
    study, rows = sessions.study, list(sessions.rows.values())
    registered = study.registered(sessions.items, settings.seed)
    if gap := unidentified(settings, sessions):
        registered = replace(
            registered, estimands=(*registered.estimands, f"{gap.reason} {gap.mend}")
        )
    if not registered.power:
        registered = replace(registered, power=_power(study))
    return Plan(
        settings.run,
        study.name,
        settings.seed,
        commit,
        len({row["draw_id"] for row in rows}),
        len(rows),
        digest(rows),
        registered_settings(settings, study.name),
        registered,
        uncommitted(),
        materials_of(sessions),
    )


def _power(study: Study[Any]) -> list[str]:
    """What the stored diagnosis of these settings says, an effect a sentence."""
    return [
        f"In simulated studies of the world {row['world']}, whose true effect is "
        f"{row['true']:.3g}, {row['estimator']} finds one in {100 * row['rejection']:.0f}% "
        f"({row['simulations']:.0f} studies)."
        for row in diagnosed_rows(study)
        if row["rejection"] is not None and row["rejection"] == row["rejection"]
    ] or ["No diagnosis of these settings is stored; `snakemake diagnosis` makes one."]


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


def register(folder: Path, plan: Plan, question: str, begun: Iterable[str]) -> list[str]:
    """Write a plan, once, before any session.

    Parameters
    ----------
    folder : of the study.
    plan : what is registered.
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
            *([each.sentence for each in differ] or ["This run is as registered."]),
        ]
    started = sorted(begun)
    if started:
        raise ResourceError(
            f"{folder}: {len(started)} sessions have begun, such as {started[0]}, so that a plan "
            "would be no preregistration; register under another run's name."
        )
    write_text(folder / TEXT, as_text(plan, question))
    write_text(folder / DATA, json.dumps(plan.as_data(), ensure_ascii=False, indent=1) + "\n")
    return [f"{folder / TEXT} holds the plan; deposit it before the first session."]


def as_text(plan: Plan, question: str) -> str:
    """The plan in Markdown."""
    registered = plan.analysis
    changed = ", ".join(f"`{name}`" for name in plan.uncommitted)
    sections: list[tuple[str, Sequence[str]]] = [
        ("Question", [question]),
        (
            "Design",
            [
                registered.design,
                f"{plan.draws:,} draws, {plan.sessions:,} sessions, seed {plan.seed}. All "
                "randomisation is in the manifest, which anyone can draw again.",
                f"SHA-256 of the manifest's rows: `{plan.manifest_sha256}`",
                f"Code: commit `{plan.commit}`"
                + (f", with changes that are in no commit: {changed}" if changed else ""),
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
    blocks += _materials(plan.materials)
    return "\n\n".join(blocks) + "\n"


def _materials(materials: Mapping[str, Material]) -> Iterator[str]:
    """Every file with its digest, and the texts of the study's own prompts and code."""
    listed = "\n".join(
        f"{each.sha256}  {each.kind}  {line(name)}" for name, each in materials.items()
    )
    if listed:
        yield f"## Prompts, data and code\nSHA-256 of each file:\n\n```\n{listed}\n```"
    for name, each in materials.items():
        if each.text is not None:
            indented = "\n".join(f"    {row}" for row in each.text.splitlines())
            yield f"### {line(name)}\n\n{indented}"


def begun_sessions(folder: Path, rows: Iterable[Row]) -> list[str]:
    """Sessions of which a reply is kept."""
    names = (str(row["session_id"]) for row in rows)
    return [name for name in names if (folder / f"journal/{name}.jsonl").exists()]
