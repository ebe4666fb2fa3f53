"""The table of what real models cost: the README has what `snakemake cost` prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from dissensus.study.given import priced
from dissensus.study.registry import study_folder

ROOT = Path(__file__).parents[1]
SAID = """debate: gpt (gpt of openai)
  low                      400           370,208            51,200           $0.1252
  expected                 449           658,776           114,893           $0.2327
  high                     499         1,272,960           255,590           $0.4638
all stages and models
  low                                                                        $308.76
  expected                                                                 $1,469.68
  high                                                                     $2,796.16
  ceiling                                                                  $5,757.07
"""


@pytest.fixture
def costs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("costs", ROOT / "docs/costs.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_dollars_are_those_of_all_stages_and_no_ceiling(costs: ModuleType) -> None:
    assert costs.dollars(SAID) == {"low": 308.76, "expected": 1469.68, "high": 2796.16}
    with pytest.raises(ValueError, match="no total"):
        costs.dollars(SAID.partition("all stages")[0])


def test_the_table_has_every_file_that_it_names(costs: ModuleType) -> None:
    page = costs.PAGE.read_text("utf-8")
    assert page.count(costs.BEGIN) == page.count(costs.END) == 1
    block = page.partition(costs.BEGIN)[2].partition(costs.END)[0]
    for name in costs.FILES:
        assert f"`config/{name}.yaml` | $" in block and (ROOT / f"config/{name}.yaml").exists()
    assert "config/identity-paper.yaml" in block


def test_what_the_front_page_reads_is_the_table_s(costs: ModuleType) -> None:
    block = costs.PAGE.read_text("utf-8").partition(costs.BEGIN)[2].partition(costs.END)[0]
    for name, study in costs.FILES.items():
        stored = (ROOT / f"src/dissensus_studies/{study}/costs.yaml").read_text("utf-8")
        cost = yaml.safe_load(stored)
        row = f"| {study} | `{cost['settings']}` | "
        assert row + " | ".join(f"${cost[w]:,}" for w in ("low", "expected", "high")) in block
        assert stored == costs.STORED.format(name=name, **cost)
        dollars = f"${cost['low']:,} to ${cost['high']:,}"
        assert priced(study_folder(study)) == [dollars, cost["settings"]]
    for name, study in costs.OWN_FILES.items():
        stored = (ROOT / f"src/dissensus_studies/{study}/costs.yaml").read_text("utf-8")
        assert stored == costs.OWN.format(name=name)
        assert f"| {study} | `config/{name}.yaml` | servers of your own" in block
        assert priced(study_folder(study)) == ["servers of your own", f"config/{name}.yaml"]
    assert priced(study_folder("debates")) == []


@pytest.mark.thorough
def test_the_language_paper_s_row_is_what_the_command_says(costs: ModuleType) -> None:
    """With its tokeniser and its embedder on a hub that nothing here reaches."""
    cost = {"paper": costs.dollars(costs.printed("paper"))}
    (row,) = [line for line in costs.table(cost).split("\n") if "config/paper.yaml" in line]
    assert row in (ROOT / "README.md").read_text("utf-8")
