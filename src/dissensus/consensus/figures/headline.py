"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from dissensus.consensus.figures import effects
from dissensus.consensus.inference import ALL, PRIMARY
from dissensus.consensus.learning.inference import ABLATION, claim_p
from dissensus.design.contrasts import HEADLINE
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import records
from dissensus.report.labels import counted, p_clause
from dissensus.report.view import View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The largest difference in agreement, all that are significant, the null arm and the width.

    Where there are ablations, also the part of CCAgent that is worth most, and whether that is the
    counterfactuals.
    """
    rows = effects.rows_of(artefacts)
    facts = effects.describe(rows, view)
    said = (
        f"Agreement at the end, strategies against {facts['reference']}, in points of %: the "
        f"largest difference is {facts['largest']}; significant after Holm: {facts['found']}."
    )
    shown = records(rows[(rows["outcome"] == PRIMARY) & (rows["domain"] == ALL)])
    known = [row for row in shown if row["ci_low"] == row["ci_low"]]
    against = []
    if known:
        half = [50 * (row["ci_high"] - row["ci_low"]) for row in known]
        least = min(int(row["n_clusters"]) for row in known)
        against.append(
            f"{counted(least, 'statement')} leave intervals of {min(half):.0f} to {max(half):.0f} "
            "points to each side: smaller differences could not be found."
        )
    if any(row["arm"] in effects.same_strategy(view) for row in shown):
        against.append(
            f"The same strategy under another name, which can have no effect: {facts['null']}."
        )
    return Findings([said, *_worth(artefacts)], against)


def _worth(artefacts: Artefacts) -> list[str]:
    frame = artefacts.frame("ablations").rename(columns={"true": "planted"})
    comparisons = records(frame[(frame["domain"] == ALL) & (frame["method"] == HEADLINE)])
    parts = [
        row for row in comparisons if row["question"] == ABLATION and row["outcome"] == PRIMARY
    ]
    known = [row for row in parts if row["p_value"] == row["p_value"]]
    claim = claim_p(comparisons)
    if not known or claim is None:
        return []
    most = min(known, key=lambda row: float(row["estimate"]))
    return [
        f"Of CCAgent's parts, the one whose absence costs most agreement: {effects.worded(most)}; "
        f"that the absence of counterfactuals costs most: {p_clause(claim)}."
    ]
