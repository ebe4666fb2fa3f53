"""Made-up runs of the study, as tests/report/test_every_study_shown.py shows them."""

from __future__ import annotations

from functools import cache

from dissensus.report.view import Artefacts, View

from .union_frames import VIEW, make_run

#: Motions, epochs and runs: the least first, and one without motions.
SIZES = ((1, 1, 1), (0, 1, 1), (2, 4, 5), (6, 6, 2))
#: Tables of no model of the run.
OF_NO_MODEL: set[str] = set()


@cache
def made(size: tuple[int, int, int]) -> tuple[Artefacts, View]:
    """What figures and tables of a run of such a size are made of."""
    return make_run(*size).artefacts, VIEW
