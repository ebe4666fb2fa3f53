"""What readers see: the paper's tables and figures in their shape, whatever a run left out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dissensus.report.facts import unmarked
from dissensus.report.labels import arm_words
from dissensus.report.tables import Table, as_markdown
from dissensus.report.view import View
from dissensus.study.makes import resolve
from drawn import said_by
from marking import thorough_but

from ..figures import FIGURES, TABLES
from ..figures.headline import state
from ..figures.learned_tables import learned_arms
from ..figures.printed import STRATEGIES, smallest_mean, too_dogmatic
from ..inference import PLANTED
from ..outcomes import OUTCOMES
from .consensus_frames import ARMS, OTHERS, VIEW, Frames, make_run


def table(name: str, run: Frames | None = None, view: View = VIEW) -> Table:
    (declared,) = [one for one in TABLES if one.name == name]
    made: Table = resolve(declared.maker)((run or make_run()).artefacts, view)
    return made


def test_table_2_has_the_paper_s_columns_and_the_means_of_the_metrics() -> None:
    made, run = table("table_2"), make_run()
    assert [row[:2] for row in made.rows[:4]] == [
        ("city", "debate"),
        ("city", "again"),
        ("city", "compromise"),
        ("city", "always Agree"),
    ]
    own = run.metrics[(run.metrics["domain"] == "city") & (run.metrics["arm"] == "compromise")]
    cells = dict(zip(made.columns, made.rows[2], strict=True))
    for column, outcome, factor in (
        ("Agreement %", "agreement", 100),
        ("Consensus round", "consensus_round", 1),
        ("Dogmatic %", "dogmatic", 100),
        ("Sycophancy %, of opportunities", "sycophancy", 100),
    ):
        shown = float(cells[column].split(" ")[0])
        assert shown == pytest.approx(factor * own[outcome].astype(float).mean(), abs=0.051)
    debated = run.manifest[run.manifest["kind"] == "debate"]
    drawn = debated[debated["domain"] == "city"]["statement_id"].unique()
    truth = run.statements.set_index("statement_id").loc[drawn]
    always = ((truth["truth_low"] <= 3) & (truth["truth_high"] >= 3)).mean()
    assert dict(zip(made.columns, made.rows[3], strict=True))["GT match"] == f"{always:.2f}"


def test_table_3_has_the_baselines_and_says_what_the_weighted_vote_matches() -> None:
    made = table("table_3")
    assert {row[1] for row in made.rows} == {"compromise", "reconcile", "ccagent", "always Agree"}
    assert "By its confidence-weighted vote, ReConcile matches" in made.note


def test_contrasts_stand_beside_what_was_planted() -> None:
    made, run = table("table_contrasts"), make_run()
    cells = dict(zip(made.columns, made.rows[1], strict=True))
    planted = run.planted.set_index(["domain", "arm", "outcome"])["effect"]
    assert cells["Arm"] == "compromise"
    assert cells["Planted"] == f"{100 * planted['all', 'compromise', 'agreement']:.1f}"
    # Real agents have no planted value, and the table says nothing of one.
    real = replace(run, planted=run.planted.iloc[:0])
    assert {row[3] for row in table("table_contrasts", real).rows} == {"–"}


def test_eleven_printed_rows_have_more_dogmatic_agents_than_disagree() -> None:
    records = STRATEGIES.records
    rows = [row for row in records if too_dogmatic(row["agreement"], row["dogmatic"])]
    assert len(rows) == 11 and len(records) == 34
    assert sum(row["domain"] == "Politics" for row in rows) == 9
    made = table("table_printed")
    assert sum(row[6] == "NO" for row in made.rows) == 11
    assert "11 of 34 rows have more" in made.note
    # Ten shares are below one of all switches; one is below any mean over debates that is not 0.
    assert sum(row[10] == "NO" for row in made.rows) == 10
    assert [row[1:3] for row in made.rows if row[12] == "NO"] == [("Politics", "Debate")]
    assert smallest_mean(0.71, "Politics") == pytest.approx(100 / 90)
    # As a share of opportunities every printed sycophancy is possible, whatever N.
    for row in records:
        opportunities = (4 if row["domain"] == "City planning" else 5) * row["consensus_round"]
        assert row["sycophancy"] <= 100 * row["switches"] / opportunities


@pytest.mark.parametrize("lost", thorough_but([0, 1, 48], 1))
def test_a_run_with_lost_sessions_is_shown_with_its_attrition(lost: int) -> None:
    run = make_run(3, lost)
    assert (run.manifest["kind"] == "debate").sum() == 48
    for figure in FIGURES:
        drawn = resolve(figure.maker)(run.artefacts, VIEW)
        assert drawn.figure.get_axes()
        if "attrition" in said_by(drawn):
            arms = learned_arms(VIEW) if figure.name == "learned" else VIEW.arms
            own = run.metrics[run.metrics["arm"].isin(arms)]
            share = f"{int(own['complete'].sum())} of {len(own)} debates"
            assert said_by(drawn)["attrition"] == share
    for one in TABLES:
        assert as_markdown(table(one.name, run))


def test_figures_without_planted_values_have_none_in_their_legend() -> None:
    none = pd.DataFrame({name: [] for name in PLANTED.columns})
    unknown = make_run().ablations.assign(true=np.nan, power=np.nan)
    own = none.astype({"true": float, "effect": float})
    run = replace(make_run(), planted=own, ablations=unknown)
    for figure in FIGURES:
        for planted, shown in ((run, False), (make_run(), True)):
            made = resolve(figure.maker)(planted.artefacts, VIEW).figure
            words = [text.get_text() for legend in made.legends for text in legend.get_texts()]
            assert ("planted" in words) is shown, figure.name


@pytest.mark.parametrize("name", ["effects", "parts"])
def test_the_number_of_all_domains_stands_in_the_figure(name: str) -> None:
    """The headline is over all domains: its number is read where it is said to be."""
    run = make_run()
    figure = next(figure for figure in FIGURES if figure.name == name)
    axes = resolve(figure.maker)(run.artefacts, VIEW).figure.axes[0]
    frame = run.contrasts if name == "effects" else run.ablations
    rows = frame.query(
        "outcome == 'agreement' and domain == 'all' and method == 'cluster_robust'"
    ).set_index("arm")["estimate"]
    printed = {round(text.xy[1]): text.get_text() for text in axes.texts if hasattr(text, "xy")}
    names = {
        round(place): label.get_text()
        for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    }
    assert len(printed) == len(names)
    for place, arm in names.items():
        expected = rows.loc[[arm.replace(" ", "_")]]
        told = {
            f"{100 * value:+.1f}".replace("-", "−").replace("−0.0", "+0.0") for value in expected
        }
        assert printed[place] in told, arm


def test_the_null_arm_is_named_in_the_caption() -> None:
    facts = said_by(resolve(FIGURES[0].maker)(make_run().artefacts, VIEW))
    assert facts["null"].startswith("again ") and "planted" in facts["null"]
    alone = View.of({**VIEW.settings, "compared": [name for name in ARMS if name != "again"]}, True)
    run = make_run()
    own = replace(run, contrasts=run.contrasts[run.contrasts["arm"] != "again"])
    assert resolve(FIGURES[0].maker)(own.artefacts, alone).facts["null"] == "this run has none"
    assert np.isfinite(run.planted["effect"]).sum() > 50


def test_the_card_says_how_many_arms_are_not_told_from_the_largest() -> None:
    """One that is named alone would be taken for all that there are."""
    run = make_run()
    alone = state(run.artefacts, VIEW).card
    assert alone is not None and "no clear difference from reconcile; " in unmarked(alone.but)
    smaller = run.contrasts["headline"] & (run.contrasts["arm"] == "ccagent")
    lowered = run.contrasts.assign(estimate=run.contrasts["estimate"].mask(smaller, 0.3))
    several = state(replace(run, contrasts=lowered).artefacts, VIEW).card
    assert several is not None
    assert "no clear difference from ccagent and 1 other arm; " in unmarked(several.but)


def test_the_headline_is_the_largest_contrast_and_the_null_arm_speaks_against() -> None:
    run = make_run()
    found = state(run.artefacts, VIEW)
    own = run.contrasts
    own = own[own["headline"] & (own["arm"] != "again")].set_index("arm")
    largest = own.loc[own["estimate"].abs().idxmax()]
    said, ended, worth = map(unmarked, found.headlines)
    parts = run.ablations.query("question == 'ablation' and outcome == 'agreement'")
    parts = parts[(parts["domain"] == "all") & (parts["method"] == "cluster_robust")]
    least = parts.loc[parts["estimate"].idxmin()]
    words = f"costs most of the {OUTCOMES['agreement'].named}: {least['arm'].replace('_', ' ')} "
    assert words in worth
    number = f"{100 * largest['estimate']:+.1f}".replace("-", "\N{MINUS SIGN}")
    assert f"hold for all arms together, is {largest.name} {number} (" in said
    # Arms of the same size are named with it.
    equal = own[own["estimate"].abs() == abs(largest["estimate"])]
    assert all(f"{arm_words(arm)} " in said for arm in equal.index)
    planted = run.planted.set_index(["domain", "arm", "outcome"])["effect"]
    truth = 100 * planted["all", largest.name, "agreement"]
    assert f"planted {truth:+.1f}".replace("-", "\N{MINUS SIGN}") in said
    assert any("can have no effect: again " in one for one in found.against)
    # Debates that agree are another outcome, which is read from its own column.
    agreed = run.contrasts.query("domain == 'all' and outcome == 'consensus'").set_index("arm")
    agreed = agreed.loc[agreed["method"] == "cluster_robust", "estimate"][largest.name]
    signed = f"{100 * agreed:+.1f}".replace("-", "\N{MINUS SIGN}")
    assert f"Share of debates that end in one vote of all agents, {largest.name} " in ended
    assert f": {signed} [" in ended
    # Real agents have no planted value, and a design without a null arm says nothing of one.
    real = replace(run, planted=run.planted[:0])
    compared = [name for name in ARMS if name != "again"]
    without = View(VIEW.study, {**VIEW.settings, "compared": compared}, simulated=False)
    other = state(real.artefacts, without)
    assert "planted" not in other.headlines[0]
    assert not any("another name" in one for one in other.against)


@pytest.mark.parametrize("name", ["behaviour", "course", "effects"])
def test_captions_name_no_arm_that_is_not_drawn(name: str) -> None:
    run, (figure,) = make_run(), [one for one in FIGURES if one.name == name]
    reference = VIEW.reference
    for arm in (one for one in ARMS if one != reference):
        view = View(VIEW.study, {**VIEW.settings, "compared": [reference, arm]}, simulated=True)
        said = " ".join(said_by(resolve(figure.maker)(run.artefacts, view)).values())
        words = {other: arm_words(other) for other in ARMS if other not in (reference, arm)}
        named = [other for other, word in words.items() if re.search(rf"\b{word} [−+]?\d", said)]
        assert named == [], arm


def test_the_full_column_of_table_13_is_ccagent_s_row_of_table_3() -> None:
    full, rows = table("table_13"), table("table_3")
    assert full.columns[-1] == "CCAgent"
    for domain in ("city", "politics"):
        column = [row[-1] for row in full.rows if row[0] == domain]
        (own,) = [row for row in rows.rows if row[:2] == (domain, "ccagent")]
        assert column == list(own[3:])


def test_table_10_has_one_arm_of_each_model_and_no_second_names() -> None:
    made = table("table_10")
    assert [row[2] for row in made.rows[:3]] == ["debate", "reconcile", "ccagent"]
    assert {row[1] for row in made.rows} == {"consensus-agent"} and len(made.rows) == 6


def test_the_table_of_ablations_says_what_the_claim_came_to() -> None:
    made, run = table("table_ablations"), make_run()
    asked = [row[:2] for row in made.rows]
    assert ("A part left out", "no rationale \N{MINUS SIGN} ccagent") in asked
    assert ("Examples of another domain", "elsewhere \N{MINUS SIGN} debate") in asked
    assert "has to win all of them" in made.note
    alone = replace(run, ablations=run.ablations[run.ablations["question"] != "counterfactuals"])
    assert "cannot be tested here" in table("table_ablations", alone).note


def test_table_12_has_a_column_for_each_condition_and_table_1_a_row_for_each_agent() -> None:
    assert table("table_12").columns == ("Domain", "few shot")
    assert table("table_12").rows[0] == ("city", "0.50 [0.40, 0.60]")
    assert [row[:2] for row in table("table_1").rows] == [
        ("city", "ngo"),
        ("city", "all"),
        ("politics", "all"),
    ]


def test_a_run_in_which_nobody_learns_is_shown_without_ablations() -> None:
    run = make_run()
    none = replace(run, ablations=run.ablations[:0], sanity=run.sanity[:0])
    settings = {**VIEW.settings, "arms": OTHERS, "compared": list(OTHERS)}
    view = View.of({**settings, "models_by_arm": dict.fromkeys(OTHERS, "a")}, simulated=True)
    for one in (*FIGURES, *TABLES):
        assert resolve(one.maker)(none.artefacts, view)
