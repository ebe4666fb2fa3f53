"""Settings of the consensus study: config.yaml describes them, or else the text below one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from dissensus.llm.settings import ModelByName
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Count, Entries, Named, Once, Resamples, Settings, names
from dissensus.study.settings import Embedder, File, IntervalSettings, StudySettings

from .domains import AGENTS, STATEMENTS_FILE
from .sanity.questions import QUESTIONS_FILE
from .wording import ABLATIONS, LEARNED, TRANSFERRED

Unlearned = Literal[
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
Learned = Literal[
    "ccagent",
    "ccagent_without_good",
    "ccagent_without_bad",
    "ccagent_without_rationale",
    "ccagent_without_counterfactual",
    "ccagent_metrics_only",
    "ccagent_transferred",
]


_Entry = TypeVar("_Entry")
_Arms = Annotated[Named[_Entry], names("an arm's name")]


class InferenceSettings(IntervalSettings):
    resamples: Resamples
    """Bootstrap resamples of questions, for the answers in full of the sanity check."""
    flips: Resamples
    """Monte Carlo draws of every randomisation test."""


class DiagnosisSettings(Settings):
    simulations: Count
    """Simulated studies in each row of the design diagnosis."""
    meets: Annotated[list[Annotated[float, Field(ge=0, le=1)]], Field(min_length=1), Once]
    """Chances that agents of the planted arm step towards the others' middle; 0 is the null."""
    agent: ModelByName
    """The simulated model whose equations the agents of the worlds follow."""


class LearningSettings(Settings):
    """What CCAgent learns from; of no effect where no arm is a ccagent."""

    arms: _Arms[Unlearned]
    statements: Count | None
    examples: Annotated[int, Field(ge=1, le=100)] = 8
    characters: Annotated[int, Field(ge=1)] = 300
    model: str
    max_tokens: Count = 150
    prompts: File
    """YAML of what is said of examples."""


class ConditionSettings(Settings):
    """How agents are made who are checked."""

    model: str | None = None
    """Null for that of all agents."""
    interview: bool = True
    """Whether they have their interview before each prompt."""


class SanitySettings(Settings):
    """Whether agents answer as those whom they stand for; of domains that have questions.csv."""

    conditions: Annotated[Named[ConditionSettings], names("a condition's name")]
    """Name -> how agents are made."""
    prompts: File
    """YAML of how they are asked."""


class VariantSettings(Settings):
    """What an arm has of its own; null for what all arms have."""

    model: str | None = None
    """Of its agents that vote."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """Of all replies in it."""


class ConsensusSettings(StudySettings):
    """All settings of the consensus study."""

    domains: Annotated[Named[str], names("a domain's name")]
    splits: Annotated[list[Literal["train", "held_out"]], Field(min_length=1), Once]
    statements: Count | None = None
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    block_size: Count
    """Draws in a block; a job gathers whole blocks."""
    rounds: Annotated[int, Field(ge=1, le=100)]
    side_rounds: Annotated[int, Field(ge=1, le=10)] = 2
    experts: Annotated[int, Field(ge=2, le=20)] = 2
    model: str
    extra_model: str
    prompts: File
    """YAML of all prompts."""
    embedder: Embedder
    reference: str
    arms: _Arms[Unlearned | Learned]
    variants: Entries[VariantSettings] = Field(default_factory=dict)
    learning: LearningSettings
    sanity: SanitySettings | None = None
    inference: InferenceSettings
    diagnosis: DiagnosisSettings

    @property
    def compared(self) -> list[str]:
        """The arms that are compared with the reference.

        All but parts of ccagent, transfers, and arms with a model or temperature of their own.
        """
        parts = (*ABLATIONS, TRANSFERRED)
        arms = self.arms.items()
        return [arm for arm, strategy in arms if strategy not in parts and arm not in self.variants]

    @property
    def again(self) -> str | None:
        """The arm that is the reference once more; None where there is none."""
        strategy = self.arms[self.reference]
        others = (arm for arm in self.compared if arm != self.reference)
        return next((arm for arm in others if self.arms[arm] == strategy), None)

    @property
    def checks(self) -> dict[str, ConditionSettings]:
        """Condition -> how agents are made who are checked."""
        return self.sanity.conditions if self.sanity else {}

    @property
    def models_by_arm(self) -> dict[str, str]:
        """Arm -> the model of its agents."""
        return {arm: self.model_of(arm) for arm in self.arms}

    @property
    def temperatures(self) -> dict[str, float]:
        """Arm -> the temperature of its replies."""
        return {arm: self.temperature_of(arm) for arm in self.arms}

    def model_of(self, arm: str) -> str:
        """The model of the agents that vote in an arm."""
        return (arm in self.variants and self.variants[arm].model) or self.model

    def temperature_of(self, arm: str) -> float:
        """The temperature of all replies in an arm."""
        set_for_arm = self.variants[arm].temperature if arm in self.variants else None
        return self.protocol.temperature if set_for_arm is None else set_for_arm

    @property
    def learns(self) -> bool:
        """Whether any arm waits for examples of earlier debates."""
        return any(strategy in LEARNED for strategy in self.arms.values())

    def source_of(self, strategy: str, domain: str) -> str:
        """The domain whose examples a learned arm is shown in a domain: its own, or the next."""
        names = list(self.domains)
        return names[(names.index(domain) + (strategy == TRANSFERRED)) % len(names)]

    def files(self) -> dict[str, str]:
        """Setting -> the file that it names, which must exist."""
        return {
            **super().files(),
            **{f"domains.{n}": str(Path(folder) / AGENTS) for n, folder in self.domains.items()},
            **{
                f"domains.{n}.statements": str(Path(folder) / STATEMENTS_FILE)
                for n, folder in self.domains.items()
            },
            **{
                f"domains.{n}.questions": str(path)
                for n, folder in self.domains.items()
                if self.sanity and (path := Path(folder) / QUESTIONS_FILE).exists()
            },
        }

    @field_validator("domains")
    @classmethod
    def _no_domain_is_all(cls, domains: dict[str, str]) -> dict[str, str]:
        if "all" in domains:
            raise ValueError("all is what stands for the domains together; choose another name")
        return domains

    @model_validator(mode="after")
    def _arms_can_run(self) -> ConsensusSettings:
        if self.learns and "train" in self.splits:
            may = "ccagent learns from train, so that it may be [held_out] alone"
            raise Faults(fault("splits", self.splits, may))
        if TRANSFERRED in self.arms.values() and len(self.domains) < 2:
            may = f"{TRANSFERRED} learns in another domain; name two, or leave that arm out"
            raise Faults(fault("domains", list(self.domains), may))
        lost = [arm for arm in self.variants if arm not in self.arms]
        if lost:
            raise Faults(fault("variants", lost[0], f"it may be one of {', '.join(self.arms)}"))
        if self.reference in self.arms and self.reference not in self.compared:
            may = "it may be no part of ccagent, and in no variants; choose another arm"
            raise Faults(fault("reference", self.reference, may))
        return self

    @model_validator(mode="after")
    def _reference_is_an_arm(self) -> ConsensusSettings:
        if self.reference not in self.arms:
            may = f"it may be one of {', '.join(self.arms)}"
            raise Faults(fault("reference", self.reference, may))
        return self
