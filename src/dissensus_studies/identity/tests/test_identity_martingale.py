"""Accuracy from round to round: the three tests, their numbers and what they may say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.tables.artefact import read, write
from made_frames import frame_of

from ..inference.martingale import MARTINGALE, martingale_tests
from ..measures.metrics import METRICS

CHANGE = [0.2, 0.0, -0.4, 0.6, 0.2, 0.2, 0.0, 0.4]


def metrics_of(
    changes: dict[str, list[float]], votes: tuple[list[float], list[float]]
) -> pd.DataFrame:
    rows = []
    for bank, moves in changes.items():
        for question, move in enumerate(moves):
            for number, accuracy in enumerate((0.4, 0.4 + move)):
                rows.append(
                    {
                        "team": "t",
                        "bank": bank,
                        "question_id": f"{bank}-{question:03d}",
                        "condition": "vanilla",
                        "round": number,
                        "complete": True,
                        "accuracy": accuracy,
                        "vote": votes[number][question],
                    }
                )
    return frame_of(METRICS, rows)


VOTES = ([1, 0, 1, 0, 0.5, 0, 0, 1], [1, 1, 0.5, 1, 1, 1, 0, 1])


def rows_of(frame: pd.DataFrame, margin: float = 0.02) -> pd.DataFrame:
    rows = martingale_tests(frame, 0.95, margin, seed=1)
    return pd.DataFrame(rows).set_index(["bank", "round", "test"])


def test_numbers_are_those_of_the_textbook_tests(tmp_path: Path) -> None:
    frame = metrics_of({"b": CHANGE}, VOTES)
    rows = martingale_tests(frame, 0.95, 0.02, seed=1)
    write(tmp_path / "martingale.parquet", MARTINGALE, rows, {})
    assert read(tmp_path / "martingale.parquet", MARTINGALE).num_rows == 6
    found = rows_of(frame)
    flip = found.loc[("b", 1, "sign_flip")]
    exact = stats.permutation_test(
        (np.array(CHANGE),), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert flip["estimate"] == pytest.approx(0.15)
    assert flip["p_value"] == pytest.approx(exact.pvalue)
    low, high = stats.ttest_1samp(CHANGE, 0).confidence_interval(0.95)
    assert (flip["ci_low"], flip["ci_high"]) == pytest.approx((low, high))
    same = found.loc[("b", 1, "equivalence")]
    upper = stats.ttest_1samp(CHANGE, 0.02, alternative="less").pvalue
    assert same["p_value"] == pytest.approx(upper)
    inner = stats.ttest_1samp(CHANGE, 0).confidence_interval(0.90)
    assert (same["ci_low"], same["ci_high"]) == pytest.approx(tuple(inner))
    # A tie is no win: one vote is lost, and four are gained.
    vote = found.loc[("b", 1, "mcnemar_vote")]
    assert vote["estimate"] == pytest.approx((4 - 1) / 8)
    assert vote["p_value"] == pytest.approx(stats.binomtest(1, 5).pvalue)
    for limit, sign in (("ci_low", 1.0), ("ci_high", -1.0)):
        assert tango(4, 1, 8, vote[limit]) == pytest.approx(sign * stats.norm.ppf(0.975), rel=1e-6)
    assert (found["n"] == 8).all()


def tango(gained: int, lost: int, n: int, difference: float) -> float:
    """The score statistic of a difference of paired shares (Tango 1998, equation 6)."""
    a, c = 2 * n, -lost * difference * (1 - difference)
    b = -gained - lost + (2 * n - gained + lost) * difference
    q = (np.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    variance = n * (2 * q + difference * (1 - difference))
    return float((gained - lost - n * difference) / np.sqrt(variance))


def test_verdicts_say_what_was_tested_and_no_more() -> None:
    still = rows_of(metrics_of({"b": [0.0] * 8}, (VOTES[0], VOTES[0])))["verdict"]
    assert still.loc[("b", 1, "sign_flip")] == "no change of accuracy detected"
    assert still.loc[("b", 1, "equivalence")] == "within 2 points"
    assert still.loc[("b", 1, "mcnemar_vote")] == "no change of vote detected"
    votes = ([0.0] * 8, [1.0] * 8)
    up = rows_of(metrics_of({"b": [0.2, 0.4] * 4}, votes))["verdict"]
    assert up.loc[("b", 1, "sign_flip")] == "accuracy rises"
    assert up.loc[("b", 1, "equivalence")] == "not shown to be within 2 points"
    assert up.loc[("b", 1, "mcnemar_vote")] == "vote rises"
    down = rows_of(metrics_of({"b": [-0.2, -0.4] * 4}, (votes[1], votes[0])))["verdict"]
    assert down.loc[("b", 1, "sign_flip")] == "accuracy falls"
    assert down.loc[("b", 1, "mcnemar_vote")] == "vote falls"
    assert not any("martingale" in verdict for verdict in (*still, *up, *down))


def test_the_margin_decides_what_counts_as_none() -> None:
    frame = metrics_of({"b": [0.02, -0.02] * 4}, (VOTES[0], VOTES[0]))
    assert rows_of(frame, 0.001).loc[("b", 1, "equivalence"), "p_value"] > 0.05
    assert rows_of(frame, 0.05).loc[("b", 1, "equivalence"), "p_value"] < 0.05


def test_banks_alone_and_together() -> None:
    frame = metrics_of({"a": [0.0] * 8, "b": [0.2] * 8}, (VOTES[0], VOTES[0]))
    found = rows_of(frame)
    assert [found.loc[(bank, 1, "sign_flip"), "estimate"] for bank in ("a", "b", "all")] == [
        pytest.approx(0.0),
        pytest.approx(0.2),
        pytest.approx(0.1),
    ]
    assert found.loc[("all", 1, "sign_flip"), "n"] == 16


def test_questions_without_both_rounds_are_left_out() -> None:
    frame = metrics_of({"b": CHANGE}, VOTES)
    frame.loc[(frame["question_id"] == "b-000") & (frame["round"] == 1), "complete"] = False
    frame.loc[frame["question_id"] == "b-001", ["accuracy", "vote"]] = None
    assert (rows_of(frame)["n"] == 6).all()
    few = rows_of(frame[frame["question_id"] == "b-003"])
    assert few["p_value"].isna().all()
    assert set(few["verdict"]) == {"too few questions"}


def test_one_change_of_every_share_is_one_number() -> None:
    frame = metrics_of({"b": [0.2] * 3}, ([0, 0, 0], [0, 0, 0]))
    # As a fifth, two fifths and so on have them: 0.4 - 0.2 and 0.6 - 0.4 differ in the last digit.
    frame["accuracy"] = [0.2, 0.4, 0.4, 0.6, 0.6, 0.8]
    found = rows_of(frame).loc[("b", 1, "sign_flip")]
    assert found["ci_low"] == found["estimate"] == found["ci_high"] == pytest.approx(0.2)
