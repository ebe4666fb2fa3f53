"""The settings of the simulated people of the union study (``models.<name>.speech``)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dissensus.settings import Rate, Settings

Real = float
Amount = Annotated[float, Field(ge=0)]
Side = Literal["proposition", "opposition"]
Kind = Literal["evidence_backed", "principled", "assertion"]


class SpeechSettings(Settings):
    """Settings of a simulated speaker, assistant, annotator, judge or coach."""

    role: Literal["speaker", "assistant", "annotator", "judge", "coach"]

    # A speaker.
    strengths: dict[str, Real] = Field(default_factory=dict)
    """Strength of speakers by name, in logits; 0 for all others."""
    sides: dict[Side, Real] = Field(default_factory=dict)
    """What a side adds to the strength of its speakers, in logits."""
    coached: Real = 0.0
    """What a coach's advice adds to a speaker's strength, in logits."""
    claims: Annotated[float, Field(ge=1, le=8)] = 5.0
    """Mean number of claims in a speech."""
    answers: Annotated[float, Field(ge=0, le=8)] = 3.0
    """Mean number of claims of the other side that a speech answers."""
    recency: Amount = 0.5
    """How much less a claim is answered for each speech that it is older."""
    hardness: dict[Kind, Real] = Field(default_factory=dict)
    """What a claim of a kind takes from the odds that an answer to it succeeds, in logits."""
    guard: Amount = 0.0
    """What a claim whose objections are met in advance takes from those odds, in logits."""
    own_claim: Rate = 0.4
    """Share of answers that are made by a claim of the speech."""
    off_length_rate: Rate = 0.03
    """Share of speeches that are far too short or too long."""

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
    """Logits for a point more in the tally of what was read."""
    slot_bias: Real = 0.0
    """Logits for slot A."""
    length_bias: Real = 0.0
    """Logits for a thousand words more."""
    side_bias: Real = 0.0
    """Logits for the label Proposition, where labels are stated."""
    unreadable_rate: Rate = 0.0
    """Share of votes that cannot be read."""
