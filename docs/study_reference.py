"""Writes docs/study-reference.md: what a study of one's own may say, measures, fields of turns.

All words are those of docstrings and declarations in the code.

Usage: python docs/study_reference.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from inspect import cleandoc, getdoc, getsource, signature
from pathlib import Path
from textwrap import dedent
from typing import Any

from pydantic_core import PydanticUndefined

from dissensus import measures
from dissensus.report.escaping import markdown
from dissensus.session.turn_fields import NEEDED, TURN_FIELDS
from dissensus.settings import Settings
from dissensus.study import experiment
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.settings import ExperimentSettings
from dissensus.study.makes import makes
from dissensus.study.settings import File, Judge, Model

PAGE = Path(__file__).parent / "study-reference.md"
_HEAD = """# Reference of a study of your own

All that the class of a study, its settings and its calls may say; the measures; and the fields of a
table of turns. [new-study.md](new-study.md) builds a study, and [designs.md](designs.md) says what
is estimated. Names come from `dissensus.study.experiment`, unless it says otherwise. `make docs`
writes this page from the code.
"""
#: Heading -> the classes below it whose attributes it lists.
_CLASSES: dict[str, tuple[type, ...]] = {
    "Outcomes": (experiment.Outcome,),
    "Factors, forks and material": (experiment.Factor, experiment.Fork, experiment.Material),
    "Statistics": tuple(
        getattr(experiment, name)
        for name in (
            *("AUC", "CatchRate", "Brier", "CalibrationError", "MajorityVote"),
            *("RestrictedMean", "EventFree"),
        )
    ),
    "Figures, tables and stages": (experiment.Figure, experiment.Table, experiment.Stage),
    "Columns and schemas": (experiment.Column, experiment.Schema),
}
_METHODS = ("items", "opening", "debate", "replacement", "measure")
_KINDS = ("text", "texts", "flag", "whole", "number", "count", "share")
_FUNCTIONS = ("user", "assistant", "result", "quoted", "block", "one_line")
_TYPES = {"Model": Model, "Judge": Judge, "File": File}
_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*(?:\n(?: {4}.*)?)*)", re.MULTILINE)


def words(text: str) -> str:
    """A docstring's words in one line of a table."""
    plain = " ".join(_ROLE.sub(r"`\1`", text).replace("``", "`").split())
    plain = plain[:1].upper() + plain[1:]
    # What stands between backticks is code, in which nothing is escaped.
    return "`".join(part if n % 2 else markdown(part) for n, part in enumerate(plain.split("`")))


def summary(thing: Any) -> str:
    """What a class or a function is, without its sections."""
    return words(re.split(r"\n\n\w+\n---", getdoc(thing) or "")[0])


def entries(thing: Any, section: str) -> dict[str, str]:
    """Name -> meaning, of a docstring's section."""
    _, _, rest = (getdoc(thing) or "").partition(f"{section}\n{'-' * len(section)}\n")
    listed = re.split(r"\n\n\w+\n---", rest)[0]
    return {
        name: words(meaning)
        for names, meaning in _ENTRY.findall(listed)
        for name in names.split(", ")
    }


def attributes(thing: type) -> dict[str, str]:
    """Name -> meaning, of a class's fields and those of its bases."""
    named: dict[str, str] = {}
    for base in thing.__mro__:
        found = entries(base, "Attributes") if "__doc__" in vars(base) else {}
        named = {**found, **named}
    fields = [name for name in signature(thing).parameters if name in named]
    return {name: named[name] for name in fields}


def defaults(thing: type) -> dict[str, str]:
    """Field -> its default, of those that have one."""
    given = {
        name: parameter.default
        for name, parameter in signature(thing).parameters.items()
        if parameter.default is not parameter.empty
    }
    return {name: shown(value) for name, value in given.items()}


def shown(value: Any) -> str:
    """A default as it is written; "" where it is made anew each time."""
    return "" if repr(value).startswith("<") else f"`{value!r}`"


