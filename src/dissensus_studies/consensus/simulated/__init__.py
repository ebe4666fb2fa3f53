"""Simulated stakeholders and those who speak to them, with known ways of being moved.

They see only the messages that they are sent, like any other model. A stakeholder knows a statement
by its words, and with it what the public prefers, from the domains' folders; the votes of the
others, and whom it has heard, it reads from the prompt. The equations of its votes are in
:mod:`.simulated.dynamics`. Its argument is fixed by the statement, its name and its vote with
probability ``repeats``, and else one of three others for that vote: that plants the cosine. How it
words that, and whom it answers, is in :mod:`.simulated.saying`, from random streams that move no
vote. Votes go unread with probability unreadable_rate, a quarter of that when a reply is asked for
again; a nudger gives the secret away with probability leak_rate.

Those who have read examples step towards the others' mean with a chance that is the sum of what the
parts of the examples are worth (``learns``), times ``carries`` where they are of another domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from dissensus.digests import code_digest, digest, file_digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import speech_of
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Entries, Named, Rate, Settings

from ..domains import AGENTS, STATEMENTS_FILE, read_statements
from ..sanity.questions import KINDS, QUESTIONS_FILE
from ..scale import LABELS, UNREAD, label_of, middle
from ..wording import CCAGENT, EXTRAS, LEARNED, SIDES, TRANSFERRED, WORDINGS
from .answering import BARE, answer, is_question
from .dynamics import (
    EXPERT,
    Traits,
    first_votes,
    next_votes,
    opinion,
)
from .lessons import (
    PARTS,
    domain_of,
    parts_of,
    shown_parts,
    taught_by,
)
from .reading import Prompt
from .reasons import REASONS_FILE, VOICES_FILE
from .reflecting import is_reflection, reflect
from .saying import explain
from .speeches import contribute, testify

#: What it knows of a domain.
_READ = (STATEMENTS_FILE, AGENTS, QUESTIONS_FILE, REASONS_FILE, VOICES_FILE)
_Chances = Entries[Rate]


class SpeechSettings(Settings):
    """Settings of a simulated stakeholder (``models.<name>.speech``); those of the default run
    are described in resources/simulated.
    """

    domains: Named[str]
    """The domains whose statements it knows: name -> folder."""
    disagreement: Annotated[float, Field(ge=0)] = 1.2
    noise: Annotated[float, Field(ge=0)] = 0.3
    stubbornness: Rate = 0.3
    conformity: Rate = 0.1
    drift: Rate = 0.1
    meets: _Chances = Field(default_factory=dict)
    susceptibility: _Chances = Field(default_factory=dict)
    learns: _Chances = Field(default_factory=dict)
    carries: Rate = 1.0
    """Share of that chance that is left where the examples are of another domain."""
    answers: _Chances = Field(default_factory=dict)
    repeats: Rate = 0.8
    unreadable_rate: Rate = 0.0
    leak_rate: Rate = 0.0

    @field_validator("domains")
    @classmethod
    def _files_exist(cls, domains: dict[str, str]) -> dict[str, str]:
        for folder in domains.values():
            if not (Path(folder) / STATEMENTS_FILE).is_file():
                raise ValueError(f"there is no file {folder}/{STATEMENTS_FILE}")
        return domains

    @model_validator(mode="after")
    def _chances_suffice(self) -> SpeechSettings:
        for name, wordings in (
            ("meets", (*WORDINGS, "reconcile")),
            ("susceptibility", _HEARD),
            ("learns", tuple(PARTS)),
            ("answers", (*KINDS, BARE)),
        ):
            lost = [key for key in getattr(self, name) if key not in wordings]
            if lost:
                may = f"{lost[0]!r} is none of {', '.join(wordings)}"
                raise Faults(fault(name, getattr(self, name), may))
        learned = self.lesson(PARTS)
        most = max([*self.meets.values(), *self.susceptibility.values(), learned])
        if self.conformity + self.drift + most > 1.0 + 1e-9:
            may = f"with drift and the largest other chance ({most:g}) it may be 1 in all"
            raise Faults(fault("conformity", self.conformity, may))
        return self

    @cached_property
    def traits(self) -> Traits:
        """The same for the equations."""
        names = ("disagreement", "noise", "stubbornness", "conformity", "drift")
        values = {name: getattr(self, name) for name in names}
        learned = {
            strategy: self.lesson(shown_parts(strategy), foreign=strategy == TRANSFERRED)
            for strategy in LEARNED
        }
        meets = {**self.meets, **learned}
        return Traits(**values, meets=meets, susceptibility=self.susceptibility)

    def lesson(self, parts: Iterable[str], foreign: bool = False) -> float:
        """The chance of a step towards the others' mean, of one who has read parts of examples."""
        chance = sum(self.learns.get(part, 0.0) for part in parts)
        return chance * (self.carries if foreign else 1.0)


