"""docs/new-study.md, followed line by line by a reader whose folder is outside the project."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from read_facts import wrong_numbers
from support import ROOT, Project

PAGE = ROOT / "docs/new-study.md"
#: Where the page has a stage of its own.
STAGES = ("echo/lengths.py",)


def files() -> dict[str, str]:
    """File -> what the page has it hold, or where it leads to."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(
        r"\n\n(`echo[^\n]+(?:\n[^\n]+)*)\n\n```(?:python|yaml)\n(.*?)```", text, re.DOTALL
    )
    shown = {sentence.split("`")[1]: content for sentence, content in blocks}
    # Two more stand beside it, which the page leads to.
    led = re.findall(r"\]\(\.\./examples/designs/(echo/\w+\.py)\)", text)
    return shown | {name: (ROOT / "examples/designs" / name).read_text("utf-8") for name in led}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Project]:
    """A project, and beside it the files of the page."""
    project = Project(tmp_path / "project")
    project.configuration = "echo.yaml"
    for name, content in files().items():
        path = (tmp_path / "elsewhere" if name.startswith("echo/") else project.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("{echo: echo}", "{echo: ../elsewhere/echo}"), "utf-8")
    yield project


def results(project: Project) -> Path:
    return project.folder / "results/echo/echo"


def artefacts(project: Project) -> dict[str, bytes]:
    return {
        str(path.relative_to(results(project))): path.read_bytes()
        for path in sorted(results(project).rglob("*.parquet"))
        if not path.parent.name.endswith("calls") and path.stem != "calls"
    }


def contrast(project: Project) -> dict[str, Any]:
    rows = pq.read_table(results(project) / "contrasts.parquet").to_pylist()
    return next(row for row in rows if row["method"] == "sign_flip")


def test_the_page_builds_a_study_in_forty_lines() -> None:
    found = files()
    assert list(found) == [
        "echo/study.py",
        "echo/simulated.py",
        "echo.yaml",
        "echo/shown.py",
        *STAGES,
    ]
    assert len(found["echo/study.py"].splitlines()) <= 40


@pytest.mark.thorough
def test_the_page_is_true_through_a_kill(page: Project, tmp_path: Path) -> None:
    said = page.succeed("plan")
    assert "echo: 30 draws, 60 sessions (30 " in said and "60 calls if nothing goes wrong" in said
    # Killed in the middle, more than once, and started again.
    for left in ("manifest.parquet", "journal/*", "transcripts/*"):
        page.kill_when(lambda left=left: any(results(page).glob(left)), cores=8)  # type: ignore[misc]
    page.succeed(cores=8)
    found = contrast(page)
    # Planted: half way to the other's estimate, from 500 to 100 to 900, so some 100 nearer.
    assert found["n"] == 30 and -130 < found["estimate"] < -70 and found["p_value"] < 0.01
    assert "Nothing to be done" in page.succeed("--dry-run")
    template = (ROOT / "workflow/report/experiment_outcomes.rst").read_text("utf-8")
    assert wrong_numbers(results(page), {"confidence": 0.95}, {"outcomes": template}) == []
    said = pq.read_table(results(page) / "findings.parquet")["sentence"].to_pylist()
    (main,) = [
        row
        for row in pq.read_table(results(page) / "contrasts.parquet").to_pylist()
        if row["headline"] and row["reference"]
    ]
    assert f": {main['estimate']:.3f} [".replace("-", "\N{MINUS SIGN}") in said[0]
    # What the page of the results prints works as it stands, though config.yaml has no such study.
    shown = (page.folder / "results/echo/index.html").read_text(encoding="utf-8")
    (command,) = re.findall("<code>dissensus (read .*?)</code>", shown)
    done = subprocess.run(
        [sys.executable, "-m", "dissensus", *command.split()],
        cwd=page.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "rebuilt, and found in the journal" in done.stdout
    # An edit of the protocol runs every session again, for nothing where the words stay the same.
    before = artefacts(page)
    study = tmp_path / "elsewhere/echo/study.py"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("yield session", "yield  session"))
    journals = {p: p.read_bytes() for p in (results(page) / "journal").iterdir()}
    moment = time.time()
    page.succeed()
    written = list((results(page) / "transcripts").iterdir())
    assert len(written) == 60 and all(path.stat().st_mtime > moment for path in written)
    assert {p: p.read_bytes() for p in (results(page) / "journal").iterdir()} == journals
    # The same numbers: only what files say of their code may differ.
    assert artefacts(page).keys() == before.keys()
    assert contrast(page) == found


