"""Biases that are planted in simulated judges are found by the audit, from texts on."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special

from ..inference.audit import BIASES, audit_judges
from ..simulated.judging import weighed
from ..simulated.prompts import read_prompt
from ..tables import SIDES
from .union_planted import INFERENCE, JUDGES, Ensemble, run, settings
from .union_sessions import prompts

pytestmark = pytest.mark.slow

RUNS = 40
#: Speeches differ in length, and are short otherwise.
SPEAKER = {"off_length_rate": 0.5, "claims": 3.0}
QUICK: dict[str, Any] = {"words": 300, "points": False, "definitions": False}


LIMITS = ("ci_low", "ci_high")


def judged(seed: int = 3, runs: int = RUNS, **judges: Any) -> Ensemble:
    return run(settings(runs=runs, **QUICK), seed=seed, speaker=SPEAKER, **judges)


def rows_of(made: Ensemble, seed: int = 1) -> dict[tuple[str, str], dict[str, Any]]:
    """(judge, bias) -> the row of the audit."""
    found = audit_judges(made.frames["votes"], made.frames["verdicts"], INFERENCE, seed)
    return {(row["judge"], row["bias"]): row for row in found if not row["compared"]}


def named(rows: dict[tuple[str, str], dict[str, Any]]) -> dict[tuple[str, str], str]:
    """(judge, bias) -> what a named judge favours."""
    return {key: row["favours"] for key, row in rows.items() if row["named"] and key[0] != "all"}


@pytest.mark.thorough
def test_judges_who_always_say_a_give_three_to_three_and_are_named() -> None:
    made = judged(judge={"slot_bias": 99.0})
    verdicts = made.frames["verdicts"]
    assert (verdicts[["votes_proposition", "votes_opposition"]] == 3).all(axis=None)
    assert set(verdicts["winner"]) == {"contested"}
    assert set(verdicts["decided_by"]) == {"panel"}
    assert not verdicts["passes_agree"].any()
    rows = rows_of(made)
    assert named(rows) == {(name, "position"): "slot A" for name in JUDGES}
    assert all(rows[name, "position"]["followed"] == 1.0 for name in JUDGES)


@pytest.mark.parametrize(
    ("bias", "planted", "favours"),
    [
        pytest.param("position", {"slot_bias": 1.9}, "slot A", marks=pytest.mark.thorough),
        pytest.param("position", {"slot_bias": -1.9}, "slot B", marks=pytest.mark.thorough),
        ("verbosity", {"length_bias": 400.0}, "longer speeches"),
        pytest.param(
            *("verbosity", {"length_bias": -400.0}, "shorter speeches"), marks=pytest.mark.thorough
        ),
        pytest.param("side", {"side_bias": 99.0}, "proposition", marks=pytest.mark.thorough),
        pytest.param("side", {"side_bias": -2.5}, "opposition", marks=pytest.mark.thorough),
    ],
)
def test_the_one_judge_with_a_bias_is_named_and_no_other(
    bias: str, planted: dict[str, float], favours: str
) -> None:
    made = judged(judge_2=planted)
    assert named(rows_of(made)) == {("judge-2", bias): favours}
    if bias == "verbosity":
        votes = made.frames["votes"]
        own = votes[(votes["judge"] == "judge-2") & (votes["words_more"].abs() > 40)]
        says_longer = (own["slot"] == "A") == (own["words_more"] > 0)
        assert says_longer.mean() == (favours == "longer speeches")


@pytest.mark.thorough
def test_biases_are_as_large_as_planted() -> None:
    """Judges who do not look at quality: shares that follow are p^2 of p^2 + (1 - p)^2."""
    planted = {"judge_1": {"slot_bias": 0.7}, "judge_2": {"length_bias": 9.0}}
    made = judged(
        seed=17, runs=100, judge={"sharpness": 0.0}, judge_3={"side_bias": 0.8}, **planted
    )
    rows = rows_of(made)

    def share(logit: float) -> float:
        return 1 / (1 + math.exp(-2 * logit))

    expected = {
        ("judge-1", "position"): share(0.7),
        ("judge-1", "verbosity"): 0.0,
        ("judge-1", "side"): 0.5,
        ("judge-2", "position"): 0.5,
        # Logits for a hundred words.
        ("judge-2", "verbosity"): 0.9,
        ("judge-3", "position"): 0.5,
        ("judge-3", "verbosity"): 0.0,
        ("judge-3", "side"): share(0.8),
        # Whoever follows a slot disagrees with itself: 1 - (p^2 + (1 - p)^2) / (1 / 2).
        ("judge-1", "agreement"): -(math.tanh(0.7 / 2) ** 2),
        ("judge-3", "agreement"): 0.0,
    }
    for key, value in expected.items():
        row = rows[key]
        # Ten intervals of 95% miss one in two times: each is widened to some 99.8%.
        low, high = (row["estimate"] + 1.6 * (row[end] - row["estimate"]) for end in LIMITS)
        assert low < value < high, (key, row["estimate"])
        assert row["ci_high"] - row["ci_low"] < 1.2, key
    favoured = {("judge-1", "position"), ("judge-2", "verbosity"), ("judge-3", "side")}
    assert set(named(rows)) == favoured


def test_judges_who_see_who_is_better_agree_with_each_other_and_the_tally() -> None:
    rows = rows_of(judged(judge={"sharpness": 9.0}))
    assert all(rows[name, "agreement"]["estimate"] > 0.8 for name in (*JUDGES, "all"))
    assert not named(rows)


# Size: of many audits of unbiased judges.

AUDITS, DEBATES, SHARPNESS = 40, 25, 0.12


@cache
def bank() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Votes of many debates, with the chance of each for slot A, and their verdicts.

    The chance is what the simulated judge makes of the prompt that it was shown.
    """
    made = judged(seed=29, runs=110, judge={"sharpness": SHARPNESS})
    chances = {}
    for name, session in made.debates.items():
        for call, _ in prompts(session, "blind", "labelled"):
            points, _ = weighed(read_prompt(call.messages).part(0))
            chances[name, call.speaker] = special.expit(SHARPNESS * points)
    votes = made.frames["votes"]
    seats = zip(votes["session_id"], votes["panel"], votes["pass"], votes["seat"], strict=True)
    chance = [chances[name, f"{panel}:{number}:{seat}"] for name, panel, number, seat in seats]
    return votes.assign(chance=chance), made.frames["verdicts"]


