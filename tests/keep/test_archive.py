"""The archive of a run makes it again elsewhere, from its journals alone."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from rocrate.rocrate import ROCrate

from dissensus.errors import ResourceError, SettingError
from dissensus.keep import archive as archives
from dissensus.study.configuration import load_file
from support import ROOT, Project


@pytest.mark.thorough
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
    settings = load_file(ROOT / "config.yaml")
    files = {Path(f"src/dissensus_studies/{name}/simulated.yaml") for name in settings.studies}
    assert files <= set(archives._named(settings))


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


def _results(folder: Path) -> Path:
    """The folder of a run with a file in each place that is packed, and in one that is not."""
    results = folder / "results/demo"
    for name in ("language/turns.parquet", "language/journal/d001-zh.jsonl", "language/logs/a.log"):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("made", encoding="utf-8")
    return results


@pytest.mark.parametrize(
    "place",
    ["notes.txt", "language/notes.txt", "language/folder", "language/journal/d002-zh.jsonl"],
)
@pytest.mark.parametrize("target", ["secret.txt", "private", "gone.txt"])
def test_a_link_that_leads_out_of_the_results_is_refused(
    tmp_path: Path, place: str, target: str
) -> None:
    results = _results(tmp_path)
    (tmp_path / "secret.txt").write_text("a key", encoding="utf-8")
    (tmp_path / "private").mkdir()
    (results / place).symlink_to(tmp_path / target)
    with pytest.raises(ResourceError) as caught:
        [*archives.published(results, results / "archive.zip"), *archives._begins_with(results)]
    said = str(caught.value)
    assert said.startswith(f"{results / place} is a link to {tmp_path / target}, which is outside ")
    assert said.endswith("put a copy in the link's place, or take the link out.")


def test_journals_behind_a_link_are_not_packed(tmp_path: Path) -> None:
    results, elsewhere = _results(tmp_path), tmp_path / "elsewhere"
    (results / "language/journal").rename(elsewhere)
    (results / "language/journal").symlink_to(elsewhere)
    with pytest.raises(ResourceError, match=r"journal is a link to .*elsewhere, which is outside"):
        list(archives._begins_with(results))


def test_links_within_the_results_and_in_what_is_left_out_stay(tmp_path: Path) -> None:
    results = _results(tmp_path)
    (tmp_path / "runs").symlink_to(tmp_path / "results")
    (results / "again.parquet").symlink_to("language/turns.parquet")
    (results / "language/logs/scratch").symlink_to(tmp_path)
    for folder in (results, tmp_path / "runs/demo"):
        packed = archives.published(folder, folder / "archive.zip")
        assert {str(path.relative_to(folder)) for path in packed} == {
            "again.parquet",
            "language/turns.parquet",
        }


def test_a_link_in_a_folder_of_the_project_that_leads_out_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/resources").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("a key", encoding="utf-8")
    (tmp_path / "here/resources/a.csv").symlink_to(tmp_path / "secret.txt")
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ResourceError, match=r"resources/a\.csv is a link to .*secret\.txt, which"):
        list(archives._project())