@pytest.mark.thorough
def test_a_diagnosis_says_what_the_study_can_find_and_so_does_the_plan(page: Project) -> None:
    path = page.folder / "echo.yaml"
    prices = "prices: {guesser: {input: 0, output: 1000}}"
    small = f"{{model: guesser, diagnosis: {{simulations: 60, items: [30, 60], {prices}}}}}"
    path.write_text(path.read_text("utf-8").replace("{model: guesser}", small), "utf-8")
    page.succeed("diagnosis")
    assert not (results(page) / "transcripts").exists()
    rows = pd.read_parquet(results(page) / "design_diagnosis.parquet")
    of = rows[rows["estimator"] == "cluster_robust"].set_index("world")
    own, null = (of.loc[f"30 items, shown-alone{kind}"] for kind in ("", ", null"))
    # Half of the mean distance, which is some 200.
    assert -130 < own["true"] < -70 and own["rejection"] == 1.0
    assert abs(own["bias"]) < 4 * own["bias_se"] and null["true"] == 0.0
    assert null["rejection"] < 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5
    said = " ".join(page.succeed("plan").split())
    # A reply of half its 1000 tokens, and a tenth of these again; 2% of sessions run again.
    usd = 30 * 2 * 500 / 1000 * 1.1 * 1.02
    assert own["usd"] == pytest.approx(usd)
    smallest = f"{own['smallest']:.3f} (shown-alone), for ${usd:.2f}"
    assert f"with 30 items the smallest difference found with 80% power is {smallest}" in said
    other = of.loc["60 items, shown-alone"]
    assert f"with 60 items it is {other['smallest']:.3f} (shown-alone), for ${2 * usd:.2f}" in said
    drawn = (results(page) / "figures/power_over_items.svg").read_text("utf-8")
    assert f"${usd:.2f}" in drawn and "simulated models" in drawn
    # Of another design it says nothing but that.
    path.write_text(path.read_text("utf-8").replace("guesser, diag", "guesser, repeats: 2, diag"))
    said = " ".join(page.succeed("plan").split())
    assert "is of another design: repeats changed since" in said and "80% power" not in said


@pytest.mark.thorough
def test_a_null_plant_is_not_found_and_is_shown_in_outputs_of_ones_own(
    page: Project, tmp_path: Path
) -> None:
    config = page.folder / "echo.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("pull: 0.5", "pull: 0.0"))
    study = tmp_path / "elsewhere/echo/study.py"
    # The page declares a figure and a table.
    (declared,) = re.findall(
        r"```python\n(    figures = .*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    text = study.read_text("utf-8").replace(
        "import Experiment,", "import Experiment, Figure, Table,"
    )
    study.write_text(text.replace("    def items", f"{declared}\n    def items"), "utf-8")
    caption = study.parent / "captions/bridges.rst"
    caption.parent.mkdir()
    caption.write_text("A dot is one of {n} bridges.\n", "utf-8")
    made = ("contrasts.parquet", "figures/bridges.svg", "tables/nearest.md")
    page.succeed(*(f"results/echo/echo/{name}" for name in made), cores=8)
    found = contrast(page)
    assert abs(found["estimate"]) < 20 and found["p_value"] > 0.01
    said = (results(page) / "captions/bridges.rst").read_text("utf-8")
    assert said.startswith("A dot is one of 30 bridges.\n")
    table = (results(page) / "tables/nearest.md").read_text("utf-8").splitlines()
    assert table[0] == "**The nearest five.**" and len(table[2:-2]) == 2 + 5


def test_a_stage_of_ones_own_is_a_file_like_any_other(page: Project, tmp_path: Path) -> None:
    study = tmp_path / "elsewhere/echo/study.py"
    (declared,) = re.findall(
        r"```python\n(    def stages.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    text = study.read_text("utf-8").replace("import Experiment,", "import Experiment, Stage,")
    study.write_text(text.replace("    def items", f"{declared}\n    def items"), "utf-8")
    said = page.succeed("results/echo/echo/lengths.parquet")
    assert "Count the words of each arm" in said
    rows = pq.read_table(results(page) / "lengths.parquet").to_pylist()
    # "I would say 512", in every turn.
    assert rows == [{"arm": "alone", "words": 4.0}, {"arm": "shown", "words": 4.0}]
    # An edit of the function makes it again, and nothing else.
    lengths = study.parent / "lengths.py"
    lengths.write_text(lengths.read_text("utf-8").replace(".mean()", ".max()"), "utf-8")
    planned = page.succeed("--dry-run", "results/echo/echo/lengths.parquet")
    assert re.findall(r"(?m)^(\w+) +\d+$", planned) == ["mean_lengths", "total"]


def test_a_measure_is_told_all_settings(page: Project, tmp_path: Path) -> None:
    study = tmp_path / "elsewhere/echo/study.py"
    lines = study.read_text(encoding="utf-8").splitlines()
    told = "self.settings.protocol.max_tokens + self.settings.draws"
    study.write_text(
        "\n".join([*lines[:-1], f'        return {{"distance": {told}}}', ""]), "utf-8"
    )
    config = page.folder / "echo.yaml"
    protocol = "{temperature: 1.0, max_tokens: 77, repairs: 0, session_attempts: 1}"
    more = f"echo: {{draws: 3, protocol: {protocol}, "
    config.write_text(config.read_text(encoding="utf-8").replace("echo: {model", f"{more}model"))
    page.succeed("results/echo/echo/metrics.parquet")
    distances = pq.read_table(results(page) / "metrics.parquet")["distance"].to_pylist()
    assert distances == [80.0] * 6
