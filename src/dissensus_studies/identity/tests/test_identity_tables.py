"""Tables recomputed by hand from small frames."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dissensus.report import captions
from dissensus.report.tables import Table, as_markdown, as_page, caption_facts
from dissensus.study.makes import resolve
from scripted import ROOT

from ..figures import (
    TABLES,
    comparison_tables,
    model_tables,
    paper_tables,
    study_tables,
)
from ..figures.frames import Estimates
from .identity_frames import VIEW, Run, make_run

run_of = cache(make_run)


def estimates(run: Run) -> Estimates:
    return Estimates.of(run.artefacts)


def named(table: Table) -> list[dict[str, str]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_table_1_by_hand() -> None:
    run = run_of(4, 2)
    found = estimates(run)
    table = paper_tables.table_1(run.artefacts, VIEW)
    assert len(table.rows) == 3 * 4 and len(table.columns) == 2 + 3 * 3
    rows = named(table)
    assert [row["Anonymize"] for row in rows[:3]] == ["✗", "✓", "IBC"]
    for index, team in enumerate(found.teams):
        for bank, head in (("choice", "choice"), ("all", "all banks")):
            values = []
            for row, condition in zip(
                rows[3 * index :], ("vanilla", "anonymized", "difference"), strict=False
            ):
                measure = "ibc" if condition == "difference" else "delta"
                cell = found.get(team, bank, measure, condition)
                values.append(cell["estimate"])
                text = f"{cell['estimate']:.3f} [{cell['ci_low']:.3f}, {cell['ci_high']:.3f}]"
                zero = cell["ci_low"] <= 0 <= cell["ci_high"]
                assert row[f"{head}, Delta"] == text + " †" * zero
            assert values[2] == pytest.approx(values[0] - values[1])
        assert rows[3 * index + 2]["choice, Conf."] == ""
    assert "At 272 questions |IBC| under 0.10 is not distinguishable from zero" in table.note
    assert "deferring-4 (4 peers)" in table.note
    assert "72 to 144 transitions, of 24 to 48 questions" in table.note


def test_one_bank_has_no_column_of_all() -> None:
    table = paper_tables.table_2(run_of(1, 1).artefacts, VIEW)
    assert not any("all banks" in head for head in table.columns)


def test_table_2_drops_are_relative() -> None:
    found = estimates(run_of(2, 2))
    table = paper_tables.table_2(run_of(2, 2).artefacts, VIEW)
    first, second = found.teams
    for row, (team, ratio) in zip(
        table.rows,
        ((first, "subversion"), (first, "correction"), (second, "subversion")),
        strict=False,
    ):
        one = found.get(team, "choice", ratio, "vanilla")["estimate"]
        other = found.get(team, "choice", ratio, "anonymized")["estimate"]
        assert row[0] == team
        assert row[2].startswith(f"{one:.3f} [") and f"→ {other:.3f} [" in row[2]
        drop = f"{100 * (one - other) / one:.1f}".removesuffix(".0")
        assert f"({drop}% [" in row[2]
    larger = sum(
        found.get(*cell, "subversion_drop", "difference")["estimate"]
        > found.get(*cell, "correction_drop", "difference")["estimate"]
        for cell in found.cells()
    )
    assert f"the larger one in {larger} of 4 cells" in table.note


def test_table_3_pairs_teams_that_differ_in_personas_alone() -> None:
    run = run_of(4, 2)
    table = paper_tables.table_3(run.artefacts, VIEW)
    assert [row[:3] for row in table.rows] == [
        ("identity-deferring", words, mark)
        for words in ("homogeneous", "heterogeneous")
        for mark in ("✗", "✓", "IBC")
    ]
    plain = paper_tables.table_1(run.artefacts, VIEW)
    assert [row[3:] for row in table.rows[:3]] == [row[2:] for row in plain.rows[:3]]
    empty = paper_tables.table_3(run_of(2, 1).artefacts, VIEW)
    assert empty.rows == () and empty.note.startswith("No model has a team without personas")


def test_tables_4_to_6_have_every_team() -> None:
    run = run_of(4, 2)
    found = estimates(run)
    table = model_tables.table_4(run.artefacts, VIEW)
    assert {row[0] for row in table.rows} == {"deferring", "deferring-4", "personas", "stubborn"}
    fitted = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    for row in named(table):
        measure = row["Metric"].lower()
        bank = {"all banks": "all"}.get(row["Bank"], row["Bank"])
        for condition, heads in (
            ("vanilla", ("GT", "Est.")),
            ("anonymized", ("GT (Anon.)", "Est. (Anon.)")),
        ):
            seen = found.get(row["Team"], bank, measure, condition)["estimate"]
            key = (row["Team"], bank, condition, "1", "hierarchical", measure)
            assert row[heads[0]].startswith(f"{seen:.3f} [")
            assert row[heads[1]].startswith(f"{fitted.at[key, 'estimate']:.3f} [")


def test_comparisons_are_a_row_each_and_agents_stand_apart() -> None:
    run = run_of(2, 1)
    rows = named(comparison_tables.table_comparisons(run.artefacts, VIEW))
    kept = run.comparisons.set_index("kind")
    assert [row["Side"] for row in rows] == [
        f"{kind} one"
        for kind in ("personas", "peers", "graph", "model", "round", "drops", "labels", "again")
    ]
    for row in rows:
        own = kept.loc[row["Side"].removesuffix(" one")]
        zero = own["ci_low"] <= 0 <= own["ci_high"]
        assert row["Difference, 95% CI"] == (
            f"{own['estimate']:.3f} [{own['ci_low']:.3f}, {own['ci_high']:.3f}]" + " †" * int(zero)
        )
        assert (row["p"], row["p (Holm)"], row["Questions"]) == ("0.040", "0.080", "24")
    agents = named(comparison_tables.table_agents(run.artefacts, VIEW))
    assert [row["Agents by"] for row in agents] == ["seat", "persona"]
    alone = comparison_tables.table_comparisons(run_of(1, 1).artefacts, VIEW)
    assert alone.rows == () and alone.note.startswith("The run has one team")


def test_table_7_is_the_vote_of_the_last_round_in_percent() -> None:
    found = estimates(run_of(2, 2))
    rows = named(paper_tables.table_7(run_of(2, 2).artefacts, VIEW))
    assert [row["Anonymize"] for row in rows[:4]] == ["opening", "✗", "✓", "✗ − ✓"]
    for row, (condition, at) in zip(
        rows, (("vanilla", 0), ("vanilla", 2), ("anonymized", 2), ("difference", 2)), strict=False
    ):
        value = 100 * found.get("deferring", "numeric", "vote", condition, at)["estimate"]
        assert row["numeric"].startswith(f"{value:.1f} [")


def test_weights_are_those_of_the_first_round() -> None:
    run = run_of(2, 2)
    rows = named(model_tables.table_dcm(run.artefacts, VIEW))
    assert len(rows) == 2 * 3 * 3
    own = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    seen = {
        row["Condition"]: row
        for row in rows
        if (row["Team"], row["Bank"]) == ("deferring", "choice")
    }
    for column, condition, parameter in (
        ("w_self", "vanilla", "w_self"),
        ("Total weight", "difference", "total_weight"),
        ("pi_peer", "anonymized", "pi_peer"),
    ):
        place = ("deferring", "choice", condition, "1", "hierarchical", parameter)
        row = seen[condition.replace("z", "s")]
        assert row[column].startswith(f"{own.at[place, 'estimate']:.3f} [")
    assert seen["vanilla"]["LRT p"] == "0.004"
    assert seen["difference"]["w_self"] == seen["difference"]["LRT p"] == "–"
    # A weight is above zero as it is; only differences are marked.
    marked = {name for name, row in seen.items() if "†" in "".join(row.values())}
    assert marked <= {"difference"}
    alone = named(model_tables.table_dcm(run_of(1, 1).artefacts, VIEW))
    assert {row["Bank"] for row in alone} == {"choice"}


def test_the_ibc_by_both_definitions() -> None:
    run = run_of(2, 2)
    rows = named(model_tables.table_ibc(run.artefacts, VIEW))
    own = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    place = ("deferring", "choice")
    seen = {row["Condition"]: row for row in rows if (row["Team"], row["Bank"]) == place}
    for column, key in (
        ("pi_peer − pi_self", ("difference", "1", "hierarchical", "ibc")),
        ("Delta, implied", ("difference", "1", "hierarchical", "ibc_difference")),
        ("Delta, implied", ("vanilla", "1", "hierarchical", "delta")),
        ("The same, moments", ("vanilla", "1", "moment", "ibc")),
    ):
        assert seen[key[0]][column].startswith(f"{own.at[(*place, *key), 'estimate']:.3f} [")
    for condition, measure in (("difference", "ibc"), ("vanilla", "delta")):
        observed = estimates(run).get(*place, measure, condition)["estimate"]
        assert seen[condition]["Delta, observed"].startswith(f"{observed:.3f} [")


def test_all_rounds_together_are_a_table_of_their_own_that_warns() -> None:
    run = run_of(2, 2)
    table = model_tables.table_rounds(run.artefacts, VIEW)
    rows = named(table)
    own = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    place = ("deferring", "choice", "vanilla", "1-2", "hierarchical", "delta")
    assert rows[0]["Delta, implied"].startswith(f"{own.at[place, 'estimate']:.3f} [")
    assert table.note.startswith("Rounds 1 to 2. ")
    assert "unequal weights and a small LRT p are no sign of identity bias" in table.note
    assert "Simulated anonymised agents" in table.note
    real = model_tables.table_rounds(run.artefacts, replace(VIEW, simulated=False))
    assert "imulated" not in real.note
    single = replace(run, dcm=run.dcm[run.dcm["rounds"] == "1"])
    empty = model_tables.table_rounds(single.artefacts, VIEW)
    assert empty.rows == () and empty.note.startswith("The run has one round alone")


def test_a_fit_that_did_not_end_is_marked() -> None:
    run = run_of(1, 1)
    lost = run.dcm.assign(converged=run.dcm["condition"] != "anonymized")
    for table in (model_tables.table_dcm, model_tables.table_ibc, model_tables.table_rounds):
        rows = named(table(replace(run, dcm=lost).artefacts, VIEW))
        assert [row["Condition"] for row in rows] == ["vanilla", "anonymised ‡", "difference"]


def test_a_weight_without_an_upper_end_is_not_printed_in_three_hundred_digits() -> None:
    run = run_of(1, 1)
    endless = run.dcm.assign(
        ci_high=np.where(run.dcm["parameter"] == "w_self", 1e300, run.dcm["ci_high"])
    )
    row = named(model_tables.table_dcm(replace(run, dcm=endless).artefacts, VIEW))[0]
    own = run.dcm[run.dcm["parameter"] == "w_self"].iloc[0]
    assert row["w_self"] == f"{own['estimate']:.3f} [{own['ci_low']:.3f}, ∞)"
    assert row["w_peer"].endswith("]")


def test_table_goodness_shows_observed_and_expected() -> None:
    rows = named(model_tables.table_goodness(run_of(1, 1).artefacts, VIEW))
    assert rows[0]["agree-stay"] == "512 / 508.1"
    assert rows[0]["disagree-third"] == "15 / 17.6"
    assert (rows[0]["Pearson's X²"], rows[0]["p"], rows[0]["N"]) == ("2.20", "0.410", "720")
    assert (rows[0]["p, by agent"], len(rows)) == ("0.020", 2)


def test_table_martingale_has_a_row_a_round_and_claims_nothing_of_the_vote() -> None:
    run = run_of(1, 2)
    tests = run.martingale.assign(
        p_value=run.martingale["test"].map(
            {"sign_flip": 0.1, "equivalence": 0.2, "mcnemar_vote": 0.3}
        )
    )
    table = study_tables.table_martingale(replace(run, martingale=tests).artefacts, VIEW)
    rows = named(table)
    assert [(row["Bank"], row["Condition"], row["Rounds"]) for row in rows] == [
        (bank, condition, rounds)
        for bank in ("choice", "numeric")
        for condition in ("vanilla", "anonymised")
        for rounds in ("0 to 1", "1 to 2")
    ]
    tested = [rows[0][name] for name in ("p, sign-flip", "p, equivalence", "p, McNemar")]
    assert tested == ["0.100", "0.200", "0.300"]
    assert rows[0]["Change in mean accuracy"] == "0.010 [-0.030, 0.050] †"
    assert rows[0]["Change in votes won"] == "0.010"
    assert rows[0]["Equivalence"] == "not shown"
    assert "it says nothing of one agent, nor of the majority vote" in table.note
    # Of a run of one bank, all banks are that bank.
    one = run_of(1, 1)
    pooled = pd.concat([one.martingale, one.martingale.assign(bank="all")])
    both = replace(one, martingale=pooled).artefacts
    assert len(study_tables.table_martingale(both, VIEW).rows) == 4


def test_table_conduct_counts_sessions_and_answers() -> None:
    run = run_of(3, 2)
    found = estimates(run)
    rows = {
        (row["Team"], row["Bank"]): row
        for row in named(study_tables.table_conduct(run.artefacts, VIEW))
    }
    last = rows["deferring-4", "numeric"]
    # The last session of the manifest was lost; its team holds no openings of its own.
    assert last["Complete, anonymised"] == "23 of 24"
    assert last["Complete, opening"] == last["Complete, vanilla"] == "24 of 24"
    # One answer of five was not read in one question of 24.
    assert last["Unparsed, vanilla"] == last["Unparsed, opening"] == f"{100 * 0.2 / 24:.1f}%"
    assert last["Unparsed, anonymised"] == f"{100 * 0.2 / 23:.1f}%"
    kept = found.get("deferring-4", "numeric", "ibc", "difference", policy="keep")["estimate"]
    assert last["IBC, unparsed kept"].startswith(f"{kept:.3f} [")


def test_table_power_has_the_questions_of_every_bias() -> None:
    run = run_of(2, 2)
    rows = named(study_tables.table_power(run.artefacts, VIEW))
    assert [(row["Team"], row["Bank"]) for row in rows[:3]] == [
        ("deferring", "choice"),
        ("deferring", "numeric"),
        ("deferring", "all banks"),
    ]
    assert (rows[0]["SD"], rows[0]["Complete"], rows[0]["Needed, |IBC| 0.10"]) == (
        "0.500",
        "24",
        "197",
    )
    empty = study_tables.table_power(replace(run, power=run.power.iloc[:0]).artefacts, VIEW)
    assert empty.rows == () and "does not tell" in empty.note


def test_every_table_of_a_run_is_complete() -> None:
    run = run_of(3, 1)
    tables = [resolve(declared.maker)(run.artefacts, VIEW) for declared in TABLES]
    assert [table.name for table in tables] == [declared.name for declared in TABLES]
    page = as_page(tables, "Tables")
    for table in tables:
        text = as_markdown(table)
        assert f'<div class="wide"><table id="{table.name}"' in page
        assert "nan" not in text.lower(), table.name
        assert ("Simulated models." in text) is (table.name != "table_printed"), table.name
    # A line may end before an interval, not in it nor before its mark.
    assert "]\u00a0†" in page and "] †" not in page
    assert re.search(r"\d \[-?0\.\d+,\u00a0-?0\.\d+\]", page)
    assert not re.search(r"\[-?0\.\d+, ", page)
    template = (ROOT / "studies/identity/captions/tables.rst").read_text(encoding="utf-8")
    assert f"{len(TABLES)} tables" in captions.fill(template, caption_facts(tables), True)


def test_a_run_without_numbers_still_has_its_tables() -> None:
    run = run_of(2, 1)
    blank = run.estimates.assign(estimate=np.nan, se=np.nan, ci_low=np.nan, ci_high=np.nan, n=0)
    empty, real = replace(run, estimates=blank).artefacts, replace(VIEW, simulated=False)
    for table in (
        paper_tables.table_1(empty, real),
        paper_tables.table_2(empty, VIEW),
        paper_tables.table_7(empty, VIEW),
    ):
        text = as_markdown(table)
        assert "nan" not in text and "–" in text
    assert "Simulated" not in as_markdown(paper_tables.table_1(empty, real))
