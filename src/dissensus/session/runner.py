"""Runs one session: asks, journals, repairs, tries again, and says how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
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


def _read(format: ReplyFormat[Any], reply: Reply) -> Parsed[Any]:
    """What a format makes of a reply: of all that came, where it can and there is more."""
    read_body = getattr(format, "read_body", None)
    if read_body is None or not reply.raw:
        return format.read(reply.text)
    parsed: Parsed[Any] = read_body(reply.text, json.loads(reply.raw))
    return parsed


@dataclass(frozen=True)
class TurnResult:
    """A turn with every attempt at it, and the turn or why there is none."""

    attempts: list[Attempt]
    turn: Turn | None = None
    failure: str = ""

    @property
    def seconds(self) -> float:
        return sum(attempt.reply.latency_s for attempt in self.attempts)


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
        made_before = len(self.journal.made)
        attempts: list[Attempt] = []
        try:
            done = self._run_turns(step)
            # In the step's order, whichever reply came first.
            attempts += [attempt for result in done for attempt in result.attempts]
        finally:
            repairs = sum(attempt.attempt > 1 for attempt in attempts)
            calls = len(self.journal.made) - made_before
            PROGRESS_COUNTS.count(answers=len(attempts), repairs=repairs, calls=calls)
        self.record += attempts
        self.seconds += max(result.seconds for result in done)
        for call, result in zip(step, done, strict=True):
            if result.turn is None:
                raise CallFailed(f"turn {call.number}: {result.failure}")
        return [result.turn for result in done if result.turn is not None]

    def _run_turns(self, step: Sequence[Call]) -> list[TurnResult]:
        asked = [call for call in step if call.given is None]
        if len(step) == 1 or not any(self.providers[call.model].waits for call in asked):
            return [self._run_turn(call) for call in step]
        return self._run_at_once(step)

    def _run_at_once(self, step: Sequence[Call]) -> list[TurnResult]:
        """Run turns at the same time, but for those that another's prompt makes cheaper."""
        first: dict[int, int] = {}
        for model in {call.model for call in step if self.providers[call.model].caches}:
            places = [place for place, call in enumerate(step) if call.model == model]
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
        if call.given is not None:
            lacking = f"{call.given.origin} has no turn of {call.speaker} there"
            return TurnResult([], call.given.turn, "" if call.given.turn else lacking)
        messages = call.messages
        done = TurnResult([])
        for number in range(1, self.limits.repairs + 2):
            patience = self._patience(done.seconds)
            if patience is not None and patience <= 0:
                return TurnResult(done.attempts, failure="the session's deadline has passed")
            attempt = self._attempt(call, number, messages, patience)
            done.attempts.append(attempt)
            if attempt.reply.error and call.required:
                return TurnResult(done.attempts, failure=attempt.reply.error)
            if attempt.reply.error:
                # It may have been a repair that failed.
                lost = call.turn("", None, (attempt.reply.error,), number - 1)
                return TurnResult(done.attempts, lost)
            if attempt.accepted:
                break
            messages = call.again(attempt.violations)
        repairs = len(done.attempts) - 1
        turn = call.turn(attempt.reply.text, attempt.value, attempt.violations, repairs)
        return TurnResult(done.attempts, turn)

    def _attempt(
        self, call: Call, number: int, messages: tuple[Message, ...], patience: float | None
    ) -> Attempt:
        provider = self.providers[call.model]
        request = Request(
            model=call.model,
            identity=provider.identity,
            messages=messages,
            temperature=call.decoding.temperature,
            max_tokens=call.decoding.max_tokens,
            seed=self._seed_of(call, number),
            top_p=call.decoding.top_p,
            options=call.decoding.options,
        )
        reply = self.journal.ask(provider, request, patience)
        parsed = Parsed[Any](None) if reply.error else _read(call.format, reply)
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

    def _patience(self, spent: float) -> float | None:
        """Seconds that are left of the session's deadline."""
        deadline = self.limits.deadline_s
        return None if deadline is None else deadline - self.seconds - spent

    def _seed_of(self, call: Call, attempt: int) -> int:
        """A 31-bit seed of its own for every call (the range that paid interfaces accept)."""
        text = f"{self.seed}/{self.session_attempt}/{call.number}/{call.speaker}/{attempt}"
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big") >> 1
