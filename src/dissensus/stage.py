"""How a script of the workflow runs its main function: what it says goes to its log, errors are sentences."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError


def run(main: Callable[[Any, Any, dict[str, Any]], None], job: Any) -> None:
    """Run a stage.

    Parameters
    ----------
    main : takes the job's inputs, its outputs and its ``stage`` parameter.
    job : the object that Snakemake gives a script.

    A user's error is printed as its sentence; anything else is a fault of ours, and its traceback
    goes to the log with one line on the screen that says where.
    """
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        main(job.input, job.output, dict(job.params.stage))
    except DissensusError as error:
        log.write_text(f"{error}\n", encoding="utf-8")
        print(error, file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        log.write_text(traceback.format_exc(), encoding="utf-8")
        print(f"{job.rule} failed ({type(error).__name__}: {error}); see {log}", file=sys.stderr)
        sys.exit(1)
    log.write_text("done\n", encoding="utf-8")
