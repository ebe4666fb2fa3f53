"""What a debater's reply says: free text, then one JSON object, read strictly and part by part.

The object is looked for at the end of the reply. Where it is not valid JSON it is mended, and since
a mender makes something of anything, nothing is taken that has not the right names and types. Each
part is read by itself: what is wrong with one is named, and costs no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

import json_repair
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

Relation = Literal["rebut", "concede", "question", "support"]

#: By how much probabilities may miss one and still be scaled to it: what rounding can do.
ROUNDING = 0.021

_KEYS = ("stance", "probabilities", "confidence", "claims", "engagements", "reasoning_answer")
# Where an object of ours begins: with one of its keys, whatever quotes stand around that.
_BEGINS = re.compile(r"\{\s*[\"'“”‘’`]?(?:" + "|".join(_KEYS) + r")\b")
_FENCE = re.compile(r"\s*```[a-zA-Z]*\s*\Z")
_FENCE_ENDS = re.compile(r"\A\s*```")
_OWN_PREFIX = re.compile(r"A\d+\.\d+\.")
#: Of a reply that is a heap of braces, no more beginnings than this are tried.
_MOST_TRIES = 20


@dataclass(frozen=True)
class Claim:
    """A claim as its author wrote it: ``id`` is local to the turn, ``evidence`` holds ids."""

    id: str
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Engagement:
    """What a turn does to a claim; agent and claim as written, so either may name nothing."""

    agent: str
    claim: str
    quote: str
    relation: Relation


@dataclass(frozen=True)
class ParsedTurn:
    """A reply, read.

    Attributes
    ----------
    reasoning : the free text around the object; the whole reply where there is no object.
    stance : an option's label, "" where unknown.
    probabilities : label -> probability, summing to one; empty where unknown.
    confidence : 0 to 1, None where unknown.
    claims : with distinct ids.
    engagements : in the order written.
    reasoning_answer : what the turn says that its reasoning comes to, "" where it does not.
    problems : what is wrong with the structured part, a phrase each.
    """

    reasoning: str
    stance: str = ""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    confidence: float | None = None
    claims: tuple[Claim, ...] = ()
    engagements: tuple[Engagement, ...] = ()
    reasoning_answer: str = ""
    problems: tuple[str, ...] = ()


def claim_id(agent: str, round_: int, local: str) -> str:
    """A claim's full id, by which others name it: ``A2.1.c1``."""
    return f"{agent}.{round_}.{local}"


def parse_turn(text: str, options: Sequence[str] = ()) -> ParsedTurn:
    """Read a debater's reply; never raises.

    Parameters
    ----------
    text : the whole reply.
    options : the topic's labels. Where given, a label counts whatever its case and spacing, is
        given back as it stands here, and another one is a problem.

    Returns
    -------
    ParsedTurn
        With whatever could be read. Probabilities that miss one by no more than :data:`ROUNDING`
        are scaled to it.
    """
    found = _find_object(text)
    if found is None:
        return ParsedTurn(
            text.strip(), problems=("there is no JSON object with a stance at the end",)
        )
    reasoning, members, is_whole = found
    reader = _Reader(members, options)
    if not is_whole:
        reader.problems.append("the JSON object is cut off")
    return ParsedTurn(
        reasoning,
        reader.stance(),
        reader.probabilities(),
        reader.value("confidence", _CONFIDENCE, None),
        reader.claims(),
        reader.engagements(),
        reader.value("reasoning_answer", _TEXT, "", optional=True).strip(),
        tuple(reader.problems),
    )


