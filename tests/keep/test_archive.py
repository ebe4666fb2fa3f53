"""The archive of a run makes it again elsewhere, from its journals alone."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from rocrate.rocrate import ROCrate

from dissensus.errors import SettingError
from dissensus.keep import archive as archives
from dissensus.study.configuration import load_file
from dissensus.study.registry import STUDIES
from support import ROOT, Project


@pytest.mark.run
def test_a_run_is_made_again_from_its_archive_without_a_call(
    copied: Project, tmp_path: Path
) -> None:
    copied.succeed("archive")
    place = tmp_path / "elsewhere"
    with zipfile.ZipFile(copied.folder / "results/demo/archive.zip") as packed:
        packed.extractall(place)
    crate = ROCrate(place)
    assert crate.mainEntity.id == "Snakefile"
    assert all((place / part.id).exists() for part in crate.data_entities)
    settings = yaml.safe_load((place / "run.yaml").read_text("utf-8"))
    again = Project.at(place)
    again.configuration = "run.yaml"
    # Journals that stay as they are show that no model was asked.
    journals = {path: path.read_bytes() for path in place.rglob("journal/*.jsonl")}
    assert journals and settings["studies"] == ["language"]
    made = again.results() / "metrics.parquet"
    again.succeed(str(made.relative_to(place)))
    assert {path: path.read_bytes() for path in place.rglob("journal/*.jsonl")} == journals
    lines = (place / "results.sha256").read_text("utf-8").splitlines()
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    for name in ("manifest", "turns", "outcomes", "metrics"):
        path = f"results/demo/language/{name}.parquet"
        assert sha256((place / path).read_bytes()).hexdigest() == digests[path], name
        assert (place / "published/language" / f"{name}.parquet").exists()
    assert not any("transcripts" in name or "journal" in name for name in digests)


def test_files_of_models_are_among_those_that_settings_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    found = set(archives._named(load_file(ROOT / "config.yaml")))
    assert {Path(f"resources/simulated/{name}.yaml") for name in STUDIES} <= found


@pytest.mark.parametrize(("setting", "of"), [("prices", str), ("simulated_models", dict)])
def test_a_file_outside_the_project_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, of: type
) -> None:
    outside = tmp_path / "motions.csv"
    outside.write_text("x", encoding="utf-8")
    monkeypatch.chdir(ROOT)
    held = str(outside) if of is str else {"own": str(outside)}
    settings = load_file(ROOT / "config.yaml").model_copy(update={setting: held})
    with pytest.raises(SettingError, match=rf"{setting}\S* holds .*motions\.csv.*outside"):
        archives.archive({}, settings, Path("results/none"), "c", tmp_path / "a.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["motions.csv"]
