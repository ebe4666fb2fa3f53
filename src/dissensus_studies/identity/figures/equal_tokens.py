"""What the tokens of a debate find without debate."""

from __future__ import annotations

from dissensus.report.equal_tokens import draw_equal_tokens
from dissensus.report.style import styled
from dissensus.report.view import Artefacts, Drawn, View

MISSING = "No team holds the controls refined or sampled: nothing to compare its debates with."


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a row for every team that holds baselines."""
    return draw_equal_tokens(artefacts.facts("equal_tokens"), "team", "question", MISSING, view)
