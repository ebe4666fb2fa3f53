"""What a run will ask, in lines for the terminal: its sessions, calls and journals, before any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap

from dissensus.plan.call_plan import call_plans, unidentified, warn
from dissensus.plan.journalled import Covered, covered
from dissensus.plan.rehearsal import rehearse
from dissensus.plan.smallest import describe_smallest
from dissensus.plan.stopped_early import describe_stopping
from dissensus.report.labels import range_of
from dissensus.study.configuration import Configuration
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions


@makes()
def plan(configuration: Configuration) -> Iterator[str]:
    """How many sessions and calls each study will have, and how its arms are spread in time."""
    for study in configuration.studies:
        sessions = Sessions.read(configuration, configuration.results / study)
        if study in configuration.study_folders:
            rehearse(sessions)
        yield from describe(sessions)
        registry = configuration.registry(configuration.results, "plan")
        yield from describe_covered(sessions, covered(sessions, registry))
        yield from describe_stopping(configuration, sessions)
        yield from describe_smallest(configuration, sessions)
        yield from warn(unidentified(configuration, sessions))


def describe_covered(sessions: Sessions, journals: Covered | None) -> list[str]:
    """Lines on what journals answer already, and what is left; none where there is no journal."""
    if journals is None:
        return []
    left = journals.left
    total = sum(not sessions.looks.call_off(row) for row in sessions.rows.values())
    planned = call_plans(replace(sessions, rows=left)) if left else ()
    calls = sum(len(plan.calls) * plan.sessions for plan in planned) - journals.begun
    lines = [
        f"in journals already: {journals.answers:,} replies, which make {total - len(left):,} of "
        f"{total:,} sessions; calls that are left if nothing goes wrong: "
        f"{'at most ' if journals.later else ''}{max(0, calls):,}"
    ]
    if journals.later:
        lines.append(
            f"{journals.later:,} more replies in journals come after a call whose prompt has "
            "changed: calls whose own prompts are still the same are not made, all others are "
            "made anew"
        )
    if journals.unused:
        lines.append(
            f"{journals.unused:,} more replies in journals are to prompts that are no longer sent"
        )
    return [line for each in lines for line in wrap(each, 100)]


def describe(sessions: Sessions) -> list[str]:
    """Lines that say how many sessions and calls a study will have."""
    study, rows = sessions.study, list(sessions.rows.values())
    draws = len({row["draw_id"] for row in rows})
    arms = Counter(map(study.arm_of, rows))
    calls: Counter[tuple[str, str]] = Counter()
    least: Counter[tuple[str, str]] = Counter()
    for plan in call_plans(sessions):
        for counts, planned in ((calls, plan.calls), (least, plan.least)):
            for call in planned:
                counts[call.purpose, call.model] += plan.sessions
    protocol = study.settings.protocol
    most = calls.total() * (1 + protocol.repairs) * protocol.session_attempts
    counted = f"{calls.total():,} calls"
    if least.total() < calls.total():
        counted = (
            f"at least {least.total():,} calls, at most {calls.total():,}, as replies have it,"
        )
    return [
        f"{study.name}: {draws:,} draws, {len(rows):,} sessions "
        f"({', '.join(f'{n:,} {arm}' for arm, n in arms.items())})",
        f"{counted} if nothing goes wrong; {most:,} with every repair and every session attempt",
        *(
            f"  {purpose}: {model}: {range_of((least[purpose, model], n))} calls"
            for (purpose, model), n in sorted(calls.items())
        ),
        *wrap(study.counting, 100),
    ]
