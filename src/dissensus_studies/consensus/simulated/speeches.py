"""What simulated speakers without a vote say: they name whom they heard, and what of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..scale import UNREAD
from .reading import Prompt
from .reasons import Domains, Reasons, reasons_of
from .saying import OWN, argument, called, claimed, filled, pick, reply_to

_NEUTRAL = 2
_MODERATED = (
    "{Name} says that {said}. {Other} says that {against}. Both may be true: say which weighs more "
    "with you, and what would let you take a step.",
    "We have heard from {name} that {said}, and from {other} that {against}. Where both are "
    "provided for, you could meet.",
    "What parts you is plain: {name} sees that {said}, {other} that {against}. Look for a form of "
    "the proposal that answers both.",
)
_MODERATED_ALONE = (
    "Nobody has denied what {name} says, that {said}. What is left is how far to go.",
    "{Name} says that {said}, and all that I hear are shades of it. Say how far you would go.",
)
_NUDGES = (
    "It is worth a look at places that have gone through this: {said}. {Name} could read their "
    "records, which are open.",
    "I read a report on this lately, and one line stays with me: {said}. What {name} said looks "
    "different beside it.",
    "Some who voted like {name} have since written that {said}. That may be worth a thought.",
    "{Name} may like to know how it went elsewhere: {said}. The figures are there to be checked.",
    "I wonder how {name} reads the record of our neighbours, which shows that {said}.",
)
_FEELINGS = (
    "{Name}, I think of the families who lie awake over this. They know that {said}, and need "
    "us to be brave.",
    "I met a woman who told me what this means to her: {said}. I wish {name} had heard her.",
    "Behind what {name} says there are people. For them it is simple: {said}.",
    "{Name}, ask your own children about this one evening. They will say that {said}.",
    "We count and weigh, {name}, and meanwhile somebody waits for us to see that {said}.",
)
_TESTIMONIES = (
    "I have advised {where} for twenty years on whether it is right that {claim}. My finding is "
    "that {said}.",
    "In twenty years of work for {where} I have studied the claim that {claim}, and I find that "
    "{said}.",
    "As one who has worked for {where} for twenty years I know both sides of the claim that "
    "{claim}; what decides it is that {said}.",
)
_AGAIN = (
    "I have looked at my files once more, and I stand by what I found: {said}.",
    "My position after twenty years of work on this is the same: {said}.",
    "I repeat what the records of {where} show: {said}.",
)
_ALLIED = (
    "{Name} and I see this the same way: {said}. I could bend on the timing, and never on that.",
    "I am with {name}, and for the same reason: {said}. On how it is paid we could give way.",
)
_OPPOSED = (
    "We read the record otherwise than {name}. It shows that {said}, and that should count.",
    "{Name} has left something out: {said}. A step towards that would cost little.",
)
_GRANTED = (
    "I could bend on when it begins, and not on this: {reason}.",
    "What I cannot give up is that {reason}; the rest can be agreed on.",
    "On the terms I can give way, as long as somebody looks at {interest}: {reason}.",
)


def testify(prompt: Prompt, domains: Domains, vote: int, rng: np.random.Generator) -> str:
    """What the credible expert says beside its position, which it may have said before."""
    (words,) = rng.spawn(1)
    frames = _AGAIN if prompt.heard else _TESTIMONIES
    said = _clause(reasons_of(domains, prompt.statement), vote, words)
    where = prompt.where or "this city"
    return filled(pick(frames, words), where=where, claim=claimed(prompt.statement), said=said)


def contribute(prompt: Prompt, domains: Domains, truth: int, rng: np.random.Generator) -> str:
    """What one says who has no vote, by its role.

    Parameters
    ----------
    truth : the point that the public prefers, of which only a nudger is told.
    rng : of the reply; words come from a stream of their own.
    """
    (words,) = rng.spawn(1)
    reasons = reasons_of(domains, prompt.statement)
    if prompt.role == "moderator":
        return _moderate(prompt, domains, reasons, words)
    if prompt.role == "side":
        return _talk(prompt, domains, reasons, words)
    votes = {"nudger": truth, "sentimental": len(reasons.gains + reasons.costs)}
    votes |= {"ally": prompt.votes.get(prompt.loner, UNREAD), "experts": prompt.majority}
    vote = votes[prompt.role]
    frames = {"nudger": _NUDGES, "sentimental": _FEELINGS, "ally": _ALLIED, "experts": _OPPOSED}
    name = prompt.loner or _farthest(prompt, vote)
    said = _clause(reasons, vote, words)
    if prompt.role == "ally":
        theirs = [clause for one in prompt.heard for clause in one.own(reasons)]
        said = theirs[0] if theirs else said
    return filled(pick(frames[prompt.role], words), name=called(domains, name), said=said)


def _moderate(
    prompt: Prompt, domains: Domains, reasons: Reasons, words: np.random.Generator
) -> str:
    """Sets two of those who were heard against each other, one of each side where there are two."""
    voted = [one for one in prompt.heard if one.name in prompt.votes]
    found = [(one, clause) for one in voted for clause in one.own(reasons)]
    gains = [(one, said) for one, said in found if said in reasons.gains and one.vote > _NEUTRAL]
    costs = [(one, said) for one, said in found if said in reasons.costs and one.vote <= _NEUTRAL]
    if not gains:
        gains = [(one, said) for one, said in found if said in reasons.gains]
    pairs = [(mine, theirs) for mine in gains for theirs in costs if mine[0].name != theirs[0].name]
    if pairs:
        (one, said), (other, against) = pairs[int(words.integers(len(pairs)))]
        names = {"name": called(domains, one.name), "other": called(domains, other.name)}
        return filled(pick(_MODERATED, words), said=said, against=against, **names)
    if not found:
        return "I have heard votes and no reasons yet. Say what weighs most with you."
    one, said = found[int(words.integers(len(found)))]
    return filled(pick(_MODERATED_ALONE, words), name=called(domains, one.name), said=said)


def _talk(prompt: Prompt, domains: Domains, reasons: Reasons, words: np.random.Generator) -> str:
    """An answer to those whom an agent talks with, and what it could give up."""
    own = prompt.votes.get(prompt.agent, _NEUTRAL)
    partners = [one for one in prompt.heard if one.name not in (prompt.agent, *OWN)]
    allied = prompt.strategy == "alliance"
    talked = [one for one in partners if one.vote == UNREAD]
    chosen = talked or [one for one in partners if (one.vote == own) == allied] or partners
    given = argument(domains, prompt.statement, prompt.agent, own, int(words.integers(4)))
    granted = filled(pick(_GRANTED, words), interest=given.interest, reason=given.reason)
    if not chosen:
        return granted
    return f"{reply_to(domains, reasons, chosen, own, words)}\n{granted}"


def _clause(reasons: Reasons, vote: int, words: np.random.Generator) -> str:
    """A clause for a vote; for a neutral one, of both sides."""
    if vote == _NEUTRAL:
        return f"{pick(reasons.gains, words)}, and yet {pick(reasons.costs, words)}"
    return pick(reasons.gains if vote > _NEUTRAL else reasons.costs, words)


def _farthest(prompt: Prompt, vote: int) -> str:
    """The agent whose vote is farthest from one; the first of several."""
    names: Sequence[str] = sorted(prompt.votes, key=lambda name: -abs(prompt.votes[name] - vote))
    return names[0] if names else prompt.agent
