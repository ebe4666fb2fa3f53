"""The simulated debates read as debates: nothing is said twice, and answers answer."""

from __future__ import annotations

import json
from functools import cache

import pandas as pd
import pytest

from dissensus.text.corpora.chunks import chunk
from dissensus.text.corpora.reading import read_document
from scripted import ROOT

from . import debate_counts
from .debate_counts import DOCUMENTS, counts, shipped
from .union_planted import Ensemble, run, settings
from .union_sessions import MOTION

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
