"""What answers count as used, by all names that providers and gateways have for it.

OpenAI's interface counts what a cache read and what was written to it within the prompt, in
``prompt_tokens_details``; OpenRouter, LiteLLM and DeepSeek do so too. Anthropic's and Bedrock's
names (``cache_read_input_tokens``, ``cacheReadInputTokens``) are of tokens beside the input, and
gateways pass them on either way. Names are read without their hyphens, underscores and capitals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.llm.call import Usage
from dissensus.llm.codec import count
from dissensus.llm.outcomes import label

#: The whole prompt, the whole reply and both, by whoever counts them.
_PROMPT = ("prompttokens", "inputtokens", "prompttokencount", "inputtokencount")
_COMPLETION = (
    *("completiontokens", "outputtokens", "completiontokencount", "outputtokencount"),
    "candidatestokencount",
)
_TOTAL = ("totaltokens", "totaltokencount")
#: Members of a name that counts what was written to a cache, of one for an hour, and of one that
#: counts neither reads nor writes of text: all else with a cache in it was read from that.
_WRITES = ("creat", "write", "written", "writing", "store")
_HOUR = ("1h", "60m", "3600")
_MINUTES = ("5m", "300s")
_NEITHER = ("miss", "audio", "image", "video", "cost", "usd", "price", "discount", "saving")
_THOUGHT = ("reasoningtokens", "thoughttokens", "thinkingtokens", "thoughtstokencount")


@dataclass
class _Cache:
    """Tokens read from a cache, written to it, and, of these, for minutes and for an hour."""

    read: int = 0
    written: int = 0
    minutes: int = 0
    hour: int = 0
    #: Whether names say that they are beside the input; whether any say that they are of it.
    is_beside: bool = False
    is_within: bool = False

    def settle(self) -> None:
        """What was written is at least what was written for minutes and for an hour."""
        self.written = max(self.written, self.minutes + self.hour)
        self.hour = min(self.hour, self.written)


def usage_beside(body: Any) -> Usage:
    """What an answer of Anthropic's interface counts, where a cache's tokens are no input."""
    used = _used(body)
    cache = _cache(used)
    prompt, completion = _first(used, _PROMPT), _first(used, _COMPLETION)
    return _usage(body, prompt + cache.read + cache.written, completion, cache)


def usage_within(body: Any) -> Usage:
    """What an answer of OpenAI's interface counts, where a cache's tokens are of the prompt.

    Those that names, the total or a prompt that is less say to be beside it are added to it. The
    rest of the total is thought, which xAI and gateways to Gemini count beside the completion.
    """
    used = _used(body)
    cache = _cache(used)
    prompt, completion = _first(used, _PROMPT), _first(used, _COMPLETION)
    total, thought = _first(used, _TOTAL), _thought(used)
    beside = _beside(cache, prompt, total - prompt - completion, thought)
    prompt += beside
    if not total and thought > completion:
        completion += thought
    if prompt:
        completion = max(completion, total - prompt)
    return _usage(body, prompt, completion, cache)


def _beside(cache: _Cache, prompt: int, rest: int, thought: int) -> int:
    """How many of a cache's tokens are beside the prompt.

    Parameters
    ----------
    rest : of the total, without the prompt and the completion.
    thought : tokens of thought, which the rest may be.
    """
    both = cache.read + cache.written
    if rest > 0 and rest != thought:
        for part in (both, cache.read, cache.written):
            if part and rest in (part, part + thought):
                return part
    if both > prompt:
        return both
    return both if cache.is_beside and not cache.is_within else 0


def _usage(body: Any, prompt: int, completion: int, cache: _Cache) -> Usage:
    read = min(cache.read, prompt)
    written = min(cache.written, prompt - read)
    return Usage(prompt, read, completion, written, min(cache.hour, written), tier_of(body))


#: What providers call the tier that everybody has, and the one of batches.
_STANDARD = {"", "default", "standard", "auto", "on_demand", "standard_only", "batch", "null"}


def tier_of(body: Any) -> str:
    """The tier of service that an answer names; "" for the standard one, or for none."""
    used = _used(body)
    named = used.get("service_tier") or body.get("service_tier")
    tier = label(named, 40).lower()
    return "" if tier in _STANDARD else tier


def _used(body: Any) -> Mapping[str, Any]:
    used = body.get("usage") or body.get("usageMetadata")
    return used if isinstance(used, Mapping) else {}


def _plain(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


def _first(used: Mapping[str, Any], names: tuple[str, ...]) -> int:
    """The largest count of those that have one of the names."""
    return max((count(value) for name, value in used.items() if _plain(name) in names), default=0)


def _thought(used: Mapping[str, Any]) -> int:
    """Tokens of thought, at the top or in a block."""
    blocks = [used, *(value for value in used.values() if isinstance(value, Mapping))]
    return max(_first(block, _THOUGHT) for block in blocks)


def _cache(used: Mapping[str, Any]) -> _Cache:
    """What a usage says of a cache, at the top and in its blocks."""
    cache = _Cache()
    _note(cache, used, "")
    cache.settle()
    return cache


def _note(cache: _Cache, members: Mapping[str, Any], block: str, depth: int = 0) -> None:
    for key, value in members.items():
        name = _plain(key)
        if isinstance(value, Mapping):
            if depth < 3 and "completion" not in name and "output" not in name:
                _note(cache, value, block + name, depth + 1)
            continue
        # Of a block of a cache, the members need not say so again.
        whole = block + name
        if "cache" not in whole or any(part in whole for part in _NEITHER):
            continue
        tokens = count(value)
        if not tokens:
            continue
        if any(part in name for part in _HOUR):
            cache.hour = max(cache.hour, tokens)
        elif any(part in name for part in _MINUTES):
            cache.minutes = max(cache.minutes, tokens)
        elif any(part in whole for part in _WRITES):
            cache.written = max(cache.written, tokens)
        else:
            cache.read = max(cache.read, tokens)
        # Anthropic's and Bedrock's names, where no block says whose part they are.
        if not block:
            is_beside = "cache" in name and "inputtoken" in name and not name.startswith("cached")
            cache.is_beside = cache.is_beside or is_beside
            cache.is_within = cache.is_within or not is_beside
        elif "details" in block and not block.startswith("cache"):
            cache.is_within = True
