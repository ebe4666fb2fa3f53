"""Clusters by their commonest terms: those that set one apart from all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from dissensus.text.words import split_words

FEWEST, MOST = 3, 6
#: A fourth term and those after it have at least this part of the first one's weight.
_WORTH = 0.6
#: Longer "words" are no words.
_LONGEST = 30

_STOP_WORDS = """
    a about above after again against all almost along already also although always am among an and
    another any anybody anyone anything are as at away back be became because become been before
    being below between both but by came can cannot come could did do does done down during each
    either else enough even ever every everybody everyone everything few first for from further gave
    get give given go goes going gone got had has have having he her here hers herself him himself
    his how however i if in indeed instead into is it its itself just keep kept know last least less
    let like long made make makes making many may me mean might mine more most much must my myself
    near need never next no nobody none nor not nothing now of off often on once one ones only or
    other others our ours out over own part perhaps put quite rather really said same saw say says
    see seem seen she should since so some somebody someone something still such take taken than
    that the their theirs them themselves then there therefore these they thing things think this
    those though through thus to together told too took toward two under until up upon us use used
    very want was way we well went were what when where whether which while who whole whom whose why
    will with within without would yes yet you your yours yourself
    argue argument believe case claim debate house member members motion opposition proposition
    question side speaker speech
"""
_STOPPED = frozenset(_STOP_WORDS.split())


def commonest_terms(clusters: Sequence[Sequence[str]]) -> list[str]:
    """Three to six terms for each cluster; fewer where its texts have no more words.

    Parameters
    ----------
    clusters : the distinct texts of each.

    Returns
    -------
    A name for each, its terms by falling weight; ``cluster`` and a number where no word is left.

    Notes
    -----
    Class-based TF-IDF (Grootendorst 2022): a term's weight is its frequency among the terms of the
    cluster, times log(1 + A/f), where f is its frequency in all clusters and A the mean number of
    terms of a cluster. A term counts once in a text, lest one long text name the cluster.
    """
    forms = _common_forms([text for texts in clusters for text in texts])
    counts = [Counter(term for text in texts for term in _terms(text, forms)) for texts in clusters]
    total = Counter[str]()
    for count in counts:
        total.update(count)
    mean = total.total() / max(len(counts), 1)
    return [
        _name(count, {term: np.log1p(mean / total[term]) for term in count}) or f"cluster {number}"
        for number, count in enumerate(counts, start=1)
    ]


def _name(counts: Counter[str], rarity: dict[str, float]) -> str:
    weights = {term: counts[term] * rarity[term] / counts.total() for term in counts}
    # By weight, and in alphabetical order where weights are equal.
    ranked = sorted(weights, key=lambda term: (-round(weights[term], 12), term))[:MOST]
    worth = [
        term
        for term in ranked[FEWEST:]
        # Terms of a single claim would be chosen by the alphabet.
        if counts[term] > 1 and weights[term] >= _WORTH * weights[ranked[0]]
    ]
    return ", ".join([*ranked[:FEWEST], *worth])


def _words(text: str) -> list[str]:
    words = (word.replace("’", "'").removesuffix("'s") for word in split_words(text.lower()))
    return [
        word
        for word in words
        if 3 <= len(word) <= _LONGEST and word not in _STOPPED and _is_word(word)
    ]


def _is_word(word: str) -> bool:
    """Letters and hyphens only: no numbers, and no ``don't``."""
    return word.replace("-", "").isalpha()


def _common_forms(texts: Sequence[str]) -> dict[str, str]:
    """Plural and singular -> the one that more texts have, where both occur."""
    counts = Counter(word for text in texts for word in set(_words(text)))
    forms: dict[str, str] = {}
    for word in sorted(counts):
        plural = word + "s"
        if plural in counts:
            common = word if counts[word] >= counts[plural] else plural
            forms |= {word: common, plural: common}
    return forms


def _terms(text: str, forms: dict[str, str]) -> set[str]:
    return {forms.get(word, word) for word in _words(text)}
