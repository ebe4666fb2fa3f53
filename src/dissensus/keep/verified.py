"""What is known of a run while it is verified: the files that were looked at, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from dissensus.errors import ArtefactError
from dissensus.study.kind import Row
from dissensus.tables.artefact import Schema, read

#: How what is damaged is mended.
MEND = "delete it and start again: it is made again, and no call is paid twice"


@dataclass
class Verified:
    """What was looked at, and what is wrong.

    Attributes
    ----------
    run : its name.
    findings : file -> the sentence on it; one a file.
    files : all that were looked at.
    sessions, turns : how many were derived again.
    pending, missing : how many sessions, and other files, are still to be made.
    notes : sentences on what was checked and is no file of the run's, such as stamps.
    made : file -> digest, of what the logs of stages say that was made.
    """

    run: str
    findings: dict[Path, str] = field(default_factory=dict)
    files: set[Path] = field(default_factory=set)
    sessions: int = 0
    turns: int = 0
    pending: int = 0
    missing: int = 0
    notes: list[str] = field(default_factory=list)
    made: dict[Path, str] = field(default_factory=dict)

    def find(self, path: Path, sentence: object) -> None:
        """Write down what is wrong with a file."""
        self.files.add(path)
        # Whoever reads a damaged file says the same of it.
        if str(sentence) not in self.findings.values():
            self.findings.setdefault(path, str(sentence))

    def bytes_of(self, path: Path) -> bytes:
        """A file's content; empty where it cannot be read, which is a finding."""
        self.files.add(path)
        try:
            return path.read_bytes()
        except OSError as error:
            self.find(path, f"{path} cannot be read ({error.strerror}); let the run read it.")
            return b""

    def table(self, path: Path) -> pa.Table | None:
        """An artefact; None where it is damaged, which is a finding."""
        self.files.add(path)
        try:
            return read(path)
        except ArtefactError as error:
            self.find(path, error)
            return None

    def compare(
        self, path: Path, schema: Schema, given: Sequence[Row] | pa.Table, source: str
    ) -> None:
        """Compare an artefact, where it is there, with what it was made from."""
        if not path.exists():
            self.missing += 1
            return
        self.files.add(path)
        try:
            table = read(path, schema)
        except ArtefactError as error:
            self.find(path, error)
            return
        same = table.equals(given) if isinstance(given, pa.Table) else table.to_pylist() == given
        if not same:
            self.find(path, f"{path} is not what {source} gives; {MEND}.")

    @property
    def summary(self) -> str:
        """The last sentence."""
        wrong = len(self.findings)
        seen = (
            f"Verified {self.sessions:,} sessions, {self.turns:,} turns, {len(self.files):,} files "
            f"of run {self.run}: "
            + (f"{wrong:,} of the files damaged." if wrong else "all as they were made.")
        )
        if self.pending or self.missing:
            seen += f" Still to be made: sessions {self.pending:,}, other files {self.missing:,}."
        return seen
