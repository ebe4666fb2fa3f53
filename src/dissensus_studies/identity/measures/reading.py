"""The answer that a response gives: read from its last final-answer marker, or leniently."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

_MARKER = re.compile(r"\{[\s*_]*final(?:[\s~]|\\[\s,;:])+answer[\s*_]*[:：]", re.IGNORECASE)
# No answer is longer: what is has run away, and Python refuses to read huge numbers.
_LONGEST = 2_000
_BRACE = re.compile(r"(\\{0,2})([{}])")
# LaTeX that stands round an answer, and spaces within one.
_WRAPPED = re.compile(
    r"\\(?:boxed|fbox|text(?:bf|it|rm)?|math(?:bf|rm|it)|mbox|ensuremath)\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*(-?[0-9.,]+)\s*\}\s*\{\s*([0-9.,]+)\s*\}")
_SPACES = re.compile(r"\\[,;:! ]|\\(?:left|right|quad)\b|(?<=[0-9])\{,\}(?=[0-9]{3})|~")
# The mark-up and the other brackets that models put round an answer.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("*_", " "),
        **dict.fromkeys("`$\\'\"“”‘’{}"),
        **dict(zip("（）[]−", "()()-", strict=True)),
    }
)
_OPTION = re.compile(
    r"\A(?:(?:option|choice|answer)\s*+)?\(?\s*+([A-Z])\s*+(?:$|[).:])", re.IGNORECASE
)
# Another option beside the first: in brackets, marked as one, joined to it, or said to be one.
_OTHER = re.compile(
    r"\(\s*([A-Za-z])\s*\)|(?<!\w)([A-Z])(?=[).:](?!\w))"
    r"|(?:[,;&/+]|\b(?:and|or|not|nor|but|than))\s*\(?([A-Z])\b(?!')"
    r"|(?<!\w)([A-Z])(?=\s+(?:is|are|seems|would)\b)"
)
_DENIED = re.compile(r"\A[\s).:,-]*+(?:is|are|was)\s+(?:not|in|wrong|false|un)", re.IGNORECASE)
_DECIMAL = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
_MAGNITUDES = {
    **{"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9},
    **{"trillion": 10**12, "k": 10**3, "mn": 10**6, "bn": 10**9},
}
# Not part of a longer number or a word.
_NUMBER = re.compile(
    rf"(?<![\w.,])([-+]?{_DECIMAL})(?:\s*/\s*({_DECIMAL}))?(?![.,]?[0-9]|e[-+]?[0-9])"
    rf"(?:[\s-]*({'|'.join(_MAGNITUDES)})(?![a-z]))?",
    re.IGNORECASE,
)
# A power, or a magnitude after a magnitude, which is not worked out.
_UNREAD = re.compile(
    r"\^|[0-9]\s*\*\*\s*[0-9]|\b(?:hundred|thousand|million|billion)\s+(?:hundred|thousand|million|billion)",
    re.IGNORECASE,
)

#: Where answers stand that lack the marker, from the surest on; the last of a kind counts.
_LENIENT = (
    re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]{0,200}\}){1,200})\}"),
    re.compile(
        r"(?:final[\s_]+answer|(?:correct\s+)?(?:answer|option|choice))[\s*_]*(?:is|:|：|=)+[\s*_]*"
        r"((?:[^\n.;]|\.(?=[0-9])){1,200})",
        re.IGNORECASE,
    ),
)
#: A last line with nothing but an answer.
_ALONE = re.compile(r"\A[\s*_{]*+(\(?[A-Z]\)?|[$-]?[0-9][0-9,.]*)[\s*_.}]*")


def parse_answer(text: str, kind: str, n_options: int, options: Sequence[str] = ()) -> str:
    """The answer that a response gives, in canonical form.

    Parameters
    ----------
    text : the whole response; its last ``{final answer: (X)}`` counts, whatever its case, spaces,
        mark-up and LaTeX, with or without the round brackets.
    kind : "choice" for a letter, "numeric" for a number.
    n_options : how many options a choice has; letters beyond them are no answers.
    options : their texts, where known: one that is given with its letter names no other option.

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
    answer = _braced(text, markers[-1].end()) if markers else None
    return "" if answer is None else _read(answer, kind, n_options, options)


