"""The marks by which models set thought, answers and turns apart: a table that a user can extend.

``resources/thought.yaml`` has them; the setting ``thought`` names a file with more.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, field_validator

from dissensus.digests import digest
from dissensus.settings import Settings, validate
from dissensus.shipped import origin
from dissensus.user_files import read_yaml

Before = Literal["first", "line", "sentence", "word", "within"]
After = Literal["line", "new", "word", "within"]

#: The project's own table.
TABLE = origin() / "resources/thought.yaml"
_NAME, _ROLE = "NAME", "ROLE"
_PLACEHOLDER = re.compile(f"({_NAME}|{_ROLE})")
#: What may stand between a name and the end of its mark: the attributes of a tag; for whom and in
#: which form a message of the harmony format is.
_BETWEEN = {
    ">": r"(?:[ \t]{1,4}[\w:-]{1,40}=[^<>\n]{0,200})?[ \t]?/?",
    "<|message|>": r"[^\n<]{0,200}(?:<[|｜]constrain[|｜]>[^\n<]{0,200})?",
}
#: Thought that is folded, by an attribute or by its summary; and what is set apart at the beginning
#: of a reply, in a fence or a comment.
_FOLDED = (
    r"""<details\b(?:[^<>\n]{{0,80}}?[ \t](?:data-)?(?:type|class|id)=["']?(?:{0})["']?"""
    r"""(?:[ \t][^<>\n]{{0,200}})?>|[^<>\n]{{0,80}}>\s{{0,9}}<summary\b[^<>\n]{{0,80}}>"""
    r"""[^<>\n]{{0,40}}?(?<!\w)(?:{1})(?!\w)[^<>\n]{{0,80}}</summary>)"""
)
_FOLD_END = "</details>"
_FENCED = (
    r"\A\s*+(?:(`{{3,9}}|~{{3,9}}|:{{3,9}})[ \t]?(?:{0})[ \t]*+\n(.*?)\n[ \t]*+\1[ \t]*+(?:\n|\Z)"
    r"|<!--[ \t]?(?:{0})[ \t]?-->(.*?)<!--[ \t]?/[ \t]?(?:{0})[ \t]?-->"
    r"|<!--[ \t]?(?:{0})\b(.*?)-->)"
)
#: Headings of thought and answer, in bold, as Markdown has them, between lines or with a colon.
_SIGN = "[-*_#=~─—💭🤔🧠💬✅]"
_HEAD = (
    rf"\A\s*+(?:{_SIGN}{{{{1,6}}}}[ \t]?(?:my[ ])?(?:{{0}})[ \t]?"
    rf"(?:(?:[:：]{_SIGN}{{{{1,3}}}}|{_SIGN}{{{{1,3}}}}[:：])[ \t]|"
    rf"[:：]?[ \t]?{_SIGN}{{{{0,6}}}}[:：]?[ \t]*+(?:\n|\Z))"
    r"|(?:here[’']?s?[ ](?:is[ ])?)?(?:my[ ])?(?:{0})(?:[:：]|\.{{3}}|…)[ \t]*+(?:\n|\Z))"
)
_ANSWER_HEAD = (
    rf"^[ \t]{{{{0,3}}}}(?:{_SIGN}{{{{1,6}}}}[ \t]?(?:my[ ])?(?:{{0}}|end[ ](?:of[ ])?(?:{{1}}))"
    rf"[ \t]?[:：]?[ \t]?{_SIGN}{{{{0,6}}}}[:：]?(?=\s|\Z)"
    r"|(?:here[’']?s?[ ](?:is[ ])?)?(?:my[ ])?(?:{0})[:：](?=[ \t]*(?:\n|\Z))"
    r"|\.{{3}}[ ]?done[ ](?:{1})\.?(?=[ \t]*(?:\n|\Z)))"
)
#: Letters in full width.
_WIDE = re.compile("[Ａ-Ｚａ-ｚ]")
_NARROW = {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
#: What else a sign may be written as.
_TWINS = {"|": "｜", "<": r"＜&\\"}
#: Characters that templates and servers write in several ways.
_AS_WRITTEN = {
    **dict.fromkeys("_▁", "[-_▁ ]?"),
    **dict.fromkeys("|｜", "[|｜]"),
    "<": r"(?:\\?[<＜]|&lt;|&#(?:60|x3c);|\\u003c)",
    ">": r"(?:\\?[>＞]|&gt;|&#(?:62|x3e);|\\u003e)",
    "/": r"[ \t]?/",
}


def _is_mark(mark: str) -> str:
    if mark[:1].isalnum() or mark[:1].isspace() or len(mark.strip()) < 3:
        raise ValueError("a mark begins with a sign, such as <, and has three characters at least")
    if max(mark.count(_NAME), mark.count(_ROLE)) > 1 or (_NAME in mark and _ROLE in mark):
        raise ValueError(f"a mark has {_NAME} or {_ROLE} once at most")
    return mark


def _has_words(name: str) -> str:
    if not name.strip():
        raise ValueError("a name has a letter at least")
    return name


_Names = list[Annotated[str, AfterValidator(_has_words)]]
_Signs = list[Annotated[str, AfterValidator(_is_mark)]]


class ThoughtMarks(Settings):
    """How thought is marked: the names in its marks, what begins and ends it, and plain words."""

    names: _Names = Field(default_factory=list)
    """Names of thought, which every shape of marks may have."""
    begins: _Signs = Field(default_factory=list)
    """Marks that begin a thought; NAME in one stands for any name."""
    begins_if_ended: _Signs = Field(default_factory=list)
    """The same, where the thought must have an end to count."""
    ends: _Signs = Field(default_factory=list)
    """Marks that end a thought, whatever began it."""
    words: list[list[str]] = Field(default_factory=list)
    """Pairs of plain words: those that begin a reply with thought, and those that end it."""

    @field_validator("words")
    @classmethod
    def _are_pairs(cls, words: list[list[str]]) -> list[list[str]]:
        if any(len(pair) != 2 or not all(map(str.strip, pair)) for pair in words):
            raise ValueError("each entry has two: the words that begin, and those that end")
        return words


class _Answer(Settings):
    names: _Names = Field(default_factory=list)
    begins: _Signs = Field(default_factory=list)
    ends: _Signs = Field(default_factory=list)


class _Turn(Settings):
    others: _Names = Field(default_factory=list)
    itself: _Names = Field(default_factory=list)
    begins: _Signs = Field(default_factory=list)
    begins_other: _Signs = Field(default_factory=list)
    begins_own: _Signs = Field(default_factory=list)
    ends: _Signs = Field(default_factory=list)


class MarkTable(Settings):
    """A file of marks."""

    thought: ThoughtMarks = ThoughtMarks()
    answer: _Answer = _Answer()
    turn: _Turn = _Turn()


class Place(NamedTuple):
    """Where a mark stands.

    Attributes
    ----------
    before : whether it is the first of the reply but for other marks, begins a line, follows the
        end of a sentence, touches the word before, or stands within a sentence.
    after : whether its line ends after it, something new begins (a capital letter, a sign, a letter
        without case after a space), a word touches it that may go on, or its sentence goes on.
    touches : whether what follows on its line does so without a space.
    is_quoted : whether it stands between quotation marks or brackets of its own.
    """

    before: Before
    after: After
    touches: bool
    is_quoted: bool


@dataclass
class Mark:
    """A mark in a reply: its kind (see :class:`Marks`) and its place."""

    kind: str
    start: int
    end: int
    place: Place
    #: Number of the mark that ends the thought that this one begins, or the other way round.
    partner: int | None = None

    @property
    def is_spoken_of(self) -> bool:
        place = self.place
        return place.is_quoted or (place.before == "within" and place.after == "within")

    @property
    def stands(self) -> bool:
        """Whether it is meant though nothing belongs to it."""
        place = self.place
        if place.is_quoted or place.before == "within" or place.after == "within":
            return False
        return place.before != "word" or place.after != "word"


@dataclass(frozen=True)
class Marks:
    """Marks that can be looked for.

    Attributes
    ----------
    pattern : finds any in small letters; its group is the kind, see :meth:`find`.
    signs, starts : what a mark may begin with, and what a reply that begins with thought in words
        or under a heading. A text with neither has no mark: most have none, and that is quickly
        seen.
    speaker : begins what somebody says after the end of a turn, as in ``User: ``.
    words : plain words that begin a thought, with those that end it.
    itself : what the model is called where its own turn begins.
    folded, fenced : begins thought that a page would fold, ``<details type="reasoning">``; and what
        is set apart at the beginning of a reply, as in a fence.
    head, answer_head : a heading that begins a reply with thought, ``**Thinking Process:**``, and
        one that begins the answer after it.
    names : of thought, in lower case.
    sha256 : digest of all of it.
    """

    pattern: re.Pattern[str]
    signs: re.Pattern[str]
    starts: re.Pattern[str]
    speaker: re.Pattern[str]
    words: tuple[tuple[str, str], ...]
    itself: re.Pattern[str]
    folded: re.Pattern[str]
    fenced: re.Pattern[str]
    head: re.Pattern[str]
    answer_head: re.Pattern[str]
    names: frozenset[str]
    sha256: str

    def find(self, text: str) -> list[tuple[str, int, int]]:
        """The marks in a text, in order: the kind of each, and where it begins and ends.

        Kinds are ``begin``, ``if_ended`` and ``end`` of thought, ``answer`` and ``after`` it,
        ``stop`` of a turn, and the begin of an ``own`` turn or of an ``other``'s.
        """
        small = text.translate(_NARROW).lower() if _WIDE.search(text) else text.lower()
        if len(small) != len(text):
            # Of a letter that is two in small, such as İ, no mark has any.
            small = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
        matches = self.pattern.finditer(small)
        return [(str(m.lastgroup).removesuffix("_"), *m.span()) for m in matches]

    def unfold(self, text: str) -> tuple[str, list[str]]:
        """A text without the thought that is folded in it, and that; without its end, all is."""
        pieces, thoughts, past = [], [], 0
        for begin in self.folded.finditer(text):
            if begin.start() < past or text[begin.start() - 1 : begin.start()] == "`":
                continue
            pieces.append(text[past : begin.start()])
            end = text.find(_FOLD_END, begin.end())
            past = len(text) if end < 0 else end + len(_FOLD_END)
            thoughts.append(text[begin.end() : past].removesuffix(_FOLD_END))
        return "".join([*pieces, text[past:]]), thoughts

    def under_heads(self, text: str) -> tuple[str, str] | None:
        """The thought under a heading that begins a text, and the answer under a later one.

        Or the thought in a fence, and what is after that.
        """
        fenced = self.fenced.match(text)
        if fenced and text[fenced.end() :].strip():
            return "".join(filter(None, fenced.groups()[1:])), text[fenced.end() :]
        head = self.head.match(text)
        answer = self.answer_head.search(text, head.end()) if head else None
        if head is None or answer is None or not text[answer.end() :].strip():
            return None
        return text[head.end() : answer.start()], text[answer.end() :]


def read_marks(path: Path | None = None, of_model: Mapping[str, Any] | None = None) -> Marks:
    """The project's marks, with those of a user's file and of a model's own setting.

    Parameters
    ----------
    path : of the setting ``thought``.
    of_model : the model's, as :class:`ThoughtMarks` has them.

    Raises
    ------
    DissensusError : the file is none, or has other keys.
    """
    return _marks_of(path, json.dumps(of_model) if of_model else "")


def marks_sha256(path: Path | None = None, of_model: Mapping[str, Any] | None = None) -> str:
    """The digest of the same, without the patterns, which take a tenth of a second to make."""
    return digest(_table(path, json.dumps(of_model) if of_model else ""))


@cache
def _table(path: Path | None, of_model: str) -> Any:
    """The project's table, a user's and a model's as one: each one's marks with all names."""
    paths = [TABLE, *([path] if path else [])]
    tables = [validate(MarkTable, read_yaml(each), str(each)) for each in paths]
    if of_model:
        tables.append(MarkTable(thought=ThoughtMarks(**json.loads(of_model))))
    return _joined([each.model_dump() for each in tables])


@cache
def _marks_of(path: Path | None, of_model: str) -> Marks:
    table = _table(path, of_model)
    thought, answer, turn = table["thought"], table["answer"], table["turn"]
    roles = [*turn["others"], *turn["itself"]]
    kinds = {
        "begin": (thought["begins"], thought["names"]),
        "if_ended": (thought["begins_if_ended"], thought["names"]),
        "end": (thought["ends"], thought["names"]),
        "own": ([*turn["begins"], *turn["begins_own"]], turn["itself"]),
        "other": ([*turn["begins"], *turn["begins_other"]], turn["others"]),
        "stop": (turn["ends"], roles),
        # Last: of <|endoftext|>, `text` is no name.
        "answer": (answer["begins"], answer["names"]),
        "after": (answer["ends"], answer["names"]),
    }
    signs = {mark[0] for marks, _ in kinds.values() for mark in marks}
    first = f"[{''.join(re.escape(sign) + _TWINS.get(sign, '') for sign in sorted(signs))}]"
    # Most begin with <, which is looked at once for all of them; a name of a group stands once.
    tags, others = (
        "|".join(
            f"(?P<{kind}{end}>{_any_of(marks, names, is_tag)})"
            for kind, (marks, names) in kinds.items()
        )
        for is_tag, end in ((True, ""), (False, "_"))
    )
    heads = _names(_heads(thought["names"]))
    return Marks(
        re.compile(f"(?={first})(?:{_AS_WRITTEN['<']}(?:{tags})|{others})"),
        re.compile(first),
        re.compile(
            rf"\A\s*+(?:{_SIGN}|`{{3}}|:{{3}}"
            rf"|(?i:(?:here[’']?s? )?(?:is )?(?:my )?(?:{heads}))[:：.…]"
            rf"|{'|'.join(re.escape(begin) for begin, _ in thought['words']) or '(?!)'})"
        ),
        re.compile(rf"(?<!\s)\s*+(?:{_names(roles)})[ \t]*+(?:[:：\n]|\Z)", re.IGNORECASE),
        tuple((begin, end) for begin, end in thought["words"]),
        re.compile(rf"(?:{_names(turn['itself'])})(?!\w)|name=\w{{1,20}}", re.IGNORECASE),
        re.compile(_FOLDED.format(_names(thought["names"]), heads), re.IGNORECASE),
        re.compile(_FENCED.format(heads), re.IGNORECASE | re.DOTALL),
        re.compile(_HEAD.format(heads), re.IGNORECASE),
        re.compile(
            _ANSWER_HEAD.format(_names(answer["names"]), heads), re.IGNORECASE | re.MULTILINE
        ),
        frozenset(name.lower() for name in thought["names"]),
        digest(table),
    )


def _joined(tables: Sequence[Mapping[str, Any]]) -> Any:
    """Tables as one, list by list; no entry twice."""
    if all(isinstance(table, Mapping) for table in tables):
        return {name: _joined([table[name] for table in tables]) for name in tables[0]}
    joined: list[Any] = []
    for table in tables:
        joined += [entry for entry in table if entry not in joined]
    return joined


def _any_of(marks: Sequence[str], names: Sequence[str], is_tag: bool) -> str:
    """A pattern of any of some marks, with any of the names; nothing in it repeats without end.

    Parameters
    ----------
    is_tag : whether those are wanted that begin with <, without it; or all others.
    """
    ways: list[str] = []
    # Those that go on alike after the name, together: the names are long.
    befores: defaultdict[str, list[str]] = defaultdict(list)
    for mark in marks:
        if is_tag != (mark[0] == "<"):
            continue
        before, *placed = _PLACEHOLDER.split(mark[is_tag:], maxsplit=1)
        if placed:
            befores[placed[1]].append(_literal(before))
        else:
            ways.append(_literal(before))
    for after, before_names in befores.items():
        ends = _BETWEEN.get(after, "") + _literal(after) if after else r"(?!\w)"
        # A tag may have a space of names: seed:think, mm:think.
        space = r"(?:[a-z]{2,12}:)?" if is_tag else ""
        ways.append(f"(?:{'|'.join(before_names)})[ \t]?{space}(?:{_names(names)}){ends}")
    return "|".join(ways) or r"(?!)"


def _names(names: Sequence[str]) -> str:
    # The longest first: of two that begin alike, the shorter would hide the other.
    return "|".join(map(_literal, sorted(names, key=len, reverse=True))) or r"(?!)"


def _heads(names: Sequence[str]) -> list[str]:
    """Names of thought that no answer has for a heading, as it may have reasoning or analysis."""
    parts = "think|thought|monologue|scratch|reasoning_|思|denk|gedanken|pens|мысл|мышлен|생각|考"
    return [name for name in names if re.search(parts, name)]


def _literal(mark: str) -> str:
    return "".join(_AS_WRITTEN.get(sign) or re.escape(sign) for sign in mark.lower())
