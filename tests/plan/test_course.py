"""In which order sessions began: blocks of draws are blocks of time, or they are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import spearmanr

from dissensus.plan.course import describe_starts, order_of_starts
from dissensus.session.record import CALLS
from dissensus.tables.artefact import write


def calls(folder: Path, name: str, second: int) -> None:
    row = dict.fromkeys(CALLS.columns, "")
    numbers = [n for n, c in CALLS.columns.items() if c.kind.startswith(("int", "float"))]
    row |= dict.fromkeys(numbers, 0) | {"session_id": name, "faults": [], "other_model": False}
    row |= {"faults_said": []}
    row |= {"started": f"2025-12-15T10:00:{second:02d}.000+00:00", "ended": "later"}
    (folder / "sessions").mkdir(exist_ok=True)
    (folder / f"sessions/{name}.parquet").touch()
    write(folder / f"calls/{name}.parquet", CALLS, [row], {})


@pytest.mark.parametrize("seconds", [range(12), [3, 1, 2, 0, 5, 4, 9, 8, 7, 11, 6, 10]])
def test_the_correlation_is_spearmans(tmp_path: Path, seconds) -> None:
    rows = [{"session_id": f"s{n}", "block": n // 4 + 1} for n in range(12)]
    for row, second in zip(rows, seconds, strict=True):
        calls(tmp_path, row["session_id"], second)
    found, begun = order_of_starts(tmp_path, rows)
    expected = spearmanr([row["block"] for row in rows], list(seconds)).statistic
    assert begun == 12 and found == pytest.approx(expected)
    assert describe_starts(tmp_path, rows)[0].startswith("12 sessions have begun")


def test_a_run_that_has_not_begun_says_nothing(tmp_path: Path) -> None:
    assert describe_starts(tmp_path, [{"session_id": "s", "block": 1}]) == []
