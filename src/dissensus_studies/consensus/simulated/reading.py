"""What a simulated model of the consensus study makes of the messages that it is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.errors import ResourceError
from dissensus.llm.call import Message

from ..scale import UNREAD, point_of
from .lessons import END_OF_EXAMPLES
from .saying import Heard

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
#: Somebody's words as they are quoted, under a heading with or without a vote.
_SPOKEN = re.compile(
    r"^(?!>)(.+?)(?: \(vote: ([A-Za-z ]+)(?:, confidence: \S+)?\))?:\n((?:>.*(?:\n|\Z))+)",
    re.MULTILINE,
)
_WHERE = re.compile(r"issues facing (.+?)\. You are")
_LONER = re.compile(r"same view \(vote\) as (\S+) on|The agent (\S+) believes: ")
_MAJORITY = re.compile(r'You believe "([A-Za-z ]+)"')


@dataclass(frozen=True)
class Prompt:
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
    heard : what was said since the one who is asked last spoke, its own words among it.
    where : the place that an expert knows; "" for others.
    loner : the agent that an outsider talks with.
    majority : what the external experts believe.
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
    heard: tuple[Heard, ...]
    where: str
    loner: str
    majority: int

    @classmethod
    def read(cls, messages: Sequence[Message]) -> Prompt:
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
            _heard(content),
            where[1] if (where := _WHERE.search(messages[0].content)) else "",
            next(filter(None, loner.groups())) if (loner := _LONER.search(content)) else "",
            point_of(majority[1]) if (majority := _MAJORITY.search(content)) else UNREAD,
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


def _heard(content: str) -> tuple[Heard, ...]:
    """All that is quoted in a prompt, in its order; by side rounds, what was said in them too."""
    return tuple(
        Heard(name, "\n".join(line[2:] for line in text.splitlines()), point_of(vote))
        for name, vote, text in _SPOKEN.findall(content)
    )
