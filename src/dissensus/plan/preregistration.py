"""A study's plan as text before any session, and what a run did otherwise.

The text is for people: a registry, a co-author, a reviewer. Beside it the same plan stands as data,
which later runs in the folder are compared with. Neither is ever written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dissensus.design.again import again_of
from dissensus.digests import digest, file_digest
from dissensus.errors import ResourceError
from dissensus.plan.call_plan import unidentified
from dissensus.plan.confirmation import (
    CONFIRMATION,
    confirmation_page,
    confirmed,
    registered_prediction,
)
from dissensus.plan.deviations import (
    DATA,
    DEVIATIONS,
    Deviation,
    deviations,
    deviations_text,
    read_plan,
)
from dissensus.plan.diagnosed import diagnosed_rows
from dissensus.plan.materials import materials_of, uncommitted
from dissensus.plan.order import contradiction, order_of
from dissensus.plan.plan_pages import as_html, as_markdown, plan_sections
from dissensus.plan.registered import Plan
from dissensus.plan.registering.before import looked_at
from dissensus.plan.registering.direction import direction_of
from dissensus.plan.registering.models import Models, answered_in, asked_by
from dissensus.plan.registering.settings import (
    asked_models,
    defaults_of,
    registered_settings,
    versions,
)
from dissensus.report.escaping import line
from dissensus.report.labels import listed
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.study.kind import Row
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions
from dissensus.study.study import Study
from dissensus.tables.artefact import read, write_text

TEXT, PAGE = "preregistration.md", "preregistration.html"


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
    """What a study does otherwise than registered: as rows, and in Markdown.

    That its plan was written after its first reply is one of these. Which way the estimates went
    is said where the plan has a direction, and is none of these.
    """
    sessions = Sessions.read(configuration, plan.parent)
    listed = deviations(plan.parent, plan_of(configuration, sessions, commit))
    if late := contradiction(plan.parent):
        listed.insert(0, Deviation("design", "order", late))
    order = order_of(plan.parent)
    said = [] if late or order is None else [*order.sentences()]
    if direction := direction_of(plan.parent, sessions.study.headline_rows):
        said += direction.sentences()
    return [vars(each) for each in listed], deviations_text(listed, [*map(line, said)])


@makes(confirmation=CONFIRMATION, page=write_text)
def confirm(
    plan: Path,
    estimates: list[dict[str, Any]],
    configuration: Configuration,
    commit: str,
    simulated: bool,
) -> tuple[list[dict[str, Any]], str]:
    """What a study was registered to confirm, beside what it found: as rows, and in Markdown.

    Raises
    ------
    ResourceError : its plan has no prediction, or the registered run's plan cannot be read.
    """
    prediction = read_plan(plan.parent).get("prediction")
    if prediction is None:
        raise ResourceError(
            f"{plan} has no prediction, as `confirms` was set after it was written; register "
            "under another run's name."
        )
    sessions = Sessions.read(configuration, plan.parent)
    study = sessions.study
    registered = plan.parents[2] / prediction["run"] / study.name
    named = {f"{study.name}.{use.setting}" for use in study.models()}
    now = plan_of(configuration, sessions, commit)
    models = Models(
        asked_by(read_plan(registered)),
        asked_by(now.as_data()),
        answered_in(registered),
        answered_in(plan.parent),
    )
    differences = [
        each
        for each in deviations(registered, now)
        if each.kind != "model" and each.name not in {"eligible", "prediction", *named}
    ]
    rows = confirmed(prediction, estimates, models.are_the_same)
    page = confirmation_page(study.name, prediction, rows, differences, simulated, models)
    return rows, page


@makes()
def say_confirmed(configuration: Configuration) -> Iterator[str]:
    """The verdict of every study that was registered to confirm something.

    Raises
    ------
    ResourceError : none was.
    """
    folders = [configuration.results / name for name in configuration.studies]
    paths = [folder / "confirmation.parquet" for folder in folders]
    made = [path for path in paths if path.is_file()]
    if not made:
        raise ResourceError(
            f"run {configuration.run} was not registered to confirm anything; set `confirms`, and "
            f"run `{command('preregistration', cores=0)}` before its first session."
        )
    for path in made:
        for row in read(path, CONFIRMATION).to_pylist():
            yield f"{path.parent.name}: {row['sentence']}"
        yield f"Open {path.with_suffix('.md')} for the model and the design."


def plan_of(settings: Configuration, sessions: Sessions, commit: str) -> Plan:
    """The plan of a study whose manifest is drawn."""
    study, rows = sessions.study, list(sessions.rows.values())
    said = settings.registration.get(study.name)
    draws = len({row["draw_id"] for row in rows})
    registered = study.registered(sessions.items, settings.seed)
    if gap := unidentified(settings, sessions):
        registered = replace(
            registered, estimands=(*registered.estimands, f"{gap.reason} {gap.mend}")
        )
    if not registered.power:
        registered = replace(registered, power=_power(study))
    if not registered.noise_floor:
        arms = dict.fromkeys(study.arm_of(row) for row in rows)
        registered = replace(registered, noise_floor=_noise_floor(list(arms)))
    return Plan(
        settings.run,
        study.name,
        settings.seed,
        commit,
        draws,
        len(rows),
        digest(rows),
        registered_settings(settings, study.name),
        registered,
        uncommitted(),
        materials_of(sessions, asked_models(settings, study)),
        [*looked_at(settings.run, study.name, said.looked_at if said else [])],
        settings.eligible.model_dump() if settings.eligible else None,
        registered_prediction(settings.confirms, study, draws) if settings.confirms else None,
        ", ".join(each.name for each in settings.creator),
        hypothesis=said.model_dump(exclude={"looked_at"}, exclude_none=True) if said else {},
        exploratory=[*study.outcomes][1:],
        versions=versions(),
        defaults=defaults_of(settings, study.name),
    )


def _power(study: Study[Any]) -> list[str]:
    """What the stored diagnosis of these settings says, an effect a sentence."""
    return [
        f"In simulated studies of the world {row['world']}, whose true effect is "
        f"{row['true']:.3g}, {row['estimator']} finds one in {100 * row['rejection']:.0f}% "
        f"({row['simulations']:.0f} studies)."
        for row in diagnosed_rows(study)
        if row["rejection"] is not None and row["rejection"] == row["rejection"]
    ] or [f"No diagnosis of these settings is stored; `{command('diagnosis', cores=0)}` makes one."]


def _noise_floor(arms: Sequence[str]) -> str:
    """Which arm is run a second time; ``arms``: of the manifest."""
    twice = [arm for arm in arms if again_of([arm]) in arms]
    if not twice:
        return "None is planned: no arm is run a second time."
    pairs = listed(f"{again_of([arm])} and {arm}" for arm in twice)
    return f"What two equal arms differ by: {pairs}."


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
    plan = replace(plan, written=datetime.now(UTC).isoformat(timespec="milliseconds"))
    title = f"Preregistration: the {plan.study} study, run {line(plan.run)}"
    sections = plan_sections(plan, question)
    write_text(folder / TEXT, as_markdown(title, sections))
    write_text(folder / PAGE, as_html(title, sections))
    shown = {name: file_digest(folder / name) for name in (TEXT, PAGE)}
    data = {**plan.as_data(), "shown_sha256": shown}
    write_text(folder / DATA, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    return [
        f"{folder / TEXT} holds the plan; deposit it before the first session.",
        f"{folder / DATA} is the same as data; its SHA-256 is {file_digest(folder / DATA)}.",
    ]


def begun_sessions(folder: Path, rows: Iterable[Row]) -> list[str]:
    """Sessions of which a reply is kept."""
    names = (str(row["session_id"]) for row in rows)
    return [name for name in names if (folder / f"journal/{name}.jsonl").exists()]
