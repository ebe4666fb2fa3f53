"""What is asked for before a run with panels: of each panel, and of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dissensus.plan import described, preregistration
from dissensus.plan.call_plan import call_plans
from dissensus.plan.cost import Line
from dissensus.plan.quote import quoted, sum_up
from dissensus.study.configuration import Configuration
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions


@makes()
def plan(configuration: Configuration) -> Iterator[str]:
    """How many sessions and calls each panel will have, and all together."""
    sessions: Counter[str] = Counter()
    calls = 0
    for part in configuration.parts:
        yield heading(part, configuration)
        yield from described.plan(part)
        for study in part.studies:
            drawn = Sessions.read(part, part.results / study)
            sessions[study] += len(drawn.rows)
            plans = call_plans(drawn)
            calls += sum(len(each.calls) * each.sessions for each in plans)
    each_study = ", ".join(f"{n:,} of {study}" for study, n in sessions.items())
    yield f"all {len(configuration.parts)} panels: {sessions.total():,} sessions ({each_study})"
    yield f"{calls:,} calls if nothing goes wrong"


@makes()
def cost(configuration: Configuration) -> Iterator[str]:
    """What the calls of each panel will cost, and of all together, which share one budget."""
    everything: list[list[Line]] = []
    for part in configuration.parts:
        yield heading(part, configuration)
        estimates: list[list[Line]] = []
        yield from quoted(part, estimates)
        everything += estimates
    title = f"all {len(configuration.parts)} panels"
    yield from sum_up(everything, configuration.budget_usd, title)


@makes()
def preregister(configuration: Configuration, commit: str) -> Iterator[str]:
    """The plan of every study of every panel as text, written before any session."""
    for part in configuration.parts:
        yield heading(part, configuration)
        yield from preregistration.preregister(part, commit)


def heading(part: Configuration, whole: Configuration) -> str:
    """Which panel the next lines are of, and which models answer in it."""
    models = (f"{model} as {name}" for name, model in whole.panels[part.panel].items())
    return f"panel {part.panel}: {', '.join(models)}"
