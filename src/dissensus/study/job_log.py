"""The log of a job: "done", or "failed" with the sentence that says why."""

from __future__ import annotations

import os
from pathlib import Path

from dissensus.report.escaping import message

_FAILED = "failed\n"
#: Set in a run whose log shows the sentences itself: last, and each once.
_SHOWN_LAST = "DISSENSUS_SENTENCES_LAST"


def write_failure(log: Path, sentence: str, details: str = "") -> None:
    """Write down why a job failed.

    Parameters
    ----------
    sentence : what its user is told.
    details : what only the log shows, such as a traceback.
    """
    more = f"\n{details}" if details else ""
    log.write_text(f"{_FAILED}{message(sentence)}\n{more}", encoding="utf-8")


def failure_in(log: Path) -> str | None:
    """The sentence in a job's log; "" where its run says it, None where there is none."""
    try:
        text = log.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if not text.startswith(_FAILED):
        return None
    return text.removeprefix(_FAILED).partition("\n\n")[0].strip()


def show_failures_last() -> None:
    """Leave the sentences of this run's jobs to the log of the run."""
    os.environ[_SHOWN_LAST] = "1"


def are_failures_shown_last() -> bool:
    """Whether a job leaves its sentence to the log of its run."""
    return _SHOWN_LAST in os.environ
