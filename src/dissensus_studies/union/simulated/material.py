"""What a simulated speaker makes of a corpus: sentences, terms, and a style."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache

from dissensus.text.sentences import split_sentences

_ENDS = re.compile(r"[.!?][”’\"')\]]*$")
_MARKS = re.compile(r"[.,;:?!\n—–()“”\"]+")
_EMPHASIS = re.compile(r"\*+([^*\n]+)\*+")
#: Who speaks, in an interview.
_WHO = re.compile(r"^\s*(?:\*\*)?(?P<who>[A-Z][\w .'’-]{0,40}):(?:\*\*)?\s+")
_NO_PROSE = ("#", ">", "- ")
#: A line of this length goes on with the next one, unless an empty line comes between them.
_WRAPPED = 60
_PASSAGE = re.compile(r"^\[\d+\] ", re.MULTILINE)
#: A claim has so many words.
_SHORTEST, _LONGEST = 8, 42


@lru_cache(maxsize=256)
def sentences(text: str, speaker: str = "") -> tuple[str, ...]:
    """Whole sentences of a text in their order, without headings; each once.

    Parameters
    ----------
    speaker : whose sentences are wanted, in an interview; what others say there is left out.
    """
    pieces = (
        " ".join(_EMPHASIS.sub(r"\1", piece).split())
        for paragraph in _paragraphs(text, speaker)
        for piece in split_sentences(paragraph)
    )
    return tuple(
        dict.fromkeys(piece for piece in pieces if piece[:1].isupper() and _ENDS.search(piece))
    )


def _paragraphs(text: str, speaker: str) -> list[str]:
    """The prose of a text, lines that were only wrapped joined; of an interview what is wanted."""
    paragraphs: list[str] = []
    goes_on = False
    for line in text.splitlines():
        is_title = line.startswith("*") and line.rstrip().endswith("*") and not _WHO.match(line)
        if not line.strip() or line.startswith(_NO_PROSE) or is_title:
            goes_on = False
            continue
        if goes_on and not _WHO.match(line):
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
        goes_on = len(line) >= _WRAPPED
    if speaker:
        return _own(paragraphs, text, speaker)
    return [_WHO.sub("", paragraph) for paragraph in paragraphs]


def _own(paragraphs: list[str], text: str, speaker: str) -> list[str]:
    """What a speaker says; all of it where nobody is named in turn."""
    who = [_WHO.match(paragraph) for paragraph in paragraphs]
    names = [
        bool(set(match["who"].split()) & set(_parts(speaker))) if match else None for match in who
    ]
    is_bold = any(match and match[0].lstrip().startswith("**") for match in who)
    # A colon in prose names nobody; in an interview the speaker is named too, or names are bold.
    if True not in names and not (is_bold and False in names):
        return paragraphs
    first = next(place for place, name in enumerate(names) if name is not None)
    # What stands before the first name is the other's; a title and its notes are nobody's.
    is_own = not names[first] and not text.startswith("#")
    kept = []
    for paragraph, name in zip(paragraphs, names, strict=True):
        is_own = is_own if name is None else name
        if is_own:
            kept.append(_WHO.sub("", paragraph) if name is not None else paragraph)
    return kept


#: How sentences begin that need the one before, or speak of the speaker alone.
_LEANS = re.compile(
    r"(?:But|And|So|Then|Nor|Or|Yet|That|This|These|Those|They|It|He|She|His|Her|Its|Their|There"
    r"|Here|Which|None|Neither|Either|Both|Not|No|Yes|What|Why|How|I|My|You|Your|We|Our|Now|Let"
    r"|Some|Such|Another|One|Two|Three|The (?:same|other|second|third|first|latter|former|two)"
    r"|For (?:this|that)|First|Second|Third|Fourth|Fifth|Sixth|Seventh|Last|Just|Still"
    r"|Of (?:these|those|that|them)"
    r"|Against (?:these|them|that)|With (?:it|that|them)|In (?:that|those|these)|Each of them"
    r")(?:['’]\w+)?\b|[^,;:—]{0,60}\b(?:he|she|him|them|they|it)\b"
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
        and not re.search(r"[“”\"]", sentence)
        and len(split_sentences(sentence)) == 1
        and not _LEANS.match(sentence)
    )


def can_begin(sentence: str) -> bool:
    """Whether a sentence can follow one that it has nothing to do with."""
    return len(sentence.split()) > 4 and not _LEANS.match(sentence)


def is_specific(sentence: str) -> bool:
    """Whether it has a number, or a name that does not begin it."""
    return bool(re.search(r"\d", sentence) or re.search(r"(?<=[a-z,;] )[A-Z][a-z]+", sentence))


_NAME = re.compile(r"(?<=[a-z,;] )(?:[A-Z][\w-]+)(?: [A-Z][\w-]+)*\b(?!['’.])")
#: Names that are no subject of a speech by themselves.
_NO_NAME = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Mr|Mrs|Ms|Dr|Prof|Sir|Madam|I|God|House|Act)\b"
)
_NOUN = re.compile(
    r"\b(?:the|a|an|his|her|their|its|no|every|each|this|my|our|your)\s+"
    r"(?P<words>[a-z-]+(?: [a-z-]+)?)"
)
#: What may be a noun without an article.
_JOINED = re.compile(r"\b(?:of|in|for|with|by|from|on|and|are|more)\s+([a-z]{5,}\b)(?!['’])")
_ADJECTIVE = re.compile(r"(?:ed|al|ic|ive|ous|ful|ish|less|able|ible|wn|ary|ern|ntary)$")
#: What follows an article and is no noun, or none that a speech could be about.
_NO_NOUN_WORDS = """
    same other own first second third fourth fifth sixth seventh eighth ninth tenth last next most
    more less one two three four five six seven eight nine ten eleven twelve thirteen twenty
    thirty few lot bit many little great good best better new old whole very only such sort kind
    thing things way part ones hundred thousand half time fact point year years day days week
    weeks month months hour hours moment morning afternoon evening rest end number matter case
    question others reason cent crowns two right mean long wrong true short high which their there
    these those whose where while about after before being would could should again others every
    since until under above below still
