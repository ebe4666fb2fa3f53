"""ROUGE of two texts (Lin 2004), by words that are found in Chinese too.

The package ``rouge-score`` takes Latin letters alone for words, so that two equal Chinese texts
have a score of 0 there. No stemming and no stop words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dissensus.text.words import split_words


def rouge_n(text: str, reference: str, n: int) -> float:
    """The F1 of n-grams that two texts share, each as often as both have it; 0 where one has none.

    Parameters
    ----------
    text, reference : what is compared with what; the F1 is the same either way.
    n : 1 or more.
    """
    grams = [_grams(_words(compared), n) for compared in (text, reference)]
    return _f1((grams[0] & grams[1]).total(), grams[0].total(), grams[1].total())


def rouge_l(text: str, reference: str) -> float:
    """The F1 of the longest common subsequence of words of two texts."""
    words, others = _words(text), _words(reference)
    return _f1(_common(words, others), len(words), len(others))


def _words(text: str) -> list[str]:
    return split_words(text.casefold())


def _grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[place : place + n]) for place in range(len(words) - n + 1))


def _common(words: Sequence[str], others: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(others) + 1)
    for word in words:
        above = row
        row = [0]
        for place, other in enumerate(others):
            row.append(above[place] + 1 if word == other else max(row[-1], above[place + 1]))
    return row[-1]


def _f1(shared: int, first: int, second: int) -> float:
    return 2 * shared / (first + second) if shared else 0.0
