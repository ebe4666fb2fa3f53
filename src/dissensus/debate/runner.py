"""Holds one session: asks, journals, repairs, re-runs, and says what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256

from dissensus.debate.protocol import Call, Steps, Turn
from dissensus.talk.call import Provider, Reply, Request
from dissensus.talk.journal import Journal


@dataclass(frozen=True)
class Limits:
    """How often to ask again: ``repairs`` within a turn, ``session_attempts`` for the whole."""

    repairs: int
    session_attempts: int
    temperature: float
    max_tokens: int


@dataclass(frozen=True)
class Attempt:
    """One attempt at a turn: one row of the session's artefact, and one call."""

    session_attempt: int
    call: Call
    attempt: int
    request_sha256: str
    provider: str
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


class CallFailed(Exception):
    """A call left no text to go on with: the session's attempt is over."""


def hold_session(
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
    for number in range(1, limits.session_attempts + 1):
        session.session_attempts = number
        floor = _Floor(seed, number, providers, journal, limits, session.attempts)
        try:
            session.turns = _play(steps(), floor)
        except CallFailed as failure:
            session.failure = str(failure)
        else:
            session.failure = ""
            break
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
class _Floor:
    """One attempt at a session: takes turns and records every attempt at each."""

    seed: int
    session_attempt: int
    providers: Mapping[str, Provider]
    journal: Journal
    limits: Limits
    record: list[Attempt]

    def take(self, step: Sequence[Call]) -> list[Turn]:
        if len(step) == 1:
            taken = [self._take_turn(step[0])]
        else:
            with ThreadPoolExecutor(len(step)) as pool:
                taken = list(pool.map(self._take_turn, step))
        # Recorded in the step's order, whichever reply came first.
        for _, attempts in taken:
            self.record.extend(attempts)
        for turn, attempts in taken:
            if turn is None:
                raise CallFailed(f"turn {attempts[-1].call.number}: {attempts[-1].reply.error}")
        return [turn for turn, _ in taken if turn is not None]

    def _take_turn(self, call: Call) -> tuple[Turn | None, list[Attempt]]:
        """Ask, and ask again while rules are broken; no turn where a call leaves no text."""
        provider = self.providers[call.model]
        messages = call.messages
        attempts: list[Attempt] = []
        for number in range(1, self.limits.repairs + 2):
            request = Request(
                model=call.model,
                identity=provider.identity,
                messages=messages,
                temperature=self.limits.temperature,
                max_tokens=self.limits.max_tokens,
                seed=self._seed_of(call, number),
            )
            reply = self.journal.ask(provider, request)
            broken = () if reply.error else call.violations(reply.text)
            last = number == self.limits.repairs + 1
            accepted = not reply.error and (not broken or last)
            attempts.append(
                Attempt(
                    self.session_attempt,
                    call,
                    number,
                    request.sha256,
                    provider.name,
                    reply,
                    broken,
                    accepted,
                )
            )
            if reply.error:
                return None, attempts
            if accepted:
                break
            messages = call.again(broken)
        turn = Turn(
            call.number,
            call.speaker,
            call.role,
            call.round_label,
            call.model,
            reply.text,
            repairs=len(attempts) - 1,
            violations=broken,
        )
        return turn, attempts

    def _seed_of(self, call: Call, attempt: int) -> int:
        """A 31-bit seed of its own for every call (the range that paid interfaces accept)."""
        text = f"{self.seed}/{self.session_attempt}/{call.number}/{call.speaker}/{attempt}"
        return int.from_bytes(sha256(text.encode()).digest()[:4], "big") >> 1
