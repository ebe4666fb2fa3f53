"""What a study that may stop runs at least, probably and at most, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from dissensus.design.stopping import ANYTIME
from dissensus.plan.call_plan import call_plans
from dissensus.plan.cost import EXPECTED, Line, estimate_settings
from dissensus.plan.smallest import diagnosed
from dissensus.report.labels import counted
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.study.may_stop import rule_of
from dissensus.study.sessions import Sessions


def describe_stopping(configuration: Configuration, sessions: Sessions) -> list[str]:
    """Draws, sessions and calls at least, expected and at most; none where a study never stops."""
    if sessions.study.settings.stop is None:
        return []
    rule = rule_of(sessions.study.settings)
    first, all_of_it = (_counts(each) for each in (_first_block(sessions), sessions))
    said = (
        f"stops after a block when {rule.words} in every headline contrast: at least "
        f"{_words(first)}, at most {_words(all_of_it)}"
    )
    if (saved := _saved(configuration, sessions)) is None:
        return wrap(
            f"{said}; how many to expect, {command('diagnosis', cores=0)} says of simulated models",
            100,
        )
    kept = [(1.0 - saved) * count for count in all_of_it]
    return wrap(f"{said}; expected {_words(kept)}, as simulated models say", 100)


def price_stopping(
    configuration: Configuration,
    sessions: Sessions,
    given: Mapping[str, Any],
    lines: Sequence[Line],
) -> Iterator[str]:
    """The same in dollars.

    Parameters
    ----------
    given : the study's settings of prices.
    lines : the estimate of all draws.
    """
    if sessions.study.settings.stop is None or not any(line.has_price for line in lines):
        return
    most = sum(line.usd(EXPECTED) for line in lines)
    least = _usd(given, _first_block(sessions))
    saved = _saved(configuration, sessions)
    expected = "" if saved is None else f", expected ${(1.0 - saved) * most:,.2f}"
    yield f"as it may stop: at least ${least:,.2f}{expected}, at most ${most:,.2f}"


def _usd(given: Mapping[str, Any], sessions: Sessions) -> float:
    return sum(line.usd(EXPECTED) for line in estimate_settings(given, sessions))


def _first_block(sessions: Sessions) -> Sessions:
    """The sessions before the first look."""
    first = sessions.looks.blocks[0]
    rows = {name: row for name, row in sessions.rows.items() if row["block"] == first}
    return replace(sessions, rows=rows)


def _counts(sessions: Sessions) -> tuple[float, ...]:
    """Draws, sessions and calls."""
    rows = sessions.rows.values()
    calls = sum(len(plan.calls) * plan.sessions for plan in call_plans(sessions))
    return len({row["draw_id"] for row in rows}), len(sessions.rows), calls


def _words(counts: Any) -> str:
    draws, sessions, calls = (round(count) for count in counts)
    return f"{counted(draws, 'draw')} ({counted(sessions, 'session')}, {counted(calls, 'call')})"


def _saved(configuration: Configuration, sessions: Sessions) -> float | None:
    """The share of draws that are not run where the planted effect is, as the diagnosis has it."""
    rows = [
        row
        for row in diagnosed(configuration, sessions)
        # A null is exact, and no study stops early there but by mistake.
        if row["estimator"] == ANYTIME
        and row["items"] in (None, len(sessions.items))
        and row["true_se"]
    ]
    # Of several planted effects, that of the models as they are.
    as_run = [row for row in rows if row["world"].endswith("as_run")]
    return next((row["saved"] for row in as_run or rows), None)
