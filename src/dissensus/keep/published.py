"""How many of the numbers that an archive published a run that was made from it has again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dissensus.errors import DissensusError
from dissensus.keep.crate import PUBLISHED
from dissensus.keep.packed import Packed, faults, tables
from dissensus.report.facts import FACTS, FIGURE_FACTS
from dissensus.report.labels import counted, listed
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import key_of, read

#: Another processor may round the last digits otherwise.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
_MOST_NAMED = 3
#: A sentence more moves all facts behind it, whose keys are places.
_FACTS = (FACTS.name, FIGURE_FACTS.name)
_OF_A_FACT = ("artefact", "key", "column", "statistic", "printed")


def compare_with_published(settings: Configuration, since: float) -> list[str]:
    """The lines at the end of a run that was made from an archive and wrote its page; else none.

    Parameters
    ----------
    settings : of the run.
    since : when the run began, in seconds since the epoch.
    """
    page, archive = settings.results / "index.html", Packed.of(settings)
    if archive is None or not page.exists() or page.stat().st_mtime < since:
        return []
    try:
        lines = [said_of(archive, settings.results)]
    except DissensusError as error:
        return [f"The numbers of {archive.place} could not be compared ({error})."]
    wrong = faults(archive)
    if wrong:
        lines.append(f"The archive is not as it was packed: {wrong[0]} `verify` names all.")
    return lines


def said_of(archive: Packed, results: Path) -> str:
    """How many numbers are equal, in a sentence.

    Raises
    ------
    ResourceError : the archive cannot be read.
    """
    total, equal, rounded, new, other = 0, 0, 0, 0, Counter[str]()
    for name in tables(archive):
        published = pq.read_table(BytesIO(archive.read(name) or b""), use_threads=False)
        path = results / name.removeprefix(f"{PUBLISHED}/")
        made = read(path) if path.is_file() else published.slice(0, 0)
        counts = _compare(published, made, _key(path))
        total += counts.published
        equal += counts.equal
        rounded += counts.rounded
        new += counts.new
        other[path.relative_to(results).as_posix()] += counts.published - counts.equal
    sentence = f"Replay: {equal:,} of {total:,} numbers equal to the published"
    if rounded:
        sentence += f", {rounded:,} of them but for rounding"
    if differ := [name for name, count in other.most_common() if count]:
        named = [f"{name} ({other[name]:,})" for name in differ[:_MOST_NAMED]]
        more = len(differ) - len(named)
        named += [f"{more} more tables"] if more else []
        sentence += f"; others are in {listed(named)}"
    if new:
        sentence += f"; {counted(new, 'number')} more, which the archive has not"
    return f"{sentence}."


def _key(path: Path) -> Sequence[str]:
    """The columns that name a row of a table; of facts what each number is, wherever it stands."""
    if path.stem in _FACTS:
        return _OF_A_FACT
    return key_of(path) if path.is_file() else ()


class _Counts(NamedTuple):
    """Of the numbers of a table how many were published, are equal, are so but for rounding, and
    were made where none was published.
    """

    published: int
    equal: int
    rounded: int
    new: int


def _compare(published: pa.Table, made: pa.Table, key: Sequence[str]) -> _Counts:
    """Compare two tables number by number, row by row of the same key; ``key``: its columns."""
    aligned = _in_order_of(published, made, key)
    total = equal = rounded = new = 0
    for column in published.schema:
        is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        if not is_number or (column.name == "place" and key == _OF_A_FACT):
            continue
        then = published[column.name]
        total += len(then) - then.null_count
        if column.name not in made.column_names:
            continue
        now = aligned[column.name]
        are_both = pc.and_(then.is_valid(), now.is_valid())
        first, second = (
            np.asarray(each.filter(are_both).to_numpy(), dtype=float) for each in (then, now)
        )
        exact = (first == second) | (np.isnan(first) & np.isnan(second))
        close = np.isclose(first, second, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
        equal += int(close.sum())
        rounded += int((close & ~exact).sum())
        new += made.num_rows - made[column.name].null_count - len(first)
    return _Counts(total, equal, rounded, new)


def _in_order_of(published: pa.Table, made: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows of a table as those of the published one stand; empty ones where it lacks a key."""
    then, now = (_names(table, key) for table in (published, made))
    places = {name: place for place, name in enumerate(now)}
    return made.take(pa.array([places.get(name) for name in then], pa.int64()))


def _names(table: pa.Table, key: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """What tells each row from the others: its key, and how many before it have the same."""
    before = Counter[tuple[Any, ...]]()
    columns = [table[name].to_pylist() for name in key if name in table.column_names]
    for row in zip(*columns, strict=True) if columns else ((),) * table.num_rows:
        yield (*row, before[row])
        before[row] += 1
