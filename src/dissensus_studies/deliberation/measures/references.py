"""Which claim a turn means: the edges of the debate graph, or why one cannot be drawn.

A reference resolves by the claim's full id ``A2.1.c1``; or by its local id where only one earlier
claim of the named agent has it; or, where no id is written or several claims have it, by a quote
that occurs in just one of them. An id that no claim has is dangling, whatever is quoted with it:
the protocol asks for the agent and the claim. A round that is said beside either, as in the
headings of turns ("A2 (round 1)"), is the round of the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["resolved", "ambiguous", "dangling", "self", "future"]

#: A quote of fewer words than this names no claim by itself.
QUOTE_WORDS = 3

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Cited:
    """A claim that may be referred to."""

    agent: str
    round: int
    local: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.agent}.{self.round}.{self.local}"


@dataclass(frozen=True)
class Reference:
    """The result of a reference; agent and claim are "" unless it is resolved."""

    status: Status
    agent: str = ""
    claim: str = ""


def resolve(
    source: str, round_: int, target: tuple[str, str, str], claims: Sequence[Cited]
) -> Reference:
    """Resolve one reference.

    Parameters
    ----------
    source, round_ : the agent that refers, and when.
    target : agent, claim and quote as written; any may be "".
    claims : all of the session, later ones too.

    Returns
    -------
    ``self`` for one's own claim, ``future`` for one of the same or a later round, which the agent
    cannot have seen; ``ambiguous`` where several earlier claims fit, two rounds are said, or the
    agent named is not the claim's author; ``dangling`` where none fits.
    """
    written, agent, when, local = _read_id(target, {claim.agent for claim in claims} | {source})
    if agent is None:
        return Reference("ambiguous")
    if agent == source:
        return Reference("self")
    if when is not None and when >= round_:
        return Reference("future")
    theirs = [
        claim
        for claim in claims
        if claim.agent != source
        and agent in ("", claim.agent)
        and (not written or claim.local.casefold() == local)
        and when in (None, claim.round)
    ]
    earlier = [claim for claim in theirs if claim.round < round_]
    if not written or len(earlier) > 1:
        quoted = _quoting(target[2], earlier)
        if not quoted:
            return Reference("ambiguous" if written else "dangling")
        earlier = quoted
    if len(earlier) == 1:
        return Reference("resolved", earlier[0].agent, earlier[0].id)
    if earlier:
        return Reference("ambiguous")
    return Reference("future" if theirs else "dangling")


#: What may stand before an agent's name or a claim's id.
_NOUN = re.compile(r"\A(?:agent|claim)[\s:]+(?=\S)")
#: A round that is said after either, and what may join the two.
_SAID_ROUND = re.compile(r"(?:\bround\s*+|\br)([0-9]{1,4})\Z")
_JOINTS = " ,;:/()[]-–—"
_ROUND_JOINTS = re.compile(r"\b(?:in|from|of|at)\Z")


def _read_id(
    target: tuple[str, str, str], agents: set[str]
) -> tuple[bool, str | None, int | None, str]:
    """Whether a claim is written, whose it is, of which round and with which local id.

    The agent is "" where none is named, None where two are, or two rounds.
    """
    named = {agent.casefold(): agent for agent in agents}
    # An agent who never claimed anything can be named, and dangles.
    spoken, agent_round = _without_round(target[0])
    agent: str | None = named.get(spoken, spoken)
    claim, claim_round = _without_round(target[1])
    rounds = {number for number in (agent_round, claim_round) if number is not None}
    parts = claim.split(".")
    if parts[0] in named and len(parts) > 1:
        author = named[parts.pop(0)]
        agent = author if agent in ("", author) else None
        if len(parts) > 1 and parts[0].isdecimal():
            rounds.add(int(parts.pop(0)))
    if len(rounds) > 1:
        agent = None
    return parts != [""], agent, min(rounds, default=None), ".".join(parts)


def _without_round(label: str) -> tuple[str, int | None]:
    """An agent or a claim as written, bare and in small letters, and the round said after it."""
    bare = _NOUN.sub("", label.strip("@#" + _JOINTS).casefold())
    round_match = _SAID_ROUND.search(bare)
    if round_match is None or not round_match.start():
        return bare, None
    before = _ROUND_JOINTS.sub("", bare[: round_match.start()].rstrip(_JOINTS))
    return before.rstrip(_JOINTS), int(round_match[1])


def _quoting(quote: str, claims: Sequence[Cited]) -> list[Cited]:
    """The claims in which a quote occurs, whatever its case, spacing and punctuation."""
    words = _words(quote)
    if words.count(" ") < QUOTE_WORDS + 1:
        return []
    return [claim for claim in claims if words in _words(claim.text)]


def _words(text: str) -> str:
    """Words between single spaces, with one at each end, so that no word is found in another."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
