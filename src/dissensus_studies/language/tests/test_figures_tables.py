"""Tables recomputed by hand from small frames, captions, and the speeches side by side."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from docutils.core import publish_parts
from scipy import stats

from dissensus.report import captions, labels
from dissensus.report.facts import Facts
from dissensus.report.tables import Table, as_csv, as_markdown, caption_facts
from dissensus.report.view import View
from dissensus.study.makes import resolve
from dissensus.tables.seal import BLANK_SEAL, seal

from ..figures import (
    FIGURES,
    TABLES,
    paired_effects,
    paper_tables,
    printed,
    speeches,
)
from ..figures.frames import read_draws
from ..figures.headline import state
from ..inference.effect import estimate_language_effect
from .figure_frames import (
    INFERENCE,
    LOOKED_AT,
    REAL,
    VIEW,
    Run,
    looked_at,
    make_renderings,
    make_run,
)
from .inference_frames import MEASURES

TEMPLATES = Path(__file__).parents[1] / "captions"


@cache
def run_of_two() -> Run:
    return make_run(20, 4, ("en", "zh"))


@cache
def run_of_three() -> Run:
    return make_run(12, 3, ("en", "zh", "fr"))


def every_table(run: Run, view: View = VIEW) -> list[Table]:
    return [resolve(declared.maker)(run.artefacts, view) for declared in TABLES]


def differences_of(run: Run, column: str) -> np.ndarray:
    wide = run.metrics.pivot(index="draw_id", columns="language", values=column).dropna()
    return (wide["zh"] - wide["en"]).to_numpy()


def test_table_1_by_hand() -> None:
    run = run_of_two()
    d = differences_of(run, "hi_z")
    rows = {row[2]: row[3:] for row in paper_tables.table_1(run.artefacts, VIEW).rows[:3]}
    as_read = rows["Paired difference, the paper's index"]
    assert as_read[-1] == str(len(d)) == "19"
    assert as_read[0] == f"{d.mean():.3f}"
    # What reads .02 more in Chinese does so by each part's English spread.
    english = run.metrics[run.metrics["language"] == "en"]
    offset = (0.02 / english["s_lex"].std() + 0.02 / english["s_sem"].std()) / 2
    assert rows["Instrument offset"][0] == f"{offset:.3f}"
    assert rows["Effect net of the instrument"][0] == f"{d.mean() - offset:.3f}"
    assert next(iter(rows)) == "Effect net of the instrument"


def test_tables_of_a_study_that_may_stop_have_its_last_look_and_say_its_scale() -> None:
    run = looked_at(run_of_two())
    table = paper_tables.table_1(run.artefacts, LOOKED_AT)
    net = next(row for row in table.rows if row[2] == "Effect net of the instrument")
    assert (net[3], net[4], net[6]) == ("0.600", "[0.100, 1.100]", "0.020")
    assert "anew" not in table.note and "first block as read in English" in table.note
    methods = paper_tables.table_7(run.artefacts, LOOKED_AT)
    assert any("at all looks" in row[2] for row in methods.rows)
    assert "fitted once in all of them" in methods.note
    for made in every_table(run, LOOKED_AT):
        assert "refits" not in made.note and "refitted" not in made.note


def test_table_1_adds_rows_for_a_further_language() -> None:
    rows = paper_tables.table_1(run_of_three().artefacts, VIEW).rows
    assert list(dict.fromkeys(row[0] for row in rows)) == ["Chinese − English", "French − English"]
    assert len(rows) == 2 * len(paper_tables.table_1(run_of_two().artefacts, VIEW).rows)


def test_table_2_by_hand() -> None:
    run = run_of_two()
    wide = run.metrics.pivot(index="draw_id", columns="language", values="hi_z").dropna()
    numbers = run.metrics.drop_duplicates("draw_id").set_index("draw_id")["domain_id"]
    means = wide.mean(axis=1).groupby(numbers.reindex(wide.index)).agg(["mean", "count", "std"])
    table = paper_tables.table_2(run.artefacts, VIEW)
    ordered = means.sort_values("mean", ascending=False)
    assert [row[0] for row in table.rows] == [str(domain) for domain in ordered.index]
    mean, n, sd = ordered.iloc[0]
    half = stats.t.ppf(0.975, n - 1) * sd / n**0.5
    assert table.rows[0][2:5] == (str(int(n)), f"{mean:.3f}", labels.span(mean - half, mean + half))


def test_tables_3_to_6_count_the_manifest() -> None:
    run = run_of_two()
    draws = run.manifest.drop_duplicates("draw_id")
    by_domain = {row[0]: row[2:] for row in paper_tables.table_3(run.artefacts, VIEW).rows}
    for domain, count in draws["domain_id"].value_counts().items():
        assert by_domain[str(domain)] == (str(count), f"{count / 20:.2f}")
    assert by_domain[""] == ("20", "1.00")
    first = draws["language_order"].str.startswith("en").sum()
    assert paper_tables.table_4(run.artefacts, VIEW).rows[0][:4] == (
        "en_first",
        str(first),
        f"{first / 20:.2f}",
        "10",
    )
    roles = paper_tables.table_5(run.artefacts, VIEW)
    assert roles.rows[0][1] == str((draws["P1"] == "model-a").sum())
    assert {row[-1] for row in roles.rows} == {"20"}
    attempts = paper_tables.table_6(run.artefacts, VIEW)
    once = int((run.outcomes["attempts"] == 1).sum())
    assert attempts.rows[0][:4] == ("1", str(once), f"{once / 40:.3f}", f"{once / 40:.3f}")
    assert attempts.rows[-1][1] == "40"


def test_table_7_names_the_methods_of_the_paper_and_all_others() -> None:
    table = paper_tables.table_7(run_of_two().artefacts, VIEW)
    methods = [row[2] for row in table.rows]
    for name in ("Paired diff.", "Paired t-test", "Sign-flip test"):
        assert sum(method.startswith(f"{name} (") for method in methods) == 2
    d = differences_of(run_of_two(), "hi_z")
    row = next(row for row in table.rows if row[2].startswith("Paired t-test"))
    low, high = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
    assert row[4:] == (
        f"{d.mean():.3f}",
        labels.span(low, high),
        labels.p_value(stats.ttest_1samp(d, 0).pvalue),
    )


def test_every_table_says_simulated_but_that_of_the_coders() -> None:
    for table in every_table(run_of_three()):
        coders = table.name == "table_reliability"
        assert ("Simulated models." in table.note) is not coders, table.name
        assert "nan" not in as_csv(table).lower().replace("finance", ""), table.name
    assert not any("Simulated" in as_markdown(table) for table in every_table(run_of_two(), REAL))


#: Table 2 as printed: domain_id -> N, mean, low, high.
TABLE_2 = {
    6: (8, 0.812, 0.723, 0.902),
    9: (10, 0.803, 0.708, 0.897),
    1: (12, 0.786, 0.708, 0.864),
    8: (12, 0.785, 0.667, 0.903),
    4: (9, 0.756, 0.653, 0.859),
    7: (8, 0.745, 0.654, 0.835),
    2: (13, 0.736, 0.635, 0.837),
    3: (16, 0.717, 0.648, 0.785),
    10: (11, 0.647, 0.556, 0.738),
}
TABLE_1 = {"n": 99, "ate": 0.499, "low": 0.442, "high": 0.556}
TABLE_5 = ((24, 24, 23, 29), (27, 24, 23, 26), (24, 23, 29, 24), (25, 29, 25, 21))


def of_paper(row: str) -> str:
    """What the paper printed."""
    return printed.PAPER.rows[row][1]


def implied(row: str) -> str:
    """What is said to follow from it."""
    return printed.PAPER.rows[row][2]


class TestImpliedByThePaper:
    """Each implied number derived again from the printed ones alone."""

    def test_effect(self) -> None:
        one = TABLE_1
        se = (one["high"] - one["low"]) / 2 / stats.t.ppf(0.975, one["n"] - 1)
        t = one["ate"] / se
        expected = f"SE {se:.4f}, t {t:.2f}, d_z {t / one['n'] ** 0.5:.3f} (t interval, 98 df)"
        assert expected == implied("interval")

    def test_means_and_ceiling(self) -> None:
        total = sum(n for n, *_ in TABLE_2.values())
        both = sum(n * mean for n, mean, *_ in TABLE_2.values()) / total
        assert total == 99
        assert implied("mean_both").startswith(f"{both:.3f}"[:4])
        assert both == pytest.approx(0.750495, abs=1e-6)
        assert implied("mean_reference").startswith(f"{both - 0.2495:.3f}")
        assert implied("mean_language").startswith(f"{both + 0.2495:.3f}")

    def test_omnibus(self) -> None:
        groups = [
            (n, mean, (high - low) / 2 / stats.t.ppf(0.975, n - 1) * n**0.5)
            for n, mean, low, high in TABLE_2.values()
        ]
        n, mean, sd = (np.array(column, dtype=float) for column in zip(*groups, strict=True))
        grand = (n * mean).sum() / n.sum()
        f = ((n * (mean - grand) ** 2).sum() / 8) / (((n - 1) * sd**2).sum() / 90)
        p = stats.f.sf(f, 8, 90)
        assert implied("omnibus").startswith(f"ANOVA F(8, 90) = {f:.3f}, p = {p:.3f}")
        low, high = n == 11, n == 8
        assert low.sum() == 1 and high.sum() == 2
        first = list(TABLE_2).index(6)
        last = list(TABLE_2).index(10)
        welch = stats.ttest_ind_from_stats(
            mean[first], sd[first], n[first], mean[last], sd[last], n[last], equal_var=False
        ).pvalue
        assert f"Welch p = {welch:.3f}" in implied("picked")
        every = [
            stats.ttest_ind_from_stats(
                mean[i], sd[i], n[i], mean[j], sd[j], n[j], equal_var=False
            ).pvalue
            for i, j in combinations(range(9), 2)
        ]
        smallest = stats.false_discovery_control(every).min()
        assert f"smallest of 36 by BH {smallest:.3f}" in implied("picked")

    def test_design(self) -> None:
        chi = stats.chisquare([int(n) for n in of_paper("domain_counts").split(", ")])
        said = f"chi-square {chi.statistic:.2f}, df 8, p = {chi.pvalue:.3f}"
        assert said == implied("domain_counts")
        assert f"{stats.binomtest(62, 100).pvalue:.3f}" in implied("order")
        squares = ((np.array(TABLE_5) - 25) ** 2).sum()
        q = 3 / 100 * squares
        assert implied("casts") == (
            f"sum of squared deviations {squares}, Q {q:.2f}, df 9, p = {stats.chi2.sf(q, 9):.3f}"
        )
        shares = ", ".join(f"{n / 200:.3f}" for n in map(int, of_paper("attempts").split(", ")))
        assert shares == implied("attempts")
        upper = stats.binomtest(0, 99).proportion_ci(0.95, "exact").high
        assert f"{100 * upper:.2f}%" in implied("compliance")


def test_the_paper_table_marks_whose_numbers_are_whose() -> None:
    run = run_of_two()
    table = printed.table_paper(run.artefacts, VIEW)
    assert table.columns[1:] == ("Paper, as printed", "Implied by the printed numbers", "This run")
    assert "not ours" in table.note
    ate = next(row for row in table.rows if row[0].startswith("ATE"))
    assert ate[1] == "0.499"
    assert ate[3] == f"{differences_of(run, 'hi_normal_cdf').mean():.3f}"
    said = " ".join(" ".join(row) for row in table.rows)
    for fact in ("V3.1 in Table 5", "1 of 100 is 1.0%", "promised for the appendix"):
        assert fact in said


def test_captions_are_filled_and_are_clean_restructured_text() -> None:
    for run in (run_of_two(), run_of_three()):
        said = {one.name: resolve(one.maker)(run.artefacts, VIEW).facts for one in FIGURES}
        said["recycled_speeches"] = said["reuse"]
        said["tables"] = caption_facts(every_table(run))
        for name, values in said.items():
            text = captions.fill((TEMPLATES / f"{name}.rst").read_text(), values, True)
            assert "{" not in text and "nan" not in text.lower(), name
            assert text.endswith(f"*{captions.SIMULATED}*\n")
            publish_parts(text, writer="html", settings_overrides={"halt_level": 2})


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.languages: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.languages += [str(value) for name, value in attrs if name == "lang"]
        self.links += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_most_recycled_speeches_stand_side_by_side() -> None:
    run = run_of_two()
    motions = dict(zip(run.manifest["draw_id"], run.manifest["motion_id"], strict=True))
    found = speeches.sections(run.artefacts.facts("reuse"), run.turns, run.pool, motions, VIEW)
    heading, comparisons = found[0]
    assert heading.startswith("Most recycled: draw d001, P1, in English (0.900). This House Would")
    english, chinese = comparisons
    assert english.first.passages == (("Empty homes should house people first.", 1),)
    assert english.second.passages == english.first.passages
    assert chinese.characters < 0.9 and all(index == 0 for _, index in chinese.second.passages)
    html = speeches.as_html(found, VIEW)
    checker = _Checker()
    checker.feed(html)
    # Those of the head that all pages have.
    assert checker.open == [] and checker.links == ["#content", "../index.html"]
    assert set(checker.languages) == {"en", "zh-Hans"}
    assert "<mark>Empty homes should house people first.<sup>1</sup></mark>" in html
    assert "another thing &lt;b&gt;" in html
    assert html.count("Simulated models") == 1
    assert "<b>Empty homes should house people first.</b>" in speeches.as_markdown(found, VIEW)


def test_passages_are_found_in_long_texts_where_autojunk_would_lose_them() -> None:
    shared = "the same forty letters stand in both texts"
    first = "abcdefgh " * 40 + shared
    second = shared + " ijklmnop" * 40
    assert (360, 0, len(shared)) in speeches.shared_passages(first, second, 12)


def test_no_pair_of_speeches_gives_no_section() -> None:
    run = run_of_two()
    alone = run.reuse[(run.reuse["draw_id"] == "d020")]
    motions = dict(zip(run.manifest["draw_id"], run.manifest["motion_id"], strict=True))
    assert alone["language"].nunique() == 1
    both = run.reuse[run.reuse["draw_id"].ne("d020")].iloc[:0]
    assert speeches.sections(Facts("reuse", both, ()), run.turns, run.pool, motions, VIEW) == []


def test_the_speeches_of_some_draws_are_read_alone(tmp_path: Path) -> None:
    frame = run_of_two().turns
    wanted = sorted(set(frame["draw_id"]))[1:3]
    # In several row groups, as a long run's is.
    table = pa.Table.from_pandas(frame).replace_schema_metadata(BLANK_SEAL)
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=5)
    seal(data := bytearray(written.getvalue()))
    (tmp_path / "turns.parquet").write_bytes(data)
    found = read_draws(tmp_path / "turns.parquet", wanted)
    expected = frame[frame["draw_id"].isin(wanted)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected)
    assert read_draws(tmp_path / "turns.parquet", []).empty


def without_translator(run: Run) -> Run:
    """No text was measured in both languages."""
    none = make_renderings(run.metrics, ("en", "zh")).iloc[:0]
    effect = estimate_language_effect(run.metrics, none, "en", INFERENCE, MEASURES, 1)
    return replace(run, effect=pd.DataFrame(effect))


def test_a_run_without_translator_has_no_objection_to_what_it_does_not_claim() -> None:
    run = run_of_two()
    assert any("The median of its" in text for text in state(run.artefacts, VIEW).against)
    bare = without_translator(run)
    told = state(bare.artefacts, VIEW)
    assert ", as read" in told.headlines[0]
    assert not [text for text in told.against if "specification" in text or "median" in text]
    said = paired_effects.describe(bare.artefacts, VIEW)
    assert said["kind"].startswith("Not net") and "instrument" not in said["interval"]
    assert "fits the anchors anew" in said["interval"]


def test_table_7_names_the_method_of_its_headline() -> None:
    run = run_of_two()
    net, read = (
        paper_tables.table_7(each.artefacts, VIEW).note for each in (run, without_translator(run))
    )
    assert "The headline: mean difference less the instrument's offset, studentised boot" in net
    assert "The headline: mean difference, studentised bootstrap over motions with" in read
    assert "CR2" not in net and "CR2" not in read
