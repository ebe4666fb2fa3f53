"""What the study found of identity bias, and what the same run found against it."""

from __future__ import annotations

from dissensus.identity.figures import needed
from dissensus.identity.figures.frames import Estimates, contains_zero, is_defined, warning
from dissensus.identity.terms import POOLED
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import Record
from dissensus.report.labels import counted, limits, listed, percent, signed
from dissensus.report.view import View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The Identity Bias Coefficient of every team over all banks, the largest first."""
    estimates = Estimates.of(artefacts)
    bank = POOLED if len(estimates.banks) > 1 else estimates.banks[0]
    rows = {team: estimates.cited(team, bank, "ibc", "difference") for team in estimates.teams}
    rows = {team: row for team, row in rows.items() if is_defined(row)}
    order = sorted(rows, key=lambda team: -abs(rows[team]["estimate"]))
    sentences = [
        f"Identity Bias Coefficient of {team}, round 1: {_estimate(rows[team])}." for team in order
    ]
    unclear = [team for team in order if contains_zero(rows[team])]
    against = [f"Not told from zero: {listed(unclear)}."] if unclear else []
    asked = needed.describe(artefacts.facts("power"), view)
    against += [asked, warning(view), *_unread(artefacts)]
    return Findings(sentences, [sentence for sentence in against if sentence], _planted(view))


def _estimate(row: Record) -> str:
    return f"{signed(row['estimate'])} {limits(row)}, {counted(row['n_questions'], 'question')}"


def _unread(artefacts: Artefacts) -> list[str]:
    """The share of answers that could not be read, which are in no estimate."""
    share = artefacts.facts("metrics").over("mean", "1 - parsed_share", complete=True)
    return [f"Answers that could not be read: {percent(share)}; they are in no estimate."]


def _planted(view: View) -> str:
    """What an own and a peer's answer weigh, by condition, in each simulated model."""
    planted = [
        f"{model}: "
        + listed(
            f"own {weights['self']:g} and peer {weights['peer']:g} in {condition}"
            for condition, weights in speech["weights"].items()
        )
        for model, speech in view.planted_facts.items()
        if "weights" in speech
    ]
    if not planted:
        return ""
    return (
        "Planted in the simulated models, as weights beside beliefs of weight 1: "
        f"{'; '.join(planted)}. Equal weights of own and peer mean no identity bias."
    )
