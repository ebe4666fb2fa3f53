"""Settings that say who made a run, what is registered of it, and which finding it confirms."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from dissensus.settings import Settings, Spelled


def _as_text(value: Any) -> Any:
    """A date as YAML reads it, as the text that it was."""
    return value.isoformat() if isinstance(value, date) else value


def _a_date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("it must be a date such as 2026-11-27") from None


Day = Annotated[str, BeforeValidator(_as_text), AfterValidator(_a_date)]


#: What a run's data may be used for.
Licence = Annotated[
    str,
    Spelled(
        r"^(https://\S+|[A-Za-z0-9][A-Za-z0-9.+-]*)$",
        "it must be a name of SPDX such as CC-BY-4.0, or an address that begins with https://",
    ),
]


class CreatorSettings(Settings):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    """Of a person."""
    orcid: (
        Annotated[
            str,
            Spelled(
                r"^https://orcid\.org/(\d{4}-){3}\d{3}[\dX]$",
                "it must be an address such as https://orcid.org/0000-0000-0000-0000",
            ),
        ]
        | None
    ) = None
    """The person's ORCID iD, as an address."""


class RegistrationSettings(Settings):
    """What a study's plan says besides what the study declares. The author's word, as it is."""

    hypothesis: Annotated[str, Field(max_length=2000)] | None = None
    """What is expected of the primary outcome, in a sentence."""
    direction: Literal["greater", "less"] | None = None
    """Whether the difference of the primary outcome is expected above or below 0."""
    looked_at: list[Annotated[str, Field(min_length=1, max_length=2000)]] = Field(
        default_factory=list
    )
    """What was known before: pilots, other runs, published results; a sentence each."""


class EligibleSettings(Settings):
    """Which models may confirm what a run finds. Its plan has it."""

    released_after: Day | None = None
    """The date after which the model must have been released, such as 2026-11-27."""
    first_of_family: bool = False
    """Whether it must be the first of its family that the design is run on."""

    @property
    def words(self) -> str:
        """The condition as a sentence."""
        asked = [f"was released after {self.released_after}"] if self.released_after else []
        asked += ["is the first of its family"] if self.first_of_family else []
        return f"A model that {' and '.join(asked)}." if asked else "Any model."


class ConfirmSettings(Settings):
    """The registered run whose finding is tried on another model."""

    run: str
    """Its name, as under results/."""
    model: Annotated[str, Field(min_length=1, max_length=300)]
    """What the model is, in words of your own; printed as you declare it."""
    released: Day
    """When it was released, as you declare it."""
    first_of_family: bool = False
    """Whether it is the first of its family, as you declare it."""

    def unmet(self, condition: EligibleSettings) -> list[str]:
        """What of a condition the model does not meet by what is declared of it, in sentences."""
        reasons = []
        after = condition.released_after
        if after and self.released <= after:
            reasons.append(f"it was released on {self.released}, which is not after {after}")
        if condition.first_of_family and not self.first_of_family:
            reasons.append("it is not declared to be the first of its family")
        return reasons
