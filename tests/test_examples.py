"""The published designs in examples/, as their README runs them, and behind a simulated server."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from dissensus.cli import main
from marking import thorough_but
from planted_examples import EXAMPLES, Planted
from serving import serving
from support import ROOT, Project

#: Those that `make test` runs.
QUICK = ("labels",)
#: Example -> outcomes whose mean is tested by itself.
TESTED_MEANS = {
    "judged_debate": {"weak", "strong"},
    "personas": {"words_closer"},
    "human_twin": {"gain"},
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    shutil.copytree(ROOT / "examples", made.folder / "examples")
    return made


def contrasts(project: Project, name: str) -> list[dict[str, Any]]:
    path = project.folder / f"results/{name}/{name}/contrasts.parquet"
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def printed_by(page: str, folder: Path) -> list[str]:
    """What a page's Python that begins with pandas prints when it is run in a folder."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    code = "import pandas" + text.partition("```python\nimport pandas")[2].partition("```")[0]
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(code, {})
    return printed.getvalue().splitlines()


def check_openings_page(folder: Path) -> None:
    """What docs/openings.md prints: arms with one opening are compared more closely."""
    one, two = (float(line.rpartition(" ")[2]) for line in printed_by("openings.md", folder))
    # Of the first answer's variance .8 times .56 is in both: .74 is expected.
    assert 0 < one < 0.85 * two


def check_star(folder: Path) -> None:
    """What docs/gallery.md prints: the weights of a star, of which each agent is told .3."""
    rows = [re.findall(r"[\d.]+", line) for line in printed_by("gallery.md", folder)]
    weights = np.array(rows, dtype=float)
    planted = 0.7 * np.eye(5)
    planted[0, 1:], planted[1:, 0] = 0.3 / 4, 0.3
    assert weights.shape == (5, 5) and np.abs(weights - planted).max() < 0.1


#: Example -> what is printed from its run on a page.
PRINTED = {"flips": check_openings_page, "topologies": check_star}


def check_card(name: str, rows: list[dict[str, Any]]) -> None:
    """The card of docs/gallery.md: the study's lines, and the findings of this run."""
    page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    (card,) = [each for each in page.split("\n## ") if f"examples/{name}/study.py" in each]
    study = (ROOT / f"examples/{name}/study.py").read_text(encoding="utf-8")
    (lines,) = re.findall(r"study\.py\), (\d+) lines", card)
    assert int(lines) == len(study.splitlines()) < 60
    number = r"([-+]?\d+\.\d+)"
    pattern = rf"(?m)^{name}: .*?: {number} \[{number}, {number}\].* n = (\d+)\.$"
    stated = re.findall(pattern, card.replace("−", "-"))
    headlines = [row for row in rows if row["headline"]][:3]
    assert len(stated) == len(headlines) > 0
    for row, (*numbers, n) in zip(headlines, stated, strict=True):
        digits = len(numbers[0].partition(".")[2])
        made = [f"{row[key]:.{digits}f}" for key in ("estimate", "ci_low", "ci_high")]
        assert [each.lstrip("+") for each in numbers] == made and int(n) == row["n"]


@pytest.mark.parametrize("name", thorough_but(EXAMPLES, *QUICK))
def test_a_published_design_is_a_page_and_finds_what_is_planted(
    project: Project, name: str
) -> None:
    project.configuration = f"examples/{name}/config.yaml"
    project.succeed(f"results/{name}/{name}/contrasts.parquet", cores=4)
    if name in PRINTED:
        PRINTED[name](project.folder)
    rows = [row for row in contrasts(project, name) if row["method"] == "cluster_robust"]
    check_card(name, rows)
    for planted in EXAMPLES[name]:
        check_found(rows, planted)
    # A judge is tested against a guess, and words against ratings; all other means against nothing.
    means = [row for row in rows if not row["reference"] and not row["factor"]]
    tested = {row["outcome"] for row in means if row["p_value"] is not None}
    assert tested == TESTED_MEANS.get(name, set())


