"""Judges of anybody's: planted biases are found, and what a file cannot tell is named."""

from __future__ import annotations

import csv
import json
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from audited_votes import GRADER, audited, row_of, untold, votes_of
from dissensus.audit.biases import ALL
from dissensus.audit.columns import FIELDS
from dissensus.audit.report import as_text, audit_votes
from dissensus.audit.votes import read_votes
from dissensus.cli import main
from marking import thorough_but
from simulated_votes import COLUMNS, EXAMPLE, simulate, write_votes
from support import ROOT

VOTES = ROOT / "examples/votes/votes.csv"


def test_the_example_is_what_the_simulation_makes(tmp_path: Path) -> None:
    made = write_votes(tmp_path / "votes.csv", simulate(EXAMPLE, 60, 64))
    assert made.read_bytes() == VOTES.read_bytes()


def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    assert "dissensus audit examples/votes/votes.csv --column judge=grader" in page
    assert main(["audit", str(VOTES), "--column", GRADER[0]]) == 0
    head, _, _ = capsys.readouterr().out.partition("\n\n## ")
    assert f"```\n{head}\n```" in page


def test_the_page_lists_each_field_and_statistic() -> None:
    page = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    assert [field for field in FIELDS if f"`{field}`" not in page] == []
    made = {row.statistic for row in audit_votes(read_votes(VOTES, GRADER)).rows}
    assert [name for name in made if f"`{name}`" not in page] == []


def test_planted_biases_are_found_and_no_others() -> None:
    audit = audit_votes(read_votes(VOTES, GRADER))
    named = {(row.judge, row.about): row.favours for row in audit.rows if row.favours}
    assert {pair: what for pair, what in named.items() if pair[0] != ALL} == {
        ("first", "position"): "what is shown first",
        ("pro", "side"): "pro",
        ("wordy", "length"): "the longer",
    }
    low, high = (
        getattr(row_of(audit, "wordy", "log_odds_per_100").value, name)
        for name in ("ci_low", "ci_high")
    )
    assert low < 1.0 < high


@pytest.mark.parametrize("worlds", thorough_but((6, 300), 6))
def test_judges_without_a_bias_are_seldom_named(tmp_path: Path, worlds: int) -> None:
    judges: dict[str, dict[str, float]] = {"one": {}, "two": {}}
    named, of_each = 0, []
    for seed in range(worlds):
        audit = audited(tmp_path, simulate(judges, 25, seed), *GRADER)
        own = [row for row in audit.rows if row.judge != ALL and not np.isnan(row.p_adjusted)]
        assert len(own) == 6
        named += any(row.favours for row in own)
        of_each += [row.value.p_value for row in own]
    # At the level of 5%: the chance of more is below 1 in 1,000.
    assert named <= stats.binom.ppf(0.999, worlds, 0.05)
    assert np.mean(np.array(of_each) < 0.05) < 0.05 + 0.3 / np.sqrt(worlds)


@pytest.mark.parametrize("worlds", thorough_but((10, 100), 10))
def test_motions_that_lean_are_no_bias_of_all_judges(tmp_path: Path, worlds: int) -> None:
    """Judges who share what the motion lends are no more than the motions they judge."""
    judges: dict[str, dict[str, float]] = {f"judge {n}": {} for n in range(8)}
    tests = ("pro_of_following_by_cluster", "pro_of_following")
    found = []
    for seed in range(worlds):
        votes = simulate(judges, 25, 500 + seed, lean=5.0)
        # What judges make of lengths takes longest, and is not looked at.
        rows = [{k: v for k, v in vote.items() if not k.startswith("words")} for vote in votes]
        audit = audited(tmp_path, rows, *GRADER)
        found.append([row_of(audit, ALL, name).value.p_value < 0.05 for name in tests])
    by_cluster, by_pair = np.sum(found, axis=0)
    assert by_cluster <= stats.binom.ppf(0.999, worlds, 0.06)
    # Pairs of one motion are alike: what takes them for independent finds what is not there.
    assert by_pair > stats.binom.ppf(0.999, worlds, 0.06)


