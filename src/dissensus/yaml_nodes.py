"""The nodes of a YAML file: what stands where, and how much its aliases come to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from dissensus.errors import ResourceError

#: Values that a file may come to with each alias written out; the project's own have some 1,000.
MOST_VALUES = 1_000_000


def refuse_growth(path: str | Path, root: yaml.Node | None) -> None:
    """Refuse a file whose aliases come to more than MOST_VALUES values.

    Raises
    ------
    ResourceError : it does; by line.
    """
    node = overgrown(root)
    if node is not None:
        raise ResourceError(
            f"{path}, line {node.start_mark.line + 1}: its aliases (*) stand for more than "
            f"{MOST_VALUES:,} values; write out what is meant."
        )


def overgrown(root: yaml.Node | None) -> yaml.Node | None:
    """The first node that comes to more than MOST_VALUES values; None for none.

    An alias counts as what it stands for, so that a few lines of aliases of aliases come to
    billions, and 100 letters of a text count as one more. Each node is looked at once.
    """
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> yaml.Node | None:
        # A block that holds itself has no size, and is refused elsewhere.
        sizes[id(node)] = 1 + (len(node.value) // 100 if isinstance(node.value, str) else 0)
        for inner in _within(node):
            if id(inner) not in sizes and (found := size(inner)):
                return found
            sizes[id(node)] += sizes[id(inner)]
        return node if sizes[id(node)] > MOST_VALUES else None

    return size(root) if root else None


def _within(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def entries(node: yaml.Node) -> Iterator[tuple[str, int, yaml.Node | None, yaml.Node]]:
    """What a node holds: name or index, line, key, and node; keys that are no scalars left out."""
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield key.value, key.start_mark.line + 1, key, inner
    elif isinstance(node, yaml.SequenceNode):
        for index, inner in enumerate(node.value):
            yield str(index), inner.start_mark.line + 1, None, inner


def next_step(node: yaml.Node | None, path: str) -> tuple[int, yaml.Node, str] | None:
    """The line and the node of the key that a path of keys begins with, and the rest of the path.

    A key may have blanks and dots, so that the longest that fits is taken.
    """
    fits = [
        (len(name), line, inner)
        for name, line, _, inner in (entries(node) if node else ())
        if path.startswith((f"{name}.", f"{name} "))
    ]
    if not fits:
        return None
    # Of two that fit alike, the first came with a merge, and the second stands here.
    size, line, inner = sorted(fits, key=lambda fit: fit[0])[-1]
    return line, inner, path[size + 1 :] if path[size] == "." else ""
