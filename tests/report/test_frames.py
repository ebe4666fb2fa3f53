"""Frames: which sessions ended, which values are defined, which estimates are significant."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from dissensus.report.frames import attrition, complete, defined, mean, significant
from dissensus.report.view import View

METRICS = pd.DataFrame({"session_id": ["a", "b", "c"], "complete": [True, False, True]})
MANIFEST = pd.DataFrame({"session_id": ["a", "b", "c", "d"]})
ARMS = {"b": {}, "a": {}, "c": {}}
VIEW = View("deliberation", {"reference": "a", "arms": ARMS, "confidence": 0.9}, True)


def test_sessions_that_ended_are_kept_and_counted() -> None:
    assert complete(METRICS)["session_id"].tolist() == ["a", "c"]
    assert attrition(METRICS, MANIFEST) == "2 of 4 sessions"


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
