"""The two scripts of the estimates: from artefacts to artefacts, the same bytes each time."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dissensus.study.stage import Stage
from dissensus.tables.artefact import read, write
from dissensus.union import tables
from dissensus.union.inference.audit import JUDGES
from dissensus.union.inference.coaching import COACHING
from dissensus.union.inference.survival import SURVIVAL
from dissensus.union.inference.wins import WINS
from support import ROOT
from union.union_ensembles import always_a, fair, make_ensemble

GIVEN = ("manifest", "verdicts", "speeches", "claims", "votes")
SETTINGS = {"inference": {"confidence": 0.95, "resamples": 200}, "gains": [0.2], "seed": 1}


def run_script(name: str, inputs: dict[str, Path], outputs: dict[str, Path]) -> None:
    path = ROOT / "workflow" / "scripts" / "union" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stage = Stage(SETTINGS, 0, [], "", True, {"stage": name})
    module.main(SimpleNamespace(**inputs), SimpleNamespace(**outputs), stage)


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("union")
    made = make_ensemble(epochs=2, blind=(("a", always_a), ("b", fair), ("a", always_a)))
    paths = {name: folder / f"{name}.parquet" for name in GIVEN}
    for name, path in paths.items():
        write(path, getattr(tables, name.upper()), getattr(made, name), {})
    return paths


@pytest.mark.parametrize(
    ("script", "schemas"),
    [
        ("audit_judges", {"judges": JUDGES}),
        ("estimate_union", {"wins": WINS, "survival": SURVIVAL, "coaching": COACHING}),
    ],
)
def test_a_script_writes_what_its_schema_promises(
    artefacts: dict[str, Path], tmp_path: Path, script: str, schemas: dict[str, Any]
) -> None:
    written = []
    for turn in ("first", "second"):
        outputs = {name: tmp_path / turn / f"{name}.parquet" for name in schemas}
        run_script(script, artefacts, outputs)
        written.append({name: path.read_bytes() for name, path in outputs.items()})
        assert all(read(path, schemas[name]).num_rows for name, path in outputs.items())
    assert written[0] == written[1]
