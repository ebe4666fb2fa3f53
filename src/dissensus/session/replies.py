"""Structured replies: the JSON object in a model's reply, found, mended, and read part by part.

The object is looked for at the end of the reply. Where it is not valid JSON it is mended, and since
a mender makes something of anything, nothing is taken that has not the right names and types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar
from typing import Protocol as Interface

from pydantic import (
    BaseModel,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from dissensus.session.mending import TooMuchWorkError, Work, mended
from dissensus.session.protocol import Parsed

# Each run of white space is looked at once, from its beginning.
_FENCE = re.compile(r"(?<!\s)\s*```[a-zA-Z]*\s*\Z")
_FENCE_ENDS = re.compile(r"\A\s*```")
#: Of a reply that is a heap of braces, no more beginnings than this are tried.
_MOST_TRIES = 20
#: Nor more of an object that turns out not to be valid.
_MOST_FAILURES = 100
_BEGINS = re.compile(r'\{\s*["}]')
#: Faults that are named: a list of a reply may have any number, and all would be sent back.
_MOST_PROBLEMS = 10

#: What a half of a surrogate pair is or could be escaped by; few replies have either.
_HALVES = re.compile(r"[\\\ud800-\udfff]")

Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)


class Lenient(BaseModel):
    """Base of a reply that is one object: unknown keys are ignored, numbers may come as text.

    A truth value is no number, though Python takes it for one.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_truth_value(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool):
            kind = cls.model_fields[info.field_name or ""].annotation
            if kind in (int, float):
                raise ValueError(f"{str(value).lower()} is no number")
        return value


class Entry(BaseModel):
    """Base of what stands in a list of an object; further keys do no harm."""

    model_config = ConfigDict(extra="ignore", strict=True)


EntryType = TypeVar("EntryType", bound=Entry)
_LIST: TypeAdapter[list[Any]] = TypeAdapter(list[Any], config=ConfigDict(strict=True))


@dataclass(frozen=True)
class JsonReply(Generic[Model]):
    """The format of a reply that ends with one JSON object of a model's type."""

    model: type[Model]

    def read(self, text: str) -> Parsed[Model]:
        """The last object of a reply, validated; see :class:`dissensus.session.protocol.Parsed`.

        One that was cut off is none: a mender closes what is open, and nobody sees what was to
        come. Nor is one beside another that says something else: one of the two may be quoted.
        """
        if _is_cut_off(text):
            return Parsed(None, ("The reply's JSON object is cut off before its end.",))
        objects = _objects(text)
        if not objects:
            return Parsed(None, ("The reply has no JSON object.",))
        try:
            value = self.model.model_validate(objects[-1])
        except ValidationError as error:
            faults = error.errors()[:_MOST_PROBLEMS]
        else:
            others = [other for other in objects[:-1] if other != objects[-1]]
            if self._is_contradicted(value, others):
                problem = "The reply has several JSON objects, and they differ."
                return Parsed(None, (problem,))
            return Parsed(value)
        return Parsed(
            None,
            tuple(
                f"{'.'.join(map(str, fault['loc'])) or 'The object'}: {fault['msg']}."
                for fault in faults
            ),
        )

    def _is_contradicted(self, value: Model, others: Sequence[Any]) -> bool:
        """Whether one of some other objects could be the reply as well, and says another thing."""
        if not any(part.is_required() for part in self.model.model_fields.values()):
            # Whatever it is, it could be read as one.
            return False
        for other in others:
            with suppress(ValidationError):
                if self.model.model_validate(other) != value:
                    return True
        return False


class Noted(Interface):
    """What was read of a reply, with what is wrong with it."""

    @property
    def problems(self) -> tuple[str, ...]: ...


NotedType = TypeVar("NotedType", bound=Noted)


@dataclass(frozen=True)
class PartialReply(Generic[NotedType]):
    """The format of a reply whose parts count each by itself: what can be read has a value."""

    parse: Callable[[str], NotedType]

    def read(self, text: str) -> Parsed[NotedType]:
        """Whatever could be read; see :class:`dissensus.session.protocol.Parsed`."""
        value = self.parse(text)
        return Parsed(value, value.problems)


@dataclass(frozen=True)
class FoundObject:
    """An object in a reply.

    Attributes
    ----------
    around : the text before and after it.
    members : what it holds.
    is_whole : whether it has an end.
    """

    around: str
    members: dict[str, Any]
    is_whole: bool


@dataclass
class PartReader:
    """Reads an object's parts one by one: what is wrong with one is noted, and costs no other."""

    members: Mapping[str, Any]
    problems: list[str] = field(default_factory=list)

    def value(
        self, name: str, kind: TypeAdapter[Value], default: Value, *, optional: bool = False
    ) -> Value:
        """A part of the right type, or the default and a problem."""
        if name not in self.members:
            if not optional:
                self.problems.append(f"{name} is missing")
            return default
        try:
            return kind.validate_python(self.members[name])
        except ValidationError as error:
            self.note(name, error)
            return default

    def entries(self, name: str, kind: type[EntryType]) -> list[EntryType]:
        """The entries of a list that are what they should be."""
        entries: list[EntryType] = []
        members: list[Any] = self.value(name, _LIST, [])
        for number, member in enumerate(members, start=1):
            try:
                entries.append(kind.model_validate(member))
            except ValidationError as error:
                self.note(f"{name}, entry {number}", error)
        return entries

    def note(self, name: str, error: ValidationError) -> None:
        """Note the first thing that is wrong with a part."""
        fault = error.errors()[0]
        path = ".".join([name, *(str(part)[:40] for part in fault["loc"])])
        self.problems.append(f"{path}: {fault['msg'][0].lower()}{fault['msg'][1:]}")


