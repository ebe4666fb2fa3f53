"""The study's sessions: where each is kept, which are to be held, and holding them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.debate.jobs import bundled, hold_all
from dissensus.debate.record import SessionPaths, is_held
from dissensus.errors import ResourceError
from dissensus.fingerprint import digest
from dissensus.language.design.pool import read_pool
from dissensus.language.session import hold, specify
from dissensus.language.settings import LanguageStudy
from dissensus.tables.artefact import replacing
from dissensus.talk.providers import identity
from dissensus.talk.switchboard import Switchboard

Row = Mapping[str, Any]

#: The kinds of artefact that a session leaves, each in a folder of that name.
ARTEFACTS = ("sessions", "calls", "transcripts")


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


def hold_in(folder: Path, spec: Row, switchboard: Switchboard) -> str:
    """Hold one session in its study's folder: see :func:`~dissensus.language.session.hold`."""
    name = spec["session_id"]
    return hold(spec, switchboard, journal_in(folder, name), paths_in(folder, name))


def journal_in(folder: Path, session_id: str) -> Path:
    """Where a session's replies are kept.

    A study that grows past 999 draws has wider numbers in its ids: what its sessions were told
    under the narrower ones comes along, since it was paid for.
    """
    path = folder / f"journal/{session_id}.jsonl"
    draw, _, rest = session_id.partition("-")
    for width in range(3, len(draw) - 1):
        narrower = path.with_name(f"d{int(draw[1:]):0{width}d}-{rest}.jsonl")
        if narrower != path and narrower.exists() and not path.exists():
            narrower.rename(path)
    return path


@dataclass(frozen=True)
class Sessions:
    """What the sessions of a study have in common.

    Attributes
    ----------
    folder : the study's.
    study : its settings.
    motions : motion_id -> row of the pool.
    identities : model -> digest of what its replies depend on.
    """

    folder: Path
    study: LanguageStudy
    motions: Mapping[str, Row]
    identities: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path, study: LanguageStudy, models: Mapping[str, Row]) -> Sessions:
        """Those of the study whose pool is in a folder; ``models``: name -> its settings."""
        known = {name: identity(name, models[name]) for name in study.panel}
        return cls(folder, study, read_pool(folder / "pool.parquet"), known)

    def spec(self, row: Row) -> dict[str, Any]:
        """See :func:`~dissensus.language.session.specify`; ``row`` is one of the manifest."""
        return specify(row, self.motions, self.study, self.identities)

    def unheld(self, rows: Iterable[Row]) -> list[Row]:
        """Those that are not there, or were held to another specification."""
        return [row for row in rows if not self._is_held(row, digest(self.spec(row)))]

    def note(self, rows: Iterable[Row]) -> list[Row]:
        """Write down what each session is to be, in a file that Snakemake compares by its time.

        A file is written when the specification has changed. Where the session was held to it
        before, its time is long past: nothing is to be done. So sessions are held again exactly
        when what they depend on has changed, by whichever job they were held, and bundles too. A
        bundle in which an artefact is missing is told by its mark, which is dropped.

        Parameters
        ----------
        rows : all of the manifest.

        Returns
        -------
        Those that are still to be held.

        Raises
        ------
        ResourceError : a note cannot be written.
        KeyError : a row is of a model, language or motion that is not known.
        """
        rows, unheld = list(rows), []
        for row in rows:
            spec = digest(self.spec(row))
            held = self._is_held(row, spec)
            if not held:
                unheld.append(row)
            _note(spec_in(self.folder, row["session_id"]), spec, old=held)
        marks = self.folder / "bundles"
        for mark in marks.iterdir() if marks.is_dir() else ():
            self.note_bundle(bundled(rows, mark.name), mark.name)
            if any(self._lacks(row) for row in bundled(unheld, mark.name)):
                mark.unlink()
        return unheld

    def note_bundle(self, rows: Sequence[Row], bundle: str) -> Path:
        """Write down what a bundle's sessions are to be, as :meth:`note` does; the file."""
        specs = [digest(self.spec(row)) for row in rows]
        held = all(map(self._is_held, rows, specs))
        return _note(spec_in(self.folder, bundle), digest(specs), old=held)

    def _is_held(self, row: Row, spec: str) -> bool:
        return is_held(paths_in(self.folder, row["session_id"]), spec)

    def _lacks(self, row: Row) -> bool:
        """Whether one of a session's artefacts is not there."""
        paths = paths_in(self.folder, row["session_id"])
        return not all(path.is_file() for path in (paths.attempts, paths.calls, paths.transcript))

    def hold_bundle(
        self, rows: Sequence[Row], switchboard: Switchboard, at_once: int
    ) -> dict[str, str]:
        """Hold what is still to be held of a bundle.

        Parameters
        ----------
        rows : of the manifest.
        switchboard : the run's models.
        at_once : how many sessions may be held at the same time.

        Returns
        -------
        session_id -> why it failed for good, of those that did.

        Raises
        ------
        DissensusError, Broken : see :func:`~dissensus.debate.jobs.hold_all`.
        """
        failures: dict[str, str] = {}

        def hold_one(row: Row) -> None:
            if failure := hold_in(self.folder, self.spec(row), switchboard):
                failures[row["session_id"]] = failure

        hold_all(self.unheld(rows), hold_one, at_once)
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
