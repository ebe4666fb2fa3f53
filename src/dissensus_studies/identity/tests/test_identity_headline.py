"""What the study is judged by stands a row a team; a registered direction is compared with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dissensus.plan.confirmation import confirmed, predictions
from dissensus.plan.registering.direction import direction_of
from dissensus.study.configuration import load
from dissensus.tables.artefact import write
from dissensus.tables.provenance import provenance
from registered_study import register
from scripted import ROOT, default_configuration

from ..inference import estimates
from ..inference.coefficients import COEFFICIENTS, headline_identity
from ..inference.estimates import ESTIMATES
from .test_identity_family import null_team

Rows = list[dict[str, Any]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Rows:
    """Estimates of a team that follows peers more with labels, and of one that does so less."""
    rng = np.random.default_rng(5)
    more, less = (null_team(rng, name, 0.3) for name in ("more", "less"))
    # With the two conditions exchanged, labels have the other effect.
    turned = {name: counts[:, ::-1] for name, counts in less.transitions.items()}
    teams = [more, replace(less, transitions=turned)]
    monkeypatch.setattr(estimates, "tally", lambda *_: teams)
    empty = pa.table({})
    return estimates.estimate_identity(empty, empty, empty, confidence=0.95, resamples=200, seed=1)


def headline(told: Rows) -> Rows:
    return headline_identity(pa.Table.from_pylist(told, ESTIMATES.arrow))


def test_each_team_has_its_coefficient_of_the_first_round_over_all_banks(told: Rows) -> None:
    rows = headline(told)
    assert [(row["contrast"], row["outcome"]) for row in rows] == [("more", "ibc"), ("less", "ibc")]
    for row in rows:
        assert set(row) == set(COEFFICIENTS.columns) and row["headline"]
        (same,) = (
            each for each in told
            if (each["team"], each["bank"], each["measure"]) == (row["contrast"], "all", "ibc")
            and (each["round"], each["policy"], each["peers"]) == (1, "drop", "all")
        )  # fmt: skip
        assert {name: same[name] for name in row if name in same} == {
            name: row[name] for name in row if name in same
        }


def test_a_registered_direction_is_compared_with_every_team(told: Rows, tmp_path: Path) -> None:
    folder = tmp_path / "identity"
    register(folder, 0, hypothesis={"direction": "greater"})
    rows = headline(told)
    write(str(folder / "coefficients.parquet"), COEFFICIENTS, rows, provenance("mark", False, {}))
    direction = direction_of(folder, "coefficients")
    assert direction is not None and direction.signs() == [1, -1]
    assert direction.words == "1 of 2 contrasts in the registered direction"
    said = " ".join(direction.sentences())
    assert "more: +0." in said and "on that side, and so is its whole interval" in said
    assert "less: −0." in said and "on the other side" in said


def test_a_run_may_be_registered_to_confirm_the_coefficients(
    told: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    study = load(default_configuration()).study("identity")
    path = tmp_path / f"{study.headline_rows}.parquet"
    rows = headline(told)
    write(str(path), COEFFICIENTS, rows, provenance("mark", False, {}))
    # A coefficient is a difference of two differences of shares, and is no further difference.
    assert study.possible(rows[0]) == (-2.0, 2.0)
    predicted = {"run": "first", "rows": predictions(path, study.possible)}
    for row, made in zip(rows, confirmed(predicted, rows), strict=True):
        assert made["predicted"] == row["estimate"]
        assert made["prediction_low"] < row["ci_low"] and row["ci_high"] < made["prediction_high"]
