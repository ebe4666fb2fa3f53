"""Made-up runs of the study, as tests/report/test_every_study_shown.py shows them."""

from __future__ import annotations

from functools import cache

from dissensus.report.view import Artefacts, View

from .consensus_frames import VIEW, make_run

#: Statements of each domain, and sessions that are lost.
SIZES = ((3, 0), (3, 48), (1, 0))
#: Tables of no model of the run.
OF_NO_MODEL: set[str] = {"table_printed"}


@cache
def made(size: tuple[int, int]) -> tuple[Artefacts, View]:
    """What figures and tables of a run of such a size are made of."""
    return make_run(*size).artefacts, VIEW
