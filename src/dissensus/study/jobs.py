"""Which job runs and measures which sessions (shards), and how a job runs a list of them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from itertools import chain, groupby
from typing import Any

from dissensus.errors import DissensusError, ResourceError, Stopped
from dissensus.llm.journal import IN_FLIGHT

#: Enough for the measures to begin while sessions run, and to keep as many cores busy; a job
#: more has its start to pay for.
MOST_SHARDS = 24

Row = Mapping[str, Any]


class SessionsBroke(Exception):
    """Sessions of a job ended in a fault of this program; the first with its traceback."""


def shards(
    rows: Iterable[Row], part: Callable[[Row], int] = lambda row: 0, most: int = MOST_SHARDS
) -> dict[str, list[Row]]:
    """Divide a study among its jobs: one or more whole temporal blocks a shard.

    Parameters
    ----------
    rows : of the manifest, with ``session_id`` and ``block``; with ``job`` too where the design
        says which sessions are of one job.
    part : of the study that a session belongs to; those of different parts share no shard.
    most : shards of a part, but for those that the design names.

    Returns
    -------
    Name -> its rows in the manifest's order; names are numbers of equal width, which sort.
    """
    ordered = sorted(rows, key=lambda row: (part(row), *_block(row), row["session_id"]))
    dealt = []
    for _, some in groupby(ordered, key=part):
        blocks = [list(group) for _, group in groupby(some, key=_block)]
        size = 1 if "job" in ordered[0] else -(-len(blocks) // most)
        dealt += [
            list(chain.from_iterable(blocks[first : first + size]))
            for first in range(0, len(blocks), size)
        ]
    width = len(str(len(dealt)))
    return {f"{number:0{width}d}": group for number, group in enumerate(dealt, start=1)}


def _block(row: Row) -> tuple[int, str]:
    """What is never divided among shards: a temporal block, or what the design calls a job."""
    return row["block"], row.get("job", "")


def widest(rows: Sequence[Row], before: Callable[[Row], Iterable[str]]) -> int:
    """How many sessions of a list run at the same time, where each waits for no other than it must.

    Parameters
    ----------
    before : from a row to the ids of what it waits for.
    """
    order, most = _order(rows, before), 0
    while order.is_active():
        ready = order.get_ready()
        most = max(most, len(ready))
        order.done(*ready)
    return most


def _order(rows: Sequence[Row], before: Callable[[Row], Iterable[str]]) -> TopologicalSorter[str]:
    """Sessions of a list after those of the list that they wait for, ready to be gone through."""
    inside = {row["session_id"] for row in rows}
    order = TopologicalSorter(
        {row["session_id"]: [name for name in before(row) if name in inside] for row in rows}
    )
    order.prepare()
    return order


def run_all(
    sessions: Sequence[Row],
    run: Callable[[Row], object],
    at_once: int,
    before: Callable[[Row], Iterable[str]],
) -> None:
    """Run the sessions of a job, each after those that it waits for.

    What ends one session ends no other, but for what stops the run: then calls in flight are
    finished, no further one is made, and the sessions go on from their journals next time.

    Parameters
    ----------
    sessions : rows of the manifest.
    run : takes a row.
    at_once : how many sessions may run at the same time.
    before : from a row to the ids of what it waits for; those of other jobs have ended.

    Raises
    ------
    DissensusError : what stopped the run.
    SessionsBroke : sessions failed in a way that is a fault of this program; all others ended.
    """
    rows = {row["session_id"]: row for row in sessions}
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

    order = _order(sessions, before)
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


def unwritten(session_id: str, error: OSError) -> ResourceError:
    """The error for a session whose artefacts cannot be written."""
    return ResourceError(
        f"{session_id} could not be written ({error}); mend that and start again: its replies are "
        "kept."
    )
