"""The deliberation: rounds that all agents write at once, and what judges make of them.

In round t every agent is shown exactly the turns that stand in the rounds before t. Agents have
N * R calls with the role ``debater``, whatever the arm; calls of judges, and retries of turns that
a judge rejected, are counted apart, by their roles. Every step has a number, which its turns carry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from dissensus.llm.call import Message
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    ReplyFormat,
    Steps,
    Turn,
    round_label,
)
from dissensus.session.replies import PartialReply
from dissensus.session.templates import repaired

from .controls.crit import Assessment, gamma, parse_assessment
from .controls.loop import Loop
from .controls.rca import parse_verdict
from .measures.state import evidence_overlap, js_of
from .prompts import Note, Spoken, Topic, View, Wording
from .turns import ParsedTurn, parse_turn

DEBATER, RETRY = "debater", "retry"
#: What comes before the agent in the name of a judge's call about it.
_JUDGE = "J:"


Result = TypeVar("Result")
#: A part of the protocol that takes steps of its own and comes to something.
Part = Generator[Sequence[Call], Sequence[Turn], Result]


@dataclass(frozen=True)
class Arm:
    """How a session runs.

    Attributes
    ----------
    topology : whom agents are to engage: emergent, full or one_target.
    crit : whether agents are shown a judge's assessments of the round before.
    assessed : whether a judge scores every turn.
    retries : how often a turn whose stance does not follow from its reasoning is sent back before
        its agent abstains; None where no judge looks at that.
    schedule : of contentiousness, None where the prompt says nothing of it.
    control : the schedule's settings.
    sees : which turns of earlier rounds an agent is shown: all, its own, or nothing.
    without : the seat whose turns nobody else is shown; None for none.
    abstain : whether agents may say that they abstain.
    samples : answers of each agent where it sees nothing; None for as many as rounds.
    """

    topology: str
    crit: bool
    assessed: bool
    retries: int | None
    schedule: str | None
    control: Mapping[str, Any]
    sees: str = "all"
    without: str | None = None
    abstain: bool = False
    samples: int | None = None


@dataclass(frozen=True)
class Cast:
    """Who takes part: agent -> model, in the order of seats, and the model that judges."""

    agents: Mapping[str, str]
    judge: str


def deliberate(
    wording: Wording,
    topic: Topic,
    cast: Cast,
    arm: Arm,
    rounds: int,
    note: Note | None,
    decoding: Decoding,
) -> Callable[[], Steps]:
    """The deliberation as a protocol.

    Parameters
    ----------
    wording : of all prompts.
    topic : what is deliberated.
    cast : who takes part.
    arm : how it runs.
    rounds : how many.
    note : the moderator's, None where none is given.
    decoding : of every reply.
    """
    return lambda: _Session(wording, topic, cast, arm, rounds, note, decoding).steps()


def example_reply(call: Call) -> str:
    """A reply to a call, between two agents and the options a and b, that uses all of its format.

    Turns of A1 are sent back until it abstains, and the first of A2 says nothing that can be read.
    """
    if call.role == _judge_role("crit"):
        scores = [{"validity": 5, "credibility": 5}]
        return json.dumps({"claim": PLACEHOLDER, "reasons": scores, "rivals": scores})
    if call.role == _judge_role("rca"):
        return json.dumps({"follows": call.speaker != f"{_JUDGE}A1", "reason": PLACEHOLDER})
    if (call.speaker, call.round_label) == ("A2", round_label(1)):
        return PLACEHOLDER
    claim = {"id": "c1", "text": PLACEHOLDER, "evidence": ["e1"]}
    target = {"agent": "A2", "claim": "A2.1.c1", "quote": PLACEHOLDER, "relation": "rebut"}
    members = {
        "stance": "a",
        "probabilities": {"a": 0.6, "b": 0.4},
        "confidence": 0.6,
        "claims": [claim],
        "engagements": [target],
    }
    return f"{PLACEHOLDER}\n{json.dumps(members)}"


def observed(
    stances: Sequence[ParsedTurn | None], before: Mapping[int, Mapping[str, float]]
) -> tuple[dict[int, Mapping[str, float]], float | None, float | None]:
    """What the controller gets of a round besides its quality.

    Parameters
    ----------
    stances : the turns that stand, one a seat; None for an agent that abstained.
    before : seat -> the probabilities that it had before the round.

    Returns
    -------
    seat -> the probabilities that it holds after the round, an agent that abstained those from
    before it and one whose reply could not be read none; the generalised JS divergence of these, in
    bits; and the overlap of the evidence that the agents cite, of which one that abstained cites
    none. None for what fewer than two agents leave undefined.
    """
    beliefs: dict[int, Mapping[str, float]] = {}
    for seat, turn in enumerate(stances):
        shares = before.get(seat, {}) if turn is None else turn.probabilities
        if shares:
            beliefs[seat] = shares
    cited = [
        {name for claim in (turn.claims if turn else ()) for name in claim.evidence}
        for turn in stances
    ]
    js = js_of([list(shares.values()) for shares in beliefs.values()]) if len(beliefs) > 1 else None
    return beliefs, js, evidence_overlap(cited)


@dataclass
class _Session:
    """One attempt at a session: what it is, and how far it has come."""

    wording: Wording
    topic: Topic
    cast: Cast
    arm: Arm
    rounds: int
    note: Note | None
    decoding: Decoding
    number: int = 0
    history: list[tuple[str, str]] = field(default_factory=list)
    """Who spoke, and the turn as later prompts show it."""
    assessments: Mapping[str, Assessment] = field(default_factory=dict)
    beliefs: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    def steps(self) -> Steps:
        loop = Loop.of(self.arm.schedule, self.arm.control, self.arm.samples or self.rounds)
        for round_ in range(1, (self.arm.samples or self.rounds) + 1):
            prompts = self._prompts(round_, loop.beta(round_))
            first = {agent: (prompt,) for agent, prompt in prompts.items()}
            turns: dict[str, Turn | None] = {**(yield from self._write(DEBATER, round_, first))}
            if self.arm.retries is not None:
                turns.update((yield from self._check(round_, prompts, turns)))
            spoken = [_spoken(agent, round_, turn) for agent, turn in turns.items()]
            if self.arm.assessed:
                self.assessments = yield from self._assess(round_, spoken)
            self.beliefs, js, overlap = observed([earlier.turn for earlier in spoken], self.beliefs)
            loop.observe(round_, _quality(self.assessments), js, overlap)
            self.history += [(each.agent, self.wording.shown(each)) for each in spoken]

    def _prompts(self, round_: int, beta: float | None) -> dict[str, Message]:
        """Agent -> the prompt of a round; where nothing is seen, that of the first."""
        view = View(
            tuple(self.cast.agents),
            self.rounds,
            1 if self.arm.sees == "nothing" else round_,
            (),
            self.arm.topology,
            beta,
            self.note if self.note and round_ >= self.note.round else None,
            self.assessments if self.arm.crit else {},
            self.arm.abstain,
        )
        return {
            agent: self.wording.round_prompt(
                self.topic, agent, replace(view, history=self._seen_by(agent))
            )
            for agent in view.agents
        }

    def _seen_by(self, agent: str) -> tuple[str, ...]:
        """The turns of earlier rounds that an agent is shown."""
        if self.arm.sees == "all":
            hidden = self.arm.without
            return tuple(
                turn for speaker, turn in self.history if speaker == agent or speaker != hidden
            )
        sees_own = self.arm.sees == "own"
        return tuple(turn for speaker, turn in self.history if sees_own and speaker == agent)

    def _write(
        self, role: str, round_: int, asked: Mapping[str, tuple[Message, ...]]
    ) -> Part[dict[str, Turn]]:
        """One step of debaters: agent -> messages to agent -> turn."""
        self.number += 1
        repair = self.wording.debating.repair
        models = self.cast.agents
        read = partial(parse_turn, options=self.topic.options, may_abstain=self.arm.abstain)
        format = PartialReply(read)
        turns = yield [
            self._call(agent, role, round_, models[agent], messages, format, repair)
            for agent, messages in asked.items()
        ]
        return {turn.speaker: turn for turn in turns}

    def _check(
        self, round_: int, prompts: Mapping[str, Message], turns: Mapping[str, Turn | None]
    ) -> Part[dict[str, Turn | None]]:
        """Have turns judged and sent back; agent -> its last turn, None where it abstains."""
        latest = {agent: turn for agent, turn in turns.items() if turn is not None}
        rejected = yield from self._rejected(round_, latest)
        for attempt in range(1, (self.arm.retries or 0) + 1):
            if not rejected:
                break
            retry = self.wording.retry_messages
            asked = {
                agent: retry(prompts[agent], latest[agent].text, reason, attempt)
                for agent, reason in rejected.items()
            }
            again = yield from self._write(RETRY, round_, asked)
            latest.update(again)
            rejected = yield from self._rejected(round_, again)
        return {agent: None if agent in rejected else turn for agent, turn in latest.items()}

    def _rejected(self, round_: int, turns: Mapping[str, Turn]) -> Part[dict[str, str]]:
        """Agent -> the judge's reason, of rejected turns; a verdict that is unread rejects none."""
        spoken = [_spoken(agent, round_, turn) for agent, turn in turns.items()]
        verdicts = yield from self._judge("rca", round_, spoken, PartialReply(parse_verdict))
        return {
            agent: verdict.reason for agent, verdict in verdicts.items() if verdict.follows is False
        }

    def _assess(self, round_: int, spoken: Sequence[Spoken]) -> Part[dict[str, Assessment]]:
        """Agent -> a judge's assessment of its turn; nothing is asked of those that abstained."""
        standing = [turn for turn in spoken if turn.turn is not None]
        if not standing:
            return {}
        format = PartialReply(parse_assessment)
        return (yield from self._judge("crit", round_, standing, format))

    def _judge(
        self, kind: str, round_: int, spoken: Sequence[Spoken], format: ReplyFormat[Any]
    ) -> Part[dict[str, Any]]:
        """One step of a judge, which sees each turn by itself; agent -> what the reply says."""
        self.number += 1
        repair, role = self.wording.judging.repair, _judge_role(kind)
        calls = []
        for debater in spoken:
            prompt = (Message("user", self.wording.judge_prompt(kind, self.topic, debater)),)
            speaker = f"{_JUDGE}{debater.agent}"
            call = self._call(speaker, role, round_, self.cast.judge, prompt, format, repair)
            calls.append(replace(call, purpose="judge"))
        turns = yield calls
        return {turn.speaker.removeprefix(_JUDGE): turn.value for turn in turns}

    def _call(
        self,
        speaker: str,
        role: str,
        round_: int,
        model: str,
        messages: tuple[Message, ...],
        format: ReplyFormat[Any],
        repair: str,
    ) -> Call:
        again = partial(repaired, messages, repair)
        place = (self.number, speaker, role, round_label(round_), model)
        return Call(*place, messages, format, again, self.decoding, "debate")


def _judge_role(kind: str) -> str:
    return f"judge:{kind}"


def _spoken(agent: str, round_: int, turn: Turn | None) -> Spoken:
    return Spoken(agent, round_, None if turn is None else turn.value)


def _quality(assessments: Mapping[str, Assessment]) -> float | None:
    """Mean CRIT score of the turns that have one."""
    scores = [
        score for assessment in assessments.values() if (score := gamma(assessment)) is not None
    ]
    return sum(scores) / len(scores) if scores else None
