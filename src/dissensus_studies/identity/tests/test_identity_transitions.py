"""What agents did with what they were shown, by hand and against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.tables.artefact import read, write

from ..measures.transitions import TRANSITIONS, follow_answers
from .identity_rows import RING, Debates, answer_rows, drawn, full, session


def followed(rounds, graph, right="A"):
    row = session("team", "choice-001", "vanilla", graph, len(rounds[0]), len(rounds) - 1)
    return follow_answers(answer_rows(row, rounds, right), [row])


def brief(row):
    return row["own"], row["peers"], row["answer"], row["n_disagree"], row["n_agree"]


def test_one_peer_by_hand():
    first, second, third = followed(["ACB", "CCD"], RING[3])
    assert brief(first) == ("A", ["C"], "C", 1, 0)
    assert (first["follows_peer"], first["follows_own"]) == (True, False)
    assert (first["was_correct"], first["is_correct"]) == (True, False)
    assert brief(second) == ("C", ["B"], "C", 1, 0)
    assert (second["follows_peer"], second["follows_own"]) == (False, True)
    assert brief(third) == ("B", ["A"], "D", 1, 0)
    assert (third["follows_peer"], third["follows_own"]) == (False, False)
    assert all(row["usable"] and not row["kept"] for row in (first, second, third))
    assert [row["agent"] for row in (first, second, third)] == [1, 2, 3]
    assert {row["round"] for row in (first, second, third)} == {1}


def test_whoever_agrees_follows_nobody():
    first, _, third = followed(["AAB", "AAA"], RING[3])
    assert brief(first) == ("A", ["A"], "A", 0, 1)
    assert (first["follows_peer"], first["follows_own"]) == (False, True)
    assert (third["follows_peer"], third["was_correct"], third["is_correct"]) == (True, False, True)


def test_several_peers_by_hand():
    first, second, third = followed(["ABC", "CBA"], full(3))
    assert brief(first) == ("A", ["B", "C"], "C", 2, 0)
    assert brief(second) == ("B", ["A", "C"], "B", 2, 0)
    assert [row["follows_peer"] for row in (first, second, third)] == [True, False, True]
    first, second, third = followed(["AAB", "BDA"], full(3))
    assert brief(first) == ("A", ["A", "B"], "B", 1, 1)
    assert (first["follows_peer"], second["follows_peer"], second["follows_own"]) == (True, 0, 0)
    assert brief(third) == ("B", ["A", "A"], "A", 2, 0)


@pytest.mark.parametrize(
    ("rounds", "usable", "kept"),
    [
        (["AB-", "AAA"], [True, False, False], [False, False, False]),
        (["ABC", "-BC"], [False, True, True], [True, False, False]),
        (["AB-", "--A"], [False, False, False], [True, False, False]),
    ],
)
def test_what_cannot_be_parsed_is_dropped_or_kept(rounds, usable, kept):
    rows = followed(rounds, RING[3])
    assert [row["usable"] for row in rows] == usable
    assert [row["kept"] for row in rows] == kept
    assert not any(row["follows_own"] for row in rows if row["kept"])


def test_one_peer_of_several_that_cannot_be_parsed_spoils_a_transition():
    rows = followed(["AB-", "AAA"], full(3))
    assert [row["usable"] for row in rows] == [False, False, False]
    assert (rows[0]["n_peers"], rows[0]["n_disagree"], rows[0]["n_agree"]) == (2, 1, 0)


def test_a_star_and_a_chain():
    rows = followed(["ABC", "BAA"], "2+3|1|1")
    assert [row["n_peers"] for row in rows] == [2, 1, 1]
    assert [row["peers"] for row in rows] == [["B", "C"], ["A"], ["A"]]
    assert [row["follows_peer"] for row in rows] == [True, True, True]


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_every_transition_against_the_letters(seed):
    debates = drawn(np.random.default_rng(seed), ["a", "b-full"], 4, unparsed=0.1)
    said = {(r["session_id"], r["round"], r["agent"]): r["answer"] for r in debates.answers}
    rows = debates.transitions
    assert len(rows) == len(debates.sessions) * 2 * 5
    for row in rows:
        name, number, agent = row["session_id"], row["round"], row["agent"]
        everyone = [1, 2, 3, 4, 5]
        ring, others = [agent % 5 + 1], [one for one in everyone if one != agent]
        peers = others if row["team"].endswith("full") else ring
        before = [said[name, number - 1, peer] for peer in peers]
        own, now = said[name, number - 1, agent], said[name, number, agent]
        assert (row["own"], row["peers"], row["answer"]) == (own, before, now)
        assert row["usable"] == ("" not in [own, now, *before])
        assert row["kept"] == (now == "" and "" not in [own, *before])
        if row["usable"]:
            assert row["n_disagree"] == sum(peer != own for peer in before)
            assert row["n_agree"] + row["n_disagree"] == row["n_peers"]
            assert row["follows_own"] == (now == own)
            assert row["follows_peer"] == (now in before and now != own)


def test_rows_fit_their_schema(tmp_path):
    debates = Debates()
    debates.add("team", "choice-001", "vanilla", ["AB-", "AAA", "BBB"])
    rows = debates.transitions
    write(tmp_path / "transitions.parquet", TRANSITIONS, rows, {})
    assert read(tmp_path / "transitions.parquet", TRANSITIONS).to_pylist() == rows
