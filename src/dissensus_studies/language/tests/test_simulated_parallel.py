"""Parallel texts are exact: there and back is the same text, and equal debaters read alike."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dissensus.session.runner import Session
from dissensus.text.divergences import plain_similarity
from dissensus.text.tokens import tokenizer
from marking import thorough_but
from simulation import hold, motions, settings

from ..design.instrument import rendered_draws
from ..measures.renderings import exact
from ..simulated_parallel import NoParallel, render_debate

LANGUAGES = ("en", "zh")
OTHER = {"en": "zh", "zh": "en"}
SPEECH = settings()["speech"]
SOURCES = {"s": {name: SPEECH[name] for name in ("arguments", "motions")}}


def turns_of(session: Session) -> list[dict[str, str]]:
    return [{"speaker": t.speaker, "model": "s", "text": t.text} for t in session.turns]


@pytest.mark.parametrize("language", thorough_but(LANGUAGES, "en"))
def test_there_and_back_is_the_same_text_on_every_motion(language: str) -> None:
    for name, row in motions().items():
        turns = turns_of(hold(settings(), row[f"motion_{language}"], language, seed=3))
        there = render_debate(turns, SOURCES, name, language, OTHER[language])
        rendered = [{**turn, "text": text} for turn, text in zip(turns, there, strict=True)]
        back = render_debate(rendered, SOURCES, name, OTHER[language], language)
        assert back == [turn["text"] for turn in turns]
        assert all(a != b for a, b in zip(there, back, strict=True))


def test_broken_rules_are_rendered_too_or_there_is_no_parallel() -> None:
    rendered = lost = 0
    for name, language in product(list(motions())[:20], LANGUAGES):
        row = motions()[name]
        session = hold(settings(violation_rate=0.5), row[f"motion_{language}"], language, seed=1)
        turns = turns_of(session)
        try:
            there = render_debate(turns, SOURCES, name, language, OTHER[language])
        except NoParallel:
            lost += 1
            continue
        rendered += 1
        listed = [turn["text"].startswith("- ") for turn in turns]
        assert [text.startswith("- ") for text in there] == listed
    assert rendered > 5 and lost > 0


def test_a_text_that_no_debater_composed_has_no_parallel() -> None:
    turns = [{"speaker": "P1", "model": "s", "text": "Nobody wrote this."}]
    with pytest.raises(NoParallel, match="Nobody"):
        render_debate(turns, SOURCES, next(iter(motions())), "en", "zh")


@pytest.mark.thorough
def test_parallels_of_equal_debaters_read_as_debates_of_the_language_do() -> None:
    """Debates held in Chinese, and English ones rendered in it, have one mean; English has not."""
    encode, model = tokenizer("tekken"), settings(0.38, 0.38, topic_sd=0.9, session_sd=0.9)
    read: dict[str, list[float]] = {"en": [], "zh": [], "en as zh": []}
    for number, (name, row) in enumerate(motions().items()):
        for language in LANGUAGES:
            turns = turns_of(hold(model, row[f"motion_{language}"], language, seed=number))
            texts = {language: [turn["text"] for turn in turns]}
            if language == "en":
                texts["en as zh"] = render_debate(turns, SOURCES, name, "en", "zh")
            for kind, said in texts.items():
                pieces = [np.array(encode(text)) for text in said]
                read[kind].append(plain_similarity(pieces, range(8)))
    zh, rendered, en = (np.array(read[kind]) for kind in ("zh", "en as zh", "en"))
    assert abs((zh - rendered).mean()) < 3 * (zh - rendered).std() / np.sqrt(len(zh))
    assert (rendered - en).mean() > 8 * (rendered - en).std() / np.sqrt(len(en))


def test_some_draws_are_rendered_and_more_of_them_keep_the_first() -> None:
    draws = [f"d{number:03d}" for number in range(1, 41)]
    few, many = (rendered_draws(draws, number, 7) for number in (5, 20))
    assert len(few) == 5 and few < many
    assert rendered_draws(draws, None, 7) == set(draws)
    assert rendered_draws(draws, 5, 8) != few


def test_renderings_have_the_names_of_their_draws() -> None:
    name = next(iter(motions()))
    turns = turns_of(hold(settings(), motions()[name]["motion_en"], "en"))
    ids = {"session_id": "d001-en", "draw_id": "d001", "language": "en", "rendered_from": ""}
    session = [{**ids, **turn, "turn": number} for number, turn in enumerate(turns, start=1)]
    spoken = {"en": "en", "zh": "zh", "again": "en"}
    pairs = [("en", "zh"), ("zh", "en"), ("en", "again")]
    rows = exact({"d001-en": session}, {"d001"}, {"d001": name}, pairs, spoken, SOURCES)
    assert {row["session_id"] for row in rows} == {"d001-en-as-zh", "d001-en-as-again"}
    again = [row["text"] for row in rows if row["language"] == "again"]
    assert again == [turn["text"] for turn in turns]
    assert exact({"d001-en": session}, set(), {"d001": name}, pairs, spoken, SOURCES) == []
