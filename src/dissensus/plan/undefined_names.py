"""Names and levels in a reader's code that are nowhere, found without running it, in late branches
too.
"""

from __future__ import annotations

import ast
import builtins
import dis
from collections.abc import Iterator, Mapping, Sequence
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
                    f"{file}, line {line}: the name {name!r} is not defined, neither in this file "
                    "nor in what it imports; correct it, or import it. Nothing was asked of a "
                    "model yet."
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


def check_levels(file: Path, factors: Mapping[str, Sequence[float]]) -> None:
    """Refuse a file that compares a factor of numbers with a text, or a number that it has not.

    Such a comparison is never true, and a session would hold another debate than it says. Levels
    that are texts are seen to when they are compared; a number may stand beside others for good
    reason, as in a loop, so that only what is written out is looked at: ``session.factors.dose ==
    5``, the column ``turns["dose"]``, or a name that was given one of them.

    Parameters
    ----------
    factors : name -> levels, of those that are numbers.

    Raises
    ------
    ResourceError : with the line, the value and the levels.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        named: dict[str, str] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named[node.targets[0].id] = _factor_in(node.value, factors, {})
        for node in ast.walk(function):
            for factor, value in _compared(node, factors, named):
                if value in factors[factor]:
                    continue
                levels = ", ".join(f"{level:g}" for level in factors[factor])
                raise ResourceError(
                    f"{file}, line {getattr(node, 'lineno', 0)}: {value!r} is no {factor}; there "
                    f"are {levels}, which are numbers; correct it. Nothing was asked of a model "
                    "yet."
                )


def _compared(
    node: ast.AST, factors: Mapping[str, Sequence[float]], named: Mapping[str, str]
) -> Iterator[tuple[str, object]]:
    """The factor and the value of each comparison for equality with what is written out."""
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    for left, right, how in zip(sides, sides[1:], node.ops, strict=False):
        if not isinstance(how, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            continue
        for one, other in ((left, right), (right, left)):
            if factor := _factor_in(one, factors, named):
                yield from ((factor, value) for value in _written(other))


def _factor_in(
    node: ast.AST, factors: Mapping[str, Sequence[float]], named: Mapping[str, str]
) -> str:
    """The factor of numbers that an expression is the level of; "" where it is none."""
    if isinstance(node, ast.Name):
        return named.get(node.id, "")
    if isinstance(node, ast.Call):
        is_number = isinstance(node.func, ast.Name) and node.func.id in ("int", "float")
        return _factor_in(node.args[0], factors, named) if is_number and node.args else ""
    if isinstance(node, ast.Attribute):
        owner = node.value
        of = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        return node.attr if of == "factors" and node.attr in factors else ""
    if not isinstance(node, ast.Subscript):
        return ""
    if isinstance(node.value, ast.Attribute) and node.value.attr in ("iloc", "iat", "values"):
        # One row of a column.
        return _factor_in(node.value.value, factors, named)
    column = node.slice.value if isinstance(node.slice, ast.Constant) else ""
    return column if isinstance(column, str) and column in factors else ""


def _written(node: ast.AST) -> Iterator[object]:
    """Texts and numbers that are written out, alone or in a list."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for each in node.elts:
            yield from _written(each)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from (-value for value in _written(node.operand) if isinstance(value, int | float))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
        yield node.value
