"""The counts of a round, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.tables.artefact import read, write

from ..measures.metrics import METRICS, majority_vote
from .identity_rows import Debates, full


def test_a_tied_vote_is_right_by_halves():
    assert majority_vote(list("AABBC"), "A") == 0.5
    assert majority_vote(list("AABBC"), "C") == 0.0
    assert majority_vote(list("AAABB"), "A") == 1.0
    assert majority_vote(list("ABCDE"), "E") == pytest.approx(0.2)
    assert majority_vote(["A", "", "", "", ""], "A") == 1.0
    assert majority_vote(["A", "B", "C", "", ""], "B") == pytest.approx(1 / 3)
    assert majority_vote(["", "", ""], "A") == 0.0


@given(st.lists(st.sampled_from(["A", "B", "C", ""]), min_size=1, max_size=7))
def test_the_vote_elects_somebody_once(answers):
    total = sum(majority_vote(answers, right) for right in "ABC")
    assert total == pytest.approx(1.0 if any(answers) else 0.0)


COUNTS = (
    *("disagreeing", "conformed", "stayed"),
    *("exposed_correct", "subverted", "exposed_wrong", "corrected"),
)


def counts(row):
    return [row[name] for name in COUNTS]


def test_one_peer_by_hand():
    debates = Debates()
    debates.add("team", "choice-001", "vanilla", ["ACB", "CCD"])
    opening, first = debates.metrics
    assert (opening["accuracy"], opening["vote"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert counts(opening) == [None] * 7
    # A meets C and takes it; C meets B and stays; B meets A, which is right, and goes elsewhere.
    assert counts(first) == [3, 1, 1, 1, 1, 1, 0]
    assert (first["accuracy"], first["vote"], first["parsed_share"]) == (0.0, 0.0, 1.0)


def test_who_agrees_and_who_cannot_be_parsed():
    debates = Debates()
    debates.add("team", "choice-001", "vanilla", ["ABB", "-BA", "AAA"])
    _, first, second = debates.metrics
    # Agent 1 is dropped, agent 2 agrees with agent 3, who takes agent 1's right answer.
    assert counts(first) == [1, 1, 0, 0, 0, 1, 1]
    assert (first["accuracy"], first["parsed_share"]) == (
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    )
    assert first["vote"] == 0.5
    # Agent 1 has no own answer, agent 3 sees none; agent 2 (B) takes agent 3's A.
    assert counts(second) == [1, 1, 0, 0, 0, 1, 1]
    assert (second["accuracy"], second["vote"]) == (1.0, 1.0)


def test_several_peers_by_hand():
    debates = Debates()
    debates.add("team", "choice-001", "vanilla", ["AAB", "BAA"], graph=full(3))
    debates.add("team", "choice-002", "vanilla", ["ABC", "CCA"], graph=full(3))
    first, second = debates.metrics[1], debates.metrics[3]
    # Both that are right see one that is wrong: one falls. The one that is wrong recovers.
    assert counts(first) == [3, 2, 1, 2, 1, 1, 1]
    # All disagree with all and follow one another; B took C, which is as wrong.
    assert counts(second) == [3, 3, 0, 1, 1, 2, 1]


def test_what_failed_has_rows_without_measures(tmp_path):
    debates = Debates()
    debates.add("team", "choice-001", "anonymized", None, planned=2)
    debates.add("team", "choice-001", "vanilla", ["AAA", "AAA", "AAA"])
    # An opening is no debate, wherever it stands among them.
    debates.sessions.insert(1, debates.sessions[0] | {"condition": "opening"})
    rows = debates.metrics
    assert [(row["condition"], row["round"], row["complete"]) for row in rows] == [
        *(("anonymized", number, False) for number in range(3)),
        *(("vanilla", number, True) for number in range(3)),
    ]
    for row in rows[:3]:
        assert (row["parsed_share"], row["accuracy"], row["vote"]) == (None, None, None)
        assert counts(row) == [None] * 7
    assert counts(rows[4]) == [0] * 7
    write(tmp_path / "metrics.parquet", METRICS, rows, {})
    assert read(tmp_path / "metrics.parquet", METRICS).to_pylist() == rows
