"""Names for readers, and numbers as the paper prints them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dissensus.report.escaping import label
from dissensus.report.facts import with_origin

_LANGUAGES = {
    "ar": "Arabic",
    "bn": "Bengali",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "sw": "Swahili",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

SCALES = {
    "z": "z",
    "clipped_z": "clipped z",
    "normal_cdf": "normal CDF of z",
    "ecdf": "ECDF",
    "min_max": "min-max",
    "clipped_percentile": "clipped percentiles",
}

#: Lines of a text in a figure.
_MOST_LINES = 8

#: What stands where the data define no number.
MISSING = "–"
#: Whatever is smaller is zero but for rounding; shares, rates and SDs have no such sizes.
_ROUND_OFF = 1e-12


def language_name(code: str) -> str:
    """English for "en"; a name of the user's own stays as it is."""
    return _LANGUAGES.get(code, code)


def language_tag(code: str) -> str:
    """What HTML calls the language of a text; undetermined for a name of the user's own."""
    if code == "zh":
        return "zh-Hans"
    return code if code in _LANGUAGES else "und"


def contrast_words(contrast: str) -> str:
    """The contrast "zh-en" is "Chinese − English"."""
    return " − ".join(language_name(code) for code in contrast.split("-"))


def scale_words(outcome: str) -> str:
    """The scale of an outcome such as "hi_normal_cdf"."""
    scale = outcome.split("_", 1)[1] if "_" in outcome else outcome
    return SCALES.get(scale, scale)


class Cell(str):
    """What readers see, and the numbers in it for programs.

    Attributes
    ----------
    numbers : what each is of the estimate -> it: "" itself, "ci_low", "ci_high", "se" or "n". Those
        of a percentage are in per cent.
    in_percent : whether it is a percentage.
    """

    numbers: Mapping[str, float]
    in_percent: bool

    def __new__(cls, text: str, numbers: Mapping[str, float], in_percent: bool = False) -> Cell:
        made = super().__new__(cls, text)
        made.numbers, made.in_percent = numbers, in_percent
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of."""
        return Cell, (str(self), self.numbers, self.in_percent)


def marked(cell: str, mark: str) -> str:
    """The same with a mark behind it, such as a dagger."""
    text = cell + mark
    return Cell(text, cell.numbers, cell.in_percent) if isinstance(cell, Cell) else text


def in_brackets(cell: str, name: str, inner: str) -> str:
    """A cell and another number in brackets behind it, such as its standard error.

    Parameters
    ----------
    cell, inner : the cell alone stands where the other is no number.
    name : what the other is of the estimate.
    """
    if not isinstance(cell, Cell) or not isinstance(inner, Cell):
        return cell
    return Cell(f"{cell} ({inner})", {**cell.numbers, name: inner.numbers[""]}, cell.in_percent)


def number(value: float | None, digits: int = 3, minus: str = "-") -> str:
    """A number of so many decimals; no negative zero."""
    if value is None or math.isnan(value):
        return MISSING
    shown = with_origin(_decimal(value, digits, minus), value)
    return Cell(shown, {"": _without_round_off(value)})


def _decimal(value: float, digits: int, minus: str) -> str:
    text = f"{float(value):.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", minus)


def _without_round_off(value: float) -> float:
    """Zero for what is none by rounding alone, such as a limit of 5.6e-15; p-values stay."""
    return 0.0 if abs(value) < _ROUND_OFF else value


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign, for figures and captions."""
    if value is None or math.isnan(value):
        return MISSING
    text = _decimal(value, digits, "−")
    return Cell(with_origin(text if text.startswith("−") else f"+{text}", value), {"": value})


def p_value(value: float | None) -> str:
    """Three decimals, "<0.001" below."""
    if value is None or math.isnan(value):
        return MISSING
    shown = "<0.001" if value < 0.001 else f"{float(value):.3f}"
    return Cell(with_origin(shown, value), {"": value})


def p_clause(value: float | None) -> str:
    """Such as "p < 0.001" or "p = 0.043"."""
    if value is not None and value < 0.001:
        return with_origin("p < 0.001", value)
    return f"p = {p_value(value)}"


def interval(low: float | None, high: float | None, digits: int = 3, minus: str = "-") -> str:
    """Such as "[0.442, 0.556]", as the paper's Table 1 has it."""
    limits = [number(limit, digits, minus) for limit in (low, high)]
    return _limits(f"[{limits[0]}, {limits[1]}]", low, high)


def _limits(text: str, low: float | None, high: float | None) -> str:
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return MISSING
    return Cell(text, {"ci_low": _without_round_off(low), "ci_high": _without_round_off(high)})


def limits(row: Mapping[str, Any]) -> str:
    """The interval of an estimate's row, for figures and captions."""
    return interval(row["ci_low"], row["ci_high"], minus="−")


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """The paper's "0.442–0.556" of Tables 2 and 7; with a minus sign, "-0.1 to 0.2"."""
    first, last = number(low, digits), number(high, digits)
    text = f"{first}–{last}" if not first.startswith("-") else f"{first} to {last}"
    return _limits(text, low, high)


def percent(value: float | None, digits: int = 1) -> str:
    """A share as a percentage; whole ones without decimals."""
    if value is None or math.isnan(value):
        return MISSING
    text = f"{100 * float(value):.{digits}f}"
    shown = text.rstrip("0").rstrip(".") if "." in text else text
    shown = with_origin(f"{shown}%", value, 100.0)
    return Cell(shown, {"": _without_round_off(100 * value)}, in_percent=True)


