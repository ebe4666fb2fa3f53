"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from dissensus.consensus.figures import effects
from dissensus.consensus.figures.parts import worth
from dissensus.consensus.figures.words import claimed
from dissensus.consensus.learning.inference import ABLATION
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.labels import counted, p_clause
from dissensus.report.view import View


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
    if any(row["arm"] in effects.same_strategy(view) for row in shown):
        against.append(
            f"The same strategy under another name, which can have no effect: {facts['null']}."
        )
    return Findings([sentences, *_worth(artefacts)], against)


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
