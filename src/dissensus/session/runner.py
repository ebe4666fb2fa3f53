"""Runs one session: asks, journals, repairs, tries again, and says how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from dissensus.llm.call import Message, Provider, Reply, Request
from dissensus.llm.journal import Journal
from dissensus.llm.outcomes import cut_off
from dissensus.llm.prefix_cache import first_alike
from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.session.protocol import Call, Parsed, ReplyFormat, Steps, Turn


@dataclass(frozen=True)
class Limits:
    """How often to ask again: ``repairs`` within a turn, ``session_attempts`` for the whole.

    ``deadline_s`` bounds the seconds of waiting for models in one attempt at the session. They are
    counted from the journal, so a session that was killed has no more time than another.
    """

    repairs: int
    session_attempts: int
    deadline_s: float | None = None

    @classmethod
    def of(cls, protocol: Mapping[str, Any]) -> Limits:
        """From a study's settings of its protocol."""
        return cls(
            protocol["repairs"], protocol["session_attempts"], protocol["session_deadline_s"]
        )


@dataclass(frozen=True)
class Attempt:
    """One attempt at a turn: one row of the session's artefact, and one call."""

    session_attempt: int
    call: Call
    attempt: int
    request: Request
    provider: str
    asked_model: str
    reply: Reply
    violations: tuple[str, ...]
    accepted: bool
    value: Any = None


@dataclass
class Session:
    """What a session left behind.

    ``turns`` holds the transcript of the attempt that ran to the end and is empty where none
    did; ``failure`` then says why.
    """

    attempts: list[Attempt] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    session_attempts: int = 0
    failure: str = ""


class CallFailed(Exception):
    """A call left no text to go on with, or a protocol cannot go on: the attempt is over."""


def run_session(
    seed: int,
    steps: Callable[[], Steps],
    providers: Mapping[str, Provider],
    journal: Journal,
    limits: Limits,
) -> Session:
    """Run a session until an attempt at it reaches the end, or the attempts are used up.

    Parameters
    ----------
    seed : the session's own, from the manifest.
    steps : starts the protocol afresh, for each attempt at the session.
    providers : the models by the names that the protocol's calls use.
    journal : where replies are kept; what is in it already is not asked for again.
    limits : repairs, attempts and deadline.
    """
    session = Session()
    PROGRESS_COUNTS.count(begun=1)
    for number in range(1, limits.session_attempts + 1):
        session.session_attempts = number
        PROGRESS_COUNTS.count(reruns=int(number > 1))
        attempt = SessionAttempt(seed, number, providers, journal, limits, session.attempts)
        try:
            session.turns = _run_steps(steps(), attempt)
        except CallFailed as failure:
            session.failure = str(failure)
        else:
            session.failure = ""
            break
    PROGRESS_COUNTS.count(ended=1, failed=int(bool(session.failure)))
    return session


def _run_steps(protocol: Steps, attempt: SessionAttempt) -> list[Turn]:
    """Run every step of a protocol; the calls of one step are made at the same time."""
    transcript: list[Turn] = []
    step = next(protocol, None)
    while step is not None:
        turns = attempt.run_step(step)
        transcript += turns
        try:
            step = protocol.send(turns)
        except StopIteration:
            step = None
    return transcript


@dataclass
class TurnResult:
    """Every attempt at a turn, the seconds that they took, and the turn or why there is none."""

    attempts: list[Attempt] = field(default_factory=list)
    seconds: float = 0.0
    turn: Turn | None = None
    failure: str = ""


