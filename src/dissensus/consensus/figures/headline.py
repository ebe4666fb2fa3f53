"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.consensus.figures import effects
from dissensus.consensus.figures.parts import worth
from dissensus.consensus.figures.words import claimed
from dissensus.consensus.inference import ALL
from dissensus.consensus.learning.inference import ABLATION
from dissensus.report.facts import Row
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.floor import Floor
from dissensus.report.labels import arm_words, counted, p_clause
from dissensus.report.view import Artefacts, View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The largest difference in agreement, all that are significant, the null arm and the width.

    Where there are ablations, also the part of CCAgent that is worth most, and whether that is the
    counterfactuals.
    """
    facts = effects.describe(artefacts, view)
    sentences = (
        f"Agreement at the end, strategies against {facts['reference']}, in points of %: the "
        f"largest difference is {facts['largest']}; significant after Holm: {facts['found']}."
    )
    shown = effects.compared(artefacts, view)
    with_limits = [row for row in shown if row["ci_low"] == row["ci_low"]]
    against = []
    if with_limits:
        half = [
            100 * row.derived("(ci_high - ci_low) / 2", (row["ci_high"] - row["ci_low"]) / 2)
            for row in with_limits
        ]
        least = min(row["n_clusters"] for row in with_limits)
        against.append(
            f"{counted(least, 'statement')} leave intervals of {min(half):.0f} to {max(half):.0f} "
            "points to each side: smaller differences could not be found."
        )
    if any(row["arm"] in view.same_as_reference for row in shown):
        against.append(
            f"The same strategy under another name, which can have no effect: {facts['null']}."
        )
    floor = _floor(artefacts, view)
    return Findings([sentences, *_worth(artefacts)], against, card=_card(with_limits, view, floor))


def _floor(artefacts: Artefacts, view: View) -> Floor | None:
    """What the reference under another name differs from it by, over all domains."""
    again = view.same_as_reference[:1]
    if not again:
        return None
    points = {"times": 100.0, "digits": 1, "unit": " points"}
    return Floor.of(artefacts.facts("contrasts"), again[0], view, **points, domain=ALL)


def _card(rows: Sequence[Row], view: View, floor: Floor | None) -> Card | None:
    """The study on the front page: the strategy that changes agreement most."""
    same = view.same_as_reference
    bars = [
        Bar(arm_words(row["arm"]), row, 100.0, 1, row["arm"] in same)
        for row in sorted(rows, key=lambda row: -row["estimate"])
    ]
    drawn = {bar.label: bar for bar in bars}
    others = [row for row in rows if row["arm"] not in same]
    if not others:
        return None
    most = max(others, key=lambda row: abs(row["estimate"]))
    name, reference = arm_words(most["arm"]), arm_words(view.reference)
    size = f"{drawn[name].printed} points, {counted(most['n_clusters'], 'statement')}"
    if most["p_adjusted"] < view.alpha:
        more = "more" if most["estimate"] > 0 else "fewer"
        finding = f"With {name}, {more} debates end in agreement than with {reference}: {size}."
    else:
        finding = (
            f"No strategy was found to change agreement against {reference}; the largest "
            f"difference is {name}: {size}."
        )
    widest = max(others, key=lambda row: row["ci_high"] - row["ci_low"])
    half = widest.derived("(ci_high - ci_low) / 2", (widest["ci_high"] - widest["ci_low"]) / 2)
    but = f"But intervals reach up to {100 * half:.0f} points to each side."
    axis = f"Debates that agree, arm − {reference}, points of %"
    return Card(finding, but, bars, axis, floor.sentence if floor else "")


def _worth(artefacts: Artefacts) -> list[str]:
    tested = [row for row in worth(artefacts, ABLATION) if row["p_value"] == row["p_value"]]
    claim = claimed(artefacts)
    if not tested or claim is None:
        return []
    most = min(tested, key=lambda row: float(row["estimate"]))
    return [
        f"Of CCAgent's parts, the one whose absence costs most agreement: {effects.worded(most)}; "
        f"that the absence of counterfactuals costs most: {p_clause(claim)}."
    ]
