"""What the replies of the union study's structured calls must be."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field, field_validator, model_validator

from dissensus.session.replies import JsonReply, Lenient
from dissensus.text.words import split_words

Words = Annotated[str, Field(pattern=r"\S")]
Model = TypeVar("Model", bound=BaseModel)
Score = Annotated[float, Field(ge=1, le=10, allow_inf_nan=False)]


class Style(Lenient):
    """How a speaker speaks."""

    #: A base class of pydantic's has ``register`` for itself.
    manner: Words = Field(alias="register")
    opening_patterns: Annotated[list[Words], Field(min_length=1)]
    devices: Annotated[list[Words], Field(min_length=1)]
    disagreement_style: Words
    signature_phrases: Annotated[list[Words], Field(min_length=1)]
    closing_patterns: Annotated[list[Words], Field(min_length=1)]


class Argument(Lenient):
    point: Words


class Extraction(Lenient):
    """The parts of a speech, in its order."""

    arguments: list[Argument]
    tone: str = ""
    devices: list[str] = Field(default_factory=list)


class Offer(Lenient):
    """A point of information, and the argument at which it is offered, from 1."""

    argument: int
    point: Words


class Offers(Lenient):
    offers: list[Offer]


class Term(Lenient):
    term: Words
    definition: Words


class Definitions(Lenient):
    """What the first speech means by the motion."""

    terms: list[Term]
    scope: Words
    exclusions: list[Words] = Field(default_factory=list)
    framing: Words


class Contest(Lenient):
    """What the other side's first speech makes of the definitions."""

    accepted: list[Words] = Field(default_factory=list)
    contested: list[Words] = Field(default_factory=list)
    counter_framing: str = ""


class Rubric(Lenient):
    argument_strength: Score
    rebuttal_quality: Score
    evidence_grounding: Score
    rhetorical_effectiveness: Score
    persona_fidelity: Score


class Recalibrated(Lenient):
    """A speech's place among all speeches of the debate."""

    speech: int
    rank: int
    score: Score


class Recalibration(Lenient):
    speeches: list[Recalibrated]

    @model_validator(mode="after")
    def _spread(self) -> Recalibration:
        count = len(self.speeches)
        if sorted(speech.speech for speech in self.speeches) != list(range(1, count + 1)):
            raise ValueError("every speech must have one entry, numbered from 1")
        if sorted(speech.rank for speech in self.speeches) != list(range(1, count + 1)):
            raise ValueError(f"the ranks must be 1 to {count}, each once")
        scores = [speech.score for speech in sorted(self.speeches, key=lambda speech: speech.rank)]
        if scores != sorted(scores, reverse=True):
            raise ValueError("a better rank must not have a lower score")
        if scores and scores[0] - scores[-1] < 2:
            raise ValueError("the best and the worst score must be at least 2 apart")
        return self


class FoundClaim(Lenient):
    """A claim of one speech, in its order."""

    text: Words
    type: Literal["evidence_backed", "principled", "assertion"]
    specific: bool


class FoundClaims(Lenient):
    claims: list[FoundClaim]


class FoundRebuttal(Lenient):
    """``target`` and ``by`` name claims, such as 2.3; ``by`` is "" where no claim makes it."""

    target: Words
    by: str = ""
    speech: int
    logic: bool
    new: bool
    undermines: bool


class FoundRebuttals(Lenient):
    rebuttals: list[FoundRebuttal]


class BlindVote(Lenient):
    winner: Literal["A", "B"]
    reason: str = ""


class LabelledVote(Lenient):
    winner: Literal["Proposition", "Opposition"]
    reason: str = ""


class Memo(Lenient):
    """What one student is told before the next epoch."""

    worked: list[Words]
    failed: list[Words]
    missed: list[Words]
    advice: Annotated[list[Words], Field(min_length=1)]


class ClusterName(Lenient):
    """Three to six words that name a cluster of claims, and one sentence on it."""

    name: Words
    description: str = ""

    @field_validator("name")
    @classmethod
    def _three_to_six(cls, name: str) -> str:
        length = len(split_words(name))
        if not 3 <= length <= 6:
            raise ValueError(f"must have three to six words, and has {length}")
        return name


def read(model: type[Model], text: str) -> Model | None:
    """What a structured reply says; None where it cannot be read."""
    return JsonReply(model).read(text).value
