"""The sessions of a study in a run: what each depends on, which are pending, and running them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from dissensus.digests import code_digest, digest, file_digest
from dissensus.errors import ResourceError, SettingError
from dissensus.llm.journal import IN_FLIGHT, Journal, NotJournaled, Replay
from dissensus.llm.limits import InFlight
from dissensus.llm.marks import marks_sha256
from dissensus.llm.providers import identity
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.shared import claimed
from dissensus.session.inputs import FolderInputs, Inputs
from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.session.protocol import Steps
from dissensus.session.record import (
    SessionPaths,
    SessionRows,
    is_current,
    rows_of,
    write_session,
)
from dissensus.session.runner import Limits, Session, run_session
from dissensus.study.completion import FolderState, transcript_in
from dissensus.study.configuration import Configuration
from dissensus.study.jobs import MOST_SHARDS, run_all, shards
from dissensus.study.kind import Row
from dissensus.study.makes import resolve
from dissensus.study.may_stop import Looks
from dissensus.study.own_code import naming_the_line
from dissensus.study.study import Study
from dissensus.tables.artefact import read_by
from dissensus.tables.provenance import PLAN_DIGEST, plan_of, provenance

#: How ids begin of sessions whose draws are numbered, such as d007-en and t012-full.
_NUMBERED = re.compile(r"([a-z])(\d{3,})-(.+)")


def journal_path(folder: Path, session_id: str) -> Path:
    """The file of a session's replies; see :func:`journal_in`."""
    return folder / f"journal/{session_id}.jsonl"


