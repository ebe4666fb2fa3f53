"""A run whose first calls to a model all end without a text stops, and says what to change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.errors import ProviderError
from hostile import REQUEST, Said, chat, hostile, make_registry, message, prepare, provider


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


@pytest.mark.parametrize(
    ("interface", "said", "end", "mend"),
    [
        ("openai", "length", "length", "raise max_tokens in the study's protocol"),
        ("anthropic", "max_tokens", "length", "raise max_tokens in the study's protocol"),
        ("openai", "content_filter", "content_filter", "take another model, or set the filter"),
    ],
)
def test_first_calls_that_all_end_alike_stop_the_run(
    tmp_path: Path, interface: str, said: str, end: str, mend: str
) -> None:
    body = chat(None, said) if interface == "openai" else message([], said)
    with hostile(Said(body)) as server:
        made = make_registry(
            tmp_path, {"p": provider(server, interface)}, {"m": {"provider": "p"}}
        ).model("m")
        ends = [made.ask(replace(REQUEST, seed=seed)).error for seed in range(5)]
        assert ends == [end] * 5
        with pytest.raises(ProviderError, match=mend) as stop:
            made.ask(REQUEST)
    assert f"models.m: its first 6 calls all ended without a text ({end})" in str(stop.value)


def test_calls_that_end_alike_later_are_their_sessions_own(tmp_path: Path) -> None:
    with hostile(Said(chat()), Said(chat(None, "length"))) as server:
        made = make_registry(tmp_path, {"p": provider(server)}, {"m": {"provider": "p"}}).model("m")
        ends = [made.ask(replace(REQUEST, seed=seed)).error for seed in range(9)]
        # As on a cluster, where the next session has a process of its own.
        later = make_registry(tmp_path, {"p": provider(server)}, {"m": {"provider": "p"}})
        ends += [later.model("m").ask(replace(REQUEST, seed=seed)).error for seed in range(9)]
    assert ends[1:] == ["length"] * 17


def test_first_calls_of_many_processes_are_counted_together(tmp_path: Path) -> None:
    with hostile(Said(chat(None, "length"))) as server:

        def ask(seed: int) -> str:
            made = make_registry(tmp_path, {"p": provider(server)}, {"m": {"provider": "p"}})
            return made.model("m").ask(replace(REQUEST, seed=seed)).error

        assert [ask(seed) for seed in range(5)] == ["length"] * 5
        with pytest.raises(ProviderError, match="its first 6 calls all ended without a text"):
            ask(5)
        # With something changed, all is counted anew.
        assert [ask(seed) for seed in range(6, 11)] == ["length"] * 5
