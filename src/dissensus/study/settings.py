"""What the settings of every study have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, Field, model_validator

from dissensus.setting_faults import Faults, fault
from dissensus.settings import Confidence, Count, Settings


@dataclass(frozen=True)
class Mark:
    """What a text names: stands in the type of a setting, of the entries of a list or a mapping.

    Attributes
    ----------
    kind : "model", "file", "embedder" or "tokenizer".
    purpose : of the calls to a model; "" for the setting's name, or "debate" where no other
        setting names a model.
    """

    kind: str
    purpose: str = ""


#: A setting that names a model of the configuration; also as ``list[Model]``.
Model = Annotated[str, Mark("model")]
#: The same of those who debate.
Debater = Annotated[str, Mark("model", "debate")]
#: The same of those who judge debates.
Judge = Annotated[str, Mark("model", "judge")]
#: A setting that names a file; also as ``list[File]``.
File = Annotated[str, Mark("file")]
#: A setting that names an embedder that a run uses.
Embedder = Annotated[str, Mark("embedder")]


@dataclass(frozen=True)
class Marked:
    """A setting whose type has a mark.

    Attributes
    ----------
    path : in the block.
    purpose : of its mark.
    texts : path of a text -> the text; one where the setting is no list and no mapping.
    """

    path: str
    purpose: str
    texts: dict[str, str]


def marked(settings: Settings, kind: str, before: str = "") -> Iterator[Marked]:
    """The settings that have a mark of a kind in their types and are not null, in their order.

    Parameters
    ----------
    settings : a block, with all blocks in it.
    before : how paths begin.
    """
    for name, all_marks in _marks_of(type(settings)).items():
        path, value = f"{before}{name}", getattr(settings, name)
        # Most settings have neither, and a configuration is walked through several times.
        if not all_marks and not isinstance(value, Settings | list | dict):
            continue
        listed = dict(enumerate(value)) if isinstance(value, list) else value
        entries = listed if isinstance(listed, dict) else {"": value}
        inner = {f"{path}.{key}" if key != "" else path: entry for key, entry in entries.items()}
        marks = [mark for mark in all_marks if mark.kind == kind]
        if marks and value is not None:
            yield Marked(path, marks[0].purpose, inner)
        for where, entry in inner.items():
            if isinstance(entry, Settings):
                yield from marked(entry, kind, f"{where}.")


@cache
def _marks_of(block: type[Settings]) -> dict[str, tuple[Mark, ...]]:
    """The marks of each setting of a block, in their order; every job of a run asks for them."""
    fields = block.model_fields.items()
    return {name: tuple(_marks((field.annotation, *field.metadata))) for name, field in fields}


def _marks(kinds: tuple[Any, ...]) -> Iterator[Mark]:
    """The marks in types, in those of their entries, and in what they are where they are set."""
    for kind in kinds:
        if isinstance(kind, Mark):
            yield kind
        yield from _marks((*get_args(kind), *getattr(kind, "__metadata__", ())))


def _few_enough(draws: int) -> int:
    if draws > MOST_DRAWS:
        raise ValueError(
            f"it must be at most {MOST_DRAWS}, since each draw has sessions, and these have files"
        )
    return draws


#: Draws that a study may have.
MOST_DRAWS = 100_000
Draws = Annotated[int, Field(ge=1), AfterValidator(_few_enough)]
Temperature = Annotated[float, Field(ge=0, le=2)]
#: How often a reply may be asked for again.
Repairs = Annotated[int, Field(ge=0, le=1000)]


class ProtocolSettings(Settings):
    """How models are asked, and how often a session is tried."""

    temperature: Temperature
    """Temperature of calls that set none of their own, 0 to 2."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """The share of probability that tokens are drawn from; null leaves it to the provider."""
    max_tokens: Count
    """Tokens of a reply at most."""
    repairs: Repairs
    """How often a reply that cannot be read, or breaks a rule of its format, is asked for again."""
    session_attempts: Count
    """How often a session is tried before it has failed for good."""
    session_deadline_s: Annotated[float, Field(gt=0)] | None = None
    """Seconds of waiting for models that an attempt at a session may take; null for no limit."""


class IntervalSettings(Settings):
    """Base of what a study's inference is told."""

    confidence: Confidence
    """Level of the intervals; one minus it is that of the tests."""


class StopSettings(Settings):
    """When a study stops: draws come in random order, and after each block it is looked at."""

    half_width: Annotated[float, Field(gt=0)] | None = None
    """Stop when the interval of every headline contrast is as narrow: half its width at most."""
    alpha: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    """Stop when the evidence for every headline contrast suffices at this level, after Holm."""
    most: Draws | None = None
    """Draws at most, in whole blocks; null for all that the other settings give."""

    @model_validator(mode="after")
    def _one_rule(self) -> StopSettings:
        if (self.half_width is None) == (self.alpha is None):
            may = "one of alpha and half_width must be set, and not both, such as alpha to 0.05"
            raise Faults(fault("alpha", self.alpha, may))
        return self


class StudySettings(Settings):
    """Base of a study's block."""

    protocol: ProtocolSettings
    stop: StopSettings | None = None
    """When the study stops before all its draws are run; null: never."""

    def files(self) -> dict[str, str]:
        """Path of a setting -> the file that it names, which must exist."""
        return {path: text for each in marked(self, "file") for path, text in each.texts.items()}


def pick(settings: Settings, paths: Sequence[str]) -> dict[str, Any]:
    """Path -> value, of some settings of a block.

    Parameters
    ----------
    settings : the block.
    paths : such as ``inference.confidence``; each may name a property too.
    """
    picked = {}
    for path in paths:
        value: Any = settings
        for name in path.split("."):
            value = getattr(value, name)
        picked[path] = value
    return picked


def plain(value: Any) -> Any:
    """Settings as plain data, which Snakemake can compare and keep."""
    if isinstance(value, Settings):
        return value.model_dump()
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value
