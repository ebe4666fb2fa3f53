"""The stock phrases: a wrong file is one sentence with its line, and an edit counts as code."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.data_files import beside, read_data
from dissensus.digests import source_files
from dissensus.errors import ResourceError

from ..simulated import phrases

FILE = beside(phrases.__file__, "../phrases.yaml")


@pytest.mark.parametrize(
    ("is_now", "was", "says"),
    [
        ('  - "in {answer}"', '  - "in answer"', "has a slot that nothing fills, answer"),
        ("  - 7", '  - "in answer"', "replies.0 holds 7"),
        ("reply:", "replies:", "reply"),
        ("", '  - ["first of all", "to begin with"]\n', "ordinals"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, is_now: str, was: str, says: str) -> None:
    text = FILE.read_text("utf-8")
    assert text.count(was) == 1
    wrong = tmp_path / "phrases.yaml"
    wrong.write_text(text.replace(was, is_now), "utf-8")
    with pytest.raises(ResourceError, match=r"phrases\.yaml, line \d+") as error:
        read_data(phrases.Phrases, wrong)
    assert says in str(error.value)


def test_what_speakers_say_counts_as_their_code() -> None:
    files = {file.resolve() for file in source_files("dissensus_studies.union.simulated")}
    assert FILE.resolve() in files
