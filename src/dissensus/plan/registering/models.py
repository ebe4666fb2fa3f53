"""Which models two runs asked: whether the next one is another, by plans and by who answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.llm.journal import Journal

#: Of a model's entry, what is no part of what answers.
_HOW_ASKED = {"price", "cache", "thought", "timeout_rate", "empty_rate", "provider"}


def asked_by(plan: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Name -> what a plan's settings say of each model: its ``label``, and an ``identity``.

    A real model is known by its provider's name for it; a simulated one by its behaviour and all
    that is set of it, whatever it is called here.
    """
    entries: dict[str, dict[str, Any]] = {}
    for path, value in plan["settings"].items():
        head, _, rest = path.partition(".")
        if head == "models" and (found := _split(rest, plan["settings"])):
            entries.setdefault(found[0], {})[found[1]] = value
    return {name: _known(name, entry) for name, entry in entries.items()}


def _split(path: str, settings: Mapping[str, Any]) -> tuple[str, str] | None:
    """The name of a model, which may have dots in it, and the rest of a setting's path."""
    parts = path.split(".")
    for number in range(1, len(parts)):
        name = ".".join(parts[:number])
        if f"models.{name}.provider" in settings:
            return name, ".".join(parts[number:])
    return None


def _known(name: str, entry: Mapping[str, Any]) -> dict[str, str]:
    if entry.get("provider") == "simulated":
        what = {key: value for key, value in entry.items() if key not in _HOW_ASKED}
        return {"label": f"{name} (simulated, {entry.get('behaviour')})", "identity": digest(what)}
    named = str(entry.get("model") or name)
    label = name if name == named else f"{name} ({named})"
    return {"label": label, "identity": named.lower()}


def answered_in(folder: Path) -> list[str]:
    """The names that models gave themselves in the replies of a study; none of simulated ones.

    Raises
    ------
    ResourceError : a journal is damaged.
    """
    paths = sorted((folder / "journal").glob("*.jsonl"))
    replies = (reply for path in paths for reply in Journal(path).replies)
    return sorted({reply.answered_by for reply in replies if reply.answered_by})


@dataclass(frozen=True)
class Models:
    """What was asked in a registered run, and in the one that is to confirm it.

    Attributes
    ----------
    then, now : of :func:`asked_by`.
    answered_then, answered_now : of :func:`answered_in`.
    """

    then: Mapping[str, Mapping[str, str]]
    now: Mapping[str, Mapping[str, str]]
    answered_then: Sequence[str] = ()
    answered_now: Sequence[str] = ()

    @property
    def are_the_same(self) -> bool:
        """Whether this run asks, or is answered by, no model that the other was not."""
        asked = {each["identity"] for each in self.now.values()}
        known = {each["identity"] for each in self.then.values()}
        answered = {*self.answered_now}
        return bool(asked and asked <= known) or bool(
            answered and answered <= {*self.answered_then}
        )

    @property
    def sentences(self) -> Iterator[str]:
        """Which models were asked, and whether they are others."""
        sides = (("Asked then", self.then), ("Asked now", self.now))
        for title, models in sides:
            labels = ", ".join(each["label"] for each in models.values())
            yield f"{title}: {labels or 'not stated by its plan'}."
        answered = (("Answered then", self.answered_then), ("Answered now", self.answered_now))
        for title, names in answered:
            if names:
                yield f"{title}, as replies name themselves: {', '.join(names)}."
        if self.are_the_same:
            yield "NOT another model: this run asks none that the registered one did not ask."
            return
        known = {each["identity"] for each in self.then.values()}
        both = [each["label"] for each in self.now.values() if each["identity"] in known]
        if both:
            yield f"Asked in both: {', '.join(both)}."
