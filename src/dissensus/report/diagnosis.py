"""The diagnosis of a design as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dissensus.design.diagnosis import HOLM
from dissensus.report.frames import Record, records
from dissensus.report.labels import in_brackets, number, whole
from dissensus.report.tables import Table, make


def table_diagnosis(diagnosis: pd.DataFrame) -> Table:
    """What planted truths come out as.

    Where the studies behind it are simulated outcomes and no debates, the words that stand on
    tables of simulated models do not stand here.

    Parameters
    ----------
    diagnosis : rows of :data:`~dissensus.design.diagnosis.DIAGNOSIS`.
    """
    rows = [_cells(row) for row in records(diagnosis)]
    note = (
        f"Simulated studies of this design, through the estimators that the study uses; estimated "
        f"is {' and '.join(dict.fromkeys(diagnosis['estimand']))}. Bias, coverage (share of "
        "intervals that hold the true value) and rejection (share of p-values below one minus the "
        "level) with the standard error of simulation in brackets. Rejection is the test's size "
        "where the true value is 0, else its power. Smallest: the effect that 80% of the intervals "
        "would tell from none, where it shifts every session alike. Type S: share of significant "
        "estimates with the wrong sign. Sharp null: no session depends on its arm at all."
    )
    is_redrawn = bool(diagnosis["items"].notna().any())
    if is_redrawn:
        note += (
            " Sessions of the simulated models were played once; each study draws whole clusters "
            "of them, with replacement. Null: every arm plays the reference, and in a study of one "
            "arm every draw has the first level of each factor."
        )
    if any(str(name).endswith(HOLM) for name in diagnosis["estimator"]):
        note += (
            " Holm: the share of studies that find an effect in any arm where none has one, and "
            "else the one arm that has it."
        )
    columns = (
        *("World", "True", "Estimator", "Studies", "Mean", "Bias", "RMSE", "Coverage", "Width"),
        *("Rejection", "Smallest", "Type S"),
    )
    return make(
        "table_diagnosis", "Design diagnosis by simulation", columns, rows, note, is_redrawn
    )


def _cells(row: Record) -> tuple[str, ...]:
    return (
        str(row["world"]).replace("_", " "),
        number(row["true"]),
        str(row["estimator"]).replace(HOLM, " (Holm)").replace("_", " "),
        whole(row["simulations"]),
        number(row["mean"]),
        _with_error(row, "bias"),
        number(row["rmse"]),
        _with_error(row, "coverage"),
        number(row["width"]),
        _with_error(row, "rejection"),
        number(row["smallest"]),
        number(row["type_s"]),
    )


def _with_error(row: Mapping[str, Any], name: str) -> str:
    """Such as "0.935 (0.017)"."""
    return in_brackets(number(row[name]), "se", number(row[f"{name}_se"]))
