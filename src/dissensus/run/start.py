"""How a run starts: its folder is claimed, signals are heeded, progress is shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from dissensus.llm.ledger import LEDGER
from dissensus.run.leftovers import remove_scripts, take_over
from dissensus.run.recount import restore_ledger
from dissensus.run.run_folder import RunLock, claim_run, make_private
from dissensus.run.shutdown import (
    before_exit,
    cancel_cluster_jobs,
    cancel_on_signals,
    stop,
    stop_on_signals,
    watch_for_stop,
)
from dissensus.session.progress import PROGRESS_COUNTS, clear
from dissensus.study.configuration import Configuration


class Board(Protocol):
    """Where progress is shown."""

    def open(self, folder: Path, ledger: Path | None, budget_usd: float | None) -> None: ...


def start_run(
    settings: Configuration,
    results: Path,
    lock: RunLock,
    board: Board,
    runs_here: bool,
    temporary: Sequence[TemporaryDirectory[str]] = (),
) -> None:
    """Claim a run's folder and watch over the run until this process ends.

    Parameters
    ----------
    settings : of the run.
    results : its folder; those of its panels are beside it.
    lock : kept until the process ends.
    board : shows progress.
    runs_here : whether this process runs the jobs, rather than a cluster.
    temporary : folders of this process, which must not outlive it.

    Raises
    ------
    SettingError : the folder is in use, or has models of the other kind.
    ResourceError : there is a budget, and the ledger is damaged.
    """
    folders = [results.parent / part.run for part in settings.parts]
    for folder in folders:
        claim_run(folder, settings.simulated, is_imported=not settings.used)
    lock.acquire()
    home = settings.home(results)
    if settings.private:
        make_private({home, *folders})
    take_over(home, [Path(folder.name) for folder in temporary], folders)
    for folder in (home, *folders):
        before_exit(partial(remove_scripts, folder))
    progress = home / ".progress"
    clear(progress)
    PROGRESS_COUNTS.begin(progress)
    ledger = None if settings.simulated else home / LEDGER
    if settings.budget_usd is not None:
        restore_ledger(home, folders)
    board.open(progress, ledger, settings.budget_usd)
    if runs_here:
        stop_on_signals()
        watch_for_stop(home, stop)
    else:
        cancel_on_signals()
        watch_for_stop(home, cancel_cluster_jobs)
