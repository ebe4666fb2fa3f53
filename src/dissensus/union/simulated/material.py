"""What a simulated speaker makes of a corpus: sentences, themes, and a style."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]+[”’)]*")
_MARKS = re.compile(r"[.,;:?!\n—–()“”\"]+")
#: Who speaks, in an interview.
_WHO = re.compile(r"^\s*(?:\*\*)?(?P<who>[A-Z][\w .'’-]{0,40}):(?:\*\*)?\s+")
_NO_PROSE = ("#", ">", "- ", "*")
_PASSAGE = re.compile(r"^\[\d+\] ", re.MULTILINE)
#: A claim has so many words.
_SHORTEST, _LONGEST = 8, 32


@lru_cache(maxsize=256)
def sentences(text: str, speaker: str = "") -> tuple[str, ...]:
    """Whole sentences of a text in their order, without headings; each once.

    Parameters
    ----------
    speaker : whose sentences are wanted, in an interview; what others say there is left out.
    """
    prose, said_by = [], {}
    for line in text.splitlines():
        who = _WHO.match(line)
        if who or not line.startswith(_NO_PROSE):
            prose.append(line)
        if who and speaker:
            said_by[line] = bool(set(who["who"].split()) & set(_parts(speaker)))
    # A colon in prose names nobody; in an interview the speaker is named too, or names are bold.
    others = {
        line
        for line, is_own in said_by.items()
        if not is_own and (any(said_by.values()) or line.lstrip().startswith("**"))
    }
    lines = [_WHO.sub("", line) for line in prose if line not in others]
    pieces = (" ".join(piece.split()) for line in lines for piece in _SENTENCE.findall(line))
    return tuple(
        dict.fromkeys(piece for piece in pieces if piece[:1].isupper() and len(piece.split()) > 3)
    )


#: How sentences begin that need the one before, or speak of the speaker alone.
_LEANS = re.compile(
    r"(?:But|And|So|Then|Nor|Or|Yet|That|This|These|Those|They|It|He|She|His|Her|Its|Their|There"
    r"|Here|Which|None|Neither|Either|Both|Not|No|Yes|What|Why|How|I|My|You|Your|We|Our)(?:['’]\w+)?\b"
)


def _parts(name: str) -> list[str]:
    """The parts of a name, of which an interview has one."""
    return [part for part in re.split(r"\s+", name) if len(part) > 2]


def passages(text: str) -> list[str]:
    """The passages of a prompt, which are numbered in square brackets."""
    return [passage.strip() for passage in _PASSAGE.split(text) if passage.strip()]


def can_be_claimed(sentence: str) -> bool:
    """Whether a sentence says something by itself, and leans on none before it."""
    words = sentence.split()
    return (
        _SHORTEST <= len(words) <= _LONGEST
        and not sentence.endswith("?")
        and "“" not in sentence
        and not _LEANS.match(sentence)
    )


def is_specific(sentence: str) -> bool:
    """Whether it has a number, or a name that does not begin it."""
    return bool(re.search(r"\d", sentence) or re.search(r"(?<=[a-z,;] )[A-Z][a-z]+", sentence))


@lru_cache(maxsize=64)
def style(samples: str) -> str:
    """How somebody speaks, from samples: counted, as a JSON object."""
    spoken = sentences(samples) or ("Nothing is known.",)
    mean = sum(len(sentence.split()) for sentence in spoken) / len(spoken)
    questions = sum(sentence.endswith("?") for sentence in spoken) / len(spoken)
    figures = sum(any(map(str.isdigit, sentence)) for sentence in spoken) / len(spoken)
    devices = [
        *(["questions put to the listener"] if questions > 0.08 else []),
        *(["figures"] if figures > 0.15 else []),
        *(["long periods"] if mean > 22 else ["short sentences"]),
    ]
    return json.dumps(
        {
            "register": "formal" if mean > 22 else "plain" if mean > 15 else "conversational",
            "opening_patterns": [spoken[0]],
            "devices": devices,
            "disagreement_style": "asks before it answers"
            if questions > 0.08
            else "states and counts",
            "signature_phrases": _phrases(samples) or [spoken[0]],
            "closing_patterns": [spoken[-1]],
        },
        ensure_ascii=False,
    )


def _phrases(samples: str) -> list[str]:
    """What is said again in the same words, between two marks: the commonest four."""
    pieces = [" ".join(piece.split()) for piece in _MARKS.split(samples)]
    phrases = [piece for piece in pieces if 3 <= len(piece.split()) <= 12 and piece[:1].isalpha()]
    times = Counter(phrase.casefold() for phrase in phrases)
    first = {phrase.casefold(): phrase for phrase in reversed(phrases)}
    order = sorted(times, key=lambda phrase: (-times[phrase], phrase))
    return [first[phrase] for phrase in order if times[phrase] > 1][:4]
