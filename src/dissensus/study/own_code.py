"""Faults in a reader's own study: one sentence with the file and the line, and no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

from dissensus.errors import DissensusError, ResourceError
from dissensus.llm.journal import NotJournaled
from dissensus.shipped import SHIPPED


@contextmanager
def naming_the_line(module: str, what: str, *, is_paid: bool = True) -> Iterator[None]:
    """Let what the code of a study raises end as a sentence; studies of the project as they do.

    Parameters
    ----------
    module : of the study's declaration.
    what : was asked of it, such as "the session t001-a".
    is_paid : whether calls may have been made for it.

    Raises
    ------
    ResourceError : the code is the reader's own and raised something that is no user's error.
    """
    try:
        yield
    except (DissensusError, NotJournaled):
        raise
    except (Exception, SystemExit) as error:
        folder = Path(str(sys.modules[module].__file__)).parent
        stack = extract_tb(error.__traceback__)
        frames = [f for f in stack if Path(f.filename).parent == folder]
        # A signal ends a run by one that comes from elsewhere.
        is_theirs = isinstance(error, Exception) or stack[-1] in frames
        if module.partition(".")[0] == SHIPPED or not frames or not is_theirs:
            raise
        message = " ".join(f"{type(error).__name__}: {error}".split())
        mend = "correct the study and start again: what was paid for is kept"
        raise ResourceError(
            f"{frames[-1].filename}, line {frames[-1].lineno}: {what} ended with {message}; "
            f"{mend if is_paid else 'correct the study; nothing was asked of a model yet'}."
        ) from error
