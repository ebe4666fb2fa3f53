"""A provider's interface as a codec: what is sent of a call, and how what comes back is read.

A codec sends nothing and decides nothing. Journal, limits, budget, outages, refusals, parts of
thought and the outcome of what cannot be used are the same for all, whatever a codec says.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from dissensus.errors import ProviderError
from dissensus.llm.call import Reply, Request, Usage
from dissensus.llm.exchange import Post
from dissensus.llm.outcomes import finish_reason, label
from dissensus.llm.providers.content import plain_text
from dissensus.llm.thought import split_thought

if TYPE_CHECKING:
    from dissensus.llm.batches.interface import BatchInterface
    from dissensus.llm.marks import Marks


#: What parsing an answer may raise where it is malformed.
UNREADABLE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError),
    *(ArithmeticError, RecursionError),
)


class NoAnswer(ValueError):
    """An answer that has no reply in it; ``usage`` is what the provider counts all the same."""

    def __init__(self, usage: Usage) -> None:
        super().__init__("its answer holds no answer")
        self.usage = usage


@dataclass(frozen=True)
class Answer:
    """What an answer holds, in the provider's own words.

    Attributes
    ----------
    text : what was said; thought in marks may be in it.
    thought : what stands apart from the text as thought.
    finish : why the model stopped, as the provider calls it; None where it does not say.
    tools : what stands for the text where the model called tools and said nothing.
    refusal : what stands for the text where the model refused.
    answered_by, fingerprint, request_id : see :class:`~dissensus.llm.call.Reply`.
    """

    text: str
    finish: Any
    thought: str = ""
    tools: Any = None
    refusal: Any = None
    answered_by: Any = None
    fingerprint: Any = None
    request_id: Any = None


class Codec(ABC):
    """A kind of interface.

    Attributes
    ----------
    takes : which of temperature, top_p, max_tokens and seed it has.
    address : where its provider is, unless ``base_url`` names another.
    models_path : of the list of models, below the address.
    marks_cache : how many marks of what the provider is to keep in its cache a request may have.
    """

    takes: ClassVar[tuple[str, ...]] = ("temperature", "top_p", "max_tokens", "seed")
    address: ClassVar[str] = ""
    models_path: ClassVar[str] = "/models"
    marks_cache: ClassVar[int] = 0

    @staticmethod
    @abstractmethod
    def headers(key: str, address: str) -> dict[str, str]:
        """Of every request."""

    @abstractmethod
    def post(
        self, model: str, request: Request, parameters: Mapping[str, Any], marks: int = 0
    ) -> Post:
        """A call to a model.

        Parameters
        ----------
        parameters : all but the messages, by the model's names.
        marks : how many marks for the provider's cache it has at most.
        """

    @abstractmethod
    def usage(self, body: Any) -> Usage:
        """What an answer counts as used."""

    @abstractmethod
    def answer(self, body: Any) -> Answer:
        """What an answer holds; one of UNREADABLE is raised where it holds none."""

    def listed(self, body: Any) -> Collection[str]:
        """The models in a list of them; one of UNREADABLE is raised where it is none."""
        return [entry["id"] for entry in body["data"] or []]

    def model_path(self, model: str) -> str:
        """Where the provider tells of one model."""
        return f"{self.models_path}/{quote(model, safe='')}"

    def post_texts(self, model: str, texts: Sequence[str], *, plain: bool) -> Post:
        """A request for embeddings; ``plain`` as numbers, which every server has.

        Raises
        ------
        ProviderError : it has none.
        """
        raise ProviderError(
            f"{model!r} cannot embed: the interface of its provider has no embeddings; name "
            "another embedder."
        )

    def vectors(self, body: Any) -> tuple[str, ...]:
        """The embeddings in an answer, each as the base64 of little-endian 32-bit floats."""
        raise ValueError("there are no embeddings here")

    @classmethod
    def batches(cls, key: str, address: str, http_client: Any) -> BatchInterface | None:
        """Its batches, through its package; None where it has none."""
        return None

    def parse(self, body: Any, marks: Marks | None = None) -> Reply:
        """The reply in the JSON of a response.

        Parameters
        ----------
        marks : of thought that the text may have; None for the project's.

        Raises
        ------
        NoAnswer : there is none in it.
        """
        usage = self.usage(body)
        try:
            answer = self.answer(body)
            reason = finish_reason(answer.finish)
            text, thought = split_thought(answer.text, marks)
            if not text and answer.tools:
                text = json.dumps(answer.tools, ensure_ascii=False)
            if not text and answer.refusal:
                text, reason = plain_text(answer.refusal), "refusal"
            error = ""
            if reason == "error":
                # What the provider's own fault cut off is asked for again.
                error = "server_error"
            elif not text:
                is_known = reason in ("length", "content_filter", "refusal")
                error = reason if is_known else "empty"
            return Reply(
                text=text,
                thought=thought or answer.thought,
                finish_reason=reason,
                **vars(usage),
                answered_by=label(answer.answered_by),
                fingerprint=label(answer.fingerprint),
                request_id=label(answer.request_id),
                error=error,
            )
        except UNREADABLE:
            raise NoAnswer(usage) from None

    def parse_vectors(self, body: Any) -> tuple[Reply, tuple[str, ...]]:
        """The same of embeddings, and the vectors."""
        vectors = self.vectors(body)
        reply = Reply(
            "",
            **vars(self.usage(body)),
            answered_by=label(body.get("model")),
            request_id=label(body.get("id")),
        )
        return reply, vectors


#: More tokens than any call has.
_ABSURD = 10**9


def count(value: Any) -> int:
    """A count of tokens as a provider reports it; 0 where it reports none or nonsense.

    Some gateways write numbers as text, as JSON of 64-bit numbers has them.
    """
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:12])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 < value < _ABSURD else 0


#: What a count is of, by its name without underscores, hyphens and capitals.
_COUNTS = {
    **dict.fromkeys(("prompttokens", "inputtokens"), "prompt"),
    **dict.fromkeys(("prompttokencount", "inputtokencount"), "prompt"),
    **dict.fromkeys(("completiontokens", "outputtokens"), "completion"),
    **dict.fromkeys(("completiontokencount", "outputtokencount"), "completion"),
    **dict.fromkeys(("candidatestokencount",), "completion"),
    **dict.fromkeys(("totaltokens", "totaltokencount"), "total"),
    **dict.fromkeys(("reasoningtokens", "thoughttokens", "thinkingtokens"), "thought"),
    **dict.fromkeys(("thoughtstokencount",), "thought"),
}
#: Parts of a name that counts what was written to a cache, and of one that counts neither reads nor
#: writes of text; any other with a cache in it counts what was read from that.
_WRITES = ("creat", "write", "written", "writing", "store", "caching")
_HOUR, _MINUTES = ("1h", "60m", "3600"), ("5m", "300s")
_NEITHER = ("miss", "audio", "image", "video", "cost", "usd", "price", "discount", "saving")
#: What providers call the tier that everybody has, and the one of batches.
_STANDARD = {
    *("", "default", "standard", "auto", "on_demand", "ondemand", "standard_only", "batch"),
    *("null", "none", "global", "not_available", "normal", "regular", "unspecified"),
}
#: Names of what says it, by kind.
_TIERS = (("service_tier", "serviceTier"), ("speed",), ("inference_geo", "inferenceGeo"))


@cache
def _kind_of(block: str, name: str) -> tuple[str, str]:
    """What a count in a block is of, "" for nothing that is known; and where that is counted.

    ``beside`` the prompt, by Anthropic's and Bedrock's names (``cache_read_input_tokens``,
    ``cacheReadInputTokens``); ``within`` it, by all others and in a block of details; or "".
    """
    plain = re.sub("[_-]", "", name.lower())
    whole = re.sub("[_-]", "", block.lower()) + plain
    if plain in _COUNTS:
        kind = _COUNTS[plain]
        return (kind, "") if kind == "thought" or not block else ("", "")
    if not re.search("cach(e|ing)", whole) or any(part in whole for part in _NEITHER):
        return "", ""
    if not block:
        is_beside = "inputtoken" in plain and not plain.startswith("cached")
        where = "beside" if is_beside else "within"
    else:
        where = "" if block.lower().startswith("cache") else "within"
    if any(part in plain for part in _HOUR):
        return "hour", where
    if any(part in plain for part in _MINUTES):
        return "minutes", where
    return "written" if any(part in whole for part in _WRITES) else "read", where


def usage_of(body: Any, *, is_beside: bool = False) -> Usage:
    """What an answer counts as used, by all names that providers and gateways have for it.

    OpenAI's interface counts what a cache read and took in within the prompt; OpenRouter, LiteLLM
    and DeepSeek do so too. Gateways pass Anthropic's and Bedrock's counts on either way: names, the
    total, or a prompt that is less tell that they are beside it. The rest of the total is thought,
    which xAI and gateways to Gemini count beside the completion.

    Parameters
    ----------
    is_beside : whether a cache's tokens are beside the prompt in any case, as Anthropic has them.
    """
    used = body.get("usage") or body.get("usageMetadata")
    used = used if isinstance(used, Mapping) else {}
    counts, places = _counts_in(used)
    prompt, completion = counts.get("prompt", 0), counts.get("completion", 0)
    total, thought = counts.get("total", 0), counts.get("thought", 0)
    read, hour = counts.get("read", 0), counts.get("hour", 0)
    written = max(counts.get("written", 0), counts.get("minutes", 0) + hour)
    both = read + written
    rest = total - prompt - completion
    if is_beside:
        prompt += both
    elif both and rest > 0 and rest != thought:
        prompt += next((n for n in (both, read, written) if n and rest in (n, n + thought)), 0)
    elif both > prompt or (both and "beside" in places and "within" not in places):
        prompt += both
    if not is_beside:
        # More thought than completion is beside it, whatever the total has.
        completion += thought if thought > completion else 0
        completion = max(completion, total - prompt if prompt else 0)
    read = min(read, prompt)
    written = min(written, prompt - read)
    return Usage(prompt, read, completion, written, min(hour, written), _tier_of(body, used))


def _counts_in(used: Mapping[str, Any]) -> tuple[dict[str, int], set[str]]:
    """The counts of a usage by what they are of, and where those of a cache stand."""
    counts: dict[str, int] = {}
    places = set()
    blocks: list[tuple[str, Any]] = [("", used)]
    for block, members in blocks:
        for name, value in members.items():
            inner = _by_time(value) if isinstance(value, list) else value
            if isinstance(inner, Mapping):
                if inner and len(blocks) < _MOST_BLOCKS:
                    blocks.append((f"{block}{name}", inner))
                continue
            kind, place = _kind_of(block, str(name)[:60])
            tokens = count(value) if kind else 0
            if tokens and (not isinstance(value, str) or "token" in str(name).lower()):
                counts[kind] = max(tokens, counts.get(kind, 0))
                places.add(place)
    return counts, places


def _by_time(entries: Sequence[Any]) -> dict[str, Any]:
    """Bedrock's list of what was written to a cache for which time, as others have it by names."""
    timed = [each for each in entries[:_MOST_BLOCKS] if isinstance(each, Mapping) and "ttl" in each]
    return {f"written_{str(e['ttl'])[:9]}_tokens": e.get("inputTokens") for e in timed}


def _tier_of(body: Mapping[str, Any], used: Mapping[str, Any]) -> str:
    """The tier of service of an answer; "" for the one that everybody has.

    Anthropic's ``speed`` and ``inference_geo`` are tiers, too: they have prices of their own.
    """
    tiers: list[str] = []
    for names in _TIERS:
        said = next((part[n] for n in names for part in (used, body) if part.get(n)), "")
        if not said:
            continue
        said = said.get("type") if isinstance(said, Mapping) else said
        tier = label(said, 40).lower() if said else ""
        if tier.replace("-", "_") not in _STANDARD:
            tiers.append(tier)
    return "+".join(tiers)


#: Blocks of a usage that are looked at.
_MOST_BLOCKS = 20
