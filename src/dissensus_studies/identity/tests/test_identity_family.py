"""Coefficients of several teams where no team has one: what the headline says of the largest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from dissensus.report.claims.ranked import together

from ..figures.truth import _t_test
from ..inference import estimates
from ..inference.power import linearised_sd
from ..inference.tallies import EVERY, Tally
from ..terms import CONDITIONS

TEAMS, QUESTIONS, AGENTS = 5, 66, 5


def null_team(rng: np.random.Generator, name: str, bias: float = 0.0) -> Tally:
    """A team that follows peers as often with labels as without, by question."""
    differ = rng.binomial(AGENTS, rng.uniform(0.1, 0.7, QUESTIONS))
    follows = rng.beta(2, 3, QUESTIONS)
    conformed, stayed = np.zeros((2, QUESTIONS, 2))
    for place, more in enumerate((bias, 0.0)):
        conformed[:, place] = rng.binomial(differ, np.minimum(follows + more, 1.0))
        stayed[:, place] = rng.binomial(differ - conformed[:, place].astype(int), 0.6)

    def spread(counts: Any, *shape: int) -> Any:
        return np.broadcast_to(
            counts.reshape(QUESTIONS, 2, *[1] * len(shape)), (QUESTIONS, 2, *shape)
        )

    both = np.repeat(differ[:, None], 2, axis=1).astype(float)
    nothing = np.zeros((QUESTIONS, 2))
    named = {"disagreeing": both, "conformed": conformed, "stayed": stayed}
    exposed = ("exposed_correct", "subverted", "exposed_wrong", "corrected")
    answered = ("answers", "votes", "accuracy", "vote", "parse_failures")
    return Tally(
        name,
        np.array([f"q{place}" for place in range(QUESTIONS)], dtype=object),
        np.array(["choice"] * QUESTIONS, dtype=object),
        CONDITIONS,
        np.ones((QUESTIONS, 2), dtype=bool),
        [EVERY],
        {label: spread(counts, 1, 3, 1) for label, counts in named.items()},
        {label: spread(nothing, 1, 3) for label in exposed},
        {label: spread(nothing, 2) for label in answered},
    )


def coefficients(monkeypatch: pytest.MonkeyPatch, teams: list[Tally]) -> Iterator[dict[str, Any]]:
    """The headline's rows, by the stage itself."""
    monkeypatch.setattr(estimates, "tally", lambda *_: teams)
    empty = pa.table({})
    rows = estimates.estimate_identity(empty, empty, empty, confidence=0.95, resamples=20, seed=1)
    for row in rows:
        if (row["bank"], row["measure"], row["round"], row["policy"]) == ("all", "ibc", 1, "drop"):
            yield row


def is_told(row: dict[str, Any]) -> bool:
    of = together(row)
    return not of["ci_low"] <= 0.0 <= of["ci_high"]


@pytest.mark.thorough
def test_of_five_teams_without_a_bias_one_is_said_to_have_it_in_five_per_cent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng, studies = np.random.default_rng(20251202), 500
    bold = 0
    for _ in range(studies):
        teams = [null_team(rng, f"team-{place}") for place in range(TEAMS)]
        rows = list(coefficients(monkeypatch, teams))
        assert len(rows) == TEAMS
        bold += any(map(is_told, rows))
    # Two standard errors of simulation at 5% are .02; unadjusted, it is a quarter.
    assert bold / studies <= 0.07


def test_a_bias_that_is_there_is_told_and_only_the_headline_has_the_family_s_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    teams = [null_team(rng, "a", bias=0.4), *(null_team(rng, name) for name in "bcde")]
    rows = list(coefficients(monkeypatch, teams))
    assert is_told(rows[0]) and rows[0]["family_low"] > 0.0
    for row in rows:
        assert row["family_low"] < row["estimate"] < row["family_high"]
        assert row["peers"] == EVERY


def test_the_truth_table_finds_what_the_limits_for_all_teams_find() -> None:
    """One t test: its p-value times the teams is below 5% where these limits leave 0 out."""
    rng, found = np.random.default_rng(7), 0
    for bias in np.linspace(0.0, 0.5, 40):
        team = null_team(rng, "team", bias)
        counts = {name: team.transitions[name][:, :, 0, 0, 0] for name in team.transitions}
        above, below = counts["conformed"] - counts["stayed"], counts["disagreeing"]
        sd = linearised_sd(above, below)
        estimate = float(-np.diff(above.sum(axis=0) / below.sum(axis=0))[0])
        half = stats.t.ppf(1 - 0.05 / TEAMS / 2, QUESTIONS - 1) * sd / QUESTIONS**0.5
        is_found = TEAMS * _t_test(estimate, sd, QUESTIONS) < 0.05
        assert is_found == (abs(estimate) > half)
        found += is_found
    assert 0 < found < 40
    assert np.isnan(_t_test(0.1, float("nan"), QUESTIONS))
