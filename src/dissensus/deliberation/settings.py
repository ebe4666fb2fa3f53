"""Settings of the deliberation study: config.yaml describes them, or else the text below one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.deliberation.controls.schedules import PRESETS
from dissensus.llm.settings import ModelByName
from dissensus.setting_faults import Faults, fault
from dissensus.settings import (
    Count,
    Named,
    Once,
    OneOrEachOnce,
    Rate,
    Resamples,
    Settings,
    Spelled,
    names,
)
from dissensus.study.settings import (
    Debater,
    Draws,
    File,
    IntervalSettings,
    Judge,
    StudySettings,
)

Topology = Literal["emergent", "full", "one_target"]
Schedule = Literal["pid", "pid_fast", "fixed", "linear", "exponential", "divide"]
Seat = Annotated[str, Spelled(r"^A[1-9]\d*$", "it must be a seat, such as A2")]
Sees = Literal["all", "own", "nothing"]

Gain = Annotated[float, Field(ge=0)]


class ArmSettings(Settings):
    """How the sessions of one arm run; the defaults are the protocol as it was agreed."""

    topology: Topology = "emergent"
    """emergent (agents choose whom to answer), full (everyone) or one_target (exactly one)."""
    crit: bool = False
    """Whether a judge assesses every turn, and the debaters see that in the next round."""
    rca: bool = False
    """Whether a judge sends back turns whose stance does not follow from their reasoning."""
    hints: bool = False
    """Whether the moderator's note of the draw is given."""
    schedule: Schedule | None = None
    """Of contentiousness: fixed, linear, exponential, divide, pid or pid_fast; null for none."""
    sees: Sees = "all"
    """The turns of earlier rounds that an agent is shown: all; its own, which it refines alone; or
    nothing, so that it answers anew."""
    without: Seat | None = None
    """The seat whose turns nobody else is shown: what the others come to without it."""
    abstain: bool = False
    """Whether agents may say that they abstain and give no stance."""
    samples: Count | None = None
    """Answers of each agent where it sees nothing; null for as many as rounds."""

    @property
    def assessed(self) -> bool:
        """Whether a judge scores the turns: for the debaters, or for the schedules.

        The controller steers by the scores; an open loop is scored so that the two can be compared.
        """
        return self.crit or self.schedule is not None

    @property
    def judged(self) -> bool:
        """Whether it asks a judge at all."""
        return self.assessed or self.rca

    def protocol(self, control: ControlSettings) -> dict[str, Any]:
        """The fields of :class:`dissensus.deliberation.protocol.Arm`."""
        return {
            "topology": self.topology,
            "crit": self.crit,
            "assessed": self.assessed,
            "retries": control.rca_retries if self.rca else None,
            "schedule": self.schedule,
            "control": self._controlled(control),
            # Named where it is a choice, lest sessions be run anew that it changes nothing about.
            **({} if self.sees == "all" else {"sees": self.sees}),
            **({"without": self.without} if self.without else {}),
            **({"abstain": True} if self.abstain else {}),
            **({"samples": self.samples} if self.samples else {}),
        }

    def _controlled(self, control: ControlSettings) -> dict[str, Any]:
        """What its schedule looks at; see :class:`dissensus.deliberation.controls.loop.Loop`."""
        if self.schedule is None:
            return {}
        names = None if self.schedule in PRESETS else {"start"}
        return control.model_dump(include=names, exclude={"rca_retries"})


class ControlSettings(Settings):
    kp: Gain
    ki: Gain
    kd: Gain
    target: Rate
    start: Rate
    leak: Rate
    """Share of the contentiousness that is kept from round to round."""
    slope_guard: bool
    rca_retries: Annotated[int, Field(ge=0, le=3)]
    """How often a turn is sent back before its agent abstains."""


class InferenceSettings(IntervalSettings):
    resamples: Resamples
    flips: Resamples
    """Monte Carlo draws of every randomisation test."""