class _Entry(BaseModel):
    """Base of what stands in a list of the object; further keys do no harm."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _ClaimEntry(_Entry):
    id: Annotated[str, Field(pattern=r"^\s*[\w.-]+\s*$")]
    text: Annotated[str, Field(pattern=r"\S")]
    evidence: list[str] = Field(default_factory=list)


class _EngagementEntry(_Entry):
    agent: str
    claim: str = ""
    quote: str = ""
    relation: Relation


_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_STRICT = ConfigDict(strict=True)
_TEXT = TypeAdapter(str, config=_STRICT)
_CONFIDENCE: TypeAdapter[float | None] = TypeAdapter(_Share, config=_STRICT)
_SHARES = TypeAdapter(dict[str, _Share], config=_STRICT)
_LIST: TypeAdapter[list[Any]] = TypeAdapter(list[Any], config=_STRICT)

Value = TypeVar("Value")
Entry = TypeVar("Entry", bound=_Entry)


class _Reader:
    """Takes an object's parts one by one and notes what is wrong with each."""

    def __init__(self, members: Mapping[str, Any], options: Sequence[str]) -> None:
        self.members = members
        self.options = options
        self.labels = {_plain(option): option for option in options}
        self.problems: list[str] = []

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
            self._note(name, error)
            return default

    def stance(self) -> str:
        stance = self.value("stance", _TEXT, "").strip()
        label = self._label(stance)
        if label is None:
            self.problems.append(f"the stance {stance[:60]!r} is none of the options")
        return label or ""

    def probabilities(self) -> dict[str, float]:
        """Label -> probability, in the order of the options; empty where anything is wrong."""
        if "probabilities" not in self.members:
            self.problems.append("probabilities is missing")
            return {}
        try:
            stated = _SHARES.validate_python(self.members["probabilities"])
        except ValidationError as error:
            self._note("probabilities", error)
            return {}
        shares: dict[str, float] = {}
        for name, share in stated.items():
            label = self._label(name)
            if label is None or label in shares:
                self.problems.append(f"probabilities has {name[:60]!r} twice or beside the options")
                return {}
            shares[label] = share
        lost = [option for option in self.options if option not in shares]
        total = sum(shares.values())
        if lost:
            self.problems.append(f"probabilities lacks the option {lost[0]!r}")
            return {}
        if abs(total - 1) > ROUNDING:
            self.problems.append(f"the probabilities sum to {total:.3g}, not 1")
            return {}
        return {label: shares[label] / total for label in self.options or shares}

    def claims(self) -> tuple[Claim, ...]:
        claims: dict[str, Claim] = {}
        for entry in self._entries("claims", _ClaimEntry):
            name = _OWN_PREFIX.sub("", entry.id.strip())
            if name in claims:
                self.problems.append(f"two claims have the id {name!r}")
                continue
            evidence = tuple(dict.fromkeys(one.strip() for one in entry.evidence))
            claims[name] = Claim(name, entry.text.strip(), evidence)
        return tuple(claims.values())

    def engagements(self) -> tuple[Engagement, ...]:
        return tuple(
            Engagement(entry.agent.strip(), entry.claim.strip(), entry.quote, entry.relation)
            for entry in self._entries("engagements", _EngagementEntry)
        )

    def _entries(self, name: str, kind: type[Entry]) -> list[Entry]:
        """The entries of a list that are what they should be."""
        entries: list[Entry] = []
        members: list[Any] = self.value(name, _LIST, [])
        for number, member in enumerate(members, start=1):
            try:
                entries.append(kind.model_validate(member))
            except ValidationError as error:
                self._note(f"{name}, entry {number}", error)
        return entries

    def _label(self, name: str) -> str | None:
        """An option as the topic spells it, None where it is none."""
        return self.labels.get(_plain(name)) if self.options else name.strip() or None

    def _note(self, name: str, error: ValidationError) -> None:
        fault = error.errors()[0]
        path = ".".join([name, *(str(part)[:40] for part in fault["loc"])])
        self.problems.append(f"{path}: {fault['msg'][0].lower()}{fault['msg'][1:]}")


def _plain(label: str) -> str:
    return " ".join(label.casefold().split()).rstrip(".")


def _find_object(text: str) -> tuple[str, dict[str, Any], bool] | None:
    """The last object with a stance: the text around it, its members, and whether it has an end.

    None where there is none.
    """
    valid = _last_valid(text)
    past = valid[1] if valid else 0
    # What comes after a valid object, such as one quoted from another agent, goes before it.
    begins = [match.start() for match in _BEGINS.finditer(text, past)]
    for begin in reversed(begins[-_MOST_TRIES:]):
        members = _mended(text[begin:])
        if members is not None:
            # A mender closes what is open, and nobody sees what was to come.
            is_whole = _FENCE.sub("", text).rstrip().endswith(("}", "]"))
            return _FENCE.sub("", text[:begin]).strip(), members, is_whole
    if valid is None:
        return None
    begin, end, members = valid
    before, after = _FENCE.sub("", text[:begin]), _FENCE_ENDS.sub("", text[end:])
    return f"{before.strip()}\n{after.strip()}".strip(), members, True


def _last_valid(text: str) -> tuple[int, int, dict[str, Any]] | None:
    """The last object with a stance that is valid JSON, and where it begins and ends."""
    last = None
    decoder = json.JSONDecoder()
    begin = text.find("{")
    while begin >= 0:
        end = begin + 1
        try:
            value, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and "stance" in value:
            last = begin, end, _encodable(value)
        begin = text.find("{", end)
    return last


def _mended(text: str) -> dict[str, Any] | None:
    """The object that a text begins with, its JSON mended; None where that gives no stance."""
    try:
        value: Any = json_repair.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = value[0] if value else None
    return _encodable(value) if isinstance(value, dict) and "stance" in value else None


def _encodable(value: Any) -> Any:
    """The same without halves of surrogate pairs, which JSON can escape and UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(member) for member in value]
    if isinstance(value, dict):
        return {_encodable(name): _encodable(member) for name, member in value.items()}
    return value
