"""Simulated stakeholders and those who speak to them, with known ways of being moved.

They see only the messages that they are sent, like any other model. A stakeholder knows a statement
by its words, and with it what the public prefers, from the domains' folders; the votes of the
others, and whom it has heard, it reads from the prompt. The equations of its votes are in
:mod:`.simulated.dynamics`. Its explanation is fixed by the statement, its name
and its vote with probability ``repeats``, and else one of three others for that vote: that plants
the cosine. Votes go unread with probability unreadable_rate, a quarter of that when a reply is
asked for again; a nudger gives the secret away with probability leak_rate.

Those who have read examples step towards the others' mean with a chance that is the sum of what the
parts of the examples are worth (``learns``), times ``carries`` where they are of another domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from ..scale import LABELS, UNREAD, label_of, middle, point_of
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
    END_OF_EXAMPLES,
    PARTS,
    domain_of,
    parts_of,
    shown_parts,
    taught_by,
)
from .reflecting import is_reflection, reflect

_STATEMENT = re.compile(
    r'^Policy statement: "(.+)"$|following policy: (.+?)"Have|statement: "(.+?)" D', re.M
)
_SELF = re.compile(r"^You are (\S+)\. You debate it with", re.MULTILINE)
_ENTRY = re.compile(r"^(\S+) \(vote: ([A-Za-z ]+)(?:, confidence: \S+)?\):$", re.MULTILINE)
_ROUND = re.compile(r"^What everyone voted and said in round (\d+):$", re.MULTILINE)
_TALKED = re.compile(r"^What was said in your talk with (.+):$", re.MULTILINE)
_POSITION = re.compile(r"^> Vote: (.+)$", re.MULTILINE)
#: How an agent knows by its task and by whom it has heard which strategy it is in.
_TASKS = {
    "discuss": "discuss your position, while responding",
    "consensus": "multi-agent dialogue with the goal of reaching consensus",
    "compromise": "Consensus is required, so be flexible",
    "reconcile": "Carefully weigh the answers below",
    "moderator": "\nThe moderator:\n>",
    "nudger": "\nThe facilitator:\n>",
    "credible": "\nThe credible expert:\n>",
    "sentimental": "\nThe sentimental agent:\n>",
}
#: What extra agents are, by what their system prompts begin with.
_ROLES = {
    "moderator": "You are a moderator",
    "nudger": "You are a nudging facilitator",
    "credible": "You are a credible policy expert",
    "sentimental": "You are a sentimental agent",
}

#: What it knows of a domain.
_READ = (STATEMENTS_FILE, AGENTS, QUESTIONS_FILE)
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
    prompt, domains = _Prompt.read(messages), tuple(speech.domains.items())
    truth = _truth(domains, prompt.statement)
    if prompt.role == "voter":
        return _ballot(prompt, speech, truth, rng, domains)
    if prompt.role == "credible":
        vote = expert_vote(prompt.statement, truth, speech.traits)
        return f"I have worked on this for twenty years, and I stand by it.\nVote: {LABELS[vote]}"
    if prompt.role == "nudger" and rng.random() < speech.leak_rate * prompt.often:
        return f"In plain words: {label_of(middle(truth))} is right."
    return _SPEECHES[prompt.role]


def expert_vote(statement: str, truth: Sequence[int], traits: Traits) -> int:
    """The credible expert's position, which nobody changes."""
    spread = traits.disagreement * opinion(statement, EXPERT)
    return int(np.clip(np.rint(middle(truth) + spread), 0, len(LABELS) - 1))


def explanation(statement: str, agent: str, vote: int, variant: int = 0) -> str:
    """How an agent explains a vote; the first variant is the one that it mostly uses."""
    start = int(digest([statement, agent])[:8], 16)
    frames = _FRAMES[min(max(vote, 0), len(_FRAMES) - 1)]
    return frames[(start + variant) % len(frames)]


