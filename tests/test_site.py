"""What the site makes of pages: links that stay within it, and names of artefacts that lead on."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from support import ROOT


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mkdocs_hooks", ROOT / "docs/mkdocs_hooks.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("page", "text", "made"),
    [
        (
            "models",
            "has `turns.parquet`.",
            "has [`turns.parquet`](artefacts/every-study.md#turns).",
        ),
        # A study's own comes before that of all studies.
        ("union", "`votes.parquet`", "[`votes.parquet`](artefacts/union.md#votes)"),
        ("union", "`spending.parquet`", "[`spending.parquet`](artefacts/every-study.md#spending)"),
        # What is no artefact, and what is a link or part of a path already, stays.
        ("models", "`nothing.parquet`", "`nothing.parquet`"),
        ("models", "[`turns.parquet`](turns.md)", "[`turns.parquet`](turns.md)"),
        ("models", "`results/demo/turns.parquet`", "`results/demo/turns.parquet`"),
    ],
)
def test_the_name_of_an_artefact_leads_to_its_columns(
    hooks: ModuleType, page: str, text: str, made: str
) -> None:
    assert hooks.with_columns(text, page) == made


def test_links_stay_within_the_site_or_become_paths(hooks: ModuleType) -> None:
    text = "[a](../src/dissensus_studies/union/docs.md#design) [b](../config.yaml) [c](glossary.md)"
    assert hooks.linked(text, "docs/.") == "[a](union.md#design) b (`config.yaml`) [c](glossary.md)"
