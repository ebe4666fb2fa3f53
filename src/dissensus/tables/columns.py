"""Arrow columns of Python's plain values.

Arrow's own conversion loads pandas, to see whether a value is one of its kinds: half a second and
60 MB for every process that holds sessions. What is plain is laid out here instead.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, chain
from types import NoneType
from typing import Any

import pyarrow as pa


def column(values: Collection[Any]) -> pa.Array:
    """A column of the type that its values have, as ``pyarrow.array`` finds it.

    Raises
    ------
    pyarrow.ArrowInvalid, pyarrow.ArrowTypeError : they mix types.
    OverflowError : an integer has more than 64 bits.
    """
    kinds = frozenset(map(type, values)) - {NoneType}
    lay_out = _LAYOUTS.get(kinds)
    return pa.array(values) if lay_out is None else lay_out(values)


def _nulls(values: Collection[None]) -> pa.Array:
    return pa.nulls(len(values))


def _texts(values: Collection[str | None]) -> pa.Array:
    encoded = [b"" if value is None else value.encode() for value in values]
    text = pa.py_buffer(b"".join(encoded))
    buffers = [_present(values), _offsets(encoded), text]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def _lists(values: Collection[list[Any] | None]) -> pa.Array:
    filled = [value or [] for value in values]
    items = column(list(chain.from_iterable(filled)))
    buffers = [_present(values), _offsets(filled)]
    return pa.Array.from_buffers(pa.list_(items.type), len(values), buffers, children=[items])


def _truths(values: Collection[bool | None]) -> pa.Array:
    return pa.Array.from_buffers(pa.bool_(), len(values), [_present(values), _bits(values)])


def _numbers(kind: pa.DataType, code: str) -> Callable[[Collection[Any]], pa.Array]:
    def lay_out(values: Collection[Any]) -> pa.Array:
        numbers = array(code, [0 if value is None else value for value in values])
        buffers = [_present(values), pa.py_buffer(numbers)]
        return pa.Array.from_buffers(kind, len(values), buffers)

    return lay_out


_LAYOUTS: dict[frozenset[type], Callable[[Collection[Any]], pa.Array]] = {
    frozenset(): _nulls,
    frozenset({str}): _texts,
    frozenset({list}): _lists,
    frozenset({bool}): _truths,
    frozenset({int}): _numbers(pa.int64(), "q"),
    frozenset({float}): _numbers(pa.float64(), "d"),
}


def _present(values: Collection[Any]) -> pa.Buffer | None:
    """Which values are not missing; None where all are there."""
    return _bits([value is not None for value in values]) if None in values else None


def _bits(flags: Collection[bool | None]) -> pa.Buffer:
    """Flags, the first in the lowest bit."""
    digits = "".join("1" if flag else "0" for flag in flags)[::-1]
    return pa.py_buffer(int(digits or "0", 2).to_bytes(-(-len(flags) // 8), "little"))


def _offsets(parts: Collection[Sequence[Any]]) -> pa.Buffer:
    """Where each part begins in all of them together, and where the last ends."""
    return pa.py_buffer(array("i", accumulate(map(len, parts), initial=0)))
