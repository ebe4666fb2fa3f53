"""What the tokens of a deliberation find without it."""

from __future__ import annotations

from dissensus.report.equal_tokens import draw_equal_tokens
from dissensus.report.style import styled
from dissensus.report.view import Artefacts, Drawn, View

MISSING = (
    "No arm shows agents their own turns alone, or nothing, on a topic with a truth: nothing to "
    "compare the debates with."
)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the reference beside the baselines."""
    return draw_equal_tokens(artefacts.facts("equal_tokens"), "arm", "draw", MISSING, view)
