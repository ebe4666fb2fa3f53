"""The arms as figures and tables show them, and the words for what they show."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from dissensus.report.labels import column_words
from dissensus.report.style import FAINT, GREY, Mark
from dissensus.report.view import View

from ..outcomes import OUTCOMES

#: An arm that stands before the reference.
ARM, REFERENCE = Mark("arm", "#0b3c6f", "o"), Mark("reference", GREY, "s", (0, (3, 1.5)))

#: Panels of small multiples in a row.
ACROSS = 4


def short_name(outcome: str) -> str:
    """An outcome as headings have it."""
    return OUTCOMES[outcome].column if outcome in OUTCOMES else column_words(outcome)


def schedules_of(view: View) -> dict[str, str]:
    """Schedule of the arms that set how contentious their debaters are, in their order."""
    schedule_of = {arm: view["arms"][arm].get("schedule") for arm in view.arms}
    return {arm: schedule for arm, schedule in schedule_of.items() if schedule}


def contrast_words(arm: str, reference: str, view: View) -> str:
    """An arm, with what it is compared with where that is not the common reference."""
    return (
        view.arm(arm) if reference == view.reference else f"{view.arm(arm)} − {view.arm(reference)}"
    )


def grid(axes: Axes, values: Iterable[float]) -> None:
    """Faint level lines behind the data."""
    for value in values:
        axes.axhline(value, color=FAINT, linewidth=0.5, zorder=0)
