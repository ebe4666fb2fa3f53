"""Settings of the union study: config.yaml describes them, or else the text below one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.llm.settings import ModelByName
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Count, Once, Rate, Resamples, Settings
from dissensus.study.settings import (
    Debater,
    Embedder,
    File,
    IntervalSettings,
    Judge,
    Mark,
    ProtocolSettings,
    StudySettings,
)


class CorpusSettings(Settings):
    """How speakers' documents are cut and searched."""

    chunk: Annotated[int, Field(ge=200, le=10_000)]
    overlap: Annotated[int, Field(ge=0)]
    """Characters that a chunk shares with the one before it."""
    largest_mb: Annotated[float, Field(gt=0, le=1000)]
    embedder: Embedder
    pool: Annotated[int, Field(ge=1, le=200)]
    diversity: Rate


class UnionProtocol(ProtocolSettings):
    """The protocol of a debate."""

    speech_tokens: Count
    """The most tokens of a speech."""
    short_tokens: Count
    passages: Count
    words: Count
    definitions: bool
    """Whether definitions are taken down, and shown to later speakers and judges."""
    points: bool
    points_a_speech: Annotated[int, Field(ge=0, le=10)]
    accepted: Rate
    accepted_late: Rate
    judging_temperature: Annotated[float, Field(ge=0, le=2)]
    audited: bool


class InferenceSettings(IntervalSettings):
    resamples: Resamples
    """Of permutations, bootstraps and paired randomisations."""


class MapSettings(Settings):
    projection: Literal["umap", "pca"]
    """umap needs the extra map."""
    neighbors: Annotated[int, Field(ge=2)]
    """Nearest claims that umap keeps near each claim."""
    min_dist: Rate
    """Least distance of two claims in the plane, by umap."""
    min_cluster: Annotated[int, Field(ge=2)]
    """The fewest claims of a cluster."""
    namer: Annotated[str, Mark("model", "name")] | None = None
    """Names the clusters; without one, their names are their commonest terms."""


class PeopleSettings(Settings):
    """Who speaks and judges in the debates of the design diagnosis."""

    speaker: ModelByName
    assistant: ModelByName
    annotator: ModelByName
    judges: Annotated[list[ModelByName], Field(min_length=1, max_length=3)]
    coach: ModelByName


class DiagnosisSettings(Settings):
    simulations: Count
    """Simulated studies in each row of the design diagnosis."""
    pairs: Count
    people: PeopleSettings
    coached: Annotated[list[Annotated[float, Field(ge=-10, le=10)]], Field(min_length=1), Once]
    gains: Annotated[list[Annotated[float, Field(ge=-1, le=1)]], Field(min_length=1), Once]


class UnionSettings(StudySettings):
    """All settings of the union study."""

    motions: File
    speakers: str
    epochs: Annotated[int, Field(ge=1, le=100)]
    runs: Annotated[int, Field(ge=1, le=1000)]
    arms: Annotated[list[Literal["coached", "control"]], Field(min_length=1), Once]
    speaker_model: Debater
    extractor: Annotated[str, Mark("model", "extract")]
    interjector: Annotated[str, Mark("model", "interject")]
    annotator: Annotated[str, Mark("model", "annotate")]
    # As many as dissensus_studies.union.protocol.floor.SEATS: one more would never be asked.
    judges: Annotated[list[Judge], Field(min_length=1, max_length=3)]
    coach: Annotated[str, Mark("model", "coach")]
    prompts: File
    judging: File
    layers: Annotated[
        list[Literal["panel", "annotation", "rubric", "audit"]], Field(min_length=1), Once
    ]
    corpus: CorpusSettings
    protocol: UnionProtocol
    inference: InferenceSettings
    map: MapSettings
    diagnosis: DiagnosisSettings

    @field_validator("corpus")
    @classmethod
    def _overlap_is_less(cls, corpus: CorpusSettings) -> CorpusSettings:
        if corpus.overlap >= corpus.chunk:
            raise ValueError("overlap must be less than chunk")
        return corpus

    @field_validator("judges")
    @classmethod
    def _no_judge_is_all(cls, judges: list[str]) -> list[str]:
        if "all" in judges:
            raise ValueError(
                "'all' stands for all judges in the tables; give that model another name"
            )
        return judges

    @model_validator(mode="after")
    def _pool_has_the_passages(self) -> UnionSettings:
        pool, passages = self.corpus.pool, self.protocol.passages
        if passages > pool:
            may = f"corpus.pool, which they are drawn from, has {pool}; it must have as many"
            raise Faults(fault("protocol.passages", passages, may))
        return self

    def files(self) -> dict[str, str]:
        """Setting -> the file that it names, which must exist; each document of a corpus is one."""
        from .speakers import documents

        paths = enumerate(documents(Path(self.speakers)))
        return super().files() | {f"speakers.{number}": str(path) for number, path in paths}
