"""What the study found of its arms, and what the same run found against it."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.design.contrasts import HEADLINE
from dissensus.design.stopping import ANYTIME
from dissensus.report.claims.detectable import range_found
from dissensus.report.claims.ranked import is_found, joint_limits, picked, together
from dissensus.report.facts import Row
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.floor import Floor
from dissensus.report.labels import counted, listed, percent, percents
from dissensus.report.view import Artefacts, View

from ..arms import words_of
from ..inference.unanswered import ARM
from ..outcomes import OUTCOMES, PRIMARY
from ..settings import ArmSettings
from . import contrasts


def state(artefacts: Artefacts, view: View) -> Findings:
    """The primary outcome of every arm against the reference, and what speaks against it."""
    compared = artefacts.facts("contrasts")
    facts = contrasts.describe(artefacts, view)
    primary = contrasts.primary(artefacts)
    # A study that may stop adjusts over the arms that it is looked at for.
    is_looked_at = any(row["method"] == ANYTIME for row in primary)
    family = {"method": ANYTIME} if is_looked_at else {}
    references = contrasts.references(artefacts)
    arms = compared.over("count", "estimate", headline=True, reference=references, **family)
    sentences = [
        f"Arms against {view.arm(view.reference)}, {facts['primary']}; significant after "
        f"Holm over {counted(arms, 'arm')}: {facts['found']}."
    ]
    # Not the outcome ``ignored_share``, which counts those that wait for more than two rounds.
    sentences += [
        f"Of the claims that could still be answered, {percent(row['estimate'], 0)} "
        f"{percents(row['ci_low'], row['ci_high'])} in {view.arm(row['group'])} never were."
        for row in artefacts.facts("unanswered").rows(by=ARM, group=view.reference)
    ]
    least = _least(primary, view, arms)
    draws = max((row["n"] for row in primary), default=0)
    against = [
        f"Of the other outcomes, {_secondary(artefacts, view)} contrasts are significant after "
        "adjustment.",
        "Silence and influence are associations: whom an agent answers is its own choice.",
    ]
    if least:
        against.insert(
            0,
            f"With {counted(draws, 'draw')}, a difference is found with 80% power only "
            f"from {least} on, by the arm (t test at Holm's strictest step, with the spread of "
            "this run).",
        )
    again = view.same_as_reference[:1]
    floor = Floor.of(compared, again[0], view, digits=2) if again else None
    card = _card(primary, least, view, floor)
    return Findings(sentences, against, _planted(view), card=card)


def _card(rows: Sequence[Row], least: str, view: View, floor: Floor | None) -> Card | None:
    """The study on the front page: the arm that differs most from the reference.

    It is picked after the fact, so that all intervals are those that hold together.
    """
    again = _again(rows, view)
    most = picked([row for row in rows if row not in again], view.alpha)
    if most is None:
        return None
    outcome, reference = OUTCOMES[PRIMARY], _told(view.reference, view)
    size = f"{Bar('', together(most)).printed}, {counted(most['n'], 'draw')}"
    arm = _told(most["arm"], view)
    if is_found(most, view.alpha):
        changed = outcome.changed(most["estimate"])
        finding = f"With agents {arm}, {changed} than with agents {reference}: {size}."
    else:
        finding = (
            f"No arm was found to change the {outcome.named} against agents {reference}; the "
            f"largest difference is of agents {arm}: {size}."
        )
    but = f"But only differences of {least} or more are found with 80% power." if least else ""
    # The null is picked by nobody, and has its own limits as everywhere.
    bars = [
        Bar(view.arm_of(row), row if row in again else together(row), is_null=row in again)
        for row in rows
    ]
    limits = joint_limits(rows, "arms")
    axis = "; ".join(filter(None, [outcome.axis("arm", view.arm(view.reference)), limits]))
    return Card(finding, but, bars, axis, floor.sentence if floor else "")


def _told(arm: str, view: View) -> str:
    """What agents of an arm are told or shown, from its settings; its name where that is more."""
    given = view.settings.get("arms", {}).get(arm)
    words = None if given is None else words_of(ArmSettings.model_validate(given))
    return words[0] if words else f"in arm {view.arm(arm)}"


def _again(rows: Sequence[Row], view: View) -> list[Row]:
    return [row for row in rows if row["arm"] in view.same_as_reference]


def _least(rows: Sequence[Row], view: View, arms: float) -> str:
    """The differences that 80% of studies find after Holm over so many arms."""
    again = _again(rows, view)
    others = [row for row in rows if row not in again]
    return range_found(others, view.alpha, max(int(arms), 1))


def _secondary(artefacts: Artefacts, view: View) -> str:
    """Such as "9 of 39": of all outcomes but the primary one, in every arm."""
    compared = artefacts.facts("contrasts")
    others = {
        "headline": False,
        "method": HEADLINE,
        "reference": contrasts.references(artefacts),
    }
    below = compared.over("sum", f"p_adjusted < {view.alpha:.6g}", **others)
    return f"{below} of {compared.over('count', 'p_value', **others)}"


def _planted(view: View) -> str:
    """What is planted, in the simulated models' own terms."""
    debaters = {
        model: speech
        for model, speech in view.planted_facts.items()
        if speech.get("role") == "debater"
    }
    if not debaters:
        return ""
    planted = listed(
        f"{model} keeps {speech['stubbornness']:g} of its belief and leaves {speech['silence']:g} "
        "of claims unanswered"
        for model, speech in debaters.items()
    )
    return (
        f"Planted in the simulated models: {planted}. No arm has an effect of its own but by what "
        "its prompt asks for, shows or withholds."
    )
