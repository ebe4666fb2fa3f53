"""The requests about a batch, against a provider whose every answer the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import pytest

from dissensus.errors import ProviderError
from dissensus.llm.batches.client import BatchClient, BatchLost, BatchRefused
from dissensus.llm.batches.files import Plan, Planned
from dissensus.llm.batches.interface import Found, Line, Sought, State
from dissensus.llm.limits import RateLimiter
from hostile import terms

Result = TypeVar("Result")
TERMS = terms(name="there")
CALLS = {f"own-{number}": Planned(f"key{number}", "real", 10, 10, 0.1) for number in range(3)}
LINES = {name: Line({"text": name}) for name in CALLS}


class Said(Exception):
    """An error as the providers' packages raise it."""

    def __init__(self, status: int | None, message: str = "no") -> None:
        super().__init__(message)
        self.body = {"error": {"message": message}}
        if status is not None:
            self.status_code = status


class Provider:
    """Gives each request the next of the answers laid down for it, the last for ever."""

    most_requests = 100
    most_bytes = 10_000
    one_model = False

    def __init__(self, **answers: list[Any]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def _next(self, what: str) -> Any:
        self.asked.append(what)
        answers = self._answers[what]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def submit(self, own: str, bodies: Mapping[str, Any]) -> str:
        return str(self._next("submit"))

    async def state(self, batch_id: str) -> State:
        state: State = self._next("state")
        return state

    async def results(self, batch_id: str) -> dict[str, Line]:
        lines: dict[str, Line] = self._next("results")
        return lines

    async def find(self, sought: Sought) -> Found:
        found: Found = self._next("find")
        return found


def make(provider: Provider) -> tuple[str | Exception, bool]:
    """The id or the error, and whether it was said that no batch was made."""
    unmade: list[bool] = []
    client = BatchClient(TERMS, provider, RateLimiter(None, None, None))
    try:
        made = client.create(Plan("own", 1.0, "", dict(CALLS)), {}, (), lambda: unmade.append(True))
        return asyncio.run(limited(made)), bool(unmade)
    except ProviderError as error:
        return error, bool(unmade)


def lines(provider: Provider) -> Mapping[str, Line]:
    client = BatchClient(TERMS, provider, RateLimiter(None, None, None))
    return asyncio.run(limited(client.lines(Plan("own", 1.0, "id", dict(CALLS)))))


async def limited(work: Awaitable[Result]) -> Result:
    async with asyncio.timeout(10):
        return await work


@pytest.mark.parametrize("broken", [Said(None), Said(500), Said(504), Said(408), ValueError("?")])
def test_a_batch_whose_making_broke_off_is_looked_for_before_it_is_made_again(
    broken: Exception,
) -> None:
    provider = Provider(submit=[broken, "second"], find=[Found(), Found("first")])
    assert make(provider) == ("first", False)
    assert provider.asked == ["submit", "find", "find"]


def test_it_is_made_again_only_after_three_looks() -> None:
    provider = Provider(submit=[Said(None), "second"], find=[Found()])
    assert make(provider) == ("second", False)
    assert provider.asked == ["submit", "find", "find", "find", "submit"]


def test_one_that_may_be_it_is_waited_for() -> None:
    unsettled = [Found(unsettled=True)] * 9
    provider = Provider(submit=[Said(None), "second"], find=[*unsettled, Found("first")])
    assert make(provider) == ("first", False)
    assert provider.asked == ["submit", *["find"] * 10]


@pytest.mark.parametrize("status", [429, 425])
def test_one_refused_for_now_is_made_again_without_a_look(status: int) -> None:
    provider = Provider(submit=[Said(status), Said(status), "third"])
    assert make(provider) == ("third", False)


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (400, "no such endpoint", "takes no batch"),
        (404, "not found", "takes no batch"),
        (401, "who?", "does not accept the key"),
        (429, "insufficient_quota", "no credit left"),
    ],
)
def test_one_refused_for_good_was_surely_not_made(status: int, message: str, said: str) -> None:
    error, unmade = make(Provider(submit=[Said(status, message)]))
    assert isinstance(error, ProviderError) and unmade
    assert said in str(error) and "providers.there" in str(error) and message in str(error)


def test_a_provider_that_never_answers_stops_the_run_and_may_have_made_it() -> None:
    provider = Provider(submit=[Said(None)], find=[Found()])
    error, unmade = make(provider)
    assert isinstance(error, ProviderError) and not unmade
    assert provider.asked.count("submit") == TERMS.retries + 1


def test_a_batch_is_looked_at_until_it_is_over() -> None:
    waiting = State(over=False)
    provider = Provider(state=[waiting, Said(500), waiting, State(over=True)], results=[LINES])
    assert lines(provider) == LINES
    assert provider.asked == [*["state"] * 4, "results"]


def test_results_that_leave_a_line_out_are_read_again() -> None:
    torn = {name: LINES[name] for name in list(LINES)[:2]}
    assert lines(Provider(state=[State(True)], results=[torn, ValueError(), LINES])) == LINES
    provider = Provider(state=[State(True)], results=[torn])
    left_out = lines(provider)["own-2"]
    assert (left_out.outcome, left_out.billed) == ("malformed", True)
    assert provider.asked.count("results") == 3


def test_a_batch_that_was_ended_early_leaves_out_what_it_never_came_to() -> None:
    provider = Provider(state=[State(True, missing="server_error")], results=[{}])
    found = lines(provider)
    assert {(line.outcome, line.billed) for line in found.values()} == {("server_error", False)}
    assert provider.asked == ["state", "results"]


def test_a_batch_is_gone_only_when_it_is_unknown_three_times() -> None:
    unknown = Said(404)
    found = Provider(state=[unknown, unknown, State(True)], results=[LINES])
    assert lines(found) == LINES
    with pytest.raises(BatchLost):
        lines(Provider(state=[unknown]))
    with pytest.raises(BatchLost):
        lines(Provider(state=[State(True)], results=[unknown]))


def test_a_batch_that_was_refused_says_why() -> None:
    with pytest.raises(BatchRefused, match="too many tokens") as refused:
        lines(Provider(state=[State(True, refused="too many tokens", again=True)]))
    assert refused.value.again


@pytest.mark.parametrize(
    ("error", "said"), [(Said(401), "accept the key"), (Said(500), "does not answer")]
)
def test_what_no_wait_mends_stops_the_run(error: Exception, said: str) -> None:
    with pytest.raises(ProviderError, match=said):
        lines(Provider(state=[error]))
