"""A request's digest is its identity: any change to it is another call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dissensus.llm.call import Message, Request

REQUEST = Request("m", "id", (Message("user", "你好"),), 0.2, 512, 7)


def test_equal_requests_share_a_digest():
    assert REQUEST.sha256 == Request("m", "id", (Message("user", "你好"),), 0.2, 512, 7).sha256
    assert len(REQUEST.sha256) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"identity": "other"},
        {"messages": (Message("user", "你好 "),)},
        {"messages": (Message("system", "你好"),)},
        {"messages": (Message("user", "你"), Message("user", "好"))},
        {"temperature": 0.3},
        {"max_tokens": 511},
        {"seed": 8},
    ],
)
def test_every_part_counts(change):
    assert replace(REQUEST, **change).sha256 != REQUEST.sha256