def percents(low: float | None, high: float | None, digits: int = 0, minus: str = "-") -> str:
    """The interval of a share in per cent, such as "[12, 29]"."""
    first, last = (None if limit is None else 100 * limit for limit in (low, high))
    return interval(first, last, digits, minus)


def share_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 1
) -> str:
    """A share as a percentage with its interval in whole ones, such as "19.5% [12, 29]"."""
    text, limits = percent(value, digits), percents(low, high)
    return marked(text, f" {MISSING}") if limits == MISSING != text else with_limits(text, limits)


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """Such as "0.124 [0.051, 0.197]"; without an interval, the number alone."""
    return with_limits(number(value, digits), interval(low, high, digits))


def with_limits(cell: str, limits: str) -> str:
    """An estimate and its interval as one cell; without one of them, the estimate alone."""
    if not isinstance(cell, Cell) or not isinstance(limits, Cell):
        return cell
    return Cell(f"{cell} {limits}", {**cell.numbers, **limits.numbers}, cell.in_percent)


def arm_words(arm: str) -> str:
    """An arm's name for readers."""
    return label(arm.replace("_", " "), 24)


def legend(words: Mapping[str, str]) -> str:
    """A sentence, after a space, with arms' names behind what readers are told; "" without any.

    Parameters
    ----------
    words : arm -> what readers are told.
    """
    pairs = [f"{told} ({arm})" for arm, told in words.items() if told != arm_words(arm)]
    return f" Arms, and their names in files: {', '.join(pairs)}." if pairs else ""


def column_words(name: str) -> str:
    """A measure that has no words of its own, by its column: "claims_kept" is "Claims kept"."""
    return name.replace("_", " ").capitalize()


def whole(value: float) -> str:
    """A count with its thousands apart, or an expected one with at most two decimals."""
    return Cell(with_origin(f"{float(value):,.2f}".rstrip("0").rstrip("."), value), {"": value})


def stopped(title: str) -> str:
    """A title with a full stop behind it, unless it ends in one or in another such mark."""
    return title if title.endswith((".", "?", "!", "…")) else f"{title}."


def counted(n: float, noun: str) -> str:
    """Such as "1 draw" or "2,000 draws"."""
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}s"


def range_of(counts: Iterable[float]) -> str:
    """Such as "22 to 1,030", or "22" where all counts are equal."""
    distinct = sorted(set(counts))
    return f"{distinct[0]:,}" if len(distinct) == 1 else f"{distinct[0]:,} to {distinct[-1]:,}"


def listed(items: Iterable[str], last: str = "and") -> str:
    """Such as "a", "a and b", or "a, b and c"; ``last``: the word before the last one."""
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def wrapped(text: str, width: int) -> str:
    """Broken into lines of at most ``width`` letters, the rest of many lines left out."""
    from textwrap import fill

    return fill(label(text, 1000), width, max_lines=_MOST_LINES, placeholder=" …")


_LEVEL = re.compile(r"\A\d++(?:\.\d++)?% CI(.*)")


def numeric(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Header and rows in which a cell with an estimate and its interval is three.

    Parameters
    ----------
    columns, rows : of a table, as readers see it.

    Returns
    -------
    The header, whose names differ, then the rows. The numbers of a :class:`Cell` have six digits,
    and whole ones all; a percentage is named so in the header, and what is missing is empty. A
    column with words in it stays as readers see it.
    """
    split: list[tuple[str, list[str]]] = []
    before = ""
    for place, header in enumerate(columns):
        cells = [row[place] for row in rows]
        split += _split(header, before, cells)
        before = header if any(isinstance(cell, Cell) for cell in cells) else before
    names = _unique([name for name, _ in split])
    body = [list(cells) for cells in zip(*(cells for _, cells in split), strict=True)]
    return [names, *body]


def _split(header: str, before: str, cells: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """A column as one or several, each with its name; ``before``: the last one with numbers."""
    numbers = [cell for cell in cells if isinstance(cell, Cell)]
    words = {cell for cell in cells if not isinstance(cell, Cell)} - {"", MISSING}
    if not numbers or not all(word.isdecimal() for word in words):
        yield header, ["" if cell == MISSING else cell for cell in cells]
        return
    in_percent = any(cell.in_percent for cell in numbers) and "%" not in header
    parts = list(dict.fromkeys(part for cell in numbers for part in cell.numbers))
    level = _LEVEL.fullmatch(header) if "" not in parts else None
    of = (level[1].strip() or before) if level else header
    for part in parts:
        name = f"{of} {part}" if part else f"{header} (%)" if in_percent else header
        yield name.strip(), [_digits(cell, part) for cell in cells]


def _digits(cell: str, part: str) -> str:
    """One number of a cell as programs write it; empty where the cell has none."""
    if not isinstance(cell, Cell):
        return "" if part or cell == MISSING else cell
    number = float(cell.numbers.get(part, "nan"))
    if number.is_integer():
        return str(int(number))
    return "" if number != number else f"{number:.6g}"


def _unique(names: Sequence[str]) -> list[str]:
    """The same names, those that come again with a number behind them."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return unique
