"""Training is an extra: without its packages, which no other test here needs, it says so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ...training import __main__ as command

STUDY = Path(command.__file__).parents[1]


@pytest.mark.parametrize("name", ["score", "train"])
def test_what_is_missing_is_one_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", {"torch": object()}.get)
    options = ["--output", "adapter"] if name == "train" else []
    assert command.main([name, "triplets.parquet", "model", *options]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"{name} needs transformers")
    assert "`pip install 'dissensus[train]'`" in said
    assert "torch" not in said


def test_the_study_imports_of_it_what_is_no_training() -> None:
    """The stage that makes the triplets alone; nothing loads Torch and its like with the study."""
    heavy = {"torch", "transformers", "peft", "trl", "datasets"}
    loaded = set()
    for path in STUDY.rglob("*.py"):
        if "tests" in path.parts:
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            named = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            loaded |= heavy & {name.partition(".")[0] for name in named}
            is_outside = "training" not in path.relative_to(STUDY).parts
            assert not (is_outside and any(name.startswith("training") for name in named)), path
    assert not loaded
