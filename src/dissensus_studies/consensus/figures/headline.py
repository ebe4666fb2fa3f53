"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.report.claims.detectable import range_found
from dissensus.report.claims.ranked import Ranked, is_found, joint_limits, picked, together
from dissensus.report.facts import Row, number_of
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.floor import Floor
from dissensus.report.labels import counted, listed, p_clause
from dissensus.report.view import Artefacts, View

from ..arms import TOLD
from ..learning.inference import ABLATION
from ..outcomes import OUTCOMES, PRIMARY
from . import effects
from .parts import worth
from .words import claimed

_AGREEMENT = OUTCOMES[PRIMARY]
#: Beside agreement: it counts debates, not agents.
_ENDED = "consensus"


def state(artefacts: Artefacts, view: View) -> Findings:
    """The largest difference in agreement, all that are significant, the null arm and the power.

    Where there are ablations, also the part of CCAgent that is worth most, and whether that is the
    counterfactuals.
    """
    facts = effects.describe(artefacts, view)
    sentences = (
        f"{_AGREEMENT.title}, strategies against {facts['reference']}, in {_AGREEMENT.points}: the "
        f"largest difference, with limits that hold for all arms together, is "
        f"{facts['largest']}; significant after Holm: {facts['found']}."
    )
    shown = effects.compared(artefacts, view)
    with_limits = [row for row in shown if row["ci_low"] == row["ci_low"]]
    against = []
    if least := _least(with_limits, view):
        statements = min(row["n_clusters"] for row in with_limits)
        against.append(
            f"With {counted(statements, 'statement')}, a difference is found with 80% power only "
            f"from {least} points on, by the arm (t test at Holm's strictest step, with the spread "
            "of this run)."
        )
    if any(row["arm"] in view.same_as_reference for row in shown):
        against.append(
            f"The same strategy under another name, which can have no effect: {facts['null']}."
        )
    card = _card(with_limits, view, _floor(artefacts, view))
    ended = _ended(artefacts, view, picked(_others(with_limits, view), view.alpha))
    return Findings([sentences, *ended, *_worth(artefacts, view)], against, card=card)


def _others(rows: Sequence[Row], view: View) -> list[Row]:
    return [row for row in rows if row["arm"] not in view.same_as_reference]


def _least(rows: Sequence[Row], view: View) -> str:
    """The differences that 80% of studies find after Holm, over the arms, in points."""
    return range_found(_others(rows, view), view.alpha, len(rows), _AGREEMENT.times, digits=0)


def _ended(artefacts: Artefacts, view: View, most: Row | None) -> list[str]:
    """What the same arm does to the share of debates that end in one vote."""
    if most is None:
        return []
    same = {"domain": ALL, "arm": most["arm"], "reference": most["reference"]}
    rows = artefacts.facts("contrasts").rows(outcome=_ENDED, method=HEADLINE, **same)
    declared = OUTCOMES[_ENDED]
    bars = [Bar(declared.title, row, declared.times, 1) for row in rows if row["n"]]
    return [
        f"{declared.title}, {view.arm(most['arm'])} − {view.arm(most['reference'])}: "
        f"{bar.printed} points, {p_clause(bar.row['p_adjusted'])} after Holm over arms and all "
        "further outcomes."
        for bar in bars
    ]


def _floor(artefacts: Artefacts, view: View) -> Floor | None:
    """What the reference under another name differs from it by, over all domains."""
    again = view.same_as_reference[:1]
    if not again:
        return None
    points = {"times": _AGREEMENT.times, "digits": 1, "unit": " points"}
    return Floor.of(artefacts.facts("contrasts"), again[0], view, **points, domain=ALL)


def _card(rows: Sequence[Row], view: View, floor: Floor | None) -> Card | None:
    """The study on the front page: the strategy that changes agreement most.

    It is picked after the fact, so that all intervals are those that hold together.
    """
    same = view.same_as_reference
    bars = [
        Bar(
            view.arm_of(row),
            # The null is picked by nobody, and has its own limits as everywhere.
            row if row["arm"] in same else together(row),
            _AGREEMENT.times,
            1,
            row["arm"] in same,
        )
        for row in sorted(rows, key=lambda row: -row["estimate"])
    ]
    others = _others(rows, view)
    most = picked(others, view.alpha)
    if most is None:
        return None
    reference = view.arm(view.reference)
    equal = [row["arm"] for row in others if row["estimate"] == most["estimate"]]
    name = listed((_told(arm, view) for arm in equal), "or")
    size = Bar("", together(most), _AGREEMENT.times, 1).printed
    size = f"{size} points, {counted(most['n_clusters'], 'statement')}"
    if is_found(most, view.alpha):
        finding = (
            f"With agents {name}, {_AGREEMENT.changed(most['estimate'])} than with those "
            f"{_told(view.reference, view)}: {size}."
        )
    else:
        finding = (
            f"No strategy was found to change the {_AGREEMENT.named} against {reference}; the "
            f"largest difference is of agents {name}: {size}."
        )
    near = [
        row
        for row in Ranked.largest(others).near
        if isinstance(row, Row) and row["estimate"] * most["estimate"] > 0
    ]
    # Of several the first, and how many more there are: one alone would be taken for all.
    more = f" and {counted(number_of(near[1:]), 'other arm')}" if len(near) > 1 else ""
    ties = "".join(
        f"there is no clear difference from {view.arm(row['arm'])}{more}; " for row in near[:1]
    )
    least = _least(rows, view)
    but = f"But {ties}only differences of {least} points or more are found with 80% power."
    limits = joint_limits(others, "arms")
    axis = "; ".join(filter(None, [_AGREEMENT.axis("arm", reference), limits]))
    return Card(finding, but if least else "", bars, axis, floor.sentence if floor else "")


def _told(arm: str, view: View) -> str:
    """What agents of an arm are told or shown; of an arm without words, its name."""
    strategy = view.settings.get("arms", {}).get(arm, arm)
    return TOLD.get(strategy) or f"in arm {view.arm(arm)}"


def _worth(artefacts: Artefacts, view: View) -> list[str]:
    tested = [row for row in worth(artefacts, ABLATION) if row["p_value"] == row["p_value"]]
    claim = claimed(artefacts)
    if not tested or claim is None:
        return []
    least = Ranked.least(tested).words(partial(effects.worded_together, view), view.arm_of)
    return [
        f"Of CCAgent's parts, the one whose absence costs most of the {_AGREEMENT.named}: {least}; "
        f"that the absence of counterfactuals costs most: {p_clause(claim)}."
    ]
