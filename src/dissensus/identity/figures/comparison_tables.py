"""What the run says of the paper's claims: differences, tested."""

from __future__ import annotations

from dissensus.identity.figures.frames import DAGGER, contains_zero
from dissensus.identity.terms import AGAIN, FLOOR
from dissensus.report.frames import Column, records, tabulate
from dissensus.report.labels import estimate, marked, number, p_value
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

#: Kind of comparison -> the question that its rows answer.
_ASKED = {
    "personas": "Do personas change it?",
    "peers": "Do more peers change it?",
    "graph": "Does the graph change it?",
    "model": "Do models differ?",
    "round": "Do rounds change it?",
    "drops": "Does subversion drop more than correction?",
    "labels": "Is it the labels?",
    AGAIN: "Vanilla twice: what is noise?",
    FLOOR: "Is it more than that noise?",
}
_AGENTS = ("seat", "persona")
_MEASURES = {"ibc": "IBC", "delta": "Delta", "drop": "relative drop"}


def table_comparisons(artefacts: Artefacts, view: View) -> Table:
    """The claims of the paper, and the arms that take labels apart."""
    comparisons = records(artefacts.frame("comparisons"))
    rows = [row for row in comparisons if row["kind"] in _ASKED]
    columns = (
        Column("Question", "kind", lambda kind: _ASKED[kind]),
        Column("Team", ("kind", "team"), lambda kind, team: "" if kind in _OF_TEAMS else team),
        Column("Measure", "measure", lambda measure: _MEASURES[measure]),
        *_compared(view),
        Column("p (Holm)", "p_adjusted", p_value),
        Column("Questions", "n_questions"),
    )
    note = (
        "Round 1, but where a round is named. All banks that both sides debated, on the questions "
        "that both completed; the same resamples of questions serve both sides. Teams are compared "
        "that differ in one thing alone. Labels: Delta under vanilla less that where own and a "
        "peer's label are exchanged (swapped), or all opinions are labelled as the agent's own, or "
        "as others'. Vanilla twice is an A-A comparison: its true difference is zero, and its "
        f"interval is as wide as that of an IBC of nothing. {_tested(view)} Holm: over the rows of "
        "one question."
        if rows
        else "The run has one team, one round and no controls: nothing to compare."
    )
    title = "The paper's claims as tested differences"
    return tabulate("table_comparisons", title, columns, rows, note, view)


_OF_TEAMS = ("personas", "peers", "graph", "model")


def table_agents(artefacts: Artefacts, view: View) -> Table:
    """Every seat and every persona, against all other agents of its team."""
    comparisons = records(artefacts.frame("comparisons"))
    rows = [row for row in comparisons if row["kind"] in _AGENTS]
    columns = (
        Column("Team", "team"),
        Column("Agents by", "kind"),
        *_compared(view),
        Column("p (Holm)", "p_adjusted", p_value),
        Column("Questions", "n_questions"),
    )
    note = (
        "IBC of round 1 of one agent, and of all others of its team, over all banks. Personas "
        "change their seats from question to question, so that a team with personas has rows of "
        f"both kinds. {_tested(view)} Holm: over the rows of a team and kind."
    )
    return tabulate("table_agents", "Identity bias by seat and persona", columns, rows, note, view)


def _compared(view: View) -> tuple[Column, ...]:
    return (
        Column("Side", "one"),
        Column("Its estimate", "estimate_one", number),
        Column("Other side", "other"),
        Column("Its estimate, other", "estimate_other", number),
        Column(f"Difference, {view.level} CI", ("estimate", "ci_low", "ci_high"), _difference),
        Column("p", "p_value", p_value),
    )


def _difference(value: float, low: float, high: float) -> str:
    text = estimate(value, low, high)
    contains = contains_zero({"ci_low": low, "ci_high": high})
    return marked(text, f" {DAGGER}") if contains else text


def _tested(view: View) -> str:
    return (
        f"{view.level} percentile intervals from {view['resamples']:,} resamples of questions; p "
        f"is the level at which the interval just reaches zero. {DAGGER} The interval contains "
        "zero."
    )
