"""What a model wrote beside its answer: thought that servers leave in the text, and stray tokens.

Hosted models keep their thought apart; servers of open models often pass it on between marks, or
forget the one that begins it, and some do not stop a model that goes on as somebody else. None of
it is part of what was said: peers, judges and measures never see it.

Which marks there are is a table (:mod:`dissensus.llm.marks`). Whether a mark is meant, or only
spoken of, is told by what stands around it (:class:`Place`). It is spoken of between quotation
marks or brackets of its own, and where its sentence goes on around it. Else

- what begins a thought is meant where it is the first of the reply, where a line or a sentence
  begins, and where it touches what it encloses; but for the first, one that nothing ends is meant
  only where something new begins after it;
- what ends a thought that nothing began is meant where a line, a sentence or a word without a space
  ends before it, and something new begins after it: all before it is thought;
- the end of a turn is meant under the same condition, and where a speaker is named after it.

All takes time linear in the reply's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dissensus.llm.call import Reply
from dissensus.llm.marks import After, Before, Mark, Marks, Place, read_marks
from dissensus.llm.providers.stray import without_end, without_lead

#: What stands around a mark that is spoken of.
_QUOTES = {
    **{mark: mark for mark in "\"'`*_´"},
    **dict(zip("(（“‘「『«‹", ")）”’」』»›", strict=True)),
}
_SENTENCE_ENDS = frozenset(".!?。！？…")
_CLOSERS = frozenset("\"'”’」』)）]*_`")
#: So a sentence goes on after a mark, or in lower case.
_GOES_ON = frozenset(".,;:!?)]}，。、；：！？）")
_BLANKS = re.compile(r"[ \t]*")


class SplitReply(NamedTuple):
    """A reply: what was said, and the thought beside it ("" for none), both without margins."""

    text: str
    thought: str


def split_thought(reply: str, marks: Marks | None = None) -> SplitReply:
    """Part a model's reply into what it says and the thought in it.

    A thought that has no end was cut off: all of it is thought. What follows the end of the model's
    turn, where it goes on as somebody else, is neither.

    Parameters
    ----------
    reply : as the server passed it on.
    marks : to look for; None for the project's own.
    """
    marks = marks or read_marks()
    if not (marks.signs.search(reply) or marks.starts.match(reply)):
        return SplitReply(reply.strip(), "")
    reply, folded = marks.unfold(without_lead(reply, marks))
    split = _split(reply, marks)
    thought = _joined([*folded, split.thought]) if folded else split.thought
    return SplitReply(without_end(split.text), thought)


def _split(reply: str, marks: Marks) -> SplitReply:
    begun = reply.lstrip()
    if headed := marks.under_heads(reply):
        split = _Reading(headed[1], marks).split()
        return SplitReply(split.text, _joined([headed[0], split.thought]))
    for first, last in marks.words:
        after = begun[len(first) : len(first) + 1]
        if begun.startswith(first) and last in begun and (not first.isalpha() or after.isupper()):
            thought, _, rest = begun[len(first) :].partition(last)
            split = _Reading(rest, marks).split()
            return SplitReply(split.text, _joined([thought, split.thought]))
    return _Reading(reply, marks).split()


def reread(reply: Reply, marks: Marks | None) -> Reply:
    """A reply of a journal as it is read with the marks that are known now.

    So a mark that is added to the table takes its thought out of replies that were paid for.
    """
    if marks is None or reply.error:
        return reply
    split = split_thought(reply.text, marks)
    if split.text == reply.text:
        return reply
    thought = _joined([reply.thought, split.thought])
    return replace(reply, text=split.text, thought=thought, error="" if split.text else "empty")


def find_marks(reply: str, marks: Marks) -> list[Mark]:
    """The marks in a reply, in order, each with its place."""
    matches = marks.find(reply)
    starts = [*(begin for _, begin, _ in matches), len(reply)][1:]
    after: tuple[After, bool] = ("line", False)
    afters = []
    for (_, _, end), start in zip(reversed(matches), reversed(starts), strict=True):
        after = _after(reply, end, start, after)
        afters.append(after)
    placed: list[Mark] = []
    for (kind, begin, end), (follows, touches) in zip(matches, reversed(afters), strict=True):
        quote = _QUOTES.get(reply[begin - 1]) if begin else None
        is_quoted = quote is not None and reply[end : end + 1] == quote
        before = _before(reply, begin, placed[-1] if placed else None)
        placed.append(Mark(kind, begin, end, Place(before, follows, touches, is_quoted)))
    return placed


def _before(text: str, start: int, previous: Mark | None) -> Before:
    words = text[previous.end if previous else 0 : start]
    if not words.strip():
        if previous is None:
            return "first"
        if previous.place.is_quoted:
            return "within"
        is_next = "\n" not in words or previous.place.before == "first"
        return previous.place.before if is_next else "line"
    line = words.rstrip(" \t")
    if line.endswith(("\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029")):
        return "line"
    last = len(line) - 1
    while last > max(0, len(line) - 4) and line[last] in _CLOSERS:
        last -= 1
    if line[last] in _SENTENCE_ENDS:
        return "sentence"
    return "word" if len(line) == len(words) else "within"


def _after(text: str, end: int, start: int, of_next: tuple[After, bool]) -> tuple[After, bool]:
    """What is after a mark on its line, and whether it touches that.

    Parameters
    ----------
    end, start : where the mark ends, and the next one starts.
    of_next : the same of that.
    """
    begin = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    touches = begin == end
    if start < len(text) and begin >= start:
        return of_next[0], touches
    first = text[begin : begin + 1]
    if not first or first.isspace():
        return "line", False
    if first in _GOES_ON:
        return "within", touches
    if first.islower():
        return ("word", True) if touches else ("within", False)
    has_no_case = first.isalpha() and not first.isupper()
    return "word" if has_no_case and touches else "new", touches


class _Reading:
    """One reply, read mark by mark."""

    def __init__(self, reply: str, marks: Marks) -> None:
        self._text = reply
        self._marks = find_marks(reply, marks)
        self._speaker = marks.speaker
        self._said: list[str] = []
        self._thoughts: list[str] = []
        self._has_answer = False
        ends = [0, *(mark.end for mark in self._marks)]
        starts = [*(mark.start for mark in self._marks), len(reply)]
        #: Whether nothing but white space is before each mark, and after the last.
        self._follows = [
            not reply[end:start].strip() for end, start in zip(ends, starts, strict=True)
        ]
        self._pair()
        self._look_ahead()

    def _pair(self) -> None:
        """Tell which end belongs to which begin."""
        open_ones: list[int] = []
        for number, mark in enumerate(self._marks):
            if mark.is_spoken_of:
                continue
            if mark.kind in ("begin", "if_ended"):
                # Some templates begin the thought, and the model does so once more.
                if not (open_ones and open_ones[-1] == number - 1 and self._follows[number]):
                    open_ones.append(number)
            elif mark.kind == "end" and open_ones:
                mark.partner = open_ones.pop()
                self._marks[mark.partner].partner = number

    def _look_ahead(self) -> None:
        """Tell of each mark, and of what is after the last, what follows it."""
        count = len(self._marks)
        #: The number of the next begin of an answer, and of the next end, spoken of or not.
        self._next_answer: list[int | None] = [None] * (count + 1)
        self._next_end: list[int | None] = [None] * (count + 1)
        #: Whether nothing follows but marks that end a turn or an answer; and whether an answer or
        #: a thought begins at once, after other such marks.
        self._is_last = [False] * count
        self._leads_on = [False] * count
        ends = [n for n, mark in enumerate(self._marks) if mark.kind == "end"]
        self._last_end = max((n for n in ends if not self._marks[n].is_spoken_of), default=-1)
        for number in reversed(range(count)):
            mark, is_next = self._marks[number], self._follows[number + 1]
            is_answer = mark.kind == "answer" and not mark.is_spoken_of
            is_end = mark.kind == "end" and not mark.place.is_quoted
            self._next_answer[number] = number if is_answer else self._next_answer[number + 1]
            self._next_end[number] = number if is_end else self._next_end[number + 1]
            passes = mark.kind in ("stop", "own", "after")
            rest = number + 1 < count
            self._is_last[number] = passes and is_next and (not rest or self._is_last[number + 1])
            self._leads_on[number] = mark.kind in ("answer", "begin") or (
                mark.kind in ("stop", "own") and is_next and rest and self._leads_on[number + 1]
            )

    def split(self) -> SplitReply:
        """What was said, and what was thought."""
        number, begin = 0, 0
        while number < len(self._marks):
            mark = self._marks[number]
            step = None if mark.is_spoken_of else self._read(number, begin)
            if step is None:
                number += 1
                continue
            number, begin = step
        self._say(begin, len(self._text))
        return SplitReply(_together(self._said), _joined(self._thoughts))

    def _read(self, number: int, begin: int) -> tuple[int, int] | None:
        """Read a mark: the number of the next, and where the text goes on; None for mere words."""
        mark = self._marks[number]
        kind, ends = mark.kind, len(self._text)
        if kind in ("begin", "if_ended"):
            return self._read_thought(number, begin)
        if kind == "end" and mark.partner is None and mark.stands:
            return self._read_end(number, begin)
        if kind == "after" and (self._has_answer or self._is_last[number]):
            self._say(begin, mark.start)
            return number + 1, mark.end
        if kind == "answer" and mark.stands:
            return self._read_answer(number, begin)
        if kind in ("stop", "own", "other"):
            before = self._marks[number - 1].end if number else 0
            if kind != "other" and not self._said and begin == before and self._follows[number]:
                return number + 1, mark.end
            if self._is_last[number] or self._is_run_on(number):
                self._say(begin, mark.start)
                return len(self._marks), ends
            if self._leads_on[number]:
                self._say(begin, mark.start)
                return number + 1, mark.end
        return None

    def _read_thought(self, number: int, begin: int) -> tuple[int, int] | None:
        mark = self._marks[number]
        if self._text[mark.end - 2 : mark.end] == "/>":
            self._say(begin, mark.start)
            return number + 1, mark.end
        end = self._end_of(number)
        before, after = mark.place.before, mark.place.after
        if end is None:
            is_meant = before == "first" or (before in ("line", "sentence") and after != "within")
            if not is_meant or mark.kind == "if_ended":
                return None
            end = len(self._marks)
        elif self._is_in_quotes(number, end) or (
            before in ("word", "within") and not (mark.place.touches or after == "line")
        ):
            return None
        self._say(begin, mark.start)
        self._think(number, end)
        if end == len(self._marks):
            return end, len(self._text)
        if self._marks[end].kind == "answer":
            return end, self._marks[end].start
        return end + 1, self._marks[end].end

    def _is_in_quotes(self, number: int, end: int) -> bool:
        """Whether a thought stands between quotation marks of its own, with its marks."""
        begin, past = self._marks[number].start, self._marks[end].end
        if not begin > 0 or past >= len(self._text):
            return False
        return _QUOTES.get(self._text[begin - 1]) == self._text[past]

    def _end_of(self, number: int) -> int | None:
        """The mark that ends the thought that another begins; None where it was cut off.

        It is the one that belongs to it, else the last of all ends, since a begin within may have
        none, else one that looks spoken of, else the begin of the answer.
        """
        mark = self._marks[number]
        if mark.partner is not None:
            return mark.partner
        if self._last_end > number:
            return self._last_end
        if mark.place.before in ("first", "line") and self._next_end[number + 1] is not None:
            return self._next_end[number + 1]
        return self._next_answer[number + 1]

    def _think(self, number: int, end: int) -> None:
        """Take note of a thought, without the marks that are meant in it."""
        begin = self._marks[number].end
        for inner in self._marks[number + 1 : end]:
            if not inner.is_spoken_of:
                self._thoughts.append(self._text[begin : inner.start])
                begin = inner.end
        last = self._marks[end].start if end < len(self._marks) else len(self._text)
        self._thoughts.append(self._text[begin:last])

    def _read_end(self, number: int, begin: int) -> tuple[int, int]:
        """Some templates begin the thought in the prompt, so that the reply has only its end."""
        mark = self._marks[number]
        if self._thoughts:
            self._say(begin, mark.start)
        else:
            self._thoughts = [*self._said, self._text[begin : mark.start], ""]
            self._said = []
        return number + 1, mark.end

    def _read_answer(self, number: int, begin: int) -> tuple[int, int]:
        """The begin of an answer; a token's, unlike a tag's, follows on nothing but thought."""
        mark = self._marks[number]
        self._has_answer = True
        self._say(begin, mark.start)
        if self._text[mark.start + 1] in "|｜":
            self._thoughts += self._said
            self._said = []
        return number + 1, mark.end

    def _is_run_on(self, number: int) -> bool:
        """Whether somebody else speaks after a mark, or the model once more."""
        mark = self._marks[number]
        if self._leads_on[number]:
            return False
        if mark.kind != "stop":
            return mark.stands or mark.place.after == "line" or mark.place.before == "line"
        if self._follows[number + 1] and number + 1 < len(self._marks):
            return self._marks[number + 1].kind in ("own", "other") or mark.stands
        return mark.stands or bool(self._speaker.match(self._text, mark.end))

    def _say(self, begin: int, end: int) -> None:
        piece = self._text[begin:end]
        if piece.strip():
            self._said.append(piece)


def _together(pieces: Sequence[str]) -> str:
    """What was said before and after a thought, parted as it was parted from that."""
    text: list[str] = []
    for before, piece in zip(["", *pieces], pieces, strict=False):
        words = piece.strip()
        margins = before[len(before.rstrip()) :] + piece[: len(piece) - len(piece.lstrip())]
        text += ["\n\n" if "\n" in margins else " ", words] if text else [words]
    return "".join(text)


def _joined(thoughts: Sequence[str]) -> str:
    return "\n\n".join(filter(None, map(str.strip, thoughts)))
