"""Which passages of a corpus go with some questions: near to them, and unlike each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Found(NamedTuple):
    """A text that was taken, by its place; the place of the question; and how near they are."""

    text: int
    question: int
    cosine: float


def diverse(questions: Floats, texts: Floats, most: int, diversity: float) -> Iterator[Found]:
    """Take texts for questions that take turns, each the one with the largest marginal relevance.

    A question takes, of the ``most`` texts that are nearest to it, the one with the largest
    ``(1 - diversity) * cos(question, text) - diversity * max cos(text, taken)`` (Carbonell and
    Goldstein, 1998, SIGIR, 335-336). Of equal ones, the first is taken.

    Parameters
    ----------
    questions, texts : vectors of length 1, (q, d) and (n, d).
    most : texts that are taken; all where there are no more.
    diversity : 0 takes what is nearest; towards 1, what is least like the texts before.
    """
    cosines = _cosines(questions, texts)
    size = min(most, len(texts))
    # Stable, so that of equal ones the first comes first.
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :size]
    likest = np.full(len(texts), -np.inf)
    taken = np.zeros(len(texts), dtype=bool)
    for turn in range(size):
        question = turn % len(questions)
        # Each has as many near ones as are taken in all, so that one is always left.
        left = np.sort(nearest[question][~taken[nearest[question]]])
        score = cosines[question, left]
        if turn:
            score = (1.0 - diversity) * score - diversity * likest[left]
        place = int(left[np.argmax(score)])
        taken[place] = True
        likest = np.maximum(likest, _cosines(texts[place : place + 1], texts)[0])
        yield Found(place, question, float(cosines[question, place]))


def _cosines(some: Floats, others: Floats) -> Floats:
    """Of vectors of length 1; summed by numpy and not by BLAS, so alike on every machine."""
    return np.asarray(np.clip(np.einsum("id,jd->ij", some, others), -1.0, 1.0))
