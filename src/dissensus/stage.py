"""How a script of the workflow runs: its end goes to its log, and errors are sentences."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError
from dissensus.tables.provenance import provenance


@dataclass(frozen=True)
class Stage:
    """What a stage is told besides its inputs and outputs.

    Attributes
    ----------
    settings : as given in the rule.
    simulated : whether the words behind its inputs came from simulated models.
    provenance : metadata for whatever it writes.
    """

    settings: dict[str, Any]
    simulated: bool
    provenance: dict[str, Any]


def run(main: Callable[[Any, Any, Stage], None], job: Any) -> None:
    """Run a stage.

    Parameters
    ----------
    main : takes the job's inputs, its outputs and its stage.
    job : the object that Snakemake gives a script.

    A user's error is printed as its sentence; anything else is a fault of ours, and its traceback
    goes to the log with one line on the screen that says where.
    """
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    given = dict(job.params.stage)
    made = provenance(job.rule, given["simulated"], given)
    try:
        main(job.input, job.output, Stage(given["settings"], given["simulated"], made))
    except DissensusError as error:
        log.write_text(f"{error}\n", encoding="utf-8")
        print(error, file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        log.write_text(traceback.format_exc(), encoding="utf-8")
        print(f"{job.rule} failed ({type(error).__name__}: {error}); see {log}", file=sys.stderr)
        sys.exit(1)
    log.write_text("done\n", encoding="utf-8")
