"""A study of the common kind: items, arms, steps and outcomes; all else is derived from these."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dissensus.design.again import again_of
from dissensus.design.manifest import stream
from dissensus.design.over_sessions import MajorityVote
from dissensus.digests import digest
from dissensus.errors import ResourceError, SettingError
from dissensus.report.declared import Figure, Measure, Reader, Table
from dissensus.study.experiment.declaration.names import (
    check_names,
    check_overrides,
    check_settings_of,
    sharing_of,
)
from dissensus.study.experiment.design import OF_THE_RUN, ExperimentDesign
from dissensus.study.experiment.drawing import (
    manifest_schema,
    named_items,
    pool_schema,
)
from dissensus.study.experiment.kinds import ExperimentSession
from dissensus.study.experiment.outcomes import metrics_schema, rounds_schema
from dissensus.study.experiment.registered import design_words, registered_analysis
from dissensus.study.experiment.settings import ExperimentSettings
from dissensus.study.experiment.shown import (
    CONTRASTS,
    LABELS,
    OUTCOMES,
    outputs_of,
    shown_settings,
)
from dissensus.study.kind import Kind, Row
from dissensus.study.may_stop import BlockComparison
from dissensus.study.own_code import naming_the_line
from dissensus.study.stages import Stage
from dissensus.study.study import Diagnosis, Manifest, Registered, Source
from dissensus.tables.artefact import Schema

if TYPE_CHECKING:
    pass


class Experiment(ExperimentDesign):
    """A study in which every item is debated once in every arm.

    Its attributes are those of :class:`~dissensus.study.experiment.design.ExperimentDesign`.
    """

    view = ("inference.confidence",)
    figures: tuple[Figure, ...] = (OUTCOMES,)
    tables: tuple[Table, ...] = (CONTRASTS,)

    def __init__(self, settings: ExperimentSettings) -> None:
        super().__init__(settings)
        if self.is_labelled:
            self.tables = (*self.tables, *LABELS)

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if not hasattr(cls, "name"):
            return
        check_names(cls)
        check_overrides(cls)
        check_settings_of(cls)
        cls.sharing = sharing_of(cls)
        here = f"{cls.__module__}:{cls.__qualname__}"
        cls.pool_schema = pool_schema(cls.item)
        cls.manifest_schema = manifest_schema(cls.declared_factors(), cls.sharing.columns())
        ids = cls.manifest_schema.pick("session_id", "draw_id", "item_id", "arm", *cls.factors)
        clusters = {} if cls.cluster in ids else {cls.cluster: cls.item[cls.cluster]}
        of_items = {name: each for name, each in cls.item_columns().items() if name not in clusters}
        cls.metrics_schema = metrics_schema(ids, clusters | of_items, cls.session_outcomes())
        cls.rounds_schema = rounds_schema(ids, clusters)
        cls.figures, cls.tables = outputs_of(cls)
        fields = tuple(name for name in cls.Settings.model_fields if name not in OF_THE_RUN)
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
    def diagnose(cls, items: Row, settings: Row, seed: int, cores: int) -> list[dict[str, Any]]:
        """The diagnosis; see :class:`~dissensus.study.study.Diagnosis`."""
        from dissensus.study.experiment.diagnosis import diagnose

        block = {name: settings[name] for name in cls.Settings.model_fields if name in settings}
        study = cls(cls.Settings.model_validate(block))
        return diagnose(study, items, settings["models"], seed, cores)

    # What the core asks of every study.

    @cached_property
    def kinds(self) -> Sequence[Kind[Any, Any]]:
        return [ExperimentSession(self.settings, self)]

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        """Its measures, the contrasts of its arms, and what people labelled."""
        declared = f"{type(self).__module__}:{type(self).__qualname__}"
        by_round = "_by_round" if self.has_courses() else ""
        own = {"declared": declared}
        measured = {**own, "block": self.settings.model_dump()}
        stages = [
            Stage(
                f"{__package__}.measures:measure_experiment{by_round}",
                computed=measured,
                name=f"measure_{self.name}",
                message=f"Measure the sessions of the {self.name} study",
                also=(declared,),
            ),
            Stage(
                f"{__package__}.contrasts:compare_experiment{by_round}",
                ("inference", "again"),
                computed=own,
                name=f"compare_{self.name}_arms",
                message=f"Compare the arms of the {self.name} study",
                also=(declared,),
            ),
        ]
        if self.is_labelled:
            stages.append(
                Stage(
                    f"{__package__}.labels.compared:compare_with_people",
                    computed=measured,
                    reads={"labels": str(self.label_settings.file)},
                    name=f"compare_{self.name}_with_people",
                    message=f"Compare the judge of the {self.name} study with people",
                    also=(declared,),
                )
            )
        return stages

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
        is_repeated = repeats > 1 or any(
            factor.how == "crossed" for factor in self.declared_factors().values()
        )
        for name, outcome in self.statistics().items():
            if isinstance(outcome.statistic, MajorityVote) and not is_repeated:
                raise SettingError(
                    f"{self.name}.repeats holds {repeats}, and {name} is a vote of the sessions of "
                    "an item in one arm, of which there is then one; set it to 3 or more."
                )
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
            ("dissensus.study.experiment.blocks:compare_block", declared),
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
        if (first := next(iter(self.outcomes))) in self.statistics():
            return f"its primary outcome {first} is one number of all sessions of an arm"
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
