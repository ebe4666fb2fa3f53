"""What makes a simulated debate read like none, counted the same way for every study.

Each count is of speeches, in the order in which they were given. A study says by
:class:`Speech` what its turns are and by words of its own whom they answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dissensus.text.sentences import split_sentences

#: Words in quotation marks that are a quotation and no name.
FEWEST = 3
#: How many of the commonest first sentences are taken together.
COMMONEST = 12

_QUOTED = re.compile(r"[“「\"]([^”」\"]+)[”」\"]")
#: Where a clause may begin and end.
_BREAKS = frozenset(".,;:!?—–-()。，；：！？、“”「」\"'’\n")
#: Words after which a clause begins too.
_JOINS = re.compile(
    r"(?:\b(?:that|because|since|for|where|how|as|but|yet)|因为|但)$", re.IGNORECASE
)
_NUMBER = r"-?\d+(?:\.\d+)?"
_SUM = re.compile(rf"({_NUMBER}) ?([+−*×/-]) ?({_NUMBER}) ?(?:=|is|gives|makes) ?({_NUMBER})")
_DONE: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "−": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "×": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else float("nan"),
}


@dataclass(frozen=True)
class Speech:
    """A turn as a reader has it.

    Attributes
    ----------
    session, turn : where it stands; those of one turn were given at once.
    speaker : whose it is.
    text : what a reader reads of it.
    """

    session: str
    turn: int
    speaker: str
    text: str


def share(found: Iterable[bool]) -> float:
    """The share of true ones; 0 of none."""
    all_found = list(found)
    return sum(all_found) / len(all_found) if all_found else 0.0


def first_sentence(text: str) -> str:
    """The first sentence of a text's first line."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return next(iter(split_sentences(line)), line)


def first_lines(speeches: Sequence[Speech]) -> dict[str, float]:
    """Shares of distinct first sentences, and of speeches that begin with the twelve commonest."""
    times = Counter(first_sentence(one.text) for one in speeches)
    total = max(len(speeches), 1)
    return {
        "distinct first lines": len(times) / total,
        "twelve commonest first lines": sum(n for _, n in times.most_common(COMMONEST)) / total,
    }


def cut_quotes(speeches: Sequence[Speech]) -> list[tuple[Speech, str]]:
    """Quotations of a session's earlier speech that begin or end within one of its clauses."""
    found: list[tuple[Speech, str]] = []
    earlier: dict[str, list[Speech]] = {}
    for one in sorted(speeches, key=lambda speech: speech.turn):
        before = [other.text for other in earlier.get(one.session, []) if other.turn < one.turn]
        found += [
            (one, words)
            for words in _QUOTED.findall(one.text)
            if len(words.split()) >= FEWEST
            and any(words in text for text in before)
            and not any(_is_whole(text, words) for text in before)
        ]
        earlier.setdefault(one.session, []).append(one)
    return found


def _is_whole(text: str, words: str) -> bool:
    """Whether some place of a text has these words between two ends of clauses."""
    place = text.find(words)
    while place >= 0:
        end = place + len(words)
        start = text[:place].rstrip()
        opens = not start or start[-1] in _BREAKS or bool(_JOINS.search(start))
        closes = not text[end:].strip() or text[end:].lstrip()[0] in _BREAKS or words[-1] in _BREAKS
        if opens and closes:
            return True
        place = text.find(words, place + 1)
    return False


def false_sums(speeches: Sequence[Speech]) -> list[tuple[Speech, str]]:
    """Sums, differences, products and quotients that are stated and wrong."""
    return [
        (one, match[0])
        for one in speeches
        for match in _SUM.finditer(one.text.replace(",", ""))
        if abs(_DONE[match[2]](float(match[1]), float(match[3])) - float(match[4])) > 0.051
    ]
