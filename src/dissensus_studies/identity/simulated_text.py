"""The words of simulated agents: a reasoned response, and the sentence that keeps their counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

#: How a first response begins; {x} is what it comes to.
_OPENERS = (
    "Going through the question step by step, I come to {x}.",
    "The question turns on one detail, and that detail points to {x}.",
    "From what is given to what is asked, the way leads to {x}.",
    "Weighing what is plausible here in turn, I settle on {x}.",
    "The question in plain words already suggests {x}.",
    "With what is given set out in order, I arrive at {x}.",
)
#: What a later one says of the opinion that it answers, by number: {y} is what that comes to, and
#: {p} what the agent said before.
_STANCES = {
    "kept": (
        "Opinion {n} argues for {y}, but {against}; I stay with {x}.",
        "I do not follow opinion {n} to {y}, since {against}, and I keep to {x}.",
        "Against opinion {n}, which has {y}, I hold to {x}: {against}.",
    ),
    "agreed": (
        "Opinion {n} comes to {x} too, and I stay with it.",
        "Like opinion {n} I see no way round {x}, and keep to it.",
    ),
    "moved": (
        "Opinion {n} has convinced me of {x}, and I give up {p}.",
        "What opinion {n} says for {x} is sounder than what I said for {p}.",
        "I leave {p} for {x}, which opinion {n} has argued.",
    ),
    "alone": (
        "No opinion says so, and yet I come to {x} and give up {p}.",
        "On reflection neither {p} nor what the opinions say holds, and I come to {x}.",
    ),
    "between": (
        "Opinion {m} argues for {x} and opinion {n} for {y}; I follow the former, since {against}.",
        "I set opinion {m} on {x} against opinion {n} on {y}, and the latter fails: {against}.",
        "Opinion {m} has {x} and opinion {n} has {y}; I leave the latter, since {against}.",
    ),
    "joined": (
        "Opinion {n} comes to {x}, nobody says otherwise, and neither do I.",
        "Nothing is said against opinion {n} and its {x}, and I find nothing either.",
    ),
    "apart": (
        "Opinion {n} argues for {y}, but {against}; I come to {x}.",
        "I cannot join opinion {n} in {y}, since {against}, and I come to {x}.",
    ),
    "unread": ("No opinion comes to an end, so I begin anew and come to {x}.",),
    "checked": (
        "I have looked for a mistake in what I said of {x}, and I find none.",
        "Read once more, what I said for {x} stands.",
    ),
    "mended": (
        "I have found a mistake in what I said for {p}, and without it I come to {x}.",
        "Read once more, what I said for {p} does not stand, and it is {x} that is left.",
    ),
}
#: Why an answer is none, as it follows "since".
_AGAINST = {
    "choice": (
        "that would need something that the question does not say",
        "that fits the beginning of the question and not its end",
        "that leaves one of the facts out",
        "that would follow if the facts were the other way round",
        "that belongs to a neighbouring question",
        "that goes with one word of the question and not with the rest",
    ),
    "numeric": (
        "a step is left out on the way there",
        "that does not give back the numbers that we started from",
        "that stops a step too early",
        "an amount is counted twice on the way there",
        "a part is taken of the wrong whole there",
    ),
}
#: Reasons of those who know none; what is right has its own.
_REASONS = {
    "choice": (
        "What is asked fits it better than the rest.",
        "Without what contradicts the facts, nothing else is left.",
        "What is described leads straight there.",
        "Each of the others fails on at least one point.",
        "The wording of the question rules out the rest.",
        "It holds up against first principles.",
        "The most direct reading of the question supports it.",
    ),
    "numeric": (
        "I have carried the steps through in order.",
        "I have added up the parts and taken away what is lost.",
        "I have gone through the units as well.",
        "I have done it a second way.",
        "I have not forgotten the last step.",
    ),
}
_KNOWN = {
    "choice": ("The reason is this: {why}.", "What decides it is this: {why}.", "{why}."),
    "numeric": (
        "The working is {why}, which comes to {x}.",
        "Written out it is {why}, and that comes to {x}.",
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
_TOTALS = ("So far", "Up to now", "Over all rounds", "Until this round")
_LEFT_OPEN = (
    "I leave it there.",
    "That is as far as I can take it.",
    "More than this I cannot say.",
)

_LEDGER = re.compile(
    r", I myself have said ([^;]*?); from others I have read (.*?)\.(?= (?:\{|[A-Z])|$)"
)
_SHOWN = re.compile(r", the opinions that I was shown have said (.*?)\.(?= (?:\{|[A-Z])|$)")
_COUNTED = re.compile(r"([^\s,()]+) \((once|[\d.]+ times)\)")
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


@dataclass(frozen=True)
class Asked:
    """What a response is on.

    Attributes
    ----------
    kind : of the question.
    options : texts of a choice, in the order of their letters.
    why : the reason for the right answer, or its working; "" where the answer is not right, or
        where its agent knows none.
    """

    kind: str
    options: Sequence[str] = ()
    why: str = ""

    def named(self, answer: str) -> str:
        """An answer as a response names it: an option by its words too."""
        if self.kind != "choice":
            return answer
        place = ord(answer) - ord("A") if len(answer) == 1 else -1
        text = self.options[place].rstrip(".") if 0 <= place < len(self.options) else ""
        return f"“{text}” ({answer})" if text else f"option {answer}"


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
    asked: Asked,
    answer: str,
    weighed: Weighed | None,
    previous: str | None,
    opinions: Sequence[str],
    words: np.random.Generator,
) -> str:
    """A response of some sentences, which ends without a final answer.

    Parameters
    ----------
    asked : the question.
    answer : what the response argues for.
    weighed : what its author has weighed until now; None in round 0.
    previous : its own last answer, "" where that had none, None where it cannot know it.
    opinions : the answers of those that it was shown by number, "" for one without.
    words : source of the choice of words, of which nothing else depends.
    """
    if weighed is None:
        first = _pick(_OPENERS, words).format(x=asked.named(answer))
    else:
        first = _answered(asked, answer, previous, opinions, words)
    ways = _KNOWN[asked.kind] if asked.why else _REASONS[asked.kind]
    sentences = [
        first,
        _pick(ways, words).replace("{why}", asked.why).replace("{x}", answer),
        _pick(_SECOND, words) if words.random() < 0.7 else "",
        "" if weighed is None else _ledger(weighed, previous is not None, words),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _answered(
    asked: Asked,
    answer: str,
    previous: str | None,
    opinions: Sequence[str],
    words: np.random.Generator,
) -> str:
    """What is said of one or two of the opinions, and where that leaves the agent."""
    same = [n for n, other in enumerate(opinions, start=1) if other == answer]
    apart = [n for n, other in enumerate(opinions, start=1) if other not in ("", answer)]
    if previous and previous != answer:
        stance = "moved" if same else "alone" if opinions else "mended"
    elif previous:
        stance = "kept" if apart else "agreed" if same else "checked"
    elif apart:
        stance = "between" if same else "apart"
    else:
        stance = "joined" if same else "unread"
    numbers = same if stance in ("moved", "agreed", "joined") else apart
    number = numbers[int(words.integers(len(numbers)))] if numbers else 0
    return _pick(_STANCES[stance], words).format(
        x=asked.named(answer),
        n=number,
        m=same[int(words.integers(len(same)))] if same else 0,
        y=asked.named(opinions[number - 1]) if number else "",
        p=asked.named(previous) if previous else "",
        against=_pick(_AGAINST[asked.kind], words),
    )


def unfinished(uniform: float) -> str:
    """How a response ends that names no final answer."""
    return _LEFT_OPEN[int(uniform * len(_LEFT_OPEN))]


def _pick(sentences: Sequence[str], words: np.random.Generator) -> str:
    return sentences[int(words.integers(len(sentences)))]


def _ledger(weighed: Weighed, knows_own: bool, words: np.random.Generator) -> str:
    begin, others = _pick(_TOTALS, words), _written(weighed.other_counts)
    if knows_own:
        own = _written(weighed.own_counts)
        return f"{begin}, I myself have said {own}; from others I have read {others}."
    return f"{begin}, the opinions that I was shown have said {others}."


def _written(counts: Counts) -> str:
    times = {answer: f"{count:.6g} times" for answer, count in sorted(counts.items())}
    counted = [f"{answer} ({'once' if n == '1 times' else n})" for answer, n in times.items()]
    return ", ".join(counted) or _NOTHING


def _counts(text: str) -> dict[str, float]:
    return {
        answer: 1.0 if times == "once" else float(times.split()[0])
        for answer, times in _COUNTED.findall(text)
    }
