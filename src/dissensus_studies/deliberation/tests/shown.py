"""Made-up runs of the study, as tests/report/test_every_study_shown.py shows them."""

from __future__ import annotations

from functools import cache

from dissensus.report.view import Artefacts, View

from .deliberation_frames import ARMS, make_run

#: Draws, arms, agents and rounds: the least first.
SIZES = (
    (1, ("emergent",), 3, 2),
    (3, ("emergent", "pid"), 5, 4),
    (12, tuple(ARMS), 4, 5),
    (1, ("emergent",), 2, 1),
)
#: Tables of no model of the run.
OF_NO_MODEL: set[str] = set()


@cache
def made(size: tuple[int, tuple[str, ...], int, int]) -> tuple[Artefacts, View]:
    """What figures and tables of a run of such a size are made of."""
    run = make_run(*size)
    return run.artefacts, run.view()