"""
_NO_NOUN = frozenset(_NO_NOUN_WORDS.split())


@lru_cache(maxsize=4096)
def terms(sentence: str) -> tuple[str, ...]:
    """What a sentence is about, as it can be named again: its names, and nouns with an article."""
    named = []
    for match in _NAME.finditer(sentence):
        if not _NO_NAME.match(match[0]) and len(match[0]) > 3:
            is_the = sentence[: match.start()].casefold().endswith("the ")
            named.append(f"the {match[0]}" if is_the else match[0])
    nouns = []
    for match in _NOUN.finditer(f"{sentence[:1].lower()}{sentence[1:]}"):
        first, _, second = match["words"].partition(" ")
        words = f"{first} {second}" if second and _ADJECTIVE.search(first) else first
        noun = words.rsplit(" ", 1)[-1]
        if (
            len(noun) > 3
            and noun not in _NO_NOUN
            and first not in _NO_NOUN
            and not _is_verbal(words)
        ):
            nouns.append(f"the {words}")
    if not (named or nouns):
        joined = [word for word in _JOINED.findall(sentence) if word not in _NO_NOUN]
        nouns = [f"the {word}" for word in joined if not _is_verbal(word)][:1]
    return tuple(dict.fromkeys([*named, *nouns]))


def _is_verbal(words: str) -> bool:
    """Whether only an adjective was found, or a word that hardly is a noun."""
    last = words.rsplit(" ", 1)[-1]
    return bool(re.search(r"(?:ed|ly|est|ous|ive|wn)$", last))


@lru_cache(maxsize=4096)
def content(sentence: str) -> frozenset[str]:
    """The longer words of a sentence, by their first six letters."""
    return frozenset(word[:6] for word in re.findall(r"[^\W\d_]{5,}", sentence.casefold()))


@lru_cache(maxsize=64)
def style(samples: str) -> str:
    """How somebody speaks, from samples: counted, as a JSON object."""
    spoken = [sentence for sentence in sentences(samples) if len(sentence.split()) > 3]
    spoken = spoken or ["Nothing is known."]
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