@pytest.mark.parametrize("worlds", thorough_but((10, 200), 10))
def test_a_judge_of_a_side_whose_texts_are_longer_is_none_of_length(
    tmp_path: Path, worlds: int
) -> None:
    """What is for is 150 words longer in the mean, and is voted for, whatever its length is."""
    found = 0
    for seed in range(worlds):
        rng, rows = np.random.default_rng(seed), []
        for item in range(60):
            turned, longer = rng.random() < 0.5, int(rng.normal(150, 100))
            a, b = ("y", "x") if turned else ("x", "y")
            words = {"x": 600 + longer, "y": 600}
            winner = a if (rng.random() < 0.8) == (a == "x") else b
            rows.append(f"{item},j,{a},{b},x,y,{words[a]},{words[b]},{winner}")
        audit = audited(
            tmp_path, votes_of(*rows, columns="item,judge,a,b,pro,con,words_a,words_b,winner")
        )
        found += row_of(audit, "j", "log_odds_per_100").value.p_value < 0.05
    assert found <= stats.binom.ppf(0.999, worlds, 0.05)


@pytest.mark.parametrize("worlds", thorough_but((5, 200), 5))
def test_a_judge_with_three_biases_is_named_for_each(tmp_path: Path, worlds: int) -> None:
    judges = {"bad": {"place": -1.0, "side": -1.0, "length": 1.0}}
    found = {"position": 0, "side": 0, "length": 0}
    for seed in range(worlds):
        audit = audited(tmp_path, simulate(judges, 60, 1000 + seed), *GRADER)
        for row in audit.rows:
            if row.favours:
                expected = {"position": "what is shown second", "side": "con"}
                assert row.favours == expected.get(row.about, "the longer")
                found[row.about] += 1
    assert min(found.values()) >= 0.8 * worlds, found


def test_position_by_hand(tmp_path: Path) -> None:
    """Three pairs follow the place, two of them the first; one follows the thing; one has a tie."""
    rows = votes_of(
        *("1,j,x,y,A", "1,j,y,x,A", "2,j,x,y,A", "2,j,y,x,A", "3,j,x,y,B", "3,j,y,x,B"),
        *("4,j,x,y,A", "4,j,y,x,B", "5,j,x,y,tie", "5,j,y,x,A"),
    )
    audit = audited(tmp_path, rows)
    assert row_of(audit, "j", "following").value.estimate == pytest.approx(3 / 4)
    row = row_of(audit, "j", "first_of_following")
    assert (row.value.estimate, row.value.n) == (pytest.approx(2 / 3), 3)
    assert row.value.p_value == pytest.approx(stats.binomtest(2, 3).pvalue - 3 / 8)
    assert "1 pairs with a tie" in row.note
    assert row_of(audit, "j", "tied").value.estimate == pytest.approx(0.1)
    # Six of nine decided votes go to the first.
    assert row_of(audit, "j", "first_of_votes").value.estimate == pytest.approx(6 / 9)


def test_circles_are_counted(tmp_path: Path) -> None:
    """On topic t a judge has a circle of three; on topic u it ranks them."""
    rows = votes_of(
        *("1,j,t,x,y,A", "2,j,t,y,z,A", "3,j,t,z,x,A"),
        *("4,j,u,x,y,A", "5,j,u,y,z,A", "6,j,u,x,z,A"),
        columns="item,judge,topic,a,b,winner",
    )
    row = row_of(audited(tmp_path, rows), "j", "circles")
    assert (row.value.estimate, row.value.n, row.value.n_clusters) == (0.5, 2, 2)


