"""How simulated agents explain their votes: each answers one who spoke, and then gives its reason.

An argument is one or two clauses about the statement with an interest of the agent. Four of them
are at hand for every side; the statement and the agent's name fix which comes first. The words
around it come from a random stream of their own, so that no edit here moves a vote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.digests import digest

from ..scale import LABELS, UNREAD
from .reasons import Domains, Reasons, reasons_of, voice_of

_NEUTRAL = 2
#: First lines, before anybody has spoken, by vote; {claim} is the statement.
_OPENINGS = (
    (
        "I reject the claim that {claim}; what I look at is {interest}.",
        "No, I do not think that {claim}, and I say so with an eye on {interest}.",
        "I am firmly against the idea that {claim}; it comes down to {interest}.",
        "That {claim} is a claim that I cannot accept, if I ask about {interest}.",
    ),
    (
        "I doubt that {claim}; what I look at is {interest}.",
        "I am not convinced that {claim}, since my first thought is of {interest}.",
        "Nobody has shown me yet that {claim}; I keep an eye on {interest}.",
        "I would rather not say that {claim}, if it comes down to {interest}.",
    ),
    (
        "I see two sides to the claim that {claim}; what I look at is {interest}.",
        "I cannot say yet that {claim}, nor the contrary; I ask about {interest}.",
        "That {claim} is an open question to me; I keep an eye on {interest}.",
        "I do not take a side on whether it is right that {claim}; it comes down to {interest}.",
    ),
    (
        "On the whole I think that {claim}; what I look at is {interest}.",
        "With some care I would say that {claim}; my first thought is of {interest}.",
        "I lean towards the view that {claim}, with an eye on {interest}.",
        "There is more for it than against it that {claim}, if I ask about {interest}.",
    ),
    (
        "I have no doubt that {claim}; what I look at is {interest}.",
        "I fully support the view that {claim}, with an eye on {interest}.",
        "It is clear to me that {claim}; it comes down to {interest}.",
        "I say without reserve that {claim}; my first thought is of {interest}.",
    ),
)
_FIRST_REASONS = ("The reason is plain: {reason}.", "My reason is that {reason}.", "{Reason}.")
#: Second lines, from round 2 on, by whether the same was said before.
_REASONS = {
    False: (
        "What I look at is {interest}: {reason}.",
        "{Reason}, and my first thought is of {interest}.",
        "It comes down to {interest}, and there I see that {reason}.",
        "When I ask about {interest}, I find that {reason}.",
    ),
    True: (
        "I come back to {interest}: {reason}.",
        "As I said, {reason}, and I still look at {interest}.",
        "I keep to {interest}: {reason}.",
        "My point about {interest} stands, since {reason}.",
    ),
}
#: Answers to somebody of the other side, by one's own: against, neutral, for. They fit gains and
#: costs, of which some are hopes and some are facts.
_DISPUTES = (
    (
        "{Name} says that {said}; that does not make up for the harm.",
        "Even if {said}, as {name} says, I see more harm than that in it.",
        "To {name}: that {said} is no answer to what I asked.",
        "I have weighed what {name} says, that {said}, and I find it too light.",
        "{Name} makes a case of it that {said}; there are better ways to mend that.",
        "I do not deny to {name} that {said}; I deny that it is worth the price.",
        "That {said}, as {name} puts it, does not carry the whole proposal.",
        "{Name} wants us to see that {said}. I see it, and what is lost besides.",
    ),
    (
        "{Name} says that {said}; I grant it, and there is weight on the other side too.",
        "That {said}, as {name} says, is one half of it.",
        "To {name}: if {said}, the rest of the account is still open.",
        "I have weighed what {name} says, that {said}, and it does not decide the matter for me.",
        "{Name} makes much of it that {said}; I would like to see the rest of the account.",
        "From {name} I take it that {said}, and I am still where I was.",
    ),
    (
        "{Name} says that {said}; that can be dealt with on the way.",
        "Even if {said}, as {name} says, I would do it all the same.",
        "To {name}: that {said} is a reason to do it well and not to leave it.",
        "I have weighed what {name} says, that {said}, and I find it too light.",
        "{Name} warns that {said}; to do nothing costs more.",
        "I do not deny to {name} that {said}; I deny that it weighs as much.",
        "That {said}, as {name} puts it, does not speak against the aim.",
        "{Name} wants us to see that {said}. I see it, and what is won besides.",
    ),
)
#: Answers to somebody of the same side.
_JOINS = (
    "{Name} and I both see that {said}, and yet we do not vote the same.",
    "With {name} I hold that {said}; how far to go is what parts us.",
    "I give it to {name} that {said}; I draw my own line from there.",
    "I hear from {name} that {said}, which I think too, and still we vote apart.",
    "That {said} is common ground of mine and of {name}; the step from there is not.",
    "{Name} and I start from the same point, that {said}, and we end in two places.",
    "Nothing parts me from {name} on this, that {said}; what follows from it does.",
)
_SHARES = (
    "{Name} has said what I think too: {said}.",
    "I am with {name}, since {said}.",
    "Like {name} I see that {said}.",
    "What {name} says, that {said}, I can only underline.",
    "On one thing {name} and I are at one: {said}.",
)
#: What one says who has moved, for the sake of what somebody said.
_MOVES = (
    "{Name} has moved me: {said}, and I had given that too little weight.",
    "I take a step towards {name}, since {said}.",
    "What {name} said, that {said}, has brought me from {before} to {after}.",
    "{Name} has a point there: {said}. So I go from {before} to {after}.",
)
#: What may stand before an answer where a moderator has just spoken.
_MODERATED = (
    "Asked by the moderator to weigh both sides, I say: ",
    "To what the moderator has put so fairly I add: ",
    "As the moderator wishes, one point: ",
    "After the moderator's summary I would add: ",
)
_MOVES_ALONE = (
    "I have looked at it again and go from {before} to {after}, since {said}.",
    "Having thought about it longer, I leave {before} for {after}: {said}.",
    "On second thoughts {said}, so my vote goes from {before} to {after}.",
)


#: The headings of one's own words, for those without a vote and in a talk.
OWN = ("What you said before", "You")
MODERATOR = "The moderator"


@dataclass(frozen=True)
class Heard:
    """What somebody said, and the vote it was said for; UNREAD for those who have none."""

    name: str
    text: str
    vote: int = UNREAD

    def own(self, reasons: Reasons) -> list[str]:
        """The clauses that are its own reasons: in its last line, above which it answers others;
        none of a moderator, who tells what others say.
        """
        return [] if self.name == MODERATOR else reasons.said_in(self.text.splitlines()[-1])


@dataclass(frozen=True)
class Argument:
    """What an agent has to say for a vote: clauses and the interest that it names."""

    clauses: tuple[str, ...]
    interest: str

    @property
    def reason(self) -> str:
        return ", and on the other hand ".join(self.clauses)

    def is_in(self, text: str) -> bool:
        """Whether a text says the same."""
        return all(clause[1:] in text for clause in self.clauses) and self.interest in text


def argument(domains: Domains, statement: str, agent: str, vote: int, variant: int) -> Argument:
    """One of the four arguments of an agent for a vote; variant 0 is the one that it mostly has."""
    reasons, voice = reasons_of(domains, statement), voice_of(domains, agent)
    number = (int(digest([statement, agent])[:8], 16) + variant) % 4
    first, second = number % 2, number // 2
    if vote == _NEUTRAL:
        clauses: tuple[str, ...] = (reasons.gains[first], reasons.costs[second])
    else:
        clauses = ((reasons.gains if vote > _NEUTRAL else reasons.costs)[first],)
    shift = int(digest([agent, statement])[:8], 16)
    return Argument(clauses, voice.interests[(shift + second) % len(voice.interests)])


def explain(
    domains: Domains,
    statement: str,
    agent: str,
    votes: tuple[int, int],
    heard: Sequence[Heard],
    variant: int,
    words: np.random.Generator,
) -> str:
    """An explanation of two lines: whom it answers (in round 1 where it stands), and why.

    Parameters
    ----------
    votes : in the round before, UNREAD for none, and now.
    heard : what was said since the agent last spoke, its own words among it.
    variant : which of its arguments, see :func:`argument`.
    words : source of the choice of words.
    """
    given, (before, now) = argument(domains, statement, agent, votes[1], variant), votes
    own = " ".join(one.text for one in heard if one.name == agent)
    others = [one for one in heard if one.name not in (agent, *OWN)]
    if not others:
        # The same agent begins in the same words in every arm, for an argument and a vote.
        fixed = digest([statement, agent, now, variant])
        first = _OPENINGS[now][int(fixed[:8], 16) % len(_OPENINGS[now])]
        second = _FIRST_REASONS[int(fixed[8:16], 16) % len(_FIRST_REASONS)]
        claim = claimed(statement)
        return "\n".join(
            filled(line, claim=claim, interest=given.interest, reason=given.reason)
            for line in (first, second)
        )
    reasons = reasons_of(domains, statement)
    if before not in (UNREAD, now):
        answer = _moved(domains, reasons, others, before, now, words)
    else:
        answer = reply_to(domains, reasons, others, now, words)
    if any(one.name == MODERATOR for one in others) and words.random() < 0.5:
        answer = pick(_MODERATED, words) + answer
    second = pick(_REASONS[given.is_in(own)], words)
    return f"{answer}\n{filled(second, interest=given.interest, reason=given.reason)}"


def reply_to(
    domains: Domains,
    reasons: Reasons,
    others: Sequence[Heard],
    vote: int,
    words: np.random.Generator,
) -> str:
    """An answer to one of the others, to those of another vote first, that keeps to a vote."""
    side = side_of(vote)
    disputed, joined, shared = [], [], []
    for one in others:
        for clause in one.own(reasons):
            gain = clause in reasons.gains
            if side == 0 or (side > 0) != gain:
                disputed.append((one, clause))
            elif one.vote in (UNREAD, vote):
                shared.append((one, clause))
            else:
                joined.append((one, clause))
    # Neutral agents say what is on both sides; one of the same vote has nothing to dispute there.
    disputed = [pair for pair in disputed if pair[0].vote != vote]
    for pairs, frames in ((disputed, _DISPUTES[side + 1]), (joined, _JOINS), (shared, _SHARES)):
        if pairs:
            one, clause = pairs[int(words.integers(len(pairs)))]
            return filled(pick(frames, words), name=called(domains, one.name), said=clause)
    name = called(domains, others[int(words.integers(len(others)))].name)
    return filled("{Name} gives no reason that I could answer.", name=name)


def _moved(
    domains: Domains,
    reasons: Reasons,
    others: Sequence[Heard],
    before: int,
    now: int,
    words: np.random.Generator,
) -> str:
    """What one says who has changed its vote: who brought it there, if anybody did."""
    up = now > before
    wanted = reasons.gains if up else reasons.costs
    found = [
        (one, clause)
        for one in others
        if one.vote == UNREAD or ((one.vote > before) == up and one.vote != before)
        for clause in one.own(reasons)
        if clause in wanted
    ]
    given: Mapping[str, str] = {"before": LABELS[before], "after": LABELS[now]}
    if not found:
        said = wanted[int(words.integers(len(wanted)))]
        return filled(pick(_MOVES_ALONE, words), said=said, **given)
    one, clause = found[int(words.integers(len(found)))]
    name = called(domains, one.name)
    return filled(pick(_MOVES, words), name=name, said=clause, **given)


def claimed(statement: str) -> str:
    """A statement as it follows "that"."""
    return statement[:1].lower() + statement[1:].rstrip(" .")


def called(domains: Domains, name: str) -> str:
    """How a speaker is called by the others."""
    outsider = _OUTSIDERS.get(name)
    return outsider or voice_of(domains, name).called


#: How those are called who have no vote, by their names in the prompts.
_OUTSIDERS = {
    MODERATOR: "the moderator",
    "The facilitator": "the facilitator",
    "The credible expert": "the expert",
    "The sentimental agent": "the sentimental agent",
    "An ally of yours": "my ally",
    "The external experts": "the panel",
}


def side_of(vote: int) -> int:
    """-1 against, 0 neutral, 1 for."""
    return int(np.sign(vote - _NEUTRAL))


def pick(frames: Sequence[str], words: np.random.Generator) -> str:
    """One of some frames."""
    return frames[int(words.integers(len(frames)))]


def filled(frame: str, **given: str) -> str:
    """A frame with what is given; a name with a capital gets one."""
    capitals = {name.capitalize(): text[:1].upper() + text[1:] for name, text in given.items()}
    return frame.format(**given, **capitals)
