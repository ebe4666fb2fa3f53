"""Every measure by hand and against loops, and its interval against a bootstrap."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from dissensus.digests import digest
from dissensus.stats.ratios import cluster_weights
from dissensus.tables.artefact import read, write

from ..inference.estimates import ESTIMATES, SHARES
from .identity_rows import SEED, Debates, drawn, estimated, full, lenient


@pytest.fixture(scope="module")
def three():
    """Three questions, three agents, each sees the next; A is right."""
    debates = Debates()
    for name, vanilla, anonymized in (
        ("choice-001", ["ABB", "BBA"], ["ABB", "ABA"]),
        ("choice-002", ["ACB", "CCD"], ["ACB", "AB-"]),
        ("choice-003", ["AA-", "AAA"], ["AA-", "BAA"]),
    ):
        debates.add("ring", name, "anonymized", anonymized)
        debates.add("ring", name, "vanilla", vanilla)
    return debates


HAND = {
    # (measure, policy): (vanilla, n, anonymised, n)
    ("conformity", "drop"): (3 / 5, 5, 2 / 4, 4),
    ("obstinacy", "drop"): (1 / 5, 5, 2 / 4, 4),
    ("delta", "drop"): (2 / 5, 5, 0.0, 4),
    ("subversion", "drop"): (2 / 2, 2, 0 / 2, 2),
    ("correction", "drop"): (1 / 2, 2, 1 / 1, 1),
    ("conformity", "keep"): (3 / 5, 5, 2 / 5, 5),
    ("obstinacy", "keep"): (1 / 5, 5, 3 / 5, 5),
    ("delta", "keep"): (2 / 5, 5, -1 / 5, 5),
    ("subversion", "keep"): (2 / 2, 2, 0 / 2, 2),
    ("correction", "keep"): (1 / 2, 2, 1 / 2, 2),
    ("accuracy", "drop"): (4 / 9, 9, 5 / 9, 9),
    ("vote", "drop"): (1 / 3, 3, (1 + 1 / 2 + 1) / 3, 3),
    ("parse_failures", "drop"): (0.0, 9, 1 / 9, 9),
}


@pytest.mark.parametrize(("measure", "policy"), HAND)
def test_three_questions_by_hand(three, measure, policy):
    rows = estimated(three)
    vanilla, of_vanilla, anonymized, of_anonymized = HAND[measure, policy]
    for bank in ("choice", "all"):

        def cell(condition, measure=measure, bank=bank):
            return rows["ring", bank, 1, condition, "all", policy, measure]

        assert cell("vanilla")["estimate"] == pytest.approx(vanilla)
        assert cell("anonymized")["estimate"] == pytest.approx(anonymized)
        assert (cell("vanilla")["n"], cell("anonymized")["n"]) == (of_vanilla, of_anonymized)
        difference = cell("difference", "ibc" if measure == "delta" else measure)
        assert difference["estimate"] == pytest.approx(vanilla - anonymized)
        assert difference["n"] == of_vanilla + of_anonymized
        assert difference["n_questions"] == 3


def test_relative_drops_by_hand(three):
    rows = estimated(three)

    def drop(measure, policy):
        return rows["ring", "choice", 1, "difference", "all", policy, f"{measure}_drop"]["estimate"]

    assert drop("subversion", "drop") == pytest.approx(1.0)
    assert drop("correction", "drop") == pytest.approx(-1.0)
    assert drop("correction", "keep") == pytest.approx(0.0)


def test_openings_by_hand(three):
    rows = estimated(three)
    for condition in ("vanilla", "anonymized"):

        def opening(measure, condition=condition):
            return rows["ring", "choice", 0, condition, "all", "drop", measure]["estimate"]

        assert opening("accuracy") == pytest.approx(4 / 9)
        assert opening("vote") == pytest.approx((0 + 1 / 3 + 1) / 3)
        assert opening("parse_failures") == pytest.approx(1 / 9)
    assert not any(key[2] == 0 and key[3] == "difference" for key in rows)


def test_cells_of_several_peers_by_hand():
    debates = Debates()
    for name, vanilla, anonymized in (
        ("choice-001", ["AAB", "BAA"], ["AAB", "AAB"]),
        ("choice-002", ["ABC", "CCA"], ["ABC", "ABD"]),
    ):
        debates.add("full", name, "anonymized", anonymized, graph=full(3))
        debates.add("full", name, "vanilla", vanilla, graph=full(3))
    rows = estimated(debates)
    expected = {
        # peers: vanilla conformity and obstinacy, anonymised ones, IBC, transitions
        "1,1": (1 / 2, 1 / 2, 0, 1, 1.0, 2),
        "2,0": (1, 0, 0, 3 / 4, 1.75, 4),
        "all": (5 / 6, 1 / 6, 0, 5 / 6, 1.5, 6),
    }
    assert {key[4] for key in rows} == set(expected)
    for peers, (*values, ibc, n) in expected.items():
        found = [
            rows["full", "choice", 1, condition, peers, "drop", measure]
            for condition in ("vanilla", "anonymized")
            for measure in ("conformity", "obstinacy")
        ]
        assert [row["estimate"] for row in found] == pytest.approx(values)
        assert {row["n"] for row in found} == {n}
        difference = rows["full", "choice", 1, "difference", peers, "drop", "ibc"]
        assert difference["estimate"] == pytest.approx(ibc)
    exposed = {
        (measure, condition): rows["full", "choice", 1, condition, "all", "drop", measure]
        for measure in ("subversion", "correction")
        for condition in ("vanilla", "anonymized")
    }
    assert {key: row["estimate"] for key, row in exposed.items()} == pytest.approx(
        {
            ("subversion", "vanilla"): 2 / 3,
            ("subversion", "anonymized"): 0.0,
            ("correction", "vanilla"): 2 / 3,
            ("correction", "anonymized"): 0.0,
        }
    )


def test_failed_debates_are_left_out_and_contrasts_take_what_both_have():
    debates = Debates()
    debates.add("ring", "choice-001", "anonymized", ["ABB", "ABA"])
    debates.add("ring", "choice-001", "vanilla", ["ABB", "BBA"])
    debates.add("ring", "choice-002", "anonymized", None)
    debates.add("ring", "choice-002", "vanilla", ["ACB", "CCD"])
    rows = estimated(debates)

    def cell(condition, measure):
        return rows["ring", "choice", 1, condition, "all", "drop", measure]

    assert cell("vanilla", "delta")["estimate"] == pytest.approx(3 / 5 - 1 / 5)
    assert (cell("vanilla", "delta")["n"], cell("vanilla", "delta")["n_questions"]) == (5, 2)
    assert (cell("anonymized", "delta")["n"], cell("anonymized", "delta")["n_questions"]) == (2, 1)
    # Of the first question alone: 2 of 2 conform, against 1 of 2 who does and 1 who stays.
    difference = cell("difference", "ibc")
    assert difference["estimate"] == pytest.approx(1.0 - 0.0)
    assert (difference["n"], difference["n_questions"]) == (4, 1)
    # One question does not say how much questions differ.
    assert (difference["se"], difference["ci_low"], difference["ci_high"]) == (None, None, None)


def test_a_team_none_of_whose_debates_was_held_has_rows_without_numbers(tmp_path):
    debates = Debates()
    for condition in ("anonymized", "vanilla"):
        debates.add("lost", "choice-001", condition, None)
        debates.add("ring", "choice-001", condition, ["AAA", "AAA"])
    found = estimated(debates)
    lost = [row for key, row in found.items() if key[0] == "lost"]
    assert lost
    assert {(row["estimate"], row["n"], row["n_questions"]) for row in lost} == {(None, 0, 0)}
    # Nobody disagreed.
    ring = found["ring", "choice", 1, "vanilla", "all", "drop", "conformity"]
    assert (ring["estimate"], ring["n"], ring["n_questions"]) == (None, 0, 1)
    write(tmp_path / "estimates.parquet", ESTIMATES, list(found.values()), {})
    assert read(tmp_path / "estimates.parquet", ESTIMATES).to_pylist() == list(found.values())


def test_a_run_none_of_whose_debates_was_held():
    debates = Debates()
    for condition in ("anonymized", "vanilla"):
        debates.add("lost", "choice-001", condition, None)
    rows = estimated(debates)
    assert ("lost", "all", 1, "difference", "all", "drop", "ibc") in rows
    assert {row["estimate"] for row in rows.values()} == {None}


def looped(debates, team, banks, number, policy, questions=None):
    """The pooled measures from letters alone, by loops: measure -> condition -> [above, below]."""
    said = {(r["session_id"], r["round"], r["agent"]): r["answer"] for r in debates.answers}
    sums = defaultdict(lambda: [0.0, 0.0])

    def add(condition, measure, hit, times):
        sums[condition, measure][0] += hit * times
        sums[condition, measure][1] += times

    for row in debates.sessions:
        if row["team"] != team or row["bank"] not in banks:
            continue
        times = 1 if questions is None else questions[row["question_id"]]
        for agent in range(1, 6):
            others = [one for one in range(1, 6) if one != agent]
            peers = others if team.endswith("full") else [agent % 5 + 1]
            before = [said[row["session_id"], number - 1, peer] for peer in peers]
            own = said[row["session_id"], number - 1, agent]
            now = said[row["session_id"], number, agent]
            add(row["condition"], "accuracy", now == "A", times)
            add(row["condition"], "parse_failures", now == "", times)
            if policy == "keep" and not now:
                now = own
            if policy == "lenient":
                now = lenient(now or "-", number, agent)
            if "" in (own, now, *before):
                continue
            disagree = [peer for peer in before if peer != own]
            if disagree:
                add(row["condition"], "conformity", now in disagree, times)
                add(row["condition"], "obstinacy", now == own, times)
            if own == "A" and disagree:
                add(row["condition"], "subversion", now != "A", times)
            if own != "A" and "A" in before:
                add(row["condition"], "correction", now == "A", times)
    return {key: above / below for key, (above, below) in sums.items()}


@pytest.fixture(scope="module")
def random_debates():
    return drawn(np.random.default_rng(4), ["a", "b-full"], 20, unparsed=0.08)


@pytest.mark.parametrize("policy", ["drop", "keep", "lenient"])
@pytest.mark.parametrize("team", ["a", "b-full"])
def test_against_loops(random_debates, team, policy):
    rows = estimated(random_debates)
    for bank, banks in (("choice", ["choice"]), ("all", ["choice", "numeric"])):
        for number in (1, 2):
            expected = looped(random_debates, team, banks, number, policy)
            for (condition, measure), value in expected.items():
                under = "drop" if measure in ("accuracy", "parse_failures") else policy
                row = rows[team, bank, number, condition, "all", under, measure]
                assert row["estimate"] == pytest.approx(value), (measure, bank, number)


def test_every_team_bank_and_round_has_every_row(random_debates):
    rows = estimated(random_debates)
    by_peers = {"a": {"all", "1,0"}, "b-full": {"all", "4,0", "3,1", "2,2", "1,3"}}
    for team, cells in by_peers.items():
        found = {
            key[1:] for key in rows if key[0] == team and key[6] in ("conformity", "ibc", "delta")
        }
        assert found == {
            (bank, number, condition, peers, policy, measure)
            for bank, number, peers, policy in product(
                ("choice", "numeric", "all"), (1, 2), cells, ("drop", "keep", "lenient")
            )
            for condition, measure in (
                *product(("vanilla", "anonymized"), ("conformity", "delta")),
                ("difference", "conformity"),
                ("difference", "ibc"),
            )
        }


def test_intervals_of_differences_are_those_of_whole_questions_drawn_again(random_debates):
    resamples, level = 60, 0.9
    rows = estimated(random_debates, resamples, level)
    names = sorted({row["question_id"] for row in random_debates.sessions})
    stream = int(digest([SEED, "identity estimates", "a", "all"])[:12], 16)
    draws = [
        looped(
            random_debates,
            "a",
            ["choice", "numeric"],
            1,
            "drop",
            dict(zip(names, times, strict=True)),
        )
        for times in cluster_weights(len(names), resamples, stream)
    ]

    def check(condition, measure, values):
        row = rows["a", "all", 1, condition, "all", "drop", measure]
        assert row["se"] == pytest.approx(np.std(values, ddof=1))
        assert row["ci_low"] == pytest.approx(np.quantile(values, 0.05))
        assert row["ci_high"] == pytest.approx(np.quantile(values, 0.95))
        assert row["ci_low"] <= row["estimate"] <= row["ci_high"]

    def delta(draw, condition):
        return draw[condition, "conformity"] - draw[condition, "obstinacy"]

    check("vanilla", "delta", [delta(draw, "vanilla") for draw in draws])
    # The same questions under both conditions.
    check(
        "difference", "ibc", [delta(draw, "vanilla") - delta(draw, "anonymized") for draw in draws]
    )
    check(
        "difference",
        "subversion_drop",
        [1 - draw["anonymized", "subversion"] / draw["vanilla", "subversion"] for draw in draws],
    )


def test_a_share_under_one_condition_has_students_limits_on_the_logit_scale(random_debates):
    """The error agrees with that of whole questions drawn again; the rest is by hand."""
    rows = estimated(random_debates, 60, 0.9)
    names = sorted({row["question_id"] for row in random_debates.sessions})
    draws = [
        looped(
            random_debates,
            "a",
            ["choice", "numeric"],
            1,
            "drop",
            dict(zip(names, times, strict=True)),
        )
        for times in cluster_weights(len(names), 200, 1)
    ]
    for condition, measure in (("vanilla", "conformity"), ("anonymized", "correction")):
        row = rows["a", "all", 1, condition, "all", "drop", measure]
        share = row["estimate"]
        error = np.std([draw[condition, measure] for draw in draws], ddof=1)
        assert row["se"] == pytest.approx(error, rel=0.15)
        low, high = special.logit([row["ci_low"], row["ci_high"]]) - special.logit(share)
        assert -low == pytest.approx(high)
        # As many degrees of freedom as questions with an agent that could do so, less one.
        quantiles = stats.t.ppf(0.95, np.arange(9, len(names)))
        assert np.abs(quantiles - high * share * (1 - share) / row["se"]).min() < 1e-9


def test_a_share_of_none_or_all_is_not_certain(random_debates):
    rows = estimated(random_debates, 60, 0.95)
    shares = [
        row
        for key, row in rows.items()
        if key[3] != "difference" and key[6] in SHARES and row["estimate"] in (0.0, 1.0)
    ]
    assert shares
    for row in shares:
        if row["ci_low"] is not None:
            # No narrower than exact limits with all questions as cases.
            least = 1 - 0.025 ** (1 / row["n_questions"])
            assert row["ci_high"] - row["ci_low"] >= least - 1e-9


@settings(max_examples=12)
@given(st.integers(0, 2**32))
def test_parts_and_intervals_of_any_debates(seed):
    rows = estimated(drawn(np.random.default_rng(seed), ["a", "b-full"], 16, rounds=1), 100)
    for key, row in rows.items():

        def other(condition, measure, key=key):
            return rows[*key[:3], condition, *key[4:6], measure]["estimate"]

        if row["estimate"] is None:
            continue
        if key[6] == "delta":
            parts = other(key[3], "conformity"), other(key[3], "obstinacy")
            assert row["estimate"] == pytest.approx(parts[0] - parts[1])
        if key[6] == "ibc":
            deltas = other("vanilla", "delta"), other("anonymized", "delta")
            assert row["estimate"] == pytest.approx(deltas[0] - deltas[1])
        if row["se"] is not None:
            assert row["ci_low"] - 1e-9 <= row["estimate"] <= row["ci_high"] + 1e-9, key


def test_the_same_seed_gives_the_same_rows(random_debates):
    assert estimated(random_debates) == estimated(random_debates)
