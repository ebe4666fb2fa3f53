"""What a simulated speaker makes of a corpus: sentences, themes, and a style."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]+[”’)]*")
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_PASSAGE = re.compile(r"^\[\d+\] ", re.MULTILINE)
#: A claim has so many words.
_SHORTEST, _LONGEST = 8, 32
_COMMON = frozenset(
    """
    a about after all also an and any are as at be because been before but by can could did do
    does for from had has have he her him his how i if in into is it its like may me more most
    my no not of on one or other our out over said she should so some than that the their them
    then there these they this those to too up us was we were what when where which who whom why
    will with would you your
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """Whole sentences of a text in their order, without headings; each once."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("#", ">", "- "))]
    found = (" ".join(one.split()) for line in lines for one in _SENTENCE.findall(line))
    return tuple(dict.fromkeys(one for one in found if one[:1].isupper() and len(one.split()) > 3))


def passages(text: str) -> list[str]:
    """The passages of a prompt, which are numbered in square brackets."""
    return [one.strip() for one in _PASSAGE.split(text) if one.strip()]


def can_be_claimed(sentence: str) -> bool:
    """Whether a sentence says something by itself."""
    words = sentence.split()
    return (
        _SHORTEST <= len(words) <= _LONGEST and not sentence.endswith("?") and "“" not in sentence
    )


def is_specific(sentence: str) -> bool:
    """Whether it has a number, or a name that does not begin it."""
    return bool(re.search(r"\d", sentence) or re.search(r"(?<=[a-z,;] )[A-Z][a-z]+", sentence))


@lru_cache(maxsize=64)
def style(samples: str) -> str:
    """How somebody speaks, from samples: counted, as a JSON object."""
    said = sentences(samples) or ("Nothing is known.",)
    words = [word.casefold() for word in _WORD.findall(samples)]
    mean = sum(len(one.split()) for one in said) / len(said)
    questions = sum(one.endswith("?") for one in said) / len(said)
    figures = sum(any(map(str.isdigit, one)) for one in said) / len(said)
    devices = [
        *(["questions put to the listener"] if questions > 0.08 else []),
        *(["figures"] if figures > 0.15 else []),
        *(["long periods"] if mean > 22 else ["short sentences"]),
    ]
    return json.dumps(
        {
            "register": "formal" if mean > 22 else "plain" if mean > 15 else "conversational",
            "opening_patterns": [said[0]],
            "devices": devices,
            "disagreement_style": "asks before it answers"
            if questions > 0.08
            else "states and counts",
            "signature_phrases": _phrases(words) or [said[0]],
            "closing_patterns": [said[-1]],
        },
        ensure_ascii=False,
    )


def _phrases(words: list[str]) -> list[str]:
    """Runs of four words that come back, the commonest first; no two share two words in a row."""
    runs = Counter(zip(words, words[1:], words[2:], words[3:], strict=False))
    kept: list[tuple[str, ...]] = []
    for run, times in sorted(runs.items(), key=lambda item: (-item[1], item[0])):
        if times < 2 or len(kept) == 4:
            break
        pairs = set(pairwise(run))
        if any(pairs & set(pairwise(one)) for one in kept):
            continue
        if sum(word in _COMMON for word in run) < 4:
            kept.append(run)
    return [" ".join(run) for run in kept]
