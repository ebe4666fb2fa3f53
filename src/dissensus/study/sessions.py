"""A study's sessions: where each is kept, which are to be held, and holding them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from typing import Protocol as Interface

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.llm.journal import Journal
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.shared import claimed
from dissensus.session.protocol import Steps
from dissensus.session.record import SessionPaths, is_complete, write_session
from dissensus.session.runner import Limits, run_session
from dissensus.study.jobs import bundled, run_all
from dissensus.tables.artefact import Column, replacing
from dissensus.tables.provenance import provenance

Row = Mapping[str, Any]

#: The kinds of artefact that a session leaves, each in a folder of that name.
ARTEFACTS = ("sessions", "calls", "transcripts")

#: What begins the ids of sessions whose draws are numbered, such as d007-en and t012-full.
_NUMBERED = re.compile(r"([a-z])(\d{3,})-(.+)")


class Debates(Interface):
    """What the core is told about a study.

    Attributes
    ----------
    IDS : the columns that name a session, session_id first.
    ARM : the column of what a draw's sessions differ in.
    folder : the study's.
    rows : session_id -> row of the manifest, in the order of ids.
    """

    IDS: ClassVar[dict[str, Column]]
    ARM: ClassVar[str]

    @property
    def folder(self) -> Path: ...

    @property
    def rows(self) -> Mapping[str, Row]: ...

    def spec(self, row: Row) -> dict[str, Any]:
        """All that a session depends on, as plain data: held again exactly when this changes.

        Besides what the study wants: the columns of :attr:`IDS`, ``seed``, ``models`` (name ->
        digest of what its replies depend on) and ``protocol`` (see
        :meth:`dissensus.session.runner.Limits.of`).
        """

    def steps(self, spec: Row, placeholder: str | None = None) -> Callable[[], Steps]:
        """The protocol of a specified session, to be started afresh for each attempt at it.

        ``placeholder`` is taken for what sessions before this one said, where nothing is held yet.
        """

    def kind(self, row: Row) -> Hashable:
        """Equal for sessions that ask the same models the same, but for what is said in them."""

    def before(self, row: Row) -> list[str]:
        """Sessions that must have been held before this one, by their ids."""


def paths_in(folder: Path, session_id: str) -> SessionPaths:
    """Where a session's artefacts are kept in its study's folder."""
    return SessionPaths(
        attempts=folder / f"sessions/{session_id}.parquet",
        transcript=folder / f"transcripts/{session_id}.parquet",
        calls=folder / f"calls/{session_id}.parquet",
        held=folder / f"held/{session_id}",
    )


def spec_in(folder: Path, name: str) -> Path:
    """Where the digest of a session's, or a bundle's, specification is noted."""
    return folder / f"specs/{name}"


def journal_in(folder: Path, session_id: str) -> Path:
    """Where a session's replies are kept.

    A study that grows past 999 draws has wider numbers in its ids: what its sessions were told
    under the narrower ones comes along, since it was paid for.
    """
    path = folder / f"journal/{session_id}.jsonl"
    numbered = _NUMBERED.fullmatch(session_id)
    if numbered:
        letter, number, rest = numbered.groups()
        for width in range(3, len(number)):
            narrower = path.with_name(f"{letter}{int(number):0{width}d}-{rest}.jsonl")
            if narrower != path and narrower.exists() and not path.exists():
                narrower.rename(path)
    return path


@dataclass(frozen=True)
class Sessions:
    """The sessions of a study, as jobs hold them."""

    debates: Debates

    @property
    def folder(self) -> Path:
        return self.debates.folder

    def hold(self, row: Row, registry: ModelRegistry) -> str:
        """Hold a session, or finish it from its journal, and write it down.

        Parameters
        ----------
        row : of the manifest.
        registry : the run's models.

        Returns
        -------
        Why it failed for good, "" where it did not.
        """
        spec, name = self.debates.spec(row), row["session_id"]
        journal, paths = journal_in(self.folder, name), paths_in(self.folder, name)
        models = {name: registry.model(name) for name in spec["models"]}
        simulated = all(provider.simulated for provider in models.values())
        made_by = provenance("run_session", simulated, spec)
        ids = {name: spec[name] for name in self.debates.IDS}
        # A job that outlived its run may hold this session: what it paid for is read after it.
        with claimed(journal):
            with Journal(journal) as kept:
                steps, limits = self.debates.steps(spec), Limits.of(spec["protocol"])
                session = run_session(spec["seed"], steps, models, kept, limits)
            write_session(paths, session, ids, self.debates.IDS, made_by, digest(spec))
        return session.failure

    def pending(self, rows: Iterable[Row]) -> list[Row]:
        """Those that are not there, or were held to another specification."""
        return [row for row in rows if not self._is_complete(row, self._digest(row))]

    def note(self) -> list[Row]:
        """Write down what each session is to be, in a file that Snakemake compares by its time.

        A file is written when the specification has changed. Where the session was held to it
        before, its time is long past: nothing is to be done. So sessions are held again exactly
        when what they depend on has changed, by whichever job they were held, and bundles too. A
        bundle in which an artefact is missing is told by its mark, which is dropped.

        Returns
        -------
        Those rows whose sessions are still to be held.

        Raises
        ------
        ResourceError : a note cannot be written.
        KeyError : a row is of something, such as a model or a motion, that is not known.
        """
        rows, pending = list(self.debates.rows.values()), []
        for row in rows:
            spec = self._digest(row)
            held = self._is_complete(row, spec)
            if not held:
                pending.append(row)
            _note(spec_in(self.folder, row["session_id"]), spec, old=held)
        marks = self.folder / "bundles"
        for mark in marks.iterdir() if marks.is_dir() else ():
            self.note_bundle(mark.name)
            if any(self._lacks(row) for row in bundled(pending, mark.name)):
                mark.unlink()
        return pending

    def note_bundle(self, bundle: str) -> Path:
        """Write down what a bundle's sessions are to be, as :meth:`note` does; the file."""
        rows = bundled(self.debates.rows.values(), bundle)
        specs = [self._digest(row) for row in rows]
        held = all(map(self._is_complete, rows, specs))
        return _note(spec_in(self.folder, bundle), digest(specs), old=held)

    def _digest(self, row: Row) -> str:
        return digest(self.debates.spec(row))

    def _is_complete(self, row: Row, spec: str) -> bool:
        return is_complete(paths_in(self.folder, row["session_id"]), spec)

    def _lacks(self, row: Row) -> bool:
        """Whether one of a session's artefacts is not there."""
        paths = paths_in(self.folder, row["session_id"])
        return not all(path.is_file() for path in (paths.attempts, paths.calls, paths.transcript))

    def run_bundle(
        self, rows: Sequence[Row], registry: ModelRegistry, at_once: int
    ) -> dict[str, str]:
        """Hold what is still to be held of a bundle.

        Parameters
        ----------
        rows : of the manifest.
        registry : the run's models.
        at_once : how many sessions may be held at the same time.

        Returns
        -------
        session_id -> why it failed for good, of those that did.

        Raises
        ------
        DissensusError, Broken : see :func:`~dissensus.study.jobs.run_all`.
        """
        failures: dict[str, str] = {}

        def run_one(row: Row) -> None:
            if failure := self.hold(row, registry):
                failures[row["session_id"]] = failure

        run_all(self.pending(rows), run_one, at_once)
        return failures


def _note(path: Path, text: str, old: bool) -> Path:
    """Have a file hold a text; where that is new to it, its time is now, or the beginning."""
    with suppress(OSError):
        if path.read_text("ascii") == text:
            return path
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="ascii")
            if old:
                os.utime(part, (0, 0))
    except OSError as error:
        raise ResourceError(
            f"{path} cannot be written ({error.strerror}); make results/ a folder that the run may "
            "write to, with some space left."
        ) from None
    return path
