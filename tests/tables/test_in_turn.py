"""What is to be written is written by one thread, and errors reach whoever asked for it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dissensus.tables.in_turn import in_turn


def test_many_threads_share_one() -> None:
    with ThreadPoolExecutor(20) as pool:
        called = pool.map(lambda _: in_turn(threading.get_ident), range(100))
        writers = set(called)
    assert len(writers) == 1
    assert writers != {threading.get_ident()}


def test_one_call_ends_before_the_next_begins() -> None:
    order: list[str] = []

    def note(number: int) -> None:
        order.append(f"begin {number}")
        order.append(f"end {number}")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: in_turn(note, number), range(200)))
    for begun, ended in zip(order[::2], order[1::2], strict=True):
        assert begun.replace("begin", "end") == ended


def test_what_is_called_there_may_call_more() -> None:
    assert in_turn(lambda: in_turn(threading.get_ident)) == in_turn(threading.get_ident)


def test_errors_reach_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        in_turn(lambda: 1 // 0)


def test_a_forked_process_has_a_thread_of_its_own() -> None:
    in_turn(int)
    child = os.fork()
    if not child:
        os._exit(int(in_turn(int, "7")))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
