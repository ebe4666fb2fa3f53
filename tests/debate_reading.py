"""What makes a simulated debate read like none, counted the same way for every study.

Each count is of speeches, in the order in which they were given. The tests of a study say by
:class:`Speech` what its turns are, and count what is its own: whom a turn names, which side it is
on, which question it answers. Run as a script on a run's folder (``results/demo``), it prints the
counts of all debates of all its studies.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dissensus.text.sentences import split_sentences

#: Words in quotation marks that are a quotation and no name.
FEWEST = 4
#: So many words in a row are somebody's.
RUN = 5
#: How many of the commonest first sentences are taken together.
COMMONEST = 12

_QUOTED = re.compile(
    r"[“「\"]([^”」\"]+)[”」\"]|(?:(?<=\s)|^)'([^'\n]+)'(?=[\s,.;:?!])|‘([^’\n]+)’(?!\w)"
)
#: What stands for the rest of a sentence that was left out.
_LEFT_OUT = re.compile(r"[ .]*(?:…|\.\.\.)$")
#: Where a clause may begin and end.
_BREAKS = frozenset(".,;:!?—–()。，；：！？、“”「」\"'‘’\n")
#: Words after which a clause begins too.
_JOINS = re.compile(
    r"(?:\b(?:that|because|since|for|where|how|as|but|yet|theirs)|因为|但|可是|毕竟|在于)$",
    re.IGNORECASE,
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
    earlier: dict[str, list[tuple[int, str]]] = {}
    for one in sorted(speeches, key=lambda speech: speech.turn):
        said = earlier.setdefault(one.session, [])
        before = [text for turn, text in said if turn < one.turn]
        for groups in _QUOTED.findall(one.text):
            words = _LEFT_OUT.sub("", _plain("".join(groups)))
            if len(words.split()) < FEWEST and words.isascii():
                continue
            texts = [text for text in before if words in text]
            if texts and not any(_is_whole(text, words) for text in texts):
                found.append((one, words))
        said.append((one.turn, _plain(one.text)))
    return found


def _plain(text: str) -> str:
    """A text as quotations of it are compared: their marks and capitals are the quoting one's."""
    return text.replace("’", "'").casefold()


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


def taking_up(speeches: Sequence[Speech]) -> float:
    """The share of later speeches that have :data:`RUN` words or signs in a row of what somebody
    else has said in the session.
    """
    heard: dict[str, dict[tuple[str, ...], set[tuple[int, str]]]] = defaultdict(dict)
    taken = []
    for one in sorted(speeches, key=lambda speech: speech.turn):
        said = heard[one.session]
        runs = _runs(one.text)
        if any(turn < one.turn for places in said.values() for turn, _ in places):
            found = (place for run in runs for place in said.get(run, ()))
            taken.append(any(turn < one.turn and who != one.speaker for turn, who in found))
        for run in runs:
            said.setdefault(run, set()).add((one.turn, one.speaker))
    return share(taken)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[\u4e00-\u9fff]|[^\W_]+", text.casefold())
    return {tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}


def readable(text: str) -> str:
    """A turn without an object of JSON that ends it, or its lines of a vote."""
    prose = re.split(r"\n+(?:```json)?\s*\{", text)[0]
    return re.sub(r"^(?:Vote|Confidence):.*$", "", prose, flags=re.MULTILINE).strip()


#: Roles whose turns are made for programs, or before anybody has spoken.
_NO_SPEECH = re.compile(
    r"prepare|extract|labelled|claims|rubric|blind|rebuttals|definitions|recalibrate|contest|style"
    r"|memo|offer|judge.*|direct|extrapolated|open|rationale|counterfactual"
)


def counts(speeches: Sequence[Speech]) -> dict[str, float]:
    """What every study is counted by."""
    return {
        **first_lines(speeches),
        "later speeches that take up another's words": taking_up(speeches),
        "quotations cut within a clause": len(cut_quotes(speeches)),
        "false sums": len(false_sums(speeches)),
    }


def main(folder: Path) -> None:
    """Print the counts of each study of a run."""
    for path in sorted(folder.glob("*/turns.parquet")):
        turns = pd.read_parquet(path, columns=["session_id", "turn", "speaker", "role", "text"])
        turns = turns[~turns["role"].str.fullmatch(_NO_SPEECH)]
        columns = (turns[name] for name in ("session_id", "turn", "speaker", "text"))
        speeches = [Speech(*row[:3], readable(row[3])) for row in zip(*columns, strict=True)]
        print(path.parent.name, len(speeches))
        for name, value in counts(speeches).items():
            print(f"{value:10.3f}  {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
