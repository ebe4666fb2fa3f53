"""Which passages of a speaker's corpus go with a motion, and which of them a run is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.run.embedding import embedding_calls
from dissensus.session.templates import fill
from dissensus.study.makes import makes
from dissensus.text.corpora.folders import BIO, kind_in
from dissensus.text.corpora.passages import Floats, diverse
from dissensus.text.embeddings import Vectors

from .tables import PASSAGES

#: What is asked of every corpus; each finds its own.
QUERIES = (
    "{MOTION}",
    "Reasons why this is right: {MOTION}",
    "Reasons why this is wrong: {MOTION}",
    "Evidence, studies and numbers on: {MOTION}",
    "A case from history or from life that bears on: {MOTION}",
    "The principle or the right that is at stake in: {MOTION}",
    "What would go wrong in practice, and who would bear it: {MOTION}",
    "How those who disagree argue, and what to answer them: {MOTION}",
    "What the words mean, and where the limits are: {MOTION}",
    "What happens in the long run, after: {MOTION}",
)

#: The calls for embeddings of chunks and questions.
PASSAGE_CALLS = embedding_calls("passage_calls")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Search:
    """How passages are found.

    Attributes
    ----------
    embed : from n texts to n vectors of length 1, (n, d).
    pool : passages for each speaker and motion; fewer where the corpus has fewer.
    diversity : 0 takes what is nearest; towards 1, what is least like the passages before.
    """

    embed: Callable[[Sequence[str]], Vectors]
    pool: int
    diversity: float


@makes(passages=PASSAGES, calls=PASSAGE_CALLS)
def retrieve_passages(
    motions: list[dict[str, Any]],
    chunks: list[dict[str, Any]],
    embed: Callable[[Sequence[str]], Vectors],
    pool: int,
    diversity: float,
) -> list[dict[str, Any]]:
    """The stage of :func:`retrieve`."""
    return retrieve(motions, chunks, Search(embed, pool, diversity))


def retrieve(motions: Sequence[Row], chunks: Sequence[Row], search: Search) -> list[dict[str, Any]]:
    """Find the passages that each speaker may draw on in each motion.

    A biography says who somebody is and argues nothing: no passage is of one, where the speaker has
    other documents. Nor is one of a document that goes better with another motion of the speaker's.

    How questions take passages: :func:`dissensus.text.corpora.passages.diverse`.

    Parameters
    ----------
    motions : rows of the artefact motions.
    chunks : rows of the artefact chunks; a text that comes twice counts once.
    search : how to find.

    Returns
    -------
    Rows of the artefact passages: by motion, speaker and rank.
    """
    corpora: dict[str, list[Row]] = {}
    for row in chunks:
        corpora.setdefault(str(row["speaker"]), []).append(row)
    argued = {name: _arguments(rows) for name, rows in sorted(corpora.items())}
    vectors = {
        name: _embedded(search, [row["text"] for row in rows]) for name, rows in argued.items()
    }
    asked_of = {motion["motion_id"]: _embedded(search, _queries(motion)) for motion in motions}
    spoken: dict[str, list[str]] = {}
    for motion in motions:
        for speaker in (*motion["proposition"], *motion["opposition"]):
            spoken.setdefault(speaker, []).append(motion["motion_id"])
    retrieved: list[dict[str, Any]] = []
    for motion in motions:
        queries, asked = _queries(motion), asked_of[motion["motion_id"]]
        for speaker in sorted([*motion["proposition"], *motion["opposition"]]):
            ids = {"motion_id": motion["motion_id"], "speaker": speaker}
            rivals = [asked_of[name] for name in spoken[speaker] if name != motion["motion_id"]]
            near = _of_the_motion(argued[speaker], vectors[speaker], asked, rivals)
            rows = [argued[speaker][place] for place in near]
            taken = diverse(asked, vectors[speaker][near], search.pool, search.diversity)
            retrieved += [
                {
                    **ids,
                    "rank": rank,
                    **{name: rows[passage.text][name] for name in ("document", "chunk")},
                    "query": queries[passage.question],
                    "similarity": passage.cosine,
                    "text": rows[passage.text]["text"],
                }
                for rank, passage in enumerate(taken, start=1)
            ]
    return retrieved


def _embedded(search: Search, texts: Sequence[str]) -> Floats:
    return np.asarray(search.embed(texts), dtype=np.float64)


def _arguments(chunks: list[Row]) -> list[Row]:
    """Chunks of what a speaker has said and written, each text once."""
    texts: dict[str, Row] = {}
    for row in [row for row in chunks if kind_in(row["document"]) != BIO] or chunks:
        texts.setdefault(row["text"], row)
    return list(texts.values())


def _of_the_motion(
    chunks: Sequence[Row], vectors: Floats, asked: Floats, rivals: Sequence[Floats]
) -> list[int]:
    """Places of the chunks of the documents that go with a motion; of all where no others do.

    A document goes with the motion that it is nearest to, of those its speaker speaks on: by the
    mean cosine of its chunks and the motion's questions, less that of all the speaker's chunks.
    """
    everything = list(range(len(chunks)))
    documents = np.array([str(row["document"]) for row in chunks])
    nearness = [
        {str(name): cosines[documents == name].mean() - cosines.mean() for name in documents}
        for cosines in ((vectors @ questions.T).mean(axis=1) for questions in (asked, *rivals))
    ]
    nearest = [
        place
        for place in everything
        if all(nearness[0][documents[place]] >= other[documents[place]] for other in nearness[1:])
    ]
    return nearest or everything


def _queries(motion: Row) -> list[str]:
    matter = f"{motion['motion']} {motion['about']}".strip()
    return [fill(query, MOTION=matter) for query in QUERIES]


def searched(motions: Sequence[Row], chunks: Sequence[Row]) -> list[str]:
    """The texts that :func:`retrieve` embeds, each once; parameters as there."""
    asked = [query for motion in motions for query in _queries(motion)]
    return list(dict.fromkeys([*(str(row["text"]) for row in chunks), *asked]))
