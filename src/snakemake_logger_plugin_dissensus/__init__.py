"""Snakemake's log of a run with thousands of sessions, short enough to be read.

Each job that begins has a line, but all sessions together have one. Why jobs failed is said last.
Warnings and other errors are as Snakemake writes them. A dry run says what would run: a line for
each job, how many there are of each rule, and why those run that have run before.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path
from queue import Queue

from snakemake.common import get_appdirs  # type: ignore[import-untyped]
from snakemake.logging import (  # type: ignore[import-untyped]
    ColorizingTextHandler,
    format_wildcards,
    get_event,
)
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from dissensus.garbage import collect_seldom
from dissensus.run.shutdown import is_stopping, last_words, say_last
from dissensus.run.stage_log import show_failures_last
from dissensus.run.targets import TARGETS
from snakemake_logger_plugin_dissensus.board import BOARD, number
from snakemake_logger_plugin_dissensus.failures import Failures
from snakemake_logger_plugin_dissensus.screens import Log, clock, screen_of
from snakemake_logger_plugin_dissensus.unreadable import unreadable_settings

#: The rules that run sessions -> the kind of their jobs, which the board sums up.
_SESSIONS = {"run_session": "session", "run_sessions": "shard"}
#: Events left out: they concern one job among thousands, or are in Snakemake's own log.
_LEFT_OUT = {
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.PROGRESS,
    LogEvent.RESOURCES_INFO,
    LogEvent.WORKFLOW_STARTED,
}
#: How messages without an event begin that are left out.
_CHATTER = (
    "Assuming unrestricted shared filesystem",
    "Building DAG of jobs",
    "Conda environments: ignored",
    "DAG of jobs will be updated",
    "Select jobs to execute",
    "Singularity containers: ignored",
    "The run involves checkpoint jobs",
    "This was a dry-run",
    "Touching output file",
    "Updating checkpoint dependencies",
    "Using shell: ",
    "host: ",
)
#: How Snakemake says that nothing makes a target.
_NO_RULE = re.compile(r"No rule to produce (.+?) \(if you use input functions")
#: Reasons of jobs that need no telling.
_EVIDENT = ("input files updated by another job", "output files have to be generated")
#: Seconds to wait for messages in the queue at the end.
_LAST_S = 2.0


def _have_a_cache() -> None:
    """Let Snakemake keep its cache in the project where the home folder cannot be written.

    This is the first of the project's code to run, and without a cache Snakemake ends at once.
    """
    try:
        Path(get_appdirs().user_cache_dir).mkdir(parents=True, exist_ok=True)
    except OSError:
        os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").resolve())


class LogHandler(LogHandlerBase):
    """The handler of all messages of a run."""

    def __post_init__(self) -> None:
        _have_a_cache()
        # What Snakemake has imported stays, and the project's imports come next.
        collect_seldom()
        given = self.common_settings
        nocolor = given.nocolor or bool(os.environ.get("NO_COLOR"))
        stream = sys.stdout if given.stdout else sys.stderr
        quiet = {str(kind) for kind in given.quiet or ()}
        self._planned: dict[str, int] | None = {} if given.dryrun else None
        self._whole = given.verbose or given.debug_dag
        self._screen = Log(stream) if given.dryrun else screen_of(stream, nocolor)
        self._text = ColorizingTextHandler(nocolor=nocolor, stream=self._screen)
        self._failures = Failures()
        if not (given.dryrun or self._whole):
            show_failures_last()
        BOARD.screen = None if given.dryrun or quiet & {"all", "progress"} else self._screen

    def setFormatter(self, fmt: logging.Formatter | None) -> None:
        """Take Snakemake's formatter, for the messages that are not worded here."""
        super().setFormatter(fmt)
        self._text.setFormatter(fmt)

    def emit(self, record: logging.LogRecord) -> None:
        """Show a message, or leave it out."""
        if is_stopping():
            return
        try:
            if get_event(record) == LogEvent.ERROR and _is_of_the_user(str(record.msg)):
                return
            line = None if self._whole else self._worded(record)
            if self._planned is not None and get_event(record) == LogEvent.RUN_INFO:
                self._planned = dict(getattr(record, "stats", {}))
            if line is None:
                self._text.emit(record)
            elif line:
                self._screen.write(f"{line}\n")
                self._screen.flush()
        except Exception:
            self.handleError(record)

    def _worded(self, record: logging.LogRecord) -> str | None:
        """The line for a message: "" to leave it out, None to leave it to Snakemake."""
        if self._planned is not None:
            # Snakemake counts the jobs before it lists them, and once more below.
            is_first = get_event(record) == LogEvent.RUN_INFO and not self._planned
            return "" if is_first else foretold(record)
        line = worded(record, self._failures)
        return f"{clock()} {line}" if line else line

    def close(self) -> None:
        BOARD.close()
        if self._planned is not None and (sentence := BOARD.plan(self._planned)):
            say_last(sentence)
            self._planned = None
        print(last_words(), file=sys.stderr, end="", flush=True)
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


