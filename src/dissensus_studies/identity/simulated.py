"""Simulated agents: answers drawn from the paper's own model, with planted identity weights.

The generative model (sections 4.1 and 4.2 of the paper, with the scale |alpha_0| = 1, since only
weights over |alpha_0| can be estimated from answers). A question has a belief p over its options,

    p ~ Dirichlet(knows on the right option, errs on every other),

fixed by the question's text and these two numbers, so that it is the same for all agents of a
team; a persona moves it by ``persona_shift`` towards a second such belief of its own. An agent
answers

    theta ~ Dirichlet(alpha),  y ~ Categorical(theta),  that is  P(y = k) = alpha_k / |alpha|,

with alpha = p at first. Each later round adds w_self on its own last answer and w_peer on every
peer's, with weights by condition, and what was added before stays. An opinion without a final
answer adds nothing.

An agent sees only the messages it is sent, like any other model. It knows the question by its text
and the condition by the template; final answers it reads from the opinions. What it weighed in
earlier rounds it reads from a sentence in each reply: in the vanilla condition an agent finds its
own, and counts accumulate as in the model. In the anonymized condition it cannot know which
opinion is its own. So there both weights are one, and for what was weighed before it takes the mean
over the opinions shown: exact where everyone sees everyone, an approximation in sparser graphs (in
the first transition nothing was weighed before). Labels are all that it goes by: where they are
exchanged it takes a peer's opinion for its own, where all opinions are said to be its own each
weighs w_self, and where all are others' each weighs w_peer. On a question that is in none of its
files every option has ``errs``, and numbers are guessed.

An agent that is shown the right answer as another's opinion takes it with probability
``recognises``, whatever it has drawn: with 0 it goes by who said an answer alone, and debate moves
no accuracy on average.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from dissensus.digests import code_digest, digest, file_digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import speech_of
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Rate, Settings

from .design.banks import read_bank, write_question
from .design.formats import Question
from .design.sources import read_source
from .measures.reading import parse_answer
from .settings import BankSettings
from .simulated_text import Asked, Weighed, compose, total, unfinished, weighed_in
from .terms import ANONYMIZED, OPENING, OTHERS, OWN, VANILLA

Positive = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]


class IdentityWeights(Settings):
    self: Weight
    """Of an agent's own last answer."""
    peer: Weight
    """Of each peer's."""


class ConditionWeights(Settings):
    vanilla: IdentityWeights
    anonymized: IdentityWeights

    @model_validator(mode="after")
    def _unknown_is_alike(self) -> ConditionWeights:
        if self.anonymized.self != self.anonymized.peer:
            may = "self and peer must be equal, since no agent can tell its own opinion there"
            raise Faults(fault("anonymized", self.anonymized.model_dump(), may))
        return self


class SpeechSettings(Settings):
    """Settings of a simulated agent (``models.<name>.speech``); those of the default run
    are described in resources/simulated.
    """

    questions: Annotated[list[str], Field(min_length=1)]
    knows: Positive
    errs: Positive
    weights: ConditionWeights
    persona_shift: Rate = 0.0
    recognises: Rate = 0.0
    """Probability of taking the right answer where another's opinion has it."""
    unparsable_rate: Rate = 0.0

    @model_validator(mode="after")
    def _files_exist(self) -> SpeechSettings:
        lost = [
            fault("questions", file, "there is no such file")
            for file in self.questions
            if not Path(file).is_file()
        ]
        if lost:
            raise Faults(*lost)
        return self


def identity(settings: Mapping[str, Any]) -> str:
    """Digest of all that an agent's words depend on besides its settings: questions and code."""
    return _resources_digest(tuple(settings["speech"]["questions"]))


@cache
def _resources_digest(files: tuple[str, ...]) -> str:
    return digest([[file_digest(Path(file)) for file in files], code_digest(__name__)])


