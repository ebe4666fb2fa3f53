# What every study's rules share: settings, paths, the run's lock, and what a stage depends on.

import gc
import os
from functools import wraps
from pathlib import Path

# Jobs run side by side; and with more threads BLAS adds in another order, to other last bits.
os.environ.update(OPENBLAS_NUM_THREADS="1")

from dissensus.debate.tally import TALLY, clear
from dissensus.ending import (
    before_last_words,
    call_off,
    cancel_on_signals,
    heed_notices,
    heed_signals,
    refuse,
    stop,
)
from dissensus.errors import DissensusError
from dissensus.fingerprint import code_digest
from dissensus.runs import RunLock, claim_run
from dissensus.settings import load
from dissensus.text.embeddings import is_own
from snakemake_logger_plugin_dissensus import close
from snakemake_logger_plugin_dissensus.board import BOARD

# What is loaded by now stays for good, and a session leaves little behind: to search for garbage
# again and again takes a tenth of a run's time.
gc.freeze()
gc.set_threshold(50_000, 20, 100)


before_last_words(close)

# For its limit on job starts, Snakemake starts a timer with every look at the jobs, which has it look
# again a second later, for good: after thousands of jobs it does nothing else.
if workflow.scheduling_settings:
    workflow.scheduling_settings.max_jobs_per_timespan = None


def plainly(function):
    """The same function, ending the run with a user's error as its sentence alone."""

    @wraps(function)
    def guarded(*arguments):
        try:
            return function(*arguments)
        except DissensusError as error:
            refuse(error)

    return guarded


SETTINGS = plainly(load)(
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
SWITCHBOARD = SETTINGS.switchboard(RESULTS, "hold_session", SETTINGS.used)


onstart:
    plainly(claim_run)(RESULTS, SETTINGS.simulated)
    plainly(LOCK.acquire)()
    clear(PROGRESS)
    TALLY.begin(PROGRESS)
    BOARD.open(
        PROGRESS,
        None if SETTINGS.simulated else RESULTS / "ledger.jsonl",
        SETTINGS.budget_usd,
    )
    if workflow.local_exec:
        heed_signals()
        heed_notices(RESULTS, stop)
    else:
        cancel_on_signals()
        heed_notices(RESULTS, call_off)


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
