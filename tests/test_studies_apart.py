"""Each study's folder can go, or be copied elsewhere under another name: all else runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.shipped import SHIPPED, shipped_folders
from dissensus.user_files import read_yaml
from marking import thorough_but
from scripted import ROOT
from support import Project

STUDIES = [*shipped_folders()]
#: What a copy of a study is called.
COPY = "renamed"


def default_values() -> dict[str, Any]:
    values: dict[str, Any] = read_yaml(ROOT / "config.yaml")
    return values


@pytest.mark.run
@pytest.mark.parametrize("study", thorough_but(STUDIES, "language"))
def test_without_a_study_all_others_run(tmp_path: Path, study: str) -> None:
    project = Project(tmp_path / "project")
    source = tmp_path / "src"
    gone = source / SHIPPED / study
    ignored = shutil.ignore_patterns("tests", "__pycache__")
    shutil.copytree(ROOT / "src", source, ignore=ignored)
    shutil.rmtree(gone)
    shutil.rmtree(project.folder / "studies" / study, ignore_errors=True)
    values = default_values()
    values.pop(study, None)
    studies = {name for name in STUDIES if name in values}
    (project.folder / "config.yaml").write_text(yaml.safe_dump(values), "utf-8")
    # Without settings of its own, a run has all studies.
    (project.folder / project.configuration).write_text("{}\n", "utf-8")
    done = subprocess.run(
        [sys.executable, *project.command("--dry-run")[1:]],
        cwd=project.folder,
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    drawn = set(re.findall(r"draw_(\w+)_manifest", done.stdout + done.stderr))
    assert drawn == studies


@pytest.mark.run
def test_a_copy_of_a_study_elsewhere_runs_under_another_name(tmp_path: Path) -> None:
    """Deliberation, which has sessions, stages, figures, captions and rules of its own."""
    project = Project(tmp_path / "project")
    folder = tmp_path / "elsewhere" / COPY
    shutil.copytree(
        shipped_folders()["deliberation"], folder, ignore=shutil.ignore_patterns("tests")
    )
    for file, former, now in (
        ("study.py", 'name = "deliberation"', f'name = "{COPY}"'),
        ("rules.smk", f"{SHIPPED}.deliberation", COPY),
        ("rules.smk", "deliberation", COPY),
        ("rules.smk", "plot_graph", "plot_renamed_graph"),
        ("simulated.yaml", f"{SHIPPED}.deliberation", COPY),
    ):
        text = (folder / file).read_text("utf-8")
        assert former in text
        (folder / file).write_text(text.replace(former, now), "utf-8")
    values = default_values()
    block = values.pop("deliberation") | {"draws": 2, "block_size": 2}
    values["simulated_models"] = {COPY: str(folder / "simulated.yaml")}
    values |= {"studies": [COPY], "study_folders": {COPY: str(folder)}, COPY: block}
    (project.folder / "config.yaml").write_text(yaml.safe_dump(values), "utf-8")
    (project.folder / "more.yaml").write_text("{}\n", "utf-8")
    project.succeed(
        f"results/demo/{COPY}/tables/index.html", f"results/demo/{COPY}/metrics.parquet"
    )
    captions = project.folder / f"results/demo/{COPY}/captions/tables.rst"
    assert captions.read_text("utf-8").strip()
