"""The table of the design diagnosis."""

from __future__ import annotations

import pandas as pd

from dissensus.deliberation.inference.diagnosis import HOLM
from dissensus.report.frames import records
from dissensus.report.labels import MISSING, number
from dissensus.report.tables import Table, make

_SCENARIOS = {
    "topics_differ": "the effect differs between topics",
    "sharp_null": "no arm changes any session",
}


def table_diagnosis(diagnosis: pd.DataFrame) -> Table:
    """What planted effects come out as: bias, coverage, power and family-wise error.

    The studies behind it are simulated outcomes, no debates, so the note says that instead of the
    words that stand on tables of simulated models.
    """
    rows = [
        (
            _SCENARIOS[row["scenario"]],
            number(row["true"], 1),
            str(row["estimator"]).replace(HOLM, " (Holm over arms)").replace("_", " "),
            number(row["bias"]),
            number(row["rmse"]),
            number(row["coverage"]),
            number(row["coverage_mc_se"]),
            number(row["power"]),
            str(row["replicates"]) if row["replicates"] else MISSING,
        )
        for row in records(diagnosis)
    ]
    note = (
        "Simulated studies of the design's draws, topics and arms, through the estimators that the "
        "study uses. Effects, bias and RMSE in standard deviations of a paired difference. Power "
        "at an effect of 0 is the size of the test, and after Holm the share of studies that find "
        "an effect in any arm; at other effects one arm has it and the others have none. MC SE: "
        "simulation error of the coverage."
    )
    columns = (
        *("Scenario", "Effect", "Estimator", "Bias", "RMSE", "Coverage", "MC SE", "Power"),
        "Studies",
    )
    return make("table_diagnosis", "Design diagnosis by simulation", columns, rows, note, False)
