"""What a cache would have of planned prompts, by hand."""

from __future__ import annotations

import pytest

from dissensus.llm.call import Message
from dissensus.plan.cached import Shares, cached_shares
from dissensus.plan.call_plan import PlannedCall
from dissensus.session.placeholders import sized, unsized, written_out
from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.templates import sharing

#: 2,048 tokens.
FIRST = "abcd" * 2048


def planned(message: Message, model: str = "m") -> PlannedCall:
    return PlannedCall("debate", model, "", "", 100, 0.0, messages=(message,))


def found(calls: list[PlannedCall], marks: int = 0, reply: float = 0.5) -> list[Shares]:
    return list(cached_shares(calls, {"m": marks, "n": marks}, reply, 400))


@pytest.mark.parametrize("marks", [0, 4])
def test_what_begins_alike_is_read_by_the_model_that_had_it(marks: int) -> None:
    calls = [planned(sharing(FIRST + "abcd" * n, FIRST), model) for n, model in enumerate("mmn")]
    first, second, other = found(calls, marks)
    assert (first.read, second.read, other.read) == (0, pytest.approx(2048 / 2049), 0)
    written = 1.0 if marks else 0.0
    assert first.written == written and second.written == 0
    assert other.written == pytest.approx(written * 2048 / 2050)


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_replies_count_as_long_as_they_are_taken_to_be(share: float) -> None:
    """A prompt that grows by a reply of 1,024 tokens at most."""
    spoken = sized(PLACEHOLDER, 1024, 1)
    calls = [planned(sharing(FIRST + spoken * n, FIRST, *[spoken] * n)) for n in (0, 1, 2)]
    _, second, third = found(calls, 4, share)
    grown = 1024 * share
    assert second.read == pytest.approx(2048 / (2048 + grown), rel=5e-3)
    assert third.read == pytest.approx((2048 + grown) / (2048 + 2 * grown), rel=5e-3)
    assert third.written == pytest.approx(grown / (2048 + 2 * grown), rel=5e-3)


def test_replies_of_one_length_are_not_taken_for_each_other() -> None:
    one, other = (sized(PLACEHOLDER, 4000, number) for number in (1, 2))
    assert unsized(one) == unsized(other) == PLACEHOLDER
    calls = [planned(sharing(text, text)) for text in (one, other, one)]
    assert [share.read for share in found(calls)] == [0, 0, pytest.approx(1, abs=0.1)]
    assert len(written_out(one, 400, 0.5, 4)) == 4 * 2000
    assert len(written_out(PLACEHOLDER, 400, 0.5, 4)) == 4 * 200, "where no reply says its length"
