"""Runs whose sessions all come through and of which none has an outcome: they go to their end."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from compare.urged_study import STUDY, lay, urged_by
from dissensus.cli import main
from support import Project

pytestmark = pytest.mark.run

NONE = "No session has an outcome."


def said(folder: Path) -> str:
    """The captions and the pages of tables of a study."""
    paths = [*folder.glob("captions/*.rst"), *folder.glob("tables/*.md")]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_a_study_of_ones_own_whose_sessions_have_no_outcome_ends(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    lay(project.folder)
    study = STUDY.replace('{"size": turns["value"][0]}', '{"size": None, "course": {}}')
    study = study.replace('"Size")}', '"Size"), "course": Outcome("By round.", by="round")}')
    study = study.replace("    outcomes =", '    factors = {"dose": (1, 3)}\n    outcomes =')
    (project.folder / "mine/study.py").write_text(study.replace("range(24)", "range(3)"), "utf-8")
    models = {"agent": urged_by(0.0)}
    mine = {"model": "agent"}
    project.configure(
        {
            **{"run": "none", "studies": ["mine"], "study_folders": {"mine": "mine"}},
            **{"models": models, "mine": mine},
        }
    )
    project.succeed()
    folder = project.results("none", "mine")
    rows = pq.read_table(folder / "contrasts.parquet").to_pylist()
    assert rows and all(row["estimate"] is None and row["n"] == 0 for row in rows)
    assert pq.read_table(folder / "outcomes.parquet")["complete"].to_pylist() == [True] * 6
    for name in ("outcomes", "factors", "rounds"):
        caption = (folder / f"captions/{name}.rst").read_text(encoding="utf-8")
        assert caption.startswith("No session has an outcome"), (name, caption)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert NONE in page and "nan" not in said(folder)
    assert (project.folder / "results/none/index.html").is_file()


@pytest.mark.thorough
def test_an_import_whose_sessions_have_no_outcome_ends(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    turns = "".join(f'{arm}{n},{arm},1,A,""\n' for n in range(4) for arm in ("people", "models"))
    table = f"group,condition,round,name,said\n{turns}"
    (project.folder / "groups.csv").write_text(table, encoding="utf-8")
    columns = ("session=group", "arm=condition", "round=round", "speaker=name", "text=said")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        options = [word for pair in columns for word in ("--column", pair)]
        assert main(["import", "groups.csv", "--run", "groups", *options]) == 0
    project.configuration = "groups.yaml"
    project.succeed()
    folder = project.results("groups", "debates")
    caption = (folder / "captions/rounds.rst").read_text(encoding="utf-8")
    assert caption.startswith("No session has an outcome"), caption
    assert "nan" not in said(folder)
    assert (folder / "index.html").is_file()
