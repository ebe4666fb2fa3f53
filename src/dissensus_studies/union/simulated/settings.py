"""The settings of the simulated people of the union study (``models.<name>.speech``)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dissensus.settings import Entries, Rate, Settings

Real = float
Amount = Annotated[float, Field(ge=0)]
Side = Literal["proposition", "opposition"]
Kind = Literal["evidence_backed", "principled", "assertion"]


class SpeechSettings(Settings):
    """Settings of a simulated speaker, assistant, annotator, judge or coach; those of the default
    run are described in resources/simulated.
    """

    role: Literal["speaker", "assistant", "annotator", "judge", "coach"]
    """What it is asked to be; the other settings are each of one role."""

    # A speaker.
    strengths: Entries[Real] = Field(default_factory=dict)
    sides: dict[Side, Real] = Field(default_factory=dict)
    coached: Real = 0.0
    claims: Annotated[float, Field(ge=1, le=8)] = 5.0
    """Mean number of claims in a speech."""
    answers: Annotated[float, Field(ge=0, le=8)] = 3.0
    """Mean number of claims of the other side that a speech answers."""
    recency: Amount = 0.5
    """How much less a claim is answered for each speech that it is older."""
    hardness: dict[Kind, Real] = Field(default_factory=dict)
    guard: Amount = 0.0
    own_claim: Rate = 0.4
    """Share of answers that are made by a claim of the speech."""
    off_length_rate: Rate = 0.03

    # An assistant: extraction, definitions, points of information.
    rises: Rate = 0.3
    """Probability of an offer at an argument."""
    bad_json_rate: Rate = 0.0
    """Share of first structured replies that are broken."""

    # An annotator.
    missed: Rate = 0.05
    """Share of claims, and of rebuttals, that are not found."""
    wrong_kind: Rate = 0.05
    """Share of claims whose kind is wrong."""
    wrong_answer: Rate = 0.05
    """Share of the three answers about a rebuttal that are wrong."""
    one_direction: Rate = 0.0
    """Share of requests for rebuttals by the opposition that find none."""
    cured: Rate = 0.5
    """Share of these that find them when asked again."""
    scoring_sd: Amount = 0.7
    """Standard deviation of what is added to a score."""
    bad_ranks_rate: Rate = 0.05
    """Share of first recalibrations that break their rules."""

    # A judge.
    sharpness: Amount = 0.25
    slot_bias: Real = 0.0
    length_bias: Real = 0.0
    side_bias: Real = 0.0
    unreadable_rate: Rate = 0.0
    """Share of votes that cannot be read."""
