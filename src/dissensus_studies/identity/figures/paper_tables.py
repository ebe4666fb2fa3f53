"""Tables 1 to 3 and 7, in the paper's shape; rows are teams, columns the banks of the run."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.report.frames import Record
from dissensus.report.labels import MISSING, estimate, listed, marked, percent
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..terms import ANONYMIZED, DIFFERENCE, OPENING, VANILLA
from .frames import (
    DAGGER,
    LABELS,
    Estimates,
    bank_words,
    cell,
    contains_zero,
    is_defined,
    persona_pairs,
    range_words,
    read_teams,
    warning,
)

_SHARES = ("conformity", "obstinacy", "delta")
_HEADS = ("Conf.", "Obst.", "Delta")


def table_1(artefacts: Artefacts, view: View) -> Table:
    """Conformity, obstinacy and Delta by condition, and IBC."""
    estimates = Estimates.of(artefacts)
    teams, banks = read_teams(artefacts, estimates.teams), estimates.panels()
    rows = [row for team in estimates.teams for row in _block(estimates, team, banks, (team,))]
    several = [f"{team.name} ({team.peer_words})" for team in teams if team.peers > 1]
    peers = (
        f" With several peers, {listed(several)}, conformity is to take the answer of any peer who "
        "disagreed (section 6.3), over all numbers of disagreeing peers."
        if several
        else ""
    )
    note = (
        "Round 1. Shares of the transitions in which an agent and its peer had disagreed, pooled "
        "over questions and agents (equations 1 and 2, A.3); IBC is Delta vanilla (✗) minus Delta "
        f"anonymised (✓). {_counts(estimates, banks, 'delta', 'transition')}{peers} "
        f"{_bootstrap(view)} {DAGGER} The interval contains zero. {warning(view)}"
    )
    columns = ("Agent", "Anonymize", *_bank_heads(banks))
    title = "Table 1: Effects of response anonymisation on identity bias"
    return make("table_1", title, columns, rows, note, view.simulated)


def _bank_heads(banks: Sequence[str]) -> list[str]:
    return [f"{bank_words(bank)}, {head}" for bank in banks for head in _HEADS]


def _block(estimates: Estimates, team: str, banks: Sequence[str], names: Row) -> list[Row]:
    """The three rows of a team: both conditions, and what anonymising changes."""
    rows = []
    for condition, (_, mark) in LABELS.items():
        cells = (
            cell(estimates.get(team, bank, measure, condition), mark=measure == "delta")
            for bank in banks
            for measure in _SHARES
        )
        rows.append((*names, mark, *cells))
    changes = (
        text
        for bank in banks
        for text in ("", "", cell(estimates.get(team, bank, "ibc", DIFFERENCE), mark=True))
    )
    return [*rows, (*names, "IBC", *changes)]


def table_2(artefacts: Artefacts, view: View) -> Table:
    """Subversion and correction, and how much of them anonymising takes away."""
    estimates = Estimates.of(artefacts)
    banks = estimates.panels()
    ratios = (("subversion", "Subv. (Drop %)"), ("correction", "Corr. (Drop %)"))
    rows = [
        (team, words, *(_dropped(estimates, team, bank, name) for bank in banks))
        for team in estimates.teams
        for name, words in ratios
    ]
    compared = [
        (
            estimates.get(*place, "subversion_drop", DIFFERENCE),
            estimates.get(*place, "correction_drop", DIFFERENCE),
        )
        for place in estimates.cells()
    ]
    compared = [pair for pair in compared if is_defined(pair[0]) and is_defined(pair[1])]
    larger = sum(first["estimate"] > other["estimate"] for first, other in compared)
    note = (
        "Round 1, vanilla → anonymised. Subversion: a right answer given up after a wrong one of "
        "the peer (equation 6); correction: a wrong one given up for the right one after a right "
        "one of the peer (equation 7). Drop: the share of the vanilla ratio that anonymising takes "
        f"away; subversion's is the larger one in {larger} of {len(compared)} cells of one bank. "
        f"{_counts(estimates, banks, 'subversion', 'transition')} {_bootstrap(view)} {DAGGER} The "
        "interval of the drop contains zero."
    )
    columns = ("Agent", "", *map(bank_words, banks))
    title = "Table 2: Subversion and correction before and after anonymisation"
    return make("table_2", title, columns, rows, note, view.simulated)


def _dropped(estimates: Estimates, team: str, bank: str, ratio: str) -> str:
    """Such as "0.615 [0.550, 0.672] → 0.545 [0.471, 0.612] (11.4% [-3.0%, 24.9%] †)"."""
    vanilla, other = (estimates.get(team, bank, ratio, condition) for condition in LABELS)
    if not is_defined(vanilla) and not is_defined(other):
        return MISSING
    drop = estimates.get(team, bank, f"{ratio}_drop", DIFFERENCE)
    return f"{cell(vanilla)} → {cell(other)} ({_percent_cell(drop)})"


def _percent_cell(row: Record) -> str:
    """A relative drop as a percentage, with its interval."""
    text = percent(row["estimate"])
    if text == MISSING:
        return text
    limits = [percent(row[end]) for end in ("ci_low", "ci_high")]
    if MISSING in limits:
        return text
    text = f"{text} [{limits[0]}, {limits[1]}]"
    return f"{text} {DAGGER}" if contains_zero(row) else text


def table_3(artefacts: Artefacts, view: View) -> Table:
    """Agents all alike beside agents with personas, of the same model and graph."""
    estimates = Estimates.of(artefacts)
    teams, banks = read_teams(artefacts, estimates.teams), estimates.panels()
    rows = [
        row
        for plain, mixed in persona_pairs(teams)
        for team, words in ((plain, "homogeneous"), (mixed, "heterogeneous"))
        for row in _block(estimates, team.name, banks, (plain.model, words))
    ]
    note = (
        "Round 1, as in Table 1: teams of one model and graph, whose agents are all alike or have "
        f"a persona each. {_bootstrap(view)} {DAGGER} The interval contains zero. {warning(view)}"
        if rows
        else "No model has a team without personas and one with them on the same graph."
    )
    columns = ("Model", "Agents", "Anonymize", *_bank_heads(banks))
    title = "Table 3: Homogeneous and heterogeneous agents"
    return make("table_3", title, columns, rows, note, view.simulated)


def table_7(artefacts: Artefacts, view: View) -> Table:
    """Accuracy of the majority vote by condition, before and after the debate."""
    estimates = Estimates.of(artefacts)
    banks, last = estimates.panels(), estimates.rounds[-1] if estimates.rounds else 0
    shown = [(OPENING, VANILLA, 0)]
    shown += [(mark, condition, last) for condition, (_, mark) in LABELS.items()]
    shown += [("✗ − ✓", DIFFERENCE, last)]
    rows = [
        (team, name, *(_vote(estimates.get(team, bank, "vote", condition, at)) for bank in banks))
        for team in estimates.teams
        for name, condition, at in shown
    ]
    note = (
        f"Majority vote of the agents in round {last}, a tie counting 1/k where the right answer "
        "is among k tied ones; the opening is round 0, which both conditions share, so that its "
        "questions are those debated under vanilla. "
        f"{_counts(estimates, banks, 'vote', 'vote', last)} "
        f"{_bootstrap(view)} {DAGGER} The interval of the difference contains zero."
    )
    title = "Table 7: Effect of anonymisation on accuracy (%)"
    columns = ("Agent", "Anonymize", *map(bank_words, banks))
    return make("table_7", title, columns, rows, note, view.simulated)


def _vote(row: Record) -> str:
    """An accuracy or a difference of two, in percent as the paper prints it."""
    if not is_defined(row):
        return MISSING
    value, low, high = (100 * row[name] for name in ("estimate", "ci_low", "ci_high"))
    text = estimate(value, low, high, 1)
    # A share of zero is no difference of zero.
    zero = row["condition"] == DIFFERENCE and contains_zero(row)
    return marked(text, f" {DAGGER}") if zero else text


def _counts(
    estimates: Estimates, banks: Sequence[str], measure: str, noun: str, at: int = 1
) -> str:
    """What the cells of both conditions rest on."""
    rows = [
        row
        for team in estimates.teams
        for bank in banks
        for condition in (VANILLA, ANONYMIZED)
        if is_defined(row := estimates.get(team, bank, measure, condition, at))
    ]
    counts = range_words([int(row["n"]) for row in rows], noun)
    questions = range_words([int(row["n_questions"]) for row in rows], "question")
    return f"A cell rests on {counts}, of {questions}."


def _bootstrap(view: View) -> str:
    """How the intervals of a table were made."""
    return (
        f"{view.level} intervals: of a share under one condition Student's over questions, on the "
        "logit scale, exact where it is none or all; of a difference percentiles of "
        f"{view['resamples']:,} resamples of whole questions, the same ones for both conditions."
    )
