"""Points of information: those that were drawn, and the answers to those that were taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dissensus.errors import ArtefactError

from ..measures.records import drawn_by
from .union_debates import golden, tables


def test_points_are_those_drawn_and_only_taken_ones_have_an_answer() -> None:
    script = replace(
        golden(),
        offers={2: [("Ada", 2, "One?"), ("Cy", 3, "Two?"), ("Ed", 2, "Three?")]},
        answers={2: ["No.", ""]},
    )
    found = tables(script)
    kept = ("speech", "offer", "speaker", "argument", "accepted", "text", "answer")
    assert [tuple(row[name] for name in kept) for row in found.points] == [
        (2, 1, "Ada", 2, True, "One?", "No."),
        # Its call failed, but the point was taken.
        (2, 2, "Cy", 3, True, "Two?", ""),
        (2, 3, "Ed", 2, False, "Three?", ""),
    ]
    assert [(row["offered"], row["accepted"]) for row in found.speeches][:3] == [
        (0, 0),
        (3, 2),
        (0, 0),
    ]


def test_answers_that_do_not_fit_the_points_end_in_a_sentence() -> None:
    script = replace(golden(), offers={2: [("Ada", 2, "One?")]}, answers={2: ["No."]})
    with pytest.raises(ArtefactError, match="Speech 2 of session lots-e1-r01-coached has 1 "):
        tables(script, points=lambda _, speech: [(one, False) for one in speech.offers])


def test_points_are_drawn_again_as_the_protocol_drew_them() -> None:
    """Of six offers two are at protected arguments, the first and the last of four; of the other
    four at most two are drawn, and with probability 1 taken, in the order of their arguments.
    """
    offers = [("Ada", 1, "a"), ("Ada", 3, "b"), ("Cy", 2, "c"), ("Cy", 3, "d"), ("Ed", 2, "e")]
    settings = {"points": True, "points_a_speech": 2, "accepted": 1.0, "accepted_late": 0.0}
    script = replace(
        golden(),
        arguments={2: 4, 6: 4, 4: None},
        offers={k: [*offers, ("Ed", 4, "f")] for k in (2, 4, 6)},
        answers={2: ["One.", "Two."]},
    )
    rows = tables(script, points=drawn_by(settings)).points
    early, late = ([row for row in rows if row["speech"] == k] for k in (2, 6))
    assert len(rows) == 4
    assert [row["offer"] for row in early] == [1, 2]
    assert {row["text"] for row in rows} <= set("bcde")
    assert [row["argument"] for row in early] == sorted(row["argument"] for row in early)
    assert [row["answer"] for row in early] == ["One.", "Two."]
    assert not any(row["accepted"] for row in late)
    without = replace(script, answers={})
    assert not tables(without, points=drawn_by({**settings, "points": False})).points
