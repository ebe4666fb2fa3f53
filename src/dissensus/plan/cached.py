"""What a provider's cache would have of the prompts that are planned, call by call of a session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dissensus.llm.call import Message
from dissensus.llm.prefix_cache import (
    BYTES_PER_TOKEN,
    LIFE_S,
    Block,
    PrefixCache,
    ends,
    marked_pieces,
)
from dissensus.plan.call_plan import PlannedCall
from dissensus.session.placeholders import written_out


class Shares(NamedTuple):
    """Of a prompt's tokens, what its provider's cache has, and what it takes in."""

    read: float = 0.0
    written: float = 0.0


def cached_shares(
    calls: Sequence[PlannedCall], marks: Mapping[str, int], reply: float, most: int
) -> Iterator[Shares]:
    """What the calls of one session have in common, in their order.

    Each comes once the one before it is answered, and within minutes. Letters are counted for
    tokens, and made-up words stand for what nobody has said yet.

    Parameters
    ----------
    calls : of one session.
    marks : model -> how many marks its provider's cache takes; 0 where it goes by prefix.
    reply : the length of replies, as a share of the most that they may have.
    most : tokens of a text of which no reply says how long it is.
    """
    caches: defaultdict[str, PrefixCache] = defaultdict(PrefixCache)
    for call in calls:
        blocks = [
            Block(written_out(text, most, reply, BYTES_PER_TOKEN).encode(), keep_s)
            for text, keep_s in _pieces(call.messages, marks[call.model])
        ]
        sent = sum(len(block.text) for block in blocks) / BYTES_PER_TOKEN
        cache = caches[call.model]
        used = (
            cache.by_marks(blocks)
            if marks[call.model]
            else cache.by_prefix(block.text for block in blocks)
        )
        yield Shares(used.read / sent, used.written / sent) if sent else Shares()


def _pieces(messages: Sequence[Message], marks: int) -> Iterator[tuple[str, float]]:
    """A prompt's texts, and for how long all up to the end of each is to be kept."""
    texts = [message.content for message in messages]
    if not marks:
        yield from ((text, 0.0) for text in texts)
        return
    for pieces in marked_pieces(texts, ends(messages), marks):
        for piece in pieces:
            yield piece.text, LIFE_S if piece.is_marked else 0.0
