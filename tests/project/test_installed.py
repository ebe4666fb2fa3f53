"""Projects in folders of their own, with dissensus as an installed package."""

from __future__ import annotations

import re
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
import yaml

from dissensus.tables.artefact import provenance_of
from installed import Installed, build_wheel, install
from scripted import ROOT
from support import built_once

pytestmark = [pytest.mark.run, pytest.mark.thorough]

#: Bytes of the wheel; docs and README say nothing of it that a release does not print.
LARGEST = 6_000_000


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (made,) = built_once(tmp_path_factory, "wheel", _build).glob("*.whl")
    return made


def _build(folder: Path) -> None:
    folder.mkdir()
    build_wheel(folder)


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(wheel, tmp_path_factory.mktemp("environment") / "env")


@pytest.fixture(scope="module")
def echo(environment: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project whose run was registered and has ended."""
    place = tmp_path_factory.mktemp("projects")
    environment.run(place, "new", "echo")
    environment.run(place / "echo", "run", "preregistration")
    environment.run(place / "echo", "run", "--cores", "4")
    return place / "echo"


def test_the_wheel_has_the_workflow_and_no_tests(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    for name in ("Snakefile", "config.yaml", "profiles/default/config.yaml", "CITATION.cff"):
        assert f"dissensus/packed/{name}" in names
    assert "dissensus/py.typed" in names and "dissensus_studies/union/simulated.yaml" in names
    assert not [name for name in names if "/tests/" in name and "/template/" not in name]


def test_a_new_project_finds_what_is_planted(echo: Path) -> None:
    rows = pd.read_parquet(echo / "results/first/echo/contrasts.parquet")
    is_effect = (rows["contrast"] == "shown-alone") & (rows["method"] == "cluster_robust")
    (row,) = rows[is_effect].to_dict("records")
    # Half of a uniform 100 to 900 around 500 is 100 off, on average.
    assert row["ci_low"] < -100 < row["ci_high"] < 0
    made = provenance_of(echo / "results/first/echo/contrasts.parquet")
    assert made["simulated"] and made["versions"]["dissensus"]
    assert (echo / "results/first/index.html").is_file()


def test_nothing_that_a_run_makes_names_the_machine(environment: Installed, echo: Path) -> None:
    place = str(environment.folder.resolve()).encode()
    logs = set(echo.glob("results/**/logs/*"))
    made = [path for path in echo.glob("results/**/*") if path.is_file() and path not in logs]
    assert len(made) > 50
    assert [path for path in made if place in path.read_bytes()] == []


def test_a_second_run_does_nothing_and_a_deleted_file_comes_back_alone(
    environment: Installed, echo: Path
) -> None:
    assert "Nothing to be done" in environment.run(echo, "run")
    contrasts = echo / "results/first/echo/contrasts.parquet"
    before = contrasts.read_bytes()
    contrasts.unlink()
    said = environment.run(echo, "run", "results/first/echo/contrasts.parquet")
    assert "1 job of 1 rule" in said or "Compare the arms" in said
    assert "Measure the sessions" not in said
    assert contrasts.read_bytes() == before


def test_a_run_is_verified_and_made_again_elsewhere_from_its_archive(
    environment: Installed, echo: Path, tmp_path: Path
) -> None:
    assert "all as they were made" in environment.run(echo, "run", "verify")
    environment.run(echo, "run", "archive")
    place = tmp_path / "colleague"
    with zipfile.ZipFile(echo / "results/first/archive.zip") as packed:
        packed.extractall(place)
    assert (place / "requirements-run.txt").read_text().count("dissensus==") == 1
    # The same packages at another path.
    moved = Installed(tmp_path / "env")
    shutil.copytree(environment.folder, moved.folder, symlinks=True)
    journals = {path: path.read_bytes() for path in place.rglob("journal/*.jsonl")}
    moved.run(place, "run", "--configfile", "run.yaml")
    assert journals == {path: path.read_bytes() for path in place.rglob("journal/*.jsonl")}
    lines = (place / "results.sha256").read_text("utf-8").splitlines()
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert len(digests) > 25
    made = {name: sha256((place / name).read_bytes()).hexdigest() for name in digests}
    assert made == digests
    # The pins of the archive are no deviation from those of the project.
    assert pd.read_parquet(place / "results/first/echo/deviations.parquet").empty


def test_a_study_of_an_installed_package_runs(
    environment: Installed, echo: Path, tmp_path: Path
) -> None:
    packages = environment.packages
    shutil.copytree(echo / "echo", packages / "offered/heard", dirs_exist_ok=True)
    for file in (packages / "offered/heard").glob("*.*"):
        file.write_text(file.read_text().replace("echo", "heard"), encoding="utf-8")
    simulated = packages / "offered/heard/simulated.yaml"
    simulated.write_text(simulated.read_text().replace("heard.", "offered.heard."))
    about = packages / "offered-3.1.dist-info"
    about.mkdir(exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offered\nVersion: 3.1\n")
    (about / "entry_points.txt").write_text("[dissensus.studies]\nheard = offered.heard\n")
    listed = environment.run(tmp_path, "studies")
    assert "(offered 3.1)" in listed and "language" in listed
    prompt = packages / "offered/heard/prompts/ask.txt"
    settings = {"run": "r", "studies": ["heard"], "heard": {"model": "guesser"}}
    settings["heard"]["prompt"] = "ask.txt"
    shutil.copy(prompt, tmp_path / "ask.txt")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    target = "results/r/heard/contrasts.parquet"
    environment.run(tmp_path, "run", target)
    made = provenance_of(tmp_path / target)
    assert made["versions"]["offered"] == "3.1"


def test_the_studies_of_dissensus_run_in_any_folder(environment: Installed, tmp_path: Path) -> None:
    settings = {"run": "r", "studies": ["language"], "language": {"draws": 4, "block_size": 2}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    environment.run(tmp_path, "run", "results/r/language/metrics.parquet")
    assert len(pd.read_parquet(tmp_path / "results/r/language/metrics.parquet")) == 8
    (tmp_path / "config.yaml").write_text("run: all\n", encoding="utf-8")
    said = environment.run(tmp_path, "run", "-n")
    for name in ("language", "identity", "deliberation", "union", "consensus"):
        assert f"draw_{name}_manifest" in said


def test_a_snakefile_of_the_projects_own_takes_in_the_workflow(
    environment: Installed, echo: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(echo, folder, ignore=shutil.ignore_patterns("results", ".snakemake"))
    page = (ROOT / "docs/project.md").read_text("utf-8")
    (snakefile,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (folder / "Snakefile").write_text(snakefile, encoding="utf-8")
    environment.run(folder, "run")
    assert (folder / "note.txt").read_text() == "done\n"


def test_a_project_of_imported_debates_runs(environment: Installed, tmp_path: Path) -> None:
    groups = ROOT / "examples/transcripts/groups.csv"
    columns = ("session=group", "arm=condition", "item=topic", "round=round", "speaker=name")
    columns += ("model=model", "person=human", "text=said", "value=stance")
    mapping = [part for column in columns for part in ("--column", column)]
    said = environment.run(tmp_path, "new", "groups", "--from", str(groups), *mapping)
    assert "cd groups" in said and "snakemake" not in said
    assert (tmp_path / "groups/data/groups.csv").read_bytes() == groups.read_bytes()
    environment.run(tmp_path / "groups", "run", "results/groups/debates/turns.parquet")
