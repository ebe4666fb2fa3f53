"""The arms as figures and tables show them, and the words for what they show."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from dissensus.report.labels import arm_words, column_words
from dissensus.report.style import FAINT, GREY, Mark
from dissensus.report.view import View

#: An arm that stands before the reference.
ARM, REFERENCE = Mark("arm", "#0b3c6f", "o"), Mark("reference", GREY, "s", (0, (3, 1.5)))

#: Panels of small multiples in a row.
ACROSS = 4

#: outcome -> what it is, and its short name.
OUTCOMES = {
    "retention_last": ("Retention of disagreement, last round", "Retention"),
    "entropy_last": ("Stance entropy, last round (bits)", "Entropy, last"),
    "entropy_drop": ("Drop in stance entropy (bits)", "Entropy drop"),
    "density_mean": ("Directed rebuttal density", "Rebuttal density"),
    "claim_engagement": ("Share of opposing claims engaged", "Claims engaged"),
    "rival_coverage": ("Share of rival options engaged", "Rival coverage"),
    "groupthink": ("Disagreement lost, rivals not engaged", "Groupthink"),
    "silent_share": ("Share of exposures met with silence", "Silence"),
    "dominance": ("Dominance (Gini of engagements received)", "Dominance"),
    "ignored_share": ("Share of claims ignored", "Ignored claims"),
    "sycophancy_per_opportunity": ("Moves to the majority per opportunity", "Sycophancy"),
    "quality_last": ("Quality of argument, last round", "Quality"),
    "agreement_last": ("Share on the modal stance, last round", "Agreement"),
    "abstained_last": ("Share that abstains, last round", "Abstained"),
    "correct_last": ("Share on the true option, last round", "Correct"),
    "consistency": ("Conclusions that follow from the reasoning", "Consistency"),
    "hint_accepted": ("Valid hints accepted", "Valid hint accepted"),
    "hint_rejected": ("Invalid hints rejected", "Invalid hint rejected"),
    "silence_effect": ("P(moves | silent) − P(moves | engaged)", "Silence effect"),
}


def short_name(outcome: str) -> str:
    """An outcome as headings have it."""
    return OUTCOMES[outcome][1] if outcome in OUTCOMES else column_words(outcome)


def schedules_of(view: View) -> dict[str, str]:
    """Schedule of the arms that set how contentious their debaters are, in their order."""
    schedule_of = {arm: view["arms"][arm].get("schedule") for arm in view.arms}
    return {arm: schedule for arm, schedule in schedule_of.items() if schedule}


def contrast_words(arm: str, reference: str, common: str) -> str:
    """An arm, with what it is compared with where that is not the common reference."""
    return arm_words(arm) if reference == common else f"{arm_words(arm)} − {arm_words(reference)}"


def grid(axes: Axes, values: Iterable[float]) -> None:
    """Faint level lines behind the data."""
    for value in values:
        axes.axhline(value, color=FAINT, linewidth=0.5, zorder=0)
