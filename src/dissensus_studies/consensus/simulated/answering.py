"""How simulated agents answer the questions of their sanity check, with known chances."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from dissensus.errors import ResourceError
from dissensus.llm.call import Message

from ..domains import read_domain
from ..sanity.questions import Question, read_questions

_CHOICE, _OPEN = "\nWhich of these would you say?", "\nAnswer in one or two sentences."
_OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
#: The key of the chance of those who have no interview.
BARE = "bare"


def is_question(messages: Sequence[Message]) -> bool:
    """Whether a prompt is one of the sanity check."""
    content = messages[-1].content
    return _CHOICE in content or _OPEN in content


def answer(
    messages: Sequence[Message],
    folders: tuple[str, ...],
    chances: Mapping[str, float],
    rng: np.random.Generator,
) -> str:
    """An agent's own choice with a chance, else one of the others; of open answers, so many words.

    Parameters
    ----------
    folders : of the domains that it knows.
    chances : kind of a question -> share of its own answer; ``bare`` without an interview.
    """
    content, bare = messages[-1].content, len(messages) <= 2
    question, agent = _asked(folders, messages[0].content, content)
    chance = chances.get(BARE if bare else question.kind, 0.0)
    stated = question.answers[agent]
    if _OPEN in content:
        words = stated.split()
        return " ".join(words[: round(chance * len(words))]) or "I would have to think about that."
    options = _OPTION.findall(content)
    mine = rng.random() < chance
    letters = [letter for letter, option in options if (option == stated) == mine]
    return f"Answer: {letters[int(rng.integers(len(letters)))]}"


def _asked(folders: tuple[str, ...], system: str, content: str) -> tuple[Question, str]:
    """The question, and the agent whose system prompt it is."""
    agents, questions = _known(folders)
    question = questions.get(content.partition("\n")[0])
    if question is None or system not in agents:
        raise ResourceError(
            "No folder of models.<name>.speech.domains has the question or the agent that a "
            "simulated stakeholder is checked with; name the study's domains there."
        )
    return question, agents[system]


@cache
def _known(folders: tuple[str, ...]) -> tuple[dict[str, str], dict[str, Question]]:
    """System prompt -> agent, and words -> question."""
    domains = {folder: read_domain(folder) for folder in folders}
    agents = {agent.system: agent.id for domain in domains.values() for agent in domain.agents}
    return agents, {
        question.question: question
        for folder, domain in domains.items()
        for question in read_questions(folder, tuple(domain.names))
    }
