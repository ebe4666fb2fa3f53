"""The table of what was planted: truth beside estimate, and what stands where nothing is known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from dissensus.report.tables import as_csv
from dissensus.report.truth import TRUTH, Diagnosed, Effect, Truth, table_truth, tally, truth_rows
from dissensus.tables.artefact import write

ROW = {"estimate": 0.31, "ci_low": 0.1, "ci_high": 0.52, "p_value": 0.0001, "n": 24}
#: Planted by simulation and found; planted as none and not found; a share that favours nothing.
EFFECTS = [
    Effect("full − emergent", Truth(0.55, 0.02), ROW | {"p_adjusted": 0.0004}, 0.97),
    Effect(
        "again − emergent",
        Truth(0.0),
        ROW | {"estimate": -0.1, "ci_low": -0.2, "p_value": 0.02, "p_adjusted": 0.4},
        0.06,
    ),
    Effect("judge-a", Truth(0.5), ROW | {"p_value": 0.2}, none=0.5),
    Effect("lost", Truth(1.0), ROW | {"estimate": math.nan, "p_value": math.nan}),
]


def rows() -> list[dict[str, Any]]:
    return truth_rows("some", EFFECTS, 0.95)


def test_rows_conform_and_what_has_no_estimate_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "truth.parquet", TRUTH, rows(), {})
    assert [row["effect"] for row in rows()] == [one.words for one in EFFECTS[:3]]
    assert [row["found"] for row in rows()] == [True, False, False]
    # What is adjusted over a family decides, and both stand in the columns that are called so.
    assert [(row["p_value"], row["p_adjusted"]) for row in rows()] == [
        *((0.0001, 0.0004), (0.02, 0.4), (0.2, None)),
    ]
    # Of an effect that is none there is nothing to find.
    assert [row["power"] for row in rows()] == [0.97, None, None]


def test_the_table_has_truth_with_its_error_and_says_whether_the_interval_holds_it() -> None:
    first, second, third = table_truth(rows()).rows
    assert first[2:] == (
        *("0.550 (0.020)", "0.310 [0.100, 0.520]", "24", "<0.001", "<0.001", "0.97", "found", "no"),
    )
    assert second[3] == "−0.100 [−0.200, 0.520]" and second[-1] == "yes"
    assert (third[2], third[6], third[7]) == ("0.500", "–", "–")
    assert as_csv(table_truth(rows())).count("\n") == 4


def test_the_tally_counts_what_is_planted_and_what_is_none() -> None:
    weak = rows()[0] | {"power": 0.3, "found": False}
    assert "finds 1; of 1 with less power, 0; of 2" in tally([*rows(), weak])
    assert tally(rows()) == (
        "Of 1 effect planted in the simulated models with a power of 0.9 or more, the analysis "
        "finds 1; of 2 planted to be none, 0."
    )
    none = [row for row in rows() if row["planted"] == row["none"]]
    assert tally(none) == (
        "No effect with a known power of 0.9 or more is planted in the simulated models; found: "
        "0 of 2 planted to be none."
    )
    assert tally([weak, *none]).endswith(
        "; found: 0 of 1 with less power, and 0 of 2 planted to be none."
    )
    assert tally([]) == (
        "No effect with a known power of 0.9 or more is planted in the simulated models."
    )


def test_what_was_not_diagnosed_has_neither_truth_nor_power() -> None:
    row = {"world": "w", "estimator": "e", "true": 0.2, "true_se": 0.01, "rejection": 0.9}
    diagnosed = Diagnosed.of([row])
    assert diagnosed.truth("w", "e") == Truth(0.2, 0.01)
    assert diagnosed.power("w", "e") == pytest.approx(0.9)
    assert diagnosed.truth("v", "e") is None
    assert math.isnan(diagnosed.power("w", "f"))
