"""The released run of a real model is made again from its replies, without a network or a key."""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
import yaml

from dissensus.design.contrasts import Options
from dissensus.errors import ResourceError
from dissensus.keep.replay import begin_from_archive
from dissensus.study.configuration import Configuration, load
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from dissensus.study.experiment.diagnosis import _played
from scripted import default_configuration
from support import ROOT, Project

ARCHIVE = ROOT / "released/paragraphs.zip"
PAGE = ROOT / "docs/real-run.md"
CONDUCT = ("arm_conduct", "table_arm_conduct")
#: Refuses every connection but those between processes of this machine.
NO_NETWORK = """
import os, socket
connect = socket.socket.connect
def refuse(self, address):
    if self.family != socket.AF_UNIX:
        with open(os.environ["REFUSED"], "a") as log:
            log.write(f"{address}\\n")
        raise OSError("the network is off")
    return connect(self, address)
socket.socket.connect = refuse
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    shutil.copytree(ROOT / "released", made.folder / "released")
    return made


@pytest.mark.thorough
@pytest.mark.run
def test_the_released_run_is_made_again_with_one_command_and_no_network(
    project: Project, tmp_path: Path
) -> None:
    (command,) = re.findall(r"^snakemake (.+)$", PAGE.read_text("utf-8"), re.M)
    (tmp_path / "off").mkdir()
    (tmp_path / "off/sitecustomize.py").write_text(NO_NETWORK, "utf-8")
    kept = {name: value for name, value in os.environ.items() if "_API_KEY" not in name}
    more = {"PYTHONPATH": str(tmp_path / "off"), "REFUSED": str(tmp_path / "refused")}
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *command.split()],
        **{"cwd": project.folder, "env": {**kept, **more}, "capture_output": True, "text": True},
        **{"timeout": 300, "check": False},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert not (tmp_path / "refused").exists()
    said = re.search(r"Replay: ([\d,]+) of ([\d,]+) numbers equal", done.stdout + done.stderr)
    # What pages state of these, and conduct, a later version may count otherwise.
    assert said and int(said[1].replace(",", "")) > 0.95 * int(said[2].replace(",", "")) > 5000
    compared = same_results(project.folder / "results/paragraphs")
    assert len(compared) > 15 and not [name for name, is_same in compared.items() if not is_same]


def same_results(made: Path) -> dict[str, bool]:
    """Table that was published -> whether the one that was made has its values.

    A later version may have columns more, other sentences and other pictures. Deviations are those
    of the code as it is now, and so is conduct: it is counted over turns of roles that arms share.
    Another processor may round the last digit otherwise.
    """
    compared = {}
    with zipfile.ZipFile(ARCHIVE) as packed:
        for name in (each for each in packed.namelist() if each.startswith("published/")):
            path = made / name.removeprefix("published/")
            if path.stem in ("deviations", "findings", "figure_marks", *CONDUCT):
                continue
            read = {".parquet": pd.read_parquet, ".csv": pd.read_csv}.get(path.suffix)
            if path.stem in ("facts", "figure_facts"):
                shipped = told(pd.read_parquet(io.BytesIO(packed.read(name))))
                compared[name] = shipped <= told(pd.read_parquet(path))
            elif read:
                table = read(io.BytesIO(packed.read(name)))
                compared[name] = is_close(table, read(path)[table.columns])
            elif path.stem == "preregistration":
                compared[name] = path.read_bytes() == packed.read(name)
    return compared


def is_close(first: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two tables have the same values, up to rounding."""
    try:
        pd.testing.assert_frame_equal(first, other, rtol=1e-9, atol=1e-12)
    except AssertionError:
        return False
    return True


