"""From turns to tables: what was said and judged, and what an unreadable reply costs."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.tables.artefact import read, write

from ..measures.records import Tables, reconstruct
from ..tables import (
    CLAIMS,
    LAYERS,
    POINTS,
    REBUTTALS,
    SCORES,
    SPEECHES,
    VERDICTS,
    VOTES,
)
from .union_debates import (
    MOTION,
    Script,
    golden,
    manifest_row,
    tables,
    take_answered,
)

SCHEMAS = {one.name: one for one in (SPEECHES, POINTS, CLAIMS, REBUTTALS, SCORES, VOTES, VERDICTS)}
ALWAYS_A = {1: ("A",) * 3, 2: ("A",) * 3}


def verdict(script: Script, motion: dict[str, Any] = MOTION, **changes: Any) -> dict[str, Any]:
    (row,) = tables(script, motion, **changes).verdicts
    return row


def test_the_golden_debate_fills_every_table_as_its_schema_promises(tmp_path: Path) -> None:
    found = tables(replace(golden(), offers={2: [("Ada", 2, "Sure?")]}, answers={2: ["Yes."]}))
    sizes = {}
    for name, schema in SCHEMAS.items():
        write(tmp_path / name, schema, getattr(found, name), {})
        sizes[name] = read(tmp_path / name, schema).num_rows
    assert sizes == {
        **{"speeches": 6, "points": 1, "claims": 10, "rebuttals": 10},
        **{"scores": 6, "votes": 12, "verdicts": 1},
    }


def test_no_debates_leave_empty_tables(tmp_path: Path) -> None:
    found = reconstruct({}, {}, {"lots": MOTION}, LAYERS, take_answered)
    for name, schema in SCHEMAS.items():
        write(tmp_path / name, schema, getattr(found, name), {})
        assert read(tmp_path / name, schema).num_rows == 0


def test_styles_and_memos_are_no_debates() -> None:
    session = manifest_row(kind="memo", session_id="lots-e2-memo")
    turns = golden().turns(session)
    found = reconstruct(
        {"lots-e2-memo": turns}, {"lots-e2-memo": session}, {"lots": MOTION}, LAYERS, take_answered
    )
    assert found == Tables()


def test_the_verdict_of_the_golden_debate_is_that_computed_by_hand() -> None:
    """Votes: pass 1 A, A, B is proposition twice, opposition once; pass 2 B, A, B the same. Tally
    and fates: see the tests of each. Scores after recalibration: 8, 7, 6 against 6.5, 7.5, 5.
    Students are Cy and Ed: of 3.1, 3.2 and 5.1 the first two survive; of their three rebuttals
    that count, that of 2.1 demolishes.
    """
    expected = {
        **{name: manifest_row()[name] for name in ("session_id", "motion_id", "arm")},
        **{"epoch": 1, "run": 1, "winner": "proposition", "decided_by": "panel"},
        **{"margin": "narrow"},
        **{"votes_proposition": 4, "votes_opposition": 2, "passes_agree": True},
        **{"panel": "proposition", "annotation": "opposition", "rubric": "proposition"},
        **{"audit": "opposition", "points_proposition": 13.5, "points_opposition": 14.0},
        **{"surviving_proposition": 2, "surviving_opposition": 3, "one_sided": False},
        **{"student_votes": 4 / 6, "student_survival": 2 / 3, "student_demolitions": 1 / 3},
    }
    row = verdict(golden())
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize("removed", range(4))
def test_each_layer_taken_out_leaves_the_verdict_to_the_next(removed: int) -> None:
    layers = [layer for n, layer in enumerate(LAYERS) if n != removed]
    expected = ("opposition", "annotation") if removed == 0 else ("proposition", "panel")
    row = verdict(golden(), layers=layers)
    assert (row["winner"], row["decided_by"]) == expected
    # What each layer says does not depend on whether it is asked.
    assert row["panel"] == "proposition"
    assert row["audit"] == "opposition"


def test_a_panel_that_always_says_a_is_contested() -> None:
    row = verdict(replace(golden(), blind=ALWAYS_A))
    assert (row["votes_proposition"], row["votes_opposition"]) == (3, 3)
    assert (row["winner"], row["decided_by"]) == ("contested", "panel")
    assert not row["passes_agree"]


@pytest.mark.parametrize(
    ("blind", "expected"),
    [
        ({1: ("A", "A", None), 2: ("B", None, "A")}, ("proposition", "panel")),
        ({1: ("A", "A", None), 2: ("A", None, "A")}, ("contested", "panel")),
        ({1: ("A", "A", None), 2: ("B", None, None)}, ("opposition", "annotation")),
        ({}, ("opposition", "annotation")),
    ],
    ids=["four votes", "two to two", "three votes", "no panel"],
)
def test_fewer_than_four_readable_votes_leave_it_to_the_next_layer(
    blind: dict[int, Any], expected: tuple[str, str]
) -> None:
    row = verdict(replace(golden(), blind=blind))
    assert (row["winner"], row["decided_by"]) == expected


def test_votes_name_the_side_whose_speeches_they_are_for() -> None:
    votes = {(row["panel"], row["pass"], row["seat"]): row for row in tables(golden()).votes}
    said = {place: (row["slot"], row["label"], row["side"]) for place, row in votes.items()}
    # Pass 2 of the blind panel has the opposition in slot A.
    assert said["blind", 1, 1] == ("A", "", "proposition")
    assert said["blind", 1, 3] == ("B", "", "opposition")
    assert said["blind", 2, 1] == ("B", "", "proposition")
    assert said["blind", 2, 2] == ("A", "", "opposition")
    # Pass 2 of the labelled one has the same slots under the other labels.
    assert said["labelled", 1, 1] == ("A", "proposition", "proposition")
    assert said["labelled", 2, 1] == ("B", "proposition", "opposition")
    assert said["labelled", 2, 2] == ("A", "opposition", "proposition")
    assert votes["blind", 1, 2]["judge"] == "judge2"


def test_a_vote_knows_how_many_more_words_slot_a_has() -> None:
    texts = {k: "word " * (10 * k) for k in range(1, 7)}
    more = {
        (row["panel"], row["pass"]): row["words_more"]
        for row in tables(replace(golden(), texts=texts)).votes
    }
    # 10 + 30 + 50 against 20 + 40 + 60.
    assert more == {
        **{("blind", 1): -30.0, ("blind", 2): 30.0},
        **{("labelled", 1): -30.0, ("labelled", 2): -30.0},
    }


def test_an_unreadable_vote_has_no_slot_and_no_side() -> None:
    found = tables(replace(golden(), blind={1: ("A", None, "B"), 2: ("B", "A", "B")}))
    (row,) = (row for row in found.votes if (row["pass"], row["seat"], row["label"]) == (1, 2, ""))
    assert (row["slot"], row["side"], row["judge"]) == ("", "", "judge2")
    assert len(found.votes) == 12


@pytest.mark.parametrize(
    ("words", "kept"), [(999, False), (1000, True), (1800, True), (1801, False), (0, False)]
)
def test_speeches_of_another_length_are_flagged(words: int, kept: bool) -> None:
    row = tables(replace(golden(), texts={1: "word " * words})).speeches[0]
    assert (row["words"], row["length_kept"]) == (words, kept)


def test_speeches_have_their_speakers_sides_and_arguments() -> None:
    rows = tables(replace(golden(), arguments={2: None, 3: 0, 4: 5})).speeches
    assert [row["speaker"] for row in rows] == ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]
    assert [row["side"] for row in rows] == ["proposition", "opposition"] * 3
    assert [row["student"] for row in rows] == [False, False, True, False, True, False]
    assert [row["arguments"] for row in rows] == [3, 0, 0, 5, 3, 3]
    assert [row["extracted"] for row in rows] == [True, False, True, True, True, True]


def test_claims_are_named_by_speech_and_place_and_carry_their_fate() -> None:
    rows = {row["claim_id"]: row for row in tables(golden()).claims}
    assert list(rows) == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "5.1", "6.1", "6.2"]
    first = rows["1.1"]
    assert (first["speaker"], first["side"], first["student"]) == ("Ada", "proposition", False)
    assert (first["kind"], first["specific"], first["points"]) == ("evidence_backed", True, 2.0)
    # Of its two answers one is of its own side.
    assert (first["rebuttals"], first["fate"]) == (1, "contested")
    assert rows["3.1"]["rebuttals"] == 0


def test_rebuttals_count_only_where_they_answer_an_earlier_claim_of_the_other_side() -> None:
    rows = tables(golden()).rebuttals
    assert [row["rebuttal"] for row in rows] == list(range(1, 11))
    assert [row["counted"] for row in rows] == [True] * 3 + [False] * 2 + [True] * 3 + [False] * 2
    assert [row["points"] for row in rows] == [2.0, 0.5, 0.0, 0.0, 0.0, 2.0, 1.5, 2.0, 0.0, 0.0]
    assert (rows[1]["by"], rows[1]["speaker"], rows[1]["side"]) == ("", "Cy", "proposition")
    assert rows[9]["claim_id"] == "9.9"


@pytest.mark.parametrize(
    ("by", "expected"), [("", (0, "", "", False)), ("2.1", (2, "Bo", "opposition", True))]
)
def test_a_rebuttal_in_no_speech_is_of_the_claim_that_makes_it_or_of_nobody(
    by: str, expected: tuple[Any, ...]
) -> None:
    lists = {"proposition": [], "opposition": [(" 1.1 ", by, 77, "111")]}
    (row,) = tables(replace(golden(), rebuttals=[lists])).rebuttals
    assert tuple(row[name] for name in ("speech", "speaker", "side", "counted")) == expected
    assert row["claim_id"] == "1.1"


ONE_WAY = {"proposition": [("2.1", "", 3, "100")] * 10, "opposition": []}
BOTH_WAYS = {"proposition": [("2.1", "", 3, "100")] * 10, "opposition": [("1.1", "", 2, "100")]}


@pytest.mark.parametrize(
    ("lists", "flagged", "found"),
    [
        ([ONE_WAY, ONE_WAY], True, 10),
        ([ONE_WAY, BOTH_WAYS], False, 11),
        ([BOTH_WAYS], False, 11),
        # The source has published four of these, which nobody flagged.
        ([{"proposition": ONE_WAY["proposition"][:9], "opposition": []}], True, 9),
        ([{"proposition": ONE_WAY["proposition"][:8], "opposition": []}], True, 8),
        ([{"proposition": ONE_WAY["proposition"][:7], "opposition": []}], False, 7),
        # A list that cannot be read is not one without rebuttals; the first one stands for it.
        ([{"proposition": ONE_WAY["proposition"], "opposition": None}], False, 10),
        ([ONE_WAY, {"proposition": None, "opposition": []}], True, 10),
    ],
)
def test_rebuttals_found_one_way_only_are_flagged(
    lists: list[Any], flagged: bool, found: int
) -> None:
    made = tables(replace(golden(), rebuttals=lists))
    assert made.verdicts[0]["one_sided"] is flagged
    assert len(made.rebuttals) == found


@pytest.mark.parametrize(
    "missing",
    [
        {"claims": {**golden().claims, 4: None}},
        {"rebuttals": [{**golden().rebuttals[0], "opposition": None}]},
        {"rebuttals": []},
    ],
    ids=["claims of a speech", "rebuttals of a side", "all rebuttals"],
)
def test_layers_that_rest_on_the_annotation_say_nothing_where_part_of_it_is_missing(
    missing: dict[str, Any],
) -> None:
    row = verdict(replace(golden(), blind={}, **missing))
    assert (row["annotation"], row["audit"]) == ("none", "none")
    assert (row["winner"], row["decided_by"]) == ("proposition", "rubric")


def test_an_unreadable_list_of_claims_costs_its_speech_alone() -> None:
    found = tables(replace(golden(), claims={**golden().claims, 1: None}))
    assert sorted({row["speech"] for row in found.claims}) == [2, 3, 4, 5, 6]
    assert len(found.rebuttals) == 10
    assert found.verdicts[0]["winner"] == "proposition"


def test_scores_have_the_mean_of_five_and_the_place_among_all() -> None:
    rubrics = {**golden().rubrics, 3: None}
    rows = tables(replace(golden(), rubrics=rubrics)).scores
    assert rows[0]["mean"] == pytest.approx((6 + 7 + 8 + 5 + 9) / 5)
    assert (rows[0]["persona_fidelity"], rows[0]["rank"], rows[0]["recalibrated"]) == (9, 1, 8)
    assert (rows[2]["mean"], rows[2]["argument_strength"]) == (None, None)
    assert (rows[2]["rank"], rows[2]["recalibrated"]) == (3, 7)


@pytest.mark.parametrize("ranks", [None, [(1, 8.0), (2, 5.0)]], ids=["unreadable", "of two"])
def test_without_a_recalibration_of_all_speeches_the_rubric_says_nothing(ranks: Any) -> None:
    found = tables(replace(golden(), recalibrated=ranks))
    assert all(row["rank"] is None and row["recalibrated"] is None for row in found.scores)
    assert found.verdicts[0]["rubric"] == "none"


def test_equal_mean_scores_are_contested_whatever_the_last_bit_of_their_sums() -> None:
    # 9.9 + 9.6 + 6.6 = 9.7 + 8.2 + 8.2, though not as binary fractions.
    ranks = [(1, 9.9), (2, 9.7), (3, 9.6), (4, 8.2), (6, 6.6), (5, 8.2)]
    assert fmean((9.9, 9.6, 6.6)) != fmean((9.7, 8.2, 8.2))
    assert verdict(replace(golden(), recalibrated=ranks))["rubric"] == "contested"


@pytest.mark.parametrize(
    ("students", "votes", "survival"),
    [
        (["Cy", "Ed"], 4 / 6, 2 / 3),
        (["Bo"], 2 / 6, 0.0),
        (["Cy", "Bo"], None, 2 / 4),
        ([], None, None),
        (["Ann"], None, None),
    ],
)
def test_the_students_shares_are_of_their_side_and_of_their_claims(
    students: list[str], votes: float | None, survival: float | None
) -> None:
    row = verdict(golden(), {**MOTION, "students": students})
    assert (row["student_votes"], row["student_survival"]) == (votes, survival)


def test_a_debate_of_which_nothing_can_be_read_is_contested_by_nobody() -> None:
    found = tables(
        Script(
            texts=dict.fromkeys(range(1, 7), ""),
            arguments=dict.fromkeys(range(1, 7)),
            claims=dict.fromkeys(range(1, 7)),
        )
    )
    row = found.verdicts[0]
    assert (row["winner"], row["decided_by"]) == ("contested", "none")
    assert (row["points_proposition"], row["student_votes"]) == (0.0, None)
    assert len(found.speeches) == len(found.scores) == 6
    assert not found.claims


def test_two_speakers_a_side_have_their_last_speech_halved() -> None:
    motion = {**MOTION, "proposition": ["Ada", "Cy"], "opposition": ["Bo", "Di"]}
    script = Script(
        order=("Ada", "Bo", "Cy", "Di"),
        claims={4: [("principled", False)], 3: [("assertion", True)]},
    )
    worth = {row["claim_id"]: row["points"] for row in tables(script, motion).claims}
    assert worth == {"3.1": 2.0, "4.1": 1.0}


@given(
    st.dictionaries(
        st.sampled_from([1, 2]),
        st.lists(st.sampled_from(["A", "B", None]), min_size=3, max_size=3),
        min_size=2,
    )
)
def test_slots_exchanged_in_both_passes_exchange_the_verdict(blind: dict[int, Any]) -> None:
    other = {"A": "B", "B": "A", None: None}
    swapped = {pass_: [other[vote] for vote in votes] for pass_, votes in blind.items()}
    winners = [
        verdict(replace(golden(), blind=votes), layers=["panel"])["winner"]
        for votes in (blind, swapped)
    ]
    exchanged = {"proposition": "opposition", "opposition": "proposition"}
    assert winners[1] == exchanged.get(winners[0], "contested")


def test_eighty_debates_take_less_than_five_seconds() -> None:
    text = "This is what is said of lots, and why they are right. " * 110
    others = {0: ("Ada", "Cy", "Ed"), 1: ("Bo", "Di", "Flo")}
    script = replace(
        golden(),
        texts=dict.fromkeys(range(1, 7), text),
        offers={k: [(name, 2, "Sure?") for name in others[k % 2]] for k in range(1, 7)},
        answers={k: ["No.", "Yes."] for k in range(1, 7)},
    )
    rows = [manifest_row(epoch, run) for epoch in range(1, 5) for run in range(1, 21)]
    sessions = {row["session_id"]: script.turns(row) for row in rows}
    assert set(map(len, sessions.values())) == {75}
    begun = time.process_time()
    found = reconstruct(
        sessions, {row["session_id"]: row for row in rows}, {"lots": MOTION}, LAYERS, take_answered
    )
    assert time.process_time() - begun < 5
    assert len(found.verdicts) == 80
