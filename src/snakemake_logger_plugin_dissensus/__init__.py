"""Snakemake's words about a run of thousands of sessions, few enough to be read.

A line for each job that begins, but for the sessions', which one line sums up; warnings, errors
and last words as Snakemake itself puts them. What is not a run, such as a dry run, looks as ever.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys
import time
from queue import Queue

from snakemake.logging import (  # type: ignore[import-untyped]
    ColorizingTextHandler,
    format_wildcards,
    get_event,
)
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from dissensus.study.shutdown import is_stopping
from snakemake_logger_plugin_dissensus.board import BOARD, number
from snakemake_logger_plugin_dissensus.screens import Log, clock, screen_of

#: The rules that hold sessions: the board sums up what their jobs do.
_SESSIONS = {"run_session": "session", "run_bundle": "bundle"}
#: Events of one job among thousands, and of what Snakemake's own log keeps.
_LEFT_OUT = {
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.PROGRESS,
    LogEvent.RESOURCES_INFO,
    LogEvent.WORKFLOW_STARTED,
}
#: How messages begin that have no event and tell nobody anything.
_CHATTER = (
    "Assuming unrestricted shared filesystem",
    "Building DAG of jobs",
    "Conda environments: ignored",
    "DAG of jobs will be updated",
    "Select jobs to execute",
    "Singularity containers: ignored",
    "Touching output file",
    "Updating checkpoint dependencies",
    "Using shell: ",
    "host: ",
)
#: Seconds that messages under way are waited for at the end.
_LAST_S = 2.0


class LogHandler(LogHandlerBase):
    """What Snakemake gives every message of a run to."""

    def __post_init__(self) -> None:
        given = self.common_settings
        nocolor = given.nocolor or bool(os.environ.get("NO_COLOR"))
        stream = sys.stdout if given.stdout else sys.stderr
        quiet = {str(kind) for kind in given.quiet or ()}
        self._whole = given.dryrun or given.verbose or given.debug_dag
        self._screen = Log(stream) if given.dryrun else screen_of(stream, nocolor)
        self._text = ColorizingTextHandler(nocolor=nocolor, stream=self._screen)
        BOARD.screen = None if given.dryrun or quiet & {"all", "progress"} else self._screen

    def setFormatter(self, fmt: logging.Formatter | None) -> None:
        """Take Snakemake's own, which words whatever is not worded here."""
        super().setFormatter(fmt)
        self._text.setFormatter(fmt)

    def emit(self, record: logging.LogRecord) -> None:
        """Show a message, or leave it out."""
        if is_stopping():
            return
        try:
            line = None if self._whole else worded(record)
            if line is None:
                self._text.emit(record)
            elif line:
                self._screen.write(f"{clock()} {line}\n")
                self._screen.flush()
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        BOARD.close()
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        return True

    @property
    def writes_to_file(self) -> bool:
        return False

    @property
    def has_filter(self) -> bool:
        return False

    @property
    def has_formatter(self) -> bool:
        return False

    @property
    def needs_rulegraph(self) -> bool:
        return False


def worded(record: logging.LogRecord) -> str | None:
    """A message in a line of ours: "" to leave it out, None where Snakemake's words are best."""
    event = get_event(record)
    if record.levelno > logging.INFO:
        return None
    if event in _LEFT_OUT or (event is None and str(record.msg).startswith(_CHATTER)):
        return ""
    if event == LogEvent.JOB_INFO:
        return _job(record)
    if event == LogEvent.RUN_INFO:
        return _jobs(getattr(record, "stats", {}))
    return None


def _job(record: logging.LogRecord) -> str:
    """What a job is about to do: its rule's message, or else the rule's name."""
    said = vars(record)
    if said["rule_name"] in _SESSIONS:
        return ""
    wildcards = format_wildcards(said["wildcards"])
    name = f"{said['rule_name']} ({wildcards})" if wildcards else said["rule_name"]
    return str(said["rule_msg"] or name)


def _jobs(stats: dict[str, int]) -> str:
    """How many jobs there are, and how many of them hold sessions."""
    counts = {rule: n for rule, n in stats.items() if rule != "total"}
    of_sessions = [number(counts[rule], kind) for rule, kind in _SESSIONS.items() if rule in counts]
    jobs, rules = number(sum(counts.values()), "job"), number(len(counts), "rule")
    return ", ".join([f"{jobs} of {rules}", *of_sessions])


def close() -> None:
    """Show what is still to be shown, and leave the stream to others: for a run's last words."""
    until = time.monotonic() + _LAST_S
    for handler in logging.getLogger("snakemake.logging").handlers:
        if isinstance(handler, logging.handlers.QueueHandler):
            _wait(handler.queue, until)
    BOARD.close()


def _wait(messages: object, until: float) -> None:
    """Wait until a queue's messages are shown, or until a time."""
    while isinstance(messages, Queue) and messages.unfinished_tasks and time.monotonic() < until:
        time.sleep(0.01)
