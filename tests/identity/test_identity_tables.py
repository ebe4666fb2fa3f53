"""Tables recomputed by hand from small frames, and the scripts that write them."""

from __future__ import annotations

import csv
import io
import re
import runpy
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dissensus.identity.design.manifest import IDS
from docutils.core import publish_parts
from tests.identity.identity_frames import VIEW, Run, make_run

from dissensus.identity.design.manifest import MANIFEST
from dissensus.identity.figures import model_tables, paper_tables, study_tables
from dissensus.identity.figures.frames import Estimates, read_teams
from dissensus.identity.figures.names import FIGURES, TABLES
from dissensus.identity.inference.dcm import DCM, DCM_TESTS
from dissensus.identity.inference.estimates import ESTIMATES
from dissensus.identity.inference.martingale import MARTINGALE
from dissensus.identity.inference.power import POWER
from dissensus.identity.measures.metrics import METRICS
from dissensus.report import captions
from dissensus.report.tables import Table, as_csv, as_markdown
from dissensus.study.gather import outcomes_schema
from dissensus.study.stage import Stage
from dissensus.tables.artefact import write

ROOT = Path(__file__).parents[2]
SCHEMAS = {
    schema.name: schema
    for schema in (
        MANIFEST,
        METRICS,
        ESTIMATES,
        DCM,
        DCM_TESTS,
        MARTINGALE,
        POWER,
        outcomes_schema(IDS),
    )
}
SETTINGS = {"confidence": 0.95, "ibc_noise": 0.1, "resamples": 2000}

run_of = cache(make_run)


def estimates(run: Run) -> Estimates:
    return Estimates.of(run.estimates)


def named(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(table))))


def test_table_1_by_hand() -> None:
    run = run_of(4, 2)
    found = estimates(run)
    table = paper_tables.table_1(found, read_teams(run.manifest, found.teams), VIEW)
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
    found = estimates(run_of(1, 1))
    assert not any("all banks" in head for head in paper_tables.table_2(found, VIEW).columns)


def test_table_2_drops_are_relative() -> None:
    found = estimates(run_of(2, 2))
    table = paper_tables.table_2(found, VIEW)
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
    found = estimates(run)
    table = paper_tables.table_3(found, read_teams(run.manifest, found.teams), VIEW)
    assert [row[:3] for row in table.rows] == [
        ("identity-deferring", words, mark)
        for words in ("homogeneous", "heterogeneous")
        for mark in ("✗", "✓", "IBC")
    ]
    plain = paper_tables.table_1(found, read_teams(run.manifest, found.teams), VIEW)
    assert [row[3:] for row in table.rows[:3]] == [row[2:] for row in plain.rows[:3]]
    none = run_of(2, 1)
    without = estimates(none)
    empty = paper_tables.table_3(without, read_teams(none.manifest, without.teams), VIEW)
    assert empty.rows == () and empty.note.startswith("No model has a team without personas")


def test_tables_4_to_6_take_a_team_each_and_the_rest() -> None:
    run = run_of(4, 2)
    found = estimates(run)
    tables = model_tables.tables_4_to_6(found, run.dcm, VIEW)
    assert [table.name for table in tables] == ["table_4", "table_5", "table_6"]
    assert [{row[0] for row in table.rows} for table in tables] == [
        {"deferring"},
        {"deferring-4"},
        {"personas", "stubborn"},
    ]
    fitted = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    for row in named(tables[2]):
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
    few = model_tables.tables_4_to_6(estimates(run_of(1, 1)), run_of(1, 1).dcm, VIEW)
    assert [len(table.rows) for table in few] == [3, 0, 0]
    assert few[2].note.startswith("The run has fewer than 3 teams")


def test_table_7_is_the_vote_of_the_last_round_in_percent() -> None:
    found = estimates(run_of(2, 2))
    rows = named(paper_tables.table_7(found, VIEW))
    assert [row["Anonymize"] for row in rows[:4]] == ["opening", "✗", "✓", "✗ − ✓"]
    for row, (condition, at) in zip(
        rows, (("vanilla", 0), ("vanilla", 2), ("anonymized", 2), ("difference", 2)), strict=False
    ):
        value = 100 * found.get("deferring", "numeric", "vote", condition, at)["estimate"]
        assert row["numeric"].startswith(f"{value:.1f} [")


def fits_of(run: Run) -> model_tables.Fits:
    return model_tables.Fits.of(estimates(run), run.dcm, run.dcm_tests)