def parse_leniently(text: str, kind: str, n_options: int, options: Sequence[str] = ()) -> str:
    """The answer of a response that has no marker that can be read, by where answers often stand.

    The last ``\\boxed{...}`` counts, else the last ``answer is ...``, else a last line with nothing
    but an answer. A marker that holds something else is not overruled. Parameters and result as
    for :func:`parse_answer`; for sensitivity alone.
    """
    markers = list(_MARKER.finditer(text))
    if markers and _braced(text, markers[-1].end()) is not None:
        return ""
    for pattern in _LENIENT:
        matches = [match[1] for match in pattern.finditer(text)]
        if matches:
            return _read(matches[-1], kind, n_options, options)
    alone = _ALONE.fullmatch(text.rstrip().rpartition("\n")[2][:_LONGEST])
    return _read(alone[1], kind, n_options, options) if alone else ""


def _read(answer: str, kind: str, n_options: int, options: Sequence[str]) -> str:
    plain = _unwrapped(answer).translate(_PLAIN).strip()
    return _letter(plain, n_options, options) if kind == "choice" else canonical_number(answer)


def _braced(text: str, begin: int) -> str | None:
    """What stands from a place to the brace that closes it; None where none does.

    Escaped braces (``\\{``) and others pair among themselves; the first that closes none ends it.
    """
    depth = {False: 0, True: 0}
    for brace in _BRACE.finditer(text, begin, begin + _LONGEST):
        is_escaped = bool(brace[1])
        depth[is_escaped] += 1 if brace[2] == "{" else -1
        if depth[is_escaped] < 0:
            return text[begin : brace.start()]
    return None


def _unwrapped(answer: str) -> str:
    """An answer without the LaTeX round it."""
    answer = _SPACES.sub(lambda match: "" if match[0] == "{,}" else " ", answer)
    answer = _FRACTION.sub(r"\1/\2", answer)
    for _ in range(5):
        unwrapped = _WRAPPED.sub(r"\1", answer)
        if unwrapped == answer:
            break
        answer = unwrapped
    return answer


def _letter(answer: str, n_options: int, options: Sequence[str]) -> str:
    option = _OPTION.match(answer)
    if option is None:
        return ""
    letter = option.group(1).upper()
    place = ord(letter) - ord("A")
    if place >= n_options:
        return ""
    rest = answer[option.end(1) :]
    if place < len(options) and _words(rest) == _words(_unwrapped(options[place])):
        return letter
    others = {name.upper() for names in _OTHER.findall(rest) for name in names if name}
    other_options = {chr(ord("A") + number) for number in range(n_options)} - {letter}
    return "" if others & other_options or _DENIED.match(rest) else letter


def _words(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def canonical_number(text: str) -> str:
    """The one number that a text holds, written in one way only.

    Returns
    -------
    Without thousands separators, currency, unit or trailing zeros: "1200" for "$1,200.0",
    "1500000" for "1.5 million". A fraction stays exact: "0.75" for "3/4", but "1/3" in lowest
    terms, which has no finite decimal. "" where the text holds no number, several that differ, or
    a power, which is not worked out.
    """
    plain = _unwrapped(text)
    if _UNREAD.search(plain):
        return ""
    numbers = {_exact(*match.groups()) for match in _NUMBER.finditer(plain.translate(_PLAIN))}
    number = numbers.pop() if len(numbers) == 1 else None
    return "" if number is None else _written(number)


def _exact(above: str, below: str | None, magnitude: str | None) -> Fraction | None:
    """A number, or None for a division by zero."""
    number = Fraction(above.replace(",", "")) * _MAGNITUDES.get((magnitude or "").lower(), 1)
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
