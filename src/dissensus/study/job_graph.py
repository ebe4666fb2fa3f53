"""Which files each job of a run reads: what the rules' input functions return."""

from __future__ import annotations

import atexit
import logging
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from dissensus.errors import DissensusError, ResourceError
from dissensus.llm.registry import ModelRegistry
from dissensus.report import escaping
from dissensus.study.completion import FolderState
from dissensus.study.configuration import Configuration
from dissensus.study.jobs import bundled, bundles, shards, unwritten
from dissensus.study.kept import keep_configuration
from dissensus.study.rehearsal import rehearse
from dissensus.study.session_tables import paths_in
from dissensus.study.sessions import Sessions, ended
from dissensus.study.shutdown import stop
from dissensus.study.study import Row
from dissensus.tables.in_turn import in_turn

#: The most sessions of a job without ``sessions_per_job``, where one is not a job of its own.
BUNDLE = 100


class Drawn(NamedTuple):
    """A study whose manifest is there: its sessions, its shards, and the sessions to be run.

    ``places``: session_id -> its place in the order in which sessions begin, which is that of their
    blocks. ``state``: of the folder when the manifest was read. ``bundles`` (name -> its rows) and
    ``homes`` (session_id -> its bundle) are filled in where they are needed.
    """

    sessions: Sessions
    shards: dict[str, list[Row]]
    pending: frozenset[str]
    places: dict[str, int]
    state: FolderState
    bundles: dict[str, list[Row]]
    homes: dict[str, str]


