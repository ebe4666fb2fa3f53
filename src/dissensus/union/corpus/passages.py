"""Which passages of a speaker's corpus go with a motion, and which of them a run is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dissensus.design.manifest import stream
from dissensus.session.templates import fill
from dissensus.study.embedding import embedding_calls
from dissensus.text.embeddings import Vectors
from dissensus.union.corpus.folders import BIO, kind_in

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

Floats = npt.NDArray[np.float64]
Row = Mapping[str, Any]
T = TypeVar("T")


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


def retrieve(motions: Sequence[Row], chunks: Sequence[Row], search: Search) -> list[dict[str, Any]]:
    """Find the passages that each speaker may draw on in each motion.

    A biography says who somebody is and argues nothing: no passage is of one, where the speaker has
    other documents.

    The questions take turns. Each takes, of the ``pool`` chunks of the speaker that are nearest to
    it, the one with the largest marginal relevance,
    ``(1 - diversity) * cos(question, chunk) - diversity * max cos(chunk, taken)`` (Carbonell and
    Goldstein, 1998, SIGIR, 335-336). Of equal ones, the first in the corpus is taken.

    Parameters
    ----------
    motions : rows of the artefact motions.
    chunks : rows of the artefact chunks; a text that comes twice counts once.
    search : how to find.

    Returns
    -------
    Rows of the artefact passages: by motion, speaker and rank.
    """
    corpora = {
        speaker: _Corpus(_arguments(list(rows)), search)
        for speaker, rows in groupby(
            sorted(chunks, key=lambda row: str(row["speaker"])), key=lambda row: str(row["speaker"])
        )
    }
    found: list[dict[str, Any]] = []
    for motion in motions:
        queries = _queries(motion)
        vectors = np.asarray(search.embed(queries), dtype=np.float64)
        for speaker in sorted([*motion["proposition"], *motion["opposition"]]):
            ids = {"motion_id": motion["motion_id"], "speaker": speaker}
            passages = corpora[speaker].passages(queries, vectors)
            found += [
                {**ids, "rank": rank, **passage} for rank, passage in enumerate(passages, start=1)
            ]
    return found


def _arguments(chunks: list[Row]) -> list[Row]:
    """Chunks of what a speaker has said and written."""
    return [one for one in chunks if kind_in(one["document"]) != BIO] or chunks


def _queries(motion: Row) -> list[str]:
    matter = f"{motion['motion']} {motion['about']}".strip()
    return [fill(query, MOTION=matter) for query in QUERIES]


def searched(motions: Sequence[Row], chunks: Sequence[Row]) -> list[str]:
    """The texts that :func:`retrieve` embeds, each once; parameters as there."""
    asked = [query for motion in motions for query in _queries(motion)]
    return list(dict.fromkeys([*(str(row["text"]) for row in chunks), *asked]))


def sample(pool: Sequence[T], count: int, draw_seed: int, speaker: str) -> list[T]:
    """The passages that a speaker is given in a run: each subset of that size is as likely.

    Parameters
    ----------
    pool : the speaker's passages for the motion.
    count : how many; all where there are no more.
    draw_seed : of the draw, so that both its arms have the same.
    speaker : whose they are; what is drawn for one changes nothing for another.

    Returns
    -------
    In the order of the pool.
    """
    order = stream(draw_seed, "passages", speaker).permutation(len(pool))
    return [pool[place] for place in sorted(map(int, order[:count]))]


class _Corpus:
    """One speaker's chunks and their vectors, each text once."""

    def __init__(self, chunks: Sequence[Row], search: Search) -> None:
        texts: dict[str, Row] = {}
        for row in chunks:
            texts.setdefault(row["text"], row)
        self.chunks = list(texts.values())
        self.vectors = np.asarray(search.embed(list(texts)), dtype=np.float64)
        self.search = search

    def passages(self, queries: Sequence[str], vectors: Floats) -> Iterator[dict[str, Any]]:
        """Passages in the order in which the queries, (q,) and (q, d), take them."""
        cosines = _cosines(vectors, self.vectors)
        size = min(self.search.pool, len(self.chunks))
        # Stable, so that of equal ones the first comes first.
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :size]
        likest = np.full(len(self.chunks), -np.inf)
        taken = np.zeros(len(self.chunks), dtype=bool)
        for turn in range(size):
            query = turn % len(queries)
            # Each has as many near ones as are taken in all, so that one is always left.
            left = np.sort(nearest[query][~taken[nearest[query]]])
            score = cosines[query, left]
            if turn:
                score = (1.0 - self.search.diversity) * score - self.search.diversity * likest[left]
            place = int(left[np.argmax(score)])
            taken[place] = True
            likest = np.maximum(likest, _cosines(self.vectors[place : place + 1], self.vectors)[0])
            chunk = self.chunks[place]
            yield {
                "document": chunk["document"],
                "chunk": chunk["chunk"],
                "query": queries[query],
                "similarity": float(cosines[query, place]),
                "text": chunk["text"],
            }


def _cosines(some: Floats, others: Floats) -> Floats:
    """Of vectors of length 1; summed by numpy and not by BLAS, so alike on every machine."""
    return np.asarray(np.clip(np.einsum("id,jd->ij", some, others), -1.0, 1.0))
