"""Settings of the identity study: config.yaml describes them, or else the text below one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.setting_faults import Faults, fault
from dissensus.settings import Count, Named, NameRule, Once, Resamples, Settings, names
from dissensus.study.settings import Debater, File, IntervalSettings, StudySettings

from .design.graph import peers_in

#: Of banks and teams, which ids join.
_NAME = NameRule(r"[A-Za-z0-9-]+", "plain letters (a to z, A to Z), digits and - only")
#: What a team may run beside the two conditions.
Control = Literal["again", "swapped", "own", "others", "refined", "sampled"]
#: How a source that is no file begins.
HUB = "datasets:"


class BankSettings(Settings):
    format: Literal["dissensus", "gpqa", "mmlu", "hellaswag", "gsm8k"]
    """Whose columns it has; dissensus is the project's own."""
    source: File
    """A file (.csv, .jsonl, .json, .parquet) or datasets:<hub name>[/<config>][:<split>]."""
    questions: Count | None = None
    """How many of them to draw at random; null for all."""

    @field_validator("source")
    @classmethod
    def _can_be_read(cls, source: str) -> str:
        endings = (".csv", ".jsonl", ".json", ".parquet")
        if source.startswith(HUB):
            name = source.removeprefix(HUB).partition(":")[0]
            if not all(name.split("/")) or name.count("/") > 2:
                raise ValueError("it must be datasets:<hub name>[/<config>][:<split>]")
        elif not source.endswith(endings):
            raise ValueError(f"it must end with one of {', '.join(endings)}, or begin with {HUB}")
        return source


class TeamSettings(Settings):
    model: Debater
    """One of models; every agent of the team is this one."""
    personas: bool = False
    """Whether each agent has a persona."""
    graph: str | dict[int, list[int]] = "ring"
    """Who sees whom: ring, full, star, or agent -> its peers, such as {1: [2], 2: [1, 3], ...}."""
    banks: Annotated[list[str], Field(min_length=1), Once] | None = None
    """The banks whose questions it debates; null for all."""
    controls: Annotated[list[Control], Once] = Field(default_factory=list)
    """What it runs beside vanilla and anonymized: again, swapped, own, others, refined, sampled."""

    def debates(self, bank: str) -> bool:
        """Whether it debates the questions of a bank."""
        return self.banks is None or bank in self.banks

    @field_validator("graph", mode="before")
    @classmethod
    def _lists(cls, graph: Any) -> Any:
        """Agents as numbers, since JSON makes every key a text."""
        if isinstance(graph, str):
            return graph
        may = "it may be ring, full, star, or the peers of each agent such as {1: [2], 2: [1]}"
        try:
            return {_whole(agent): [_whole(peer) for peer in graph[agent]] for agent in graph}
        except (IndexError, TypeError, ValueError):
            raise ValueError(may) from None


def _whole(number: Any) -> int:
    """A whole number, which may come as a text."""
    if isinstance(number, bool) or not isinstance(number, int | str):
        raise TypeError
    return int(number)


class InferenceSettings(IntervalSettings):
    resamples: Resamples
    goodness_resamples: Annotated[int, Field(ge=19, le=1_000_000)]
    equivalence_margin: Annotated[float, Field(gt=0, lt=1)]
    ibc_noise: Annotated[float, Field(gt=0, lt=1)]


class DiagnosisSettings(Settings):
    replicates: Count
    """Simulated studies in each scenario of the design diagnosis."""
    questions: Annotated[int, Field(ge=2, le=1_000_000)]
    """Questions in each simulated study."""


class IdentitySettings(StudySettings):
    """All settings of the identity study."""

    banks: Annotated[Named[BankSettings], names("a name", _NAME)]
    agents: Annotated[int, Field(ge=2, le=100)]
    """Agents of a team."""
    rounds: Annotated[int, Field(ge=1, le=1000)]
    shard: Count
    teams: Annotated[Named[TeamSettings], names("a name", _NAME)]
    samples: Count | None = None
    prompts: File
    """YAML of the debate prompts."""
    personas: File
    """YAML of the personas: name -> system message."""
    inference: InferenceSettings
    diagnosis: DiagnosisSettings

    def files(self) -> dict[str, str]:
        """Setting -> the file that it names, which must exist."""
        named = super().files().items()
        return {path: file for path, file in named if not file.startswith(HUB)}

    @field_validator("banks")
    @classmethod
    def _all_is_all(cls, banks: dict[str, Any]) -> dict[str, Any]:
        if "all" in banks:
            raise Faults("all cannot be a bank's name; it stands for all banks together.")
        return banks

    @model_validator(mode="after")
    def _teams_fit(self) -> IdentitySettings:
        bank_names = ", ".join(self.banks)
        wrong = []
        for name, team in self.teams.items():
            lost = [bank for bank in team.banks or () if bank not in self.banks]
            if lost:
                wrong.append(fault(f"teams.{name}.banks", lost[0], f"banks has {bank_names}"))
            try:
                peers_in(team.graph, self.agents)
            except ValueError as error:
                wrong.append(fault(f"teams.{name}.graph", team.graph, str(error)))
        if wrong:
            raise Faults(*wrong)
        return self

    @model_validator(mode="after")
    def _ids_differ(self) -> IdentitySettings:
        """Team ``a`` with bank ``b-c`` and team ``a-b`` with bank ``c`` would share their ids."""
        seen: dict[str, str] = {}
        for name, team in self.teams.items():
            for bank in filter(team.debates, self.banks):
                other = seen.setdefault(f"{name}-{bank}", name)
                if other != name:
                    may = f"{name}-{bank} would name sessions of team {other!r} too; rename one"
                    raise Faults(fault("teams", list(self.teams), may))
        return self
