"""Whether reading takes time linear in a text's length: by how it grows, and not by seconds."""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import dissensus

#: Characters of a text, and seconds below which no reading of it can be quadratic.
SIZE, FAST_S = 2_000, 0.0015
#: Time of four times the length by that of once: 4 where it is linear, 16 where it is quadratic.
LONGER, GROWTH = 4, 9.0
#: The same up to the size, from which on a longer text is tried: few that are linear come to it,
#: and what is quadratic in so large a part that a longer text shows it does.
SUSPECT = 5.0
#: Seconds that no reading is held up for.
SURE_S = 0.1
#: What attacks are made of beside a pattern's own characters.
PIECES = (*" \n\ta A1.,!?:;-*_`'\"(){}[]<>|\\$#/=^~%&+", "中", "。", "”", "é", "\u3000", "\x85")
#: What the grammars have that readers know, beside the marks of chat templates: JSON, as models
#: write it; Markdown and reStructuredText; HTML; LaTeX; answers; numbers and prose.
GRAMMARS = (
    *("{} ", "{}\n", '{"a": 1} ', '{"a":1},', "[] ", "[{}],", '{"a":{', "[[", '{"a":[', '"a", '),
    *("{'a': 1} ", "{a: 1} ", "\\u0041", '{"a":"\\ud83d"} ', "null ", "1e5,", "// c\n", "/* c */"),
    *("}{", "][", "{]", "{x} ", "{ {", '{"}', '{"claims":[{"a":1}]} ', '{"stance": "keep it"}\n'),
    *("```json\n{}\n```\n", '```json\n{"a":1}\n```\n', "```\n", "~~~\n", "\ufeff{} ", "“a”: 1, "),
    *("**Vote:** A\n", "- a\n", "1. a\n", "| a | b |\n", "> a\n", "# a\n", "a\n===\n", "[a](b) "),
    *("![a](b)", "`a` ", "__a__ ", "---\n", ":role:`a` ", ".. a::\n", "|a| ", "a_ ", "``a`` "),
    *("<!-- a -->", '<details type="reasoning">', "</details>", "&amp;", "&lt;b&gt;"),
    *("$a$ ", "\\(a\\) ", "\\boxed{A} ", "\\frac{1}{2} ", "\\text{a}", "\\begin{a} ", "{{{", "}}}"),
    *("(A) ", "A) ", "answer: (A) ", "12:30 ", "1.5% ", "-1,000.5 ", "2^{3} ", "a.b.c ", "U.S. "),
    *('"A." ', "「a」", "‘a’ ", "it's ", "a—b ", "[a]: b\n", "http://a.b/c ", "e\u0301"),
    *("\U0001f600", "[a] [b] "),
)  # fmt: skip
#: A pattern's own characters of which all pairs are tried, at most.
_MOST = 9


