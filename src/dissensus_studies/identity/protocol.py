"""The debate: a question answered by every agent at once, then revised round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, RootModel

from dissensus.digests import digest
from dissensus.llm.call import Message
from dissensus.session.prompt_files import Part, angled, read_prompts
from dissensus.session.protocol import Call, Decoding, Parsed, Steps, round_label
from dissensus.session.quoting import block, heads_of

from .design.graph import Peers
from .measures.reading import parse_answer
from .terms import AGAIN, OPENING, REFINED, SAMPLED, SWAPPED, VANILLA

#: What an agent without a persona is.
AGENT = "agent"

#: The paper's own slots (appendix B).
_QUESTION = "<question>"
_OWN = "<agent's response from the previous round>"
_PEER = "<peer agent's response from the previous round>"
_ANY = "<an agent's response from the previous round>"


class Wording(Part):
    """A file of prompts, as in ``studies/identity/prompts``."""

    opening: Annotated[str, angled(_QUESTION)]
    vanilla: Annotated[str, angled(_QUESTION, _OWN, _PEER)]
    anonymized: Annotated[str, angled(_QUESTION, _ANY)]
    repair: Annotated[str, angled()]
    """What is added where a response had no final answer."""
    own: Annotated[str, angled(_QUESTION, _ANY)]
    others: Annotated[str, angled(_QUESTION, _ANY)]
    refined: Annotated[str, angled(_QUESTION, _OWN)]


#: Condition -> the prompt that it shares with another.
_WORDED = {AGAIN: VANILLA, SWAPPED: VANILLA, SAMPLED: OPENING}


class Personas(RootModel[Annotated[dict[str, Annotated[str, angled()]], Field(min_length=1)]]):
    """A file of personas: name -> system message."""

    noun: ClassVar[str] = "persona"


@dataclass(frozen=True)
class Prompts:
    """The prompts of the study, from their wording."""

    wording: Wording

    @classmethod
    def read(cls, path: str | Path) -> Prompts:
        """Read a prompt file.

        Raises
        ------
        ResourceError : it is no such file; by line and key.
        """
        return cls(read_prompts(Wording, path))

    def sha256(self, condition: str) -> str:
        """Digest of the wording under a condition: its prompt, and what asks for a reply again."""
        return digest([self.wording[_WORDED.get(condition, condition)], self.wording.repair])

    def opening(self, question: str) -> str:
        """The prompt of round 0."""
        return self._fill("opening", {_QUESTION: question})

    def vanilla(self, question: str, response: str, peers: Sequence[str]) -> str:
        """Appendix B.1: the agent's own response, then its peers', numbered."""
        texts = {_QUESTION: question, _OWN: self._shown(response)}
        return self._fill("vanilla", texts, _PEER, peers)

    def alike(self, condition: str, question: str, opinions: Sequence[str]) -> str:
        """All responses alike, numbered in the order given: without labels (anonymized, appendix
        B.2), all as the agent's ``own``, or all as ``others``.
        """
        return self._fill(condition, {_QUESTION: question}, _ANY, opinions)

    def refined(self, question: str, response: str) -> str:
        """The agent's own response alone."""
        return self._fill("refined", {_QUESTION: question, _OWN: self._shown(response)})

    def _fill(
        self,
        name: str,
        texts: Mapping[str, str],
        repeated: str = "\0",
        opinions: Sequence[str] = (),
    ) -> str:
        """Fill each line's slot once, so that what a response holds is never taken for a slot."""
        lines: list[str] = []
        shown = False
        for line in self.wording[name].rstrip("\n").split("\n"):
            slot = next((slot for slot in (repeated, *texts) if slot in line), None)
            if slot is None:
                lines.append(line)
            elif slot != repeated:
                head, _, tail = line.partition(slot)
                lines.append(head + texts[slot] + tail)
            elif not shown:
                shown = True
                head, _, tail = line.partition(slot)
                lines += [
                    head.replace("1", str(number), 1) + self._shown(opinion) + tail
                    for number, opinion in enumerate(opinions, start=1)
                ]
        return "\n".join(lines)

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        words = self.wording
        shown = (words.opening, words.vanilla, words.anonymized)
        return heads_of(*shown, words.own, words.others, words.refined)

    def _shown(self, response: str) -> str:
        """A response as prompts have it: a line of it that looks like one of theirs is quoted."""
        return block(response, self._heads)


