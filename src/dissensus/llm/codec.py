"""A provider's interface as a codec: what is sent of a call, and how what comes back is read.

A codec sends nothing and decides nothing. Journal, limits, budget, outages, refusals, parts of
thought and the outcome of what cannot be used are the same for all, whatever a codec says.
"""

from __future__ import annotations

import json
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from dissensus.errors import ProviderError
from dissensus.llm.call import Reply, Request, Usage
from dissensus.llm.exchange import Post
from dissensus.llm.outcomes import finish_reason, label
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
    """A count of tokens as a provider reports it; 0 where it reports none or nonsense."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 < value < _ABSURD else 0


def plain_text(content: Any, kind: str = "text") -> str:
    """The text of a message's content, a string or the blocks of a kind in a list of blocks.

    A block without a type is text, and so is one of the type ``output_text``; nothing is what has
    no sign that is seen.
    """
    if isinstance(content, list):
        content = "".join(_text_of(block, kind) for block in content)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    # A reply cut off inside an emoji ends with half a character, which UTF-8 cannot write.
    said = content.encode(errors="replace").decode().strip()
    return said if any(map(_is_seen, said)) else ""


#: Types of blocks that are text, beside ``text`` itself.
_TEXTS = (None, "", "text", "output_text")


def _text_of(block: Any, kind: str) -> str:
    of_kind = block.get("type") in (_TEXTS if kind == "text" else (kind,))
    text = block.get(kind) if of_kind else None
    # Some write a text as an object with its value.
    return (text.get("value") if isinstance(text, Mapping) else text) or ""


def _is_seen(character: str) -> bool:
    """Whether a character leaves a mark: no space, control, format, or filler that is a letter."""
    return unicodedata.category(character)[0] not in "ZC" and character not in _FILLERS


#: Letters and signs that show nothing: fillers of Hangul, and the blank of Braille.
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0\u034f"
