"""The settings of the union study; the comments of config.yaml say the same to its users."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.llm.settings import ModelByName
from dissensus.settings import (
    Confidence,
    Count,
    Faults,
    Once,
    Rate,
    Resamples,
    Settings,
    fault,
)
from dissensus.study.settings import ProtocolSettings, StudySettings


class CorpusSettings(Settings):
    """How speakers' documents are cut and searched."""

    chunk: Annotated[int, Field(ge=200, le=10_000)]
    """Most characters of a chunk."""
    overlap: Annotated[int, Field(ge=0)]
    """Characters that a chunk shares with the one before it."""
    largest_mb: Annotated[float, Field(gt=0, le=1000)]
    """A larger document is refused."""
    embedder: str
    """The run's embedder of passages and of claims."""
    pool: Annotated[int, Field(ge=1, le=200)]
    """Passages found for each speaker and motion."""
    diversity: Rate
    """0: the nearest passages; towards 1, those that are least alike."""


class UnionProtocol(ProtocolSettings):
    """The protocol of a debate."""

    speech_tokens: Count
    """The most tokens of a speech."""
    short_tokens: Count
    """The same of arguments, definitions, points of information, scores and votes; max_tokens is
    that of all other replies: styles, notes, claims, rebuttals and memos."""
    passages: Count
    """Passages that a speaker is given in a run, drawn from the pool."""
    words: Count
    """Words that a speech is asked for."""
    definitions: bool
    """Whether definitions are taken down, and shown to later speakers and judges."""
    points: bool
    """Whether there are points of information."""
    points_a_speech: Annotated[int, Field(ge=0, le=10)]
    """The most points of information that a speech is offered."""
    accepted: Rate
    """Probability that an offer is accepted."""
    accepted_late: Rate
    """The same for the last speaker of each side."""
    judging_temperature: Annotated[float, Field(ge=0, le=2)]
    """Of the panel; everything else that judges do has the temperature 0."""
    audited: bool
    """Whether a second panel judges with the sides stated, and with them exchanged."""


class InferenceSettings(Settings):
    confidence: Confidence
    resamples: Resamples
    """Of permutations, bootstraps and paired randomisations."""


class MapSettings(Settings):
    projection: Literal["umap", "pca"]
    """umap needs the extra map."""
    neighbors: Annotated[int, Field(ge=2)]
    min_dist: Rate
    min_cluster: Annotated[int, Field(ge=2)]
    namer: str | None = None
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
    """Pairs of debates that are held for every motion, from which the studies are drawn."""
    people: PeopleSettings
    coached: Annotated[list[Annotated[float, Field(ge=-10, le=10)]], Field(min_length=1), Once]
    """What a coach's advice adds to a student's strength, in logits; 0 is always among them."""
    gains: Annotated[list[Annotated[float, Field(ge=-1, le=1)]], Field(min_length=1), Once]
    """Gains, as shares, of which the tables of estimates give the power."""


class UnionSettings(StudySettings):
    """All settings of the union study."""

    motions: str
    """YAML of the motions, each with its speakers by side, and the students among them."""
    speakers: str
    """Folder of the speakers' corpora."""
    epochs: Annotated[int, Field(ge=1, le=100)]
    runs: Annotated[int, Field(ge=1, le=1000)]
    """Debates of an epoch, in each arm and on each motion."""
    arms: Annotated[list[Literal["coached", "control"]], Field(min_length=1), Once]
    speaker_model: str
    extractor: str
    """Extracts styles, arguments and definitions."""
    interjector: str
    """Offers and answers points of information."""
    annotator: str
    """Lists claims and rebuttals, scores by the rubric."""
    # As many as dissensus.union.protocol.floor.SEATS: one more would never be asked.
    judges: Annotated[list[str], Field(min_length=1, max_length=3)]
    """The panel; three seats are filled in turn, so that one model may have several."""
    coach: str
    prompts: str
    judging: str
    layers: Annotated[
        list[Literal["panel", "annotation", "rubric", "audit"]], Field(min_length=1), Once
    ]
    """Layers that may give the verdict, the first that decides counts."""
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
        from dissensus.union.speakers import documents

        named = {name: getattr(self, name) for name in ("motions", "prompts", "judging")}
        paths = documents(Path(self.speakers))
        return named | {f"speakers.{number}": str(path) for number, path in enumerate(paths)}
