"""The documented cache: by prefix as OpenAI's, by marks as Anthropic's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.prefix_cache import (
    BYTES_PER_TOKEN,
    LEAST_TOKENS,
    LIFE_S,
    LONG_LIFE_S,
    LOOKBACK,
    STEP_TOKENS,
    Block,
    PrefixCache,
    Used,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def text(tokens: int, letter: str = "a") -> bytes:
    return letter.encode() * (tokens * BYTES_PER_TOKEN)


def marked(tokens: int, letter: str = "a", keep_s: float = LIFE_S) -> Block:
    return Block(text(tokens, letter), keep_s)


@pytest.mark.parametrize(
    ("shared", "read"),
    # OpenAI: "1024 tokens or more, with cache hits occurring in increments of 128 tokens".
    [(1023, 0), (1024, 1024), (1151, 1024), (1152, 1152), (2000, 1920)],
)
def test_a_prefix_is_read_from_1024_tokens_on_in_steps_of_128(shared: int, read: int) -> None:
    cache = PrefixCache()
    assert cache.by_prefix([text(shared), text(500, "b")]) == Used()
    assert cache.by_prefix([text(shared), text(500, "c")]) == Used(read)


def test_a_prefix_is_forgotten_after_five_minutes_without_use() -> None:
    cache = PrefixCache(clock=(clock := Clock()))
    cache.by_prefix([text(2048)])
    for minutes in (4, 8, 12):
        clock.now = minutes * 60.0
        assert cache.by_prefix([text(2048)]) == Used(2048), "each use begins anew"
    clock.now += LIFE_S
    assert cache.by_prefix([text(2048)]) == Used()


def test_what_is_marked_is_written_once_and_then_read() -> None:
    cache = PrefixCache()
    prompt = [marked(2000), Block(text(300, "b"))]
    assert cache.by_marks(prompt) == Used(0, 2000)
    assert cache.by_marks(prompt) == Used(2000)
    # What grows is read as far as it was, and only the rest of it is written.
    assert cache.by_marks([marked(2000), marked(500, "c"), Block(b"?")]) == Used(2000, 500)
    assert cache.by_marks([Block(text(2000)), marked(500, "c")]) == Used(2500)


def test_nothing_is_written_without_a_mark_and_nothing_short() -> None:
    cache = PrefixCache()
    for _ in range(2):
        assert cache.by_marks([Block(text(5000))]) == Used()
        assert cache.by_marks([marked(LEAST_TOKENS - 1, "b")]) == Used()
    longer = PrefixCache(least=4096)
    assert [longer.by_marks([marked(4000)]).written for _ in "ab"] == [0, 0]
    assert longer.by_marks([marked(4096)]) == Used(0, 4096)


def test_an_earlier_mark_is_found_up_to_twenty_blocks_before() -> None:
    for blocks, read in ((LOOKBACK - 1, 2000), (LOOKBACK, 0)):
        cache = PrefixCache()
        cache.by_marks([marked(2000)])
        between = [Block(text(1, "b")) for _ in range(blocks - 1)]
        used = cache.by_marks([Block(text(2000)), *between, marked(1, "c")])
        assert used.read == read and used.read + used.written == 2000 + blocks


def test_what_is_kept_for_an_hour_is_counted_by_itself() -> None:
    cache = PrefixCache(clock=(clock := Clock()))
    prompt = [marked(2000, keep_s=LONG_LIFE_S), marked(1000, "b")]
    assert cache.by_marks(prompt) == Used(0, 3000, 2000)
    clock.now = LIFE_S + 1
    assert cache.by_marks(prompt) == Used(2000, 1000), "the minutes are over, the hour is not"
    clock.now = 2 * LONG_LIFE_S
    assert cache.by_marks(prompt) == Used(0, 3000, 2000)


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("ab"), st.integers(0, 1500), st.booleans()),
            min_size=1,
            max_size=6,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_no_more_is_read_and_written_than_is_sent(
    prompts: list[list[tuple[str, int, bool]]],
) -> None:
    by_marks, by_prefix = PrefixCache(), PrefixCache()
    for prompt in prompts:
        blocks = [Block(text(n, letter), LIFE_S * kept) for letter, n, kept in prompt]
        sent = sum(len(block.text) for block in blocks) // BYTES_PER_TOKEN
        used = by_marks.by_marks(blocks)
        assert min(used.read, used.written) >= 0 and used.read + used.written <= sent
        read = by_prefix.by_prefix(block.text for block in blocks).read
        assert read <= sent and read % STEP_TOKENS == 0
        assert by_prefix.by_prefix([b"".join(block.text for block in blocks)]).read >= read
