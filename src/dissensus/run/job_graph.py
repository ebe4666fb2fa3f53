"""Which files each job of a run reads: what the rules' input functions return."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from dissensus.errors import DissensusError, ResourceError
from dissensus.plan.rehearsal import rehearse
from dissensus.study.completion import FolderState
from dissensus.study.configuration import Configuration
from dissensus.study.jobs import widest
from dissensus.study.kind import Row
from dissensus.study.sessions import Sessions


class Drawn(NamedTuple):
    """A study whose manifest is there: its sessions, and those to be run.

    ``state``: of the folder when the manifest was read; ``homes``: session_id -> its shard.
    """

    sessions: Sessions
    homes: dict[str, str]
    pending: frozenset[str]
    state: FolderState


class JobGraph:
    """The files that connect the jobs of a run.

    Parameters
    ----------
    settings : of the run.
    results : its folder.
    is_main : whether this process plans the run; a job of the run does not look what is pending.
    expect : is told, for every study, how many sessions there are and how many are complete.
    temporary : folder that goes with this process; the system's unless given.

    Planning writes nothing in the run's folder.
    """

    def __init__(
        self,
        settings: Configuration,
        results: Path,
        *,
        is_main: bool,
        expect: Callable[[str, int, int], object] = lambda *_: None,
        temporary: str | None = None,
    ) -> None:
        self.settings = settings
        self.results = results
        self._is_main = is_main
        self._expect = expect
        self._temporary = temporary
        self._drawn: dict[str, tuple[int, Drawn]] = {}

    def drawn(self, study: str) -> Drawn:
        """A study by the manifest that is there now; read once for every state of it."""
        changed = (self.results / study / "manifest.parquet").stat().st_mtime_ns
        kept = self._drawn.get(study)
        if kept and kept[0] == changed:
            return kept[1]
        sessions = Sessions.read(self.settings, self.results / study)
        rows = [row for row in sessions.rows.values() if not sessions.looks.call_off(row)]
        folder = sessions.folder
        state = FolderState.of(folder) if self._is_main else FolderState(folder)
        to_run = sessions.pending(rows, state) if self._is_main else ()
        pending = frozenset(row["session_id"] for row in to_run)
        if pending and study in self.settings.study_folders:
            rehearse(sessions)
        if self._is_main:
            self._expect(self._name(study), len(rows), len(rows) - len(pending))
        homes = {row["session_id"]: name for name, some in sessions.shards.items() for row in some}
        drawn = Drawn(sessions, homes, pending, state)
        self._drawn[study] = changed, drawn
        return drawn

    def _name(self, study: str) -> str:
        """Of a study, or of the panel that runs it."""
        panel = self.settings.panel
        return f"{panel}.{study}" if panel else study

    def pending_studies(self) -> list[str]:
        """The studies with sessions to run, and those whose manifest the run may draw."""
        pending = {study: drawn.pending for study, (_, drawn) in self._drawn.items()}
        return [study for study in self.settings.studies if pending.get(study, True)]

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
        """What a session that is named waits for, and what has it run again.

        The sessions that it reads or follows are run with it.
        """
        sessions = self.drawn(study).sessions
        return self._inputs(study, sessions.leading_to(self.row(study, session)), [])

    def shard_inputs(self, study: str, shard: str) -> list[Path]:
        """What the job of a shard waits for, and what has it run again."""
        sessions, homes, _, _ = self.drawn(study)
        rows = sessions.shards[shard]
        others = {homes[name] for row in rows for name in sessions.before(row)} - {shard}
        before = [sessions.folder / f"shards/{name}/outcomes.parquet" for name in sorted(others)]
        files = self._inputs(study, rows, before, not self._is_gathered(study, shard))
        if not sessions.study.settings.stop:
            return files
        # Whether a block is run, the look before it says, whatever is there already.
        looks = sessions.looks.before(rows[0]["block"])
        return list(dict.fromkeys([*files, *before, *looks]))

    def shards_of_block(
        self, study: str, block: int, kind: str, with_first: bool = False
    ) -> list[Path]:
        """One kind of artefact of the shards of a block, or of the first block's and its own."""
        sessions = self.drawn(study).sessions
        blocks = {block, sessions.looks.blocks[0]} if with_first else {block}
        return [
            sessions.folder / f"shards/{shard}/{kind}.parquet"
            for shard, rows in sessions.shards.items()
            if rows[0]["block"] in blocks
        ]

    def differences(self, study: str, last: int | None = None) -> list[Path]:
        """The differences of all blocks of a study that may stop; ``last``: of those until it."""
        sessions = self.drawn(study).sessions
        return [
            sessions.folder / f"looks/{block}/paired_differences.parquet"
            for block in sessions.looks.blocks
            if last is None or block <= last
        ]

    def _is_gathered(self, study: str, shard: str) -> bool:
        """Whether a shard has its sessions as they are."""
        if not self._is_main:
            return True
        sessions, _, _, state = self.drawn(study)
        rows = [row for row in sessions.shards[shard] if not sessions.looks.call_off(row)]
        digests = {row["session_id"]: sessions.digest(row) for row in rows}
        return state.is_gathered(shard, digests)

    def priority(self, study: str, shard: str) -> float:
        """Of the job of a shard: by study, as the settings order them, and by block in each.

        Blocks of draws are then blocks of time, as far as jobs run at once allow. The study that
        has most to do after its sessions comes first in the settings that the project ships.

        Returns
        -------
        More than 0 and less than the number of studies.
        """
        studies = self.settings.studies
        return len(studies) - studies.index(study) - 1 + 1 / (1 + int(shard))

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
        needed = {name for row in rows for name in sessions.study.kind_of(row).needs(row).artefacts}
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
            len(drawn.sessions.rows)
            - len(drawn.sessions.pending(drawn.sessions.rows[name] for name in drawn.pending))
            for _, drawn in self._drawn.values()
        )

    def shard_settings(self, study: str, shard: str) -> dict[str, Any]:
        """What a shard depends on besides its files: its sessions, and what names them."""
        drawn = self.drawn(study)
        names = [row["session_id"] for row in drawn.sessions.shards[shard]]
        return {"ids": list(drawn.sessions.study.ids), "sessions": names}

    def shard_files(self, study: str, kind: str, part: int | None = None) -> list[Path]:
        """One kind of artefact of every shard, in the order of the shards.

        Parameters
        ----------
        part : of the study whose shards count; None for all.
        """
        folder, drawn = self.results / study, self.drawn(study)
        return [
            folder / f"shards/{shard}/{kind}.parquet"
            for shard, rows in drawn.sessions.shards.items()
            if part is None or drawn.sessions.part(rows[0]) == part
        ]

    def shard_names(self, study: str) -> list[str]:
        """The names of a study's shards; none while its manifest is still to be drawn."""
        try:
            return list(self.drawn(study).sessions.shards)
        except (DissensusError, KeyError, OSError):
            return []

    def at_once(self, study: str, shard: str) -> int:
        """How many sessions of a shard may run at the same time."""
        if not self.settings.waits:
            # One computes while the other's replies are on their way to the disk.
            return 2
        sessions = self.drawn(study).sessions
        return widest(sessions.shards[shard], sessions.before)

    def cores(self, study: str, shard: str, runs_here: bool) -> int:
        """How many cores the job of a shard counts for.

        Sessions that wait for models count for half as many as there are: the jobs of a machine
        together are then enough to keep all the sessions in flight that its cores stand for, which
        they share out among them (:class:`dissensus.llm.limits.InFlight`).

        Parameters
        ----------
        runs_here : whether this process runs the jobs, rather than submit them to a cluster.
        """
        return -(-self.at_once(study, shard) // 2) if self.settings.waits and runs_here else 1
