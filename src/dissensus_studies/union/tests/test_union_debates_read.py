"""The simulated debates read as debates: nothing is said twice, and answers answer."""

from __future__ import annotations

import json
import re
from functools import cache

import pandas as pd
import pytest

from debate_reading import Speech, cut_quotes, first_lines, share
from dissensus.text.corpora.chunks import chunk
from dissensus.text.corpora.reading import read_document
from scripted import ROOT

from . import debate_counts
from .debate_counts import DOCUMENTS, counts, shipped
from .union_planted import Ensemble, run, settings
from .union_sessions import MOTION
from .union_texts import said_in, verdicts

SPEAKERS = ROOT / "resources" / "speakers"
MEMORY = {
    **MOTION,
    "motion_id": "memory",
    "motion": "This House would let people erase their own memories",
}


def passages(speaker: str, motion: str) -> list[str]:
    """What the shipped corpus of a speaker says on a motion, in passages."""
    paths = [path for path in sorted((SPEAKERS / speaker).rglob("*")) if path.is_file()]
    texts = [read_document(path, 5.0).text for path in paths if path.stem in DOCUMENTS[motion]]
    return [piece.text for text in texts for piece in chunk(text)]


@cache
def debates(motion: str) -> Ensemble:
    """Two debates on one motion by the shipped speakers, with their own documents."""
    row = MOTION if motion == "lottery" else MEMORY
    corpora = {name: passages(name, motion) for name in (*row["proposition"], *row["opposition"])}
    study = settings(epochs=1, runs=2, arms=("control",), words=1350, passages=8)
    return run(study, motions=[row], corpora=corpora, seed=3)


@cache
def found() -> dict[str, float]:
    made = [debates(motion) for motion in DOCUMENTS]
    frames = {
        name: pd.concat([one.frames[name] for one in made])
        for name in ("speeches", "points", "claims")
    }
    definitions = [
        turn["text"]
        for one in made
        for turns in one.memory.transcripts.values()
        for turn in turns
        if turn["role"] == "definitions"
    ]
    shares: dict[str, float] = counts(
        **frames, definitions=definitions, documents=shipped(SPEAKERS)
    )
    return shares


@pytest.mark.parametrize(
    "what",
    [
        *("speeches that say a sentence twice", "sentences that are repeats", "words in repeats"),
        *("words in stock sentences", "first speeches that answer"),
        *("claims of another motion's documents", "answers to another question"),
        *("speeches with a colophon", "speeches with a cut decimal"),
        "definitions of another debate",
    ],
)
def test_at_most_one_in_a_hundred(what: str) -> None:
    assert found()[what] <= 0.01


def test_the_debates_have_something_to_count() -> None:
    made = [debates(motion) for motion in DOCUMENTS]
    assert sum(len(one.frames["speeches"]) for one in made) == 24
    assert sum(int(one.frames["points"]["accepted"].sum()) for one in made) > 3
    assert all(one.frames["speeches"]["words"].mean() > 700 for one in made)


def test_what_is_counted_is_found_where_it_is() -> None:
    text = "We count every vote. It is so. We count every vote!"
    assert debate_counts.repeats([text, "Once only."]) == pytest.approx(
        {
            "speeches that say a sentence twice": 1 / 2,
            "sentences that are repeats": 1 / 4,
            "words in repeats": 4 / 13,
        }
    )
    stock = debate_counts.stock({"a": ["It is so. Cars are loud."], "b": ["It is so. Lots fall."]})
    assert stock["words in stock sentences"] == pytest.approx(6 / 11)
    assert debate_counts.first_answers(["What is said against it I have met."]) == {
        "first speeches that answer": 1.0
    }
    documents = {"a": "The lot is fair. It got .17 twice.", "b": "The drug is safe."}
    foreign = debate_counts.foreign_claims(
        [("a", "The lot is fair."), ("a", "The drug is safe.")], documents
    )
    assert foreign["claims of another motion's documents"] == 1 / 2
    pairs = [("Who pays for the kerb?", "The kerb is paid."), ("And the ward?", "I know it.")]
    assert debate_counts.empty_answers(pairs)["answers to another question"] == 1 / 2
    slips = debate_counts.slips(["Written for the dissensus project. Good.", "It got ."], documents)
    assert list(slips.values()) == [1 / 2, 1 / 2]
    meant = {"terms": [{"term": "a", "definition": "b"}], "scope": "c", "exclusions": []}
    other = {**meant, "scope": "d"}
    said = [json.dumps(one) for one in (meant, meant, other)]
    assert debate_counts.same_definitions(said)["definitions of another debate"] == 2 / 3


@cache
def spoken() -> pd.DataFrame:
    """The speeches of all debates."""
    return pd.concat([debates(motion).frames["speeches"] for motion in DOCUMENTS])


def heard() -> list[Speech]:
    """Speeches, and the points of information with their answers after those that they are on."""
    made = [
        Speech(str(row.session_id), 2 * int(row.speech), row.speaker, row.text)
        for row in spoken().itertuples()
    ]
    for motion in DOCUMENTS:
        for row in debates(motion).frames["points"].itertuples():
            place = 2 * int(row.speech) + 1
            made += [
                Speech(str(row.session_id), place, "", text) for text in (row.text, row.answer)
            ]
    return made


def words_of(text: str) -> set[str]:
    found = re.findall(r"[^\W\d_]{5,}", text.casefold())
    return {word[:6] for word in found}


def test_no_quotation_is_cut_within_a_clause() -> None:
    speeches = heard()
    quotations = [q for one in speeches for q in re.findall("“([^”]+)”", one.text)]
    assert len(quotations) > 60 and not any("…" in quotation for quotation in quotations)
    assert not cut_quotes(speeches)


def test_a_verdict_names_the_other_side_whose_argument_falls() -> None:
    """So nobody gives up the cause of their own side, which the other side speaks of too."""
    sides = dict(zip(spoken()["speaker"], spoken()["side"], strict=True))
    named = []
    for row in spoken().itertuples():
        for sentence in re.findall(r"[^.!?]+[.!?]", row.text):
            found = [m for verdict in verdicts() if (m := re.fullmatch(verdict, sentence.strip()))]
            named += [
                any(
                    name.endswith(match["name"].split()[-1]) and sides[name] != row.side
                    for name in sides
                )
                for match in found[:1]
            ]
    assert len(named) > 15 and all(named)


def test_an_answer_speaks_of_what_it_quotes() -> None:
    """What follows a quotation has a word of it, in its paragraph or in the claim that makes it."""
    answers = []
    for row in spoken().itertuples():
        paragraphs = row.text.split("\n\n")
        said = said_in(row._asdict())
        for answer in said.answers:
            (place,) = [n for n, text in enumerate(paragraphs) if f"“{answer.quote}”" in text][:1]
            after = paragraphs[place].split("”", 1)[1] + answer.by
            answers.append(bool(words_of(answer.quote) & words_of(after)))
    assert len(answers) > 40 and share(answers) > 0.85


def test_first_lines_are_many() -> None:
    counted = first_lines([one for one in heard() if one.turn % 2 == 0])
    assert counted["distinct first lines"] > 0.9
