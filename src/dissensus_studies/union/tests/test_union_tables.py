"""Tables: every cell is what the frames have, and what they do not have is a dash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dissensus.report.facts import unmarked
from dissensus.report.labels import interval, number, p_value
from dissensus.report.tables import Table
from dissensus.report.view import View
from dissensus.study.makes import resolve
from drawn import said_by

from ..figures import TABLES
from .union_frames import GAINS, VIEW, Run, make_run


def table_of(run: Run, name: str, view: View = VIEW) -> Table:
    """One of them, without the others."""
    (maker,) = (one.maker for one in TABLES if one.name == name)
    made: Table = resolve(maker)(run.artefacts, view)
    return made


def cell(table: Table, column: str, *head: str) -> str:
    rows = [row for row in table.rows if row[: len(head)] == head]
    assert len(rows) == 1
    return rows[0][table.columns.index(column)]


def test_verdicts_are_counted_and_lost_debates_are_seen() -> None:
    run = make_run()
    table = table_of(run, "table_verdicts")
    assert len(table.rows) == 2 * 2 * 4
    lost = (set(run.manifest["session_id"]) - set(run.verdicts["session_id"])).pop()
    motion, epoch, _, arm = lost.split("-")
    head = (motion, arm, epoch.removeprefix("e"))
    assert cell(table, "Complete", *head) == "4/5"
    own = run.verdicts[
        (run.verdicts["motion_id"] == motion)
        & (run.verdicts["arm"] == arm)
        & (run.verdicts["epoch"] == int(head[2]))
    ]
    for column, winner in (
        ("Proposition", "proposition"),
        ("Contested", "contested"),
        ("Opposition", "opposition"),
    ):
        assert cell(table, column, *head) == str(int((own["winner"] == winner).sum()))
    assert cell(table, "By panel", *head) == "4"
    # No other layer decided a debate.
    assert [name for name in table.columns if name.startswith("By ")] == ["By panel"]
    assert said_by(table) == {"attrition": "79 of 80 debates"}


def test_a_cell_of_the_design_without_any_debate_is_a_row() -> None:
    run = make_run(1, 2, 1)
    assert cell(table_of(run, "table_verdicts"), "Complete", "m1", "control", "2") == "0/1"


def test_judges_have_every_bias_with_its_test_and_what_a_named_one_favours() -> None:
    run = make_run()
    table = table_of(run, "table_judges")
    assert len(table.rows) == 3 * 4
    head = ("judge-that-follows-slots", "Position")
    assert cell(table, "Named: favours", *head) == "slot A"
    assert cell(table, "Estimate", *head) == "1.000"
    assert cell(table, "Follows", *head) == "100%"
    row = run.judges[(run.judges["judge"] == "all") & (run.judges["bias"] == "side")].iloc[0]
    assert cell(table, "p", "all judges", "Side prior") == p_value(row["p_value"])
    limits = interval(row["ci_low"], row["ci_high"])
    assert cell(table, "95% CI", "all judges", "Side prior") == limits


def test_a_note_names_the_family_in_which_an_interval_may_be_chance() -> None:
    """Judges stand in one family with their biases; all of them together are tested over biases."""
    run = make_run()
    open_ = run.judges.assign(ci_low=0.6, ci_high=0.7, p_adjusted=0.9, favours="")
    told = table_of(replace(run, judges=open_), "table_judges")
    assert "leaves out 0.5; among all biases (Holm)" in told.note
    assert "leaves out 0.5; among all judges and biases (Holm)" in told.note
    alone = open_[open_["level"] == "judge"]
    assert "among all biases" not in table_of(replace(run, judges=alone), "table_judges").note


def test_layers_have_every_pair_and_judges_their_alpha() -> None:
    run = make_run()
    table = table_of(run, "table_layers")
    assert len(table.rows) == 4 + 6
    row = run.judges[
        (run.judges["judge"] == "panel") & (run.judges["compared"] == "annotation")
    ].iloc[0]
    assert cell(table, "Estimate", "panel", "annotation") == number(row["estimate"])
    assert cell(table, "Debates", "panel", "annotation") == str(row["n"])
    # No debate has an audit here.
    assert cell(table, "Estimate", "rubric", "audit") == "–"


def test_coaching_has_the_power_of_every_gain() -> None:
    run = make_run()
    table = table_of(run, "table_coaching")
    assert [name for name in table.columns if name.startswith("Power")] == [
        f"Power, {gain:g}" for gain in GAINS
    ]
    (headline,) = [row for row in table.rows if row[table.columns.index("Headline")] == "yes"]
    assert headline[:5] == (
        "Share of the students’ claims that survive",
        "coached − control",
        "–",
        "from 2",
        "paired randomisation",
    )
    (row,) = run.coaching[run.coaching["headline"]].to_dict("records")
    assert headline[table.columns.index("Estimate")] == number(row["estimate"])
    assert headline[table.columns.index("N")] == f"{row['n']}/{row['assigned']}"


def test_wins_of_both_sides_are_one_test_and_speakers_have_places_alone() -> None:
    run = make_run()
    table = table_of(run, "table_wins")
    sides = [row for row in table.rows if row[1] in ("proposition", "opposition")]
    assert len(sides) == 3 * 2
    for one, other in zip(sides[::2], sides[1::2], strict=True):
        assert one[0] == other[0]
        for column in ("p", "p (Holm)", "p (BH)"):
            at = table.columns.index(column)
            assert one[at] == other[at] == one[table.columns.index("p")]
    own = run.verdicts[run.verdicts["motion_id"] == "m1"]
    won = 100 * (own["winner"] == "proposition").mean()
    assert cell(table, "Won", "m1", "proposition").startswith(f"{won:.1f}".rstrip("0").rstrip("."))
    assert all(row[2] in "123" for row in table.rows if row not in sides)


def test_survival_and_claims_are_the_same_shares() -> None:
    run = make_run()
    own = run.claims[run.claims["kind"] == "principled"]
    survives = f"{100 * (own['fate'] == 'survives').mean():.1f}".rstrip("0").rstrip(".") + "%"
    head = ("all motions", "kind", "principled")
    assert cell(table_of(run, "table_survival"), "Survive", *head).split(" ")[0] == survives
    assert cell(table_of(run, "table_survival"), "Claims", *head) == str(len(own))
    sides = {
        side: own[own["side"] == side]["specific"].mean() for side in ("proposition", "opposition")
    }
    for side, share in sides.items():
        shown = cell(table_of(run, "table_claims"), "Specific", "principled", side)
        assert float(shown.rstrip("%")) == pytest.approx(100 * share, abs=0.05)


def test_speakers_have_the_means_of_their_speeches() -> None:
    run = make_run()
    table = table_of(run, "table_speakers")
    assert len(table.rows) == 2 * 2 * 6
    spoken = run.speeches[
        (run.speeches["motion_id"] == "m1")
        & (run.speeches["speaker"] == "Bo")
        & (run.speeches["arm"] == "coached")
    ]
    head = ("m1", "Bo", "proposition", "yes", "coached")
    assert cell(table, "Speeches", *head) == str(len(spoken))
    # Made up: a score of 4 and half the number of the speech, 1 less when recalibrated.
    mean = 4.0 + 0.5 * spoken["speech"].mean()
    assert cell(table, "Rubric", *head) == f"{mean:.1f}"
    assert cell(table, "Recalibrated", *head) == f"{mean - 1:.1f}"
    assert cell(table, "Claims a speech", *head) == "8.0"


def test_points_are_counted_from_the_offer_to_the_answer() -> None:
    run = make_run()
    table = table_of(run, "table_points")
    debates = str(len(run.verdicts))
    assert [row[:2] for row in table.rows] == [(str(n), debates) for n in range(1, 7)]
    # Made up: one is drawn at every second speech, and taken at the fourth alone.
    assert [cell(table, "Drawn", str(n)) for n in range(1, 7)] == ["0", debates] * 3
    assert [cell(table, "Share", str(n)) for n in (1, 2, 4)] == ["–", "0%", "100%"]
    assert [cell(table, "Answered", str(n)) for n in (2, 4)] == ["0", debates]


def test_clusters_have_their_names_and_numbers() -> None:
    run = make_run()
    table = table_of(run, "table_clusters")
    assert [row[1] for row in table.rows] == ["1", "2", "3", "4"]
    assert {row[2] for row in table.rows} == {"words that name it"}
    row = run.clusters.iloc[1]
    assert cell(table, "Claims", "m1", "2") == str(row["claims"])
    assert cell(table, "Lift", "m1", "2") == number(100 * row["lift"], 1)
    assert cell(table, "p (Holm)", "m1", "2") == p_value(row["p_adjusted"])


def test_what_the_post_printed_stands_beside_the_run() -> None:
    run = make_run()
    rows = {row[0]: row[1:] for row in table_of(run, "table_printed").rows}
    printed, implied, here = map(unmarked, rows["Wins of the opposition"])
    # All of fifteen happen in 2.5% of studies at 78%.
    assert printed == "15 of the first 15" and implied.startswith(
        f"[{0.025 ** (1 / 15):.0%}, 100%]"
    )
    verdicts = run.artefacts.frame("verdicts")
    wins = (verdicts["winner"] == "opposition").sum()
    assert here.startswith(f"{wins} of {len(verdicts)}, and ")
    claims = run.artefacts.frame("claims")
    mean = len(claims) / claims["session_id"].nunique()
    assert tuple(map(unmarked, rows["Claims of a debate"]))[1:] == ("25.4", f"{mean:.1f}")
    (one_way,) = (row for name, row in rows.items() if "one way only" in name)
    assert unmarked(one_way[1]) == "9 of the 9 that are published"
