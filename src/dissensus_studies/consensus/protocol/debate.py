"""The debate: rounds in which all vote at once, until they agree or the last round is over.

In round 1 every agent votes by itself, in every arm alike but for those that learn, where examples
of earlier debates stand before every prompt. In round t it is shown the votes and
explanations of round t - 1, and in some strategies what others said in between: an extra agent,
who speaks after a round, or those with whom it talked in the side rounds that follow round 1. Calls
of one step are made at once, so that nobody sees a vote of the same round. What a model wrote is
quoted line by line, see :mod:`dissensus.session.quoting`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median_low
from typing import Any, TypeVar

from dissensus.llm.call import Message
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    ReplyFormat,
    Steps,
    Turn,
    round_label,
)
from dissensus.session.quoting import quoted
from dissensus.session.templates import fill, render, repaired

from ..learning.wording import LearningWords
from ..replies import Ballot, BallotFormat, SpeechFormat
from ..scale import LABELS, UNREAD, agreed, label_of, plurality
from ..wording import (
    EXTRAS,
    RECONCILE,
    SIDE,
    SIDES,
    VOTER,
    Extra,
    Words,
    instruction_of,
)
from .spec import DebateSpec, asked_as

#: Strategies whose extra agent speaks without having heard the others, as its prompt has it.
_ALONE = ("credible",)
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

Result = TypeVar("Result")
Part = Generator[Sequence[Call], Sequence[Turn], Result]
#: A speaker and its words.
Speech = tuple[str, str]


@dataclass(frozen=True)
class DebateProtocol:
    """A debate as a protocol.

    Attributes
    ----------
    words : the wording of all prompts.
    spec : what is debated, by whom and how.
    decoding : of every reply.
    learning : the wording of examples, where agents learn.
    inputs : the examples, where agents learn.
    """

    words: Words
    spec: DebateSpec
    decoding: Decoding
    learning: LearningWords | None
    inputs: Inputs

    def start(self) -> Callable[[], Steps]:
        """What runs one attempt at the session."""
        return lambda: _Session(self).steps()


@dataclass
class _Session:
    """One attempt at a session, and how far it has come."""

    debate: DebateProtocol
    number: int = 0
    ballots: dict[str, Ballot] = field(default_factory=dict)
    block: str = ""

    def steps(self) -> Steps:
        debate = self.debate
        if debate.spec.lesson and debate.learning:
            self.block = debate.spec.lesson.block(debate.learning, debate.inputs)
        yield from self._vote(1, dict.fromkeys(debate.spec.agents, ("", "")))
        heard_before = ""
        for round_ in range(2, debate.spec.rounds + 1):
            if agreed([ballot.vote for ballot in self.ballots.values()]):
                return
            heard, talks = "", dict.fromkeys(debate.spec.agents, "")
            if debate.spec.strategy in EXTRAS:
                heard_before = yield from self._hear(round_ - 1, heard_before)
                heard = heard_before and self._speech(self._extra.name, heard_before)
            if debate.spec.strategy in SIDES and round_ == 2:
                talks = yield from self._talk()
            yield from self._vote(
                round_, {name: (talks[name], heard) for name in debate.spec.agents}
            )

    def _vote(self, round_: int, besides: Mapping[str, tuple[str, str]]) -> Part[None]:
        """All agents vote at once.

        Parameters
        ----------
        besides : agent -> what it is shown of its side rounds, and of an extra agent.
        """
        words, debate = self.debate.words, self.debate
        confident = debate.spec.strategy == RECONCILE
        reply = words.confident_reply if confident else words.reply
        shown, calls = self._shown(), []
        self.number += 1
        for seat, (name, (side, extra)) in enumerate(besides.items()):
            given = {"QUESTION": self._question(name), "REPLY": reply}
            if round_ == 1:
                prompt = render(words.first, **given)
            else:
                given |= {"INSTRUCTION": words.instructions[instruction_of(debate.spec.strategy)]}
                given |= {"BEFORE": str(round_ - 1), "SHOWN": shown, "SIDE": side, "EXTRA": extra}
                prompt = render(words.later, **given)
            # Where calls are counted, nobody agrees, so that all rounds are.
            expected = f"{PLACEHOLDER}\nConfidence: 0.5\nVote: {LABELS[seat % len(LABELS)]}"
            format = BallotFormat(confident)
            messages = self._as(name, self._taught(prompt))
            calls.append(self._call(name, VOTER, round_label(round_), messages, format, expected))
        turns = yield calls
        self.ballots = {turn.speaker: turn.value for turn in turns}

    def _hear(self, round_: int, before: str) -> Part[str]:
        """What the extra agent says after a round; "" where it may not be shown to anybody.

        Parameters
        ----------
        before : what it said after the round before.
        """
        words, debate, role = self.debate.words, self.debate, self.debate.spec.strategy
        alone, credible = role in _ALONE, role == "credible"
        places = {
            "COUNT": _NUMBERS[len(debate.spec.agents)]
            if len(debate.spec.agents) < len(_NUMBERS)
            else "many",
            "AGENTS": debate.spec.names,
            "WHERE": debate.spec.where,
            "PLACE": debate.spec.place,
        }
        shown = render(words.shown, BEFORE=str(round_), SHOWN=self._shown())
        prompt = render(
            words.extra,
            EXAMPLE=fill(self._extra.example, **places),
            STATEMENT=debate.spec.statement,
            TRUTH=render(words.truth, TRUTH=debate.spec.truth) if debate.spec.truth else "",
            SHOWN="" if alone else shown.rstrip("\n"),
            OWN=render(words.own, TEXT=quoted(before)).rstrip("\n") if before else "",
            REPLY=words.reply if credible else words.speech_reply,
        )
        messages = (
            Message("system", fill(self._extra.system, **places)),
            Message("user", prompt),
        )
        format: ReplyFormat[Any] = BallotFormat() if credible else SpeechFormat(debate.spec.secret)
        expected = f"{PLACEHOLDER}\nVote: Neutral" if credible else PLACEHOLDER
        self.number += 1
        label = f"after {round_label(round_)}"
        (turn,) = yield [self._call(role, role, label, messages, format, expected)]
        return turn.text if turn.value is not None else ""

    def _talk(self) -> Part[dict[str, str]]:
        """The side rounds; agent -> what it is shown of them, "" where it had nobody to talk to."""
        debate, words = self.debate, self.debate.words
        partners = self._partners()
        outsiders = self._outsiders(partners)
        talked: list[Speech] = []
        for side_round in range(1, debate.spec.side_rounds + 1):
            calls = []
            self.number += 1
            for name, others in partners.items():
                circle = self._circle(name, others, outsiders)
                if not circle:
                    continue
                instruction = render(
                    words[debate.spec.strategy],
                    PARTNERS=", ".join(circle.values()),
                    ROUNDS=str(debate.spec.side_rounds),
                )
                prompt = self._side_prompt(self._question(name), instruction, talked, name, circle)
                messages = self._as(name, prompt)
                calls.append(self._side_call(name, SIDE, side_round, messages))
            for name, instruction in outsiders.items():
                speaker, role = self._outsider(name), SIDES[debate.spec.strategy]
                circle = {name: name}
                prompt = self._side_prompt("", instruction, talked, speaker, circle, only=name)
                calls.append(self._side_call(speaker, role, side_round, (Message("user", prompt),)))
            if not calls:
                break
            turns = yield calls
            talked += [(turn.speaker, turn.value or "") for turn in turns]
        return {
            name: self._after_side(name, partners.get(name), outsiders, talked)
            for name in debate.spec.agents
        }

    def _partners(self) -> dict[str, list[str]]:
        """Agent -> those that it talks with: of its own vote, or of all others.

        One whose vote could not be read talks with nobody.
        """
        allied = self.debate.spec.strategy == "alliance"
        votes = {n: b.vote for n, b in self.ballots.items() if b.vote != UNREAD}
        return {
            name: [other for other in votes if other != name and (votes[other] == vote) == allied]
            for name, vote in votes.items()
        }

    def _outsiders(self, partners: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Agent that holds its vote alone -> what the outsider is told who talks with it."""
        debate, words = self.debate, self.debate.words
        votes = {name: self.ballots[name].vote for name in partners}
        told = {}
        for name, vote in votes.items():
            others = [other for agent, other in votes.items() if agent != name]
            if vote in others or not others:
                continue
            told[name] = render(
                words[SIDES[debate.spec.strategy]],
                AGENT=name,
                STATEMENT=debate.spec.statement,
                **(
                    {
                        "VOTE": label_of(vote),
                        "MAJORITY": label_of(_common(others)),
                        "EXPERTS": str(debate.spec.experts),
                    }
                    if debate.spec.strategy == "opposites"
                    else {}
                ),
            )
        return told

    def _outsider(self, agent: str) -> str:
        """The speaker's name of the outsider who talks with an agent."""
        return f"{SIDES[self.debate.spec.strategy]}:{agent}"

    def _circle(
        self, name: str, partners: Sequence[str], outsiders: Mapping[str, str]
    ) -> dict[str, str]:
        """Speaker -> what it is called, of those whom an agent talks with."""
        partner_of = {other: other for other in partners}
        if name in outsiders:
            called = self.debate.words.outsiders[SIDES[self.debate.spec.strategy]]
            partner_of[self._outsider(name)] = called
        return partner_of

    def _side_prompt(
        self,
        question: str,
        instruction: str,
        talked: Sequence[Speech],
        speaker: str,
        circle: Mapping[str, str],
        only: str = "",
    ) -> str:
        words = self.debate.words
        talk = self._heard_of(talked, {speaker: "You", **circle})
        return render(
            words.side,
            QUESTION=question,
            INSTRUCTION=instruction,
            SHOWN=self._shown(only),
            TALK=render(words.talk, TALK=talk).rstrip("\n") if talk else "",
            REPLY=words.speech_reply,
        )

    def _after_side(
        self,
        name: str,
        partners: Sequence[str] | None,
        outsiders: Mapping[str, str],
        talked: Sequence[Speech],
    ) -> str:
        circle = self._circle(name, partners or (), outsiders)
        if not circle:
            return ""
        talk = self._heard_of(talked, {name: "You", **circle})
        partners_named = ", ".join(circle.values())
        return render(self.debate.words.after_side, PARTNERS=partners_named, TALK=talk).rstrip("\n")

    def _heard_of(self, talked: Sequence[Speech], called: Mapping[str, str]) -> str:
        """What some speakers said, in order, under the names that they are called by."""
        return "\n".join(self._speech(called[who], text) for who, text in talked if who in called)

    def _speech(self, name: str, text: str) -> str:
        return render(self.debate.words.speech, AGENT=name, TEXT=quoted(text)).rstrip("\n")

    def _shown(self, only: str = "") -> str:
        """The votes and explanations of the last round, or one agent's; by answer in ReConcile."""
        words, confident = self.debate.words, self.debate.spec.strategy == RECONCILE
        ballots = [(n, b) for n, b in self.ballots.items() if only in ("", n)]
        if confident:
            ballots.sort(key=lambda entry: entry[1].vote)
        entries = []
        for name, ballot in ballots:
            given = {"AGENT": name, "VOTE": label_of(ballot.vote)}
            if confident:
                sure = ballot.confidence
                given["CONFIDENCE"] = label_of(UNREAD) if sure is None else f"{sure:.2f}"
            template = words.confident_entry if confident else words.entry
            entries.append(render(template, TEXT=quoted(ballot.explanation), **given).rstrip("\n"))
        return "\n\n".join(entries)

    def _question(self, name: str) -> str:
        others = [other for other in self.debate.spec.agents if other != name]
        given = {
            "STATEMENT": self.debate.spec.statement,
            "AGENT": name,
            "OTHERS": ", ".join(others),
        }
        return render(self.debate.words.question, **given).rstrip("\n")

    def _taught(self, prompt: str) -> str:
        """A prompt with the examples before it, where there are any."""
        words = self.debate.learning
        if not words:
            return prompt
        return render(words.learned.rstrip("\n"), BLOCK=self.block, PROMPT=prompt)

    @property
    def _extra(self) -> Extra:
        extra: Extra = getattr(self.debate.words.extras, self.debate.spec.strategy)
        return extra

    def _as(self, name: str, prompt: str) -> tuple[Message, ...]:
        """A prompt to an agent, after its system prompt and its interview."""
        return asked_as(self.debate.spec.agents[name], prompt, self.block)

    def _side_call(
        self, speaker: str, role: str, side_round: int, messages: tuple[Message, ...]
    ) -> Call:
        return self._call(speaker, role, f"side {side_round}", messages, SpeechFormat())

    def _call(
        self,
        speaker: str,
        role: str,
        label: str,
        messages: tuple[Message, ...],
        format: ReplyFormat[Any],
        expected: str = PLACEHOLDER,
    ) -> Call:
        debate = self.debate
        voter = role in (VOTER, SIDE)
        return Call(
            self.number,
            speaker,
            role,
            label,
            debate.spec.model if voter else debate.spec.extra_model,
            messages,
            format,
            partial(repaired, messages, debate.words.repair),
            debate.decoding,
            "debate" if voter else "extra",
            expected=expected,
        )


def _common(votes: Sequence[int]) -> int:
    """What most of some agents vote; the lower median where no vote has a unique plurality."""
    commonest = plurality(votes)
    return median_low(votes) if commonest == UNREAD else commonest
