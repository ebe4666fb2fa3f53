"""One question out of one row, in each of the formats that a bank may have.

A published benchmark is taken as it is, with the few questions in it that give an option twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS
from typing import Any

import numpy as np

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.user_files import check_text

from ..measures.reading import canonical_number


@dataclass(frozen=True)
class Question:
    """A question as agents are asked it.

    Attributes
    ----------
    field : what it is about, "" where its source does not say.
    kind : "choice" or "numeric".
    text : without its options.
    options : of a choice, in the order of their letters; of a numeric question the right number
        and known wrong ones, which agents are not shown, or none.
    answer : the right option's letter, or the number in canonical form.
    """

    field: str
    kind: str
    text: str
    options: tuple[str, ...]
    answer: str


Row = Mapping[str, Any]


def dissensus(row: Row, place: str) -> Question:
    """The project's own format: numeric where it has the column wrong_1."""
    field, text = _optional(row, "field", place), _text(row, "question", place)
    if "wrong_1" not in row:
        options = [_text(row, letter, place) for letter in "ABCD"]
        _different(options, place)
        return _choice(field, text, options, _letter(row, "answer", "ABCD", place))
    columns = ("answer", "wrong_1", "wrong_2", "wrong_3")
    numbers = [_number(_text(row, name, place), name, place) for name in columns]
    _different(numbers, place)
    return Question(field, "numeric", text, tuple(numbers), numbers[0])


def gpqa(row: Row, place: str) -> Question:
    """GPQA: its source lists the right answer first, so the options are shuffled.

    The question fixes the order, not the study's seed: it reads the same in every run.
    """
    wrong = [f"Incorrect Answer {number}" for number in (1, 2, 3)]
    text = _text(row, "Question", place)
    options = [_text(row, column, place) for column in ("Correct Answer", *wrong)]
    rng = np.random.default_rng(int(digest([text, options])[:16], 16))
    order = [int(index) for index in rng.permutation(len(options))]
    shuffled = [options[index] for index in order]
    field = _optional(row, "Subdomain", place) or _optional(row, "High-level domain", place)
    return _choice(field, text, shuffled, LETTERS[order.index(0)])


def mmlu(row: Row, place: str) -> Question:
    """MMLU: ``choices`` and the index of the right one, from 0."""
    options = _list(row, "choices", place)
    answer = _index(row, "answer", len(options), place)
    return _choice(
        _optional(row, "subject", place), _text(row, "question", place), options, LETTERS[answer]
    )


def hellaswag(row: Row, place: str) -> Question:
    """HellaSwag: the context and its endings; the line that asks for one is ours.

    The published test split has no labels: the validation split has.
    """
    options = _list(row, "endings", place)
    label = _index(row, "label", len(options), place)
    text = f"Which of the endings continues this text best?\n{_text(row, 'ctx', place)}"
    return _choice(_optional(row, "activity_label", place), text, options, LETTERS[label])


def gsm8k(row: Row, place: str) -> Question:
    """GSM8K: the number after the last ``####`` of the worked answer."""
    text, worked = _text(row, "question", place), _text(row, "answer", place)
    _, mark, number = worked.rpartition("####")
    if not mark:
        raise ResourceError(f"{place}: answer has no '####'; it must end with '#### <number>'.")
    return Question("", "numeric", text, (), _number(number, "answer", place))


#: Name of a format -> its reader.
FORMATS: Mapping[str, Callable[[Row, str], Question]] = {
    "dissensus": dissensus,
    "gpqa": gpqa,
    "mmlu": mmlu,
    "hellaswag": hellaswag,
    "gsm8k": gsm8k,
}


def _choice(field: str, text: str, options: Sequence[str], answer: str) -> Question:
    return Question(field, "choice", text, tuple(options), answer)


def _different(options: Sequence[str], place: str) -> None:
    twice = [option for option in options if options.count(option) > 1]
    if twice:
        raise ResourceError(f"{place}: the option {twice[0]!r} stands twice; options must differ.")


def _value(row: Row, column: str, place: str) -> Any:
    if column not in row:
        raise ResourceError(
            f"{place}: the column {column!r} is missing; check the format that the bank is said "
            "to have."
        )
    return row[column]


def _text(row: Row, column: str, place: str) -> str:
    value = _value(row, column, place)
    if not isinstance(value, str) or not value.strip():
        raise ResourceError(f"{place}: {column} holds {value!r}; it must be a text.")
    check_text(value, f"{place}: {column}")
    return value.strip()


def _optional(row: Row, column: str, place: str) -> str:
    text = str(row.get(column) or "").strip()
    check_text(text, f"{place}: {column}")
    return text


def _letter(row: Row, column: str, letters: str, place: str) -> str:
    value = _text(row, column, place)
    if value not in tuple(letters):
        raise ResourceError(
            f"{place}: {column} holds {value!r}; it must be one of {', '.join(letters)}."
        )
    return value


def _number(text: str, column: str, place: str) -> str:
    number = canonical_number(text)
    if not number:
        raise ResourceError(f"{place}: {column} holds {text!r}; it must be a number.")
    return number


def _list(row: Row, column: str, place: str) -> list[str]:
    """A list of texts, which is JSON in a CSV."""
    value = _value(row, column, place)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    texts = isinstance(value, list) and all(isinstance(t, str) and t.strip() for t in value)
    if not texts or not 2 <= len(value) <= len(LETTERS):
        raise ResourceError(
            f"{place}: {column} must be a list of 2 to {len(LETTERS)} texts, in a CSV as JSON."
        )
    for text in value:
        check_text(text, f"{place}: {column}")
    return [text.strip() for text in value]


def _index(row: Row, column: str, length: int, place: str) -> int:
    value = _value(row, column, place)
    number = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < length:
        raise ResourceError(
            f"{place}: {column} holds {value!r}; it must be a whole number from 0 to {length - 1}."
        )
    return number
