"""The stored diagnosis: that of the default run's settings, and of no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.errors import ResourceError
from dissensus.plan.diagnosed import STORED, diagnosed_rows, store
from dissensus.study.configuration import Configuration, load
from dissensus.study.registry import study_folder
from dissensus.tables.artefact import write
from dissensus.user_files import read_yaml
from scripted import ROOT


def configured(**union: object) -> Configuration:
    values = read_yaml(ROOT / "config.yaml")
    values["union"] |= union
    return load(values)


@pytest.mark.parametrize("study", ["language", "deliberation", "union", "consensus"])
def test_the_default_runs_designs_are_stored(study: str) -> None:
    rows = diagnosed_rows(configured().study(study))
    assert rows and all(row["simulations"] >= 0 for row in rows)


def test_of_other_settings_nothing_is_known() -> None:
    assert diagnosed_rows(configured(runs=4).study("union")) == []


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    settings = configured()
    numbers = [name for name, column in DIAGNOSIS.columns.items() if column.kind == "float?"]
    row = {"world": "w", "estimand": "e", "true": 0.25, "true_se": 0.0, "estimator": "x"}
    row |= {"simulations": 9, "items": None, **dict.fromkeys(numbers)} | {
        "true_se": 0.0,
        "rejection": 0.123456789,
    }
    alone = settings.model_copy(update={"studies": ["union"]})
    write(tmp_path / "union/design_diagnosis.parquet", DIAGNOSIS, [row], {})
    store(alone, tmp_path, tmp_path.joinpath)
    (found,) = diagnosed_rows(settings.study("union"), tmp_path / "union")
    assert (found["world"], found["true"], found["rejection"]) == ("w", 0.25, 0.123457)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    text = (study_folder("union") / STORED).read_text("utf-8").splitlines()
    head, *rows = text
    spoiled = [",".join([*row.split(",")[:3], "much", *row.split(",")[4:]]) for row in rows]
    (tmp_path / STORED).write_text("\n".join([head, *spoiled]), "utf-8")
    with pytest.raises(ResourceError, match="has no number where one must be"):
        diagnosed_rows(configured().study("union"), tmp_path)


#: What the default run plants in each study: the world, and the estimate that its headline is.
_PLANTED = [
    ("language", "planted_100_draws", "net"),
    ("deliberation", "full_as_run", "cluster_robust_holm"),
    ("union", "student_survival_coached_by_3", "paired_randomisation"),
    ("union", "slot_bias_of_0.9", "position_holm"),
    ("consensus", "step_0.75", "cluster_robust_holm"),
]
_NONE = [
    ("language", "zero_100_draws", "net"),
    ("deliberation", "emergent_again_as_run", "cluster_robust_holm"),
    ("union", "student_survival_coached_by_0", "paired_randomisation"),
    ("union", "unbiased_judges", "any_holm"),
    ("consensus", "step_0", "cluster_robust_holm"),
]


def rejection(study: str, world: str, estimator: str) -> tuple[float, float]:
    """The share of simulated studies of the default run's design that find something, and n."""
    (row,) = (
        row
        for row in diagnosed_rows(configured().study(study))
        if (row["world"], row["estimator"]) == (world, estimator)
    )
    return row["rejection"], row["simulations"]


@pytest.mark.parametrize(("study", "world", "estimator"), _PLANTED)
def test_the_default_runs_design_finds_what_is_planted(
    study: str, world: str, estimator: str
) -> None:
    found, simulations = rejection(study, world, estimator)
    assert found >= 0.9 and simulations >= 200


@pytest.mark.parametrize(("study", "world", "estimator"), _NONE)
def test_the_default_runs_design_finds_nothing_where_nothing_is(
    study: str, world: str, estimator: str
) -> None:
    """To three standard errors of a share of .05 of so many studies."""
    found, simulations = rejection(study, world, estimator)
    assert found <= 0.05 + 3 * (0.05 * 0.95 / simulations) ** 0.5


def test_identitys_intervals_hold_what_is_planted() -> None:
    """To four standard errors of a share of .95; power is from the run's own questions."""
    rows = diagnosed_rows(configured().study("identity"))
    own = [row for row in rows if row["estimator"] == "moment"]
    assert {row["true"] for row in own} > {0.0}
    for row in own:
        error = (0.95 * 0.05 / row["simulations"]) ** 0.5
        assert abs(row["coverage"] - 0.95) < 4 * error, row["world"]
