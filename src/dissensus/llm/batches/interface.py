"""The interface of batches, for every kind of provider."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Line:
    """The result of one request of a batch: the body of its answer, or why there is none.

    Attributes
    ----------
    body : the JSON of the answer, as for a call by itself.
    outcome : of a request without an answer (a key of RULES).
    message : the provider's own words about it.
    billed : whether the provider may have charged for a request without an answer.
    """

    body: Any = None
    outcome: str = ""
    message: str = ""
    billed: bool = False


@dataclass(frozen=True)
class State:
    """The state of a batch.

    Attributes
    ----------
    over : whether its results are complete.
    refused : why the provider took none of it, in its words; "" where it did.
    again : whether a refused batch may be sent again later.
    missing : the outcome of requests without a result, where the batch ended early.
    """

    over: bool
    refused: str = ""
    again: bool = False
    missing: str = ""


@dataclass(frozen=True)
class Found:
    """The result of a search for a batch by our own name for it.

    Attributes
    ----------
    id : the provider's; "" where there is none.
    unsettled : whether a batch that may be ours cannot be read yet.
    """

    id: str = ""
    unsettled: bool = False


@dataclass(frozen=True)
class Sought:
    """A batch that may have been created: our name, its number of calls, when it was sent.

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

    async def submit(self, job: str, bodies: Mapping[str, Any]) -> str:
        """Send requests, by custom id; the provider's id of the batch.

        The request that creates the batch is sent once. Where it fails, it may have created one,
        and the caller searches for it.
        """

    async def state(self, batch_id: str) -> State:
        """The state of a batch."""

    async def results(self, batch_id: str) -> dict[str, Line]:
        """The results of its requests, by custom id, once it is over."""

    async def find(self, sought: Sought) -> Found:
        """The batch that was created under our own name."""


#: A provider's clock may be this much behind ours.
SKEW_S = 3600.0


def id_of(made: Any) -> str:
    """The id in an answer about a batch or file; ValueError where there is none."""
    batch_id = getattr(made, "id", None)
    if not isinstance(batch_id, str) or not batch_id:
        raise ValueError("the answer holds no id")
    return batch_id
