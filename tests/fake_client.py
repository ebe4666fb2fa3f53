"""The fake client of all tests: a model whose every reply a test decides.

Servers that speak HTTP are elsewhere: ``hostile`` answers as a test writes down, ``serving`` starts
a real ``dissensus serve``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from dissensus.llm.call import Message, Provider, Reply, Request
from dissensus.llm.marks import Marks
from dissensus.llm.providers.simulated import SimulatedModel


@dataclass
class FakeClient:
    """A :class:`dissensus.llm.call.Provider` that keeps what it was asked.

    Attributes
    ----------
    reply : makes the reply to a request; :func:`in_turn` gives a fixed sequence.
    asked_model : the name unless set.
    asked, patience : the requests in the order in which they came, and the ``patience_s`` of each.
    """

    reply: Callable[[Request], Reply]
    name: str = "fake"
    asked_model: str = ""
    identity: str = "fake"
    simulated: bool = True
    waits: bool = True
    caches: bool = False
    marks: Marks | None = None
    asked: list[Request] = field(default_factory=list)
    patience: list[float | None] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.asked_model = self.asked_model or self.name

    @classmethod
    def around(cls, model: Provider) -> FakeClient:
        """A client that gives the replies of another."""
        known = (model.name, model.asked_model, model.identity, model.simulated, model.waits)
        return cls(model.ask, *known)

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        with self.lock:
            self.asked.append(request)
            self.patience.append(patience_s)
        return self.reply(request)


def request(seed: int) -> Request:
    """A request that differs from others by its seed alone."""
    return Request("m", "fake", (Message("user", "说吧"),), 0.2, 512, seed)


def in_turn(*replies: str | Reply) -> Callable[[Request], Reply]:
    """Give these one after the other; a test that asks for more fails."""
    rest = iter(replies)

    def reply(_: Request) -> Reply:
        one = next(rest)
        return one if isinstance(one, Reply) else Reply(one)

    return reply


class FakeRegistry:
    """A model registry of simulated models, each behind a fake client.

    Parameters
    ----------
    models : name -> its settings.
    """

    def __init__(self, models: Mapping[str, Mapping[str, Any]]) -> None:
        self.clients = {
            name: FakeClient.around(SimulatedModel(name, settings))
            for name, settings in models.items()
        }

    def model(self, name: str) -> FakeClient:
        return self.clients[name]

    @property
    def asked(self) -> list[Request]:
        """The requests to all models, model by model."""
        return [request for client in self.clients.values() for request in client.asked]
