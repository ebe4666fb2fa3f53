"""Each study's folder can go, or be copied elsewhere under another name: all else runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
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


#: Study -> the settings of a small one, and what else there is of it than metrics and tables.
SMALL = {
    "deliberation": ({"draws": 2, "block_size": 2}, ("graphs/t001-full.svg",)),
    "language": ({"draws": 3, "block_size": 3}, ("tables/recycled_speeches.html",)),
    "union": ({"epochs": 1, "runs": 1}, ("map.html", "debates/lottery-e1-r01-control.md")),
    "consensus": ({"statements": 1, "block_size": 1}, ()),
    "identity": (
        {
            "banks": {
                name: {
                    "format": "dissensus",
                    "source": f"resources/questions/{name}.csv",
                    "questions": 3,
                }
                for name in ("choice", "numeric")
            }
        },
        (),
    ),
}


@pytest.mark.run
@pytest.mark.parametrize("study", thorough_but(SMALL, "deliberation"))
def test_a_copy_of_a_study_elsewhere_runs_under_another_name(tmp_path: Path, study: str) -> None:
    """Its name in ``study.py`` is all that is changed, as docs/new-study.md says."""
    project = Project(tmp_path / "project")
    folder = tmp_path / "elsewhere" / COPY
    shutil.copytree(shipped_folders()[study], folder, ignore=shutil.ignore_patterns("tests"))
    text = (folder / "study.py").read_text("utf-8")
    assert text.count(f'name = "{study}"') == 1
    (folder / "study.py").write_text(text.replace(f'name = "{study}"', f'name = "{COPY}"'), "utf-8")
    small, more = SMALL[study]
    values = default_values()
    block = values.pop(study) | small
    values |= {"studies": [COPY], "study_folders": {COPY: str(folder)}, COPY: block}
    (project.folder / "config.yaml").write_text(yaml.safe_dump(values), "utf-8")
    (project.folder / "more.yaml").write_text("{}\n", "utf-8")
    results = f"results/demo/{COPY}"
    for files in (("tables/index.html", "truth.parquet"), more):
        if files:
            project.succeed(*(f"{results}/{file}" for file in files))
    captions = project.folder / results / "captions/tables.rst"
    assert captions.read_text("utf-8").strip()
    # Its simulated models are its own, so that it knows what is planted in them; the others look
    # that up in a diagnosis, which is of a larger study.
    truth = pq.read_table(project.folder / results / "truth.parquet")
    assert truth.num_rows > 0 or study not in ("identity", "consensus")
