"""Reliability of the coding, on the specification's golden contingency table."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.tables.artefact import read, write

from ..design.pool import Codebook
from ..design.reliability import RELIABILITY, measure_reliability

TABLE = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
POOL = [
    {"coder_a": a, "coder_b": b, "source": "records"}
    for a, counts in enumerate(TABLE)
    for b, count in enumerate(counts)
    for _ in range(count)
]
THREE = Codebook({0: "None", 1: "One", 2: "Two"})


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, float]]:
    found = measure_reliability(POOL, THREE, resamples=300, seed=1)
    return {row["statistic"]: row for row in found}


def test_the_golden_coefficients(rows):
    # From the specification; computed there with krippendorff, statsmodels and by hand.
    values = [row["value"] for name, row in rows.items() if "[" not in name]
    golden = [0.89, 0.796409, 0.797258, 0.849331]
    for value in golden:
        assert any(value == pytest.approx(found, abs=1e-6) for found in values), value
    for name, row in rows.items():
        assert (row["n"], row["q"]) == (100, 3)
        if "[" not in name:
            assert row["ci_low"] < row["value"] < row["ci_high"]


def test_the_confusion_matrix(rows):
    cells = {name: row["value"] for name, row in rows.items() if name.startswith("confusion")}
    assert cells == {
        "confusion[0,0]": 13,
        "confusion[1,1]": 20,
        "confusion[1,2]": 7,
        "confusion[2,1]": 4,
        "confusion[2,2]": 56,
    }


def test_agreement_on_each_code(rows):
    # Specific agreement: twice the agreements over both coders' uses of the code.
    assert rows["agreement[0]"]["value"] == 1
    assert rows["agreement[1]"]["value"] == pytest.approx(2 * 20 / (27 + 24))
    assert rows["agreement[2]"]["value"] == pytest.approx(2 * 56 / (60 + 63))
    assert rows["agreement[2]"]["ci_low"] is None


def test_an_empty_code_changes_gwets_coefficient_alone(rows):
    wider = Codebook({**THREE.domains, 9: "Never used"})
    found = {
        row["statistic"]: row for row in measure_reliability(POOL, wider, resamples=100, seed=1)
    }
    changed = {name for name in rows if rows[name]["value"] != pytest.approx(found[name]["value"])}
    assert changed == {name for name in rows if "ac1" in name.lower()}
    assert len(changed) == 1
    assert set(found) == set(rows)
    assert all(row["q"] == 4 for row in found.values())


def test_it_is_an_artefact(tmp_path: Path):
    rows = measure_reliability(POOL, THREE, resamples=100, seed=1)
    write(tmp_path / "r.parquet", RELIABILITY, rows, {})
    assert read(tmp_path / "r.parquet", RELIABILITY).to_pylist() == rows


def test_each_source_is_measured_alone_too(rows):
    """Motions that were easy to code raise the agreement over all, and are seen to."""
    easy = [{"coder_a": 1, "coder_b": 1, "source": "ours"}] * 50
    found = measure_reliability(POOL + easy, THREE, resamples=100, seed=1)
    by = {(row["source"], row["statistic"]): row for row in found}
    assert by["records", "cohen_kappa"]["value"] == rows["cohen_kappa"]["value"]
    assert by["records", "cohen_kappa"]["n"] == 100 and by["all", "cohen_kappa"]["n"] == 150
    assert by["all", "percent_agreement"]["value"] > by["records", "percent_agreement"]["value"]
    assert not any("[" in name for source, name in by if source != "all")
