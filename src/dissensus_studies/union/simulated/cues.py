"""What a simulated speech does, written in its words and read back from them.

A claim is the sentence after a lead of its kind and a colon, at the beginning of a paragraph. An
answer is a paragraph that begins with whom it answers, and with words of theirs in quotation marks.
All else is the speaker's own. The words are those of :mod:`.simulated.phrases`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from dissensus.text.sentences import split_sentences

from .material import is_specific
from .phrases import PHRASES

#: What a slot may hold; a quotation has no marks of its own.
_SLOTS = {"quote": r"(?P<quote>[^“”\n]+)", "name": r"[^“”\n.:]{1,80}?"}
_FILLED = r"[^\n.:]{1,80}?"


def pattern(template: str) -> str:
    """What a phrase can be when its slots are filled, as a regular expression."""
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join(
        _SLOTS.get(piece, _FILLED) if place % 2 else re.escape(piece)
        for place, piece in enumerate(pieces)
    )


def any_of(templates: Iterable[str]) -> str:
    """A regular expression of any of some phrases, in any of which groups have no names."""
    return "|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern(template)) for template in templates)


_LEAD = re.compile(
    rf"^(?:(?:{any_of(chain.from_iterable(PHRASES.ordinals))}), )?"
    rf"(?P<reply>(?:{any_of(PHRASES.replies)}), )?"
    rf"(?P<guard>(?:{any_of(PHRASES.guards)}), )?"
    rf"(?:{'|'.join(f'(?P<{kind}>{any_of(leads)})' for kind, leads in PHRASES.leads.items())}): ",
    re.IGNORECASE,
)
_ADDRESSES = [re.compile(pattern(template)) for template in PHRASES.addresses]
_BITS = {
    "logic": re.compile(rf"\b(?:{any_of(PHRASES.logic)}): ", re.IGNORECASE),
    "new": re.compile(rf"\b(?:{any_of(PHRASES.new)}): ", re.IGNORECASE),
    "undermines": re.compile(any_of(PHRASES.fallen)),
}


@dataclass(frozen=True)
class ReadClaim:
    """A claim of a speech; ``guarded``: objections are met in advance."""

    text: str
    kind: str
    specific: bool
    guarded: bool


@dataclass(frozen=True)
class ReadAnswer:
    """An answer to a claim; ``quote``: words of it, without a full stop.

    ``by`` counts the claims of the speech from 1, 0 where none makes it.
    """

    quote: str
    logic: bool
    new: bool
    undermines: bool
    by: int


@dataclass(frozen=True)
class ReadSpeech:
    claims: tuple[ReadClaim, ...]
    answers: tuple[ReadAnswer, ...]
    words: int


@lru_cache(maxsize=512)
def read(text: str) -> ReadSpeech:
    """What a speech does, by its cues."""
    claims: list[ReadClaim] = []
    answers: list[ReadAnswer] = []
    for line in text.splitlines():
        lead = _LEAD.match(line)
        if lead:
            claims.append(_claim(lead, line[lead.end() :]))
            if lead["reply"] and answers and not answers[-1].by:
                answers[-1] = replace(answers[-1], by=len(claims))
            continue
        quote = _quoted(line)
        if quote is not None:
            bits = {name: bool(cue.search(line)) for name, cue in _BITS.items()}
            answers.append(ReadAnswer(quote, **bits, by=0))
    return ReadSpeech(tuple(claims), tuple(answers), len(text.split()))


def _claim(lead: re.Match[str], rest: str) -> ReadClaim:
    kind = next(kind for kind in PHRASES.leads if lead[kind])
    text = next(iter(split_sentences(rest)), "")
    return ReadClaim(text, kind, is_specific(text), bool(lead["guard"]))


def _quoted(line: str) -> str | None:
    """What a paragraph answers; None where it answers nothing."""
    for address in _ADDRESSES:
        match = address.match(line)
        if match:
            return match["quote"]
    return None


def claim(text: str, lead: str, guard: str = "", reply: str = "", ordinal: str = "") -> str:
    """A claim with what stands before it; ``text`` is a sentence, and ``lead`` of its kind."""
    before = ", ".join(words for words in (ordinal, reply, guard, lead) if words)
    return f"{capital(before)}: {plain(text)}"


def capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def plain(text: str) -> str:
    """A sentence as it can stand in a claim and be quoted: one line, no quotation marks."""
    return " ".join(re.sub(r"[“”\"]", "", text).split())


def quoted_in(quote: str, texts: Sequence[str]) -> str:
    """The first of some claims that has the words of a quotation; "" where none has."""
    return next((text for text in texts if quote and quote in text), "")


#: Words that begin a clause of its own after a comma, so that what stands before may be quoted.
_NEXT = re.compile(
    r"(?:and|but|so|because|since|while|which|who|whose|where|when|though|although|if|unless|for"
    r"|as|yet|nor|whatever|until|after|before|with|without|not)\b",
    re.IGNORECASE,
)
#: Words after which the main clause is still to come.
_AWAITS = re.compile(
    r"(?:if|when|while|though|although|since|because|as|where|whatever|unless|until|after|before"
    r"|once|in|at|on|by|for|with|without|of|among|from|under)\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"(?P<mark>[,;:—–])\s*")
_FEWEST, _MOST = 6, 20


def fragment(text: str, others: Sequence[str] = ()) -> str:
    """A claim without its full stop, or its first clauses, if they stand alone and are enough to
    know it by.

    Nothing is ever cut within a clause: what is left out follows a mark, and a comma only where
    another clause begins there.
    """
    sentence = text.rstrip(" .!?…")
    if not _AWAITS.match(sentence):
        for match in _MARK.finditer(sentence):
            start, rest = sentence[: match.start()].rstrip(), sentence[match.end() :]
            is_clause = match["mark"] != "," or bool(_NEXT.match(rest))
            is_known = not any(start in other for other in others)
            if is_clause and is_known and _FEWEST <= len(start.split()) <= _MOST:
                return start
    return sentence
