"""What the study found of identity bias, and what the same run found against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dissensus.report.claims.ranked import joint_limits, leaves_out_zero, together
from dissensus.report.escaping import label
from dissensus.report.facts import Row
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.floor import Beyond, Floor
from dissensus.report.labels import counted, limits, listed, percent, signed
from dissensus.report.view import Artefacts, View

from ..outcomes import OUTCOMES, PRIMARY
from ..terms import AGAIN, FLOOR, POOLED
from . import needed
from .frames import Estimates, is_defined, warning


def state(artefacts: Artefacts, view: View) -> Findings:
    """The Identity Bias Coefficient of every team over all banks, the largest first.

    Its intervals hold for all teams together.
    """
    estimates = Estimates.of(artefacts)
    if not estimates.banks:
        return Findings([], [], _planted(view))
    bank = POOLED if len(estimates.banks) > 1 else estimates.banks[0]
    rows = {team: estimates.cited(team, bank, "ibc", "difference") for team in estimates.teams}
    rows = {team: row for team, row in rows.items() if is_defined(row)}
    order = sorted(rows, key=lambda team: -abs(rows[team]["estimate"]))
    shown = {team: together(row) for team, row in rows.items()}
    sentences = [
        f"{OUTCOMES[PRIMARY].title}, of team {team}: {_estimate(shown[team])}." for team in order
    ]
    unclear = [team for team in order if not leaves_out_zero(shown[team])]
    against = [f"Not found to differ from zero: team {listed(unclear)}."] if unclear else []
    if limits := joint_limits(rows.values(), "teams"):
        against.append(
            f"The {limits} (Bonferroni, t), as the team shown first is picked among them; tables "
            "have those of each team alone."
        )
    asked = needed.describe(artefacts.facts("power"), view)
    against += [asked, warning(view), *_unread(artefacts)]
    card = _card(shown, order, unclear, artefacts, view)
    return Findings(
        sentences, [sentence for sentence in against if sentence], _planted(view), card=card
    )


def _card(
    rows: Mapping[str, dict[str, Any]],
    order: Sequence[str],
    unclear: Sequence[str],
    artefacts: Artefacts,
    view: View,
) -> Card | None:
    """The study on the front page: the team with the largest coefficient of those told from zero.

    It is picked after the fact, so that intervals are those that hold for all teams together.
    """
    if not order:
        return None
    told = [team for team in order if team not in unclear]
    picked = next(iter([*told, *order]))
    first = rows[picked]
    size = Bar("", first).printed
    measured = f"{size} ({OUTCOMES[PRIMARY].named}, {counted(first['n_questions'], 'question')})"
    team = label(picked, 24)
    if picked in unclear:
        finding = f"Seeing who answered was not found to change what agents follow: {measured}."
    else:
        rather = "a peer" if first["estimate"] > 0 else "themselves"
        finding = (
            f"In team “{team}”, agents who see whose answer it is follow {rather} more: {measured}."
        )
    share = artefacts.facts("metrics").over("mean", "1 - parsed_share", complete=True)
    unread = f"{percent(share)} of answers could not be read and are in no estimate"
    teams = listed(f"“{label(team, 24)}”" for team in unclear)
    noun = "team" if len(unclear) == 1 else "teams"
    none = f"no such bias was found in {noun} {teams}"
    bars = [Bar(label(name, 24), rows[name]) for name in order]
    but = f"But {none}; {unread}." if unclear else f"But {unread}."
    limits = joint_limits(rows.values(), "teams")
    axis = "; ".join(filter(None, [OUTCOMES[PRIMARY].title, limits]))
    return Card(finding, but, bars, axis, _floor(artefacts, view))


def _floor(artefacts: Artefacts, view: View) -> str:
    """What vanilla differs from itself by, in each team that ran it again, and which coefficients
    are farther from 0 than that of their own team.
    """
    comparisons = artefacts.facts("comparisons")
    again = [row for row in comparisons.rows(kind=AGAIN) if is_defined(row)]
    if not again:
        return (
            "No noise floor: no team ran its debates with labels again; `controls: [again]` of a "
            "team does that."
        )
    tested = {"kind": FLOOR, "team": [row["team"] for row in again]}
    # A side is no farther from 0 than the other where it is the smaller one, whatever the p-value.
    larger = "abs(estimate_one) > abs(estimate_other)"
    found = comparisons.over("sum", f"(p_adjusted < {view.alpha:.6g}) & ({larger})", **tested)
    of = comparisons.over("count", "p_value", **tested)
    rest = "farther from zero than that of the same team"
    beyond = Beyond(found, of, "coefficient", ("is", "are"), rest, view.level) if of else None
    others = [_again(row).sentence.rstrip(".") for row in again[:-1]]
    last = replace(_again(again[-1]), beyond=beyond).sentence
    return ". ".join([*others, last])


def _again(row: Row) -> Floor:
    differs = f"debates with labels, run again, differ in team “{label(row['team'], 24)}” by"
    return Floor(row, differs, row["n_questions"])


def _estimate(row: Mapping[str, Any]) -> str:
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
