"""The design diagnosis: planted biases, and estimators that find them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.tables.artefact import read, write

from ..inference.diagnosis import SCENARIOS, diagnose


def settings(replicates: int, questions: int, confidence: float) -> dict[str, Any]:
    diagnosis = {"replicates": replicates, "questions": questions}
    return {"diagnosis": diagnosis, "inference.confidence": confidence}


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    path: Path = tmp_path_factory.mktemp("diagnosis") / "design_diagnosis.parquet"
    write(path, DIAGNOSIS, diagnose({}, settings(6, 60, 0.95), 3), {})
    return read(path, DIAGNOSIS).to_pandas().set_index(["world", "estimator"])


def test_planted_biases_are_those_of_the_specification(frame: pd.DataFrame) -> None:
    true = frame.groupby(level="world", sort=False)["true"].first()
    assert true.round(3).tolist() == [0.429, 0.0, -0.429, 0.487, 0.429]
    assert set(frame.index.get_level_values("world")) == set(SCENARIOS)


def test_both_estimators_find_them(frame: pd.DataFrame) -> None:
    for estimator in ("hierarchical", "moment"):
        rows = frame.xs(estimator, level="estimator")
        assert (rows["bias"].abs() < 4 * rows["sd"] / 6**0.5).all()
        assert (rows["coverage"] >= 0.5).all()
        assert (rows["rmse"] >= rows["bias"].abs()).all()
        assert (rows["simulations"] == 6).all()


def test_two_rounds_tell_more_than_one(frame: pd.DataFrame) -> None:
    one, two = ("peers weigh more", "peers weigh more, two rounds")
    assert frame.loc[(two, "hierarchical"), "sd"] < 1.2 * frame.loc[(one, "hierarchical"), "sd"]
    assert (two, "moment") not in frame.index


def test_plug_in_has_no_interval(frame: pd.DataFrame) -> None:
    rows = frame.xs("plug-in", level="estimator")
    assert len(rows) == 4
    assert rows["coverage"].isna().all()


def test_nothing_depends_on_the_number_of_processes() -> None:
    assert diagnose({}, settings(2, 20, 0.9), 1) == diagnose({}, settings(2, 20, 0.9), 1, 2)
