"""The settings of simulated deliberators, and what they know of a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from dissensus.errors import ResourceError
from dissensus.settings import Rate, Settings, Spelled

from ..design.topics import read_topics

Amount = Annotated[float, Field(ge=0)]
Agent = Annotated[str, Spelled(r"^A[1-9]\d*$", "it must be a seat, such as A2")]


class SpeechSettings(Settings):
    """Settings of a simulated deliberator (``models.<name>.speech``); those of the default run
    are described in resources/simulated.
    """

    role: Literal["debater", "judge"]
    """What it is asked to be."""
    topics: str
    """The topics' YAML, by which a debater knows what the evidence speaks for."""
    opinion: Amount = 2.0
    epsilon: Rate = 0.6
    stubbornness: Rate = 0.3
    heeds: dict[Agent, Amount] = Field(default_factory=dict)
    silence: Rate = 0.3
    yields: Rate = 0.5
    returns: Rate = 0.0
    heat: Annotated[float, Field(ge=-1, le=1)] = 0.5
    noise: Amount = 0.02
    """Standard deviation of what is added to every probability."""
    bad_json_rate: Rate = 0.0
    """Share of first replies whose JSON object is broken."""
    dangling_rate: Rate = 0.0
    ambiguous_rate: Rate = 0.0
    inconsistent_rate: Rate = 0.0
    hint_trust: Rate = 0.5
    recognises: Rate = 0.0
    """Share that it moves towards the topic's truth where another agent holds it."""
    abstains: Rate = 0.15
    """Probability that it abstains, where the prompt says that it may."""
    scoring_sd: Amount = 0.7
    """Standard deviation of a judge's scores, in points of ten."""
    misjudgement_rate: Rate = 0.05
    """Share of turns whose consistency a judge gets wrong."""

    @field_validator("topics")
    @classmethod
    def _exists(cls, topics: str) -> str:
        if not Path(topics).is_file():
            raise ValueError("there is no such file")
        return topics


@dataclass(frozen=True)
class Known:
    """A topic as a debater knows it."""

    topic_id: str
    options: tuple[str, ...]
    evidence: Mapping[str, str]
    supporting: Mapping[str, tuple[str, ...]]
    """Option -> ids of the evidence that speaks for it."""
    truth: str = ""
    """The right option; "" where none is."""

    def unit(self, option: str) -> NDArray[np.float64]:
        """All probability on an option; evenly spread where it is none of the topic's."""
        places = [place for place, label in enumerate(self.options) if label == option]
        shares = np.zeros(len(self.options))
        shares[places or slice(None)] = 1 / (len(places) or len(self.options))
        return shares


def known_topic(path: str, question: str) -> Known:
    """The topic with a question; ResourceError where a file has none."""
    topics = _topics(path)
    if question not in topics:
        raise ResourceError(
            f"{path} has no topic with the question {question!r}, which a simulated debater is "
            "asked; let models.<name>.speech.topics name the study's topics."
        )
    return topics[question]


@cache
def _topics(path: str) -> dict[str, Known]:
    """Question -> topic."""
    return {
        row["question"]: Known(
            row["topic_id"],
            tuple(row["options"]),
            dict(zip(row["evidence_ids"], row["evidence"], strict=True)),
            {
                option: tuple(
                    name
                    for name, side in zip(row["evidence_ids"], row["supports"], strict=True)
                    if side == option
                )
                for option in row["options"]
            },
            row["truth"],
        )
        for row in read_topics(path)
    }