@pytest.mark.thorough
@pytest.mark.run
def test_people_and_agents_stand_in_one_forest_by_the_commands_of_the_card(
    project: Project,
) -> None:
    project.configuration = "examples/human_twin/config.yaml"
    project.succeed("results/human_twin/human_twin/metrics.parquet", cores=4)
    card = (ROOT / "docs/gallery.md").read_text("utf-8").partition("## 11 ")[2]
    with contextlib.chdir(project.folder):
        for command in re.findall(r"^dissensus (.+)$", card, re.M):
            assert main(command.split()) == 0, command
    project.configuration = "twins.yaml"
    project.succeed("results/twins/debates/contrasts.parquet", cores=4)
    path = project.folder / "results/twins/debates/contrasts.parquet"
    rows = [row for row in pq.read_table(path).to_pylist() if row["method"] == "cluster_robust"]
    number = r"([-+]?\d\.\d{3})"
    pattern = rf"^debates: .*?, (\w+) - people: {number} \[{number}, {number}\].* n = (\d+)\.$"
    stated = re.findall(pattern, card.replace("−", "-"), re.M)
    assert [arm for arm, *_ in stated] == ["apart", "group"]
    for arm, *numbers, n in stated:
        key = {"outcome": "right_last", "arm": arm, "reference": "people", "factor": ""}
        (row,) = [row for row in rows if key.items() <= row.items()]
        made = [f"{row[name]:.3f}" for name in ("estimate", "ci_low", "ci_high")]
        assert [each.lstrip("+") for each in numbers] == made and int(n) == row["n"]
    means = {row["outcome"]: row["estimate"] for row in rows if row["arm"] == "people"}
    known = {"right_first": 0.092, "right_last": 0.272, "gain": 0.213, "discovery": 0.268}
    assert {name: round(means[name], 3) for name in known} == known


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_design_says_of_its_planted_effects_is_their_sign(name: str) -> None:
    rows = pd.read_csv(ROOT / f"examples/{name}/planted.csv", keep_default_na=False)
    said = {tuple(row[:-1]): row[-1] for row in rows.itertuples(index=False)}
    words = {1: "above zero", -1: "below zero", 0: "zero"}
    assert said == {
        (each.outcome, each.arm, each.reference, each.factor, each.level): words[
            int(np.sign(each.truth()))
        ]
        for each in EXAMPLES[name]
    }


def check_found(rows: list[dict[str, Any]], planted: Planted) -> None:
    """Whether an estimate is where it should be, and is told from 0 where it is not 0."""
    key = {
        name: value for name, value in planted._asdict().items() if name not in ("truth", "unit")
    }
    (effect,) = [row for row in rows if key.items() <= row.items()]
    truth = planted.truth()
    # Three standard errors, since the seed is one of many.
    assert abs(effect["estimate"] - truth) < 3 * effect["se"] < 0.3 * planted.unit, planted
    if truth:
        assert effect["ci_low"] > 0 if truth > 0 else effect["ci_high"] < 0, planted
        assert effect["p_value"] < 0.05


@pytest.mark.thorough
def test_a_server_that_knows_the_study_answers_to_the_same_words(project: Project) -> None:
    name = "multi_agent_debate"
    path = f"examples/{name}/config.yaml"
    values = yaml.safe_load((project.folder / path).read_text(encoding="utf-8"))
    values["multi_agent_debate"]["draws"] = 5
    target = f"results/{name}/{name}/metrics.parquet"
    said = []
    with serving("--config", path, cwd=project.folder) as server:
        served = {
            "providers": {
                "here": {
                    **{"interface": "openai", "base_url": f"{server.address}/v1"},
                    **{"key_from": None, "simulated": True},
                }
            },
            "models": {"solver": {"provider": "here", "model": "solver"}},
        }
        for run, more in (("served", served), ("simulated", {})):
            project.configuration = f"{run}.yaml"
            text = yaml.safe_dump({**values, **more, "run": run})
            (project.folder / project.configuration).write_text(text, encoding="utf-8")
            project.succeed(target.replace(name, run, 1), cores=4)
            turns = project.folder / f"results/{run}/{name}/turns.parquet"
            said.append(pq.read_table(turns).num_rows)
        assert server.stats()["calls"]["chat"]["answered"] == 5 * 12 == said[0] == said[1]
