"""The settings that an experiment has without saying so."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from dissensus.settings import Confidence, Count, Resamples, Settings
from dissensus.study.settings import (
    Draws,
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


class OneModel(ExperimentSettings):
    """The settings of an experiment that declares none: one model speaks."""

    model: Model
