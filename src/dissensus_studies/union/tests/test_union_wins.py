"""Win shares and lifts: exact by enumeration, planted orders and clusters, contested debates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from dissensus.design.contrasts import Row
from dissensus.stats.multiplicity import adjust
from dissensus.tables.artefact import read, write

from ..inference.wins import WINS, estimate_wins, lifts
from ..tables import ALL
from .union_ensembles import Ensemble, make_ensemble

INFERENCE = {"confidence": 0.95, "resamples": 2000}


def estimated(made: Ensemble, **inference: Any) -> list[Row]:
    return estimate_wins(made.verdicts, made.speeches, made.manifest, INFERENCE | inference, 1)


def verdicts_of(winners: list[str], arm: str = "control") -> pd.DataFrame:
    """A debate a draw of one motion."""
    names = [f"d{number:03d}" for number in range(len(winners))]
    return pd.DataFrame(
        {
            "session_id": names,
            "draw_id": names,
            "motion_id": "m",
            "epoch": 1,
            "arm": arm,
            "winner": winners,
        }
    )


def members_of(verdicts: pd.DataFrame, rows: list[int], side: str = "proposition") -> pd.DataFrame:
    names = verdicts["session_id"].iloc[rows]
    return pd.DataFrame({"cluster": "c", "session_id": names, "side": side})


def test_sides_are_counted_three_valued() -> None:
    made = make_ensemble(epochs=1, runs=10, arms=("control",))
    made.verdicts["winner"] = ["proposition"] * 5 + ["opposition"] * 2 + ["contested"] * 3
    rows = {row["side"]: row for row in estimated(made) if row["by"] == "side"}
    first = rows["proposition"]
    assert (first["won"], first["lost"], first["contested"], first["n"]) == (0.5, 0.2, 0.3, 10)
    # Three of ten debates, one a draw: Student's t of nine degrees of freedom, on the logit scale.
    half = stats.t.ppf(0.975, 9) * np.sqrt(0.3 * 0.7 / 9) / (0.3 * 0.7)
    expected = special.expit(special.logit(0.3) + np.array([-half, half]))
    found = (first["contested_low"], first["contested_high"])
    assert found == pytest.approx(expected, abs=0.01)
    # Of seven decided debates, five or more, or two or fewer, by one side.
    assert first["p_value"] == pytest.approx(stats.binomtest(5, 7).pvalue)
    assert (first["base"], first["lift"]) == pytest.approx((0.35, 0.15))
    assert rows["opposition"]["lift"] == pytest.approx(-0.15)


def test_two_arms_that_end_alike_are_worth_no_more_than_one() -> None:
    both = make_ensemble(epochs=4, runs=5)
    winners = np.random.default_rng(3).choice(["proposition", "opposition"], 40, p=[0.3, 0.7])
    known = dict(zip(sorted(set(both.manifest["draw_id"])), winners, strict=False))
    draws = both.verdicts.merge(both.manifest[["session_id", "draw_id"]], on="session_id")
    both.verdicts["winner"] = draws["draw_id"].map(known).to_numpy()
    row = next(row for row in estimated(both) if row["side"] == "proposition")
    n = row["n_clusters"]
    assert row["n"] == 2 * n
    share = row["won"]
    # Twenty draws in four epochs.
    half = stats.t.ppf(0.975, n - 4) / np.sqrt(share * (1 - share) * n)
    expected = special.expit(special.logit(share) + np.array([-half, half]))
    # Winners vary by epoch too, which the design fixes.
    assert (row["won_low"], row["won_high"]) == pytest.approx(expected, abs=0.06)
    independent = stats.binomtest(round(2 * n * row["won"]), 2 * n).proportion_ci(method="wilson")
    assert row["won_high"] - row["won_low"] > 1.2 * (independent.high - independent.low)


def test_permutation_p_is_hypergeometric() -> None:
    winners = ["proposition"] * 8 + ["opposition"] * 6 + ["contested"] * 6
    verdicts = verdicts_of(winners)
    # The group is in nine debates and won seven of them.
    rows = [*range(7), 8, 14]
    found = lifts(
        members_of(verdicts, rows), verdicts, ("cluster",), INFERENCE | {"resamples": 20_000}, (1,)
    )[0]
    law = stats.hypergeom(20, 8, 9)
    apart = abs(np.arange(10) - law.mean()) >= abs(7 - law.mean()) - 1e-9
    expected = law.pmf(np.arange(10))[apart].sum()
    assert found["p_value"] == pytest.approx(expected, abs=4 * found["simulation_error"] + 1e-4)
    assert (found["won"], found["base"], found["lift"]) == pytest.approx((7 / 9, 0.4, 7 / 9 - 0.4))
    assert (found["lost"], found["contested"]) == pytest.approx((1 / 9, 1 / 9))
    assert (found["n"], found["n_clusters"], found["cluster"]) == (9, 9, "c")


def test_permutations_in_parts_are_as_many_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = verdicts_of(["proposition"] * 8 + ["opposition"] * 12)
    members = members_of(verdicts, [*range(5), 8, 14])

    def found() -> float:
        how = INFERENCE | {"resamples": 1000}
        return float(lifts(members, verdicts, ("cluster",), how, (1,))[0]["p_value"])

    at_once = found()
    # Parts of some 300, the last of them smaller.
    monkeypatch.setattr("dissensus_studies.union.inference.wins._CELLS", 300 * 40)
    assert found() == at_once


def test_the_base_rate_is_of_the_side_in_its_motion_and_arm() -> None:
    parts = []
    for motion, share in (("easy", 9), ("hard", 1)):
        part = verdicts_of(["proposition"] * share + ["opposition"] * (10 - share))
        part["motion_id"] = motion
        part[["session_id", "draw_id"]] = motion + part[["session_id", "draw_id"]]
        parts.append(part)
    verdicts = pd.concat(parts, ignore_index=True)
    # Nine debates of the easy motion, eight of them won, and one of the hard one, lost.
    members = members_of(verdicts, [*range(1, 10), 19])
    found = lifts(members, verdicts, ("cluster",), INFERENCE, (1,))[0]
    assert found["base"] == pytest.approx((9 * 0.9 + 0.1) / 10)
    assert found["won"] == 0.8 and found["lift"] == pytest.approx(-0.02)
    assert found["p_value"] > 0.5


def test_both_sides_of_a_debate_may_be_in_a_group() -> None:
    verdicts = verdicts_of(["proposition", "opposition", "contested", "proposition"])
    members = pd.concat([members_of(verdicts, [0, 1]), members_of(verdicts, [0], "opposition")])
    again = pd.concat([members, members])
    found = lifts(again, verdicts, ("cluster",), INFERENCE, (1,))[0]
    assert (found["n"], found["won"]) == (3, pytest.approx(1 / 3))
    assert found["base"] == pytest.approx((2 * 0.5 + 0.25) / 3)


def test_debates_of_a_draw_change_places_together() -> None:
    # Verdicts of both arms of a draw agree: 16 debates, and eight draws for the test.
    parts = [verdicts_of(["proposition"] * 4 + ["opposition"] * 4, arm) for arm in ("a", "b")]
    for part, arm in zip(parts, ("a", "b"), strict=True):
        part["session_id"] = part["session_id"] + arm
    verdicts = pd.concat(parts, ignore_index=True)
    members = members_of(verdicts, [0, 1, 2, 3, 8, 9, 10, 11])
    found = lifts(members, verdicts, ("cluster",), INFERENCE | {"resamples": 20_000}, (1,))[0]
    law = stats.hypergeom(8, 4, 4)
    assert found["p_value"] == pytest.approx(2 * law.pmf(4), abs=5e-3)
    assert (found["n"], found["n_clusters"]) == (8, 4)


def test_a_place_that_wins_has_a_lift() -> None:
    made = make_ensemble(epochs=8, arms=("control",))
    first = made.speeches[made.speeches["speech"] == 1].set_index("session_id")["speaker"]
    opens = made.verdicts["session_id"].map(first) == "Ada"
    made.verdicts["winner"] = np.where(opens, "proposition", "opposition")
    rows = estimated(made)
    places = [row for row in rows if row["by"] == "place"]
    assert len(places) == 18 and {row["place"] for row in places} == {1, 2, 3}
    ada = next(row for row in places if (row["speaker"], row["place"]) == ("Ada", 1))
    assert (ada["won"], ada["p_value"]) == (1.0, 1 / 2001)
    assert ada["lift"] == pytest.approx(1 - opens.mean())
    raw = [row["p_value"] for row in places]
    assert [row["p_adjusted"] for row in places] == pytest.approx(adjust(raw, "holm").tolist())
    assert [row["p_bh"] for row in places] == pytest.approx(adjust(raw, "bh").tolist())


def test_a_planted_strong_side_is_found_and_equal_sides_are_not() -> None:
    made = make_ensemble(motions=2)
    strong = made.verdicts["motion_id"] == "m1"
    made.verdicts.loc[strong, "winner"] = np.where(
        np.arange(strong.sum()) % 5 > 0, "opposition", "contested"
    )
    rows = {(row["motion_id"], row["side"]): row for row in estimated(made) if row["by"] == "side"}
    assert rows["m1", "opposition"]["won"] == 0.8
    assert rows["m1", "opposition"]["p_adjusted"] < 0.001
    assert rows["m2", "opposition"]["p_value"] > 0.05
    assert rows[ALL, "opposition"]["n"] == 80


@pytest.mark.thorough
def test_size_of_the_permutation_test() -> None:
    rng = np.random.default_rng(7)
    p_values = []
    for number in range(300):
        verdicts = verdicts_of(rng.choice(["proposition", "opposition", "contested"], 40).tolist())
        members = members_of(verdicts, sorted(rng.choice(40, 20, replace=False).tolist()))
        options = INFERENCE | {"resamples": 199}
        p_values.append(lifts(members, verdicts, ("cluster",), options, (number,))[0]["p_value"])
    assert 0.01 < (np.array(p_values) <= 0.05).mean() < 0.09


def test_rows_are_written_and_read_and_the_seed_decides(tmp_path: Path) -> None:
    made = make_ensemble(motions=2, epochs=2)
    rows = estimated(made)
    write(tmp_path / "wins.parquet", WINS, rows, {})
    frame = read(tmp_path / "wins.parquet", WINS).to_pandas()
    assert set(frame["motion_id"]) == {"m1", "m2", ALL}
    assert rows == estimated(made)
    other = estimate_wins(made.verdicts, made.speeches, made.manifest, INFERENCE, 2)
    assert [row["won"] for row in rows] == [row["won"] for row in other]
    assert [row["p_value"] for row in rows] != [row["p_value"] for row in other]


def test_all_contested_one_run_and_no_verdict() -> None:
    made = make_ensemble(epochs=2)
    made.verdicts["winner"] = "contested"
    for row in estimated(made):
        assert (row["won"], row["lost"], row["contested"]) == (0.0, 0.0, 1.0)
        assert row["p_value"] is None and row["note"]
        if row["n_clusters"] > 1:
            assert row["won_low"] == 0.0 < row["won_high"]
    single = estimated(make_ensemble(epochs=1, runs=1, arms=("control",)))
    assert single and all(row["p_value"] is None and row["note"] for row in single)
    made.verdicts = made.verdicts.iloc[:0]
    assert estimated(made) == []


def test_a_lost_debate_stays_apart_and_counts_nowhere() -> None:
    made = make_ensemble(epochs=1)
    whole = {row["side"]: row for row in estimated(made) if row["by"] == "side"}
    made.verdicts = made.verdicts.iloc[1:]
    rows = estimated(made)
    sides = {row["side"]: row for row in rows if row["by"] == "side"}
    assert sides["proposition"]["n"] == whole["proposition"]["n"] - 1
    assert sum(row["n"] for row in rows if row["by"] == "place") == 9 * 6


def test_limits_that_are_missing_say_why() -> None:
    made = make_ensemble(motions=1, epochs=1, runs=1)
    rows = estimate_wins(
        made.verdicts, made.speeches, made.manifest, {"confidence": 0.95, "resamples": 99}, 1
    )
    assert rows
    for row in rows:
        assert row["won_low"] is None and "single draw has no interval" in row["note"]