def speak(
    messages: Sequence[Message], settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Compose one response.

    Parameters
    ----------
    messages : a prompt of the identity study, and a persona's system message before it if any.
    settings : the model's entry of the configuration, with ``speech``.
    rng : source of every random choice.

    Raises
    ------
    ResourceError : the prompt is none of this study's.
    """
    speech = speech_of(SpeechSettings, settings["speech"])
    prompt = _read(messages[-1].content)
    question = _question(tuple(speech.questions), prompt.question)
    persona = messages[0].content if messages[0].role == "system" else ""
    shift = speech.persona_shift if persona else 0.0
    options, probabilities = belief(question, speech.knows, speech.errs, persona, shift)
    weighed, previous = _weigh(prompt, question)
    alpha = dict(zip(options, probabilities, strict=True))
    if weighed is not None:
        w_self, w_peer = _weights(speech.weights, prompt.label)
        alpha = total([alpha, total([weighed.own_counts], w_self)])
        alpha = total([alpha, total([weighed.other_counts], w_peer)])
    uniforms = rng.random(9).tolist()
    answer = _drawn(alpha, uniforms[0])
    if speech.recognises and question.answer in _heard(prompt, question):
        answer = question.answer if rng.random() < speech.recognises else answer
    why = _reasons(tuple(speech.questions)).get(question.text, "")
    asked = Asked(question.kind, question.options, why if answer == question.answer else "")
    heard = [_answer(text, question) for text in prompt.opinions]
    (words,) = rng.spawn(1)
    text = compose(asked, answer, weighed, previous, heard, words)
    if uniforms[7] < speech.unparsable_rate:
        return f"{text} {unfinished(uniforms[8])}"
    return f"{text} {{final answer: ({answer})}}"


def belief(
    question: Question, knows: float, errs: float, persona: str = "", shift: float = 0.0
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The options of a question, and what an agent believes of each before it has read anything.

    Parameters
    ----------
    question : from its bank; with the answer "" where nobody knows it.
    knows, errs : Dirichlet parameters of the right option and of every other.
    persona, shift : the system message, and how far it moves the belief.

    Returns
    -------
    Answers as they are parsed, and their probabilities.
    """
    options, common = _belief(question, knows, errs, "")
    if not shift:
        return options, common
    personal = _belief(question, knows, errs, persona)[1]
    return options, tuple(
        (1 - shift) * c + shift * o for c, o in zip(common, personal, strict=True)
    )


@lru_cache(65536)
def _belief(
    question: Question, knows: float, errs: float, persona: str
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    rng = np.random.default_rng(int(digest([question.text, knows, errs, persona])[:16], 16))
    if question.kind == "choice":
        options = tuple(LETTERS[: len(question.options)])
    else:
        options = question.options or _guesses(question)
    parameters = [knows if option == question.answer else errs for option in options]
    return options, tuple(rng.dirichlet(parameters).tolist())


def _guesses(question: Question) -> tuple[str, ...]:
    """Four numbers that a question fixes, for one that is not known."""
    rng = np.random.default_rng(int(digest(question.text)[:16], 16))
    return tuple(str(int(number)) for number in rng.choice(np.arange(2, 400), 4, replace=False))


def _drawn(alpha: Mapping[str, float], uniform: float) -> str:
    """An answer with probability alpha_k / |alpha|, to which theta integrates out."""
    left = uniform * sum(alpha.values())
    for answer, mass in alpha.items():
        left -= mass
        if left < 0:
            return answer
    return list(alpha)[-1]


@dataclass(frozen=True)
class _Prompt:
    """What an agent makes of the message it is sent.

    ``own_response`` is what the prompt names as the agent's own, "" where it does not;
    ``opinions`` are all others that it shows, under one ``label``: vanilla, anonymized,
    own or others.
    """

    question: str
    label: str = OPENING
    opinions: tuple[str, ...] = ()
    own_response: str = ""


def _read(content: str) -> _Prompt:
    """Split a prompt at its fixed sentences, which no response contains."""
    head, named, rest = content.partition("\nThis was your most recent opinion:\n- ")
    if named:
        response, heard, rest = rest.partition(_OF_OTHERS)
        if heard:
            return _Prompt(head, VANILLA, _opinions(rest), response)
        return _Prompt(
            head, VANILLA, own_response=response.rpartition("\nInstructions: Look for mistakes ")[0]
        )
    for label, sentence in _LABELS.items():
        head, shown, rest = content.partition(sentence)
        if shown:
            return _Prompt(head, label, _opinions(rest))
    head, asked, _ = content.partition("\nFirst, briefly state your step-by-step reasoning.")
    if not asked:
        raise ResourceError(_UNREADABLE)
    return _Prompt(head)


_OF_OTHERS = "\nBased on the following other agents' opinions:\n"
#: What every opinion of a prompt is said to be -> the sentence that says so.
_LABELS = {
    ANONYMIZED: "\nBased on the following opinions from agents:\n",
    OWN: "\nThese were your most recent opinions:\n",
    OTHERS: _OF_OTHERS,
}


def _weights(weights: ConditionWeights, label: str) -> tuple[float, float]:
    """w_self and w_peer under a label; what one label is said of is among the others' counts."""
    vanilla, blind = weights.vanilla, weights.anonymized
    weight_of = {ANONYMIZED: blind.peer, OWN: vanilla.self, OTHERS: vanilla.peer}
    return (
        (weight_of[label], weight_of[label]) if label in weight_of else (vanilla.self, vanilla.peer)
    )


def _heard(prompt: _Prompt, question: Question) -> set[str]:
    """The answers that a prompt shows, but for one that it names as the agent's own."""
    return {answer for text in prompt.opinions if (answer := _answer(text, question))}


def _opinions(text: str) -> tuple[str, ...]:
    shown, ends, _ = text.rpartition("\nInstructions: Consider these ")
    opinions = tuple(_OPINION.split(shown)[1:])
    if not (ends and opinions):
        raise ResourceError(_UNREADABLE)
    return opinions


_OPINION = re.compile(r"(?:^|\n)- (?:Agent )?Opinion \d+: ")
_UNREADABLE = (
    "The simulated agents cannot read this prompt; it must be worded as "
    "studies/identity/prompts/debate.yaml words it."
)


def _weigh(prompt: _Prompt, question: Question) -> tuple[Weighed | None, str | None]:
    """What an agent has weighed with this prompt, and its own last answer where it knows it."""
    if not (prompt.opinions or prompt.own_response):
        return None, None
    shown = [{answer: 1.0} for text in prompt.opinions if (answer := _answer(text, question))]
    if prompt.label == VANILLA:
        past, last = weighed_in(prompt.own_response), _answer(prompt.own_response, question)
        self_counts = total([past.own_counts, {last: 1.0} if last else {}])
        return Weighed(self_counts, total([past.other_counts, *shown])), last
    before = [weighed_in(text).other_counts for text in prompt.opinions]
    mean = total(before, 1 / len(before))
    return Weighed(other_counts=total([mean, *shown])), None


def _answer(response: str, question: Question) -> str:
    return _parsed(response, question.kind, tuple(question.options))


# An opinion is read by all who see it.
@lru_cache(4096)
def _parsed(response: str, kind: str, options: tuple[str, ...]) -> str:
    return parse_answer(response, kind, len(options), options)


def _question(files: tuple[str, ...], asked: str) -> Question:
    """The question that a prompt states; one that is in no file, with no right answer known."""
    question = _known(files).get(asked)
    if question is not None:
        return question
    options = tuple(_OPTION.findall(asked))
    return Question("", "choice" if options else "numeric", asked, options, "")


_OPTION = re.compile(r"^\([A-Z]\) (.+)$", re.MULTILINE)


@cache
def _known(files: tuple[str, ...]) -> dict[str, Question]:
    """Questions by how a prompt states them."""
    questions = [
        question
        for file in files
        for _, question in read_bank(BankSettings(format="dissensus", source=file))
    ]
    return {write_question(q.kind, q.text, q.options): q for q in questions}


@cache
def _reasons(files: tuple[str, ...]) -> dict[str, str]:
    """Question -> why its answer is right, or how it is worked out, where a file says so."""
    rows = (row for file in files for _, row in read_source(file))
    told = ((str(row.get("question", "")), row.get("why") or row.get("working")) for row in rows)
    return {question: str(why).rstrip(".") for question, why in told if why}