class JobGraph:
    """The files that connect the jobs of a run.

    Parameters
    ----------
    settings : of the run.
    results : its folder.
    is_main : whether this process plans the run; a job of the run does not look what is pending.
    runs_here : whether this process runs the jobs too, rather than submit them to a cluster.
    expect : is told, for every study, how many sessions there are and how many are complete.
    temporary : folder that goes with this process; the system's unless given.
    configuration : as Snakemake merged it, which is kept beside the sessions that are run.

    Planning writes nothing in the run's folder.
    """

    def __init__(
        self,
        settings: Configuration,
        results: Path,
        *,
        is_main: bool,
        runs_here: bool,
        expect: Callable[[str, int, int], object] = lambda *_: None,
        temporary: str | None = None,
        configuration: Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings
        self.results = results
        self._is_main = is_main
        self._runs_here = runs_here
        self._expect = expect
        self._temporary = temporary
        self._configuration = configuration
        self._kept: set[str] = set()
        self._drawn: dict[str, tuple[int, Drawn]] = {}
        # What this process has run: what it left need not be looked at again.
        self._ended: defaultdict[str, set[str]] = defaultdict(set)

    def drawn(self, study: str) -> Drawn:
        """A study by the manifest that is there now; read once for every state of it."""
        changed = (self.results / study / "manifest.parquet").stat().st_mtime_ns
        known = self._drawn.get(study)
        if known and known[0] == changed:
            return known[1]
        sessions = Sessions.read(self.settings, self.results / study)
        rows = sessions.rows.values()
        folder = sessions.folder
        state = FolderState.of(folder, sessions.by_bundle) if self._is_main else FolderState(folder)
        to_run = sessions.pending(rows, state) if self._is_main else ()
        pending = frozenset(row["session_id"] for row in to_run)
        if pending and study in self.settings.study_folders:
            rehearse(sessions)
        if self._is_main:
            self._expect(study, len(rows), len(rows) - len(pending))
        part = sessions.study.part
        ordered = sorted(
            rows, key=lambda r: (part(r), r["block"], r["draw_id"], r["position"], r["session_id"])
        )
        places = {row["session_id"]: place for place, row in enumerate(ordered)}
        drawn = Drawn(sessions, shards(rows, part), pending, places, state, {}, {})
        self._drawn[study] = changed, drawn
        return drawn

    def pending_studies(self) -> list[str]:
        """The studies with sessions to run, and those whose manifest the run may draw."""
        known = {study: drawn.pending for study, (_, drawn) in self._drawn.items()}
        return [study for study in self.settings.studies if known.get(study, True)]

    def row(self, study: str, session: str) -> Row:
        """A session's row of the manifest.

        Raises
        ------
        ResourceError : the run has no such session.
        """
        rows = self.drawn(study).sessions.rows
        if session not in rows:
            raise ResourceError(
                f"{session} is no session of run {self.settings.run}, which has {min(rows)} to "
                f"{max(rows)}."
            )
        return rows[session]

    def session_inputs(self, study: str, session: str) -> list[Path]:
        """What a session waits for, and what has it run again."""
        row, sessions = self.row(study, session), self.drawn(study).sessions
        before = [paths_in(sessions.folder, name).transcript for name in sessions.before(row)]
        return self._inputs(study, [row], before)

    def bundle_inputs(self, study: str, bundle: str) -> list[Path]:
        """What a bundle waits for, and what has it run again: the same of all its sessions."""
        sessions = self.drawn(study).sessions
        rows = self.bundle_rows(study, bundle)
        inside = {row["session_id"] for row in rows}
        before = {name for row in rows for name in sessions.before(row)} - inside
        homes = self._divided(study).homes
        others = sorted({homes[name] for name in before})
        marks = [sessions.folder / f"bundles/{name}" for name in others]
        return self._inputs(study, rows, marks, not self._is_gathered(study, bundle, rows))

    def _is_gathered(self, study: str, bundle: str, rows: Sequence[Row]) -> bool:
        """Whether what a bundle's sessions tried and called is where it belongs."""
        sessions = self.drawn(study).sessions
        if not (self._is_main and sessions.by_bundle):
            return True
        digests = {row["session_id"]: sessions.digest(row) for row in rows}
        return self.drawn(study).state.is_gathered(bundle, digests)

    def priority(self, study: str, names: Iterable[str]) -> float:
        """Of the job of some sessions: by study, as the settings order them, and by block in each.

        Blocks of draws are then blocks of time, as far as jobs run at once allow. The study that
        has most to do after its sessions comes first in the settings that the project ships.

        Returns
        -------
        More than 0 and less than the number of studies.
        """
        places = self.drawn(study).places
        first = min((places[name] for name in names if name in places), default=len(places))
        studies = self.settings.studies
        later = len(studies) - 1 - studies.index(study)
        return later + 1.0 - (first + 1) / (len(places) + 2)

    def _divided(self, study: str) -> Drawn:
        """A study with its bundles."""
        drawn, most = self.drawn(study), self.per_job(study)
        if not drawn.bundles:
            for shard in drawn.shards.values():
                for name, rows in bundles(shard, most, self._part(study, shard)).items():
                    drawn.bundles[name] = rows
                    drawn.homes.update((row["session_id"], name) for row in rows)
        return drawn

    def bundle_rows(self, study: str, bundle: str) -> list[Row]:
        """The rows of the manifest that a bundle's name stands for."""
        rows = self._divided(study).bundles.get(bundle)
        if rows is None:
            # The bundle of another division, which somebody names.
            sessions = self.drawn(study).sessions
            return bundled(sessions.rows.values(), bundle, sessions.study.part)
        return rows

    def _part(self, study: str, shard: Sequence[Row]) -> int:
        """Which part of its study a shard is of."""
        return self.drawn(study).sessions.study.part(shard[0])

    def _inputs(
        self, study: str, rows: Sequence[Row], before: Iterable[Path], to_run: bool = False
    ) -> list[Path]:
        """What is to run waits for what comes before, and has the note of a change.

        What is complete has only the artefacts that it reads: a transcript that was deleted must
        not run the session after it again.

        Parameters
        ----------
        to_run : whether it runs although all its sessions are complete.
        """
        drawn = self.drawn(study)
        sessions, pending = drawn.sessions, drawn.pending
        needed = {name for row in rows for name in sessions.study.needs(row).artefacts}
        files = [sessions.folder / name for name in sorted(needed)]
        if to_run or any(row["session_id"] in pending for row in rows):
            files += [*before, self._change]
        return files

    @cached_property
    def _change(self) -> Path:
        """An empty file that is newer than all results: what is pending has it among its inputs.

        So Snakemake runs again what changed, by the one means that needs no record of its own: the
        times of files. It is outside the run's folder and goes with this process.
        """
        handle, name = tempfile.mkstemp(".changed", "dissensus-", self._temporary)
        os.close(handle)
        atexit.register(self.close)
        return Path(name)

    def close(self) -> None:
        """Remove the note of changes."""
        if "_change" in self.__dict__:
            self._change.unlink(missing_ok=True)

    def done(self) -> int:
        """How many sessions are complete now, whichever process has run them."""
        return sum(
            len(sessions.rows)
            - len(sessions.pending(sessions.rows[name] for name in pending - self._ended[study]))
            for study, (_, (sessions, _, pending, *_)) in self._drawn.items()
        )

    def run_session(self, study: str, session: str, registry: ModelRegistry, log: str) -> None:
        """Run one session in this process, and write what became of it to its log.

        What must end the run ends this process, with its sentence.
        """
        sessions = self.drawn(study).sessions
        try:
            self._keep_configuration(study)
            failure = sessions.run(sessions.rows[session], registry).outcome["failure"]
        except DissensusError as error:
            stop(error)
        except OSError as error:
            stop(unwritten(session, error))
        self._ended[study].add(session)
        line = escaping.line(ended(session, failure))
        in_turn(Path(log).write_text, f"{line}\n", encoding="utf-8")
        if failure:
            logging.getLogger("snakemake.logging").warning(line)

    def _keep_configuration(self, study: str) -> None:
        """Keep the run's configuration beside a study's sessions, once a process."""
        if self._configuration is not None and study not in self._kept:
            keep_configuration(self._configuration, self.results / study)
            self._kept.add(study)

    def shard_inputs(self, study: str, shard: str) -> list[Path]:
        """What a shard gathers: the transcripts of its sessions, or the marks of its bundles.

        It gathers calls too, of which Snakemake is not told: where what lies beside these files has
        changed since, there is the note of a change.
        """
        files, drawn = self._left_by(study, shard), self.drawn(study)
        gathered = self.results / study / f"shards/{shard}/calls.parquet"
        names, made = [row["session_id"] for row in drawn.shards[shard]], [f.name for f in files]
        if gathered.exists() and drawn.state.changed(names, made) > gathered.stat().st_mtime_ns:
            files.append(self._change)
        return files

    def _left_by(self, study: str, shard: str) -> list[Path]:
        """What the jobs of a shard's sessions leave, as Snakemake knows it."""
        rows, most = self.drawn(study).shards[shard], self.per_job(study)
        folder = self.results / study
        if most > 1 or "job" in rows[0]:
            made = bundles(rows, most, self._part(study, rows))
            return [folder / f"bundles/{name}" for name in made]
        return [paths_in(folder, row["session_id"]).transcript for row in rows]

    def shard_settings(self, study: str, shard: str) -> dict[str, Any]:
        """What a shard depends on besides its files: its sessions, and what names them."""
        drawn = self.drawn(study)
        names = [row["session_id"] for row in drawn.shards[shard]]
        return {"ids": list(drawn.sessions.study.ids), "sessions": names}

    def all_sessions(self, study: str) -> list[Path]:
        """What all sessions of a study leave, as targets: what was deleted is made again."""
        shards = self.drawn(study).shards
        return [file for shard in shards for file in self._left_by(study, shard)]

    def shard_files(self, study: str, kind: str, part: int | None = None) -> list[Path]:
        """One kind of artefact of every shard, in the order of the shards.

        Parameters
        ----------
        part : of the study whose shards count; None for all.
        """
        folder, drawn = self.results / study, self.drawn(study)
        return [
            folder / f"shards/{shard}/{kind}.parquet"
            for shard, rows in drawn.shards.items()
            if part is None or self._part(study, rows) == part
        ]

    def shard_names(self, study: str) -> list[str]:
        """The names of a study's shards; none while its manifest is still to be drawn."""
        try:
            return list(self.drawn(study).shards)
        except (DissensusError, KeyError, OSError):
            return []

    def per_job(self, study: str) -> int:
        """How many of a study's sessions a job may run.

        A session that computes its words itself is over sooner than a job of its own is planned.
        """
        few = len(self.drawn(study).sessions.rows) <= self.settings.few_sessions
        return self.settings.sessions_per_job or (
            1 if few and self.waits and self._runs_here else BUNDLE
        )

    @cached_property
    def waits(self) -> bool:
        """Whether sessions wait for models, or compute their words themselves."""
        models = self.settings.models
        return any(models[name].provider != "simulated" for name in self.settings.used)

    def cores(self, study: str, bundle: str) -> int:
        """How many cores a bundle counts for: as many as sessions wait for models at once."""
        return len(self.bundle_rows(study, bundle)) if self.waits and self._runs_here else 1

    def at_once(self, study: str, bundle: str, cores: int) -> int:
        """How many sessions a bundle runs at once; on a node of a cluster, all of them."""
        if not self.waits:
            # One computes while the other's replies are on their way to the disk.
            return 2
        return cores if self._runs_here else len(self.bundle_rows(study, bundle))
