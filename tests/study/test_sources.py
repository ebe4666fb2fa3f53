"""What a study is made of: one list, for what a run keeps and for what a plan registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.run.kept import files_of
from dissensus.study.configuration import load
from dissensus.study.sources import asking_code, is_the_projects, text_of, whole_code
from dissensus.user_files import read_yaml


@pytest.fixture(scope="module")
def settings() -> dict[str, object]:
    given: dict[str, object] = read_yaml(Path("config.yaml"))
    return given


def test_what_prompts_are_made_of_is_part_of_what_a_plan_registers(
    settings: dict[str, object],
) -> None:
    configuration = load(settings)
    for name in configuration.studies:
        study = configuration.study(name)
        asking, whole = asking_code(study), whole_code(study)
        assert asking < whole, name
        rooms = {path.parts[-2] for path in whole}
        assert {"session", "inference" if name not in ("consensus",) else "learning"} <= rooms
        assert all(map(is_the_projects, whole))
        kept = {path.resolve() for path in files_of(study)}
        assert asking <= kept and Path("resources/prices.csv").resolve() not in kept


@pytest.mark.parametrize(
    ("content", "text"), [(b"\xe2\x80\x94", "—"), (b"12345", None), (b"\xff", None), (b"", "")]
)
def test_a_text_is_kept_of_short_files_in_utf_8_alone(content: bytes, text: str | None) -> None:
    assert text_of(content, 4) == text