class MeasureSettings(Settings):
    movement: Rate
    katz: Annotated[float, Field(ge=0, lt=1)]
    collapse: Annotated[float, Field(gt=0, lt=1)]
    alerts: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1)]
    material: Literal["all", "evidenced"]

    @field_validator("alerts")
    @classmethod
    def _falling(cls, alerts: list[float]) -> list[float]:
        if sorted(set(alerts), reverse=True) != alerts:
            raise ValueError("it must fall from one to the next, as [0.8, 0.65] does")
        return alerts


class DiagnosisSettings(Settings):
    simulations: Count
    """Simulated studies in each row of the design diagnosis."""
    sessions: Count
    debaters: Annotated[list[ModelByName], Field(min_length=2)]
    """Simulated models that debate in them."""
    judge: ModelByName
    """The same of the judge."""
    effects: Annotated[list[float], Field(min_length=1), Once]


class DeliberationSettings(StudySettings):
    """All settings of the deliberation study."""

    draws: Draws
    block_size: Count
    rounds: Annotated[int, Field(ge=1, le=1000)]
    topics: File
    """YAML of topics: question, options, evidence, and the truth where there is one."""
    panel: Annotated[list[Debater], Field(min_length=2), OneOrEachOnce]
    judges: Annotated[list[Judge], Once] = Field(default_factory=list)
    prompts: File
    """YAML of the debaters' prompt."""
    judging: File
    """YAML of the judges' prompts, and of the message to a debater whose turn is rejected."""
    reference: str
    arms: Annotated[Named[ArmSettings], names("an arm's name")]
    control: ControlSettings
    inference: InferenceSettings
    measures: MeasureSettings
    diagnosis: DiagnosisSettings

    @property
    def arm_names(self) -> list[str]:
        return list(self.arms)

    @property
    def compared(self) -> list[str]:
        """The arms in which all see all; the others are baselines and replays without a seat."""
        return [name for name, arm in self.arms.items() if arm.sees == "all" and not arm.without]

    @property
    def treatments(self) -> list[str]:
        """Those of them that the reference is compared with and that are not the reference again.

        That one has no effect that a study could stop by.
        """
        reference = self.arms[self.reference]
        return [name for name in self.compared if self.arms[name] != reference]

    @property
    def again(self) -> str | None:
        """The arm that is the reference once more; None where there is none."""
        reference = self.arms[self.reference]
        others = (name for name in self.compared if name != self.reference)
        return next((name for name in others if self.arms[name] == reference), None)

    @model_validator(mode="after")
    def _names_agree(self) -> DeliberationSettings:
        faults = []
        if self.reference not in self.arms:
            may = f"it may be one of {', '.join(self.arms)}"
            faults.append(fault("reference", self.reference, may))
        elif self.reference not in self.compared:
            may = "it must be an arm in which agents see all turns"
            faults.append(fault("reference", self.reference, may))
        judged = [name for name, arm in self.arms.items() if arm.judged]
        if judged and not self.judges:
            may = f"it needs a model for the arm {judged[0]!r}, whose turns are judged"
            faults.append(fault("judges", self.judges, may))
        if faults:
            raise Faults(*faults)
        return self

    @model_validator(mode="after")
    def _seats_exist(self) -> DeliberationSettings:
        seats = [f"A{seat}" for seat in range(1, len(self.panel) + 1)]
        for name, arm in self.arms.items():
            if arm.without and arm.without not in seats:
                may = f"it may be one of {', '.join(seats)}, the seats of the panel"
                raise Faults(fault(f"arms.{name}.without", arm.without, may))
        return self

    @model_validator(mode="after")
    def _samples_see_nothing(self) -> DeliberationSettings:
        for name, arm in self.arms.items():
            if arm.samples and arm.sees != "nothing":
                may = "only an arm with sees: nothing has samples; the others have rounds"
                raise Faults(fault(f"arms.{name}.samples", arm.samples, may))
        return self

    @model_validator(mode="after")
    def _rounds_suffice(self) -> DeliberationSettings:
        hinted = [name for name, arm in self.arms.items() if arm.hints]
        if hinted and self.rounds < 2:
            may = f"it must be at least 2 for the hints of the arm {hinted[0]!r}"
            raise Faults(fault("rounds", self.rounds, may))
        return self
