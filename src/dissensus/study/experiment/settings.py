"""The settings that an experiment has without saying so."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from dissensus.llm.settings import PriceSettings
from dissensus.setting_faults import Faults
from dissensus.settings import Confidence, Count, Once, Resamples, Settings
from dissensus.study.settings import (
    Draws,
    File,
    Model,
    ProtocolSettings,
    Repairs,
    StudySettings,
    Temperature,
)


class InferenceSettings(Settings):
    """How arms are compared."""

    confidence: Confidence = 0.95
    """Level of the intervals."""
    flips: Resamples = 10_000
    """Sign patterns of the randomisation test."""


class ExperimentProtocol(ProtocolSettings):
    """How models are asked where a study says nothing else."""

    temperature: Temperature = 1.0
    max_tokens: Count = 1000
    repairs: Repairs = 2
    session_attempts: Count = 2


class DiagnosisSettings(Settings):
    """What ``snakemake diagnosis`` simulates, of a study whose models are simulated."""

    simulations: Count = 200
    """Simulated studies of each number of items."""
    items: list[Annotated[int, Field(ge=2)]] = Field(default_factory=list)
    """Numbers of items; without any, half as many as there are, as many, and twice as many."""
    prices: dict[str, PriceSettings] = Field(default_factory=dict)
    """Model -> what is paid for the one that it stands for: simulated models cost nothing."""


#: The path of the table of labels in a study's block: no session depends on it.
LABELS_FILE = "labels.file"


class LabelSettings(Settings):
    """What people label, and their labels."""

    scale: Annotated[list[str | float], Field(min_length=2), Once]
    """The labels that there are: texts, or numbers."""
    judge: str = ""
    """The speaker whose turns people label in its place; without one, they label whole sessions."""
    hidden: Annotated[list[str], Once] = Field(default_factory=list)
    """Speakers whose turns are not shown to those who label whole sessions, such as judges."""
    outcome: str = ""
    """The outcome that labels are of; without one, the primary outcome."""
    file: File | None = None
    """The table of labels, once there is one."""

    @model_validator(mode="after")
    def _one_kind(self) -> LabelSettings:
        kinds = {isinstance(label, str) for label in self.scale}
        if len(kinds) > 1:
            raise Faults("scale has texts and numbers; it must have the one or the other.")
        if not self.judge and kinds == {True}:
            raise Faults(
                "scale has texts, and no judge is named; labels of whole sessions are numbers, as "
                "the outcome is."
            )
        return self


class ExperimentSettings(StudySettings):
    """Base of an experiment's block; its own fields are what its sessions may depend on."""

    # A study's own defaults are checked like what is set.
    model_config = ConfigDict(validate_default=True)

    draws: Draws | None = None
    """How many of the items are drawn, in the order in which they are given; null for all."""
    repeats: Count = 1
    """How often each item is drawn."""
    block_size: Count = 25
    """Draws that are kept together in one temporal block."""
    again: bool = False
    """Run the reference arm a second time: what two equal arms differ by is the noise floor."""
    inference: InferenceSettings = InferenceSettings()
    protocol: ExperimentProtocol = ExperimentProtocol()
    diagnosis: DiagnosisSettings = DiagnosisSettings()
    labels: LabelSettings | None = None
    """Labels by people, for a judge's agreement with them and prediction-powered estimates."""


class OneModel(ExperimentSettings):
    """The settings of an experiment that declares none: one model speaks."""

    model: Model
