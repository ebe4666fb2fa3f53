"""Settings of the language study: config.yaml describes them, or else the text below one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from dissensus.llm.settings import ModelByName
from dissensus.setting_faults import Faults, fault
from dissensus.settings import (
    Count,
    Entries,
    Once,
    OneOrEachOnce,
    Rate,
    Resamples,
    Settings,
    Spelled,
    names,
    without_nulls,
)
from dissensus.study.settings import (
    Debater,
    Draws,
    Embedder,
    File,
    IntervalSettings,
    Mark,
    ProtocolSettings,
    StudySettings,
)


def _one_of(*kinds: str) -> AfterValidator:
    """Accept one of the kinds; one that ends with a colon needs a name after it."""

    def check(name: str) -> str:
        kind, colon, rest = name.partition(":")
        if kind + colon not in kinds or (colon and not rest):
            shown = [kind + "<name>" if kind.endswith(":") else kind for kind in kinds]
            raise ValueError(f"it may be one of {', '.join(shown)}")
        return name

    return AfterValidator(check)


#: Checked by name here, and loaded once when a run starts.
TokenizerName = Annotated[str, _one_of("tekken", "words", "tiktoken:", "hf:")]
Tokenizer = Annotated[TokenizerName, Mark("tokenizer")]
Scale = Literal["z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile"]

#: The four roles that the paper's design assigns models to.
ROLES = ("P1", "P2", "O1", "O2")
#: The purpose of calls for a translation.
TRANSLATING = "translation"


class PoolSettings(Settings):
    motions: File
    """CSV of motions: motion_id, source, tournament, year, round, a motion column a language."""
    codebook: File
    """CSV of the codes that a coder may give, with the domain each stands for."""
    coder_a: File
    """CSV of the first coder's codes: motion_id, code."""
    coder_b: File
    """CSV of the second coder's codes, made without seeing the first's."""
    adjudication: File
    """CSV of the codes settled where the coders disagree: motion_id, code, reason."""
    sources: Annotated[list[str], Field(min_length=1), Once]
    years: Annotated[list[int], Field(min_length=1), Once]
    """Which years' motions to draw from."""


class LanguageCondition(Settings):
    prompts: File
    """YAML of the debate prompt."""
    motion: Annotated[
        str, Spelled(r"^motion_\w+$", "it must be a column of the motions, such as motion_en")
    ]
    """The motions' column in this language."""
    script: Literal["latin", "arabic", "cyrillic", "hangul", "han", "hans", "hant"]
    """The writing system that a speech must be in; hans simplified, hant traditional characters."""


class LanguageProtocolSettings(ProtocolSettings):
    system_message: bool
    words_per_sentence: Count


class Weights(Settings):
    lexical: Rate
    """Of the likeness of words."""
    semantic: Rate
    """Of the likeness of meanings."""

    @model_validator(mode="after")
    def _sum_to_one(self) -> Weights:
        total = self.lexical + self.semantic
        if abs(total - 1) > 1e-9:
            raise ValueError(f"the weights must sum to 1, and sum to {total:g}")
        return self


class MeasureSettings(Settings):
    tokenizer: Tokenizer
    embedder: Embedder
    alternative_tokenizers: Annotated[list[Tokenizer], Once] = Field(default_factory=list)
    alternative_embedders: Annotated[list[Embedder], Once] = Field(default_factory=list)
    """Further embedders, for the specification curve."""
    unit: Literal["turn", "speaker", "side"]
    repetitions: Count
    weights: Weights
    anchors: Annotated[list[Scale], Field(min_length=1), Once]
    clip_z: Annotated[float, Field(gt=0)]
    clip_percentiles: Annotated[list[float], Field(min_length=2, max_length=2)]
    """The reference's percentiles between which clipped_percentile is linear."""
    primary: Scale
    paper_scale: Scale

    @field_validator("clip_percentiles")
    @classmethod
    def _ascending(cls, percentiles: list[float]) -> list[float]:
        if not 0 <= percentiles[0] < percentiles[1] <= 100:
            raise ValueError("it must be two percentiles in ascending order, such as [1, 99]")
        return percentiles

    @model_validator(mode="after")
    def _primary_is_an_anchor(self) -> MeasureSettings:
        for name in ("primary", "paper_scale"):
            if getattr(self, name) not in self.anchors:
                may = f"it may be one of its anchors: {', '.join(self.anchors)}"
                raise Faults(fault(name, getattr(self, name), may))
        return self


class InferenceSettings(IntervalSettings):
    resamples: Resamples
    flips: Resamples
    equivalence_margin: Annotated[float, Field(gt=0, lt=1)]
    saturation_warning: Rate


class InstrumentSettings(Settings):
    translator: Annotated[str, Mark("model", TRANSLATING)] | None = None
    """The model that translates debates to measure the instrument; null: none, but debates of
    simulated models have exact parallels."""
    draws: Count | None = None
    """Draws whose debates are put into the other languages; null for all."""
    prompts: File = "studies/language/prompts/translate.yaml"
    """How a translation is asked for."""


class DiagnosisSettings(Settings):
    simulations: Count
    """Simulated studies in each row of the design diagnosis."""
    draws: Annotated[list[Annotated[int, Field(ge=2)]], Field(min_length=1), Once]
    sessions: Count
    truth_sessions: Count
    debaters: Annotated[list[ModelByName], Field(min_length=len(ROLES))]
    """Simulated models that hold them."""
    recycle: Entries[Annotated[float, Field(gt=0, lt=1)]]
    tokenizer: TokenizerName
    """What the sessions are measured with."""
    embedder: str
    """What the sessions are measured with: one of this machine."""
    effects: Annotated[list[float], Field(min_length=1), Once]
    motion_share: Rate
    """Share of the variance of paired differences between motions that power is computed with."""

    @model_validator(mode="after")
    def _has_a_null(self) -> DiagnosisSettings:
        if "zero" not in self.recycle:
            may = "it must have zero, the probability that the reference recycles with, too"
            raise Faults(fault("recycle", self.recycle, may))
        return self


class LanguageSettings(StudySettings):
    """All settings of the language study."""

    draws: Draws
    block_size: Count
    languages: Annotated[
        dict[str, LanguageCondition],
        Field(min_length=2),
        BeforeValidator(without_nulls),
        names("a language's name"),
    ]
    reference: str
    panel: Annotated[list[Debater], Field(min_length=len(ROLES)), OneOrEachOnce]
    pool: PoolSettings
    protocol: LanguageProtocolSettings
    measures: MeasureSettings
    instrument: InstrumentSettings
    inference: InferenceSettings
    diagnosis: DiagnosisSettings

    @property
    def language_names(self) -> list[str]:
        return list(self.languages)

    @model_validator(mode="after")
    def _names_agree(self) -> LanguageSettings:
        if self.reference not in self.languages:
            names = ", ".join(self.languages)
            raise Faults(fault("reference", self.reference, f"it may be one of {names}"))
        return self
