"""The words of simulated agents: a reasoned response, and the sentence that keeps their counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

_OPENERS = (
    "Let me go through the question step by step.",
    "The question turns on one detail, so I begin there.",
    "I first set out what is given and what is asked.",
    "It helps to restate the problem before comparing answers.",
    "I work from what is known towards what is asked.",
    "There are a few plausible answers here, and I weigh them in turn.",
)
_REASONS = {
    "choice": (
        "What is asked fits {x} better than the alternatives.",
        "Ruling out what contradicts the facts leaves {x}.",
        "The mechanism described leads straight to {x}.",
        "Each of the other options fails on at least one point, and {x} does not.",
        "The wording of the question rules out the rest, so {x} remains.",
        "Checked against first principles, {x} holds up.",
        "The most direct reading of the question supports {x}.",
    ),
    "numeric": (
        "Carrying the steps through in order gives {x}.",
        "Adding up the parts and taking away what is lost comes to {x}.",
        "Working backwards from {x} reproduces every number that is given.",
        "The units agree and the sum comes to {x}.",
        "Done a second way, the calculation again gives {x}.",
        "Once the last step is counted, the result is {x}.",
    ),
}
_SECOND = (
    "A quick check of the opposite assumption leads to a contradiction.",
    "I see no fact in the question that speaks against it.",
    "This is the step where it is easy to go wrong.",
    "I am fairly sure of this, though not entirely.",
    "The remaining doubt does not change the outcome.",
    "It also agrees with what I know of similar problems.",
)
_STANCES = {
    "first": ("",),
    "kept": (
        "Having read the other views, I stay with what I said before.",
        "The other opinions do not give me a reason to change my answer.",
        "My earlier reasoning still holds.",
    ),
    "moved": (
        "Having read the other views, I revise what I said before.",
        "On reflection my earlier answer does not hold.",
        "The discussion convinces me to change my answer.",
    ),
    "read": (
        "I have compared the opinions given and judged them on their reasons.",
        "The opinions differ in their reasons, and I follow the soundest.",
        "Taken together, the opinions point me this way.",
    ),
}
_TOTALS = ("So far", "Up to now", "Over all rounds", "In total")
_LEFT_OPEN = (
    "I leave it there.",
    "That is as far as I can take it.",
    "More than this I cannot say.",
)

_LEDGER = re.compile(r"my own answers add up to ([^;]*); those of others to (.*?)\.(?= |$)")
_SHOWN = re.compile(r"the answers that I was shown add up to (.*?)\.(?= |$)")
_NOTHING = "nothing"

Counts = Mapping[str, float]


@dataclass(frozen=True)
class Weighed:
    """How often an agent has weighed which answers, over all rounds until now.

    ``own_counts`` counts its own, as far as it knows which they are, ``other_counts`` all other
    answers; in the anonymized condition everything is among the latter. There a count may
    be broken.
    """

    own_counts: Counts = field(default_factory=dict)
    other_counts: Counts = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.own_counts or self.other_counts)


def total(terms: Iterable[Counts], share: float = 1.0) -> dict[str, float]:
    """The sum of counts, each times a share."""
    summed: dict[str, float] = {}
    for counts in terms:
        for answer, count in counts.items():
            summed[answer] = summed.get(answer, 0.0) + share * count
    return summed


# An opinion is read by all who see it.
@lru_cache(4096)
def weighed_in(response: str) -> Weighed:
    """What the author of a response says that it had weighed; nothing where it says nothing."""
    if match := _LEDGER.search(response):
        return Weighed(_counts(match[1]), _counts(match[2]))
    if match := _SHOWN.search(response):
        return Weighed(other_counts=_counts(match[1]))
    return Weighed()


def compose(
    kind: str, answer: str, weighed: Weighed | None, previous: str | None, uniforms: Sequence[float]
) -> str:
    """A response of some sentences, which ends without a final answer.

    Parameters
    ----------
    kind : of the question.
    answer : what the response argues for.
    weighed : what its author has weighed until now; None in round 0.
    previous : its own last answer, "" where that had none, None where it cannot know it.
    uniforms : six random numbers in [0, 1), from which the sentences are chosen.
    """
    named = f"option {answer}" if kind == "choice" else answer
    stance = "first" if weighed is None else "read"
    if previous:
        stance = "kept" if previous == answer else "moved"
    sentences = [
        _pick(_OPENERS, uniforms[0]),
        _pick(_STANCES[stance], uniforms[1]),
        _pick(_REASONS[kind], uniforms[2]).replace("{x}", named),
        _pick(_SECOND, uniforms[3]) if uniforms[4] < 0.7 else "",
        "" if weighed is None else _ledger(weighed, previous is not None, uniforms[5]),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def unfinished(uniform: float) -> str:
    """How a response ends that names no final answer."""
    return _pick(_LEFT_OPEN, uniform)


def _pick(sentences: Sequence[str], uniform: float) -> str:
    return sentences[int(uniform * len(sentences))]


def _ledger(weighed: Weighed, knows_own: bool, uniform: float) -> str:
    begin, others = _pick(_TOTALS, uniform), _written(weighed.other_counts)
    if knows_own:
        self_counts = _written(weighed.own_counts)
        return f"{begin} my own answers add up to {self_counts}; those of others to {others}."
    return f"{begin} the answers that I was shown add up to {others}."


def _written(counts: Counts) -> str:
    counted = [f"{count:.6g} for {answer}" for answer, count in sorted(counts.items())]
    return ", ".join(counted) or _NOTHING


def _counts(text: str) -> dict[str, float]:
    if text == _NOTHING:
        return {}
    pairs = (part.partition(" for ") for part in text.split(", "))
    return {answer: float(count) for count, _, answer in pairs}
