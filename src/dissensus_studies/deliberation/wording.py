"""The prompt files of the deliberation study: what debaters and judges are told, by part."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dissensus.session.prompt_files import Part, Text, slots

#: Forms that a rejected turn is sent back with, one for each time.
RETRIES = 3

_TOPIC = ("QUESTION", "OPTIONS", "EVIDENCE")


class Topologies(Part):
    emergent: Text
    full: Text
    one_target: Text


class RoundWording(Part):
    """What a debater is told in a round."""

    template: Annotated[
        str,
        slots(
            *("AGENT", *_TOPIC, "TOPOLOGY", "REFERENCING", "TONE", "TRANSCRIPT", "HINT"),
            *("ASSESSMENT", "REPLY"),
            optional=["COUNT", "AGENTS", "ROUNDS", "ROUND"],
        ),
    ]
    option: Annotated[str, slots("OPTION")]
    evidence: Annotated[str, slots("ID", "TEXT")]
    topologies: Topologies
    referencing: Text
    tones: Annotated[list[Text], Field(min_length=1)]
    """Contentiousness in words, in equal steps from 0 to 1."""
    transcript: Annotated[str, slots("TURNS")]
    nothing_yet: Text
    turn: Annotated[
        str,
        slots(
            *("AGENT", "TEXT", "STANCE", "CLAIMS"),
            optional=["ROUND", "PROBABILITIES", "CONFIDENCE", "ENGAGEMENTS"],
        ),
    ]
    abstained: Annotated[str, slots("AGENT", optional=["ROUND"])]
    claim: Annotated[str, slots("ID", "TEXT", optional=["EVIDENCE"])]
    engagement: Annotated[str, slots("CLAIM", optional=["RELATION", "TARGET", "QUOTE"])]
    none: Text
    unknown: Text
    hint: Annotated[str, slots("OPTION", optional=["ROUND"])]
    assessment: Annotated[str, slots("ENTRIES")]
    assessment_entry: Annotated[
        str, slots("AGENT", optional=["CLAIM", "QUALITY", "REASONS", "RIVALS"])
    ]
    reply: Text
    abstaining: Text
    """What is added to that where agents may abstain."""
    repair: Annotated[str, slots("PROBLEMS")]


class JudgingWording(Part):
    """What judges are told, and a debater whose turn they rejected."""

    crit: Annotated[str, slots(*_TOPIC, "TURN", optional=["AGENT"])]
    rca: Annotated[str, slots("QUESTION", "OPTIONS", "TURN", optional=["AGENT", "EVIDENCE"])]
    repair: Annotated[str, slots("PROBLEMS")]
    retries: Annotated[list[Annotated[str, slots("REASON")]], Field(min_length=RETRIES)]
    """Of a rejected turn, one for each time."""
