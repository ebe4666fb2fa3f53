"""All tables of the study, in the order of their names."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dissensus.identity.figures import model_tables, paper_tables, printed, study_tables
from dissensus.identity.figures.frames import Estimates, View, read_teams
from dissensus.report.tables import Table


@dataclass(frozen=True)
class Artefacts:
    """What the tables are made from: the study's artefacts of these names."""

    estimates: pd.DataFrame
    dcm: pd.DataFrame
    dcm_tests: pd.DataFrame
    martingale: pd.DataFrame
    metrics: pd.DataFrame
    outcomes: pd.DataFrame
    power: pd.DataFrame
    manifest: pd.DataFrame


def make_tables(run: Artefacts, view: View) -> list[Table]:
    """The tables of :data:`dissensus.identity.figures.names.TABLES`, in that order."""
    found = Estimates.of(run.estimates)
    teams = read_teams(run.manifest, found.teams)
    fits = model_tables.Fits.of(found, run.dcm, run.dcm_tests)
    return [
        paper_tables.table_1(found, teams, view),
        paper_tables.table_2(found, view),
        paper_tables.table_3(found, teams, view),
        *model_tables.tables_4_to_6(found, run.dcm, view),
        paper_tables.table_7(found, view),
        printed.table_printed(),
        model_tables.table_dcm(fits, view),
        model_tables.table_ibc(fits, view),
        model_tables.table_rounds(fits, view),
        model_tables.table_goodness(found, run.dcm_tests, view),
        study_tables.table_martingale(found, run.martingale, view),
        study_tables.table_conduct(found, run.manifest, run.metrics, run.outcomes, view),
        study_tables.table_power(run.power, view),
    ]