def test_weights_are_those_of_the_first_round() -> None:
    run = run_of(2, 2)
    rows = named(model_tables.table_dcm(fits_of(run), VIEW))
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
    alone = named(model_tables.table_dcm(fits_of(run_of(1, 1)), VIEW))
    assert {row["Bank"] for row in alone} == {"choice"}


def test_the_ibc_by_both_definitions() -> None:
    run = run_of(2, 2)
    rows = named(model_tables.table_ibc(fits_of(run), VIEW))
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
    table = model_tables.table_rounds(fits_of(run), VIEW)
    rows = named(table)
    own = run.dcm.set_index(["team", "bank", "condition", "rounds", "method", "parameter"])
    place = ("deferring", "choice", "vanilla", "1-2", "hierarchical", "delta")
    assert rows[0]["Delta, implied"].startswith(f"{own.at[place, 'estimate']:.3f} [")
    assert table.note.startswith("Rounds 1 to 2. ")
    assert "unequal weights and a small LRT p are no sign of identity bias" in table.note
    assert "Simulated anonymised agents" in table.note
    real = model_tables.table_rounds(fits_of(run), replace(VIEW, simulated=False))
    assert "imulated" not in real.note
    single = replace(run, dcm=run.dcm[run.dcm["rounds"] == "1"])
    empty = model_tables.table_rounds(fits_of(single), VIEW)
    assert empty.rows == () and empty.note.startswith("The run has one round alone")


def test_a_fit_that_did_not_end_is_marked() -> None:
    run = run_of(1, 1)
    lost = run.dcm.assign(converged=run.dcm["condition"] != "anonymized")
    for table in (model_tables.table_dcm, model_tables.table_ibc, model_tables.table_rounds):
        rows = named(table(fits_of(replace(run, dcm=lost)), VIEW))
        assert [row["Condition"] for row in rows] == ["vanilla", "anonymised ‡", "difference"]


def test_a_weight_without_an_upper_end_is_not_printed_in_three_hundred_digits() -> None:
    run = run_of(1, 1)
    endless = run.dcm.assign(
        ci_high=np.where(run.dcm["parameter"] == "w_self", 1e300, run.dcm["ci_high"])
    )
    row = named(model_tables.table_dcm(fits_of(replace(run, dcm=endless)), VIEW))[0]
    own = run.dcm[run.dcm["parameter"] == "w_self"].iloc[0]
    assert row["w_self"] == f"{own['estimate']:.3f} [{own['ci_low']:.3f}, ∞)"
    assert row["w_peer"].endswith("]")


def test_table_goodness_shows_observed_and_expected() -> None:
    rows = named(model_tables.table_goodness(estimates(run_of(1, 1)), run_of(1, 1).dcm_tests, VIEW))
    assert rows[0]["agree-stay"] == "512 / 508.1"
    assert rows[0]["disagree-third"] == "15 / 17.6"
    assert (rows[0]["Pearson's X²"], rows[0]["p"], rows[0]["N"]) == ("2.20", "0.410", "720")


def test_table_martingale_has_a_row_a_round_and_claims_nothing_of_the_vote() -> None:
    run = run_of(1, 2)
    tests = run.martingale.assign(
        p_value=run.martingale["test"].map(
            {"sign_flip": 0.1, "equivalence": 0.2, "mcnemar_vote": 0.3}
        )
    )
    table = study_tables.table_martingale(estimates(run), tests, VIEW)
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
    assert len(study_tables.table_martingale(estimates(one), pooled, VIEW).rows) == 4


