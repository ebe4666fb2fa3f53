"""What simulated debaters can say: argument spaces, frames, and how a sentence answers another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.user_files import read_csv, read_tsv, read_yaml

#: Ways to answer, of which the speech before decides.
ANSWERS = ("answer", "answer_named", "answer_asked", "answer_unprompted")
_SHORTEST, _LONGEST = 4, 10
#: In Chinese, where words are not parted: characters.
_CHARACTERS = range(4, 15)
#: What begins a clause of its own after a comma, so that what stands before is whole.
_NEXT = re.compile(
    r"(?:and|but|so|because|since|while|which|who|whose|where|when|whereas|as|if|unless|though"
    r"|although|yet|nor|for|whatever|until|before|after|without|with|unlike|instead of|not|no"
    r"|(?!nothing|housing|something|anything|everything|evening)[a-z]+ing)\b"
)
#: Words after which a clause is still to come.
_AWAITS = re.compile(
    r"(?:if|when|where|while|although|though|since|because|once|unless|after|before|as|even|for"
    r"|in|at|on|by|with|without|under|from|among|like|unlike)\b"
)


# Compared by identity: spaces are read once, and a debater looks its clauses up all the time.
@dataclass(frozen=True, eq=False)
class Clause:
    """One clause of an argument space, in one language."""

    side: str
    point: int
    kind: str
    text: str
    label: str

    @cached_property
    def lower(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, eq=False)
class Space:
    """All that can be argued on a motion, in one language."""

    motion_id: str
    language: str
    clauses: tuple[Clause, ...]

    @cached_property
    def by_kind(self) -> Mapping[tuple[str, str], Sequence[Clause]]:
        """Side and kind -> clauses."""
        clauses = defaultdict(list)
        for clause in self.clauses:
            clauses[clause.side, clause.kind].append(clause)
        return clauses


@dataclass(frozen=True)
class Before:
    """The speech that is answered, and who answers it: a side, in the language of the space."""

    speech: str
    side: str
    space: Space


def composed(
    frames: Mapping[str, Any],
    kind: str,
    clause: Clause,
    choose: Callable[[int], int],
    before: Before,
) -> str:
    """A sentence of a kind with a clause in it.

    Parameters
    ----------
    frames : of the language, by kind.
    choose : the number of a frame, of so many.
    before : by which an answer is one to a question, to a quotation or to a point.
    """
    asked, quote = asked_in(before.speech, before.space), ""
    named = named_in(before.speech, before.side, before.space)
    if kind in ANSWERS:
        quote = quotation(before.speech, before.side, before.space)
        kind = "answer_asked" if asked else "answer" if quote else "answer_named"
        named = asked or named
        kind = kind if named or quote else "answer_unprompted"
    some = frames[kind]
    frame: str = some[choose(len(some)) % len(some)]
    return (
        frame.replace("{X}", clause.text[0].upper() + clause.text[1:])
        .replace("{x}", clause.text)
        .replace("{label}", clause.label)
        .replace("{quote}", quote)
        .replace("{named}", named)
    )


def quotation(speech: str, side: str, space: Space) -> str:
    """A whole clause of at most ten words that a speech has and a side does not share; "" where it
    has none so short.

    Parameters
    ----------
    speech : that is quoted, in the language of the space.
    side : of who quotes.
    space : what can be argued.
    """
    answered = (clause for clause in found_in(speech, space) if clause.side != side)
    quotable = (_quotable(clause.text, space.language) for clause in answered)
    return next(filter(None, quotable), "").replace("'", "’")


@cache
def _quotable(text: str, language: str) -> str:
    """The first of a clause's own clauses, if it is short and whole."""
    if language == "zh":
        start = text.split("，")[0]
        return start if len(start) in _CHARACTERS else ""
    if len(text.split()) <= _LONGEST:
        return text
    start, _, rest = text.partition(", ")
    is_short = _SHORTEST <= len(start.split()) <= _LONGEST
    return start if is_short and _NEXT.match(rest) and not _AWAITS.match(start) else ""


def named_in(speech: str, side: str, space: Space) -> str:
    """The label of the first point that a speech makes against a side; "" for none."""
    return next((clause.label for clause in found_in(speech, space) if clause.side != side), "")


def asked_in(speech: str, space: Space) -> str:
    """The label of the point that a speech asks about at its end; "" where it asks nothing."""
    if not speech.endswith(("?", "？", "؟")):
        return ""
    last = re.split(r"[.。?？؟]", speech[:-1])[-1].lower()
    named = {clause.label for clause in space.clauses if clause.label.lower() in last}
    return max(sorted(named), key=len, default="")


# A speech is read again in every later turn of its debate.
@lru_cache(1024)
def found_in(speech: str, space: Space) -> tuple[Clause, ...]:
    """The clauses that a speech contains, in the order of the space."""
    text = speech.lower()
    return tuple(clause for clause in space.clauses if clause.lower in text)


@cache
def frames_of(folder: str) -> dict[str, Any]:
    path = Path(folder) / "frames.yaml"
    frames: dict[str, Any] = read_yaml(path)
    return frames


@cache
def space_of(folder: str, motions: str, topic: str, language: str) -> Space:
    """The argument space of a topic, by its text or its motion_id; the generic one where the topic
    has none of its own.
    """
    motion_ids = _motion_of(motions)
    motion_id = motion_ids.get(topic, topic)
    path = Path(folder) / f"{motion_id}.tsv"
    if motion_id not in motion_ids.values() or not path.exists():
        path = Path(folder) / "generic.tsv"
    rows = read_tsv(path, ("side", "point", "part", language))
    labels = {(r["side"], r["point"]): r[language] for _, r in rows if r["part"] == "label"}
    clauses = []
    for number, row in rows:
        side, point, part = row["side"], row["point"], row["part"]
        if not point.isdecimal() or (side, point) not in labels:
            raise ResourceError(
                f"{path}, row {number}: point {point!r} of {side!r} is no number or has no label; "
                "number it, and give it a row whose part is label."
            )
        if part != "label":
            label = labels[side, point]
            clauses.append(Clause(side, int(point), part, row[language], label))
    return Space(motion_id, language, tuple(clauses))


@cache
def _motion_of(motions: str) -> dict[str, str]:
    """Motion text, in any language -> motion_id."""
    return {
        text: row["motion_id"]
        for _, row in read_csv(motions, ("motion_id",))
        for column, text in row.items()
        if column.startswith("motion_") and column != "motion_id"
    }
