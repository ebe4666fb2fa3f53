"""The study's own tables: the martingale, how sessions went, and power."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd

from dissensus.report.frames import Column, Record, records, tabulate
from dissensus.report.labels import MISSING, number, p_value, percent, whole
from dissensus.report.tables import Table, make
from dissensus.report.view import Artefacts, View

from ..terms import DIFFERENCE, OPENING, POLICIES, POOLED
from .frames import DAGGER, LABELS, Estimates, bank_words, cell, warning
from .needed import PAPER, TARGET, Room, rooms


def table_martingale(artefacts: Artefacts, view: View) -> Table:
    """Whether accuracy moves from round to round: a row a round, its three tests side by side."""
    estimates, martingale = Estimates.of(artefacts), artefacts.frame("martingale")
    tests: dict[tuple[str, str, str, int], dict[str, Record]] = {}
    for row in records(martingale):
        place = (str(row["team"]), str(row["bank"]), str(row["condition"]), int(row["round"]))
        tests.setdefault(place, {})[str(row["test"])] = row
    order = {bank: index for index, bank in enumerate(estimates.panels())}
    shown = sorted(
        (place for place in tests if place[1] in order),
        key=lambda place: (place[0], order[place[1]], list(LABELS).index(place[2]), place[3]),
    )
    rows = [dict(zip(_PLACE, place, strict=True)) | tests[place] for place in shown]
    columns = (
        Column("Team", "team"),
        Column("Bank", "bank", bank_words),
        Column("Condition", "condition", lambda condition: LABELS[condition][0]),
        Column("Rounds", "round", lambda at: f"{at - 1} to {at}"),
        Column("Change in mean accuracy", "sign_flip", _change),
        Column("p, sign-flip", "sign_flip", _p),
        Column("p, equivalence", "equivalence", _p),
        Column("Equivalence", "equivalence", lambda row: row["verdict"].partition(" to be ")[0]),
        Column("Change in votes won", "mcnemar_vote", _change),
        Column("p, McNemar", "mcnemar_vote", _p),
        Column("N", "sign_flip", lambda row: str(int(row["n"]))),
    )
    note = (
        "The debate model makes the mean accuracy over agents a martingale where all agents draw "
        "from one distribution (D.1); it says nothing of one agent, nor of the majority vote. "
        "Sign-flip: of no change, flipped by question. A test that finds no change does not show "
        "that there is none: the equivalence test asks whether a change as large as the margin "
        "(setting equivalence_margin) can be ruled out. McNemar: of no change in the share of "
        "questions whose right answer alone "
        f"has most votes. Changes are shares, with {view.level} intervals (t, and Tango's). "
        f"{DAGGER} The interval contains zero. N: questions."
    )
    title = "Does accuracy move from round to round"
    return tabulate("table_martingale", title, columns, rows, note, view)


#: What a row of the table is about.
_PLACE = ("team", "bank", "condition", "round")


def _change(row: Record) -> str:
    return cell(row, mark=True)


def _p(row: Record) -> str:
    return p_value(row["p_value"])


def table_conduct(artefacts: Artefacts, view: View) -> Table:
    """How the sessions went, and what becomes of the IBC if unparsed answers are kept."""
    estimates = Estimates.of(artefacts)
    manifest, metrics, outcomes = artefacts.frames("manifest", "metrics", "outcomes")
    complete = dict(zip(outcomes["session_id"], outcomes["complete"], strict=True))
    debates = manifest[manifest["condition"] != OPENING]
    complete_rows = metrics[metrics["complete"].to_numpy(dtype=bool)]
    rows = []
    for team, bank in estimates.cells():
        of_cell = debates[(debates["team"] == team) & (debates["bank"] == bank)]
        answers = complete_rows[(complete_rows["team"] == team) & (complete_rows["bank"] == bank)]
        sessions = {OPENING: of_cell["opening"].unique()} | {
            condition: of_cell.loc[of_cell["condition"] == condition, "session_id"]
            for condition in LABELS
        }
        # Both conditions share their opening: round 0 is counted once a question.
        opening = answers[answers["round"] == 0].drop_duplicates("question_id")
        later = answers[answers["round"] > 0]
        rows.append(
            (
                team,
                bank_words(bank),
                *(_complete(ids, complete) for ids in sessions.values()),
                _unparsed(opening),
                *(_unparsed(later[later["condition"] == condition]) for condition in LABELS),
                *(
                    cell(estimates.get(team, bank, "ibc", DIFFERENCE, policy=policy), mark=True)
                    for policy in POLICIES
                ),
            )
        )
    names = ["opening", *(words for words, _ in LABELS.values())]
    columns = (
        "Team",
        "Bank",
        *(f"Complete, {name}" for name in names),
        *(f"Unparsed, {name}" for name in names),
        "IBC, unparsed dropped",
        "IBC, unparsed kept",
        "IBC, unparsed read leniently",
    )
    note = (
        "Complete: sessions that ended of those planned; teams of the same model and personas "
        "share their openings. Unparsed: answers without a final answer that could be read, of the "
        "complete sessions (opening: round 0; else all later rounds). A transition with an "
        "unparsed answer is dropped; kept, an unparsed new answer counts as the agent's own old "
        'one; read leniently, as what stands in a box, after the words "the answer is" or alone '
        f"on the last line. IBC of round 1 with its {view.level} interval. {DAGGER} The interval "
        "contains zero."
    )
    return make("table_conduct", "How the sessions went", columns, rows, note, view.simulated)


def _complete(ids: Iterable[str], complete: dict[str, bool]) -> str:
    """Such as "24 of 24"."""
    ended_well = [bool(complete.get(name, False)) for name in ids]
    return f"{whole(sum(ended_well))} of {whole(len(ended_well))}"


def _unparsed(rows: pd.DataFrame) -> str:
    shares = rows["parsed_share"].to_numpy(dtype=float)
    return percent(1 - float(shares.mean())) if len(shares) else MISSING


def table_power(artefacts: Artefacts, view: View) -> Table:
    """Questions needed, and what those held could find."""
    room_of = rooms(artefacts.facts("power"))
    biases = sorted({ibc for room in room_of.values() for ibc in room.needed})
    banks = {bank for _, bank in room_of if bank != POOLED}
    rows = [
        {"team": team, "bank": bank, "room": room}
        for (team, bank), room in room_of.items()
        if bank != POOLED or len(banks) != 1
    ]
    columns = (
        Column("Team", "team"),
        Column("Bank", "bank", bank_words),
        Column("SD", "room", lambda room: number(room.sd)),
        Column("Complete", "room", lambda room: str(room.complete)),
        Column("Detectable, complete", "room", lambda r: number(r.detectable.get(r.complete))),
        Column(f"Detectable, {PAPER} questions", "room", lambda r: number(r.detectable.get(PAPER))),
        *(Column(f"Needed, |IBC| {ibc:.2f}", "room", partial(_needed, ibc)) for ibc in biases),
    )
    note = (
        "SD: such that the standard error of the IBC is SD / √questions, from how much this run's "
        f"questions move it (linearised). Detectable and needed: at {percent(TARGET)} power of the "
        "two-sided z test, round 1. Complete: questions complete under both conditions. "
        f"{warning(view)}"
        if rows
        else "The run does not tell how much questions vary."
    )
    title = "Questions that an IBC needs"
    return tabulate("table_power", title, columns, rows, note, view)


def _needed(ibc: float, room: Room) -> str:
    return str(room.needed.get(ibc, MISSING))