def described(block: type[Settings]) -> dict[str, str]:
    """Setting -> its sentence, from the text below it in the code."""
    found: dict[str, str] = {}
    for base in reversed([each for each in block.__mro__ if issubclass(each, Settings)]):
        (tree,) = ast.parse(dedent(getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for each, after in zip(tree.body, tree.body[1:], strict=False):
            match each, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = words(cleandoc(text))
    return found


def settings(block: type[Settings], before: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, default and meaning of each setting of a block, and of the blocks in it."""
    meanings = described(block)
    for name, field in block.model_fields.items():
        value = field.get_default(call_default_factory=True)
        inner = [
            kind
            for kind in (field.annotation, *getattr(field.annotation, "__args__", ()))
            if isinstance(kind, type) and issubclass(kind, Settings) and kind.__module__ in _OWN
        ]
        if inner:
            if name in meanings:
                yield f"{before}{name}", _yaml(value), meanings[name]
            for path, default, meaning in settings(inner[0], f"{before}{name}."):
                # A study's own block may have another default than the block says by itself.
                own = default if value is None else _yaml(getattr(value, path.rpartition(".")[2]))
                yield path, own, meaning
        else:
            yield f"{before}{name}", _yaml(value), meanings[name]


#: Modules whose blocks are within a study's.
_OWN = ("dissensus.study.settings", "dissensus.study.experiment.settings")


def _yaml(value: Any) -> str:
    """A default as a configuration has it; "" of a setting that has none."""
    if value is PydanticUndefined:
        return ""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value) or '""'


def table(head: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table in Markdown; ``head``: its headers, parted by bars."""
    yield f"| {head} |"
    yield f"|{'---|' * (head.count('|') + 1)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def of_class(thing: type) -> Iterator[str]:
    """A class's heading, what it is, and its fields."""
    yield from (f"### {thing.__name__}", "", summary(thing), "")
    own = defaults(thing)
    yield from table(
        "name | default | meaning",
        [(f"`{name}`", own.get(name, ""), text) for name, text in attributes(thing).items()],
    )


def of_function(function: Callable[..., Any], name: str) -> Iterator[str]:
    """A method's heading, what it does, and its parameters."""
    yield from (f"### {name}", "", summary(function), "")
    given = entries(function, "Parameters")
    if given:
        yield from table("parameter | meaning", [(f"`{one}`", text) for one, text in given.items()])
    back = re.search(r"Returns\n-+\n(.*?)(?:\n\n|\Z)", getdoc(function) or "", re.DOTALL)
    if back:
        yield from (f"Returns: {words(back[1])}", "")


def kinds() -> Iterator[tuple[str, str, str]]:
    """Name, type and unit of each kind of column."""
    for name in _KINDS:
        kind: partial[experiment.Column] = getattr(experiment, name)
        made = kind("A sentence.")
        yield f'`{name}("...")`', made.kind, made.unit


def measured() -> Iterator[tuple[str, str]]:
    """Each measure with its arguments, and what it is."""
    for name in measures.__all__:
        function = getattr(measures, name)
        if not isinstance(function, type):
            given = ", ".join(signature(function).parameters)
            yield f"`{name}({given})`", summary(function)


def fields() -> Iterator[tuple[str, str, str]]:
    """Each field of a table of turns: its kind, whether it is needed, and its sentence."""
    for name, field in TURN_FIELDS.items():
        needed = ", needed" if name in NEEDED else ", of the session" if field.of_session else ""
        yield f"`{name}`", f"{field.kind}{needed}", field.meaning


def page() -> str:
    """The page in Markdown."""
    design = entries(ExperimentDesign, "Attributes")
    lines = [_HEAD, "## The class", ""]
    about = {
        "name": "Of the study, of its block in the configuration, and of its folder of results.",
        "question": "What it asks, in a sentence.",
        "Settings": "A class in the class, from `ExperimentSettings`; without it, one `model`.",
        "figures": "Its figures, each a `Figure`; those of every study are `Experiment.figures`.",
        "tables": "Its tables, each a `Table`; those of every study are `Experiment.tables`.",
    }
    lines += table("attribute | meaning", [(f"`{n}`", t) for n, t in {**about, **design}.items()])
    for name in _METHODS:
        lines += of_function(getattr(ExperimentDesign, name), name)
    lines += ["## Settings", ""]
    lines += ["Of every study, in its block. `null` is nothing.", ""]
    rows = [(f"`{path}`", default, text) for path, default, text in settings(ExperimentSettings)]
    lines += table("setting | default | meaning", rows)
    lines += ["Types of your own settings, besides `int`, `float`, `str`, `bool` and lists:", ""]
    lines += table("type | meaning", [(f"`{name}`", _type(name)) for name in _TYPES])
    lines += ["## The session", "", "A `Session`, as `debate` is given it.", ""]
    of_session = entries(experiment.Session, "Attributes") | {
        "rng": "Random numbers of the session: the same whenever it starts."
    }
    lines += table("attribute | meaning", [(f"`{n}`", text) for n, text in of_session.items()])
    for name in ("call", "tool"):
        lines += of_function(getattr(experiment.Session, name), f"session.{name}")
    lines += ["### Functions for messages", ""]
    lines += table(
        "function | meaning",
        [(f"`{name}`", summary(getattr(experiment, name))) for name in _FUNCTIONS],
    )
    for heading, classes in _CLASSES.items():
        lines += [f"## {heading}", ""]
        for each in classes:
            lines += of_class(each)
    lines += ["### makes", "", summary(makes), "", "### Kinds of columns", ""]
    lines += table("call | type | unit", list(kinds()))
    lines += ["## Measures", "", "Functions of `dissensus.measures`: [library.md](library.md).", ""]
    lines += table("function | what it gives", measured())
    lines += ["## Fields of a table of turns", "", "See [transcripts.md](transcripts.md).", ""]
    lines += table("field | kind | meaning", fields())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def _type(name: str) -> str:
    return {
        "Model": "A name in `models`. `list[Model]` is several.",
        "Judge": "The same, of a judge, whose turns people who label whole sessions do not see.",
        "File": "A path of a file that exists; items and sessions run again when it changes.",
    }[name]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
