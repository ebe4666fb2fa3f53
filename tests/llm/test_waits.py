"""How long errors ask to wait: by header and body, in whatever form, whatever the clocks show."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.providers.waits import MOST_RESET_S, retry_after, wait_of


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "soon"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({"retry-after": ""}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 99999 00:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 01 Jan 0001 00:00:00 -2359"}, 0.0),
        ({"retry-after": "86400"}, 86400.0),
        # What servers write that is no number of seconds.
        ({"retry-after": "20s"}, 20.0),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after": "1h0m0.5s"}, 3600.5),
        ({"retry-after": "500ms"}, 0.5),
        ({"retry-after-ms": "0", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "-4", "retry-after": "9"}, 9.0),
        ({"x-ms-retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "ms"}, 0.0),
        ({"retry-after": "1000000000"}, 0.0),
    ],
)
def test_how_long_an_answer_asks_to_wait(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers) == pytest.approx(seconds)


def test_a_date_is_a_time_to_wait_until() -> None:
    told = retry_after({"retry-after": formatdate(time.time() + 90, usegmt=True)})
    assert 85 < told <= 90


@pytest.mark.parametrize("wrong_s", [0, 40, -40, 86_400, -1e6])
@pytest.mark.parametrize("form", ["GMT", "-0000", "+0200"])
def test_a_date_is_read_against_the_answer_s_own(wrong_s: float, form: str) -> None:
    """Whatever either machine's clock shows."""
    server = time.time() + wrong_s
    until = datetime.fromtimestamp(int(server) + 30, UTC)
    if form == "+0200":
        until = until.astimezone(timezone(timedelta(hours=2)))
    headers = {
        "date": formatdate(int(server), usegmt=True),
        "retry-after": until.strftime("%a, %d %b %Y %H:%M:%S ") + form,
    }
    assert retry_after(headers) == 30.0
    assert retry_after({**headers, "date": "soon"}) == pytest.approx(max(0, 30 + wrong_s), abs=3)


@pytest.mark.parametrize("wrong_s", [0, 3_600, -3_600])
@pytest.mark.parametrize("form", ["epoch", "milliseconds", "ISO"])
def test_a_time_since_1970_is_a_date(form: str, wrong_s: float) -> None:
    """And no number of seconds, for which a run would wait a lifetime, or stop."""
    server = int(time.time() + wrong_s)
    iso = datetime.fromtimestamp(server + 30, UTC).isoformat()
    until = {"epoch": f"{server + 30}", "milliseconds": f"{server + 30}000", "ISO": iso}[form]
    headers = {"date": formatdate(server, usegmt=True)}
    assert retry_after({**headers, "retry-after": until}) == 30.0
    reset = {"x-ratelimit-reset": until, "x-ratelimit-remaining": "0"}
    assert wait_of({**headers, **reset}) == 30.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0"}, 1.0),
        ({"X-RateLimit-Reset-Tokens": "17ms", "X-RateLimit-Remaining-Tokens": "0"}, 0.017),
        ({"ratelimit-reset": "12", "ratelimit-remaining": "0"}, 12.0),
        ({"x-rate-limit-reset": "12", "x-rate-limit-remaining": "0"}, 12.0),
        # What is left of another limit does not matter; of two that are used up, the longer does.
        (
            {
                **{"x-ratelimit-reset-tokens": "7.66s", "x-ratelimit-remaining-tokens": "0"},
                **{"x-ratelimit-reset-requests": "2m", "x-ratelimit-remaining-requests": "14370"},
            },
            7.66,
        ),
        (
            {
                **{"x-ratelimit-reset-tokens": "7s", "x-ratelimit-remaining-tokens": "0"},
                **{"x-ratelimit-reset-requests": "9s", "x-ratelimit-remaining-requests": "0"},
            },
            9.0,
        ),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 60.0),
        ({"x-ratelimit-reset-requests": "5s"}, 0.0),
        ({"x-ratelimit-reset-requests": "-5s", "x-ratelimit-remaining-requests": "0"}, 0.0),
        ({"x-ratelimit-reset-requests": "soon", "x-ratelimit-remaining-requests": "0"}, 0.0),
        # What is asked for comes first, even where it is less.
        (
            {
                "retry-after": "2",
                **{"x-ratelimit-reset-tokens": "7s", "x-ratelimit-remaining-tokens": "0"},
            },
            2.0,
        ),
    ],
)
def test_a_limit_that_is_used_up_is_waited_for(headers: dict[str, str], seconds: float) -> None:
    assert wait_of(headers) == pytest.approx(seconds)


def test_anthropic_s_resets_are_dates() -> None:
    at = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
    headers = {
        "date": formatdate(at.timestamp(), usegmt=True),
        "anthropic-ratelimit-tokens-reset": "2026-05-01T12:00:33Z",
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-05-01T12:00:44Z",
        "anthropic-ratelimit-requests-remaining": "40",
    }
    assert wait_of(headers) == 33.0


def _info(delay: Any) -> dict[str, Any]:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    return {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{}, retry]}}


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (_info("32s"), 32.0),
        ([_info("1.5s")], 1.5),
        (_info(None), 0.0),
        ({"error": {"metadata": {"headers": {"X-RateLimit-Remaining": "0",
                                             "X-RateLimit-Reset": "41"}}}}, 41.0),
        ({"error": {"metadata": {"headers": ["X-RateLimit-Reset"]}}}, 0.0),
        ("retryDelay: 32s", 0.0),
        (None, 0.0),
    ],
)  # fmt: skip
def test_an_error_says_it_in_its_body(body: Any, seconds: float) -> None:
    assert wait_of({}, body) == seconds


@given(st.text(max_size=60), st.sampled_from(["retry-after", "x-ratelimit-reset", "date"]))
def test_no_header_is_worse_than_none(value: str, name: str) -> None:
    headers = {"x-ratelimit-remaining": "0", name: value}
    assert 0.0 <= wait_of(headers) < float("inf")
    assert name == "retry-after" or wait_of(headers) <= MOST_RESET_S


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_parts(h: int, m: int, s: int, ms: int) -> None:
    """Written as Go's time.Duration writes it."""
    assert retry_after({"retry-after": f"{h}h{m}m{s}.{ms:03}s"}) == pytest.approx(
        timedelta(hours=h, minutes=m, seconds=s, milliseconds=ms).total_seconds()
    )
