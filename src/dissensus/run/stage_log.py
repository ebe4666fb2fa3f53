"""A stage's log: how it ended, with the digest of each file that it made, or why it failed.

``sha256sum -c results/<run>/*/logs/*.log`` reads it too, from the project's folder.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.report.escaping import message

#: Set in a run whose log shows the sentences itself: last, and each once.
_SHOWN_LAST = "DISSENSUS_SENTENCES_LAST"

_DONE, _FAILED = "# done", "# failed"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def write_done(log: Path, outputs: Iterable[str]) -> None:
    """Say that a stage ended well.

    Parameters
    ----------
    outputs : files, and folders of which each file counts.
    """
    made = [path for output in map(Path, outputs) for path in _files(output)]
    lines = "".join(f"{file_digest(path)}  {path}\n" for path in made)
    log.write_text(f"{_first(lines)}\n{lines}", encoding="utf-8")


def _files(output: Path) -> list[Path]:
    below = sorted(output.rglob("*")) if output.is_dir() else [output]
    # Snakemake's own mark of a folder's time begins with a dot.
    return [path for path in below if path.is_file() and not path.name.startswith(".snakemake")]


def write_failed(log: Path, sentence: str, details: str = "") -> None:
    """Say why a stage did not end well.

    Parameters
    ----------
    sentence : what its user is told.
    details : what only the log shows, such as a traceback.
    """
    more = f"\n{details}" if details else ""
    log.write_text(f"{_FAILED}\n{message(sentence)}\n{more}", encoding="utf-8")


def failure_in(log: Path) -> str | None:
    """The sentence in the log of a stage; "" where its run says it, None where there is none."""
    try:
        first, _, rest = log.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rest.partition("\n\n")[0].strip() if first == _FAILED else None


class _Forwarding(logging.Handler):
    def __init__(self, to: logging.Logger) -> None:
        super().__init__()
        self._to = to

    def emit(self, record: logging.LogRecord) -> None:
        self._to.handle(record)


def forward_warnings(to: logging.Logger) -> None:
    """Show what other rooms warn of where the run shows its own messages; they know no run."""
    ours = logging.getLogger("dissensus")
    ours.handlers = [_Forwarding(to)]
    ours.propagate = False


def show_failures_last() -> None:
    """Leave the sentences of this run's stages to the log of the run."""
    os.environ[_SHOWN_LAST] = "1"


def are_failures_shown_last() -> bool:
    """Whether a stage leaves its sentence to the log of its run."""
    return _SHOWN_LAST in os.environ


def read_log(log: Path) -> dict[Path, str]:
    """File -> digest of what a stage made; none where it did not end well.

    Raises
    ------
    ValueError : it is no log of a stage, or a line of it was changed.
    """
    first, _, lines = log.read_text(encoding="utf-8").partition("\n")
    if first == _FAILED:
        return {}
    matches = [_LINE.fullmatch(line) for line in lines.split("\n")[:-1]]
    if first != _first(lines) or not all(matches):
        raise ValueError("it is not as a stage writes it")
    return {Path(line[2]): line[1] for line in matches if line}


def _first(lines: str) -> str:
    """The first line, by which a change of the others is seen."""
    return f"{_DONE} {sha256(lines.encode()).hexdigest()[:16]}"