def test_circles_are_those_of_a_search(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pairs = [(t, j, p, q) for t in "tu" for j in "jk" for p, q in combinations("vwxyz", 2)]
    kept = [(*each, rng.choice(["A", "B", "tie"])) for each in pairs if rng.random() < 0.9]
    rows = votes_of(
        *(f"{n},{j},{t},{p},{q},{said}" for n, (t, j, p, q, said) in enumerate(kept)),
        columns="item,judge,topic,a,b,winner",
    )
    beats = {
        (t, j, *((p, q) if said == "A" else (q, p))) for t, j, p, q, said in kept if said != "tie"
    }
    circles = triads = 0
    for t, j, three in product("tu", "jk", combinations("vwxyz", 3)):
        won = [sum((t, j, one, other) in beats for other in three) for one in three]
        triads += sum(won) == 3
        circles += won == [1, 1, 1]
    value = row_of(audited(tmp_path, rows), ALL, "circles").value
    assert triads and (value.n, value.estimate) == (triads, pytest.approx(circles / triads))


def test_items_that_are_numbered_anew_in_each_cluster_are_apart(tmp_path: Path) -> None:
    rows = votes_of("1,j,t,x,y,A", "1,j,u,y,x,A", columns="item,judge,topic,a,b,winner")
    assert "position" in untold(audited(tmp_path, rows))


def test_scores_and_rankings_are_votes(tmp_path: Path) -> None:
    """Three forms of one opinion: x over y, y over z; the interval alpha of scores is by hand."""
    scores = votes_of(
        *("1,j,x,3,1", "1,j,y,2,2", "1,j,z,1,3", "1,k,x,3,2", "1,k,y,2,1", "1,k,z,2,3"),
        columns="item,judge,option,score,position",
    )
    ranks = [
        row | {"rank": {"3": 1, "2": 2, "1": 3}[row.pop("score")]}
        for row in (dict(row) for row in scores)
    ]
    lists = votes_of("1,j,x > y > z", "1,k,x > y = z", columns="item,judge,ranking")
    (tmp_path / "s").mkdir()
    of_scores = audited(tmp_path / "s", scores)
    others = [audited(tmp_path, ranks), audited(tmp_path, lists)]
    key = ["judge", "x", "y", "for_x"]
    for other in others:
        frames = [
            each.votes.pairs[key].sort_values(key).reset_index(drop=True)
            for each in (of_scores, other)
        ]
        pd.testing.assert_frame_equal(*frames)
    assert of_scores.votes.pairs["for_x"].tolist().count(0.5) == 1
    # Within: z differs by 1, D_o = 2/6; all six of mean 13/6: D_e = 2 * 6 * (31 - 169/6) / 30.
    alpha = row_of(of_scores, ALL, "krippendorff_alpha_of_scores").value.estimate
    assert alpha == pytest.approx(1 - (2 / 6) / (2 * (6 * 31 - 169) / (6 * 5)))
    assert row_of(of_scores, "j", "first_of_votes").value.estimate == 1.0
    assert "no circles by construction" in untold(of_scores)["transitivity"]


def test_a_file_that_cannot_tell_says_so(tmp_path: Path) -> None:
    rows = votes_of("1,A", "2,B", "3,A", columns="item,winner")
    audit = audited(tmp_path, rows)
    told = untold(audit)
    about = {"position", "side", "length", "ties", "transitivity", "judges", "dependence"}
    assert set(told) == {*about, "truth", "agreement"}
    assert "No bias can be tested" in as_text(audit)
    one_order = votes_of("1,j,x,y,A", "2,j,x,y,B", "1,k,x,y,A")
    told = untold(audited(tmp_path, one_order))
    assert told["position"] == "no judge votes on the same two things in both orders"
    apart = votes_of("1,j,x,y,A", "2,k,x,y,B")
    assert untold(audited(tmp_path, apart))["agreement"] == "no two judges judge the same thing"


def test_margins_and_scores_of_two_are_votes(tmp_path: Path) -> None:
    margins = votes_of(
        "1,j,x,y,-2", "1,j,y,x,1.5", "2,j,x,y,0", columns="item,judge,pro,con,margin"
    )
    audit = audited(tmp_path, margins, "margin_pro=margin")
    # For y both times: against as con, and as pro.
    assert audit.votes.pairs["for_x"].tolist() == [0.0, 0.0, 0.5]
    assert row_of(audit, "j", "following").value.estimate == 0.0
    two = votes_of("1,j,x,y,7,5", "1,j,y,x,6,6", columns="item,judge,a,b,score_a,score_b")
    assert audited(tmp_path, two).votes.pairs["for_x"].tolist() == [1.0, 0.5]


def test_names_of_an_arena_are_read(tmp_path: Path) -> None:
    rows = votes_of(
        *("1,j,x,y,model_a", "1,j,y,x,model_b", "2,j,x,y,tie (bothbad)", "2,j,y,x,x"),
        columns="question_id,judge,model_a,model_b,winner",
    )
    assert audited(tmp_path, rows).votes.pairs["for_x"].tolist() == [1.0, 1.0, 0.5, 1.0]


def test_an_order_stands_for_names(tmp_path: Path) -> None:
    rows = votes_of("1,j,0,A", "1,j,1,A", "2,j,0,A", "2,j,1,B", columns="item,judge,swapped,winner")
    audit = audited(tmp_path, rows)
    assert row_of(audit, "j", "following").value.estimate == 0.5


@pytest.mark.parametrize(
    ("text", "mapped", "sentence"),
    [
        ("item,judge,winner\n1,all judges,A\n", (), "row 2: judge is 'all judges'"),
        ("item,judge\n1,j\n", (), "has no column that says whom a judge prefers"),
        ("item,judge,winner\n", (), "has no votes"),
        ("item,judge,winner\n1,j,maybe\n", (), "row 2: winner is 'maybe'"),
        ("item,judge,winner\n1,,A\n", (), "row 2: judge is empty"),
        ("item,judge,margin,pro,con\n1,j,1,x,y\n", (), "--column margin_pro=margin"),
        ("item,judge,winner\n1,j,A\n", ("judge=who",), "has no column 'who' for judge"),
        ("item,judge,winner\n1,j,A\n", ("jury=judge",), "write FIELD=NAME"),
        ("item,judge,a,b,winner\n1,j,x,x,A\n", (), "row 2: a is 'x'"),
        ("item,judge,pro,con,a,b,winner\n1,j,x,y,x,z,A\n", (), "neither of the two shown"),
        ("item,judge,pro,con,winner\n1,j,x,y,A\n", (), "no column says which of the two is A"),
        ("item,judge,score_a,score_b\n1,j,inf,2\n", (), "row 2: score_a is 'inf'"),
        ("item,judge,score_a,score_b\n1,j,1e308,2\n", (), "row 2: score_a is '1e308'"),
        ("item,judge,ranking\n1,j,x > x\n", (), "names 'x' twice"),
        ("item,judge,option,rank\n1,j,x,1\n1,j,x,2\n", (), "rates 'x' of '1' twice"),
        ("item,judge,winner,swapped\n1,j,A,0\n1,j,A,1\n1,j,A,2\n", (), "has 3 values"),
        ("item,judge,winner\n1,j,A,B\n", (), "row 2: it has 4 instead of 3 cells"),
    ],
)
def test_a_wrong_file_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    mapped: tuple[str, ...],
    sentence: str,
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text, encoding="utf-8")
    options = [part for each in mapped for part in ("--column", each)]
    assert main(["audit", str(path), *options]) == 1
    told = capsys.readouterr()
    assert sentence in told.err and told.err.count("\n") == 1 and not told.out


