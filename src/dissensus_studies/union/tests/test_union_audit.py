"""The audit: planted judges are found and named, others are not; edge cases are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dissensus.design.contrasts import Row
from dissensus.stats.agreement import bootstrap_agreement
from dissensus.stats.multiplicity import adjust
from dissensus.stats.shares import Split
from dissensus.tables.artefact import read, write
from marking import thorough_but

from ..inference.audit import BIASES, JUDGES, audit_judges
from ..inference.judged_worlds import bias_tests, cast_votes, draw_debates
from ..tables import ALL
from .union_ensembles import (
    Ensemble,
    always_a,
    always_proposition,
    fair,
    longer_wins,
    make_ensemble,
)

INFERENCE = {"confidence": 0.95, "resamples": 300}


def audited(made: Ensemble) -> list[Row]:
    return audit_judges(made.votes, made.verdicts, INFERENCE, 1)


def row_of(rows: list[Row], judge: str, bias: str, level: str = "judge") -> Row:
    return next(
        row for row in rows if (row["level"], row["judge"], row["bias"]) == (level, judge, bias)
    )


def is_missing(row: Row) -> bool:
    """Whether no number is given, and a note says why."""
    numbers = ("estimate", "ci_low", "ci_high", "p_value", "p_adjusted")
    return all(row[name] is None for name in numbers) and bool(row["note"]) and not row["named"]


@pytest.fixture(scope="module")
def planted() -> tuple[Ensemble, list[Row]]:
    """40 debates; one judge of each bias, and a fair one on the labelled panel."""
    made = make_ensemble(
        blind=(("slots", always_a), ("lengths", longer_wins), ("fair", fair)),
        labelled=(("slots", fair), ("labels", always_proposition), ("fair", fair)),
    )
    return made, audited(made)


def test_planted_judges_are_named_and_others_are_not(
    planted: tuple[Ensemble, list[Row]],
) -> None:
    named = {
        (row["judge"], row["bias"]): row["favours"] for row in planted[1] if row["level"] == "judge"
    }
    assert {key: what for key, what in named.items() if what} == {
        ("slots", "position"): "slot A",
        ("lengths", "verbosity"): "longer speeches",
        ("labels", "side"): "proposition",
    }
    assert {row["judge"] for row in planted[1] if row["named"] and row["level"] == "judge"} == {
        *("slots", "lengths", "labels")
    }


def test_an_always_a_judge_gives_three_to_three_and_follows_every_slot() -> None:
    made = make_ensemble(epochs=1, blind=[("a", always_a)] * 3)
    assert (made.verdicts["panel"] == "contested").all()
    row = row_of(audited(made), "a", "position")
    assert (row["followed"], row["estimate"], row["pairs"], row["n"]) == (1.0, 1.0, 30, 30)
    # Clopper and Pearson with all of 30: (alpha/2)^(1/30).
    assert row["followed_low"] == pytest.approx(0.025 ** (1 / 30))
    assert row["p_value"] == pytest.approx(2 * 0.5**30 / 2) and row["n_clusters"] == 10


def test_position_by_hand(planted: tuple[Ensemble, list[Row]]) -> None:
    made, rows = planted
    own = made.votes[(made.votes["panel"] == "blind") & (made.votes["judge"] == "fair")]
    wide = own.pivot(index="session_id", columns="pass", values="slot")
    same = wide[wide[1] == wide[2]]
    k, n = int((same[1] == "A").sum()), len(same)
    row = row_of(rows, "fair", "position")
    assert (row["followed"], row["pairs"]) == (n / 40, 40)
    exact = stats.binomtest(n, 40).proportion_ci(0.95)
    assert (row["followed_low"], row["followed_high"]) == pytest.approx((exact.low, exact.high))
    assert (row["estimate"], row["n"]) == (k / n, n)
    mid_p = stats.binomtest(k, n).pvalue - stats.binom.pmf(k, n, 0.5) if 2 * k != n else 1.0
    assert row["p_value"] == pytest.approx(mid_p)


def test_p_values_are_adjusted_over_judges_and_biases(
    planted: tuple[Ensemble, list[Row]],
) -> None:
    tested = [row for row in planted[1] if row["bias"] in BIASES and row["level"] == "judge"]
    raw = [np.nan if row["p_value"] is None else row["p_value"] for row in tested]
    # All of the fair judge; of "labels" the side, of "lengths" the length, of "slots" all but that.
    assert np.isfinite(raw).sum() == 3 + 1 + 1 + 2
    expected = adjust(raw, "holm")
    found = [np.nan if row["p_adjusted"] is None else row["p_adjusted"] for row in tested]
    assert found == pytest.approx(expected.tolist(), nan_ok=True)


def test_agreement_is_that_of_the_votes_and_verdicts(planted: tuple[Ensemble, list[Row]]) -> None:
    made, rows = planted
    layers = [row for row in rows if row["level"] == "layers"]
    assert len(layers) == 6
    row = next(row for row in layers if (row["judge"], row["compared"]) == ("panel", "annotation"))
    codes = [
        made.verdicts[name].map({"proposition": 0, "opposition": 1, "contested": 2})
        for name in ("panel", "annotation")
    ]
    expected = bootstrap_agreement(*(one.to_numpy() for one in codes), range(3))["cohen_kappa"]
    assert row["estimate"] == pytest.approx(expected.value) and row["n"] == 40
    assert row["ci_low"] < row["estimate"] < row["ci_high"]
    assert (row["bias"], row["statistic"]) == ("agreement", "cohen_kappa")
    alike = row_of(rows, "slots", "agreement")
    assert alike["estimate"] < 0  # with itself it always disagrees: one vote a side
    assert row_of(rows, ALL, "agreement", ALL)["n"] == 40


def test_rows_are_written_and_read(planted: tuple[Ensemble, list[Row]], tmp_path: Path) -> None:
    write(tmp_path / "judges.parquet", JUDGES, planted[1], {})
    frame = read(tmp_path / "judges.parquet", JUDGES).to_pandas()
    assert set(frame["level"]) == {"judge", ALL, "layers"}
    assert not np.isinf(frame.select_dtypes("number").to_numpy(dtype=float)).any()


def test_the_seed_decides(planted: tuple[Ensemble, list[Row]]) -> None:
    made, rows = planted
    assert audited(made) == rows != audit_judges(made.votes, made.verdicts, INFERENCE, 2)


def p_values_of(bias: str, strength: float, seats: int, ensembles: int) -> dict[str, Any]:
    """P-values of every bias, by simulated ensemble of 40 debates."""
    rng = np.random.default_rng([seats, ensembles])
    found: dict[str, list[float]] = {name: [] for name in BIASES}
    for _ in range(ensembles):
        debates = draw_debates(40, rng)
        for name, p in bias_tests(
            debates, *cast_votes(debates, seats, bias, strength, rng)
        ).items():
            found[name].append(p)
    return {name: np.array(values) for name, values in found.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("seats", thorough_but((1, 3), 3))
def test_an_unbiased_judge_is_seldom_suspected(seats: int) -> None:
    found = p_values_of("", 0.0, seats, 1500)
    for bias, p_values in found.items():
        assert 0.03 < (p_values < 0.05).mean() < 0.07, bias
    adjusted = np.array([adjust(row, "holm") for row in zip(*found.values(), strict=True)])
    assert (adjusted.min(axis=1) < 0.05).mean() < 0.065


@pytest.mark.parametrize("bias", BIASES)
def test_a_biased_judge_is_found(bias: str) -> None:
    found = p_values_of(bias, 0.5, 3, 60)
    assert (found[bias] < 0.05 / 9).mean() > 0.9


def test_length_that_goes_with_quality_is_no_bias() -> None:
    rng = np.random.default_rng(5)
    alone, given = [], []
    for _ in range(300):
        debates = draw_debates(40, rng)
        debates.words[:] = 150 * debates.quality + 200 * rng.standard_normal(40)
        debates.points[:] = debates.quality
        votes = cast_votes(debates, 3, "", 0.0, rng)
        given.append(bias_tests(debates, *votes)["verbosity"])
        debates.points[:] = 0.0
        alone.append(bias_tests(debates, *votes)["verbosity"])
    assert (np.array(given) < 0.05).mean() < 0.08
    assert (np.array(alone) < 0.05).mean() > 0.9


@pytest.mark.parametrize("worlds", thorough_but((40, 300), 40))
def test_a_side_that_is_longer_and_liked_for_more_than_its_points_is_no_bias(worlds: int) -> None:
    """Such as the side whose conclusion judges share, where its speeches are also the longer."""
    rng, low = np.random.default_rng(6), 0
    for _ in range(worlds):
        debates = draw_debates(40, rng)
        debates.words[:] += 400
        debates.quality[:] += 1.5
        low += bias_tests(debates, *cast_votes(debates, 3, "", 0.0, rng))["verbosity"] < 0.05
    assert low <= stats.binom.ppf(0.999, worlds, 0.05)


def test_split_counts_pairs() -> None:
    split = Split.of(np.array([True, True, False, False]), np.array([True, False, True, False]))
    assert (split.pairs, split.same, split.first) == (4, 2, 1)
    assert split.p_value == 1.0
    nothing = Split.of(np.zeros(0, bool), np.zeros(0, bool))
    assert np.isnan(nothing.p_value) and np.isnan(nothing.estimate(0.95).estimate)


def test_votes_that_nobody_can_read_give_notes() -> None:
    made = make_ensemble(epochs=1, runs=2)
    made.votes[["slot", "label", "side"]] = ""
    rows = audited(made)
    assert all(is_missing(row) for row in rows if row["level"] != "layers")
    assert row_of(rows, "j1", "position")["pairs"] == 0


def test_no_votes_at_all_and_no_verdicts() -> None:
    made = make_ensemble(epochs=1, runs=2)
    for verdicts in (made.verdicts, made.verdicts.iloc[:0]):
        rows = audit_judges(made.votes.iloc[:0], verdicts, INFERENCE, 1)
        assert {row["judge"] for row in rows if row["level"] == ALL} == {ALL}
        assert all(is_missing(row) for row in rows if row["level"] == ALL)


def test_one_debate_and_one_judge_give_what_they_can() -> None:
    made = make_ensemble(epochs=1, runs=1, arms=("control",), blind=[("j", fair)], labelled=[])
    rows = audited(made)
    assert is_missing(row_of(rows, "j", "verbosity"))
    assert row_of(rows, "j", "side")["note"] == "No labelled panel."
    assert row_of(rows, "j", "position")["pairs"] == 1
    assert all(row["ci_low"] is None for row in rows if row["bias"] == "agreement")


def test_equal_lengths_and_missing_tallies_are_said() -> None:
    made = make_ensemble(epochs=1)
    unscored = made.verdicts.assign(points_proposition=np.nan)
    row = row_of(audit_judges(made.votes, unscored, INFERENCE, 1), "j1", "verbosity")
    assert row["note"].startswith("Not adjusted") and row["estimate"] is not None
    level = made.votes.assign(words_more=0.0)
    row = row_of(audit_judges(level, made.verdicts, INFERENCE, 1), "j1", "verbosity")
    assert is_missing(row) and row["note"] == "All speeches are equally long."


def test_a_lost_vote_drops_its_pair_alone() -> None:
    made = make_ensemble(epochs=1)
    votes = made.votes.copy()
    blind = votes.index[(votes["panel"] == "blind") & (votes["judge"] == "j1")]
    votes.loc[blind[:3], ["slot", "side"]] = ""
    row = row_of(audit_judges(votes, made.verdicts, INFERENCE, 1), "j1", "position")
    whole = row_of(audited(made), "j1", "position")
    assert row["pairs"] == whole["pairs"] - len(set(votes.loc[blind[:3], "session_id"]))


def test_separated_lengths_say_which_limit_is_infinite() -> None:
    made = make_ensemble(epochs=2, blind=[("l", longer_wins)] * 3)
    row = row_of(audited(made), "l", "verbosity")
    assert row["named"] and row["ci_low"] > 0 and row["ci_high"] is None
    assert "infinite" in row["note"]


def test_layers_that_never_decide_have_no_kappa() -> None:
    rows = audited(make_ensemble(epochs=1))
    row = next(row for row in rows if row["compared"] == "audit" and row["judge"] == "panel")
    assert is_missing(row) and row["n"] == 0


def test_missing_texts_are_unreadable_votes() -> None:
    made = make_ensemble(epochs=1)
    unread, lost = made.votes.copy(), made.votes.copy()
    unread.loc[unread.index[:4], ["slot", "label", "side"]] = ""
    lost.loc[lost.index[:4], ["slot", "label", "side"]] = None
    assert audit_judges(lost, made.verdicts, INFERENCE, 1) == audit_judges(
        unread, made.verdicts, INFERENCE, 1
    )
