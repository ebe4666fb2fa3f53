"""What the study found of its arms, and what the same run found against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.deliberation.figures import contrasts
from dissensus.deliberation.inference.unanswered import ARM
from dissensus.design.contrasts import HEADLINE
from dissensus.design.stopping import ANYTIME
from dissensus.report.facts import Row
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.floor import Floor
from dissensus.report.labels import arm_words, counted, interval, listed, percent
from dissensus.report.view import Artefacts, View


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
        f"Disagreement that is left in the last round, arms against {arm_words(view.reference)}: "
        f"{facts['primary']}; significant after Holm over {counted(arms, 'arm')}: "
        f"{facts['found']}."
    ]
    sentences += [
        f"Claims that nobody engages: {percent(row['estimate'], 0)} in {arm_words(row['group'])} "
        f"{interval(row['ci_low'], row['ci_high'], 2)}."
        for row in artefacts.facts("unanswered").rows(by=ARM, group=view.reference)
    ]
    half = [
        row.derived("(ci_high - ci_low) / 2", (row["ci_high"] - row["ci_low"]) / 2)
        for row in primary
        if np.isfinite(row["ci_low"])
    ]
    draws = max((row["n"] for row in primary), default=0)
    against = [
        f"Of the other outcomes, {_secondary(artefacts, view)} contrasts are significant after "
        "adjustment.",
        "Silence and influence are associations: whom an agent answers is its own choice.",
    ]
    if half:
        against.insert(
            0,
            f"{counted(draws, 'draw')} leave intervals of {min(half):.2f} to {max(half):.2f} to "
            "each side: smaller differences could not be found.",
        )
    again = view.same_as_reference[:1]
    floor = Floor.of(compared, again[0], view, digits=2) if again else None
    card = _card(primary, half, view, floor)
    return Findings(sentences, against, _planted(view), card=card)


def _card(
    rows: Sequence[Row], half: Sequence[float], view: View, floor: Floor | None
) -> Card | None:
    """The study on the front page: the arm that differs most from the reference."""
    again = [row for row in rows if row["arm"] in view.same_as_reference]
    others = [row for row in rows if row not in again]
    if not others:
        return None
    most = max(others, key=lambda row: abs(row["estimate"]))
    reference, size = arm_words(view.reference), Bar("", most).printed
    if most["p_adjusted"] < view.alpha:
        kept = "more" if most["estimate"] > 0 else "less"
        finding = (
            f"Arm {arm_words(most['arm'])} keeps {kept} of the first disagreement to the "
            f"last round than {reference}: {size}, {counted(most['n'], 'draw')}."
        )
    else:
        finding = (
            f"No arm was found to keep more or less disagreement than {reference}; the largest "
            f"difference is {arm_words(most['arm'])}: {size}, {counted(most['n'], 'draw')}."
        )
    but = f"But differences below {min(half):.2f} could not be found." if half else ""
    bars = [Bar(arm_words(row["arm"]), row, is_null=row in again) for row in rows]
    axis = f"Disagreement retained, arm − {reference}"
    return Card(finding, but, bars, axis, floor.sentence if floor else "")


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
