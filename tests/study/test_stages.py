"""What the rule of a stage reads and makes follows from its function and what it declares."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dissensus.errors import SettingError
from dissensus.study.stages import Input, Page, Stage, inputs_of, outputs_of

_CODE = """
from dissensus.study.makes import makes

@makes(rows=None)
def measure(turns, manifest, level): ...

@makes(page=None, caption=None)
def show(rows, caption, view): ...

@makes(page=None)
def write(transcript, manifest, rows, session, **paths): ...

def silent(turns): ...
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_stages.py").write_text(_CODE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "made_stages", raising=False)


MEASURED = Stage("made_stages:measure", part={"turns": 0})
SHOWN = Stage("made_stages:show", named={"page": "rows.html"}, page=Page("page", "Rows", "3 Rows"))
WRITTEN = Stage("made_stages:write", named={"page": "pages/{session}.md"}, each_session=True)


def read_by(stage: Stage) -> dict[str, Input]:
    return inputs_of(stage, [MEASURED, SHOWN, WRITTEN], ("items",))


def test_parameters_that_are_artefacts_are_read_and_all_others_told() -> None:
    assert read_by(MEASURED) == {
        "turns": Input("shards", "turns", part=0),
        "manifest": Input("file", "manifest.parquet"),
    }
    assert outputs_of(MEASURED) == {"rows": "rows.parquet"}


def test_a_page_has_a_caption_that_is_called_like_its_file() -> None:
    # It may be called like an artefact that it reads.
    assert read_by(SHOWN) == {
        "rows": Input("file", "rows.parquet"),
        "caption": Input("caption", "rows"),
    }
    assert outputs_of(SHOWN) == {"page": "rows.html", "caption": "captions/rows.rst"}


def test_what_is_made_of_one_session_reads_its_transcript_and_a_manifest_that_has_it() -> None:
    assert read_by(WRITTEN) == {
        "transcript": Input("file", "transcripts/{session}.parquet"),
        "manifest": Input("session"),
        "rows": Input("file", "rows.parquet"),
    }
    assert outputs_of(WRITTEN) == {"page": "pages/{session}.md"}
    assert [stage.log("show") for stage in (SHOWN, WRITTEN)] == ["show.log", "show/{session}.log"]


def test_a_stage_that_says_not_what_it_makes_is_refused_by_its_file() -> None:
    with pytest.raises(SettingError, match=r"made_stages.py: silent is a stage and does not say"):
        outputs_of(Stage("made_stages:silent"))
    with pytest.raises(SettingError, match=r"has no function gone"):
        outputs_of(Stage("made_stages:gone"))
