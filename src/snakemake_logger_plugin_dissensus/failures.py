"""Jobs that failed: their sentences come last, in place of what Snakemake says of them."""

from __future__ import annotations

import logging
from pathlib import Path

from snakemake.logging import get_event  # type: ignore[import-untyped]
from snakemake_interface_logger_plugins.common import LogEvent

from dissensus.study.shutdown import say_last
from dissensus.study.stage_log import failure_in

#: How the end of a run with failed jobs is told, which says no more than that.
_ENDS = (
    "Complete log(s): ",
    "Elapsed time: ",
    "Exiting because a job execution failed",
    "Shutting down, this might take some time",
    "WorkflowError:\nAt least one job did not complete successfully",
)


class Failures:
    """What is said of jobs that failed.

    A job whose log has no sentence, such as one that was killed, is told as Snakemake tells it.
    """

    def __init__(self) -> None:
        self._are_told = False
        self._are_untold = False

    def worded(self, record: logging.LogRecord) -> str | None:
        """The line for a message: "" to leave it out, None where it is about something else."""
        event = get_event(record)
        if event == LogEvent.JOB_ERROR:
            return self._job(record)
        text = str(record.msg)
        if event == LogEvent.ERROR and _is_status_of_script(text):
            return ""
        are_all_told = self._are_told and not self._are_untold
        return "" if are_all_told and text.startswith(_ENDS) else None

    def _job(self, record: logging.LogRecord) -> str | None:
        found = [failure_in(Path(log)) for log in vars(record)["log"] or ()]
        sentences = [sentence for sentence in found if sentence is not None]
        if not sentences:
            self._are_untold = True
            return None
        self._are_told = True
        for sentence in filter(None, sentences):
            say_last(sentence)
        return (
            f"{vars(record)['rule_name']} failed; why is said at the end" if any(sentences) else ""
        )


def _is_status_of_script(text: str) -> bool:
    """Whether a message says no more than that a script ended with status 1."""
    return "/.snakemake/scripts/" in text and "non-zero exit status 1." in text
