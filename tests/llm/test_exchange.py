"""Sessions are threads that ask at the same moment: each gets its own reply."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from dissensus.llm.exchange import run
from dissensus.llm.outcomes import label


async def double(number: int) -> int:
    await asyncio.sleep(0.001 * (number % 3))
    return 2 * number


def test_every_thread_gets_its_own_result() -> None:
    with ThreadPoolExecutor(50) as pool:
        doubled = list(pool.map(lambda number: run(double(number)), range(2000)))
    assert doubled == [2 * number for number in range(2000)]


def test_who_asks_alone_is_not_left_waiting() -> None:
    assert [run(double(number)) for number in range(200)] == [2 * number for number in range(200)]


def test_an_error_reaches_who_asked_and_nobody_else() -> None:
    async def half(number: int) -> float:
        return 1 / (number % 2)

    def asked(number: int) -> float:
        if number % 2:
            return run(half(number))
        with pytest.raises(ZeroDivisionError):
            run(half(number))
        return 0.0

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(asked, range(200))) == [0.0, 1.0] * 100


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a  b\n c", "a b c"),
        ("a\u200bb\x07", "ab"),
        ("x" * 300, "x" * 200),
        ("", ""),
        (None, ""),
        (7, ""),
    ],
)
def test_a_label_is_one_printable_line(value: object, shown: str) -> None:
    assert label(value) == shown
