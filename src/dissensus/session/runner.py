"""Holds one session: asks, journals, repairs, re-runs, and says what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from dissensus.llm.call import Message, Provider, Reply, Request
from dissensus.llm.journal import Journal
from dissensus.session.progress import PROGRESS_COUNTS, Counted
from dissensus.session.protocol import Call, Steps, Turn


@dataclass(frozen=True)
class Limits:
    """How often to ask again: ``repairs`` within a turn, ``session_attempts`` for the whole.

    ``deadline_s`` bounds the seconds of waiting for models in one attempt at the session. They are
    counted from the journal, so a session that was killed has no more time than another.
    """

    repairs: int
    session_attempts: int
    temperature: float
    max_tokens: int
    deadline_s: float | None = None
    top_p: float | None = None

    @classmethod
    def of(cls, protocol: Mapping[str, Any]) -> Limits:
        """From a study's settings of its protocol."""
        return cls(
            protocol["repairs"],
            protocol["session_attempts"],
            protocol["temperature"],
            protocol["max_tokens"],
            protocol["session_deadline_s"],
            protocol.get("top_p"),
        )


@dataclass(frozen=True)
class Attempt:
    """One attempt at a turn: one row of the session's artefact, and one call."""

    session_attempt: int
    call: Call
    attempt: int
    request_sha256: str
    provider: str
    asked_model: str
    reply: Reply
    violations: tuple[str, ...]
    accepted: bool


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


#: A text that was cut off breaks a rule of its own, whatever the format rules say of the rest.
CUT_OFF = {
    "length": "cut off at the limit of tokens",
    "content_filter": "cut off by the provider's content filter",
}


class CallFailed(Exception):
    """A call left no text to go on with, or a protocol cannot go on: the attempt is over."""


def run_session(
    seed: int,
    steps: Callable[[], Steps],
    providers: Mapping[str, Provider],
    journal: Journal,
    limits: Limits,
) -> Session:
    """Hold a session until an attempt at it runs to the end, or the attempts are used up.

    Parameters
    ----------
    seed : the session's own, from the manifest.
    steps : starts the protocol afresh, for each attempt at the session.
    providers : the models by the names that the protocol's calls use.
    journal : where replies are kept; whatever it already holds is not asked for again.
    limits : repairs, attempts and decoding settings.
    """
    session = Session()
    counted = {name: Counted(provider) for name, provider in providers.items()}
    PROGRESS_COUNTS.count(begun=1)
    for number in range(1, limits.session_attempts + 1):
        session.session_attempts = number
        PROGRESS_COUNTS.count(reruns=int(number > 1))
        floor = _Floor(seed, number, counted, journal, limits, session.attempts)
        try:
            session.turns = _play(steps(), floor)
        except CallFailed as failure:
            session.failure = str(failure)
        else:
            session.failure = ""
            break
    PROGRESS_COUNTS.count(ended=1, failed=int(bool(session.failure)))
    return session


def _play(protocol: Steps, floor: _Floor) -> list[Turn]:
    """Take every step of a protocol; the calls of one step are made at the same time."""
    transcript: list[Turn] = []
    step = next(protocol, None)
    while step is not None:
        turns = floor.take(step)
        transcript += turns
        try:
            step = protocol.send(turns)
        except StopIteration:
            step = None
    return transcript


@dataclass(frozen=True)
class _Taken:
    """A turn as it was taken: every attempt at it, and the turn or why there is none."""

    attempts: list[Attempt]
    turn: Turn | None = None
    failure: str = ""

    @property
    def seconds(self) -> float:
        return sum(attempt.reply.latency_s for attempt in self.attempts)


@dataclass
class _Floor:
    """One attempt at a session: takes turns and records every attempt at each."""

    seed: int
    session_attempt: int
    providers: Mapping[str, Provider]
    journal: Journal
    limits: Limits
    record: list[Attempt]
    seconds: float = 0.0

    def take(self, step: Sequence[Call]) -> list[Turn]:
        if len(step) == 1 or not any(self.providers[call.model].waits for call in step):
            taken = [self._take_turn(call) for call in step]
        else:
            with ThreadPoolExecutor(len(step)) as pool:
                taken = list(pool.map(self._take_turn, step))
        # Recorded in the step's order, whichever reply came first.
        for one in taken:
            self.record.extend(one.attempts)
        self.seconds += max(one.seconds for one in taken)
        for call, one in zip(step, taken, strict=True):
            if one.turn is None:
                raise CallFailed(f"turn {call.number}: {one.failure}")
        return [one.turn for one in taken if one.turn is not None]

    def _take_turn(self, call: Call) -> _Taken:
        """Ask, and ask again while rules are broken; no turn where a call leaves no text."""
        messages = call.messages
        taken = _Taken([])
        for number in range(1, self.limits.repairs + 2):
            patience = self._patience(taken.seconds)
            if patience is not None and patience <= 0:
                return _Taken(taken.attempts, failure="the session's deadline has passed")
            attempt = self._attempt(call, number, messages, patience)
            taken.attempts.append(attempt)
            if attempt.reply.error:
                return _Taken(taken.attempts, failure=attempt.reply.error)
            if attempt.accepted:
                break
            messages = call.again(attempt.violations)
        turn = Turn(
            call.number,
            call.speaker,
            call.role,
            call.round_label,
            call.model,
            attempt.reply.text,
            repairs=len(taken.attempts) - 1,
            violations=attempt.violations,
        )
        return _Taken(taken.attempts, turn)

    def _attempt(
        self, call: Call, number: int, messages: tuple[Message, ...], patience: float | None
    ) -> Attempt:
        provider = self.providers[call.model]
        request = Request(
            model=call.model,
            identity=provider.identity,
            messages=messages,
            temperature=self.limits.temperature,
            max_tokens=self.limits.max_tokens,
            seed=self._seed_of(call, number),
            top_p=self.limits.top_p,
        )
        reply = self.journal.ask(provider, request, patience)
        PROGRESS_COUNTS.count(answers=1, repairs=int(number > 1))
        broken = () if reply.error else call.violations(reply.text)
        if reply.finish_reason in CUT_OFF and not reply.error:
            broken = (*broken, CUT_OFF[reply.finish_reason])
        last = number == self.limits.repairs + 1
        return Attempt(
            self.session_attempt,
            call,
            number,
            request.sha256,
            provider.name,
            provider.asked_model,
            reply,
            broken,
            accepted=not reply.error and (not broken or last),
        )

    def _patience(self, spent: float) -> float | None:
        """Seconds that are left of the session's deadline."""
        deadline = self.limits.deadline_s
        return None if deadline is None else deadline - self.seconds - spent

    def _seed_of(self, call: Call, attempt: int) -> int:
        """A 31-bit seed of its own for every call (the range that paid interfaces accept)."""
        text = f"{self.seed}/{self.session_attempt}/{call.number}/{call.speaker}/{attempt}"
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big") >> 1
