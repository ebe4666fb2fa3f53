"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from dissensus.consensus.figures import effects
from dissensus.consensus.inference import ALL, PRIMARY
from dissensus.consensus.learning.inference import ABLATION, claim_p
from dissensus.design.contrasts import HEADLINE
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import Record, records
from dissensus.report.labels import arm_words, counted, interval, p_clause, signed
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
    frame = artefacts.frame("ablations")
    own = records(frame[(frame["domain"] == ALL) & (frame["method"] == HEADLINE)])
    parts = [row for row in own if row["question"] == ABLATION and row["outcome"] == PRIMARY]
    known = sorted((row for row in parts if row["p_value"] == row["p_value"]), key=_change)
    claim = claim_p(own)
    if not known or claim is None:
        return []
    most = known[0]
    limits = interval(100 * most["ci_low"], 100 * most["ci_high"], 1, "−")
    return [
        "Of CCAgent's parts, the one whose absence costs most agreement: "
        f"{arm_words(most['arm'])} {signed(100 * most['estimate'], 1)} ({limits}, "
        f"{p_clause(most['p_adjusted'])} after Holm); that the absence of counterfactuals costs "
        f"most: {p_clause(claim)}."
    ]


def _change(row: Record) -> float:
    return float(row["estimate"])
