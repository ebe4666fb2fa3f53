"""What the page says of a study that may stop."""

from __future__ import annotations

import pytest

from dissensus.design.stopping import LOOKS, STOP
from dissensus.report.facts import Facts, unmarked
from dissensus.report.pages.looks import stopping
from dissensus.run.spending import SPENDING
from dissensus_studies.deliberation.design.manifest import MANIFEST
from made_frames import frame_of


def said(block: int, verdict: str = STOP) -> str:
    """Of a study of three blocks with two draws each and two sessions a draw."""
    sessions = [
        {"session_id": f"{b}{d}{arm}", "draw_id": f"{b}{d}", "block": b}
        for b in (1, 2, 3)
        for d in "ab"
        for arm in "xy"
    ]
    look = {"block": block, "draws": 2 * block, "verdict": verdict, "rule": "it is known"}
    calls = [
        {"session_id": row["session_id"], "purpose": "debate", "calls": 5}
        for row in sessions
        if row["block"] <= block
    ]
    frames = (
        frame_of(schema, rows)
        for schema, rows in ((LOOKS, [look]), (MANIFEST, sessions), (SPENDING, calls))
    )
    facts = (Facts(name, of, ()) for name, of in zip("abc", frames, strict=True))
    return unmarked(stopping(*facts))


@pytest.mark.parametrize(
    ("block", "savings"),
    [
        (1, "8 of 12 sessions (67%) were not run: some 40 calls fewer, as 20 were made."),
        (3, "That block was the last, and all sessions were run."),
    ],
)
def test_it_says_what_a_stop_has_saved(block: int, savings: str) -> None:
    sentences = said(block)
    assert f"after block {block}, at {2 * block} of 6 draws, since it is known" in sentences
    assert savings in sentences


def test_a_study_that_ran_to_its_end_says_what_is_not_so() -> None:
    assert "Not stopped: after all 6 draws it is not so that it is known" in said(3, "go on")