def journal_in(folder: Path, session_id: str) -> Path:
    """Where a session's replies are kept.

    A study that grows past 999 draws has wider numbers in its ids. The journals of the narrower
    ones are renamed, since their replies were paid for.
    """
    path = journal_path(folder, session_id)
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
    """The sessions of a study whose manifest has been drawn.

    Attributes
    ----------
    study : with its settings.
    folder : results/<run>/<study>.
    rows : session_id -> row of the manifest, in the order of the ids.
    items : key -> row of the source that the manifest was drawn from.
    identities : model -> digest of what its replies, and how they are read, depend on.
    most_shards : see :func:`dissensus.study.jobs.shards`.
    """

    study: Study[Any]
    folder: Path
    rows: Mapping[str, Row]
    items: Mapping[str, Row]
    identities: Mapping[str, str]
    most_shards: int = MOST_SHARDS
    _digests: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def read(cls, settings: Configuration, folder: Path) -> Sessions:
        """The sessions whose manifest and source are in a folder, which has the study's name."""
        models = {name: model.model_dump() for name, model in settings.models.items()}
        thought = Path(settings.thought) if settings.thought else None
        sessions = cls.of(settings.study(folder.name), folder, models, thought)
        return replace(sessions, most_shards=settings.shards)

    @classmethod
    def of(
        cls,
        study: Study[Any],
        folder: Path,
        models: Mapping[str, Row],
        thought: Path | None = None,
    ) -> Sessions:
        """The same of a study.

        Parameters
        ----------
        models : name -> settings.
        thought : marks of thought beside the project's.

        Raises
        ------
        DissensusError : a file is damaged, or the study cannot run like this.
        """
        source = study.source
        schema = resolve(study.manifest.schema)
        rows = read_by(folder / "manifest.parquet", schema, "session_id")
        if study.arm not in schema.columns:
            raise SettingError(
                f"{sys.modules[type(study).__module__].__file__}: arm is {study.arm!r}, and the "
                f"manifest has no such column; name one of {', '.join(schema.columns)}."
            )
        path = folder / f"{source.artefact}.parquet"
        items = read_by(path, resolve(source.schema), source.key)
        study.check(models, items)
        named = dict.fromkeys(name for use in study.models() for name in use.models)
        return cls(
            study,
            folder,
            rows,
            items,
            {name: _identity(name, models[name], thought) for name in named},
        )

    def spec(self, row: Row, digests: dict[str, str] | None = None) -> dict[str, Any]:
        """All that a session depends on.

        Parameters
        ----------
        digests : session_id or artefact -> its digest, of those looked at already.

        Raises
        ------
        KeyError : the row is of something, such as a model or a motion, that is not known.
        """
        study, digests = self.study, {} if digests is None else digests
        kind = study.kind_of(row)
        spec = {
            **{name: row[name] for name in (*study.ids, "seed")},
            "spec": self._of_its_kind(row),
            "protocol": {**self._protocol},
            "code": _protocol_code(study.protocol),
            "models": {name: self.identities[name] for name in kind.cast(row)},
        }
        needs = kind.needs(row)
        if needs.sessions:
            spec["needs"] = {name: self.digest(self.rows[name], digests) for name in needs.sessions}
        if needs.artefacts:
            for name in needs.artefacts:
                if name not in digests:
                    path = self.folder / name
                    digests[name] = file_digest(path) if path.exists() else ""
            spec["artefacts"] = {name: digests[name] for name in needs.artefacts}
        return spec

    def _of_its_kind(self, row: Row) -> Any:
        """The spec that a session's kind makes of its row."""
        study = self.study
        return study.kind_of(row).spec(row, self.items[row[study.source.key]])

    def steps(self, row: Row, inputs: Inputs) -> Callable[[], Steps]:
        """Start the protocol of a session; ``inputs``: what it reads."""
        return self.study.kind_of(row).steps(self._of_its_kind(row), inputs)

    @cached_property
    def _protocol(self) -> dict[str, Any]:
        return dict(self.study.settings.protocol.model_dump())

    def digest(self, row: Row, known_digests: dict[str, str] | None = None) -> str:
        """SHA-256 of all that a session depends on; ``known_digests``: see :meth:`spec`."""
        name, known_digests = row["session_id"], {} if known_digests is None else known_digests
        if name not in self._digests and name not in known_digests:
            spec = self.spec(row, known_digests)
            # What a session reads may come to be while the run goes on.
            digests = known_digests if {"needs", "artefacts"} & spec.keys() else self._digests
            digests[name] = digest(spec)
        return self._digests.get(name) or known_digests[name]

    def before(self, row: Row) -> list[str]:
        """The sessions that must have ended before this one starts: what it reads, and its turn."""
        needed = list(self.study.kind_of(row).needs(row).sessions)
        if self.study.sequential and row["position"] > 1:
            before = row["draw_id"], self.part(row), row["position"] - 1
            needed += self._draws.get(before, [])
        return needed

    @cached_property
    def _draws(self) -> dict[tuple[str, int, int], list[str]]:
        """Draw, part and position -> the sessions that have them."""
        draws: dict[tuple[str, int, int], list[str]] = {}
        for name, row in self.rows.items():
            place = row["draw_id"], self.part(row), row["position"]
            draws.setdefault(place, []).append(name)
        return draws

    def part(self, row: Row) -> int:
        """Which part of the study a session belongs to; see :class:`~dissensus.study.kind.Kind`."""
        return self.study.kind_of(row).part_of(row)

    @cached_property
    def shards(self) -> dict[str, list[Row]]:
        """Shard -> the rows of its sessions; where the study may stop, of one block."""
        most = len(self.rows) if self.study.settings.stop else self.most_shards
        return shards(self.rows.values(), self.part, most)

    @cached_property
    def looks(self) -> Looks:
        """The looks at the study after its blocks, where it may stop."""
        blocks = sorted({row["block"] for row in self.rows.values()})
        return Looks(self.folder, blocks, self.study.settings)

    def is_complete(self, row: Row) -> bool:
        """Whether a session's transcript is there and made to what it depends on now."""
        return is_current(transcript_in(self.folder, row["session_id"]), self.digest(row))

    def pending(self, rows: Iterable[Row], state: FolderState | None = None) -> list[Row]:
        """The sessions that are still to be run, or to be run again.

        Parameters
        ----------
        state : of the folder; without one, each session's files are looked at.
        """
        if state is None:
            return [row for row in rows if not self.is_complete(row)]
        return [row for row in rows if not state.is_complete(row["session_id"], self.digest(row))]

    def run(self, row: Row, registry: ModelRegistry, separate: bool = True) -> SessionRows:
        """Run a session, or finish it from its journal, and write its artefacts.

        Parameters
        ----------
        separate : whether what it tried and called is written to files of this session alone.

        Returns
        -------
        What it left.
        """
        spec, name = self.spec(row), row["session_id"]
        types = self.study.ids
        journal, paths = journal_in(self.folder, name), SessionPaths.of(self.folder, name)
        models = [registry.model(model) for model in spec["models"]]
        simulated = all(each.simulated for each in models) if models else self.study.simulated
        # A job that outlived its run may be running this session: wait, then read what it paid for.
        with claimed(journal):
            plan = plan_of(journal).get(PLAN_DIGEST, "")
            with Journal(journal, plan=plan) as replies:
                session = self._play(row, spec, registry, replies)
                PROGRESS_COUNTS.count(unused=replies.unused)
            rows = rows_of(session, {column: spec[column] for column in types})
            made_by = provenance("run_session", simulated, spec)
            made_by |= self.study.kind_of(row).made_from(self.items[row[self.study.source.key]])
            write_session(paths, rows, types, made_by, separate)
        return rows

    def replay(self, row: Row, registry: ModelRegistry) -> SessionRows:
        """What a session's artefacts hold by its journal alone; nothing is called or written.

        Raises
        ------
        NotJournaled : the journal lacks a reply.
        DissensusError : the journal, or what the session reads, is damaged.
        """
        return rows_of(
            self.replayed(row, registry), {column: row[column] for column in self.study.ids}
        )

    def replayed(self, row: Row, registry: ModelRegistry, journal: Replay | None = None) -> Session:
        """A session as its journal alone gives it, with every request that was sent.

        Parameters
        ----------
        journal : the session's, for who looks at it afterwards.

        Raises
        ------
        NotJournaled : a request is not in the journal: since, what it is made of has changed.
        DissensusError : the journal, or what the session reads, is damaged.
        """
        journal = journal or Replay(journal_path(self.folder, row["session_id"]))
        return self._play(row, self.spec(row), registry, journal)

    def _play(self, row: Row, spec: Row, registry: ModelRegistry, journal: Journal) -> Session:
        """Go through a session's protocol with what its journal and its models reply."""
        models = {model: registry.model(model) for model in spec["models"]}
        with naming_the_line(type(self.study).__module__, f"the session {spec['session_id']}"):
            steps = self.steps(row, FolderInputs(self.folder, self.study.ids))
            limits = Limits.of(spec["protocol"])
            return run_session(spec["seed"], steps, models, journal, limits)

    def run_all(
        self,
        rows: Sequence[Row],
        registry: ModelRegistry,
        at_once: int,
        in_flight: int = 0,
        named: str = "",
    ) -> dict[str, SessionRows]:
        """Run those of a list that are pending.

        Parameters
        ----------
        rows : of the manifest.
        registry : the run's models.
        at_once : how many of them may run at the same time.
        in_flight : how many sessions of all jobs may; 0 for any number.
        named : the session whose attempts and calls are written to files of its own.

        Returns
        -------
        session_id -> what it left, of those that were run.

        Raises
        ------
        DissensusError, SessionsBroke : see :func:`~dissensus.study.jobs.run_all`.
        """
        left: dict[str, SessionRows] = {}
        running = InFlight(registry.folder / ".sessions", in_flight)

        def run_one(row: Row) -> None:
            name = row["session_id"]
            with running.one_more(IN_FLIGHT.check):
                left[name] = self.run(row, registry, separate=name == named)

        run_all(self.pending(rows), run_one, at_once, self.before)
        return left

    def left_by(
        self, rows: Iterable[Row], left: Mapping[str, SessionRows], registry: ModelRegistry
    ) -> Iterator[SessionRows]:
        """What sessions that have ended left, in the order of the rows.

        Parameters
        ----------
        left : from :meth:`run_all`; of others, their journals say it.

        Raises
        ------
        ResourceError : a journal lacks a reply.
        """
        return (left.get(row["session_id"]) or self._remembered(row, registry) for row in rows)

    def _remembered(self, row: Row, registry: ModelRegistry) -> SessionRows:
        """What a session that has ended left, from its journal.

        Raises
        ------
        ResourceError : the journal lacks a reply.
        """
        try:
            return self.replay(row, registry)
        except NotJournaled as error:
            name = row["session_id"]
            raise ResourceError(
                f"{journal_path(self.folder, name)} lacks a reply that {name} was made from "
                f"({error}); restore it from a copy, or delete "
                f"{transcript_in(self.folder, name)} and that call is made, and paid, again."
            ) from None

    def leading_to(self, row: Row) -> list[Row]:
        """A session after those that it reads or follows, in the order in which they may run."""
        waiting: dict[str, list[str]] = {}
        queue = [row["session_id"]]
        while queue:
            name = queue.pop()
            if name not in waiting:
                waiting[name] = self.before(self.rows[name])
                queue += waiting[name]
        return [self.rows[name] for name in TopologicalSorter(waiting).static_order()]


def _identity(name: str, settings: Row, thought: Path | None) -> str:
    """Digest of what a model's replies, and how they are read, depend on."""
    given = identity(name, settings)
    if settings["provider"] == "simulated":
        return given
    return digest([given, marks_sha256(thought, settings.get("thought"))])


@cache
def _protocol_code(protocol: str) -> str:
    """Digest of the code of a protocol and of the runner.

    A session runs again after an edit there. Where the requests stay the same, its journal answers
    them, and nothing is paid.
    """
    return code_digest(protocol, "dissensus.session.runner")
