"""What judges write is read, and every mean is computed here."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..controls.crit import Assessment, gamma, parse_assessment, signed
from ..controls.rca import parse_verdict

SCORES = st.tuples(st.floats(1, 10), st.floats(1, 10))
GOLDEN = Assessment("", ((8, 7), (6, 5)), ((4, 9),), ())


def entry(validity: object, credibility: object) -> dict[str, object]:
    return {"validity": validity, "credibility": credibility, "text": "because"}


def test_the_golden_scores():
    assert gamma(GOLDEN) == pytest.approx(0.4067, abs=5e-5)
    assert signed(GOLDEN) == pytest.approx(0.4098, abs=5e-5)


def test_a_stronger_rival_raises_the_one_and_lowers_the_other():
    stronger = Assessment("", GOLDEN.reasons, ((9, 9),), ())
    assert (gamma(stronger) or 0) > (gamma(GOLDEN) or 0)
    assert (signed(stronger) or 0) < (signed(GOLDEN) or 0)


def test_without_reasons_there_is_no_score():
    nothing = Assessment("", (), (), ("no",))
    assert gamma(nothing) is None
    assert signed(nothing) is None


@given(st.lists(SCORES, min_size=1, max_size=5), st.lists(SCORES, max_size=5))
def test_scores_stay_in_their_range(reasons, rivals):
    made = Assessment("", tuple(reasons), tuple(rivals), ())
    assert 0.01 - 1e-12 <= (gamma(made) or 0) <= 1 + 1e-12
    assert -1 <= (signed(made) or 0) <= 1
    opposite = Assessment("", tuple(rivals), tuple(reasons), ())
    assert signed(opposite) == pytest.approx(-(signed(made) or 0))


@pytest.mark.parametrize(
    "frame", ["{}", "Here {{it}} is.\n```json\n{}\n```\n", "I think: {} Done."]
)
def test_a_reply_is_read_whatever_stands_around_it(frame: str):
    said = {"claim": "Tax", "reasons": [entry(8, 7), entry("6", 5)], "rivals": [entry(4, 9)]}
    read = parse_assessment(frame.replace("{}", json.dumps(said)))
    assert read == Assessment("Tax", ((8, 7), (6, 5)), ((4, 9),), ())


def test_a_mean_that_the_judge_gives_is_ignored():
    said = {"claim": "", "reasons": [entry(8, 7)], "rivals": [], "gamma": 0.99}
    assert gamma(parse_assessment(json.dumps(said))) == pytest.approx(0.56)


def test_broken_json_is_mended():
    read = parse_assessment('{"claim": "x", "reasons": [{"validity": 8, "credibility": 7,}]}')
    assert read.reasons == ((8, 7),)


@pytest.mark.parametrize(
    "text",
    [
        '{"claim": "x", "reasons": [{"validity": 8, "credibility": 7}]',
        '{"claim": "x", "reasons": [{"validity": 8, "credibility": 7}, {"vali',
        "Here it is.\n```json\n" + '{"claim": "x", "reasons": [',
        "[" * 3000,
    ],
)
def test_an_assessment_that_is_cut_off_is_none(text: str):
    read = parse_assessment(text)
    assert read.problems == ("The reply's JSON object is cut off before its end.",)
    assert gamma(read) is None


@pytest.mark.parametrize(
    "said",
    [
        {"claim": "", "reasons": []},
        {"claim": "", "reasons": [entry(11, 5)]},
        {"claim": "", "reasons": [entry(5, 0)]},
        {"claim": "", "reasons": [entry(5, "high")]},
        {"claim": "", "reasons": [entry(float("nan"), 5)]},
        {"claim": "", "reasons": [entry(5, 5)], "rivals": [{"validity": 3}]},
        {"reasons": [entry(5, 5)]},
    ],
)
def test_what_is_no_assessment_has_problems_and_no_score(said: dict):
    read = parse_assessment(json.dumps(said))
    assert read.problems
    assert gamma(read) is None


@pytest.mark.parametrize("text", ["", "I refuse.", "[1, 2]"])
def test_a_reply_without_an_object_says_so(text: str):
    assert parse_assessment(text).problems == ("The reply has no JSON object.",)
    assert parse_verdict(text).follows is None


def test_a_verdict_is_read():
    read = parse_verdict('It does not.\n{"follows": false, "reason": "It says P and takes Q."}')
    assert (read.follows, read.reason, read.problems) == (False, "It says P and takes Q.", ())
    assert parse_verdict('{"follows": true}').follows is True
    assert parse_verdict('{"follows": "perhaps"}').problems
    assert parse_verdict('{"follows": true, "reason": "\\ud800"}').reason.encode("utf-8")
