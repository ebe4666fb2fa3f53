"""What a debate depends on: the statement, the agents, and how they debate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dissensus.llm.call import Message
from dissensus.session.templates import sharing

from ..learning.block import Lesson


@dataclass(frozen=True)
class Persona:
    """An agent: its system prompt, and its interview as questions and answers in turn."""

    system: str
    interview: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DebateSpec:
    """What is debated, by whom and how.

    Attributes
    ----------
    strategy : one of :data:`.wording.STRATEGIES`.
    statement : that is voted on.
    agents : name -> persona, in the order in which they are shown.
    where, place : what experts know, in full and in short.
    names : of the agents, as those without a vote are told them.
    truth, secret : what the public prefers, as a label and as points; for a nudger alone.
    rounds, side_rounds, experts : how many, at most.
    model, extra_model : of the agents, and of those who have no vote.
    temperature : of every reply.
    lesson : what the agents learn from before they vote; None for nothing.
    words_sha256 : of all that they may be told.
    """

    strategy: str
    statement: str
    agents: Mapping[str, Persona]
    where: str
    place: str
    names: str
    truth: str
    secret: tuple[int, ...]
    rounds: int
    side_rounds: int
    experts: int
    model: str
    extra_model: str
    temperature: float
    lesson: Lesson | None
    words_sha256: str = ""


def asked_as(persona: Persona, prompt: str, shared: str = "") -> tuple[Message, ...]:
    """A prompt after a system prompt and an interview; ``shared``: what others begin with, too."""
    asked = [
        message
        for question, answer in persona.interview
        for message in (Message("user", question), Message("assistant", answer))
    ]
    return (Message("system", persona.system), *asked, sharing(prompt, shared))
