"""A kind of session, such as a debate or a translation: one object, which its study lists."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from dissensus.session.inputs import Inputs
from dissensus.session.protocol import Call, Decoding, Steps
from dissensus.study.settings import StudySettings

Row = Mapping[str, Any]
S = TypeVar("S", bound=StudySettings)
Spec = TypeVar("Spec")

#: The purpose of what is said in a debate, which is embedded where a kind says nothing else.
DEBATING = "debate"


@dataclass(frozen=True)
class Needs:
    """What must be there before a session can run, because it reads it.

    Attributes
    ----------
    sessions : ids of the sessions whose transcripts it reads. What these depend on, it depends on.
    artefacts : files that it reads, by their paths in the study's folder.
    """

    sessions: tuple[str, ...] = ()
    artefacts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind(ABC, Generic[S, Spec]):
    """Sessions of a study that go alike; ``Spec`` is a dataclass of what one depends on.

    Attributes
    ----------
    settings : the study's block.
    name : what the column ``kind`` of the manifest says; empty where rows are told apart by
        something else.
    part : which part of the study they belong to, in the order in which parts begin. Shards hold
        sessions of one part alone, so that an artefact can be made of the turns of a part, and
        sessions of a later one read it.
    """

    settings: S
    name: ClassVar[str] = ""
    part: ClassVar[int] = 0

    def holds(self, row: Row) -> bool:
        """Whether a row of the manifest is a session of this kind."""
        return not self.name or row["kind"] == self.name

    @abstractmethod
    def spec(self, row: Row, item: Row) -> Spec:
        """What a session depends on; it runs again exactly when this changes.

        The core adds the ids, the seed, the settings of the protocol, the protocol's code, the
        models and what the session needs.

        Parameters
        ----------
        row : of the manifest.
        item : the row of the source that ``row`` names.
        """

    @abstractmethod
    def cast(self, row: Row) -> list[str]:
        """The models that a session may ask."""

    @abstractmethod
    def steps(self, spec: Spec, inputs: Inputs) -> Callable[[], Steps]:
        """Start the protocol of a session; called once for each attempt at it.

        Parameters
        ----------
        spec : from :meth:`spec`.
        inputs : what other sessions and stages left, see :meth:`needs`.
        """

    def made_from(self, item: Row) -> dict[str, Any]:
        """What a transcript says of where its session is from, unless it was asked for here.

        Parameters
        ----------
        item : the row of the source.
        """
        return {}

    def needs(self, row: Row) -> Needs:
        """What a session reads of other sessions and stages."""
        return Needs()

    def part_of(self, row: Row) -> int:
        """The part that a session belongs to, where not all of the kind are of one."""
        return self.part

    def counted_as(self, row: Row) -> str:
        """What a plan counts a session as, where that is not its arm; else ""."""
        return ""

    def alike(self, row: Row) -> Hashable:
        """Equal for sessions whose calls are the same but for what is said in them.

        Calls are counted and priced once for each.
        """
        return str(row["session_id"])

    def embedded(self, call: Call) -> int:
        """How many texts of the reply to a call are embedded."""
        return int(call.purpose == DEBATING)

    def compile_prompts(self) -> None:
        """Render every prompt once, before the manifest is drawn.

        Raises
        ------
        ResourceError : a prompt file lacks a part, or has one that cannot be filled in.
        """

    @cached_property
    def decoding(self) -> Decoding:
        """Of a reply of which the protocol says nothing else."""
        return Decoding.of(self.settings.protocol.model_dump())
