"""What a model's replies depend on, and the models that are simulated here."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ProviderError
from dissensus.llm import providers
from dissensus.llm.call import Message, Request
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from dissensus.llm.providers.simulated import SimulatedModel


def test_an_identity_needs_no_key_and_neither_address_nor_patience_counts() -> None:
    settings: dict[str, Any] = {"provider": "openai", "model": "x"}
    elsewhere = {"provider": "gateway", "model": "x", "price": {"input": 1.0, "output": 1.0}}
    spelt_out = {**settings, "parameters": {}, "rename": None}
    one = providers.identity("a", settings)
    assert providers.identity("b", elsewhere) == providers.identity("a", spelt_out) == one
    changes: list[dict[str, Any]] = [
        {"model": "y"},
        {"parameters": {"top_p": 0.5}},
        {"rename": {"seed": None}},
        {"model": None},
    ]
    assert len({one, *(providers.identity("a", {**settings, **c}) for c in changes)}) == 5


def test_a_model_without_a_name_of_its_own_is_called_as_it_is_here() -> None:
    named = providers.identity("a", {"provider": "p", "model": "gpt"})
    assert providers.identity("gpt", {"provider": "p"}) == named


def test_interfaces_by_their_names() -> None:
    assert isinstance(providers.codec_of("openai"), OpenAICodec)
    assert isinstance(providers.codec_of("anthropic"), AnthropicCodec)


@pytest.mark.parametrize("behaviour", ["no.such", "", "."])
def test_an_unknown_behaviour_is_named(behaviour: str) -> None:
    with pytest.raises(ProviderError, match=r"behaviour '.*' .* must name an importable"):
        SimulatedModel("a", {"provider": "simulated", "behaviour": behaviour})


def stammer() -> ModuleType:
    module: Any = ModuleType("stammer")
    module.speak = lambda messages, settings, rng: f"{messages[-1].content} {rng.integers(10**9)}"
    module.identity = lambda settings: "stammer"
    made: ModuleType = module
    return made


def simulated(monkeypatch: pytest.MonkeyPatch, **settings: float) -> SimulatedModel:
    monkeypatch.setitem(sys.modules, "stammer", stammer())
    return SimulatedModel("s", {"provider": "simulated", "behaviour": "stammer", **settings})


def requests(n: int) -> list[Request]:
    return [Request("s", "id", (Message("user", "hi"),), 0.2, 64, seed) for seed in range(n)]


def test_a_simulated_identity_is_its_settings_and_its_behaviour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, other = simulated(monkeypatch), simulated(monkeypatch, timeout_rate=0.5)
    settings = {"provider": "simulated", "behaviour": "stammer"}
    assert model.identity == providers.identity("any", settings)
    assert model.identity != other.identity
    monkeypatch.setattr(sys.modules["stammer"], "identity", lambda settings: "stutter")
    assert model.identity != providers.identity("any", settings)
    assert (model.name, model.asked_model, model.simulated) == ("s", "s", True)


def test_a_simulated_reply_depends_on_the_request_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    model = simulated(monkeypatch, timeout_rate=0.1, empty_rate=0.1)
    first = [model.ask(request) for request in requests(50)]
    assert [model.ask(request) for request in reversed(requests(50))] == first[::-1]
    assert len({reply.text for reply in first if not reply.error}) > 30


def test_faults_come_at_their_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    model = simulated(monkeypatch, timeout_rate=0.10, empty_rate=0.05)
    n = 4000
    errors = np.array([model.ask(request).error for request in requests(n)])
    for error, rate in (("timeout", 0.10), ("empty", 0.05)):
        spread = np.sqrt(rate * (1 - rate) / n)
        assert abs((errors == error).mean() - rate) < 4 * spread
    assert set(errors) == {"", "timeout", "empty"}


def test_rates_of_nought_and_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(not simulated(monkeypatch).ask(r).error for r in requests(200))
    never = simulated(monkeypatch, timeout_rate=1.0)
    assert all(never.ask(r).error == "timeout" for r in requests(200))


@pytest.mark.parametrize("reply", [None, 7])
def test_a_simulated_reply_is_a_text(reply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = simulated(monkeypatch)
    monkeypatch.setattr(sys.modules["stammer"], "speak", lambda *_: reply)
    with pytest.raises(ProviderError) as caught:
        model.ask(requests(1)[0])
    kind = type(reply).__name__
    assert str(caught.value) == (
        f"stammer.speak gives {kind} as a reply of s; it must give a text."
    )
