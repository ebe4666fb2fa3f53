"""No module imports what imports it, late imports and those for types among them.

What cannot be read without each other is one thing, and a circle hides which.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"
PACKAGES = sorted(path.parent.name for path in SOURCES.glob("*/__init__.py"))
#: Folders of a package whose files are no modules of it: its tests, and what a new project has.
_APART = {"tests", "template"}


def import_graph(package: Path) -> dict[str, set[str]]:
    """Module -> modules of the package that it imports, wherever in its file."""
    files = {
        _name(path, package.parent): path
        for path in package.rglob("*.py")
        if _APART.isdisjoint(path.relative_to(package).parts)
    }
    return {
        name: {other for other in _imported(name, path, files) if other != name}
        for name, path in files.items()
    }


def _name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, files: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in files)
        elif isinstance(node, ast.ImportFrom):
            place = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
            above = place[: len(place) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            for each in node.names:
                # A module of a package, or a name that the package itself has.
                found = f"{module}.{each.name}"
                yield from (one for one in [found if found in files else module] if one in files)


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A circle of imports, its first module again at its end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # Each is imported by the next.
        return list(reversed(error.args[1]))
    return []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_circle_of_imports(package: str) -> None:
    graph = import_graph(SOURCES / package)
    assert len(graph) > 1
    assert not circle(graph), " -> ".join(circle(graph))


def test_the_graph_has_what_is_imported() -> None:
    graph = import_graph(SOURCES / "dissensus")
    assert sum(map(len, graph.values())) > 500
    # In a function, and for types alone.
    assert "dissensus.keep.forking" in graph["dissensus.cli"]
    assert "dissensus.plan.registered" in graph["dissensus.plan.deviations"]


@pytest.mark.parametrize(
    "back",
    [
        "from planted.room.first import one",
        "def f():\n    from .room import first",
        "if TYPE_CHECKING:\n    import planted.room.first",
        "from planted import room",
    ],
)
def test_a_planted_circle_is_named(tmp_path: Path, back: str) -> None:
    room = tmp_path / "planted" / "room"
    room.mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "room/__init__.py": "from .first import one",
        "room/first.py": "from .second import two",
        "room/second.py": "from planted.third import three",
        "third.py": "import json\nfrom planted.fourth import four",
        "fourth.py": "",
    }
    for name, text in texts.items():
        (tmp_path / "planted" / name).write_text(text, "utf-8")
    assert circle(import_graph(tmp_path / "planted")) == []
    (tmp_path / "planted" / "third.py").write_text(back, "utf-8")
    found = circle(import_graph(tmp_path / "planted"))
    assert found[0] == found[-1]
    assert {"planted.room.second", "planted.room.first", "planted.third"} <= {*found}
    assert "planted.fourth" not in found