_HEARD = (*EXTRAS, *SIDES)


def identity(settings: Mapping[str, Any]) -> str:
    """Digest of all that a model's words depend on besides its settings: statements and code."""
    return _resources_digest(tuple(settings["speech"]["domains"].values()))


def speak(
    messages: Sequence[Message], settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Compose one reply.

    Parameters
    ----------
    messages : prompts of the consensus study, for an agent or for one without a vote.
    settings : the model's entry of the configuration, with ``speech``.
    rng : source of every random choice but an agent's opinions.

    Raises
    ------
    ResourceError : the prompt is none of this study's, or its statement in no folder that is known.
    """
    speech = speech_of(SpeechSettings, settings["speech"])
    if is_reflection(messages):
        return reflect(messages, rng)
    if is_question(messages):
        return answer(messages, tuple(speech.domains.values()), speech.answers, rng)
    prompt, domains = Prompt.read(messages), tuple(speech.domains.items())
    truth = _truth(domains, prompt.statement)
    if prompt.role == "voter":
        return _ballot(prompt, speech, truth, rng, domains)
    if prompt.role == "credible":
        vote = expert_vote(prompt.statement, truth, speech.traits)
        return f"{testify(prompt, domains, vote, rng)}\nVote: {LABELS[vote]}"
    if prompt.role == "nudger" and rng.random() < speech.leak_rate * prompt.often:
        return f"In plain words: {label_of(middle(truth))} is right."
    return contribute(prompt, domains, middle(truth), rng)


def expert_vote(statement: str, truth: Sequence[int], traits: Traits) -> int:
    """The credible expert's position, which nobody changes."""
    spread = traits.disagreement * opinion(statement, EXPERT)
    return int(np.clip(np.rint(middle(truth) + spread), 0, len(LABELS) - 1))


def _ballot(
    prompt: Prompt,
    speech: SpeechSettings,
    truth: Sequence[int],
    rng: np.random.Generator,
    domains: tuple[tuple[str, str], ...],
) -> str:
    """The reply of an agent that votes."""
    traits, point = speech.traits, np.array([[middle(truth)]])
    if prompt.examples:
        prompt = replace(prompt, strategy=CCAGENT)
        taught = taught_by(prompt.examples, domains)
        foreign = domain_of(prompt.statement, domains) not in taught
        chance = speech.lesson(parts_of(prompt.examples), foreign)
        traits = replace(traits, meets={CCAGENT: chance})
    last_vote = prompt.votes.get(prompt.agent, UNREAD)
    if prompt.round == 1 or last_vote == UNREAD:
        mind = np.array([[opinion(prompt.statement, prompt.agent)]])
        vote = first_votes(point, mind, traits, rng)
    else:
        before = np.array([list(prompt.votes.values())])
        strategy, position = prompt.strategy, prompt.position
        mine = np.array([[last_vote]])
        vote = next_votes(mine, before, point, traits, strategy, rng, position, side=prompt.side)
    cast, uniforms = int(vote[0, 0]), rng.random(3)
    variant = 0 if uniforms[0] < speech.repeats else 1 + int(uniforms[1] * 3)
    (words,) = rng.spawn(1)
    moves = (last_vote, cast)
    said = prompt.heard if prompt.round > 1 else ()
    text = explain(domains, prompt.statement, prompt.agent, moves, said, variant, words)
    if prompt.confident:
        text += f"\nConfidence: {0.55 + 0.09 * abs(cast - 2) + 0.2 * uniforms[2]:.2f}"
    if rng.random() < speech.unreadable_rate * prompt.often:
        return f"{text}\nI would rather not say how I vote."
    return f"{text}\nVote: {LABELS[cast]}"


@cache
def _resources_digest(folders: tuple[str, ...]) -> str:
    paths = [Path(folder) / name for folder in folders for name in _READ]
    files = [file_digest(path) for path in paths if path.exists()]
    return digest([files, code_digest(__name__)])


def _truth(domains: tuple[tuple[str, str], ...], statement: str) -> tuple[int, ...]:
    truths = _known(domains)
    if statement not in truths:
        raise ResourceError(
            f"No folder of models.<name>.speech.domains has the statement {statement!r}, which a "
            "simulated stakeholder is asked about; name the study's domains there."
        )
    return truths[statement]


@cache
def _known(domains: tuple[tuple[str, str], ...]) -> dict[str, tuple[int, ...]]:
    """Statement -> what the public prefers."""
    return {
        row["statement"]: tuple(range(row["truth_low"], row["truth_high"] + 1))
        for name, folder in domains
        for row in read_statements(name, folder)
    }
