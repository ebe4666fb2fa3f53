"""The rooms of the house: which may import which, and how many modules each has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1] / "src" / "dissensus"
STUDIES = ("language", "identity", "deliberation", "consensus", "union", "debates")
#: From the ground up: a room imports from floors below its own, and from no other.
FLOORS = (
    ("tables", "stats", "text", "llm"),
    ("session", "design"),
    ("report", "measures"),
    ("study",),
    ("plan",),
    ("run",),
    ("compare", "keep", "serve", *STUDIES),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
#: How many modules stand side by side before a room needs walls.
MOST = 21


def imported(room: str) -> Iterator[tuple[str, str]]:
    """File and room of each import of another room, those inside functions among them."""
    for path in sorted((HOUSE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dissensus."):
                other = str(node.module).split(".")[1]
                if other in FLOOR and other != room:
                    yield path.relative_to(HOUSE).as_posix(), other


def test_every_room_has_its_floor() -> None:
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    assert rooms == set(FLOOR)


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_imports_from_below_alone(room: str) -> None:
    up = {(file, other) for file, other in imported(room) if FLOOR[other] >= FLOOR[room]}
    assert not up


def test_the_registry_alone_names_studies() -> None:
    naming = {
        path.relative_to(HOUSE).as_posix()
        for path in HOUSE.rglob("*.py")
        if path.relative_to(HOUSE).parts[0] not in STUDIES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _modules_named(node)
        if name.startswith(tuple(f"dissensus.{study}." for study in STUDIES))
    }
    assert naming == {"study/registry.py"}


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
    if room not in STUDIES:
        assert all(
            f"``{other}``" in words or "what is below" in words for _, other in imported(room)
        )


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_holds_no_more_than_a_person_can_hold(room: str) -> None:
    sizes = {
        folder.relative_to(HOUSE).as_posix(): len(list(folder.glob("*.py"))) - 1
        for folder in (HOUSE / room, *(path.parent for path in (HOUSE / room).rglob("__init__.py")))
    }
    assert {name: size for name, size in sizes.items() if size > MOST} == {}