def test_table_conduct_counts_sessions_and_answers() -> None:
    run = run_of(3, 2)
    found = estimates(run)
    rows = {
        (row["Team"], row["Bank"]): row
        for row in named(
            study_tables.table_conduct(found, run.manifest, run.metrics, run.outcomes, VIEW)
        )
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
    rows = named(study_tables.table_power(run.power, VIEW))
    assert [(row["Team"], row["Bank"]) for row in rows[:3]] == [
        ("deferring", "choice"),
        ("deferring", "numeric"),
        ("deferring", "all banks"),
    ]
    assert (rows[0]["SD"], rows[0]["Held"], rows[0]["Needed, |IBC| 0.10"]) == ("0.500", "24", "197")
    empty = study_tables.table_power(run.power.iloc[:0], VIEW)
    assert empty.rows == () and "does not tell" in empty.note


def test_the_diagnosis_is_a_table_of_its_estimators() -> None:
    row: dict[str, Any] = {"scenario": "ring", "estimator": "hierarchical", "true": 0.429}
    row |= {"mean": 0.431, "bias": 0.002, "sd": 0.033, "rmse": 0.0331}
    frame = pd.DataFrame(
        [
            {**row, "coverage": 0.95, "coverage_mc_se": 0.0154, "replicates": 200},
            {**row, "coverage": np.nan, "coverage_mc_se": np.nan, "replicates": 200},
        ]
    )
    table = study_tables.table_diagnosis(frame)
    assert table.rows[0][2:] == ("0.429", "0.431", "0.002", "0.033", "0.033", "0.950 (0.015)")
    assert table.rows[1][-1] == "–"
    assert table.note.startswith("200 simulated studies a row")


def files(run: Run, folder: Path) -> dict[str, str]:
    """Every frame of a run as an artefact would be found."""
    found = {}
    for name, frame in vars(run).items():
        path = folder / f"{name}.parquet"
        # The frames have no more columns than tables need.
        columns = {column: SCHEMAS[name].columns[column] for column in frame}
        schema = replace(SCHEMAS[name], columns=columns)
        write(path, schema, frame, {})
        found[name] = str(path)
    return found


def script(name: str) -> Any:
    return runpy.run_path(str(ROOT / f"workflow/scripts/identity/{name}.py"))["main"]


def test_the_scripts_write_what_the_names_list(tmp_path: Path) -> None:
    frames = files(run_of(3, 1), tmp_path)
    stage = Stage(SETTINGS, True, {})
    report = ROOT / "workflow/report"
    tables = SimpleNamespace(
        csv=[str(tmp_path / f"{name}.csv") for name in TABLES],
        markdown=[str(tmp_path / f"{name}.md") for name in TABLES],
        page=str(tmp_path / "index.html"),
        caption=str(tmp_path / "tables.rst"),
    )
    inputs = SimpleNamespace(**frames, caption=str(report / "tabulate_identity.rst"))
    script("tabulate_identity")(inputs, tables, stage)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for name in TABLES:
        text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
        assert f'<div class="wide"><table id="{name}"' in page
        assert "nan" not in text.lower(), name
        assert ("Simulated models." in text) is (name != "table_printed"), name
    # A line may end before an interval, not in it nor before its mark.
    assert "]\u00a0†" in page and "] †" not in page
    assert re.search(r"\d \[-?0\.\d+,\u00a0-?0\.\d+\]", page)
    assert not re.search(r"\[-?0\.\d+, ", page)
    assert f"{len(TABLES)} tables" in (tmp_path / "tables.rst").read_text(encoding="utf-8")

    kinds = {"svg": "svg", "png": "png", "caption": "rst"}
    outputs = {
        f"{name}_{kind}": str(tmp_path / f"{name}.{end}")
        for name in FIGURES
        for kind, end in kinds.items()
    }
    templates = {f"caption_{name}": str(report / f"identity_{name}.rst") for name in FIGURES}
    drawn = SimpleNamespace(**frames, **templates)
    script("plot_identity")(drawn, SimpleNamespace(**outputs), stage)
    assert all(Path(path).stat().st_size for path in outputs.values())
    assert captions.SIMULATED in (tmp_path / "rounds.rst").read_text(encoding="utf-8")


def test_a_run_without_numbers_still_has_its_tables() -> None:
    run = run_of(2, 1)
    blank = run.estimates.assign(estimate=np.nan, se=np.nan, ci_low=np.nan, ci_high=np.nan, n=0)
    found = Estimates.of(blank)
    teams = read_teams(run.manifest, found.teams)
    for table in (
        paper_tables.table_1(found, teams, replace(VIEW, simulated=False)),
        paper_tables.table_2(found, VIEW),
        paper_tables.table_7(found, VIEW),
    ):
        text = as_markdown(table)
        assert "nan" not in text and "–" in text
    assert "Simulated" not in as_markdown(
        paper_tables.table_1(found, teams, replace(VIEW, simulated=False))
    )


def test_the_caption_of_the_diagnosis_is_clean() -> None:
    template = ROOT / "workflow/report/tabulate_identity_diagnosis.rst"
    text = captions.fill(template.read_text(encoding="utf-8"), {"replicates": "200"}, False)
    publish_parts(text, writer="html", settings_overrides={"halt_level": 2})
    assert "200 a row" in text