def find_object(text: str, keys: tuple[str, ...]) -> FoundObject | None:
    """The last object of a reply that has a key; None where there is none.

    Parameters
    ----------
    text : the whole reply.
    keys : those by which an object is known; the first is the one that it must have.
    """
    needed = keys[0]
    last = next(reversed(_scan(text, needed)[0]), None)
    past = last[1] if last else 0
    # What comes after a valid object, such as one quoted from another agent, goes before it.
    begins = [match.start() for match in _beginning(keys).finditer(text, past)]
    work = Work.of(text)
    for begin in reversed(begins[-_MOST_TRIES:]):
        members = _mended(text[begin:], needed, work)
        if members is not None:
            # A mender closes what is open, and nobody sees what was to come.
            is_whole = _FENCE.sub("", text).rstrip().endswith(("}", "]"))
            return FoundObject(_FENCE.sub("", text[:begin]).strip(), members, is_whole)
    if last is None:
        return None
    begin, end, members = last
    before, after = _FENCE.sub("", text[:begin]), _FENCE_ENDS.sub("", text[end:])
    return FoundObject(f"{before.strip()}\n{after.strip()}".strip(), members, is_whole=True)


@cache
def _beginning(keys: Sequence[str]) -> re.Pattern[str]:
    """Where an object begins: with one of its keys, whatever quotes stand around that."""
    return re.compile(r"\{\s*[\"'“”‘’`]?(?:" + "|".join(keys) + r")\b")


def _is_cut_off(text: str) -> bool:
    """Whether brackets are left open, after the last object that is valid JSON."""
    open_ones = any(text.count(begin) > text.count(end) for begin, end in ("{}", "[]"))
    if not open_ones:
        return False
    valid, is_open = _scan(text)
    return is_open or not valid or bool(_FENCE_ENDS.sub("", text[valid[-1][1] :]).strip())


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects of a reply that have a member: the valid ones, then all that can be mended.

    Of a heap of signs, none is mended.
    """
    objects = [value for _, _, value in _scan(text)[0]]
    try:
        parsed: Any = _encodable(mended(text, Work.of(text)), text)
        parts = parsed if isinstance(parsed, list) else [parsed]
        found = [part for part in parts if isinstance(part, dict) and part]
        # What is only found again may stand in another order, and lack what came last.
        known = {_as_text(value) for value in objects}
        is_new = any(_as_text(part) not in known for part in found)
    except TooMuchWorkError:
        return objects
    except (ValueError, RecursionError):
        return []
    if not found:
        return []
    return objects + found if is_new else objects


def _as_text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True)


_Valid = tuple[int, int, dict[str, Any]]


def _scan(text: str, needed: str = "") -> tuple[list[_Valid], bool]:
    """The objects that are valid JSON, with where each begins and ends; whether one has no end.

    Parameters
    ----------
    needed : a key that they must have; any will do where it is empty.
    """
    valid: list[_Valid] = []
    is_open, past, failures = False, 0, 0
    end = len(text.rstrip())
    decoder = json.JSONDecoder()
    # Of the text once, and not of every object in it.
    has_halves = bool(_HALVES.search(text))
    while failures < _MOST_FAILURES and (match := _BEGINS.search(text, past)):
        begin = match.start()
        try:
            value, past = decoder.raw_decode(text, begin)
            value = encodable(value) if has_halves else value
        except json.JSONDecodeError as error:
            value, past, failures = None, begin + 1, failures + 1
            is_open = is_open or error.pos >= end
        except ValueError:
            value, past, failures = None, begin + 1, failures + 1
        except RecursionError:
            # So deep is no reply; each level would be tried in vain.
            break
        if isinstance(value, dict) and (needed in value if needed else value):
            valid.append((begin, past, value))
    return valid, is_open


def _mended(text: str, needed: str, work: Work) -> dict[str, Any] | None:
    """The object that a text begins with, its JSON mended; None where that lacks the key."""
    try:
        value: Any = _encodable(mended(text, work), text)
    except (TooMuchWorkError, ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, dict) and needed in value else None


def _encodable(value: Any, text: str) -> Any:
    """The same, of a value that was read from a text; nearly all values are as they should be."""
    return encodable(value) if _HALVES.search(text) else value


def encodable(value: Any) -> Any:
    """The same without halves of surrogate pairs, which JSON can escape and UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [encodable(member) for member in value]
    if isinstance(value, dict):
        return {encodable(name): encodable(member) for name, member in value.items()}
    return value
