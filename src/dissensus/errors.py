"""What a user can get wrong, one class each; every message says what, where, and the mend.

And how such a message tells what other code raised.
"""

from __future__ import annotations

from pathlib import Path
from traceback import extract_tb


class DissensusError(Exception):
    """Base of every error that is the user's to mend: shown as its sentence, not a traceback."""


class SettingError(DissensusError):
    """A setting in the configuration is missing, unknown or holds a value it may not hold."""


class ResourceError(DissensusError):
    """A file the user supplies (motions, codings, prompts, arguments) cannot be used as it is."""


class ArtefactError(DissensusError):
    """A result file does not hold what its schema promises."""


class ProviderError(DissensusError):
    """A model's provider cannot be used at all (unknown, not installed, no key)."""


class BudgetReached(DissensusError):
    """The run has spent what it may; it goes on from here with a higher budget."""


class Stopped(DissensusError):
    """The run is stopping: calls that were begun are finished, no further one is begun."""


def ended_in(error: Exception, folder: Path | None = None) -> str:
    """What went wrong, and in which line of which file: the last one of a folder, if any is."""
    frames = extract_tb(error.__traceback__)
    last = [frame for frame in frames if Path(frame.filename).parent == folder] or frames
    file, line, message = last[-1].filename, last[-1].lineno, str(error)
    if isinstance(error, SyntaxError):
        file, line, message = error.filename or file, error.lineno or line, error.msg
    return f"{type(error).__name__} in {file}, line {line}: {' '.join(message.split())}"
