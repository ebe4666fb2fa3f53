"""Jobs that failed: their sentences come last, in place of what Snakemake says of them."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from snakemake.logging import get_event  # type: ignore[import-untyped]
from snakemake_interface_logger_plugins.common import LogEvent

from dissensus.run.shutdown import say_last
from dissensus.run.stage_log import failure_in

#: How the end of a run with failed jobs is told, which says no more than that.
_ENDS = (
    "Complete log(s): ",
    "Elapsed time: ",
    "Exiting because a job execution failed",
    "Shutting down, this might take some time",
    "WorkflowError:\nAt least one job did not complete successfully",
)
#: How a script's end by a signal is told, of itself or of the shell that it was started from.
_SIGNAL = re.compile(r"died with <Signals\.(\w+)|non-zero exit status 137\.")
_MEMORY = (
    "as the system does where memory runs out; start again with fewer --cores, or on a machine "
    "with more memory"
)


class Failures:
    """What is said of jobs that failed.

    A job that neither left a sentence in its log nor was killed is told as Snakemake tells it.
    """

    def __init__(self) -> None:
        self._are_told = False
        self._are_untold = False
        # Snakemake says first how a script ended, and then whose it was.
        self._signals: list[str] = []

    def worded(self, record: logging.LogRecord) -> str | None:
        """The line for a message: "" to leave it out, None where it is about something else."""
        event = get_event(record)
        if event == LogEvent.JOB_ERROR:
            return self._job(record)
        text = str(record.msg)
        if event == LogEvent.ERROR and "/.snakemake/scripts/" in text:
            if by_signal := _SIGNAL.search(text):
                self._signals.append(by_signal[1] or "SIGKILL")
                return ""
            if "non-zero exit status 1." in text:
                return ""
        are_all_told = self._are_told and not self._are_untold
        return "" if are_all_told and text.startswith(_ENDS) else None

    def _job(self, record: logging.LogRecord) -> str | None:
        failures = [failure_in(Path(log)) for log in vars(record)["log"] or ()]
        sentences = [sentence for sentence in failures if sentence is not None]
        if not sentences and self._signals:
            sentences = [_killed(vars(record), self._signals.pop(0))]
        if not sentences:
            self._are_untold = True
            return None
        self._are_told = True
        for sentence in filter(None, sentences):
            say_last(sentence)
        return (
            f"{vars(record)['rule_name']} failed; why is said at the end" if any(sentences) else ""
        )


def _killed(job: dict[str, Any], signal: str) -> str:
    """The sentence for a job whose script was ended by a signal."""
    made = next(iter(job["output"] or ()), "nothing")
    why = _MEMORY if signal == "SIGKILL" else "and left no word why; start again"
    return f"{job['rule_name']}, which makes {made}, was ended by {signal}, {why}."