def cast_again(votes: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The same judges vote afresh."""
    for_a = rng.random(len(votes)) < votes["chance"]
    true = votes["pass"] == 1
    blind = votes["panel"] == "blind"
    of_a, label = for_a == (true | ~blind), for_a == true
    proposition, opposition = SIDES
    return votes.assign(
        slot=np.where(for_a, "A", "B"),
        side=np.where(of_a, proposition, opposition),
        label=np.where(blind, "", np.where(label, proposition, opposition)),
    )


@pytest.mark.thorough
def test_votes_cast_again_are_such_votes() -> None:
    votes, _ = bank()
    again = cast_again(votes, np.random.default_rng(0))
    known = ["panel", "pass", "slot", "side", "label"]
    assert set(map(tuple, again[known].to_numpy())) == set(map(tuple, votes[known].to_numpy()))
    # And the votes that were cast are what the chances say.
    spread = math.sqrt(float((votes["chance"] * (1 - votes["chance"])).sum()))
    assert abs((votes["slot"] == "A").sum() - votes["chance"].sum()) < 4 * spread


@pytest.mark.thorough
def test_unbiased_judges_are_suspected_and_named_at_the_stated_rates() -> None:
    """Three judges and biases in each of 40 audits: 360 tests, of which .03 to .07 reject.

    Four standard errors of a bias's 120 tests are .08; of the audits that name anybody, .14.
    """
    votes, verdicts = bank()
    rng = np.random.default_rng(31)
    sessions = np.array(sorted(set(votes["session_id"])))
    by_session = dict(list(votes.groupby("session_id")))
    low: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    audits_with_names = named_together = 0
    for _ in range(AUDITS):
        drawn = rng.choice(sessions, DEBATES, replace=False)
        own = cast_again(pd.concat([by_session[name] for name in drawn]), rng)
        rows = audit_judges(
            own, verdicts[verdicts["session_id"].isin(drawn)], {**INFERENCE, "resamples": 2}, 1
        )
        of_judges = [row for row in rows if row["level"] == "judge" and row["bias"] in BIASES]
        audits_with_names += any(row["named"] for row in of_judges)
        named_together += any(row["named"] for row in rows if row["level"] == "all")
        for row in of_judges:
            tests[row["bias"]] += row["p_value"] is not None
            low[row["bias"]] += row["p_value"] is not None and row["p_value"] < 0.05
    for bias in BIASES:
        assert tests[bias] > 0.95 * 3 * AUDITS
        assert 0.0 < low[bias] / tests[bias] < 0.13, bias
    assert 0.03 <= low.total() / tests.total() <= 0.07
    # That biased judges are named is tested above.
    assert audits_with_names / AUDITS < 0.19
    assert named_together / AUDITS < 0.19
