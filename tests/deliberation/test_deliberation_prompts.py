"""The prompt files, and what is filled into them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from deliberation.deliberation_sessions import PROMPTS, TOPIC, WORDING
from dissensus.deliberation.controls.crit import Assessment
from dissensus.deliberation.prompts import Spoken, View, Wording
from dissensus.deliberation.turns import ParsedTurn, parse_turn
from dissensus.errors import ResourceError


def test_every_part_of_the_prompt_files_is_needed(tmp_path: Path):
    for name, path in PROMPTS.items():
        wording = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        for part in wording:
            lacking = tmp_path / "lacking.yaml"
            lacking.write_text(yaml.safe_dump({k: v for k, v in wording.items() if k != part}))
            with pytest.raises(ResourceError, match=rf"lacking\.yaml lacks '{part}'"):
                Wording.read(**_files(name, lacking))


def _files(name: str, path: Path) -> dict[str, str | Path]:
    files = {"debating": PROMPTS["prompts"], "judging": PROMPTS["judging"]}
    return files | {"debating" if name == "prompts" else "judging": path}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("prompts", {"tones": []}, "tones is empty"),
        (
            "prompts",
            {"topologies": {"emergent": "x", "full": "y"}},
            "topologies lacks 'one_target'",
        ),
        ("judging", {"retries": ["a", "b"]}, "retries has 2 forms; it needs 3"),
    ],
)
def test_prompt_files_that_cannot_do_are_named(tmp_path, name: str, change: dict, message: str):
    wording = yaml.safe_load(Path(PROMPTS[name]).read_text(encoding="utf-8"))
    path = tmp_path / "p.yaml"
    path.write_text(yaml.safe_dump(wording | change), encoding="utf-8")
    with pytest.raises(ResourceError, match=message):
        Wording.read(**_files(name, path))


def test_a_prompt_file_that_is_no_yaml_is_named(tmp_path: Path):
    path = tmp_path / "p.yaml"
    path.write_bytes(b"a: [")
    with pytest.raises(ResourceError, match=r"p\.yaml is not YAML"):
        Wording.read(path, PROMPTS["judging"])


def test_an_example_in_the_prompt_is_no_turn():
    """A debater that repeats its instructions has not taken a stance."""
    view = View(("A1", "A2"), 1, 1, (), "emergent", None, None, {})
    assert not parse_turn(WORDING.round_prompt(TOPIC, "A1", view), TOPIC.options).stance


def test_scores_that_are_missing_are_shown_as_none():
    spoken = (Spoken("A1", 1, ParsedTurn("x")),)
    assessments = {"A1": Assessment("c", ((10.0, 5.0),), (), ())}
    view = View(("A1", "A2"), 2, 2, spoken, "emergent", None, None, assessments)
    assert "quality 0.50; reasons (validity/credibility) 10/5; rival reasons none" in (
        WORDING.round_prompt(TOPIC, "A1", view)
    )
