"""How much judges agree, by hand and beyond chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from audited_votes import audited, row_of, votes_of
from dissensus.audit.agreed import agreement
from dissensus.audit.biases import ALL
from dissensus.audit.report import as_text
from dissensus.audit.votes import read_votes
from dissensus.measures import agreement as agreement_of
from dissensus.measures import effective_number
from simulated_votes import write_votes


def test_alpha_and_ac1_by_hand(tmp_path: Path) -> None:
    """Four items, two judges: A A, A A, B B, A B. Five A and three B in eight votes.

    Alpha: 1 - (2/8) / (2 * 5 * 3 / (8 * 7)) = 1 - 0.25 * 56 / 30 = 8/15. AC1: the share is 3/4, and
    chance 2 * 5/8 * 3/8 = 15/32, so that it is (24/32 - 15/32) / (17/32) = 9/17.
    """
    votes = {"1": "AA", "2": "AA", "3": "BB", "4": "AB"}
    rows = votes_of(
        *(f"{item},j{n},x,y,{vote}" for item, two in votes.items() for n, vote in enumerate(two))
    )
    audit = audited(tmp_path, rows)
    assert row_of(audit, ALL, "pairwise_share").value.estimate == pytest.approx(3 / 4)
    assert row_of(audit, ALL, "krippendorff_alpha").value.estimate == pytest.approx(8 / 15)
    assert row_of(audit, ALL, "gwet_ac1").value.estimate == pytest.approx(9 / 17)
    # Two judges of correlation 1/sqrt(3): 1 1 0 1 and 1 1 0 0.
    kish = row_of(audit, ALL, "kish_effective_number").value.estimate
    assert kish == pytest.approx(2 / (1 + 1 / np.sqrt(3)))


def test_agreement_is_that_of_the_measures(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    said = rng.choice(["A", "B", "tie"], (40, 4), p=[0.5, 0.3, 0.2])
    lost = rng.random((40, 4)) < 0.1
    rows = votes_of(
        *(f"{i},j{j},x,y,{'' if lost[i, j] else said[i, j]}" for i in range(40) for j in range(4))
    )
    audit = audited(tmp_path, rows)
    named = [[None if lost[i, j] else str(said[i, j]) for j in range(4)] for i in range(40)]
    expected = agreement_of(named)
    for name, statistic in (
        ("share", "pairwise_share"),
        ("alpha", "krippendorff_alpha"),
        ("ac1", "gwet_ac1"),
    ):
        value = row_of(audit, ALL, statistic).value
        assert value.estimate == pytest.approx(expected[name]), name
        assert value.ci_low < value.estimate < value.ci_high
    numbers = np.where(lost, np.nan, np.select([said == "A", said == "B"], [1.0, 0.0], 0.5))
    kish = row_of(audit, ALL, "kish_effective_number").value.estimate
    assert kish == pytest.approx(effective_number(numbers))
    assert f"{lost.sum()} votes cannot be read" in as_text(audit)


@pytest.mark.parametrize("agree", [0.0, 0.5, 1.0])
def test_no_limit_of_the_effective_number_is_one_that_judges_cannot_have(
    tmp_path: Path, agree: float
) -> None:
    """One at least: judges who all agree. Without a limit above: judges who are at odds."""
    rng = np.random.default_rng(1)
    first = rng.choice(["A", "B"], 60)
    other = np.where(rng.random(60) < agree, first, np.where(first == "A", "B", "A"))
    rows = votes_of(
        *(f"{i},j{n},x,y,{said[i]}" for i in range(60) for n, said in enumerate((first, other)))
    )
    value = row_of(audited(tmp_path, rows), ALL, "kish_effective_number").value
    if 0.0 < agree < 1.0:
        assert 1.0 <= value.ci_low < value.estimate < value.ci_high
    else:
        assert value.estimate == pytest.approx(1.0 if agree else np.inf)
        assert np.isnan(value.ci_low)


@pytest.mark.thorough
def test_the_interval_of_alpha_holds_what_is_true(tmp_path: Path) -> None:
    """Judges who say the truth with chance .8, else either: in many items alpha is .64."""
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(40):
        truth, sees = rng.integers(0, 2, 80), rng.random((80, 2)) < 0.8
        said = np.where(sees, truth[:, None], rng.integers(0, 2, (80, 2)))
        rows = votes_of(*(f"{i},j{j},x,y,{'AB'[said[i, j]]}" for i in range(80) for j in range(2)))
        votes = read_votes(write_votes(tmp_path / "votes.csv", rows), [])
        (alpha,) = [r for r in agreement(votes, 0.95)[0] if r.statistic == "krippendorff_alpha"]
        held += alpha.value.ci_low <= 0.64 <= alpha.value.ci_high
    assert held >= stats.binom.ppf(0.001, 40, 0.95)
