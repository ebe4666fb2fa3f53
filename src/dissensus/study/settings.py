"""What the settings of every study have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from dissensus.settings import Confidence, Count, Settings


def _few_enough(draws: int) -> int:
    if draws > _MOST_DRAWS:
        raise ValueError(
            f"it must be at most {_MOST_DRAWS}, since each draw has sessions, and these have files"
        )
    return draws


_MOST_DRAWS = 100_000
Draws = Annotated[int, Field(ge=1), AfterValidator(_few_enough)]


class ProtocolSettings(Settings):
    """How models are asked, and how often a session is tried."""

    temperature: Annotated[float, Field(ge=0, le=2)]
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """The share of probability that tokens are drawn from; null leaves it to the provider."""
    max_tokens: Count
    repairs: Annotated[int, Field(ge=0, le=1000)]
    session_attempts: Count
    session_deadline_s: Annotated[float, Field(gt=0)] | None = None


class IntervalSettings(Settings):
    """Base of what a study's inference is told."""

    confidence: Confidence
    """Level of the intervals; one minus it is that of the tests."""


class StudySettings(Settings):
    """Base of a study's block."""

    protocol: ProtocolSettings

    def files(self) -> dict[str, str]:
        """Path of a setting -> the file that it names, which must exist."""
        return {}
