"""Which job runs which sessions (bundles), and which job measures them (shards)."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from itertools import chain, groupby
from typing import Any

from dissensus.errors import DissensusError, ResourceError, Stopped
from dissensus.llm.journal import IN_FLIGHT

#: Enough for the measures to begin while sessions run, and to keep as many cores busy; a job
#: more has its start to pay for.
_MOST_SHARDS = 24
#: How a bundle's name ends that is not of the first part of its study.
_PART = re.compile(r"\.part(\d+)$")

Row = Mapping[str, Any]


class SessionsBroke(Exception):
    """Sessions of a bundle ended in a fault of this program; the first with its traceback."""


def shards(rows: Iterable[Row], part: Callable[[Row], int] = lambda row: 0) -> dict[str, list[Row]]:
    """Divide a study among its measuring jobs: one or more whole temporal blocks a shard.

    Parameters
    ----------
    rows : of the manifest, with ``session_id`` and ``block``.
    part : of the study that a session belongs to; those of different parts share no shard.

    Returns
    -------
    Name -> its rows in the manifest's order; names are numbers of equal width, which sort.
    """
    ordered = sorted(rows, key=lambda row: (part(row), row["block"], row["session_id"]))
    dealt = []
    for _, some in groupby(ordered, key=part):
        blocks = [list(group) for _, group in groupby(some, key=lambda row: row["block"])]
        chunks = _chunks(blocks, -(-len(blocks) // _MOST_SHARDS))
        dealt += [list(chain.from_iterable(chunk)) for chunk in chunks]
    width = len(str(len(dealt)))
    return {f"{number:0{width}d}": group for number, group in enumerate(dealt, start=1)}


def bundles(shard: Iterable[Row], per_job: int, part: int = 0) -> dict[str, list[Row]]:
    """Divide a shard among the jobs that run it: whole draws, up to a number of sessions a bundle.

    Parameters
    ----------
    shard : rows of the manifest, with ``session_id`` and ``draw_id``; with ``job`` too where the
        design says which job runs a session.
    per_job : sessions that a bundle may have, at least 1; a draw is never divided.
    part : of the study that the shard is of.

    Returns
    -------
    Name, ``<first draw>_<last draw>``, with ``.part<number>`` after the first part, or the job's ->
    its rows in the manifest's order.
    """
    ordered = sorted(shard, key=_place)
    if ordered and "job" in ordered[0]:
        return {name: bundled(ordered, name) for name in sorted({row["job"] for row in ordered})}
    draws = [list(group) for _, group in groupby(ordered, key=lambda row: row["draw_id"])]
    ending = f".part{part}" if part else ""
    return {
        f"{some[0][0]['draw_id']}_{some[-1][0]['draw_id']}{ending}": list(chain.from_iterable(some))
        for some in _chunks(draws, per_job // max(map(len, draws)))
    }


def bundled(
    rows: Iterable[Row], bundle: str, part: Callable[[Row], int] = lambda row: 0
) -> list[Row]:
    """The rows of the manifest that a bundle's name stands for; ``part`` as in :func:`shards`."""
    rows = list(rows)
    if rows and "job" in rows[0]:
        return [row for row in rows if row["job"] == bundle]
    ending = _PART.search(bundle)
    first, last = _ends(bundle[: ending.start() if ending else None], {r["draw_id"] for r in rows})
    number = int(ending[1]) if ending else 0
    rows = [row for row in rows if part(row) == number]
    ends = [_place(row)[:2] for row in rows if row["draw_id"] in (first, last)]
    # Ids alone do not say what lies between them: e10 comes before e9.
    chosen = [row for row in rows if ends and min(ends) <= _place(row)[:2] <= max(ends)]
    return sorted(chosen, key=_place)


def _ends(name: str, draws: Set[str]) -> tuple[str, str]:
    """The first and the last draw that a bundle is named after; their ids may have a "_" too."""
    cuts = (cut.start() for cut in re.finditer("_", name))
    named = ((name[:cut], name[cut + 1 :]) for cut in cuts)
    return next((ends for ends in named if draws >= {*ends}), ("", ""))


def _place(row: Row) -> tuple[int, str, str]:
    """Where a session stands among those of its study."""
    return row["block"], row["draw_id"], row["session_id"]


def run_all(
    sessions: Sequence[Row],
    run: Callable[[Row], object],
    at_once: int,
    before: Callable[[Row], Iterable[str]],
) -> None:
    """Run the sessions of a bundle, each after those that it waits for.

    What ends one session ends no other, but for what stops the run: then calls in flight are
    finished, no further one is made, and the sessions go on from their journals next time.

    Parameters
    ----------
    sessions : rows of the manifest.
    run : takes a row.
    at_once : how many sessions may run at the same time.
    before : from a row to the ids of what it waits for; those of other bundles have ended.

    Raises
    ------
    DissensusError : what stopped the run.
    SessionsBroke : sessions failed in a way that is a fault of this program; all others ended.
    """
    rows = {row["session_id"]: row for row in sessions}
    waiting = {
        name: [earlier for earlier in before(row) if earlier in rows] for name, row in rows.items()
    }
    stops: list[DissensusError] = []
    faults: list[str] = []

    def run_one(name: str) -> str:
        try:
            if not stops:
                IN_FLIGHT.check()
                run(rows[name])
        except DissensusError as error:
            IN_FLIGHT.close()
            stops.append(error)
        except OSError as error:
            IN_FLIGHT.close()
            stops.append(unwritten(name, error))
        except Exception:
            faults.append(f"{name}: {traceback.format_exc()}")
        return name

    order = TopologicalSorter(waiting)
    order.prepare()
    with ThreadPoolExecutor(at_once) as pool:
        running = set()
        while order.is_active():
            running |= {pool.submit(run_one, name) for name in order.get_ready()}
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            order.done(*(future.result() for future in ended))
    if stops:
        # Others found only that the run is stopping; why, one knows.
        raise next((error for error in stops if not isinstance(error, Stopped)), stops[0])
    if faults:
        raise SessionsBroke(f"{len(faults)} of {len(sessions)} sessions broke down; {faults[0]}")


def _chunks(items: list[Any], size: int) -> list[list[Any]]:
    """Neighbours together, ``size`` of them, or one where that is none."""
    size = max(1, size)
    return [items[first : first + size] for first in range(0, len(items), size)]


def unwritten(session_id: str, error: OSError) -> ResourceError:
    """The error for a session whose artefacts cannot be written."""
    return ResourceError(
        f"{session_id} could not be written ({error}); mend that and start again: its replies are "
        "kept."
    )
