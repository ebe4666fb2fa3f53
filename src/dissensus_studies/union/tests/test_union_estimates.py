"""The stages of the estimates: from artefacts to artefacts, the same bytes each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dissensus.run.run_stage import run_function
from dissensus.tables.artefact import Schema, read, write

from .. import tables
from ..inference.audit import JUDGES, audit_judges
from ..inference.coaching import COACHING, estimate_coaching
from ..inference.survival import SURVIVAL, estimate_survival
from ..inference.wins import WINS, estimate_wins
from .union_ensembles import always_a, fair, make_ensemble

GIVEN = ("manifest", "verdicts", "speeches", "claims", "votes")
SETTINGS = {"inference": {"confidence": 0.95, "resamples": 200}, "gains": [0.2], "seed": 1}


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("union")
    made = make_ensemble(epochs=2, blind=(("a", always_a), ("b", fair), ("a", always_a)))
    paths = {name: folder / f"{name}.parquet" for name in GIVEN}
    for name, path in paths.items():
        write(path, getattr(tables, name.upper()), getattr(made, name), {})
    return paths


@pytest.mark.parametrize(
    ("function", "name", "schema"),
    [
        (audit_judges, "judges", JUDGES),
        (estimate_wins, "wins", WINS),
        (estimate_survival, "survival", SURVIVAL),
        (estimate_coaching, "coaching", COACHING),
    ],
)
def test_a_stage_writes_what_its_schema_promises(
    artefacts: dict[str, Path], tmp_path: Path, function: Any, name: str, schema: Schema
) -> None:
    inputs = {given: str(path) for given, path in artefacts.items()}
    written = []
    for turn in ("first", "second"):
        path = tmp_path / turn / f"{name}.parquet"
        run_function(function, inputs, {name: str(path)}, SETTINGS, {})
        written.append(path.read_bytes())
        assert read(path, schema).num_rows
    assert written[0] == written[1]
