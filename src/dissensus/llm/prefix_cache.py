"""A provider's cache of prompts as it is documented: what of a prompt it would have already.

OpenAI and most others keep what prompts begin with by themselves, in steps of tokens and from a
least length on (https://platform.openai.com/docs/guides/prompt-caching). Anthropic keeps what ends
at a block of content that is marked, and finds it from a mark of a later prompt, or from a few
blocks before one (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dissensus.llm.call import Message

#: UTF-8 bytes to a token, as the simulated providers count.
BYTES_PER_TOKEN = 4
#: The fewest tokens that are kept, the steps in which OpenAI's cache reads, and seconds that a
#: prefix is kept after its last use.
LEAST_TOKENS, STEP_TOKENS, LIFE_S = 1024, 128, 300.0
#: The most marks of a request, and the blocks before a mark at which Anthropic looks for a prefix.
MOST_MARKS, LOOKBACK = 4, 20
LONG_LIFE_S = 3600.0


@dataclass(frozen=True)
class Block:
    """A piece of a prompt; ``keep_s``: for how long all up to its end is to be kept, 0 for not."""

    text: bytes
    keep_s: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A piece of a text; ``is_marked``: whether all up to its end is to be kept."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Used:
    """Tokens of a prompt that a cache had, and that it took in (for an hour among them)."""

    read: int = 0
    written: int = 0
    written_1h: int = 0


class PrefixCache:
    """The cache of one model.

    Parameters
    ----------
    least : the fewest tokens of a prefix that is kept.
    clock : gives seconds.
    """

    def __init__(
        self, least: int = LEAST_TOKENS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._least = least
        self._clock = clock
        #: Name of a prefix -> since when, and until when, it is kept.
        self._kept: dict[bytes, tuple[float, float]] = {}

    def by_prefix(self, prompt: Iterable[bytes], at: float | None = None) -> Used:
        """What the cache has of a prompt that has no marks; it keeps the prompt.

        Parameters
        ----------
        prompt : its pieces, whose borders mean nothing.
        at : when it came; what was kept since is too late for it. None for now.
        """
        at = self._clock() if at is None else at
        size, text = STEP_TOKENS * BYTES_PER_TOKEN, b"".join(prompt)
        steps = (text[start : start + size] for start in range(0, len(text) - size + 1, size))
        read, is_kept = 0, True
        for number, name in enumerate(_chain(steps), start=1):
            is_kept = is_kept and self._has(name, at)
            read = number * STEP_TOKENS if is_kept else read
            self._keep(name, LIFE_S)
        return Used(read if read >= self._least else 0)

    def by_marks(self, blocks: Sequence[Block], at: float | None = None) -> Used:
        """The same of a prompt whose blocks are marked: it keeps what ends at a mark."""
        at = self._clock() if at is None else at
        names, sizes = list(_chain(block.text for block in blocks)), _sizes(blocks)
        marks = [number for number, block in enumerate(blocks) if block.keep_s]
        read = end = max((self._found(names, sizes, mark, at) for mark in marks), default=0)
        written = written_1h = 0
        for mark in marks:
            if sizes[mark] < self._least:
                continue
            more, end = max(0, sizes[mark] - end), max(end, sizes[mark])
            written += more
            written_1h += more if blocks[mark].keep_s > LIFE_S else 0
            self._keep(names[mark], blocks[mark].keep_s)
        return Used(read, written, written_1h)

    def _found(self, names: Sequence[bytes], sizes: Sequence[int], mark: int, at: float) -> int:
        """Tokens of the longest prefix that is kept and ends at a mark, or shortly before it."""
        for number in range(mark, max(-1, mark - LOOKBACK), -1):
            if self._has(names[number], at):
                self._keep(names[number], LIFE_S)
                return sizes[number]
        return 0

    def _has(self, name: bytes, at: float) -> bool:
        since, until = self._kept.get(name, (at, at))
        return since <= at < until

    def _keep(self, name: bytes, seconds: float) -> None:
        """Keep a prefix from now on, or for longer."""
        now = self._clock()
        since, until = self._kept.get(name, (now, now))
        self._kept[name] = (since if until > now else now), max(until, now + seconds)


def ends(messages: Sequence[Message]) -> list[tuple[int, ...]]:
    """Where in each message of a prompt something ends that other prompts may begin with.

    All before the last message was sent before as a rule, or will be sent again.
    """
    *before, last = messages
    return [*((*message.shared, len(message.content)) for message in before), last.shared]


def marked_pieces(
    texts: Sequence[str], kept: Sequence[Sequence[int]], marks: int
) -> list[list[Piece]]:
    """Texts in pieces, some of which are marked to be kept with all that comes before them.

    Of the ends that other requests may have too, the first and the last are marked: the provider
    looks for others by itself, a few blocks before a mark.

    Parameters
    ----------
    texts : of a prompt, in order.
    kept : places in each text up to which all may be kept.
    marks : the most, 1 or more.

    Returns
    -------
    For each text its pieces, each of which has something to be seen in it, as blocks must.
    """
    split = [_split(text, places) for text, places in zip(texts, kept, strict=True)]
    ending = [piece for pieces in split for piece in pieces if piece.is_marked]
    dropped = ending[1 : max(1, len(ending) - marks + 1)]
    return [
        [
            replace(piece, is_marked=False) if any(piece is other for other in dropped) else piece
            for piece in pieces
        ]
        for pieces in split
    ]


def _split(text: str, places: Iterable[int]) -> list[Piece]:
    """A text in pieces; marked are those that end at a place."""
    pieces, start = [], 0
    for place in sorted(places):
        if text[start:place].strip() and (text[place:].strip() or place == len(text)):
            pieces.append(Piece(text[start:place], True))
            start = place
    return [*pieces, Piece(text[start:])] if text[start:] else pieces


def first_alike(prompts: Iterable[Sequence[Message]]) -> Iterator[int | None]:
    """For each prompt, which earlier one should be answered first, so that the cache has it.

    Returns
    -------
    The place of the first that has the longest beginning in common with it; None where no
    earlier one has one that a cache would keep.
    """
    first_with: dict[bytes, int] = {}
    for number, prompt in enumerate(prompts):
        begins = list(_beginnings(prompt))
        shared = [first_with[begin] for begin in begins if begin in first_with]
        yield shared[-1] if shared else None
        for begin in begins:
            first_with.setdefault(begin, number)


def _beginnings(messages: Sequence[Message]) -> Iterator[bytes]:
    """Digests of what a prompt begins with and others may too, the shortest first."""
    digest, size = hashlib.blake2b(digest_size=16), 0
    for message, places in zip(messages, ends(messages), strict=True):
        start = 0
        for place in places:
            text = message.content[start:place].encode(errors="replace")
            digest.update(f"{message.role} {len(text)} ".encode() + text)
            start, size = place, size + len(text)
            if size >= LEAST_TOKENS * BYTES_PER_TOKEN:
                yield digest.digest()


def _chain(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A name for each beginning of a text, given in pieces."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        digest.update(len(piece).to_bytes(8, "big") + piece)
        yield digest.digest()


def _sizes(blocks: Sequence[Block]) -> list[int]:
    """Tokens up to the end of each block."""
    sizes, total = [], 0
    for block in blocks:
        total += len(block.text)
        sizes.append(total // BYTES_PER_TOKEN)
    return sizes
