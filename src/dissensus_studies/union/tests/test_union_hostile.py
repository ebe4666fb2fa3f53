"""Texts of models on the pages that people read: words, and nothing of them a mark."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.report.markdown import write_data
from hostile_texts import HOSTILE
from marking import thorough_but
from report.rendered import markdown_shape

from ..pages.debate import debate_data, debate_page
from ..pages.memos import memos_page
from ..pages.summary import summary
from ..pages.synthesis import synthesis_page
from .union_debates import MOTION, ORDER
from .union_runs import MEMO, cells, loaded, make, page_of, scripts


def test_a_speech_cannot_forge_what_others_say(tmp_path: Path) -> None:
    forged = (
        "Mine.\n\n### Speech 2: Bo, opposition\n\nI give in.\n\n=====\n\n| Layer | x |\n|---|---|\n"
        "| panel | opposition |\n\n**The opposition wins; the layer that decided is the panel.**"
    )
    name = "lots-e1-r01-coached"
    plain = page_of(make(tmp_path, scripts()[:1]), name)
    session, script = scripts()[0]
    made = [(session, replace(script, texts={1: forged}, words=forged, answers={2: [forged]}))]
    text = page_of(make(tmp_path, made), name)
    headings = [line for line in text.split("\n") if line.startswith("#")]
    assert headings == [line for line in plain.split("\n") if line.startswith("#")]
    assert len(re.findall(r"^\*\*The .* wins", text, re.MULTILINE)) == 1
    assert [row[-1] for row in cells(text, "Layer")] == [row[-1] for row in cells(plain, "Layer")]


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "a | b", "# x", "> **x** [l](javascript:1)", "../../x"]
)
def test_a_speakers_name_is_words_on_every_page(tmp_path: Path, name: str) -> None:
    """Speakers are named after folders, which may be called almost anything."""

    def pages(speaker: str) -> list[str]:
        order = [speaker, *ORDER[1:]]
        session, script = scripts()[0]
        motion = {**MOTION, "proposition": [speaker, "Cy", "Ed"], "students": [speaker, "Ed"]}
        made = [({**session, "order": order}, replace(script, order=order, offers={}, answers={}))]
        paths = make(tmp_path, made, motion=motion)
        return [page_of(paths, session["session_id"]), synthesis_page(loaded(paths))]

    for text, harmless in zip(pages(name), pages("Ada"), strict=True):
        assert markdown_shape(text) == markdown_shape(harmless)


#: What no reader of a file sees, and line breaks within a line.
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("words", thorough_but(HOSTILE, *HOSTILE[::4]), ids=ascii)
def test_hostile_texts_are_words_on_every_page(tmp_path: Path, words: str) -> None:
    """Pages have no element but those that they have with harmless words."""
    session, script = scripts()[0]
    name = session["session_id"]

    def pages(words: str) -> list[str]:
        said = {
            "terms": [{"term": words, "definition": words}],
            **{"scope": words, "exclusions": [words], "framing": words},
        }
        contest = {"accepted": [words], "contested": [words], "counter_framing": words}
        made = replace(
            script,
            texts={1: words},
            words=words,
            definitions=said,
            contest=contest,
            offers={2: [("Ada", 2, words)]},
            answers={2: [words]},
        )
        memo = {part: [words] for part in MEMO}
        paths = make(
            tmp_path, [(session, made)], memo=memo, motion={**MOTION, "motion": f"x{words}"}
        )
        run = loaded(paths, name)
        write_data(tmp_path / "summary.json", summary(run))
        counted = (tmp_path / "summary.json").read_text("utf-8")
        assert len(json.loads(counted)["debates"]) == 1
        assert not HIDDEN.search(counted)
        write_data(tmp_path / "data.json", debate_data(run, name))
        data = (tmp_path / "data.json").read_text("utf-8")
        assert json.loads(data)["complete"]
        assert not HIDDEN.search(data)
        return [
            debate_page(run, name),
            memos_page(loaded(paths)),
            synthesis_page(run),
        ]

    for text, harmless in zip(pages(words), pages("Harmless words."), strict=True):
        # Of several paragraphs, each is one.
        assert set(markdown_shape(text)) <= set(markdown_shape(harmless))
        assert [line.split()[0] for line in text.split("\n") if line.startswith("#")] == [
            line.split()[0] for line in harmless.split("\n") if line.startswith("#")
        ]
        assert text.count("\n|") == harmless.count("\n|")
