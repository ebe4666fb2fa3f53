"""What is rendered before a run begins: every text of every prompt file."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.plan.preflight import check_inputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import Call
from dissensus.shipped import SHIPPED
from dissensus.study.configuration import load
from dissensus.user_files import read_yaml
from prompt_faults import FILES, shipped
from scripted import ROOT

#: What only a round of more contentiousness shows than any of the default arms begins with.
NOT_RENDERED = {"tones.4"}


def tagged(value: Any, path: str) -> Any:
    """A prompt file's texts, each ending with where it stands."""
    if isinstance(value, dict):
        return {name: tagged(inner, f"{path}.{name}") for name, inner in value.items()}
    if isinstance(value, list):
        return [tagged(inner, f"{path}.{index}") for index, inner in enumerate(value)]
    is_text = not re.search(r"\.\d+\.(speaker|strategy)$", path)
    return f"{value.rstrip()} [[{path}]]" if is_text else value


def test_every_text_is_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    values: Any = read_yaml(ROOT / "config.yaml")
    # The default run has some of the arms.
    arms: Any = read_yaml(ROOT / "config/arms.yaml")
    values["deliberation"]["arms"] |= arms["deliberation"]["arms"]
    expected = set()
    for name, setting in FILES.items():
        content = tagged(yaml.safe_load(shipped(name)), name)
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        *above, last = setting.split(".")
        block = values
        for key in above:
            block = block[key]
        block[last] = str(path)
        expected |= set(re.findall(r"\[\[(.*?)\]\]", path.read_text(encoding="utf-8")))
    rendered: set[str] = set()

    def read(calls: Iterable[Call], *files: Any) -> None:
        for call in calls:
            check_filled([call], *files)
            for message in (*call.messages, *call.again(("x",))):
                rendered.update(re.findall(r"\[\[(.*?)\]\]", message.content))

    for study in load(values).studies:
        for module in ("study", "kinds"):
            name = f"{SHIPPED}.{study}.{module}"
            if find_spec(name) and hasattr(importlib.import_module(name), "check_filled"):
                monkeypatch.setattr(f"{name}.check_filled", read)
    check_inputs(load(values))
    assert {path.partition(".yaml.")[2] for path in expected - rendered} == NOT_RENDERED
