"""What an experiment draws: its items, and a manifest with a session an arm for each draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

from dissensus.design.manifest import in_random_order, rows_of_draw, stream
from dissensus.errors import ResourceError
from dissensus.setting_faults import unwritable_in
from dissensus.study.experiment.factors import Factor, deal
from dissensus.study.settings import MOST_DRAWS
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, text

Row = dict[str, Any]

ITEM_ID = {"item_id": text("Name of the item.")}
ARM = {"arm": text("Arm of the experiment.")}
#: Columns of the manifest that every session has.
_PLACE = common("session_id", "draw_id", "block", "position", "seed")


def pool_schema(item: Mapping[str, Column]) -> Schema:
    """The schema of the items; ``item``: their columns besides the name."""
    return Schema("pool", "item", {**ITEM_ID, **item}, key=("item_id",))


def manifest_schema(
    factors: Mapping[str, Factor], taken: Mapping[str, Column] | None = None
) -> Schema:
    """The schema of the manifest.

    Parameters
    ----------
    factors : by name.
    taken : the columns of what sessions take from each other.
    """
    levels = {name: factor.column() for name, factor in factors.items()}
    columns = {**_PLACE, **ITEM_ID, **ARM, **levels, **(taken or {})}
    return Schema("manifest", "session", columns, key=("session_id",))


def named_items(
    given: Iterable[Mapping[str, Any]], columns: Mapping[str, Column], draws: int | None, where: str
) -> list[Row]:
    """The items that are drawn, each with a name.

    Parameters
    ----------
    given : the study's, with a name of their own (``item_id``) or without.
    columns : that each must have, and no others; those of a kind that ends in "?" may be None.
    draws : how many are taken, from the first on; None for all.
    where : the file of the study.

    Raises
    ------
    ResourceError : an item has other columns, a value of another kind or none, or another's name;
        or they are fewer than the draws, or too many.
    """
    rows: list[Row] = []
    numbers: dict[str, int] = {}
    if not isinstance(given, Iterable):
        raise ResourceError(
            f"{where}: items gives {type(given).__name__}; it must yield its rows, or give a list."
        )
    for number, each in enumerate(islice(given, draws), start=1):
        if number > MOST_DRAWS:
            raise ResourceError(
                f"{where}: items gives more than {MOST_DRAWS:,} rows; set draws to how many are "
                "taken."
            )
        if not isinstance(each, Mapping):
            raise ResourceError(
                f"{where}: item {number} that items gives is {type(each).__name__}; it must be a "
                "mapping of columns to values."
            )
        row = {"item_id": f"i{number:04d}", **each}
        _check_item(row, columns, f"{where}: item {number} that items gives")
        before = numbers.setdefault(row["item_id"], number)
        if before != number:
            raise ResourceError(
                f"{where}: items {before} and {number} that items gives have one item_id, "
                f"{row['item_id']!r}; give each a name of its own."
            )
        rows.append(row)
    if draws is not None and len(rows) < draws:
        raise ResourceError(
            f"{where}: items gives {len(rows)} rows, and draws is {draws}; set draws to "
            f"{len(rows)} or less, or to null for all."
        )
    return rows


def _check_item(row: Row, columns: Mapping[str, Column], where: str) -> None:
    """Refuse an item that has other columns than it must, or what these do not hold."""
    if wrong := set(row) ^ {"item_id", *columns}:
        name = min(wrong)
        state = "lacks" if name in columns else "has"
        raise ResourceError(
            f"{where} {state} {name!r}; an item has {', '.join(sorted(columns))}, as `item` says."
        )
    for name, column in {**ITEM_ID, **columns}.items():
        value, kind = row[name], column.kind
        if value is None and not kind.endswith("?"):
            raise ResourceError(
                f"{where} has None as its {name!r}; give it a value, or declare the kind "
                f'"{kind}?", which may have none.'
            )
        words, is_of_kind = _KINDS[kind.removesuffix("?")]
        if value is not None and not is_of_kind(value):
            raise ResourceError(
                f"{where} has {value!r} as its {name!r}; it must be {words}, as `item` says."
            )
        for _, character in unwritable_in(value):
            raise ResourceError(
                f"{where} ({row['item_id']!r}) has {character} in its {name!r}, which no prompt "
                "and no file can carry; take it out of what items reads."
            )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and value % 1 == 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


#: Kind of a column -> what it holds, in words and in code.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a text", _is_text),
    "int": ("a whole number", _is_whole),
    "float": ("a number", _is_number),
    "bool": ("True or False", _is_flag),
    "strings": ("a list of texts", lambda value: not _is_text(value) and all(map(_is_text, value))),
    "floats": ("a list of numbers", lambda value: all(map(_is_number, value))),
}


def draw_sessions(
    items: Iterable[str],
    arms: Sequence[str],
    factors: Mapping[str, Factor],
    repeats: int,
    block_size: int,
    seed: int,
    in_order: Callable[[Sequence[str]], Sequence[str]] = tuple,
    clusters: Mapping[str, str] | None = None,
    most: int | None = None,
) -> list[Row]:
    """The manifest: each draw in every arm.

    The order of the arms is drawn for each draw, from a stream of its own; see
    :func:`~dissensus.study.experiment.factors.deal` for the draws and the levels of their factors.

    Parameters
    ----------
    items : names, in their order.
    arms : all.
    factors : by name; a draw's sessions share one level of each.
    repeats : draws of each item with each combination of crossed levels.
    block_size : draws in a block.
    seed : the run's.
    in_order : the arms of a draw, in their random order, in the order in which they can run.
    clusters : of the items, where draws are taken by
        :func:`~dissensus.design.manifest.in_random_order`.
    most : how many draws are taken at most, in whole blocks; None for all.

    Returns
    -------
    Rows of :func:`manifest_schema`, in the order of the ids.
    """
    dealt = list(deal(items, factors, repeats, seed))
    placed = (
        [(place, place // block_size + 1) for place in range(len(dealt))]
        if clusters is None
        else in_random_order([clusters[draw.item] for draw in dealt], block_size, most, seed)
    )
    rows = []
    for index, (place, block) in enumerate(placed):
        draw, order = dealt[place], stream(seed, "order", index).permutation(list(arms))
        shared = {"item_id": draw.item, **draw.levels}
        of_draw = rows_of_draw(index, len(placed), in_order([*map(str, order)]), seed, shared)
        rows += [{**row, "block": block} for row in of_draw]
    return sorted(rows, key=lambda row: str(row["session_id"]))
