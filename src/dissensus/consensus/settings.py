"""The settings of the consensus study; the comments of config.yaml say the same to its users."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.consensus.domains import AGENTS, STATEMENTS_FILE
from dissensus.settings import (
    WORD,
    Confidence,
    Count,
    Faults,
    Once,
    Resamples,
    Settings,
    check_names,
    fault,
    without_nulls,
)
from dissensus.study.settings import StudySettings

Strategy = Literal[
    "debate",
    "discuss",
    "consensus",
    "compromise",
    "moderator",
    "nudger",
    "credible",
    "sentimental",
    "alliance",
    "opposites",
    "reconcile",
]


class InferenceSettings(Settings):
    confidence: Confidence
    resamples: Resamples
    """Bootstrap resamples of statements."""
    flips: Resamples
    """Monte Carlo draws of every randomisation test."""


class DiagnosisSettings(Settings):
    simulations: Count
    """Simulated studies in each row of the design diagnosis."""
    meets: Annotated[list[Annotated[float, Field(ge=0, le=1)]], Field(min_length=1), Once]
    """Chances that agents of the planted arm step towards the others' middle; 0 is the null."""


class ConsensusSettings(StudySettings):
    """All settings of the consensus study."""

    domains: Annotated[dict[str, str], Field(min_length=1)]
    """Name -> the folder with its agents and statements."""
    splits: Annotated[list[Literal["train", "held_out"]], Field(min_length=1), Once]
    """Which statements are debated."""
    statements: Count | None = None
    """Statements of each domain that are drawn; null for all of the splits."""
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often each statement is debated in every arm."""
    block_size: Count
    """Draws in a block; a job gathers whole blocks."""
    rounds: Annotated[int, Field(ge=1, le=100)]
    """The most rounds of a debate."""
    side_rounds: Annotated[int, Field(ge=1, le=10)] = 2
    """Rounds of alliances and opposites, which do not count as rounds."""
    experts: Annotated[int, Field(ge=2, le=20)] = 2
    """How many external experts an agent faces that holds its vote alone (opposites)."""
    model: str
    """The model of every agent that votes."""
    extra_model: str
    """The model of moderators, nudgers, experts and other agents without a vote."""
    prompts: str
    """YAML of all prompts."""
    embedder: str
    """Of the first and the last explanation of every agent."""
    reference: str
    """The arm that the others are compared with."""
    arms: Annotated[dict[str, Strategy], Field(min_length=1)]
    """Name -> strategy; two arms with the same strategy are a null comparison."""
    inference: InferenceSettings
    diagnosis: DiagnosisSettings

    @property
    def arm_names(self) -> list[str]:
        return list(self.arms)

    def files(self) -> dict[str, str]:
        """Setting -> the file that it names, which must exist."""
        return {
            "prompts": self.prompts,
            **{f"domains.{n}": str(Path(folder) / AGENTS) for n, folder in self.domains.items()},
            **{
                f"domains.{n}.statements": str(Path(folder) / STATEMENTS_FILE)
                for n, folder in self.domains.items()
            },
        }

    @field_validator("arms", "domains", mode="before")
    @classmethod
    def _leave_out(cls, named: Any) -> Any:
        return without_nulls(named)

    @field_validator("arms")
    @classmethod
    def _arm_words(cls, arms: dict[str, Any]) -> dict[str, Any]:
        check_names(arms, "an arm's name", WORD)
        return arms

    @field_validator("domains")
    @classmethod
    def _domain_words(cls, domains: dict[str, str]) -> dict[str, str]:
        check_names(domains, "a domain's name", WORD)
        if "all" in domains:
            raise ValueError("all is what stands for the domains together; choose another name")
        return domains

    @model_validator(mode="after")
    def _reference_is_an_arm(self) -> ConsensusSettings:
        if self.reference not in self.arms:
            may = f"it may be one of {', '.join(self.arms)}"
            raise Faults(fault("reference", self.reference, may))
        return self
