# What every study's rules share: settings, paths, the run's lock, and what a stage depends on.

import gc
from functools import wraps
from pathlib import Path

from dissensus.ending import heed_signals, refuse, stop
from dissensus.errors import DissensusError
from dissensus.fingerprint import code_digest
from dissensus.runs import RunLock, claim_run
from dissensus.settings import load

# What is loaded by now stays for good, and a session leaves little behind: to search for garbage
# again and again takes a tenth of a run's time.
gc.freeze()
gc.set_threshold(50_000, 20, 100)


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
SWITCHBOARD = SETTINGS.switchboard(RESULTS, "hold_session", SETTINGS.language.panel)


onstart:
    plainly(claim_run)(RESULTS, SETTINGS.simulated)
    plainly(LOCK.acquire)()
    heed_signals()


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
