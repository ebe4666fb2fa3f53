"""Words, in languages that write spaces and in Chinese, which does not.

Chinese is segmented by jieba's dictionary and hidden Markov model, through the maintained Rust
port ``rjieba``; the same text gives the same words on every machine.
"""

from __future__ import annotations

import re

import rjieba

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[\w]+(?:['’\-][\w]+)*")

#: What a methods section should call the segmenter.
SEGMENTER = "jieba dictionary and HMM (rjieba)"


def split_words(text: str) -> list[str]:
    """The words of a text, punctuation left out: by segmentation where it has Han characters."""
    if not _HAN.search(text):
        return _WORD.findall(text)
    return [piece for piece in rjieba.cut(text) if re.search(r"\w", piece)]


def count_words(text: str) -> int:
    """The number of words of a text."""
    return len(split_words(text))
