"""What a debater's reply says: free text, then one JSON object, read strictly and part by part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from dissensus.session.replies import Entry, PartReader, find_object

Relation = Literal["rebut", "concede", "question", "support"]

#: By how much probabilities may miss one and still be scaled to it: what rounding can do.
ROUNDING = 0.021

#: The stance of an agent that takes none of the options.
ABSTAIN = "abstain"

_KEYS = ("stance", "probabilities", "confidence", "claims", "engagements", "reasoning_answer")
_OWN_PREFIX = re.compile(r"A\d+\.\d+\.")


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
    abstains : whether it says that it takes none of the options.
    """

    reasoning: str
    stance: str = ""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    confidence: float | None = None
    claims: tuple[Claim, ...] = ()
    engagements: tuple[Engagement, ...] = ()
    reasoning_answer: str = ""
    problems: tuple[str, ...] = ()
    abstains: bool = False


def claim_id(agent: str, round_: int, local: str) -> str:
    """A claim's full id, by which others name it: ``A2.1.c1``."""
    return f"{agent}.{round_}.{local}"


def parse_turn(text: str, options: Sequence[str] = (), may_abstain: bool = False) -> ParsedTurn:
    """Read a debater's reply; never raises.

    Parameters
    ----------
    text : the whole reply.
    options : the topic's labels. Where given, a label counts whatever its case and spacing, is
        given back as it stands here, and another one is a problem.
    may_abstain : whether the stance :data:`ABSTAIN` counts, where it is none of the options. Such a
        turn has neither stance nor probabilities: what it may state of these is left out, and
        nothing is made of it, least of all an even distribution.

    Returns
    -------
    ParsedTurn
        With whatever could be read. Probabilities that miss one by no more than :data:`ROUNDING`
        are scaled to it.
    """
    located = find_object(text, _KEYS)
    if located is None:
        return ParsedTurn(
            text.strip(), problems=("there is no JSON object with a stance at the end",)
        )
    reader = _Reader(located.members, options)
    abstains = may_abstain and reader.abstains()
    if not located.is_whole:
        # Its last number may have lost digits.
        last = [*located.members][-1]
        if isinstance(located.members[last], int | float):
            del located.members[last]
        reader.problems.append("the JSON object is cut off")
    return ParsedTurn(
        located.around,
        "" if abstains else reader.stance(),
        {} if abstains else reader.probabilities(),
        reader.value("confidence", _CONFIDENCE, None),
        reader.claims(),
        reader.engagements(),
        reader.value("reasoning_answer", _TEXT, "", optional=True).strip(),
        tuple(reader.problems),
        abstains,
    )


class _ClaimEntry(Entry):
    id: Annotated[str, Field(pattern=r"^\s*[\w.-]+\s*$")]
    text: Annotated[str, Field(pattern=r"\S")]
    evidence: list[str] = Field(default_factory=list)


class _EngagementEntry(Entry):
    agent: str
    claim: str = ""
    quote: str = ""
    relation: Relation


_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_STRICT = ConfigDict(strict=True)
_TEXT = TypeAdapter(str, config=_STRICT)
_CONFIDENCE: TypeAdapter[float | None] = TypeAdapter(_Share, config=_STRICT)
_SHARES = TypeAdapter(dict[str, _Share], config=_STRICT)


class _Reader(PartReader):
    """Reads the parts of a debater's object; ``options`` are the topic's labels."""

    def __init__(self, members: Mapping[str, Any], options: Sequence[str]) -> None:
        super().__init__(members)
        self.options = options
        self.labels = {_plain(option): option for option in options}

    def abstains(self) -> bool:
        stance = self.members.get("stance")
        return isinstance(stance, str) and _plain(stance) == ABSTAIN and ABSTAIN not in self.labels

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
            self.note("probabilities", error)
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
        for entry in self.entries("claims", _ClaimEntry):
            name = _OWN_PREFIX.sub("", entry.id.strip())
            if name in claims:
                self.problems.append(f"two claims have the id {name!r}")
                continue
            evidence = tuple(dict.fromkeys(item.strip() for item in entry.evidence))
            claims[name] = Claim(name, entry.text.strip(), evidence)
        return tuple(claims.values())

    def engagements(self) -> tuple[Engagement, ...]:
        return tuple(
            Engagement(entry.agent.strip(), entry.claim.strip(), entry.quote, entry.relation)
            for entry in self.entries("engagements", _EngagementEntry)
        )

    def _label(self, name: str) -> str | None:
        """An option as the topic spells it, None where it is none."""
        return self.labels.get(_plain(name)) if self.options else name.strip() or None


def _plain(label: str) -> str:
    return " ".join(label.casefold().split()).rstrip(".")