def read_personas(path: str | Path) -> dict[str, str]:
    """The personas of a file: name -> system message, in its order.

    Raises
    ------
    ResourceError : it holds anything but texts by name; by line and key.
    """
    return {name: text.rstrip("\n") for name, text in read_prompts(Personas, path).root.items()}


@dataclass(frozen=True)
class AnswerFormat:
    """A reply that ends with a final answer; see
    :func:`~.measures.reading.parse_answer`.
    """

    kind: str
    options: tuple[str, ...]

    def read(self, text: str) -> Parsed[str]:
        """The canonical answer, None where there is none."""
        answer = parse_answer(text, self.kind, len(self.options), self.options)
        return Parsed(answer) if answer else Parsed(None, ("no final answer",))


@dataclass(frozen=True)
class TeamDebate:
    """One question before one team.

    Attributes
    ----------
    prompts : the wording.
    question : as a prompt states it.
    format : how its answers are read.
    decoding : of every reply.
    model : of every agent.
    seats : persona of each agent, or :data:`AGENT`.
    systems : system message of each agent, "" for none.
    """

    prompts: Prompts
    question: str
    format: AnswerFormat
    decoding: Decoding
    model: str
    seats: tuple[str, ...]
    systems: tuple[str, ...]

    def opening(self) -> Steps:
        """Round 0: every agent answers by itself."""
        prompt = self.prompts.opening(self.question)
        yield self._step(0, [prompt] * len(self.seats))

    def goes_on(
        self, condition: str, opening: Sequence[str], peers: Peers, rounds: int, seed: int
    ) -> Steps:
        """Rounds 1, 2, ...: every agent answers again, shown what its condition shows it.

        Parameters
        ----------
        condition : of :data:`~.terms.DEBATED`.
        opening : every agent's response in round 0.
        peers : of every agent, numbered from 1.
        rounds : how many.
        seed : the session's, of every order that is drawn.
        """
        replies = list(opening)
        for number in range(1, rounds + 1):
            prompts = [
                self._prompt(condition, replies[agent - 1], [replies[p - 1] for p in seen], place)
                for agent, seen in enumerate(peers, start=1)
                for place in ((seed, number, agent),)
            ]
            replies = [turn.text for turn in (yield self._step(number, prompts))]

    def _prompt(
        self, condition: str, response: str, heard: list[str], place: tuple[int, int, int]
    ) -> str:
        """What an agent is sent at a place: the session's seed, the round and its number."""
        if condition == SAMPLED:
            return self.prompts.opening(self.question)
        if condition == REFINED:
            return self.prompts.refined(self.question, response)
        if condition == SWAPPED and heard:
            chosen = order(*place, len(heard))[0]
            response, heard[chosen] = heard[chosen], response
        if condition in (VANILLA, AGAIN, SWAPPED):
            return self.prompts.vanilla(self.question, response, heard)
        shown = (response, *heard)
        opinions = [shown[index] for index in order(*place, len(shown))]
        return self.prompts.alike(condition, self.question, opinions)

    def _step(self, number: int, prompts: Sequence[str]) -> list[Call]:
        """A round: a call for each agent, which wait for none of the others."""
        return [
            Call(
                number=number,
                speaker=f"A{agent}",
                role=seat,
                round_label=round_label(number),
                model=self.model,
                messages=_messages(system, prompt),
                format=self.format,
                again=partial(_again, system, f"{prompt}\n\n{self.prompts.wording.repair}"),
                decoding=self.decoding,
                purpose="debate",
            )
            for agent, (seat, system, prompt) in enumerate(
                zip(self.seats, self.systems, prompts, strict=True), start=1
            )
        ]


def order(seed: int, number: int, agent: int, opinions: int) -> list[int]:
    """The order in which an anonymized prompt shows the opinions: own first, then the peers'.

    Parameters
    ----------
    seed : the session's.
    number, agent : round and agent, from 1.
    opinions : how many there are.

    Returns
    -------
    Indices into (own, peers in their order), uniformly random.
    """
    rng = np.random.default_rng(int(digest([seed, number, agent])[:16], 16))
    return [int(index) for index in rng.permutation(opinions)]


def _messages(system: str, prompt: str) -> tuple[Message, ...]:
    message = Message("user", prompt)
    return (Message("system", system), message) if system else (message,)


def _again(system: str, prompt: str, violations: tuple[str, ...]) -> tuple[Message, ...]:
    """The same prompt with the sentence that asks for a final answer."""
    return _messages(system, prompt)