def told(facts: pd.DataFrame) -> set[tuple[Any, ...]]:
    """The estimates in sentences and captions, whatever their words and places.

    How many of them a sentence counts, a later version may say otherwise.
    """
    stated = facts[~facts["statistic"].isin(["count", "sum"])]
    numbers = stated[["artefact", "column", "statistic", "value"]].assign(
        value=stated["value"].map(repr)
    )
    return {*numbers.itertuples(index=False, name=None)}


def real_run() -> ModuleType:
    spec = importlib.util.spec_from_file_location("real_run", ROOT / "docs/real_run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_numbers_of_the_archive() -> None:
    page = PAGE.read_text("utf-8")
    assert real_run().written(page, ARCHIVE) == page


def test_the_readme_names_it_with_its_faults() -> None:
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "a run of a real model, with all its faults](docs/real-run.md)" in readme


def test_the_released_run_was_registered_and_did_as_it_was() -> None:
    with zipfile.ZipFile(ARCHIVE) as packed:
        verdict = packed.read("VERDICT.md").decode()
        settings = yaml.safe_load(packed.read("run.yaml"))
    assert "Registered before its first session." in verdict
    assert "0 deviations from its plan." in verdict and "Simulated" not in verdict
    assert settings["models"]["smollm2"]["model"] == "SmolLM2-135M-Instruct.Q4_1"
    assert "replay" not in settings and ARCHIVE.stat().st_size < 6_000_000


def configured(**values: Any) -> Configuration:
    """The released run's settings, from the project's folder."""
    given = yaml.safe_load((ROOT / "released/paragraphs/config.yaml").read_text("utf-8"))
    given["study_folders"] = {"paragraphs": str(ROOT / "released/paragraphs")}
    given["paragraphs"]["questions"] = str(ROOT / "released/paragraphs/questions.txt")
    return load({**default_configuration(), **given, **values})


@pytest.mark.parametrize(
    ("named", "run", "sentence"),
    [
        ("nothing.zip", "paragraphs", "cannot be read as an archive"),
        (str(ROOT / "README.md"), "paragraphs", "cannot be read as an archive"),
        (str(ARCHIVE), "other", "has no replies of a run named other"),
    ],
)
def test_an_archive_of_nothing_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, run: str, sentence: str
) -> None:
    settings = configured(run=run, replay=named)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResourceError, match=f"^replay: .*{sentence}"):
        begin_from_archive(settings)
    assert not [*tmp_path.iterdir()]


def test_nothing_of_an_archive_leads_out_of_the_results_or_over_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = configured(replay="a.zip")
    monkeypatch.chdir(tmp_path)
    journal = "results/paragraphs/paragraphs/journal"
    names = ("../x", "results/paragraphs/../../x", "/x", "results/other/x", f"{journal}/a.jsonl")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        for name in (*names, f"{journal}/kept.jsonl"):
            packed.writestr(name, "from the archive")
    kept = tmp_path / journal / "kept.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine", "utf-8")
    begin_from_archive(settings)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"a.zip", f"{journal}/a.jsonl", f"{journal}/kept.jsonl"}
    assert kept.read_text("utf-8") == "mine"


@pytest.mark.parametrize("taken", [0.4, 0.0])
def test_the_study_finds_what_is_planted_in_texts(taken: float) -> None:
    """Of eight sentences of equal length each is the peer's by a chance: so large is the ratio."""
    agent = {"provider": "simulated", "behaviour": "paragraphs.simulated"}
    models = {"smollm2": {**agent, "speech": {"taken": taken}}}
    study = configured(models=models).study("paragraphs")
    _, rows = type(study).collect(study.settings.model_dump(), 7)["pool"]
    items = {row["item_id"]: row for row in rows}
    metrics = _played(3, study=study, items=items, models=models, is_null=False)
    found = compare(metrics, Compared.of(type(study)), Options(0.95, 1000, 3))
    (effect,) = [row for row in found if row["headline"]]
    assert effect["outcome"] == "reuse"
    assert abs(effect["estimate"] - taken) <= 3 * (effect["se"] or 0.0) < 0.1