def test_hostile_cells_reach_no_terminal_and_no_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = ["=cmd|'/c calc'!A1", "<script>alert(1)</script>", "| # x \u202e"]
    rows = [
        {"item": str(n), "judge": judge, "a": "x", "b": "y", "winner": "AB"[n % 2]}
        for n in range(4)
        for judge in hostile
    ]
    path = write_votes(tmp_path / "votes.csv", rows)
    for ending in ("csv", "json", "md"):
        assert main(["audit", str(path), "--to", str(tmp_path / f"out.{ending}")]) == 0
    shown = capsys.readouterr().out
    assert "\u202e" not in shown and not re.search(r"(?<!\\)<script>", shown)
    assert "\u202e" not in (tmp_path / "out.md").read_text("utf-8")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'" + hostile[0] in cells and not [cell for cell in cells if cell.startswith("=")]
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert {row["judge"] for row in data} >= {hostile[0], ALL}
    assert {row["about"] for row in data if row["statistic"] == "untold"} >= {"side", "truth"}


@pytest.mark.parametrize("cell", ["tie", "", "A"])
def test_votes_that_are_all_alike_have_no_intervals(tmp_path: Path, cell: str) -> None:
    rows = votes_of(*(f"{item},{judge},x,y,{cell}" for item in "123" for judge in "jk"))
    audit = audited(tmp_path, rows)
    agreed = [row.value for row in audit.rows if row.statistic == "krippendorff_alpha"]
    assert all(np.isnan(value.estimate) and np.isnan(value.ci_low) for value in agreed)
    assert len(agreed) == (cell != "") and not [row for row in audit.rows if row.favours]
    assert "transitivity" in untold(audit) and as_text(audit).count("cannot tell") == 1


def test_a_wrong_argument_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["audit", str(VOTES), "--column", GRADER[0], "--to", "x.xlsx"]) == 1
    assert "let it end with .csv, .json or .md" in capsys.readouterr().err
    assert main(["audit", str(VOTES), *("--column", GRADER[0]), "--confidence", "95"]) == 1
    assert "--confidence 95" in capsys.readouterr().err
    assert main(["audit", str(tmp_path / "none.csv")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    rows = simulate(EXAMPLE, 12, 5, tie=0.1)
    shuffled = [rows[at] for at in np.random.default_rng(1).permutation(len(rows))]
    one, other = (
        {(row.judge, row.statistic): row.value for row in audited(tmp_path, each, *GRADER).rows}
        for each in (rows, shuffled)
    )
    assert set(one) == set(other)
    for key, value in one.items():
        assert value.estimate == pytest.approx(other[key].estimate, nan_ok=True), key
        assert value.ci_low == pytest.approx(other[key].ci_low, nan_ok=True, rel=1e-5), key
    assert list(rows[0]) == list(COLUMNS)
