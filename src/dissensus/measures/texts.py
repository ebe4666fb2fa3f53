"""Measures of what is said: how diverse texts are, and which facts are still in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dissensus.measures.similarity import cosines


def vendi(texts: Sequence[str], *, embedder: str = "use-multilingual") -> float:
    """How many different texts some texts are worth: :func:`vendi_of` their cosine similarities.

    Parameters
    ----------
    texts : at least one.
    embedder : a name that :func:`dissensus.text.embeddings.embedder` knows.

    Raises
    ------
    ValueError : it is no sequence of texts.
    DissensusError : there is no such embedder.
    """
    return vendi_of(cosines(texts, embedder=embedder))


def vendi_of(similarities: npt.ArrayLike) -> float:
    """The Vendi score: the exponential of the entropy of the eigenvalues of K / n.

    From 1, where all are equal, to n, where no two are alike.

    Parameters
    ----------
    similarities : K, n x n, symmetric and positive semidefinite, with ones on its diagonal.

    Raises
    ------
    ValueError : it is no such matrix.

    References
    ----------
    Friedman and Dieng 2023, The Vendi Score, equation 1.
    """
    matrix = np.asarray(similarities, dtype=float)
    n = len(matrix)
    if matrix.shape != (n, n) or n < 1 or not np.allclose(matrix, matrix.T, atol=1e-6):
        raise ValueError(
            f"similarities has the shape {matrix.shape}; it must be square and symmetric"
        )
    if not np.allclose(np.diag(matrix), 1.0, atol=1e-4):
        raise ValueError("similarities must have 1 on its diagonal")
    eigenvalues = np.linalg.eigvalsh(matrix / n)
    if eigenvalues.min() < -1e-6:
        raise ValueError("similarities is not positive semidefinite, so that it is of no kernel")
    positive = eigenvalues[eigenvalues > 1e-12]
    return float(np.exp(-(positive * np.log(positive)).sum()))


def facts_in(text: str, facts: Mapping[str, str | re.Pattern[str]]) -> dict[str, bool]:
    """Which facts a text has.

    Parameters
    ----------
    text : what was said.
    facts : name -> how it is known: words that must all stand in the text, whatever their order
        and case, or a pattern that must be found in it.
    """
    words = set(re.findall(r"\w+", text.casefold()))
    return {
        name: set(re.findall(r"\w+", sign.casefold())) <= words
        if isinstance(sign, str)
        else bool(sign.search(text))
        for name, sign in facts.items()
    }


def survival(
    given: Mapping[str, Sequence[str]], text: str, facts: Mapping[str, str | re.Pattern[str]]
) -> dict[str, float]:
    """Which share of the facts that agents were given is in the end in what is said.

    Parameters
    ----------
    given : agent -> the names of the facts that it was given.
    text : what is said in the end.
    facts : see :func:`facts_in`.

    Returns
    -------
    ``all``, of all of these; ``shared``, of those that all agents were given; ``unshared``, of
    those that one alone was given, whose loss makes a hidden profile fail. NaN without any.

    Raises
    ------
    KeyError : an agent holds a fact that ``facts`` has not.

    References
    ----------
    Stasser and Titus 1985, Journal of Personality and Social Psychology 48(6).
    """
    is_there = facts_in(text, facts)
    holders: dict[str, int] = {}
    for names in given.values():
        for name in dict.fromkeys(names):
            holders[name] = holders.get(name, 0) + 1

    def share(names: list[str]) -> float:
        return float(np.mean([is_there[name] for name in names])) if names else float("nan")

    return {
        "all": share(list(holders)),
        "shared": share([name for name, count in holders.items() if count == len(given)]),
        "unshared": share([name for name, count in holders.items() if count == 1]),
    }
