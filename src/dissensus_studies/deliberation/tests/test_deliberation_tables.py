"""Tables: every cell is what the frames hold, and what they do not hold is a dash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

from dissensus.report.labels import interval, number
from dissensus.report.tables import Table
from dissensus.study.makes import resolve

from ..figures import TABLES
from .deliberation_frames import ARMS, Run, make_run


def tables_of(run: Run, simulated: bool = True) -> dict[str, Table]:
    view = run.view(simulated)
    return {one.name: resolve(one.maker)(run.artefacts, view) for one in TABLES}


def table_of(run: Run, name: str) -> Table:
    """One of them, without the others."""
    (maker,) = (one.maker for one in TABLES if one.name == name)
    made: Table = resolve(maker)(run.artefacts, run.view())
    return made


def cell(table: Table, column: str, *head: str) -> str:
    rows = [row for row in table.rows if row[: len(head)] == head]
    assert len(rows) == 1
    return rows[0][table.columns.index(column)]


def test_means_by_arm_with_sizes_where_fewer() -> None:
    run = make_run()
    table = table_of(run, "table_arms")
    assert [row[0] for row in table.rows] == [arm.replace("_", " ") for arm in ARMS]
    held = run.metrics[run.metrics["complete"]]
    full = held[held["arm"] == "full"]
    assert cell(table, "Retention", "full") == f"{full['retention_last'].mean():.2f}"
    known = full["correct_last"].notna().sum()
    assert 0 < known < 12
    assert cell(table, "Correct", "full") == f"{full['correct_last'].mean():.2f} ({known})"
    last = run.rounds[(run.rounds["round"] == 5) & (run.rounds["arm"] == "full")]
    assert cell(table, "The same, Miller-Madow", "full") == f"{last['entropy_mm'].mean():.2f}"
    below = [int((last["retention"] < level).sum()) for level in (0.8, 0.65)]
    assert cell(table, "Retention below 0.8 / 0.65", "full") == f"{below[0]} / {below[1]}"
    assert 0 < below[1] < below[0] or below[0] == below[1] > 0
    assert cell(table, "Collapsed (premature)", "full") == f"{len(full)} (1)"
    assert cell(table, "Collapsed (premature)", "emergent") == "0 (0)"
    lost = run.metrics.loc[~run.metrics["complete"], "arm"].iloc[0]
    assert cell(table, "Complete", lost.replace("_", " ")) == "11/12"
    engaged = table_of(run, "table_engagement")
    assert cell(engaged, "Quality", "full") == "–"
    assert cell(engaged, "Undecidable", "full") == f"{full['undecidable'].mean():.2f}"
    assert cell(engaged, "Rival coverage", "full") == f"{full['rival_coverage'].mean():.2f}"
    assert cell(engaged, "Complete", lost.replace("_", " ")) == "11/12"


def test_the_primary_outcome_stands_with_both_tests() -> None:
    run = make_run()
    table = table_of(run, "table_contrasts")
    assert [row[0] for row in table.rows][:2] == ["full", "one target"]
    assert [row[0] for row in table.rows][-1] == "rca − hinted" and len(table.rows) == 12
    rows = run.contrasts.query("outcome == 'retention_last' and arm == 'full'")
    by_method = rows.set_index("method")
    assert cell(table, "Difference", "full") == f"{by_method.loc['cluster_robust', 'estimate']:.3f}"
    assert cell(table, "p (sign flip)", "full") == f"{by_method.loc['sign_flip', 'p_value']:.3f}"
    assert (cell(table, "Draws", "full"), cell(table, "Topics", "full")) == ("12", "8")


def test_other_outcomes_are_rows_and_arms_columns() -> None:
    run = make_run()
    rows = run.contrasts.copy()
    density = (rows["outcome"] == "density_mean") & (rows["reference"] == "emergent")
    rows.loc[density, "p_adjusted"] = np.where(rows.loc[density, "arm"] == "full", 0.04, 0.06)
    table = table_of(replace(run, contrasts=rows), "table_outcomes")
    assert table.columns == ("Outcome", *(row[0] for row in table_of(run, "table_contrasts").rows))
    chosen = rows[density & (rows["method"] == "cluster_robust")].set_index("arm")["estimate"]
    assert cell(table, "full", "Rebuttal density") == number(chosen["full"], 2) + "*"
    assert cell(table, "pid fast", "Rebuttal density") == number(chosen["pid_fast"], 2)
    # No judge scores the reference, and the primary outcome has a table of its own.
    assert not {"Quality", "Retention"} & {row[0] for row in table.rows}


def test_silence_is_told_arm_by_arm_and_in_all() -> None:
    run = make_run()
    table = table_of(run, "table_silence")
    assert len(table.rows) == len(ARMS) + 1 and table.rows[-1][0] == "all arms"
    own = run.contrasts.query("outcome == 'silence_effect'").set_index("arm")
    held = run.metrics[run.metrics["complete"]]
    for arm, name in (("pid", "pid"), ("all", "all arms")):
        assert cell(table, "Effect", name) == number(own.loc[arm, "estimate"])
        shares = held.loc[(held["arm"] == arm) | (arm == "all"), "silent_share"]
        assert cell(table, "Silent", name) == f"{shares.mean():.2f}"
    assert cell(table, "p (Holm)", "all arms") == "–"


def test_hints_stand_beside_each_other() -> None:
    run = make_run()
    table = table_of(run, "table_hints")
    assert [row[0] for row in table.rows] == ["hinted", "rca", "rca − hinted"]
    values = run.metrics.query("arm == 'hinted'")["hint_accepted"].dropna()
    assert table.rows[0][1:4] == (f"{values.mean():.2f}", f"{values.std():.2f}", str(len(values)))
    none = table_of(make_run(3, ("emergent", "pid"), 5, 4), "table_hints")
    assert none.rows == () and none.note.startswith("No session of this run was given a hint.")


def test_calls_are_compared_with_the_design() -> None:
    run = make_run()
    table = table_of(run, "table_calls")
    assert all(row[table.columns.index("As designed")] == "yes" for row in table.rows)
    assert cell(table, "N × R", "full") == "240" == cell(table, "Debater calls", "full")
    metrics = run.metrics.copy()
    metrics.loc[metrics["session_id"] == "t001-full", "debater_calls"] += 1
    wrong = table_of(replace(run, metrics=metrics), "table_calls")
    assert cell(wrong, "As designed", "full") == "NO"


def test_shares_of_references_sum_to_one() -> None:
    run = make_run()
    shares = {"compliance": 0.7, "ambiguous": 0.1, "dangling": 0.15}
    table = tables_of(replace(run, metrics=run.metrics.assign(**shares)))
    row = next(row for row in table["table_references"].rows if row[0] == "full")
    assert row[2:6] == ("70%", "10%", "15%", "5%")


def test_control_ends_where_the_rounds_end() -> None:
    run = make_run()
    table = table_of(run, "table_control")
    assert [row[0] for row in table.rows] == [
        arm.replace("_", " ") for arm in ARMS if "schedule" in ARMS[arm]
    ]
    last = run.rounds.query("arm == 'pid' and round == 5")
    assert cell(table, "β last", "pid") == f"{last['contentiousness'].mean():.2f}"
    assert (cell(table, "Frozen", "pid"), cell(table, "Frozen", "fixed")) == ("12 of 60", "–")
    assert cell(table, "Error last", "fixed") == "–"


def test_quality_gained_on_the_fixed_schedule_is_paired_by_draw() -> None:
    run = make_run()
    table = table_of(run, "table_control")
    wide = run.rounds.query("round == 5").pivot(index="draw_id", columns="arm", values="quality")
    gains = (wide["pid_fast"] - wide["fixed"]).dropna()
    low, high = stats.ttest_1samp(gains, 0.0).confidence_interval(0.95)
    assert cell(table, "Gain", "pid fast") == number(gains.mean(), 2)
    assert cell(table, "95% CI, gain", "pid fast") == interval(low, high, 2)
    assert cell(table, "Gain", "fixed") == "–"
    alone = table_of(make_run(3, ("emergent", "pid"), 5, 4), "table_control")
    assert cell(alone, "Gain", "pid") == "–"


def test_every_pair_of_the_reference_and_means_elsewhere() -> None:
    run = make_run()
    table = table_of(run, "table_pairs")
    assert len(table.rows) == 6 + len(ARMS)
    own = run.pairs.query("arm == 'full'").groupby("round")["jsd"].mean()
    head = ("full", "mean of all pairs")
    assert cell(table, "JSD, 1", *head) == f"{own['first']:.3f}"
    assert cell(table, "JSD, R", *head) == f"{own['last']:.3f}"
    one = run.pairs.query("arm == 'emergent' and agent_a == 'model-a' and agent_b == 'model-c'")
    kl = one.set_index("round")["kl"]
    head = ("emergent", "model-a, model-c")
    assert cell(table, "KL, 1", *head) == f"{kl['first']:.3f}"
    assert cell(table, "KL, R", *head) == f"{kl['last']:.3f}"


def test_leaders_are_counted_by_model() -> None:
    run = make_run()
    table = table_of(run, "table_influence")
    held = run.metrics[run.metrics["complete"]].merge(run.manifest, on="session_id")
    led = [
        cast[int(agent[1:]) - 1]
        for agent, cast in zip(held["top_influencer"], held["cast"], strict=True)
    ]
    share = 100 * led.count("model-b") / len(led)
    assert cell(table, "Leads", "model-b") == f"{share:.1f}".removesuffix(".0") + "%"
    assert cell(table, "Seats", "model-b") == str(len(held))
    assert cell(table, "Left out", "model-b") == "0.120 [0.040, 0.200]"
    assert cell(table, "Left out", "model-a") == "–"
