"""Numbers the distinct n-grams of token sequences, so that each is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: ConcurrencyLimit on each side of a token that its features can depend on.
REACH = 4

# Any odd constant with mixed bits: the fractional part of the golden ratio.
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Span:
    """A stretch of a text's tokens: the whole text, or a part of a long one.

    Attributes
    ----------
    text : the text's number.
    start, stop : its own tokens in the text.
    tokens : all tokens of the text.
    """

    text: int
    start: int
    stop: int
    tokens: Ints

    def __len__(self) -> int:
        return self.stop - self.start


def spans(texts: Sequence[Ints], longest: int) -> list[Span]:
    """Every text in spans of at most `longest` tokens, which depend on the text alone."""
    return [
        Span(number, start, min(start + longest, len(tokens)), tokens)
        for number, tokens in enumerate(texts)
        for start in range(0, len(tokens), longest)
    ]


def batches(parts: Sequence[Span], size: int) -> Iterator[list[int]]:
    """Numbers of the spans, in batches of at most `size` tokens or of one span.

    Spans that share phrases come in one batch where they can.
    """
    whole = sum(map(len, parts)) <= size
    batch: list[int] = []
    tokens = 0
    for number in range(len(parts)) if whole else _neighbours(parts, size):
        if batch and tokens + len(parts[number]) > size:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += len(parts[number])
    if batch:
        yield batch


def _neighbours(parts: Sequence[Span], size: int) -> list[int]:
    """An order of the spans in which those with phrases in common are near each other.

    Kruskal's algorithm: the two spans that share most are joined first, and so on, but no cluster
    grows over `size` tokens. Pairs are compared by a quarter of their 5-grams.
    """
    pairs = _sharing(parts)
    leader = list(range(len(parts)))
    weight = [len(part) for part in parts]

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for one, other in pairs:
        first, second = find(one), find(other)
        if first != second and weight[first] + weight[second] <= size:
            leader[second] = first
            weight[first] += weight[second]
    return sorted(range(len(parts)), key=find)


def _sharing(parts: Sequence[Span]) -> list[tuple[int, int]]:
    """Pairs of spans that share 5-grams, those that share most first.

    Of the n spans with a 5-gram only the n - 1 neighbouring pairs count. 5-grams are told apart by
    a hash: a collision costs time at worst, since only the order of the work hangs on it.
    """
    ahead = np.concatenate([part.tokens[part.start : part.stop] for part in parts])
    owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    ahead = ahead.astype(np.uint64)
    hashes = np.zeros(len(ahead), dtype=np.uint64)
    for _ in range(5):
        hashes = hashes * _MIX + ahead
        hashes ^= hashes >> np.uint64(29)
        ahead = np.roll(ahead, -1)
    sample = np.flatnonzero((hashes * _MIX) >> np.uint64(62) == 0)
    phrases = np.unique(hashes[sample], return_inverse=True)[1]
    phrase, span = np.divmod(np.unique(phrases * len(parts) + owner[sample]), len(parts))
    shared = phrase[1:] == phrase[:-1]
    pairs, count = np.unique(span[:-1][shared] * len(parts) + span[1:][shared], return_counts=True)
    pairs = pairs[np.argsort(-count, kind="stable")]
    return [divmod(pair, len(parts)) for pair in pairs.tolist()]


@dataclass(frozen=True)
class Layout:
    """Spans laid out in one line of places, apart far enough that no window spans two texts.

    Attributes
    ----------
    tokens : at each place a token id plus one, or 0 outside of a text.
    own : the places of the spans' own tokens, span after span; ascending.
    """

    tokens: Ints
    own: Ints


def lay_out(parts: Sequence[Span]) -> Layout:
    """Lay out spans: each with its context in the text, and REACH empty places around it."""
    gap = np.zeros(REACH, dtype=np.int64)
    line, own, end = [gap], [], REACH
    for part in parts:
        first = max(part.start - REACH, 0)
        stretch = part.tokens[first : part.stop + REACH] + 1
        line += [stretch, gap]
        own.append(np.arange(end + part.start - first, end + part.stop - first))
        end += len(stretch) + REACH
    return Layout(np.concatenate(line), np.concatenate(own))


def ngrams(tokens: Ints) -> list[tuple[Ints, Ints]]:
    """Numbers of the n-grams that two layers of convolutions see at every place.

    Parameters
    ----------
    tokens : of a line of places, which is taken as a ring.

    Returns
    -------
    For orders 2, 3 and 5 the numbers of the 2-, 3- and 5-grams, which a first layer sees, and of
    the 3-, 5- and 9-grams, which a second one sees; equal for equal n-grams and for no others.
    Those of order 2 begin at their place; the others have it in the middle.
    """
    two = _pairs(tokens, np.roll(tokens, -1))
    three = _pairs(two, np.roll(tokens, -2))
    middle = np.roll(three, 1)
    five = _pairs(np.roll(three, 2), three)
    nine = _pairs(np.roll(five, 2), np.roll(five, -2))
    return [(two, three), (middle, five), (five, nine)]


def _pairs(first: Ints, second: Ints) -> Ints:
    pairs = first * (int(second.max()) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1])


def stand_ins(numbers: Ints, places: Ints) -> tuple[Ints, Ints]:
    """One place for each distinct number that the given places have.

    Parameters
    ----------
    numbers : of every place.
    places : ascending.

    Returns
    -------
    stand_ins : ascending places, one for each number.
    rows : for every place, 1 + the index of its number's stand-in, or 0 where it has none.
    """
    last = np.empty(int(numbers.max()) + 1, dtype=np.int64)
    last[numbers[places]] = places
    chosen = places[last[numbers[places]] == places]
    row = np.zeros(len(last), dtype=np.int64)
    row[numbers[chosen]] = np.arange(1, len(chosen) + 1)
    return chosen, row[numbers]
