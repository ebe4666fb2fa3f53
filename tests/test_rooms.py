"""The rooms of the house: which may import which, and how many modules each has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dissensus.cli import SERVER
from dissensus.shipped import SHIPPED, shipped_folders

HOUSE = Path(__file__).parents[1] / "src" / "dissensus"
STUDIES = HOUSE.parent / SHIPPED
#: The highest floor that the server of simulated models imports.
SERVED_FROM = "study"
#: From the ground up: a room imports from floors below its own, and from no other.
FLOORS = (
    ("tables", "stats", "text", "llm"),
    ("session", "design"),
    ("report", "measures"),
    ("study",),
    ("plan",),
    ("run",),
    ("audit", "compare", "keep", "project"),
    ("validation",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
#: How many modules stand side by side before a room needs walls.
MOST = 21


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(room: str) -> Iterator[tuple[str, str]]:
    """File and room of each import of another room, those inside functions among them."""
    return (pair for pair in rooms_imported(HOUSE / room) if pair[1] != room)


@cache
def rooms_imported(folder: Path) -> list[tuple[str, str]]:
    """File and room of each import of a room."""
    return [*_rooms_imported(folder)]


def _rooms_imported(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dissensus."):
                other = str(node.module).split(".")[1]
                if other in FLOOR:
                    yield path.relative_to(HOUSE.parent).as_posix(), other


def test_every_room_has_its_floor() -> None:
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    assert rooms == set(FLOOR)


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_imports_from_below_alone(room: str) -> None:
    up = {(file, other) for file, other in imported(room) if FLOOR[other] >= FLOOR[room]}
    assert not up


@pytest.mark.parametrize(("package", "file"), [(SHIPPED, "shipped.py"), (SERVER, "cli.py")])
def test_the_core_names_what_stands_beside_it_once(package: str, file: str) -> None:
    """Neither studies nor the server, as an import or as a text: each is looked for by its name."""
    naming = {
        (path.relative_to(HOUSE).as_posix(), name)
        for path in HOUSE.rglob("*.py")
        for node in ast.walk(tree_of(path))
        for name in _modules_named(node)
        if name.startswith(package)
    }
    assert naming == {(file, package)}


def test_the_server_imports_from_its_floor_down() -> None:
    of_server = HOUSE.parent / SERVER
    others = {room for file, room in rooms_imported(of_server) if "/tests/" not in file}
    assert others
    assert all(FLOOR[room] <= FLOOR[SERVED_FROM] for room in others)
    words = ast.get_docstring(ast.parse((of_server / "__init__.py").read_text())) or ""
    assert "``study``" in words
    assert len(list(of_server.glob("*.py"))) - 1 <= MOST


@pytest.mark.parametrize("study", shipped_folders())
def test_a_study_imports_itself_relatively_and_no_other(study: str) -> None:
    for path in (STUDIES / study).rglob("*.py"):
        if "tests" in path.relative_to(STUDIES).parts:
            continue
        depth = len(path.relative_to(STUDIES / study).parts)
        for node in ast.walk(tree_of(path)):
            names = _modules_named(node)
            assert not [name for name in names if name.startswith(SHIPPED)], path
            # More dots than folders would leave the study's.
            assert not isinstance(node, ast.ImportFrom) or node.level <= depth, path


@pytest.mark.parametrize("study", shipped_folders())
def test_a_study_says_what_it_is_for_and_has_walls(study: str) -> None:
    words = ast.get_docstring(ast.parse((STUDIES / study / "__init__.py").read_text())) or ""
    assert len(words.splitlines()) >= 3
    for folder in (STUDIES / study).rglob("*/"):
        if "tests" not in folder.parts:
            modules = [path for path in folder.glob("*.py") if path.stem != "__init__"]
            assert len(modules) <= MOST, folder


def _modules_named(node: ast.AST) -> list[str]:
    """What an import, or a text that is the name of a module or of something in it, names."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    text = node.value if isinstance(node, ast.Constant) else None
    return [text] if isinstance(text, str) and re.fullmatch(r"[\w.]+(:\w+)?", text) else []


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_says_what_it_is_for_and_what_it_imports(room: str) -> None:
    words = ast.get_docstring(ast.parse((HOUSE / room / "__init__.py").read_text())) or ""
    assert len(words.splitlines()) >= 3
    assert all(f"``{other}``" in words or "what is below" in words for _, other in imported(room))


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_holds_no_more_than_a_person_can_hold(room: str) -> None:
    sizes = {
        folder.relative_to(HOUSE).as_posix(): len(list(folder.glob("*.py"))) - 1
        for folder in (HOUSE / room, *(path.parent for path in (HOUSE / room).rglob("__init__.py")))
    }
    assert {name: size for name, size in sizes.items() if size > MOST} == {}


#: How long a file and a function may be; whole texts, tables of cases and all.
LINES, LINES_OF_A_FUNCTION = 400, 60


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, and no expression: no function stands in one."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, field, ()):
            yield node
            yield from statements(node)


def test_statements_are_found_wherever_they_stand() -> None:
    """In each block that Python has, one function."""
    source = """
class A:
    async def f0(): pass
if 1:
    def f1(): pass
else:
    def f2(): pass
for a in b:
    def f3(): pass
try:
    def f4(): pass
except E:
    def f5(): pass
else:
    def f6(): pass
finally:
    with a:
        def f7():
            def f8(): pass
match a:
    case 1:
        def f9(): pass
"""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    found = [node.name for node in statements(ast.parse(source)) if isinstance(node, kinds)]
    assert sorted(found) == [f"f{number}" for number in range(10)]


def test_no_file_and_no_function_is_longer_than_a_person_can_hold() -> None:
    root = HOUSE.parents[1]
    found = []
    for folder in ("src", "tests", "workflow", "benchmarks", "docs", "envs", "examples"):
        for path in (root / folder).rglob("*.py"):
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
            if (lines := len(text.splitlines())) > LINES:
                found.append((name, lines))
            for node in statements(tree_of(path)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    lines = node.end_lineno - node.lineno + 1 if node.end_lineno else 0
                    if lines > LINES_OF_A_FUNCTION:
                        found.append((f"{name}: {node.name}", lines))
    assert found == []
