"""The published designs in examples/, as their README runs them, and behind a simulated server."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from serving import serving
from support import ROOT, Project

#: Sessions of an arm by which the planted effects are found here, without the project.
MANY = 20_000


def most_frequent(answers: list[int]) -> int:
    return Counter(answers).most_common(1)[0][0]


def planted_accuracy() -> float:
    """Debate minus sampling, of solvers who are right at .4 and take up a right answer at .6."""
    rng = np.random.default_rng(1)

    def answer() -> int:
        return 0 if rng.random() < 0.4 else int(rng.choice([-10, 10]))

    def debated() -> list[int]:
        first = [answer() for _ in range(3)]
        return [one and (0 if 0 in first and rng.random() < 0.6 else one) for one in first]

    sampled = [most_frequent([answer() for _ in range(6)]) == 0 for _ in range(MANY)]
    return float(np.mean([most_frequent(debated()) == 0 for _ in range(MANY)]) - np.mean(sampled))


def planted_verdicts() -> float:
    """Debate minus consultancy, of a judge of sharpness 3 who adds up three forces of a side."""
    rng = np.random.default_rng(1)
    right, wrong = (rng.normal(mean, 0.5, (MANY, 3)).sum(axis=1) for mean in (1.0, 0.4))
    alone = np.where(rng.random(MANY) < 0.5, right, -wrong)
    debate, consultancy = (np.mean(1 / (1 + np.exp(-3 * gap))) for gap in (right - wrong, alone))
    return float(debate - consultancy)


def planted_flips() -> float:
    """What a peer's bare stance adds to being asked again, of an answer that is right at .6.

    Asked again, it is made anew at .2, and is then another at .48; a stance is taken up at .3.
    """
    anew = 0.2 * 2 * 0.6 * 0.4
    return 0.3 + 0.7 * anew - anew


#: Example -> the outcome of its larger effect, and what is planted.
EXAMPLES = {
    "multi_agent_debate": ("accuracy", planted_accuracy),
    "judged_debate": ("strong", planted_verdicts),
    "flips": ("flip", planted_flips),
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


def check_openings_page(capsys: pytest.CaptureFixture[str]) -> None:
    """What docs/openings.md prints: arms with one opening are compared more closely."""
    page = (ROOT / "docs/openings.md").read_text(encoding="utf-8")
    capsys.readouterr()
    exec("import pandas" + page.partition("```python\nimport pandas")[2].partition("```")[0], {})
    one, two = (float(line.rpartition(" ")[2]) for line in capsys.readouterr().out.splitlines())
    # Of the first answer's variance .8 times .56 is in both: .74 is expected.
    assert 0 < one < 0.85 * two


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_published_design_is_a_page_and_finds_what_is_planted(
    project: Project,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = (ROOT / f"examples/{name}/study.py").read_text(encoding="utf-8")
    assert len(study.splitlines()) < 60
    project.configuration = f"examples/{name}/config.yaml"
    project.succeed(f"results/{name}/{name}/contrasts.parquet", cores=4)
    if name == "flips":
        monkeypatch.chdir(project.folder)
        check_openings_page(capsys)
    outcome, planted = EXAMPLES[name]
    rows = [row for row in contrasts(project, name) if row["outcome"] == outcome]
    effect = next(row for row in rows if row["method"] == "cluster_robust" and row["reference"])
    # Three standard errors, since the seed is one of many.
    assert abs(effect["estimate"] - planted()) < 3 * effect["se"] < 0.3
    assert effect["ci_low"] > 0.0 and effect["p_value"] < 0.05
    # A judge's accuracy is tested against a guess; that of a group, and a flip, against nothing.
    means = [row for row in rows if not row["reference"] and not row["factor"]]
    assert len(means) == (3 if name == "flips" else 2)
    assert all((row["p_value"] is None) == (name != "judged_debate") for row in means)


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
