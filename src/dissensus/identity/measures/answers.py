"""What each agent answered in each round, read from its last final-answer marker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from dissensus.identity.terms import CONDITIONS
from dissensus.session.protocol import round_of

#: The columns that name a session.
NAMES = ("session_id", "team", "bank", "question_id", "condition")

_MARKER = re.compile(r"\{[\s*_]*final\s+answer[\s*_]*[:：]", re.IGNORECASE)
# No answer is longer: what is has run away, and Python refuses to read huge numbers.
_BRACED = re.compile(r"([^{}]{0,200})\}")
# The mark-up and the other brackets that models put round an answer.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("*_", " "),
        **dict.fromkeys("`$\\'\"“”‘’"),
        **dict(zip("（）[]−", "()()-", strict=True)),
    }
)
_OPTION = re.compile(r"(?:(?:option|choice)\s*)?\(?\s*([A-Z])\s*(?:$|[).:])", re.IGNORECASE)
_BRACKETED = re.compile(r"\(\s*([A-Z])\s*\)", re.IGNORECASE)
_DECIMAL = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
# Not part of a longer number or a word.
_NUMBER = re.compile(
    rf"(?<![\w.,])([-+]?{_DECIMAL})(?:\s*/\s*({_DECIMAL}))?(?![.,]?[0-9]|e[-+]?[0-9])",
    re.IGNORECASE,
)


def parse_answer(text: str, kind: str, n_options: int) -> str:
    """The answer that a response gives, in canonical form.

    Parameters
    ----------
    text : the whole response; its last ``{final answer: (X)}`` counts, whatever its case, spaces
        and mark-up, with or without the round brackets.
    kind : "choice" for a letter, "numeric" for a number.
    n_options : how many options a choice has; letters beyond them are no answers.

    Returns
    -------
    A capital letter or a number as :func:`canonical_number` writes it; "" where there is no marker,
    or where the last one does not hold exactly one answer.

    Raises
    ------
    ValueError : the kind is another.
    """
    if kind not in ("choice", "numeric"):
        raise ValueError(f"kind is {kind!r}; pass 'choice' or 'numeric'.")
    markers = list(_MARKER.finditer(text))
    found = _BRACED.match(text, markers[-1].end()) if markers else None
    if found is None:
        return ""
    answer = found.group(1).translate(_PLAIN).strip()
    return _letter(answer, n_options) if kind == "choice" else canonical_number(answer)


def canonical_number(text: str) -> str:
    """The one number that a text holds, written in one way only.

    Returns
    -------
    Without thousands separators, currency, unit or trailing zeros: "1200" for "$1,200.0". A
    fraction stays exact: "0.75" for "3/4", but "1/3" in lowest terms, which has no finite decimal.
    "" where the text holds no number, several that differ, or a power, which is not worked out.
    """
    if "^" in text:
        return ""
    numbers = {_exact(*found.groups()) for found in _NUMBER.finditer(text.translate(_PLAIN))}
    number = numbers.pop() if len(numbers) == 1 else None
    return "" if number is None else _written(number)


def _letter(answer: str, n_options: int) -> str:
    option = _OPTION.match(answer)
    if option is None:
        return ""
    letter = option.group(1).upper()
    several = {other.upper() for other in _BRACKETED.findall(answer)} - {letter}
    return "" if several or ord(letter) - ord("A") >= n_options else letter


def _exact(above: str, below: str | None) -> Fraction | None:
    """A number, or None for a division by zero."""
    number = Fraction(above.replace(",", ""))
    divisor = Fraction((below or "1").replace(",", ""))
    return number / divisor if divisor else None


def _written(number: Fraction) -> str:
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(number)
    places = 0
    while 10**places % number.denominator:
        places += 1
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    whole, decimals = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if number < 0 else "") + (f"{whole}.{decimals}" if decimals else whole)


def read_answers(
    turns: Iterable[Mapping[str, Any]],
    outcomes: Iterable[Mapping[str, Any]],
    manifest: Iterable[Mapping[str, Any]],
    questions: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The answers of every debate that ran to its end, with those of its opening as round 0.

    Parameters
    ----------
    turns, outcomes : of all sessions; turns of a session in any order.
    manifest : the sessions; those of debates name their opening.
    questions : kind, options and right answer of each.

    Returns
    -------
    Rows of :data:`~dissensus.identity.measures.transitions.ANSWERS`, in the manifest's order. A
    debate that failed, or whose opening did, has none. An answer that cannot be parsed is
    "" and not correct.
    """
    complete = {row["session_id"] for row in outcomes if row["complete"]}
    asked = {row["question_id"]: row for row in questions}
    given: dict[str, list[dict[str, Any]]] = {}
    for turn in turns:
        answer = _answer(turn, asked[turn["question_id"]])
        given.setdefault(turn["session_id"], []).append(answer)
    rows = []
    for row in manifest:
        if (
            row["condition"] not in CONDITIONS
            or not {row["session_id"], row["opening"]} <= complete
        ):
            continue
        named = {name: row[name] for name in NAMES}
        answers = given[row["opening"]] + given[row["session_id"]]
        answers.sort(key=lambda answer: (answer["round"], answer["agent"]))
        rows += [named | answer for answer in answers]
    return rows


def _answer(turn: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    answer = parse_answer(turn["text"], question["kind"], len(question["options"]))
    return {
        "round": round_of(turn["round_label"]),
        "agent": int(turn["speaker"].removeprefix("A")),
        "answer": answer,
        "parsed": answer != "",
        "correct": answer != "" and answer == question["answer"],
    }
