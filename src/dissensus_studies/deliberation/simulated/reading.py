"""What a simulated deliberator makes of the messages that it is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.errors import ResourceError
from dissensus.llm.call import Message

_PLACE = re.compile(r"^You are (A\d+), and this is round (\d+) of \d+\.$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.+)$", re.MULTILINE)
_TURN = re.compile(r"^--- (A\d+), round (\d+) ---$", re.MULTILINE)
_TONE = re.compile(r"^Contentiousness: ([a-z ]+)\.", re.MULTILINE)
_NOTE = re.compile(
    r"^Moderator's note, given to all agents in round (\d+): .* speaks for the option \"(.+)\"\.$",
    re.MULTILINE,
)
_QUALITY = re.compile(r"^- (A\d+), claim \".*\": quality (\d\.\d+);", re.MULTILINE)
_STANCE = re.compile(r"^Stance: (.+)\nProbabilities: (.+)$", re.MULTILINE)
_CLAIM = re.compile(r"^- (A\d+\.\d+\.\S+): (.*) \(evidence: (.*)\)$", re.MULTILINE)
_ENGAGEMENT = re.compile(r"^- (rebut|concede|question|support) \S+ of .*?: \"(.*)\"$", re.MULTILINE)
_ASKED = re.compile(r"^- question \S+ of .*?: \"(.*)\"$", re.MULTILINE)
_MAY_ABSTAIN = re.compile(r"^You may abstain: .* \"abstain\" as the stance", re.MULTILINE)
_CONCLUSION = re.compile(r"\bI therefore conclude: (.+)\.$", re.MULTILINE)

#: Contentiousness that the words of studies/deliberation/prompts/round.yaml stand for: the middle
#: of each step.
_TONES = {"very low": 0.1, "low": 0.3, "moderate": 0.5, "high": 0.7, "very high": 0.9}


@dataclass(frozen=True)
class StatedClaim:
    """A claim in the transcript: its full id, its text, and the evidence that it cites."""

    id: str
    text: str
    evidence: tuple[str, ...]


@dataclass
class Peer:
    """An agent as the transcript shows it: its last known stance, and by round its claims, and what
    it quoted of those that it asked about.
    """

    stance: str
    probabilities: dict[str, float]
    claims: dict[int, tuple[StatedClaim, ...]]
    questions: dict[int, list[str]]


class Prompt:
    """A round's prompt.

    Raises
    ------
    ResourceError : it does not say who is asked, in which round, and what.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        content = messages[0].content
        head, *blocks = _TURN.split(content)
        # What follows the transcript stands in its last block.
        after = blocks[-1] if blocks else head
        place, question = _PLACE.search(after), _QUESTION.search(head)
        if not (place and question):
            raise ResourceError(
                "The simulated debaters cannot read this prompt; it must name the agent, the round "
                "and the question as studies/deliberation/prompts/round.yaml does."
            )
        self.agent, self.round, self.question = place[1], int(place[2]), question[1]
        self.topology = "emergent"
        if "rebut every other agent" in head:
            self.topology = "full"
        elif "exactly one other agent" in head:
            self.topology = "one_target"
        tone = _TONE.search(after)
        self.beta = _TONES[tone[1]] if tone else None
        note = _NOTE.search(after)
        # A turn that a judge sent back leaves the note out of account.
        is_first = len(messages) == 1
        self.hint = note[2] if note and is_first and int(note[1]) == self.round else ""
        self.quality = {agent: float(score) for agent, score in _QUALITY.findall(after)}
        self.may_abstain = _MAY_ABSTAIN.search(head) is not None
        self.is_repair = "Your last reply could not be read" in messages[-1].content
        self.peers = _peers(blocks)


class JudgedTurn:
    """The turn that a judge is shown.

    Attributes
    ----------
    stance : as stated.
    conclusion : what the text comes to, "" where it does not say.
    reasons : words and number of items of evidence of each claim.
    rivals : the words quoted from each claim that is answered.
    """

    def __init__(self, content: str) -> None:
        stance = _STANCE.search(content)
        conclusions = _CONCLUSION.findall(content)
        self.stance = stance[1] if stance else ""
        self.conclusion = conclusions[-1] if conclusions else ""
        self.reasons = [(text, len(_items(items))) for _, text, items in _CLAIM.findall(content)]
        self.rivals = [quote for how, quote in _ENGAGEMENT.findall(content) if how != "support"]


def _peers(blocks: Sequence[Any]) -> dict[str, Peer]:
    """Agent -> its stance and claims, from agent, round and text of each turn."""
    peers: dict[str, Peer] = {}
    for agent, round_, text in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
        peer = peers.setdefault(agent, Peer("", {}, {}, {}))
        stated = _STANCE.search(text)
        shares = _shares(stated[2]) if stated else {}
        if stated and shares:
            peer.stance, peer.probabilities = stated[1], shares
        peer.questions[int(round_)] = _ASKED.findall(text)
        peer.claims[int(round_)] = tuple(
            StatedClaim(name, words, _items(items)) for name, words, items in _CLAIM.findall(text)
        )
    return peers


def _shares(line: str) -> dict[str, float]:
    """Option -> probability; empty where they are not stated."""
    shares = {}
    for part in line.split("; "):
        option, _, share = part.rpartition(" ")
        try:
            shares[option] = float(share)
        except ValueError:
            return {}
    return shares


def _items(listed: str) -> tuple[str, ...]:
    return () if listed == "none" else tuple(listed.split(", "))