@cache
def modules() -> list[ModuleType]:
    """The modules that read what models say, of those that have a pattern: all but simulated
    models and what draws figures.
    """
    source = Path(dissensus.__path__[0]).parent
    found = []
    for file in sorted(source.glob("dissensus*/**/*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        if any(part.startswith("simulated") or part in _OTHERS for part in parts):
            continue
        # Others have none, and their packages take longer to load than the patterns to be tried.
        if _USES_RE.search(file.read_text("utf-8")):
            found.append(importlib.import_module(".".join(parts).removesuffix(".__init__")))
    return found


_USES_RE = re.compile(r"^\s*(?:import re|from re import)\b", re.MULTILINE)
_OTHERS = {"__main__", "figures", "dissensus_serve", "tests", "training"}


def patterns(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns of a module: those that it names, in whatever they stand, and those in calls."""
    for name, value in vars(module).items():
        for number, pattern in enumerate(_in(value)):
            yield f"{module.__name__}.{name}[{number}]", pattern
    file = module.__file__
    if file is None:
        return
    for node in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        is_of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        given = node.args[0] if is_of_re and node.args else None
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            flags = [a for a in node.args[1:] if "re." in ast.unparse(a)]
            flag = eval(ast.unparse(flags[0]), {"re": re}) if flags else 0
            yield f"{file}:{node.lineno}", re.compile(given.value, flag)


def _in(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for member in value.values():
            yield from _in(member, depth + 1)
    elif depth < 3 and isinstance(value, list | tuple | set | frozenset):
        for member in value:
            yield from _in(member, depth + 1)


def attacks(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What a text begins with, and what it is made of again and again, to be tried in vain."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    own = list(dict.fromkeys(_characters(parsed)))[:_MOST]
    begins = list(dict.fromkeys(_beginnings(parsed)))
    pieces = list(dict.fromkeys([*PIECES, *own, *begins]))
    yield from (("a", piece) for piece in pieces)
    yield from (("a", a + b) for a in own for b in own if a != b)
    yield from ((begin, piece) for begin in begins[-4:] for piece in pieces)


def _beginnings(parsed: Any) -> Iterator[str]:
    """Texts that the first parts of a pattern take."""
    taken = ""
    for part in parsed:
        more = _sample([part])
        if more:
            taken += more
            yield taken


def _sample(parsed: Any) -> str:
    """A text that parts of a pattern take, as far as that is simple to say."""
    text = ""
    for code, value in parsed:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            text += _sample(value[2]) * max(1, min(value[0], 9))
        elif code is codes.SUBPATTERN:
            text += _sample(value[3])
        elif code is codes.BRANCH:
            text += max((_sample(branch) for branch in value[1]), key=len)
        elif code is codes.ATOMIC_GROUP:
            text += _sample(value)
        elif code in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
            continue
        else:
            text += next(_characters([(code, value)]), "")
    return text


def _characters(parsed: Any) -> Iterator[str]:
    """Characters that parts of a pattern take: one of each literal, range and class."""
    for code, value in parsed:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.NOT_LITERAL:
            yield "b" if value == ord("a") else "a"
        elif code is codes.RANGE:
            yield chr(value[0])
        elif code is codes.CATEGORY:
            yield {"DIGIT": "1", "SPACE": " ", "WORD": "a"}.get(str(value).rpartition("_")[2], "-")
        elif code is codes.IN and value[0][0] is codes.NEGATE:
            yield from (other for other in "a1 \r\n.-" if not _is_in(other, value[1:]))
        elif code is codes.IN:
            yield from _characters(value)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _characters(branch)
        elif code is codes.ANY:
            yield "a"
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, parser.SubPattern):
                    yield from _characters(part)
        elif isinstance(value, parser.SubPattern):
            yield from _characters(value)


def _is_in(character: str, members: Any) -> bool:
    """Whether a class of characters has one."""
    kinds = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": str.isalnum}
    for code, value in members:
        if code is codes.CATEGORY:
            kind = str(value).rpartition("_")[2]
            if kinds[kind](character) != ("NOT_" in str(value)):
                return True
        elif (code is codes.RANGE and value[0] <= ord(character) <= value[1]) or (
            code is codes.LITERAL and value == ord(character)
        ):
            return True
    return False


def text_of(begin: str, piece: str, size: int) -> str:
    """A text of a size that is nearly all one piece, with a sign at its end that nothing takes."""
    return f"{begin}{piece * (size // len(piece))}\x01"


def seconds(read: Callable[[str], object], text: str, times: int = 1) -> float:
    """The least of some readings, of processor time."""
    took = []
    for _ in range(times):
        began = time.process_time()
        read(text)
        took.append(time.process_time() - began)
    return min(took)


def worst(
    read: Callable[[str], object], tried: Iterable[tuple[str, str]], size: int = SIZE
) -> tuple[str, str] | None:
    """The first attack by which reading grows faster than the text; None for none."""
    for begin, piece in tried:
        # Small first: what is cubic would take minutes.
        for n in (size // 8, size):
            took = seconds(read, text_of(begin, piece, n))
            if took < FAST_S:
                continue
            before = seconds(read, text_of(begin, piece, n // LONGER))
            if took > SUSPECT * before and _grows(read, begin, piece, 2 * n):
                return begin, piece
    return None


def _grows(read: Callable[[str], object], begin: str, piece: str, n: int) -> bool:
    """Whether a text of four times the size takes far longer: once, or at best of three more."""
    texts = [text_of(begin, piece, size) for size in (n, LONGER * n)]
    for times in (1, 3):
        small, large = (seconds(read, text, times) for text in texts)
        if large <= GROWTH * small or large > SURE_S:
            break
    return large > GROWTH * small


def searches(pattern: re.Pattern[str]) -> Callable[[str], object]:
    """Everything that a pattern finds in a text, as the slowest of its uses does it."""
    return lambda text: sum(1 for _ in pattern.finditer(text))
