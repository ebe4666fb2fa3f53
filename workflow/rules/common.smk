# What every study's rules share: settings, paths, the run's lock, and what a stage depends on.

import gc
import os
from functools import wraps
from pathlib import Path

# Jobs run side by side; and with more threads BLAS adds in another order, to other last bits.
os.environ.update(OPENBLAS_NUM_THREADS="1")

from dissensus.session.progress import PROGRESS_COUNTS, clear
from dissensus.study.shutdown import (
    before_exit,
    cancel_cluster_jobs,
    cancel_on_signals,
    watch_for_stop,
    stop_on_signals,
    exit_with,
    stop,
)
from dissensus.errors import DissensusError
from dissensus.digests import code_digest
from dissensus.study.run_folder import RunLock, claim_run
from dissensus.study.configuration import load
from dissensus.text.embeddings import is_own
from snakemake_logger_plugin_dissensus import close
from snakemake_logger_plugin_dissensus.board import BOARD

# What is loaded by now stays for good, and a session leaves little behind: to search for garbage
# again and again takes a tenth of a run's time.
gc.freeze()
gc.set_threshold(50_000, 20, 100)


before_exit(close)

# For its limit on job starts, Snakemake starts a timer with every look at the jobs, which has it look
# again a second later, for good: after thousands of jobs it does nothing else.
if workflow.scheduling_settings:
    workflow.scheduling_settings.max_jobs_per_timespan = None


def exit_on_user_error(function):
    """The same function, ending the run with a user's error as its sentence alone."""

    @wraps(function)
    def guarded(*arguments):
        try:
            return function(*arguments)
        except DissensusError as error:
            exit_with(error)

    return guarded


SETTINGS = exit_on_user_error(load)(
    config, ", ".join(map(str, workflow.configfiles)) or "config.yaml"
)

ENVIRONMENT = workflow.current_basedir.join(
    "../../envs/dissensus.yaml"
).get_path_or_uri(secret_free=True)
RESULTS = Path("results") / SETTINGS.run
MODELS = {name: model.model_dump() for name, model in SETTINGS.models.items()}
LOCK = RunLock(RESULTS)
PROGRESS = RESULTS / ".progress"
# Without sessions_per_job: up to so many sessions, each is a job of its own where it runs on this
# machine; else so many are a bundle.
FEW_SESSIONS = 2000
BUNDLE = 100
REGISTRY = SETTINGS.registry(RESULTS, "run_session", SETTINGS.used)


onstart:
    exit_on_user_error(claim_run)(RESULTS, SETTINGS.simulated)
    exit_on_user_error(LOCK.acquire)()
    clear(PROGRESS)
    PROGRESS_COUNTS.begin(PROGRESS)
    BOARD.open(
        PROGRESS,
        None if SETTINGS.simulated else RESULTS / "ledger.jsonl",
        SETTINGS.budget_usd,
    )
    if workflow.local_exec:
        stop_on_signals()
        watch_for_stop(RESULTS, stop)
    else:
        cancel_on_signals()
        watch_for_stop(RESULTS, cancel_cluster_jobs)


def captions(study):
    """Where a study's captions are: absolute, since the report looks beside the rule's file otherwise."""
    return Path.cwd() / RESULTS / study / "captions"


def stage(*modules, **settings):
    """What a stage depends on besides its inputs: settings, and the code of its modules."""
    return {
        "settings": {name: plain(value) for name, value in settings.items()},
        "code": code_digest(*(f"dissensus.{module}" for module in modules)),
        "simulated": SETTINGS.simulated,
    }


def plain(value):
    """Settings as the plain data that Snakemake can compare and store."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return value
