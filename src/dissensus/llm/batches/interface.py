"""What every provider with batches has in common: sending one, looking at it, finding it again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Line:
    """What became of one request of a batch: the body of its answer, or why there is none.

    Attributes
    ----------
    body : what an answer by itself would have had for a body.
    outcome : of a request without an answer (a key of RULES).
    message : the provider's words about that.
    billed : whether the provider may have charged for a request without an answer.
    """

    body: Any = None
    outcome: str = ""
    message: str = ""
    billed: bool = False


@dataclass(frozen=True)
class State:
    """How far a batch is.

    Attributes
    ----------
    over : whether all that there will be is there.
    refused : why the provider took none of it, in its words.
    again : whether it may be sent again for all that.
    missing : the outcome of the requests that its results leave out, where it was ended early.
    """

    over: bool
    refused: str = ""
    again: bool = False
    missing: str = ""


@dataclass(frozen=True)
class Found:
    """What a search for a batch by our own name for it came to.

    Attributes
    ----------
    id : the provider's; "" where there is none.
    unsettled : whether one that it may be cannot be looked into yet.
    """

    id: str = ""
    unsettled: bool = False


@dataclass(frozen=True)
class Sought:
    """A batch that may have been made: our name, how many calls it has, when it was sent.

    ``others`` are the provider's ids of our other batches.
    """

    own: str
    size: int
    since: float
    others: Collection[str]


class BatchInterface(Protocol):
    """The batches of one kind of interface. Custom ids begin with our own name for the batch."""

    most_requests: int
    most_bytes: int
    one_model: bool
    """Whether all of a batch must ask one model."""

    async def submit(self, own: str, bodies: Mapping[str, Any]) -> str:
        """Send requests, by custom id; the provider's id of the batch.

        The request that makes the batch is sent once: what fails without saying so may have made
        one, and whoever calls looks for it.
        """

    async def state(self, batch_id: str) -> State:
        """How far a batch is."""

    async def results(self, batch_id: str) -> dict[str, Line]:
        """What became of its requests, by custom id, once it is over."""

    async def find(self, sought: Sought) -> Found:
        """The batch that was made under our own name."""


#: A provider's clock may be this much behind ours.
SKEW_S = 3600.0


def id_of(made: Any) -> str:
    """The id of what an answer describes; ValueError where it describes nothing."""
    found = getattr(made, "id", None)
    if not isinstance(found, str) or not found:
        raise ValueError("the answer holds no id")
    return found
