"""What chance decides in a debate: which passages, which points of information, which are taken.

All of it is of the debate's ``draw_seed``, which both arms of a draw share, so that the measures
can draw it again and the arms differ in their memos alone. Nothing here calls a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from dissensus.design.manifest import stream


class AtArgument(Protocol):
    """A point of information: anything that knows at which argument it is offered, from 1."""

    @property
    def argument(self) -> int: ...


Offer = TypeVar("Offer", bound=AtArgument)


@dataclass(frozen=True)
class Gate:
    """How points of information are let through.

    Attributes
    ----------
    most : points that a speech is offered, at most; 0 for none.
    accepted : probability that one is accepted.
    accepted_late : the same in the last speech of each side.
    """

    most: int
    accepted: float
    accepted_late: float

    @classmethod
    def of(cls, protocol: Mapping[str, Any]) -> Gate:
        """From the settings of the protocol."""
        most = protocol["points_a_speech"] if protocol["points"] else 0
        return cls(most, protocol["accepted"], protocol["accepted_late"])


@dataclass(frozen=True)
class Place:
    """A speech in a debate: the debate's ``draw_seed``, the speech from 1, and of how many."""

    draw_seed: int
    speech: int
    speeches: int

    @property
    def is_late(self) -> bool:
        """Whether it is the last speech of its side; the sides take turns."""
        return self.speech > self.speeches - 2


def unprotected(arguments: int) -> range:
    """The arguments at which a point may be offered, from 1: all but the first and the last."""
    return range(2, arguments)


def drawn(
    offers: Sequence[Offer], arguments: int, place: Place, gate: Gate
) -> list[tuple[Offer, bool]]:
    """The points that a speech is offered, each with whether it is accepted.

    Every subset of the points outside protected time is as likely as any other of its size, and
    every point is accepted independently of all others.

    Parameters
    ----------
    offers : all points that opponents would make, in the order in which they were asked.
    arguments : of the speech; 0 where they are unknown.
    place : of the speech.
    gate : how many are let through.

    Returns
    -------
    At most ``gate.most`` points in the order of their arguments.
    """
    standing = [offer for offer in offers if offer.argument in unprotected(arguments)]
    # One number for each offer, whatever their number is, so that the arms of a draw differ least.
    keys = stream(place.draw_seed, "offers", place.speech).random(len(standing))
    chosen = sorted(range(len(standing)), key=lambda index: float(keys[index]))[: gate.most]
    chosen.sort(key=lambda index: (standing[index].argument, index))
    taken = accepted(place, gate)
    return [(standing[index], taken[slot]) for slot, index in enumerate(chosen)]


def accepted(place: Place, gate: Gate) -> list[bool]:
    """Whether the first point that a speech is offered is accepted, the second, and so on.

    There are ``gate.most``, whether or not as many are offered.
    """
    share = gate.accepted_late if place.is_late else gate.accepted
    uniform = stream(place.draw_seed, "accepted", place.speech).random(gate.most)
    return [bool(number < share) for number in uniform]


def passages(draw_seed: int, speaker: str, available: int, wanted: int) -> list[int]:
    """Which passages of its pool a speaker is given in a run: places from 0, in ascending order.

    All subsets of the size are equally likely; both arms of a draw give the same.
    """
    order = stream(draw_seed, "passages", speaker).permutation(available)
    return sorted(int(index) for index in order[:wanted])