@dataclass(frozen=True)
class _Prompt:
    """What a simulated model makes of the messages that it is sent.

    Attributes
    ----------
    role : voter, side, an extra agent's, ally or experts.
    statement, agent : what is asked about, and who is asked.
    strategy : by the task, and by whom was heard.
    round : from 1.
    votes : agent -> its vote in the round before, in the order shown.
    position : of the credible expert that was heard; -1 for none.
    side : whether side rounds have just ended.
    confident : whether a confidence is asked for.
    often : 1, or a quarter where a reply is asked for again.
    examples : what was read before the debate; "" for nothing.
    """

    role: str
    statement: str
    agent: str
    strategy: str
    round: int
    votes: Mapping[str, int]
    position: int
    side: bool
    confident: bool
    often: float
    examples: str

    @classmethod
    def read(cls, messages: Sequence[Message]) -> _Prompt:
        examples, _, content = messages[-1].content.rpartition(END_OF_EXAMPLES)
        match = _STATEMENT.search(content)
        if not match:
            raise ResourceError(
                "The simulated stakeholders cannot read this prompt; it must be worded as "
                "studies/consensus/prompts/debate.yaml words it."
            )
        who, rounds = _SELF.search(content), _ROUND.search(content)
        strategy = next((n for n, words in _TASKS.items() if words in content), "debate")
        stated = _POSITION.findall(content) if strategy == "credible" else []
        votes = {name: point_of(vote) for name, vote in _ENTRY.findall(content)}
        talked = _TALKED.search(content)
        if talked and who:
            strategy = _side(talked[1].split(", "), votes, who[1])
        return cls(
            _role(messages, content, bool(who)),
            next(part for part in match.groups() if part),
            who[1] if who else "",
            strategy,
            int(rounds[1]) + 1 if rounds else 1,
            votes,
            point_of(stated[-1]) if stated else UNREAD,
            talked is not None,
            "with two lines, of your confidence" in content,
            0.25 if "Your last reply cannot be used" in content else 1.0,
            examples,
        )


def _side(partners: Sequence[str], votes: Mapping[str, int], agent: str) -> str:
    """Whether the agent has talked with allies or with opposites: by how they voted."""
    heard = [votes[name] for name in partners if name in votes]
    if heard:
        return "alliance" if heard[0] == votes[agent] else "opposites"
    return "alliance" if "An ally of yours" in partners else "opposites"


def _role(messages: Sequence[Message], content: str, named: bool) -> str:
    if named:
        return "voter" if "Then end with" in content else "side"
    system = messages[0].content if messages[0].role == "system" else ""
    for role, words in _ROLES.items():
        if system.startswith(words):
            return role
    return "ally" if "external ally" in content else "experts"


def _ballot(
    prompt: _Prompt,
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
    text = explanation(prompt.statement, prompt.agent, cast, variant)
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


#: How votes are explained, four ways for each point of the scale.
_FRAMES = (
    (
        "I cannot support this in any form. The people who would pay for it have not been asked.",
        "This would do lasting harm, and no condition would make it acceptable to me.",
        "The proposal fails those it claims to help, so I reject it outright.",
        "We tried much the same years ago, and the damage is still there to be seen.",
    ),
    (
        "I have more doubts than hopes here. The costs are certain and the gains are not.",
        "The aim is sound, but this is the wrong instrument for it.",
        "Too much is left to chance, and those with least would carry the risk.",
        "I would want stronger evidence before going down this road.",
    ),
    (
        "There is something to be said on both sides, and I see none that outweighs the other.",
        "It depends on how it is done; as it stands I lean neither way.",
        "The evidence that I know of is mixed, so I reserve my judgement.",
        "I can live with it or without it, as long as it is reviewed after some years.",
    ),
    (
        "On balance I am in favour, if it is done step by step and people are heard.",
        "The gains seem worth the costs, and others have shown that it can be made to work.",
        "I support the direction, though I would add safeguards for small households.",
        "It is a sensible measure, and waiting would only make it dearer.",
    ),
    (
        "This is overdue, and we should do it without delay.",
        "I back it fully: few measures help so many at so small a price.",
        "Everything that I have seen in my work speaks for it.",
        "We owe it to those who come after us to decide this clearly and now.",
    ),
)
#: What those say who have no vote.
_SPEECHES = {
    "moderator": "You share more than it seems: all of you want it fair, and differ on the pace.",
    "nudger": "It is worth a look at places that have gone through this; their records are open.",
    "sentimental": "I think of the families who lie awake over this. They need us to be brave.",
    "ally": "We see this the same way. I could bend on the timing, and never on the principle.",
    "experts": "We read the record otherwise. Look at the figures again before you decide.",
    "side": "I have listened to you. I can bend on some conditions, and will say so in the debate.",
}
