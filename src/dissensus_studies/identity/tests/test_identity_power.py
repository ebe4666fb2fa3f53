"""How many questions a bias needs: against hand calculations, textbook numbers, the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dissensus.tables.artefact import read, write

from ..inference.estimates import estimate_identity
from ..inference.power import (
    BIASES,
    POWER,
    QUESTIONS,
    detectable_ibc,
    linearised_sd,
    needed_questions,
    power_of,
    power_rows,
)
from .identity_rows import Debates, drawn


def test_the_spread_of_three_questions_by_hand():
    # Deltas 3/6 = 1/2 and 0/4 = 0. Influences 3[(A - D/2)/6] - 3[A/4]:
    # question 1: 3(2 - 1)/6 - 0 = 1/2; 2: 3(0 - 1)/6 - 3/4 = -5/4; 3: 3(1 - 1)/6 + 3/4 = 3/4.
    differences = [[2, 0], [0, 1], [1, -1]]
    disagreements = [[2, 1], [2, 1], [2, 2]]
    expected = np.sqrt((0.5**2 + 1.25**2 + 0.75**2) / 2)
    assert linearised_sd(differences, disagreements) == pytest.approx(expected)


def test_with_as_many_disagreements_everywhere_it_is_that_of_a_mean():
    rng = np.random.default_rng(1)
    differences = rng.integers(-5, 6, size=(40, 2))
    of_question = (differences[:, 0] - differences[:, 1]) / 5
    found = linearised_sd(differences, np.full((40, 2), 5))
    assert found == pytest.approx(of_question.std(ddof=1))


def test_what_does_not_tell_how_questions_vary():
    assert np.isnan(linearised_sd([[1, 0]], [[1, 1]]))
    assert np.isnan(linearised_sd([[1, 0], [1, 0]], [[1, 0], [1, 0]]))
    assert np.isnan(power_of([0.1, 0.2], 100, np.nan)).all()
    assert np.isnan(power_of(0.1, 100, 0.0))


def test_the_spread_is_that_of_the_bootstrap_over_questions():
    debates = drawn(np.random.default_rng(6), ["a", "b-full"], 240, rounds=1)
    rows = estimate_identity(*debates.tables(), confidence=0.95, resamples=4000, seed=2)
    power = power_rows(debates.tables()[0], 0.95)
    for team in ("a", "b-full"):
        for bank, questions in (("choice", 120), ("numeric", 120), ("all", 240)):
            (estimate,) = (
                row
                for row in rows
                if (row["team"], row["bank"], row["policy"]) == (team, bank, "drop")
                and (row["measure"], row["peers"]) == ("ibc", "all")
            )
            (sd,) = {row["sd"] for row in power if (row["team"], row["bank"]) == (team, bank)}
            assert sd == pytest.approx(estimate["se"] * np.sqrt(questions), rel=0.05)


def test_power_is_that_of_a_z_test():
    # Textbook: two-sided 5%, 80% needs (1.95996 + 0.84162)^2 = 7.849 and 90% 10.507.
    assert needed_questions(0.1, 1.0, 0.8) == 785
    assert needed_questions(-0.1, 1.0, 0.9) == 1051
    assert needed_questions(0.2, 1.5, 0.8, 0.99) == int(np.ceil(11.679 * (1.5 / 0.2) ** 2))
    assert power_of(0.0, 50, 1.0) == pytest.approx(0.05)
    assert power_of(0.1, 785, 1.0) == pytest.approx(0.8, abs=1e-3)
    critical = stats.norm.ppf(0.975)
    shift = 0.05 * np.sqrt(400) / 0.8
    expected = stats.norm.sf(critical, shift) + stats.norm.cdf(-critical, shift)
    assert power_of(-0.05, 400, 0.8) == pytest.approx(expected)
    assert power_of([[0.05], [0.1]], [25, 50, 75], 1.0).shape == (2, 3)


def test_power_is_how_often_the_test_finds_the_bias():
    rng = np.random.default_rng(2)
    means = rng.normal(0.15, 0.9 / np.sqrt(200), 40_000)
    found = np.abs(means) / (0.9 / np.sqrt(200)) > stats.norm.ppf(0.975)
    assert power_of(0.15, 200, 0.9) == pytest.approx(found.mean(), abs=0.01)


@given(st.floats(0.01, 0.5), st.floats(0.2, 3.0), st.sampled_from([0.8, 0.9, 0.3]))
def test_needed_questions_are_enough_and_no_more(ibc, sd, target):
    needed = needed_questions(ibc, sd, target)
    assert power_of(ibc, needed, sd) >= target - 1e-9
    assert needed == 1 or power_of(ibc, needed - 1, sd) < target
    detectable = detectable_ibc(needed, sd, target)
    assert detectable <= ibc * (1 + 1e-9)
    assert power_of(detectable, needed, sd) == pytest.approx(target)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match="pass a bias"):
        needed_questions(0.0, 1.0, 0.8)
    with pytest.raises(ValueError, match="pass a bias"):
        needed_questions(0.1, 0.0, 0.8)
    for power in (0.05, 1.0):
        with pytest.raises(ValueError, match="power is"):
            detectable_ibc(100, 1.0, power)


def test_rows_of_a_run(tmp_path):
    debates = drawn(np.random.default_rng(8), ["a"], 24, rounds=2)
    # One that failed takes its question from the contrast.
    debates.add("a", "choice-999", "anonymized", None)
    debates.add("a", "choice-999", "vanilla", ["AABBC", "ABBCA"], planned=2)
    metrics = debates.tables()[0]
    rows = [row for row in power_rows(metrics, 0.95) if row["bank"] == "choice"]
    sd = rows[0]["sd"]
    of_power = [row for row in rows if row["quantity"] == "power"]
    grid = [(row["ibc"], row["questions"]) for row in of_power]
    assert grid == [(ibc, size) for ibc in BIASES for size in sorted({*QUESTIONS, 12})]
    assert all(row["power"] == power_of(row["ibc"], row["questions"], sd) for row in of_power)
    needed = {(r["ibc"], r["power"]): r["questions"] for r in rows if r["quantity"] == "needed"}
    assert needed[0.1, 0.8] == needed_questions(0.1, sd, 0.8)
    assert set(needed) == {(ibc, target) for ibc in BIASES for target in (0.8, 0.9)}
    detectable = {r["questions"]: r["ibc"] for r in rows if r["quantity"] == "detectable"}
    assert set(detectable) == {12, 272}
    assert detectable[272] == pytest.approx(detectable[12] * np.sqrt(12 / 272))
    every = power_rows(metrics, 0.95)
    write(tmp_path / "power.parquet", POWER, every, {})
    assert read(tmp_path / "power.parquet", POWER).to_pylist() == every


def test_a_run_that_says_nothing_has_no_power():
    debates = Debates()
    for condition in ("anonymized", "vanilla"):
        debates.add("a", "choice-001", condition, ["AAA", "AAA"])
        debates.add("a", "choice-002", condition, ["AAA", "AAA"])
    rows = power_rows(debates.tables()[0], 0.95)
    assert {(row["quantity"], row["power"], row["sd"]) for row in rows} == {("power", None, None)}
