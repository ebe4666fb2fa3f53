"""The study of docs/designs.md: it is as the page shows it, and finds what it plants."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from read_facts import wrong_numbers
from support import ROOT, Project

PAGE = (ROOT / "docs/designs.md").read_text(encoding="utf-8")
#: Of what is left of the way to the group's estimate, a guess goes so far for each person in it.
SHARE, EXPERTS = 0.05, 1.5


@pytest.fixture
def page(tmp_path: Path) -> Project:
    """A project with the study of the page."""
    project = Project(tmp_path / "project")
    project.configuration = "examples/designs/majority.yaml"
    shutil.copytree(ROOT / "examples/designs", project.folder / "examples/designs")
    return project


def test_the_page_shows_what_the_study_declares() -> None:
    study = (ROOT / "examples/designs/majority/study.py").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n(arms = .*?)```", PAGE, re.DOTALL)
    declared = re.split(r"(?m)^(?=\w+ = )", shown)[1:]
    assert len(declared) == 4
    assert all(squeezed(each) in squeezed(study) for each in declared)


def squeezed(code: str) -> str:
    """Code without white space and last commas: within its class, lines break elsewhere."""
    return re.sub(r"\s|,(?=\s*[)}])", "", code)


def left(size: float, experts: float, guesses: int) -> float:
    """What is left of the way to the group's estimate after some guesses."""
    return float((1 - SHARE * size * experts) ** guesses)


@pytest.mark.thorough
def test_the_page_is_true_and_finds_what_it_plants(page: Project) -> None:
    page.succeed(cores=8)
    folder = page.folder / "results/majority/majority"
    manifest = pd.read_parquet(folder / "manifest.parquet")
    assert len(manifest) == 12 * 3 * 2 * 3 and manifest["size"].dtype.kind == "i"
    rows = pd.read_parquet(folder / "contrasts.parquet")
    main = rows[rows["method"] == "cluster_robust"]
    found = main.set_index(["arm", "reference", "outcome", "factor", "level"])
    pool = pd.read_parquet(folder / "pool.parquet")
    # In units of the way from 500 to the group's estimate.
    way = float((pool["other"] - 500).mean())
    sizes = (1, 3, 6)
    crowd, experts = ({n: left(n, by, 3) for n in sizes} for by in (1.0, EXPERTS))
    told = {n: (crowd[n] + experts[n]) / 2 - 1 for n in sizes}
    middle = sum(sizes) / 3
    slope = sum((n - middle) * told[n] for n in sizes) / sum((n - middle) ** 2 for n in sizes)
    planted = {
        ("0.5 crowd + 0.5 experts", "alone", "distance", "", ""): sum(told.values()) / 3,
        ("experts", "crowd", "distance", "", ""): sum(experts[n] - crowd[n] for n in sizes) / 3,
        ("0.5 crowd + 0.5 experts", "alone", "distance", "size", "slope"): slope,
        ("", "", "distance", "size", "6"): 2 / 3 * (told[6] - told[1]),
        ("experts", "", "distance", "size", "3"): experts[3],
        ("", "", "distance", "first", "group"): 0.0,
    }
    for key, truth in planted.items():
        row = found.loc[key]
        # Guesses are rounded, and their noise makes a distance a little larger.
        assert abs(row["estimate"] / way - truth) < 0.05, key
    by_round = pd.read_parquet(folder / "contrasts_by_round.parquet")
    by_round = by_round[by_round["factor"] == ""]
    course = by_round[(by_round["arm"] == "crowd") & (by_round["reference"] == "")]
    assert list(course["round"]) == [0, 1, 2]
    for guesses, estimate in enumerate(course["estimate"], start=1):
        truth = sum(left(n, 1.0, guesses) for n in sizes) / 3
        assert abs(estimate / way - truth) < 0.05
    agents = pd.read_parquet(folder / "outcomes_by_round.parquet")
    assert len(agents) == len(manifest) * 3 * 2 and set(agents["agent"]) == {"A1", "A2"}
    templates = {
        name: (ROOT / f"workflow/report/experiment_{name}.rst").read_text("utf-8")
        for name in ("outcomes", "factors", "rounds")
    }
    # Numbers that are names: of a weighted sum, and of levels.
    names = ["0.5 crowd + 0.5 experts", "of 1, 3, 6, slope", "Against 1, all"]
    assert wrong_numbers(folder, {"confidence": 0.95}, templates, names) == []
    # Nothing is left to be made.
    assert "Nothing to be done" in page.succeed("--dry-run")


def test_repeats_that_cannot_be_balanced_are_a_sentence_before_anything(page: Project) -> None:
    config = page.folder / "examples/designs/majority.yaml"
    config.write_text(config.read_text("utf-8").replace("repeats: 2", "repeats: 3"))
    done = page.run("--dry-run")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "majority.repeats holds 3, and first is balanced over an item's repeats" in done.stderr
