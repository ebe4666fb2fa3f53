"""The topics: what is deliberated, between which options, on what evidence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from dissensus.errors import ResourceError, SettingError
from dissensus.setting_faults import Faults, fault
from dissensus.settings import PLAIN_ID, Line, Settings, Text, validate
from dissensus.tables.artefact import Schema
from dissensus.tables.common import flag, text, texts
from dissensus.user_files import read_yaml

TOPICS = Schema(
    name="topics",
    row="topic",
    columns={
        "topic_id": text("Name of the topic; see the artefact topics."),
        "title": text("Short heading for tables and figures."),
        "question": text("What is deliberated, as the prompts state it."),
        "options": texts("Labels of the possible answers, in order."),
        "ordered": flag("Whether the order of the options has a meaning."),
        "truth": text("The right option; empty where none is."),
        "evidence_ids": texts("Ids of the items of evidence."),
        "evidence": texts("Text of each item of evidence."),
        "supports": texts("Option that each item of evidence speaks for; empty where for none."),
        "source": text("File that the topic was read from."),
    },
    key=("topic_id",),
)

_Id = Annotated[str, PLAIN_ID]
# A label stands in lines of its own in prompts and replies.


class EvidenceEntry(Settings):
    id: _Id
    text: Text
    supports: Line | None = None
    """The option that it speaks for; null for none of them."""


class TopicEntry(Settings):
    id: _Id
    title: Text
    question: Text
    options: Annotated[list[Line], Field(min_length=2)]
    ordered: bool
    """Whether the options have an order, in which they are listed."""
    truth: Line | None
    """The option that is right; null where none is."""
    evidence: list[EvidenceEntry]

    @model_validator(mode="after")
    def _labels_agree(self) -> TopicEntry:
        folded = [" ".join(option.casefold().split()) for option in self.options]
        if len(set(folded)) < len(folded):
            raise Faults(fault("options", self.options, "no two may be alike but for capitals"))
        allowed = f"it may be one of the options, or null: {', '.join(self.options)}"
        if self.truth is not None and self.truth not in self.options:
            raise Faults(fault("truth", self.truth, allowed))
        seen: set[str] = set()
        for number, item in enumerate(self.evidence):
            if item.supports is not None and item.supports not in self.options:
                raise Faults(fault(f"evidence.{number}.supports", item.supports, allowed))
            if item.id in seen:
                may = "another item of this topic has that id; ids must be unique"
                raise Faults(fault(f"evidence.{number}.id", item.id, may))
            seen.add(item.id)
        return self


def collect(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Any]]]:
    """The topics of a run; see :class:`dissensus.study.study.Source`."""
    return {"topics": (TOPICS, read_topics(settings["topics"]))}


def read_topics(path: str | Path) -> list[dict[str, Any]]:
    """Every topic of a file, in its order.

    Parameters
    ----------
    path : YAML; a list of topics, alone or under ``topics``.

    Returns
    -------
    Rows of the artefact ``topics``: ``truth`` and ``supports`` are "" where there is none.

    Raises
    ------
    ResourceError : the first topic that cannot be used, by its number, and why.
    """
    rows: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    questions: dict[str, str] = {}
    for number, entry in enumerate(_entries(path), start=1):
        try:
            topic = validate(TopicEntry, entry, f"{path}: topic {number}")
        except SettingError as error:
            raise ResourceError(str(error)) from None
        if topic.id in numbers:
            raise ResourceError(
                f"{path}: topic {number} has the id {topic.id!r} of topic {numbers[topic.id]}; ids "
                "must be unique."
            )
        if topic.question in questions:
            raise ResourceError(
                f"{path}: topic {topic.id!r} asks the question of {questions[topic.question]!r}; "
                "leave one out."
            )
        numbers[topic.id], questions[topic.question] = number, topic.id
        rows.append(_row(topic, str(path)))
    return rows


def _row(topic: TopicEntry, source: str) -> dict[str, Any]:
    return {
        "topic_id": topic.id,
        "title": topic.title,
        "question": topic.question.strip(),
        "options": list(topic.options),
        "ordered": topic.ordered,
        "truth": topic.truth or "",
        "evidence_ids": [item.id for item in topic.evidence],
        "evidence": [item.text.strip() for item in topic.evidence],
        "supports": [item.supports or "" for item in topic.evidence],
        "source": source,
    }


def _entries(path: str | Path) -> list[Any]:
    loaded = read_yaml(path)
    entries = loaded.get("topics") if isinstance(loaded, Mapping) else loaded
    if not isinstance(entries, list) or not entries:
        raise ResourceError(f"{path} holds no topics; it must be a list of them.")
    return entries
