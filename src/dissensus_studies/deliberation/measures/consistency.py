"""Whether the stance follows from the agent's own words: first by a rule, which may not decide.

The rule takes the last sentence of the reasoning that has a word of conclusion and names just one
option without a negation. Where there is none it takes the answer that the turn itself says its
reasoning comes to. Where there is none of that either the turn is undecidable, and a judge's
verdict is used if one was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A stop inside a label, as in "raise it by 2.5%", ends no sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_CONCLUDES = re.compile(
    r"\b(?:therefore|hence|thus|so|conclu\w+|overall|in sum|on balance|consequently|accordingly|"
    r"my (?:final )?(?:answer|stance|position|recommendation|choice|vote)|"
    r"i (?:choose|recommend|favou?r|support|endorse|prefer|vote|settle|come down|side))\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no longer|never|cannot|nor|neither|against|reject\w*|oppos\w+|unless|instead of|"
    r"rather than)\b|n['’]t\b",
    re.IGNORECASE,
)


def conclusion(reasoning: str, answer: str, options: Sequence[str]) -> str:
    """The option that a turn's reasoning comes to.

    Parameters
    ----------
    reasoning : the free text of the turn.
    answer : what the turn says its reasoning comes to, "" where it does not.
    options : labels.

    Returns
    -------
    An option, or "" where the rule does not decide.
    """
    for sentence in reversed(_SENTENCE_END.split(reasoning)):
        if not _CONCLUDES.search(sentence):
            continue
        named, rest = _named(sentence, options)
        if len(named) == 1 and not _DENIES.search(rest):
            return named[0]
    folded = answer.strip().casefold()
    return next((option for option in options if option.casefold() == folded), "")


def consistent(concluded: str, stance: str, verdict: bool | None) -> bool | None:
    """Whether a stance follows from the reasoning; None where neither rule nor judge decides.

    Parameters
    ----------
    concluded : what :func:`conclusion` gives.
    stance : of the turn, "" where unknown.
    verdict : of the last judge who was asked.
    """
    if concluded and stance:
        return concluded == stance
    return verdict


def _named(sentence: str, options: Sequence[str]) -> tuple[list[str], str]:
    """The options that a sentence names, the longest first, and the sentence without them."""
    named = []
    for option in sorted(options, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(option)}(?!\w)", re.IGNORECASE)
        sentence, times = pattern.subn(" ", sentence)
        if times:
            named.append(option)
    return named, sentence
