"""Frames: which sessions ended, which values are defined, which estimates are significant."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from dissensus.report.facts import unmarked
from dissensus.report.frames import attrition, complete, defined, keyed, mean, significant
from dissensus.report.view import Artefacts, View

METRICS = pd.DataFrame({"session_id": ["a", "b", "c"], "complete": [True, False, True]})
MANIFEST = pd.DataFrame({"session_id": ["a", "b", "c", "d"]})
ARMS = {"b": {}, "a": {}, "c": {}}
VIEW = View("deliberation", {"reference": "a", "arms": ARMS, "confidence": 0.9}, True)


def test_sessions_that_ended_are_kept_and_counted() -> None:
    assert complete(METRICS)["session_id"].tolist() == ["a", "c"]
    run = Artefacts({}, {"metrics": METRICS, "manifest": MANIFEST})
    assert unmarked(attrition(run)) == "2 of 4 sessions"


def test_a_mean_is_of_the_values_that_are_defined() -> None:
    values = pd.Series([1.0, None, 2.0])
    assert defined(values).tolist() == [1.0, 2.0] and mean(values) == 1.5
    assert math.isnan(mean(pd.Series([None, None], dtype=float)))
    assert mean(pd.Series([True, False, True, True])) == 0.75


def test_the_reference_is_the_first_arm() -> None:
    assert VIEW.arms == ("a", "b", "c")


@pytest.mark.parametrize(("p", "expected"), [(0.09, True), (0.11, False), (math.nan, False)])
def test_significant_is_below_what_the_confidence_leaves(p: float, expected: bool) -> None:
    assert significant(VIEW)({"p_adjusted": p}) is expected


def test_rows_are_looked_up_by_columns_and_a_missing_one_has_no_numbers() -> None:
    frame = pd.DataFrame({"arm": ["a", "b", "a"], "n": [1, 2, 3], "estimate": [0.1, 0.2, 0.3]})
    assert keyed(frame, "arm")["a"]["n"] == 3 and list(keyed(frame, "arm")) == ["a", "b"]
    by_both = keyed(frame, "arm", "n")
    assert by_both["a", 1]["estimate"] == 0.1 and ("b", 3) not in by_both
    missing = keyed(frame.assign(n_topics=1), "arm", "n")["b", 3]
    assert missing["n"] == missing["n_topics"] == 0
    assert math.isnan(missing["estimate"] + missing["p_value"])
    assert by_both.get(("b", 3)) is None
