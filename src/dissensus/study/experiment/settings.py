"""The settings that an experiment has without saying so, and those that name models and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

from dissensus.settings import Confidence, Count, Resamples, Settings
from dissensus.study.settings import Draws, ProtocolSettings, StudySettings

_MODEL, _FILE = "names a model", "names a file"

#: A setting that names a model of the configuration; also as ``list[Model]``.
Model = Annotated[str, _MODEL]
#: A setting that names a file, which items are read from; also as ``list[File]``.
File = Annotated[str, _FILE]


class InferenceSettings(Settings):
    """How arms are compared."""

    confidence: Confidence = 0.95
    """Level of the intervals."""
    flips: Resamples = 10_000
    """Sign patterns of the randomisation test."""


class ExperimentSettings(StudySettings):
    """Base of an experiment's block; its own fields are what its sessions may depend on."""

    draws: Draws | None = None
    """How many of the items are drawn, in the order in which they are given; null for all."""
    repeats: Count = 1
    """How often each item is drawn."""
    block_size: Count = 25
    """Draws that are kept together in one temporal block."""
    inference: InferenceSettings = InferenceSettings()
    protocol: ProtocolSettings = ProtocolSettings(
        temperature=1.0, max_tokens=1000, repairs=2, session_attempts=2
    )

    def files(self) -> dict[str, str]:
        """Path of a setting -> the file that it names."""
        return dict(marked(self, _FILE))


class OneModel(ExperimentSettings):
    """The settings of an experiment that declares none: one model speaks."""

    model: Model


def models_of(settings: ExperimentSettings) -> dict[str, list[str]]:
    """Field of the settings -> the models that it names."""
    named: dict[str, list[str]] = {}
    for path, value in marked(settings, _MODEL):
        named.setdefault(path.partition(".")[0], []).append(value)
    return named


def marked(settings: Settings, mark: str) -> Iterator[tuple[str, str]]:
    """Path and text of every setting whose type has a mark, entries of lists by their number."""
    for name, kind in _kinds(type(settings)):
        value = getattr(settings, name)
        if mark not in _marks(kind) or value is None:
            continue
        if isinstance(value, str):
            yield name, value
        else:
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            yield from ((f"{name}.{key}", text) for key, text in entries)


def _kinds(settings: type[Settings]) -> Iterator[tuple[str, Any]]:
    """Every field with its type, annotations and all."""
    for name, field in settings.model_fields.items():
        metadata = tuple(field.metadata)
        yield name, Annotated[field.annotation, *metadata] if metadata else field.annotation


def _marks(kind: Any) -> set[str]:
    """The marks of a type, of its entries where it is a list, of what it is where it is set."""
    marks = {mark for mark in getattr(kind, "__metadata__", ()) if isinstance(mark, str)}
    inner = get_args(kind) if get_origin(kind) is not None else ()
    return marks.union(*(_marks(each) for each in inner if not isinstance(each, str)))
