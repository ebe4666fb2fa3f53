"""How many of the numbers that an archive published a run that was made from it has again."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import DissensusError
from dissensus.keep.crate import PUBLISHED
from dissensus.keep.packed import Packed, faults, tables
from dissensus.report.labels import listed
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import read

#: Another processor may round the last digits otherwise.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
_MOST_NAMED = 3


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
    total, equal, rounded, other = 0, 0, 0, Counter[str]()
    for name in tables(archive):
        published = pq.read_table(BytesIO(archive.read(name) or b""), use_threads=False)
        path = results / name.removeprefix(f"{PUBLISHED}/")
        made = read(path) if path.is_file() else published.slice(0, 0)
        counts = _compare(published, made)
        total += counts[0]
        equal += counts[1]
        rounded += counts[2]
        other[path.relative_to(results).as_posix()] += counts[0] - counts[1]
    sentence = f"Replay: {equal:,} of {total:,} numbers equal to the published"
    if rounded:
        sentence += f", {rounded:,} of them but for rounding"
    if differ := [name for name, count in other.most_common() if count]:
        named = [f"{name} ({other[name]:,})" for name in differ[:_MOST_NAMED]]
        more = len(differ) - len(named)
        named += [f"{more} more tables"] if more else []
        sentence += f"; others are in {listed(named)}"
    return f"{sentence}."


def _compare(published: pa.Table, made: pa.Table) -> tuple[int, int, int]:
    """Of the numbers of a table how many there are, are equal, and are so but for rounding."""
    total = equal = rounded = 0
    for column in published.schema:
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            continue
        then = published[column.name].drop_null()
        total += len(then)
        if column.name not in made.column_names or made.num_rows != published.num_rows:
            continue
        now = made[column.name]
        if now.is_null().to_pylist() != published[column.name].is_null().to_pylist():
            continue
        first, second = (
            np.asarray(each.to_numpy(), dtype=float) for each in (then, now.drop_null())
        )
        exact = (first == second) | (np.isnan(first) & np.isnan(second))
        close = np.isclose(first, second, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
        equal += int(close.sum())
        rounded += int((close & ~exact).sum())
    return total, equal, rounded