def _is_of_the_user(error: str) -> bool:
    """Whether an error is of settings or of a target, and is then a sentence at the end."""
    named = _NO_RULE.search(error)
    sentence = unreadable_settings(sys.argv[1:]) or (TARGETS.refusal(named[1]) if named else "")
    if sentence:
        say_last(sentence)
    return bool(sentence)


def worded(record: logging.LogRecord, failures: Failures) -> str | None:
    """The line for a message: "" to leave it out, None to leave it to Snakemake."""
    event = get_event(record)
    line = failures.worded(record)
    if line is not None or record.levelno > logging.INFO:
        return line
    if event in _LEFT_OUT or (event is None and str(record.msg).startswith(_CHATTER)):
        return ""
    if event == LogEvent.JOB_INFO:
        return "" if _of_any_panel(vars(record)["rule_name"]) in _SESSIONS else _job(record)
    if event == LogEvent.RUN_INFO:
        return _jobs(getattr(record, "stats", {}))
    return None


def foretold(record: logging.LogRecord) -> str | None:
    """The same of a dry run, which says what would run, and not where."""
    event, text = get_event(record), str(record.msg)
    if record.levelno > logging.INFO:
        return None
    if event == LogEvent.JOB_INFO:
        return _job(record)
    if text.startswith("Reasons:"):
        return _reasons(text)
    if event in _LEFT_OUT or (event is None and text.startswith(_CHATTER)):
        return ""
    return None


def _reasons(text: str) -> str:
    """Why jobs run again; of those that have not run, nothing."""
    told = re.findall(r"^    (\S.*):\n {8}(.*)$", text, re.M)
    return "\n".join(f"{why}: {rules}" for why, rules in told if why not in _EVIDENT)


def _job(record: logging.LogRecord) -> str:
    """The line of a job: its rule's message, or else the rule's name."""
    fields = vars(record)
    wildcards = format_wildcards(fields["wildcards"])
    name = f"{fields['rule_name']} ({wildcards})" if wildcards else fields["rule_name"]
    panel, dot, _ = str(fields["rule_name"]).rpartition(".")
    message = str(fields["rule_msg"] or name)
    return f"{panel}: {message}" if dot and fields["rule_msg"] else message


def _of_any_panel(rule: str) -> str:
    """The name of a rule without that of its panel."""
    return rule.rpartition(".")[2]


def _jobs(stats: dict[str, int]) -> str:
    """How many jobs there are, and how many of them run sessions."""
    counts = {rule: n for rule, n in stats.items() if rule != "total"}
    by_rule: Counter[str] = Counter()
    for rule, n in counts.items():
        by_rule[_of_any_panel(rule)] += n
    sessions = [number(by_rule[rule], kind) for rule, kind in _SESSIONS.items() if by_rule[rule]]
    jobs, rules = number(by_rule.total(), "job"), number(len(by_rule), "rule")
    return ", ".join([f"{jobs} of {rules}", *sessions])


def close() -> None:
    """Show all messages in the queue, and leave the stream to others, at the end of a run."""
    until = time.monotonic() + _LAST_S
    for handler in logging.getLogger("snakemake.logging").handlers:
        if isinstance(handler, logging.handlers.QueueHandler):
            _wait(handler.queue, until)
    BOARD.close()


def _wait(messages: object, until: float) -> None:
    """Wait until a queue's messages are shown, or until a time."""
    while isinstance(messages, Queue) and messages.unfinished_tasks and time.monotonic() < until:
        time.sleep(0.01)
