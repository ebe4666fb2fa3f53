"""The words of simulated deliberators: whom they answer, on what, and how sure they are now.

A claim begins with its strength, a word that judges know it by, and goes on with the evidence that
it cites. A turn names each claim that it answers by its words, and says what is against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .reading import Peer, StatedClaim

#: Claims without evidence; {option} is what they are for.
_WEAK = (
    "A weak case for {option}: it takes the fewest accidents.",
    "A weak case for {option}: nothing that we know rules it out.",
    "A weak case for {option}: in such cases it is what one mostly finds.",
    "A weak case for {option}: the contrary would have to be shown.",
    "A weak case for {option}: whatever else is likely here goes with it.",
    "A weak case for {option}: it has been so in other places.",
)
_CASES = (
    "A {strength} case for {option}: {grounds}.",
    "Once more, a {strength} case for {option}: {grounds}.",
)
_FIRST = (
    "I begin with {after} in a hundred for {option}.",
    "My first view is {option}, at {after} in a hundred.",
    "Before anybody has spoken I give {option} {after} in a hundred.",
    "I start from {option}, with {after} in a hundred on it.",
)
_SAME = (
    "I stay with {option}, at {after} in a hundred.",
    "Nothing has moved me from {after} in a hundred for {option}.",
    "My {after} in a hundred for {option} stand as they were.",
)
_CHANGED = (
    "I go from {before} to {after} in a hundred for {option}.",
    "{option} has {after} in a hundred with me now, after {before}.",
    "I still hold to {option}, with {after} in a hundred instead of {before}.",
    "For {option} I had {before} in a hundred, and now I have {after}.",
)
_LEFT = (
    "I leave {old}, which had {before} in a hundred with me, for {option}, which has {after} now.",
    "So far I held to {old} with {before} in a hundred; now it is {option}, with {after}.",
    "I change from {old}, at {before} in a hundred, to {option}, at {after}.",
)
_NOTED = "The moderator's note speaks for {option}, and I take it into account."
#: Answers to a claim for another option: what is quoted, and what is against it.
_REBUTTED = (
    "{agent} says “{said}”. Against it stands this: {counter}.",
    "“{said}”, writes {agent}. I set this beside it: {counter}.",
    "To {agent}, on “{said}”: {counter}.",
    "I do not follow {agent} from “{said}” to {theirs}. {counter}.",
    "{agent} leans on “{said}”. It has to be read with this: {counter}.",
)
_REBUTTED_BARE = (
    "{agent} says “{said}”, and it would be no different with {option}.",
    "“{said}”, writes {agent}, and that does not tell {theirs} from {option}.",
)
#: To one of the same view, where everyone has to be rebutted.
_PRESSED = (
    "{agent} and I are both for {option}, but “{said}” does not carry it alone.",
    "I share the view of {agent}, and yet “{said}” proves less than it seems.",
)
#: Of what cites nothing, and of evidence.
_QUESTIONED = (
    "I ask {agent}: what does “{said}” rest on?",
    "I ask {agent}: could “{said}” not be so with {option} too?",
)
_CONCEDED = (
    "I grant {agent} that it is so: “{said}”.",
    "{agent} has a point with “{said}”.",
    "With “{said}” {agent} has moved me.",
)
_CONCEDED_HALF = (
    "I grant {agent} “{said}”, and hold to {option} in spite of it.",
    "{agent} has a point with “{said}”, though it does not lead me away from {option}.",
)
_SUPPORTED = (
    "With {agent} I rely on this: “{said}”.",
    "I add my voice to {agent}, who writes “{said}”.",
    "{agent} and I read this alike: “{said}”.",
)
#: Answers to what was asked.
_REPLIES = {
    "left": "{agent} asks about “{said}”: I have given that up for {option}.",
    "weak": "{agent} asks about “{said}”: that is my judgement, and I claim no more for it.",
    "cited": "{agent} asks about “{said}”: that is evidence ({items}), and I read it for {option}.",
}
#: To others who say what has been answered in this turn.
_AGAIN = (
    "{agent} says the same, and my answer is the same.",
    "What I have said goes for {agent} too, who writes it as well.",
    "{agent} repeats it, and so do I.",
)
#: So many claims are answered one by one; the others are named.
_FULL = 4


@dataclass(frozen=True)
class Answer:
    """A claim that a turn answers, and with which relation."""

    agent: str
    claim: StatedClaim
    relation: str


class Wording:
    """Composes the sentences of one turn, from a random stream of their own."""

    def __init__(self, options: Sequence[str], words: np.random.Generator) -> None:
        self.options, self.words = options, words

    def claim(
        self, strength: str, option: str, grounds: Sequence[str], before: Sequence[str]
    ) -> str:
        """A claim; ``before``: those that the turn has made already."""
        if grounds:
            ways = [
                way.format(strength=strength, option=option, grounds="; ".join(grounds))
                for way in _CASES
            ]
            bodies = {body_of(text) for text in before}
            return ways[int(body_of(ways[0]) in bodies)]
        ways = [way.format(option=option) for way in _WEAK]
        fresh = [way for way in ways if way not in before]
        return self._pick(fresh)

    def opening(self, before: Mapping[str, float], after: Mapping[str, float], hint: str) -> str:
        """How sure a debater was and is, in rounded hundredths of what it states.

        Parameters
        ----------
        before, after : option -> probability as stated; nothing before it has stated any.
        hint : what a moderator's note speaks for, "" for none.
        """
        option = max(after, key=lambda name: after[name])
        slots: dict[str, str | int] = {"option": option, "after": hundredths(after[option])}
        ways: Sequence[str] = _FIRST
        if before:
            old = max(before, key=lambda name: before[name])
            slots |= {"old": old, "before": hundredths(before[old])}
            ways = _LEFT if old != option else _CHANGED
            if old == option and slots["before"] == slots["after"]:
                ways = _SAME
        said = self._pick(ways).format(**slots)
        noted = f" {_NOTED.format(option=hint)}" if hint else ""
        return f"{said[:1].upper()}{said[1:]}{noted}"

    def answers(self, answers: Sequence[Answer], stance: str, grounds: Sequence[str]) -> list[str]:
        """A sentence for each of some answers, the last of many together.

        Parameters
        ----------
        stance : of who answers.
        grounds : the evidence for it, as texts without a full stop.
        """
        left, said, some = [*grounds], set[tuple[str, str]](), list[str]()
        for answer in answers[:_FULL]:
            what = (answer.relation, body_of(answer.claim.text))
            if what in said and answer.relation != "question":
                some.append(self._pick(_AGAIN).format(agent=answer.agent))
                continue
            said.add(what)
            some.append(self._answer(answer, stance, left))
            left = [text for text in left if text not in some[-1]]
        rest = answers[_FULL:]
        if rest:
            named = ", ".join(f"{answer.claim.id} of {answer.agent}" for answer in rest)
            some.append(f"What I have said answers {named} too.")
        return some

    def _answer(self, answer: Answer, stance: str, grounds: Sequence[str]) -> str:
        theirs = self.option_of(answer.claim.text)
        slots = {
            "agent": answer.agent,
            "said": body_of(answer.claim.text),
            "option": stance,
            "theirs": theirs or "that",
        }
        ways: Sequence[str] = _SUPPORTED
        if answer.relation == "rebut":
            against = [text for text in grounds if text not in answer.claim.text]
            ways = _PRESSED if theirs == stance else _REBUTTED if against else _REBUTTED_BARE
            slots["counter"] = self._pick(against) if against else ""
        elif answer.relation == "concede":
            ways = _CONCEDED if theirs == stance else _CONCEDED_HALF
        elif answer.relation == "question":
            ways = [_QUESTIONED[" weak " not in answer.claim.text]]
        return self._pick(ways).format(**slots)

    def replies(self, agent: str, peers: Mapping[str, Peer], round_: int, stance: str) -> list[str]:
        """Answers to what the others asked in a round about an agent's own claims."""
        own = (
            [claim for some in peers[agent].claims.values() for claim in some]
            if agent in peers
            else []
        )
        replies = []
        for name, peer in peers.items():
            for quote in peer.questions.get(round_, ()):
                claim = next((one for one in own if quote and quote in one.text), None)
                if claim is None or name == agent:
                    continue
                kind = "cited" if claim.evidence else "weak"
                kind = kind if self.option_of(claim.text) == stance else "left"
                items = ", ".join(claim.evidence)
                slots = {"agent": name, "said": body_of(claim.text), "option": stance}
                replies.append(_REPLIES[kind].format(items=items, **slots))
        return replies

    def option_of(self, text: str) -> str:
        """The option that a claim is for; "" where it does not say."""
        return next((name for name in self.options if f" case for {name}: " in text), "")

    def _pick(self, ways: Sequence[str]) -> str:
        return ways[int(self.words.integers(len(ways)))]


def body_of(text: str) -> str:
    """What a claim says for its option, to the end of its first sentence, without a full stop."""
    return text.partition(": ")[2].split("; ")[0].rstrip(".") or text.rstrip(".")


def quote_of(text: str) -> str:
    """The words of a claim that an engagement quotes: as :func:`body_of`, with its strength."""
    return text.split("; ")[0].rstrip(".")


def hundredths(share: float) -> int:
    """A probability in hundredths, from what the transcript shows of it."""
    return round(100 * float(f"{share:.3f}"))
