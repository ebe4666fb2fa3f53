"""A study of the common kind: items, arms, steps and outcomes; all else is derived from these."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from dissensus.design.again import again_of
from dissensus.design.manifest import check_block_filled, stream
from dissensus.design.weights import Contrast
from dissensus.digests import digest
from dissensus.errors import ResourceError, SettingError
from dissensus.report.declared import Figure, Measure, Reader, Table
from dissensus.session.protocol import Turn
from dissensus.study.experiment.declaration import check_names, check_overrides, sharing_of
from dissensus.study.experiment.design import (
    draw_sessions,
    manifest_schema,
    named_items,
    pool_schema,
)
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.factors import Level as FactorLevel
from dissensus.study.experiment.kinds import ExperimentSession
from dissensus.study.experiment.outcomes import Outcome, metrics_schema, rounds_schema
from dissensus.study.experiment.registered import design_words, registered_analysis
from dissensus.study.experiment.session import Debate, Session
from dissensus.study.experiment.settings import ExperimentSettings, LabelSettings, OneModel
from dissensus.study.experiment.sharing import Fork, Material, Sharing
from dissensus.study.experiment.shown import (
    CONTRASTS,
    LABELS,
    OUTCOMES,
    outputs_of,
    shown_settings,
)
from dissensus.study.experiment.stages import stages_of
from dissensus.study.kind import Kind, Row
from dissensus.study.own_code import naming_the_line
from dissensus.study.stages import Stage
from dissensus.study.stopping import BlockComparison
from dissensus.study.study import Diagnosis, Manifest, Registered, Source, Study
from dissensus.tables.artefact import Column, Schema

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: Settings that no session depends on: how many are drawn, in which order, and what is estimated.
_OF_THE_RUN = (
    *("draws", "repeats", "block_size", "again", "stop"),
    *("inference", "protocol", "diagnosis", "labels"),
)


class Experiment(Study[ExperimentSettings]):
    """A study in which every item is debated once in every arm.

    Attributes
    ----------
    arms : names; the first is the reference that the others are compared with. One is enough for
        a study of means.
    item : column of an item -> what it holds, see :mod:`dissensus.tables.common`.
    outcomes : name -> what is measured of a session: an :class:`Outcome`, or its sentence alone.
        The first is the primary one, and a number a session.
    contrasts : name -> arm and reference, or arm -> weight, which sum to 0. Without any, every arm
        is compared with the first.
    factors : name -> a :class:`Factor`, or its levels alone, of which one is drawn at random for
        each draw. All arms of a draw share it.
    cluster : column of what is independent of each other; items, where the study says nothing.
    forks : arm -> what it is forked from; see :meth:`replacement`.
    material : name -> what sessions of some arms are shown of those of another.
    """

    arms: ClassVar[tuple[str, ...]]
    item: ClassVar[Mapping[str, Column]]
    outcomes: ClassVar[Mapping[str, Outcome | str]]
    contrasts: ClassVar[Mapping[str, tuple[str, str] | Mapping[str, float]]] = {}
    factors: ClassVar[Mapping[str, Factor | Sequence[FactorLevel]]] = {}
    cluster: ClassVar[str] = "item_id"
    forks: ClassVar[Mapping[str, Fork]] = {}
    material: ClassVar[Mapping[str, Material]] = {}
    sharing: ClassVar[Sharing]
    pool_schema: ClassVar[Schema]
    manifest_schema: ClassVar[Schema]
    metrics_schema: ClassVar[Schema]
    rounds_schema: ClassVar[Schema]
    Settings: ClassVar[type[ExperimentSettings]] = OneModel
    view = ("inference.confidence",)
    figures: tuple[Figure, ...] = (OUTCOMES,)
    tables: tuple[Table, ...] = (CONTRASTS,)

    def __init__(self, settings: ExperimentSettings) -> None:
        super().__init__(settings)
        if self.is_labelled:
            self.tables = (*self.tables, *LABELS)

    @abstractmethod
    def items(self, rng: np.random.Generator) -> Iterable[Mapping[str, Any]]:
        """What is debated: rows with the columns of ``item``.

        They may have an ``item_id`` of their own. The first ``draws`` are taken.

        Parameters
        ----------
        rng : random numbers that depend on the run's seed alone.
        """

    @abstractmethod
    def debate(self, session: Session) -> Debate:
        """The steps of a session: yields calls, and is sent the turns that they led to."""

    def opening(self, session: Session) -> Debate:
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

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if not hasattr(cls, "name"):
            return
        check_names(cls)
        check_overrides(cls)
        cls.sharing = sharing_of(cls)
        here = f"{cls.__module__}:{cls.__qualname__}"
        cls.pool_schema = pool_schema(cls.item)
        cls.manifest_schema = manifest_schema(cls.declared_factors(), cls.sharing.columns())
        ids = cls.manifest_schema.pick("session_id", "draw_id", "item_id", "arm", *cls.factors)
        clusters = {} if cls.cluster in ids else {cls.cluster: cls.item[cls.cluster]}
        cls.metrics_schema = metrics_schema(ids, clusters, cls.session_outcomes())
        cls.rounds_schema = rounds_schema(ids, clusters)
        cls.figures, cls.tables = outputs_of(cls)
        fields = tuple(name for name in cls.Settings.model_fields if name not in _OF_THE_RUN)
        defaults = {
            "protocol": cls.__module__,
            "ids": ids,
            "source": Source(
                f"{here}.collect",
                settings=("draws", *fields),
                files=fields,
                artefact="pool",
                key="item_id",
                schema=f"{here}.pool_schema",
            ),
            "manifest": Manifest(
                f"{here}.draw_manifest",
                settings=("repeats", "block_size", "again", "stop"),
                schema=f"{here}.manifest_schema",
            ),
            "diagnosis": Diagnosis(
                f"{here}.diagnose",
                settings=tuple(name for name in cls.Settings.model_fields if name != "labels"),
                files=fields,
                models=True,
            )
            if cls.sharing.is_within_items
            else None,
            "reader": Reader(
                title=next(iter(cls.item), "item_id"),
                measures=tuple(
                    Measure("metrics", name, outcome.words(name))
                    for name, outcome in cls.session_outcomes().items()
                ),
            ),
        }
        for name, value in defaults.items():
            if name not in vars(cls):
                setattr(cls, name, value)

    # What the stages of the workflow call by name.

    @classmethod
    def collect(cls, settings: Row, seed: int) -> dict[str, tuple[Schema, list[dict[str, Any]]]]:
        """The items, checked; see :class:`~dissensus.study.study.Source`."""
        study = cls(cls.Settings.model_validate(settings))
        with naming_the_line(cls.__module__, "items", is_paid=False):
            rows, again = (
                named_items(
                    study.items(stream(seed, "items")), cls.item, settings["draws"], cls.file()
                )
                for _ in range(2)
            )
        if digest(rows) != digest(again):
            raise ResourceError(
                f"{cls.file()}: items gives other rows when it is called again; take random "
                "numbers from rng alone."
            )
        return {"pool": (pool_schema(cls.item), rows)}

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
    def diagnose(cls, items: Row, settings: Row, seed: int, cores: int) -> list[dict[str, Any]]:
        """The diagnosis; see :class:`~dissensus.study.study.Diagnosis`."""
        from dissensus.study.experiment.diagnosis import diagnose

        block = {name: settings[name] for name in cls.Settings.model_fields if name in settings}
        study = cls(cls.Settings.model_validate(block))
        return diagnose(study, items, settings["models"], seed, cores)

    @classmethod
    def declared_outcomes(cls) -> dict[str, Outcome]:
        """Name -> outcome."""
        return {name: Outcome.of(declared) for name, declared in cls.outcomes.items()}

    @classmethod
    def session_outcomes(cls) -> dict[str, Outcome]:
        """Those that are a number a session."""
        return {name: each for name, each in cls.declared_outcomes().items() if not each.keys}

    @classmethod
    def round_outcomes(cls) -> dict[str, Outcome]:
        """Those by round."""
        return {name: each for name, each in cls.declared_outcomes().items() if each.keys}

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

    # What the core asks of every study.

    @cached_property
    def kinds(self) -> Sequence[Kind[Any, Any]]:
        return [ExperimentSession(self.settings, self)]

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(self)

    @cached_property
    def session_settings(self) -> dict[str, Any]:
        """The settings of its own, which sessions may use, as plain data."""
        return self.settings.model_dump(exclude=set(_OF_THE_RUN))

    def check_settings(self) -> None:
        if self.settings.again and (name := again_of(self.arms)) in self.arms:
            raise SettingError(
                f"{self.name}.again is true, and {self.file()} has an arm {name!r}, as the "
                "reference is called that is run again; set it to false, or rename that arm."
            )
        for name in self.settings.diagnosis.prices:
            if name not in self.all_models:
                raise SettingError(
                    f"{self.name}.diagnosis.prices.{name} is the price of a model that this study "
                    f"does not ask; it asks {', '.join(self.all_models)}."
                )
        may = self.session_outcomes()
        if self.settings.labels and self.labelled_outcome not in may:
            raise SettingError(
                f"{self.name}.labels.outcome holds {self.labelled_outcome!r}; it must be an "
                f"outcome that is a number a session: {', '.join(may)}."
            )
        repeats = self.settings.repeats
        for name, factor in self.declared_factors().items():
            count = len(factor.levels)
            if factor.how == "balanced" and repeats % count:
                raise SettingError(
                    f"{self.name}.repeats holds {repeats}, and {name} is balanced over an item's "
                    f"repeats; it must be a multiple of {count}, the number of its levels."
                )

    @property
    def comparison(self) -> BlockComparison:
        declared = f"{type(self).__module__}:{type(self).__qualname__}"
        return BlockComparison(
            ("dissensus.study.experiment.stopping:compare_block", declared),
            of_block=("turns", "outcomes"),
            of_study=("pool",),
            settings={"declared": declared, "block": self.settings.model_dump()},
        )

    @property
    def never_stops(self) -> str:
        if not self.compared():
            return "it has one arm, and no paired difference of arms"
        if not self.sharing.is_within_items:
            return "its sessions read those of other items, so that blocks are not independent"
        skewed = [each.name for each in self.compared() if not each.is_swappable]
        if skewed:
            return (
                f"the two sides of its contrast {skewed[0]} have different weights, so that its "
                "sign is no fair coin where arms are alike"
            )
        return ""

    def rehearsed(self, row: Row) -> Hashable:
        return row["arm"], *(row[name] for name in self.factors)

    def rehearse(self, sessions: Sequence[tuple[Sequence[Row], Row]]) -> None:
        from dissensus.study.experiment.measures import rehearse

        rehearse(self, sessions)

    def shown(self) -> dict[str, Any]:
        return shown_settings(self)

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        return registered_analysis(self)

    def summary(self) -> str:
        return f"{self.question} {design_words(self)}".strip()
