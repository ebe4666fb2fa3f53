"""Made-up runs of the study, as tests/report/test_every_study_shown.py shows them."""

from __future__ import annotations

from functools import cache

from dissensus.report.view import Artefacts, View

from .figure_frames import VIEW, make_run

#: Draws, domains and languages: the least first, and one draw whose last session is lost.
SIZES = (
    (4, 2, ("en", "zh")),
    (12, 3, ("en", "zh", "fr")),
    (24, 9, ("en", "zh", "an_own")),
    (1, 2, ("en", "zh")),
)
#: Tables of no model of the run.
OF_NO_MODEL: set[str] = {"table_reliability"}


@cache
def made(size: tuple[int, int, tuple[str, ...]]) -> tuple[Artefacts, View]:
    """What figures and tables of a run of such a size are made of."""
    return make_run(*size).artefacts, VIEW
