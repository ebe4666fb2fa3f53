"""Names in a reader's code that are nowhere, found without running it, in late branches too."""

from __future__ import annotations

import ast
import builtins
import dis
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from dissensus.errors import ResourceError

#: What every module has besides what it binds.
_OF_MODULES = {
    *("__annotations__", "__builtins__", "__cached__", "__doc__", "__file__", "__loader__"),
    *("__name__", "__package__", "__path__", "__spec__"),
}
_BINDS, _ASKS = {"STORE_NAME", "STORE_GLOBAL"}, {"LOAD_NAME", "LOAD_GLOBAL"}


def check_names(file: Path) -> None:
    """Refuse a file with a name that it neither binds nor imports, and Python has not.

    A file that imports all names of another is taken as it is.

    Raises
    ------
    ResourceError : with the line and the name.
    """
    text = file.read_text(encoding="utf-8")
    if any(
        isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        for node in ast.walk(ast.parse(text, str(file)))
    ):
        return
    module = compile(text, str(file), "exec")
    codes = list(_within(module))
    bound = {*vars(builtins), *_OF_MODULES}
    for code in codes:
        bound |= {
            str(each.argval)
            for each in dis.get_instructions(code)
            # A class binds its names for itself alone.
            if each.opname in (_BINDS if code is module else {"STORE_GLOBAL"})
        }
    for code in codes:
        for line, name in _asked(code):
            if name not in bound:
                raise ResourceError(
                    f"{file}, line {line}: the name {name!r} is nowhere: neither in this file nor "
                    "in what it imports; correct it, or import it. Nothing was asked of a model "
                    "yet."
                )


def _within(code: CodeType) -> Iterator[CodeType]:
    """A code, and those of all functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)


def _asked(code: CodeType) -> Iterator[tuple[int, str]]:
    """Line and name of what a code takes from its module, or from Python."""
    bound: set[str] = set()
    line = code.co_firstlineno
    for each in dis.get_instructions(code):
        if each.positions and each.positions.lineno:
            line = each.positions.lineno
        if each.opname in _BINDS:
            bound.add(str(each.argval))
        elif each.opname in _ASKS and each.argval not in bound:
            yield line, str(each.argval)
