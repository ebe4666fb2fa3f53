"""The sessions of an experiment: its openings, and what its arms go on with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.session.continued import continued, turn_of
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import Steps, Turn, assumed_calls
from dissensus.session.runner import CallFailed
from dissensus.setting_faults import show
from dissensus.study.experiment.factors import Level as FactorLevel
from dissensus.study.experiment.levels import Fields, Level
from dissensus.study.experiment.session import Session, numbered
from dissensus.study.experiment.settings import LABELS_FILE, ExperimentSettings
from dissensus.study.experiment.sharing import FORK_SEED, OPENING, OPENING_SEED, Fork
from dissensus.study.kind import Kind, Needs, Row

if TYPE_CHECKING:
    from dissensus.study.experiment.design import ExperimentDesign
    from dissensus.study.study import ModelUse


@dataclass(frozen=True)
class SessionSpec:
    """What a session of an experiment depends on, besides what other sessions say.

    Attributes
    ----------
    levels : the arm, and what was drawn of each factor.
    seed : of the session.
    item : all of it.
    settings : all of the study's own.
    files : setting -> digest of the file that it names, which steps may read.
    taken : what it takes of other sessions: columns of the manifest.
    """

    levels: Mapping[str, FactorLevel]
    seed: int
    item: Row
    settings: Mapping[str, Any]
    files: Mapping[str, str]
    taken: Mapping[str, Any]


@dataclass(frozen=True)
class ExperimentSession(Kind[ExperimentSettings, SessionSpec]):
    """The one kind of session that an experiment has."""

    study: ExperimentDesign

    def part_of(self, row: Row) -> int:
        return self.study.sharing.part(row["arm"])

    def spec(self, row: Row, item: Row) -> SessionSpec:
        arm = self.study.sharing.plays(row["arm"])
        levels = {"arm": arm, **{name: row[name] for name in self.study.factors_of(arm)}}
        columns = self.study.sharing.columns()
        taken = {name: row[name] for name in ("draw_id", *columns)} if columns else {}
        return SessionSpec(
            levels, row["seed"], dict(item), self.study.session_settings, self._files, taken
        )

    @cached_property
    def _files(self) -> dict[str, str]:
        return {
            name: file_digest(Path(file))
            for name, file in self.settings.files().items()
            if name != LABELS_FILE
        }

    @cached_property
    def uses(self) -> Mapping[str, ModelUse]:
        """Setting -> the models that it names."""
        return {use.setting: use for use in self.study.models()}

    def cast(self, row: Row) -> list[str]:
        return self.study.all_models

    def needs(self, row: Row) -> Needs:
        sharing = self.study.sharing
        arm = sharing.plays(row["arm"])
        if arm == OPENING:
            return Needs()
        needed = [f"{row['draw_id']}-{OPENING}"] if sharing.has_opening else []
        if arm in sharing.forks:
            needed.append(f"{row['draw_id']}-{sharing.forks[arm].of}")
        needed += [name for material in sharing.material for name in row[material]]
        return Needs(tuple(dict.fromkeys(needed)))

    def alike(self, row: Row) -> Hashable:
        """Items may be of any length, so that each counts for itself."""
        of_arm = self.study.factors_of(self.study.sharing.plays(row["arm"]))
        return row["item_id"], row["arm"], *(row[name] for name in of_arm)

    def steps(self, spec: SessionSpec, inputs: Inputs) -> Callable[[], Steps]:
        return _Played(self, spec, inputs).steps


@dataclass(frozen=True)
class _Played:
    """A session that is about to be played."""

    kind: ExperimentSession
    spec: SessionSpec
    inputs: Inputs

    @property
    def study(self) -> ExperimentDesign:
        return self.kind.study

    def steps(self) -> Steps:
        """Its steps, those that it takes from other sessions first."""
        arm = str(self.spec.levels["arm"])
        if arm == OPENING:
            return self._opening()
        fork = self.study.sharing.forks.get(arm)
        return self._goes_on(arm, self.spec.seed) if fork is None else self._forked(arm, fork)

    def _opening(self) -> Steps:
        seed = self.spec.taken[OPENING_SEED]
        session = self._session(OPENING, self.spec.seed if seed is None else seed)
        return numbered(self.study.opening(session), self.study.file(), method=OPENING)

    def _goes_on(self, arm: str, seed: int) -> Steps:
        """An arm, after the opening where there is one."""
        opening: list[Turn] = []
        if self.study.sharing.has_opening:
            name = self._other(OPENING)
            opening = yield from continued(self._opening(), name, self.inputs.turns(name))
        session = replace(
            self._session(arm, seed), opening=tuple(opening), material=self._material(arm)
        )
        last = max((turn.number for turn in opening), default=0)
        yield from numbered(self.study.debate(session), self.study.file(), last)

    def _forked(self, arm: str, fork: Fork) -> Steps:
        """An arm that another one's session begins."""
        name = self._other(fork.of)
        session, turns = self._session(arm, self.spec.seed), self.inputs.turns(name)
        steps = self._goes_on(fork.of, self.spec.taken[FORK_SEED] or 0)
        try:
            yield from continued(
                steps,
                name,
                turns,
                until=fork.turn,
                speaker=fork.speaker,
                instead=lambda turn: self._text(session, turn),
            )
        except CallFailed as error:
            if turns:
                raise
            raise ResourceError(
                f"{self.study.file()}: with assumed replies {error}; correct turn and speaker of "
                f"its fork {arm!r}."
            ) from None

    def _text(self, session: Session, turn: Turn) -> str:
        """What a fork puts in place of a turn, checked."""
        text = self.study.replacement(session, turn)
        if not isinstance(text, str) or not text.strip():
            raise ResourceError(
                f"{self.study.file()}: replacement gives {show(text)} in the arm {session.arm}; it "
                "must give the text that stands instead."
            )
        return text

    def _other(self, arm: str) -> str:
        return f"{self.spec.taken['draw_id']}-{arm}"

    def _session(self, arm: str, seed: int) -> Session:
        study, spec = self.study, self.spec
        names = {**spec.levels, "arm": arm}
        # A number is compared with any other; a text with those of its design alone.
        named = {
            name: Level(str(names[name]), name, may)
            for name, may in study.levels().items()
            if name in names
        }
        if arm == OPENING:
            # To ask for an arm there would have one answer in all of them.
            named["arm"] = Level(OPENING, "arm of an opening, which all arms share", (OPENING,))
        levels = {**names, **named}
        return Session(
            arm=named["arm"],
            item=Fields(**spec.item),
            factors=Fields(**{name: levels[name] for name in study.factors if name in levels}),
            settings=self.kind.settings,
            seed=seed,
            models=self.kind.uses,
            decoding=self.kind.decoding,
        )

    def _material(self, arm: str) -> SimpleNamespace:
        """What the session is shown; a name each -> the turns of every session."""
        shown = {
            name: [self._turns_of(each, material.of) for each in self.spec.taken[name]]
            for name, material in self.study.sharing.material.items()
            if arm in material.to
        }
        return Fields(**shown)

    def _turns_of(self, session_id: str, arm: str) -> list[Turn]:
        """What another session said; before a run, what its calls expect, of our own item."""
        if rows := self.inputs.turns(session_id):
            return [turn_of(row) for row in rows]
        calls = list(assumed_calls(self._goes_on(arm, self.spec.seed)))
        assumed = self.inputs.turns(session_id, [{"text": call.expected} for call in calls])
        return [
            call.turn(row["text"], call.format.read(row["text"]).value)
            for call, row in zip(calls, assumed, strict=True)
        ]
