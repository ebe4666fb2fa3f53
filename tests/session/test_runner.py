"""A session with a scripted model: repairs, failures, re-runs, and steps of several calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event

import pytest

from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import Journal
from dissensus.session.protocol import Steps
from dissensus.session.runner import Session, run_session
from dissensus.session.templates import sharing
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_call, toy_debate

TIMEOUT = Reply("", error="timeout", finish_reason="error")
EMPTY = Reply("", error="empty")


def hold(
    tmp_path: Path, provider: FakeClient, *steps: str, seed: int = 1, **limits: int
) -> Session:
    journal = Journal(tmp_path / "journal.jsonl")
    return run_session(
        seed, toy_debate(*steps), {"m": provider}, journal, replace(LIMITS, **limits)
    )


def prompts(provider: FakeClient) -> list[str]:
    return [message.content for asked in provider.asked for message in asked.messages]


def test_a_debate_without_incident(tmp_path: Path):
    provider = FakeClient(in_turn("one", "two", "three"))
    session = hold(tmp_path, provider, "A", "B", "A")
    assert prompts(provider) == [
        "turn 1 of A: ",
        "turn 2 of B: one",
        "turn 3 of A: one | two",
    ]
    assert [(t.number, t.speaker, t.text, t.repairs, t.compliant) for t in session.turns] == [
        (1, "A", "one", 0, True),
        (2, "B", "two", 0, True),
        (3, "A", "three", 0, True),
    ]
    assert (session.session_attempts, session.failure) == (1, "")
    assert all(attempt.accepted for attempt in session.attempts)


def test_what_is_asked_for_is_sent(tmp_path: Path):
    provider = FakeClient(in_turn("one"), identity="who")
    hold(tmp_path, provider, "A")
    (asked,) = provider.asked
    assert (asked.model, asked.identity) == ("m", "who")
    assert (asked.temperature, asked.max_tokens, asked.top_p) == (0.2, 512, None)
    assert 0 <= asked.seed < 2**31


def test_a_turn_carries_what_its_format_reads(tmp_path: Path):
    provider = FakeClient(in_turn("one", "bad", "bad", "bad"))
    session = hold(tmp_path, provider, "A", "B")
    # What still breaks a rule after all repairs has a value too, where it can be read.
    assert [(turn.text, turn.value) for turn in session.turns] == [("one", "ONE"), ("bad", "BAD")]
    assert [attempt.value for attempt in session.attempts] == ["ONE", "BAD", "BAD", "BAD"]


def test_a_broken_rule_is_repaired_and_all_are_kept(tmp_path: Path):
    provider = FakeClient(in_turn("one", "bad", "worse bad", "two", "three"))
    session = hold(tmp_path, provider, "A", "B", "A")
    assert prompts(provider)[1:4] == [
        "turn 2 of B: one",
        "turn 2 of B: one REPAIR bad word",
        "turn 2 of B: one REPAIR bad word",
    ]
    assert prompts(provider)[4] == "turn 3 of A: one | two"
    assert [(a.call.number, a.attempt, a.reply.text, a.accepted) for a in session.attempts] == [
        (1, 1, "one", True),
        (2, 1, "bad", False),
        (2, 2, "worse bad", False),
        (2, 3, "two", True),
        (3, 1, "three", True),
    ]
    assert [attempt.violations for attempt in session.attempts[1:4]] == [
        *(("bad word",), ("bad word",), ())
    ]
    assert (session.turns[1].repairs, session.turns[1].compliant) == (2, True)


@pytest.mark.parametrize("repairs", [0, 1, 2, 4])
def test_the_last_attempt_stands_though_it_breaks_a_rule(tmp_path: Path, repairs: int):
    said = [f"bad {number}" for number in range(repairs + 1)]
    provider = FakeClient(in_turn(*said, "fine"))
    session = hold(tmp_path, provider, "A", "B", repairs=repairs)
    first, second = session.turns
    assert (first.text, first.repairs) == (f"bad {repairs}", repairs)
    assert first.violations == ("bad word",)
    assert not first.compliant
    assert (second.text, second.compliant) == ("fine", True)
    assert [a.accepted for a in session.attempts] == [False] * repairs + [True, True]
    assert session.failure == ""
    assert prompts(provider)[-1] == f"turn 2 of B: bad {repairs}"


@pytest.mark.parametrize("failed", [TIMEOUT, EMPTY])
def test_a_failed_call_starts_the_session_again(tmp_path: Path, failed: Reply):
    provider = FakeClient(in_turn("one", failed, "uno", "dos", "tres"))
    session = hold(tmp_path, provider, "A", "B", "A")
    assert [turn.text for turn in session.turns] == ["uno", "dos", "tres"]
    assert (session.session_attempts, session.failure) == (2, "")
    assert [(a.session_attempt, a.call.number, a.reply.error) for a in session.attempts] == [
        *((1, 1, ""), (1, 2, failed.error), (2, 1, ""), (2, 2, ""), (2, 3, ""))
    ]
    # From the beginning: nothing of the first attempt is shown in the second.
    assert prompts(provider)[2:] == ["turn 1 of A: ", "turn 2 of B: uno", "turn 3 of A: uno | dos"]
    assert not session.attempts[1].accepted


def test_a_failure_in_a_repair_is_one_too(tmp_path: Path):
    provider = FakeClient(in_turn("bad", TIMEOUT, "one"))
    session = hold(tmp_path, provider, "A")
    assert [a.violations for a in session.attempts] == [("bad word",), (), ()]
    assert (session.session_attempts, session.turns[0].repairs) == (2, 0)


def test_every_call_has_a_seed_of_its_own(tmp_path: Path):
    replies = ["bad", "bad", "bad", TIMEOUT, "bad", "bad", "bad", TIMEOUT, "bad", "one", "two"]
    provider = FakeClient(in_turn(*replies))
    hold(tmp_path, provider, "A", "B")
    seeds = [asked.seed for asked in provider.asked]
    assert len(seeds) == len(replies) == len(set(seeds))


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_session_that_fails_for_good_leaves_no_turns_and_a_reason(tmp_path: Path, attempts: int):
    provider = FakeClient(in_turn(*["one", TIMEOUT] * attempts))
    session = hold(tmp_path, provider, "A", "B", session_attempts=attempts)
    assert session.turns == []
    assert session.failure == "turn 2: timeout"
    assert session.session_attempts == attempts
    assert len(session.attempts) == 2 * attempts


def test_a_step_of_several_calls_is_made_at_the_same_time(tmp_path: Path):
    everyone = Barrier(3, timeout=20)

    def say(asked: Request) -> Reply:
        # Calls made one after the other would wait here for each other in vain.
        everyone.wait()
        return Reply(asked.messages[0].content.split(":")[0])

    provider = FakeClient(say)
    session = run_session(
        1, toy_debate("ABC", "ABC"), {"m": provider}, Journal(tmp_path / "j"), LIMITS
    )
    assert [turn.text for turn in session.turns] == [
        *("turn 1 of A", "turn 1 of B", "turn 1 of C"),
        *("turn 2 of A", "turn 2 of B", "turn 2 of C"),
    ]
    # In a round, nobody is shown what the others say in it.
    first = {prompt.split(": ")[1] for prompt in prompts(provider)[:3]}
    second = {prompt.split(": ")[1] for prompt in prompts(provider)[3:]}
    assert first == {""}
    assert second == {"turn 1 of A | turn 1 of B | turn 1 of C"}


def test_calls_that_begin_alike_are_made_after_the_first_where_that_is_cheaper(tmp_path: Path):
    """Without a cache all three are in flight at once; with one, B and C once A has its reply."""
    alike = "the same for all. " * 400

    def steps() -> Steps:
        yield [
            replace(toy_call(1, name, name), messages=(sharing(f"{alike}{name}", alike),))
            for name in "ABC"
        ]

    for caches in (False, True):
        answered, together = Event(), Barrier(2 if caches else 3, timeout=20)

        def say(
            asked: Request,
            caches: bool = caches,
            answered: Event = answered,
            together: Barrier = together,
        ) -> Reply:
            name = asked.messages[0].content[-1]
            if caches and name == "A":
                answered.set()
                return Reply(name)
            assert answered.is_set() is caches
            together.wait()
            return Reply(name)

        models = {"m": FakeClient(say, caches=caches)}
        session = run_session(1, steps, models, Journal(tmp_path / str(caches)), LIMITS)
        assert [turn.text for turn in session.turns] == ["A", "B", "C"]


def test_replies_are_recorded_in_the_order_of_the_step(tmp_path: Path):
    done = {name: Event() for name in "ABCD"}
    done["D"].set()

    def say(asked: Request) -> Reply:
        name = asked.messages[0].content[10]
        following = chr(ord(name) + 1)
        # The last of the step answers first.
        assert done[following].wait(20)
        done[name].set()
        return Reply(name)

    path = tmp_path / "j"
    session = run_session(1, toy_debate("ABC"), {"m": FakeClient(say)}, Journal(path), LIMITS)
    assert [attempt.reply.text for attempt in session.attempts] == ["A", "B", "C"]
    assert [turn.speaker for turn in session.turns] == ["A", "B", "C"]


def test_one_failure_in_a_step_keeps_the_others_attempts(tmp_path: Path):
    def say(asked: Request) -> Reply:
        return TIMEOUT if " of B:" in asked.messages[0].content else Reply("fine")

    session = hold(tmp_path, FakeClient(say), "ABC", session_attempts=1)
    assert session.failure == "turn 1: timeout"
    assert [(a.call.speaker, a.reply.error) for a in session.attempts] == [
        *(("A", ""), ("B", "timeout"), ("C", ""))
    ]


def test_sessions_share_nothing(tmp_path: Path):
    """Held at the same time with one provider, sessions are what they are when held alone."""

    def say(asked: Request) -> Reply:
        return Reply(f"{'bad ' if asked.seed % 3 == 0 else ''}{asked.sha256[:8]}")

    def one(seed: int, folder: str) -> list[str]:
        session = run_session(
            seed,
            toy_debate("A", "BC", "A"),
            {"m": provider},
            Journal(tmp_path / folder / str(seed)),
            LIMITS,
        )
        return [f"{a.request.sha256} {a.reply.text}" for a in session.attempts]

    provider = FakeClient(say)
    alone = [one(seed, "alone") for seed in range(12)]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda seed: one(seed, "together"), range(12)))
    assert together == alone
    said = [line for session in alone for line in session]
    assert len(said) == len(set(said))


def test_the_same_seed_asks_the_same_and_another_seed_does_not(tmp_path: Path):
    def digests(seed: int, name: str) -> list[str]:
        provider = FakeClient(lambda _: Reply("text"))
        hold(tmp_path / name, provider, "A", "B", seed=seed)
        return [asked.sha256 for asked in provider.asked]

    assert digests(1, "a") == digests(1, "b")
    assert not set(digests(1, "c")) & set(digests(2, "d"))


def test_a_call_that_is_not_required_costs_no_other_turn(tmp_path: Path):
    """A speech, then its extraction, which fails: the speech stays, and is paid for once."""

    def debate() -> Steps:
        yield [toy_call(1)]
        (turn,) = yield [replace(toy_call(2), required=False, purpose="extract")]
        yield [toy_call(3, prompt=f"after {turn.value} {turn.violations}")]

    provider = FakeClient(in_turn("one", Reply("", error="timeout"), "three"))
    with Journal(tmp_path / "journal.jsonl") as journal:
        session = run_session(1, debate, {"m": provider}, journal, LIMITS)
    assert (session.failure, session.session_attempts) == ("", 1)
    assert [(turn.text, turn.value) for turn in session.turns] == [
        *(("one", "ONE"), ("", None), ("three", "THREE"))
    ]
    assert prompts(provider)[-1] == "after None ('timeout',)"


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_call_that_fails_in_a_repair_counts_the_repairs_before_it(tmp_path: Path, before: int):
    """Whoever compares turns with calls finds as many: else a run would be refused for good."""

    def debate() -> Steps:
        yield [replace(toy_call(1), required=False)]

    provider = FakeClient(in_turn(*["bad"] * before, TIMEOUT))
    with Journal(tmp_path / "journal.jsonl") as journal:
        session = run_session(1, debate, {"m": provider}, journal, LIMITS)
    (turn,) = session.turns
    assert (turn.text, turn.value, turn.violations) == ("", None, ("timeout",))
    assert turn.repairs == before == len(session.attempts) - 1


def test_a_step_without_calls_is_no_step(tmp_path: Path):
    def debate() -> Steps:
        turns = yield []
        assert list(turns) == []
        yield [toy_call(1)]

    with Journal(tmp_path / "journal.jsonl") as journal:
        session = run_session(1, debate, {"m": FakeClient(in_turn("one"))}, journal, LIMITS)
    assert [turn.text for turn in session.turns] == ["one"]
