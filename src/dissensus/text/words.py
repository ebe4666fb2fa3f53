"""Words, in languages that write spaces and in Chinese, which does not.

A word of Korean is what stands between spaces, with its particles; one of Arabic has its article
and its vowel signs.

Chinese is segmented by jieba's dictionary and hidden Markov model, through the maintained Rust
port ``rjieba``; the same text gives the same words on every machine.
"""

from __future__ import annotations

import re

# Signs above and below letters, which are no letters to a regular expression: accents that stand
# apart, vowels of Arabic, and the joiners of Persian.
_SIGNS = (
    r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    r"\u200c\u200d"
)
_HAN = r"\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# A run of Han characters; a number with its points and commas, or a word, each with what hyphens
# and apostrophes join to it. Only Han goes to the segmenter: jieba would cut "don't" and "1,000"
# in two, and one Chinese name would change how an English text's words are counted.
_WORD = rf"[^\W{_HAN}](?:[^\W{_HAN}]|[{_SIGNS}])*"
_PIECE = re.compile(rf"([{_HAN}]+)|((?:\d+(?:[.,٫٬]\d+)+|{_WORD})(?:['’\-]{_WORD})*)")


def split_words(text: str) -> list[str]:
    """The words of a text, punctuation left out: Han characters by segmentation, others as written.

    ``don't``, ``well-being``, ``1,000`` and ``3.5`` are one word each, in every language.
    """
    words: list[str] = []
    for han, other in _PIECE.findall(text):
        if han:
            words += _segment(han)
        else:
            words.append(other)
    return words


def count_words(text: str) -> int:
    """The number of words of a text."""
    return sum(len(_segment(han)) if han else 1 for han, _ in _PIECE.findall(text))


def _segment(han: str) -> list[str]:
    # Its dictionary takes 33 MB and 0.15 s, which English texts have no use for.
    import rjieba

    words: list[str] = rjieba.cut(han)
    return words
