"""The true clients, pointed at a server, and a debate prompt for them to send."""

from __future__ import annotations

import csv
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dissensus.user_files import read_yaml
from serving import ROOT, Server

if TYPE_CHECKING:
    import anthropic as anthropic
    import openai as openai
else:

    class _WhenUsed:
        """A package that takes seconds to import, which no worker pays for by collecting tests."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                # What pytest looks for in all that a module has.
                raise AttributeError(name)
            return getattr(import_module(self._name), name)

    anthropic, openai = _WhenUsed("anthropic"), _WhenUsed("openai")

SPEECH = "A market that hides its prices cannot be corrected by those who pay them."


def by_openai(server: Server, key: str = "any", **options: Any) -> openai.OpenAI:
    """A client that does not retry unless told to."""
    more = {"max_retries": 0, "timeout": 10, **options}
    return openai.OpenAI(api_key=key, base_url=f"{server.address}/v1", **more)


def by_anthropic(server: Server, key: str = "any", **options: Any) -> anthropic.Anthropic:
    """A client that does not retry unless told to."""
    more = {"max_retries": 0, "timeout": 10, **options}
    return anthropic.Anthropic(api_key=key, base_url=server.address, **more)


def asked(
    model: str = "simulated-a", messages: list[Any] | None = None, max_tokens: int = 512
) -> dict[str, Any]:
    """A request that both interfaces take over HTTP."""
    return {
        "model": model,
        "messages": messages or [{"role": "user", "content": prompt()}],
        "temperature": 0.2,
        "max_tokens": max_tokens,
    }


def asked_message(**changes: Any) -> dict[str, Any]:
    """The same for the anthropic package, which has no temperature and must be made to send it."""
    request = asked(**changes)
    extra = {"temperature": request.pop("temperature")}
    return {**request, "extra_body": extra}


@cache
def prompt(history: str = "", closing: bool = False) -> str:
    """A debate prompt of the English condition."""
    words = read_yaml(ROOT / "studies/language/prompts/en.yaml")
    with (ROOT / "resources/motions/motions.csv").open(encoding="utf-8-sig", newline="") as file:
        motion = next(csv.DictReader(file))["motion_en"]
    text: str = words["template"].format(
        TOPIC=motion,
        LANGUAGE_INSTRUCTION=words["language_instruction"],
        ROLE=words["roles"]["P1"],
        ROUND_INFO=words["schedule"][6 if closing else 0]["round"],
        POSITION_LINE=words["positions"]["P"],
        OPTIONAL_PREVIOUS_SPEAKER_BLOCK="",
        OPTIONAL_DEBATE_HISTORY_BLOCK=history and words["history"].format(HISTORY=history),
        STRATEGY_PROMPT=words["strategies"]["opening"],
    )
    return text
