"""The true clients, pointed at a server, and a debate prompt for them to send."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any

import anthropic
import openai
import yaml

from serving import ROOT, Server

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
    words = yaml.safe_load((ROOT / "resources/prompts/language/en.yaml").read_text("utf-8"))
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
