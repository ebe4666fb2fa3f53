"""What the study found: the strategy that changes agreement most, and what speaks against it."""

from __future__ import annotations

from dissensus.consensus.figures import effects
from dissensus.consensus.inference import ALL, PRIMARY
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import records
from dissensus.report.labels import counted
from dissensus.report.view import View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The largest difference in agreement, all that are significant, the null arm and the width."""
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
    return Findings([said], against)
