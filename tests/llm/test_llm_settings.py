"""The settings of models and providers: what they mean unset, and a sentence for each mistake."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.llm.settings import LlmSettings, ProviderSettings
from dissensus.settings import validate
from hostile import KEY

GOOD: dict[str, Any] = {
    "models": {
        "s": {"provider": "simulated", "behaviour": "dissensus_studies.language.simulated"},
        "gpt": {"provider": "openai", "model": "gpt-5.2"},
    },
    "providers": {"openai": {"interface": "openai", "key_from": "OPENAI_API_KEY"}},
}


def read(**changes: Any) -> LlmSettings:
    return validate(LlmSettings, {**GOOD, **changes}, "")


def complaint(**changes: Any) -> str:
    with pytest.raises(SettingError) as caught:
        read(**changes)
    return str(caught.value)


def of_provider(**changes: Any) -> dict[str, Any]:
    return {"openai": {"interface": "openai", **changes}}


def of_model(**changes: Any) -> dict[str, Any]:
    return {"m": {"provider": "openai", **changes}}


@pytest.fixture(autouse=True)
def _speech(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dissensus_studies.language.simulated.check", print, raising=False)


def test_what_is_not_set() -> None:
    talk = read()
    assert talk.providers["openai"] == ProviderSettings(
        interface="openai",
        base_url=None,
        key_from="OPENAI_API_KEY",
        simulated=False,
        requests_per_minute=None,
        tokens_per_minute=None,
        concurrency=256,
        timeout_s=120.0,
        deadline_s=600.0,
        retries=20,
        batch=False,
        batch_wait_s=5.0,
        batch_poll_s=30.0,
    )
    assert talk.models["gpt"].model_dump() == {
        "provider": "openai",
        "model": "gpt-5.2",
        "rename": {},
        "parameters": {},
        "price": None,
        "thought": None,
        "cache": False,
    }
    assert (talk.budget_usd, talk.prices) == (None, None)


def test_everything_that_can_be_set() -> None:
    price = {"input": 1, "output": 2.5, "cached_input": 0.1}
    rename = {"max_tokens": "max_completion_tokens", "seed": None}
    talk = read(
        models=of_model(model="x", rename=rename, parameters={"a": {"b": [1]}}, price=price),
        providers=of_provider(
            base_url="http://127.0.0.1:8000/v1",
            simulated="true",
            requests_per_minute=600,
            retries="0",
            timeout_s="1.5",
        ),
        budget_usd=12.5,
        prices="prices.csv",
    )
    provider = talk.providers["openai"]
    assert (provider.simulated, provider.requests_per_minute, provider.retries) == (True, 600, 0)
    assert (provider.timeout_s, provider.key_from, talk.budget_usd) == (1.5, None, 12.5)


def test_who_is_simulated() -> None:
    talk = read()
    assert talk.is_simulated("s")
    assert not talk.is_simulated("gpt")
    assert read(providers=of_provider(simulated=True)).is_simulated("gpt")


def test_null_takes_an_entry_out() -> None:
    talk = read(models={**GOOD["models"], "gpt": None}, providers={"openai": None})
    assert (list(talk.models), list(talk.providers)) == (["s"], [])


P = "providers.openai"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"models": {"s": {**GOOD["models"]["s"], "cache": True}}},
     "models.s.cache means nothing for a simulated model, which nobody bills; leave it out."),
    ({"models": {"gpt": {**GOOD["models"]["gpt"], "cache": 1}}},
     "models.gpt.cache holds 1; it must be true or false."),
    ({"models": {"gpt": {"provider": "openai", "cache": True,
                         "parameters": {"cache_control": {"type": "ephemeral"}}}}},
     "models.gpt.parameters.cache_control holds {'type': 'ephemeral'}; cache: true marks what is "
     "to be kept; leave one of the two out."),
    ({"budget_usd": -1.0}, "budget_usd holds -1.0; it must be at least 0.0."),
    ({"budget_usd": "much"}, "budget_usd holds 'much'; it must be a number."),
    ({"budget_usd": float("inf")}, "budget_usd holds inf; it must be a finite number."),
    ({"budget_usd": float("nan")}, "budget_usd holds nan; it must be a finite number."),
    ({"providers": of_provider(interface="azure")},
     f"{P}.interface holds 'azure'; it may be one of 'openai' or 'anthropic'."),
    ({"providers": {"openai": {}}}, f"{P}.interface is missing; it must be set."),
    ({"providers": of_provider(conccurency=3)},
     f"{P}.conccurency is no setting; 'concurrency' is."),
    ({"providers": of_provider(concurrency=0)},
     f"{P}.concurrency holds 0; it must be at least 1."),
    ({"providers": of_provider(retries=-1)}, f"{P}.retries holds -1; it must be at least 0."),
    ({"providers": of_provider(timeout_s=0)}, f"{P}.timeout_s holds 0; it must be above 0.0."),
    ({"providers": of_provider(deadline_s=float("inf"))},
     f"{P}.deadline_s holds inf; it must be a finite number."),
    ({"providers": of_provider(requests_per_minute=0)},
     f"{P}.requests_per_minute holds 0; it must be at least 0.01."),
    ({"providers": of_provider(key_from=KEY)},
     f"{P}.key_from must be the name of an environment variable, not the key."),
    ({"providers": of_provider(base_url="api.deepseek.com")},
     f"{P}.base_url must be an address that begins with http:// or https://."),
    ({"providers": of_provider(base_url=f"https://me:{KEY}@example.org/v1")},
     f"{P}.base_url must hold no user, password or key; key_from names the key."),
    ({"providers": of_provider(base_url=f"https://example.org/v1?key={KEY}")},
     f"{P}.base_url must hold no user, password or key; key_from names the key."),
    ({"providers": {**GOOD["providers"], "simulated": {"interface": "openai"}}},
     "providers.simulated cannot be a provider's name; it is built in."),
    ({"providers": {**GOOD["providers"], "a/../b": {"interface": "openai"}}},
     "providers.a/../b cannot be a name; it may have plain letters (a to z, A to Z), digits, - _ "
     "and . only, a letter or digit first."),
    ({"models": of_model(provider="opnai")},
     "models.m.provider holds 'opnai'; it may be one of simulated, openai."),
    ({"models": {"m": {}}}, "models.m.provider is missing; it must be set."),
    ({"models": of_model(rename={"top_k": "k"})},
     "models.m.rename.top_k holds 'top_k'; it may be one of 'temperature', 'top_p', 'max_tokens' "
     "or 'seed'."),
    ({"models": of_model(price={"input": 1.0})},
     "models.m.price.output is missing; it must be set."),
    ({"models": of_model(price={"input": -1.0, "output": 1.0})},
     "models.m.price.input holds -1.0; it must be at least 0.0."),
    ({"models": of_model(price={"input": float("inf"), "output": 1.0})},
     "models.m.price.input holds inf; it must be a finite number."),
    ({"models": {"s": {"provider": "simulated", "behaviour": "no.such"}}},
     "models.s.behaviour holds 'no.such'; it must be an importable module, such as "
     "that of a study's simulated models."),
    ({"models": {"s": {**GOOD["models"]["s"], "timeout_rate": 1.5}}},
     "models.s.timeout_rate holds 1.5; it must be at most 1.0."),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), WRONG)
def test_each_mistake_has_its_sentence(changes: dict[str, Any], sentence: str) -> None:
    said = complaint(**changes)
    assert said == sentence
    assert KEY not in said


@pytest.mark.parametrize(
    "changes",
    [
        {"providers": of_provider(key_from=KEY, retries=-1)},
        {"providers": of_provider(base_url=f"https://{KEY}@example.org", key_form="X")},
        {"providers": of_provider(key=KEY)},
        {"providers": of_provider(base_url=KEY)},
    ],
)
def test_a_key_in_the_wrong_place_is_not_repeated(changes: dict[str, Any]) -> None:
    assert KEY not in complaint(**changes)
