"""How a run starts: its folder is claimed, signals are heeded, progress is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from dissensus.llm.ledger import LEDGER
from dissensus.llm.recount import restore_ledger
from dissensus.run.leftovers import remove_scripts, take_over
from dissensus.run.run_folder import RunLock, claim_run
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
    results : its folder.
    lock : kept until the process ends.
    board : shows progress.
    runs_here : whether this process runs the jobs, rather than a cluster.
    temporary : folders of this process, which must not outlive it.

    Raises
    ------
    SettingError : the folder is in use, or has models of the other kind.
    ResourceError : there is a budget, and the ledger is damaged.
    """
    claim_run(results, settings.simulated, is_imported=not settings.used)
    lock.acquire()
    take_over(results, [Path(folder.name) for folder in temporary])
    before_exit(lambda: remove_scripts(results))
    progress = results / ".progress"
    clear(progress)
    PROGRESS_COUNTS.begin(progress)
    ledger = None if settings.simulated else results / LEDGER
    if settings.budget_usd is not None:
        restore_ledger(results)
    board.open(progress, ledger, settings.budget_usd)
    if runs_here:
        stop_on_signals()
        watch_for_stop(results, stop)
    else:
        cancel_on_signals()
        watch_for_stop(results, cancel_cluster_jobs)
