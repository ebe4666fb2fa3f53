"""What an experiment declares, and what follows from that without a session.

The modules that derive all else (kinds of sessions, stages, measures, contrasts, words) take an
:class:`ExperimentDesign`; :class:`~dissensus.study.experiment.study.Experiment` puts them together.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from dissensus.design.again import again_of
from dissensus.design.manifest import check_block_filled
from dissensus.design.weights import Contrast
from dissensus.errors import SettingError
from dissensus.session.protocol import Turn
from dissensus.study.experiment.drawing import draw_sessions
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.factors import Level as FactorLevel
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.session import DebateSteps, Session
from dissensus.study.experiment.settings import ExperimentSettings, LabelSettings, OneModel
from dissensus.study.experiment.sharing import Fork, Material, Sharing
from dissensus.study.kind import Row
from dissensus.study.study import Study
from dissensus.tables.artefact import Column, Schema

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: Settings that no session depends on: how many are drawn, in which order, and what is estimated.
OF_THE_RUN = (
    *("draws", "repeats", "block_size", "again", "stop"),
    *("inference", "protocol", "diagnosis", "labels"),
)


def _columns_of(outcome: Outcome) -> tuple[str, ...]:
    return outcome.statistic.columns if outcome.statistic else ()


class ExperimentDesign(Study[ExperimentSettings]):
    """An experiment as its class declares it: all that whatever is derived from it reads.

    Attributes
    ----------
    arms : names; the first is the reference that the others are compared with. One is enough for
        a study of means.
    item : column of an item -> what it holds, see :mod:`dissensus.tables.common`.
    outcomes : name -> what is measured of a session: an :class:`Outcome`, or its sentence alone.
        The first is the primary one, and a number a session or one of all sessions of an arm.
    contrasts : name -> arm and reference, or arm -> weight, which sum to 0. Without any, every arm
        is compared with the first.
    factors : name -> a :class:`Factor`, or its levels alone, of which one is drawn at random for
        each draw. All arms of a draw share it.
    interactions : pairs of factors, or threes, of which it is estimated what they change in each
        other.
    cluster : column of what is independent of each other; items, where the study says nothing.
    sample : factor whose levels stand for others like them, such as models; "" for none.
    forks : arm -> what it is forked from; see :meth:`replacement`.
    material : name -> what sessions of some arms are shown of those of another.
    """

    arms: ClassVar[tuple[str, ...]]
    item: ClassVar[Mapping[str, Column]]
    outcomes: ClassVar[Mapping[str, Outcome | str]]
    contrasts: ClassVar[Mapping[str, tuple[str, str] | Mapping[str, float]]] = {}
    factors: ClassVar[Mapping[str, Factor | Sequence[FactorLevel]]] = {}
    interactions: ClassVar[Sequence[tuple[str, ...]]] = ()
    cluster: ClassVar[str] = "item_id"
    sample: ClassVar[str] = ""
    forks: ClassVar[Mapping[str, Fork]] = {}
    material: ClassVar[Mapping[str, Material]] = {}
    sharing: ClassVar[Sharing]
    pool_schema: ClassVar[Schema]
    manifest_schema: ClassVar[Schema]
    metrics_schema: ClassVar[Schema]
    rounds_schema: ClassVar[Schema]
    Settings: ClassVar[type[ExperimentSettings]] = OneModel

    @abstractmethod
    def items(self, rng: np.random.Generator) -> Iterable[Mapping[str, Any]]:
        """What is debated: rows with the columns of ``item``.

        They may have an ``item_id`` of their own. The first ``draws`` are taken.

        Parameters
        ----------
        rng : random numbers that depend on the run's seed alone.
        """

    @abstractmethod
    def debate(self, session: Session) -> DebateSteps:
        """The steps of a session: yields calls, and is sent the turns that they led to."""

    def opening(self, session: Session) -> DebateSteps:
        """The steps that all arms of a draw go on from, where there are such: asked once for all.

        It has no material; its arm is "opening", and is compared with no other.
        """
        raise NotImplementedError

    def replacement(self, session: Session, turn: Turn) -> str:
        """The text that a fork puts in place of a turn.

        Parameters
        ----------
        session : the fork's.
        turn : as it was.
        """
        raise NotImplementedError

    @abstractmethod
    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> Mapping[str, Any]:
        """The outcomes of one session.

        Parameters
        ----------
        turns : a row a turn, in order, with turn, speaker, role, round_label, model, text, value
            (what was read in the text; None where nothing was), repairs, compliant, the arm and
            the factors.
        item : what was debated.

        Returns
        -------
        Outcome -> its value; None where it is not defined. Of an outcome by round: round -> value,
        or (round, agent) -> value, or a frame with these columns and ``value``.
        """

    @classmethod
    def draw_manifest(cls, items: Row, settings: Row, seed: int) -> list[dict[str, Any]]:
        """The manifest; see :class:`~dissensus.study.study.Manifest`."""
        stop = settings.get("stop")
        clusters = {name: str(item.get(cls.cluster, name)) for name, item in items.items()}
        rows = draw_sessions(
            items,
            (*cls.arms, again_of(cls.arms)) if settings.get("again") else cls.arms,
            cls.declared_factors(),
            settings["repeats"],
            settings["block_size"],
            seed,
            cls.sharing.order,
            clusters if stop else None,
            stop["most"] if stop else None,
        )
        if stop:
            check_block_filled(rows, cls.name, stop["most"], settings["block_size"])
        return cls.sharing.add(rows, seed)

    @classmethod
    def declared_outcomes(cls) -> dict[str, Outcome]:
        """Name -> outcome."""
        return {name: Outcome.of(declared) for name, declared in cls.outcomes.items()}

    @classmethod
    def measured_outcomes(cls) -> dict[str, Outcome]:
        """Those that :meth:`measure` gives."""
        return {name: o for name, o in cls.declared_outcomes().items() if o.statistic is None}

    @classmethod
    def session_outcomes(cls) -> dict[str, Outcome]:
        """Those that are a number a session."""
        return {name: each for name, each in cls.measured_outcomes().items() if not each.keys}

    @classmethod
    def statistics(cls) -> dict[str, Outcome]:
        """Those that are one number of all sessions of an arm."""
        return {name: o for name, o in cls.declared_outcomes().items() if o.statistic is not None}

    @classmethod
    def has_courses(cls) -> bool:
        """Whether anything is shown by round: an outcome by round, or the curve of a statistic."""
        curves = (o.statistic.curve for o in cls.statistics().values() if o.statistic)
        return bool(cls.round_outcomes()) or any(curves)

    @classmethod
    def item_columns(cls) -> dict[str, Column]:
        """Columns of items that statistics are computed from, which the metrics have too."""
        named = [column for each in cls.statistics().values() for column in _columns_of(each)]
        return {name: cls.item[name] for name in named if name in cls.item}

    @classmethod
    def round_outcomes(cls) -> dict[str, Outcome]:
        """Those by round."""
        return {name: each for name, each in cls.measured_outcomes().items() if each.keys}

    @classmethod
    def declared_contrasts(cls) -> list[Contrast]:
        """The contrasts that stand for those of every arm against the first."""
        return [
            Contrast(name, given)
            if isinstance(given, Mapping)
            else Contrast(name, {given[0]: 1.0, given[1]: -1.0})
            for name, given in cls.contrasts.items()
        ]

    @classmethod
    def compared(cls) -> list[Contrast]:
        """The contrasts of arms that are estimated; none where there is one arm."""
        return cls.declared_contrasts() or [Contrast.of(arm, cls.arms[0]) for arm in cls.arms[1:]]

    @classmethod
    def declared_factors(cls) -> dict[str, Factor]:
        """Name -> factor."""
        return {name: Factor.of(declared) for name, declared in cls.factors.items()}

    @classmethod
    def factors_of(cls, arm: str) -> tuple[str, ...]:
        """The names of the factors that the sessions of an arm have."""
        return tuple(name for name, each in cls.declared_factors().items() if each.is_in(arm))

    @classmethod
    def levels(cls) -> dict[str, tuple[str, ...]]:
        """The arms, and every factor of texts by its name -> what it may be."""
        named = {
            name: tuple(map(str, factor.levels))
            for name, factor in cls.declared_factors().items()
            if not factor.is_numeric
        }
        return {"arm": (*cls.arms, *cls.sharing.further_arms), **named}

    @property
    def label_settings(self) -> LabelSettings:
        """What people label.

        Raises
        ------
        SettingError : the settings do not say it.
        """
        if self.settings.labels is None:
            raise SettingError(
                f"{self.name}.labels is not set; say what people label, such as "
                f"{self.name}: {{labels: {{judge: J, scale: [A, B]}}}}."
            )
        return self.settings.labels

    @property
    def is_labelled(self) -> bool:
        """Whether there are labels by people."""
        return self.settings.labels is not None and self.settings.labels.file is not None

    @property
    def labelled_outcome(self) -> str:
        """The outcome that people's labels are of."""
        return self.label_settings.outcome or next(iter(self.outcomes))

    @classmethod
    def file(cls) -> str:
        """Where it is declared."""
        return str(sys.modules[cls.__module__].__file__)

    @cached_property
    def session_settings(self) -> dict[str, Any]:
        """The settings of its own, which sessions may use, as plain data."""
        return self.settings.model_dump(exclude=set(OF_THE_RUN))
