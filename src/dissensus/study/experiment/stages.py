"""What a study of the common kind makes of its sessions, in the order data takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.study.stages import Stage

if TYPE_CHECKING:
    from dissensus.study.experiment.study import Experiment

_HERE = __package__


def stages_of(study: Experiment) -> list[Stage]:
    """Its measures, the contrasts of its arms, and what people labelled."""
    declared = f"{type(study).__module__}:{type(study).__qualname__}"
    by_round = "_by_round" if study.round_outcomes() else ""
    own = {"declared": declared}
    measured = {**own, "block": study.settings.model_dump()}
    stages = [
        Stage(
            f"{_HERE}.measures:measure_experiment{by_round}",
            computed=measured,
            name=f"measure_{study.name}",
            message=f"Measure the sessions of the {study.name} study",
            also=(declared,),
        ),
        Stage(
            f"{_HERE}.contrasts:compare_experiment{by_round}",
            ("inference", "again"),
            computed=own,
            name=f"compare_{study.name}_arms",
            message=f"Compare the arms of the {study.name} study",
            also=(declared,),
        ),
    ]
    if study.is_labelled:
        stages.append(
            Stage(
                f"{_HERE}.labels.compared:compare_with_people",
                computed=measured,
                reads={"labels": str(study.label_settings.file)},
                name=f"compare_{study.name}_with_people",
                message=f"Compare the judge of the {study.name} study with people",
                also=(declared,),
            )
        )
    return stages