@dataclass
class SessionAttempt:
    """One attempt at a session: runs its steps and records every attempt at each turn."""

    seed: int
    session_attempt: int
    providers: Mapping[str, Provider]
    journal: Journal
    limits: Limits
    record: list[Attempt]
    seconds: float = 0.0

    def run_step(self, step: Sequence[Call]) -> list[Turn]:
        if not step:
            return []
        made_before, answers, repairs = len(self.journal.made), 0, 0
        turns: list[Turn] = []
        failure, seconds = "", 0.0
        try:
            results = [self._run_turn(step[0])] if len(step) == 1 else self._run_turns(step)
            # In the step's order, whichever reply came first.
            for call, result in zip(step, results, strict=True):
                self.record += result.attempts
                answers += len(result.attempts)
                repairs += max(0, len(result.attempts) - 1)
                seconds = max(seconds, result.seconds)
                if result.turn is not None:
                    turns.append(result.turn)
                else:
                    failure = failure or f"turn {call.number}: {result.failure}"
        finally:
            calls = len(self.journal.made) - made_before
            PROGRESS_COUNTS.count(answers=answers, repairs=repairs, calls=calls)
        self.seconds += seconds
        if failure:
            raise CallFailed(failure)
        return turns

    def _run_turns(self, step: Sequence[Call]) -> list[TurnResult]:
        asked = [call for call in step if call.given is None]
        if not any(self.providers[call.model].waits for call in asked):
            return [self._run_turn(call) for call in step]
        return self._run_at_once(step)

    def _run_at_once(self, step: Sequence[Call]) -> list[TurnResult]:
        """Run turns at the same time, but for those that another's prompt makes cheaper."""
        first: dict[int, int] = {}
        asked = {place: call for place, call in enumerate(step) if call.given is None}
        for model in {each.model for each in asked.values() if self.providers[each.model].caches}:
            places = [place for place, call in asked.items() if call.model == model]
            alike = first_alike([step[place].messages for place in places])
            for place, other in zip(places, alike, strict=True):
                if other is not None:
                    first[place] = places[other]
        begun: list[Future[TurnResult]] = []
        with ThreadPoolExecutor(len(step)) as pool:
            for place, call in enumerate(step):
                before = begun[first[place]] if place in first else None
                begun.append(pool.submit(self._run_after, before, call))
            return [turn.result() for turn in begun]

    def _run_after(self, before: Future[TurnResult] | None, call: Call) -> TurnResult:
        """Run a turn once another has ended; where that stopped the run, it does so, too."""
        if before is not None:
            before.result()
        return self._run_turn(call)

    def _run_turn(self, call: Call) -> TurnResult:
        """Ask, and ask again while rules are broken; no turn where a call leaves no text."""
        result = TurnResult()
        if call.given is not None and call.given.tool is not None:
            reply = self.journal.ask(
                call.given.tool, call.given.tool.request(call.messages[-1].content)
            )
            read = call.format.read(reply.text)
            turn = call.turn(reply.text, read.value, read.problems)
            result.turn = replace(turn, origin=call.given.origin)
            return result
        if call.given is not None:
            result.turn = call.given.turn
            result.failure = f"{call.given.origin} has no turn of {call.speaker} there"
            return result
        messages, deadline_s = call.messages, self.limits.deadline_s
        for number in range(1, self.limits.repairs + 2):
            left = None if deadline_s is None else deadline_s - self.seconds - result.seconds
            if left is not None and left <= 0:
                result.failure = "the session's deadline has passed"
                return result
            attempt = self._attempt(call, number, messages, left)
            result.attempts.append(attempt)
            result.seconds += attempt.reply.latency_s
            if attempt.reply.error:
                result.failure = attempt.reply.error
                if not call.required:
                    # It may have been a repair that failed.
                    result.turn = call.turn("", None, (attempt.reply.error,), number - 1)
                return result
            if attempt.accepted:
                break
            messages = call.again(attempt.violations)
        repairs = len(result.attempts) - 1
        result.turn = call.turn(attempt.reply.text, attempt.value, attempt.violations, repairs)
        return result

    def _attempt(
        self, call: Call, number: int, messages: tuple[Message, ...], patience_s: float | None
    ) -> Attempt:
        provider = self.providers[call.model]
        # Every call has a seed of its own, of 31 bits: the range that paid interfaces accept.
        place = f"{self.seed}/{self.session_attempt}/{call.number}/{call.speaker}/{number}"
        request = Request(
            model=call.model,
            identity=provider.identity,
            messages=messages,
            temperature=call.decoding.temperature,
            max_tokens=call.decoding.max_tokens,
            seed=int.from_bytes(sha256(place.encode()).digest()[:4], "big") >> 1,
            top_p=call.decoding.top_p,
            options=call.decoding.options,
        )
        reply = self.journal.ask(provider, request, patience_s)
        parsed = Parsed[Any](None)
        if not reply.error:
            parsed = _read_body(call.format, reply) if reply.raw else call.format.read(reply.text)
        broken = parsed.problems
        # A text that was cut off breaks a rule of its own, whatever is said of the rest.
        if not reply.error and (cut := cut_off(reply.finish_reason)):
            broken = (*broken, cut)
        last = number == self.limits.repairs + 1
        return Attempt(
            self.session_attempt,
            call,
            number,
            request,
            provider.name,
            provider.asked_model,
            reply,
            broken,
            accepted=not reply.error and (not broken or last),
            value=parsed.value,
        )


def _read_body(format: ReplyFormat[Any], reply: Reply) -> Parsed[Any]:
    """What a format makes of all that came, where it can; else of the text."""
    read_body = getattr(format, "read_body", None)
    if read_body is None:
        return format.read(reply.text)
    parsed: Parsed[Any] = read_body(reply.text, json.loads(reply.raw))
    return parsed
