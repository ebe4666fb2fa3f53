"""Embeddings from a provider, under the same limits and budget as every other call."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.digests import digest
from dissensus.errors import ProviderError
from dissensus.llm.call import Reply, Usage
from dissensus.llm.exchange import Exchange, max_tokens_of, run
from dissensus.llm.journal import IN_FLIGHT, reply_from
from dissensus.llm.prices import Price
from dissensus.llm.providers.remote import Host, check_accepted
from dissensus.llm.records import Records

#: The most texts, and the most tokens (estimated from above), in one request; and where a server
#: rejects so many, fewer.
_TEXTS = 256
_FEWER = {256: 10, 10: 1}
_TOKENS = 200_000
#: The most bytes of a vector in a journal, reserved on the disk before the request.
_VECTOR_BYTES = 20_000


@dataclass(frozen=True)
class EmbeddingCall:
    """One request for embeddings: the digests of its texts, their vectors, and its reply."""

    keys: tuple[str, ...]
    vectors: tuple[str, ...]
    reply: Reply


class _Rejected(Exception):
    """A server rejects a request with several texts; with fewer it may not."""


class RemoteEmbedder:
    """An embedding model behind a provider's interface.

    Parameters
    ----------
    name : ``<provider>:<model>``, as in the configuration.
    host : gives the host, checked; called when a text is not in the journal.
    price : None where it has none.
    path : journal of the requests; texts whose vectors are in it are not sent again.
    """

    def __init__(
        self, name: str, host: Callable[[], Host], price: Price | None, path: Path
    ) -> None:
        self.name = name
        self.provider, _, self.model = name.partition(":")
        self._host = host
        self._price = price
        self._journal = _journal(path)
        self._most, self._is_plain = _TEXTS, False
        self._vectors: dict[str, str] = {}
        for call in self.calls:
            self._vectors |= dict(zip(call.keys, call.vectors, strict=False))

    @property
    def calls(self) -> list[EmbeddingCall]:
        """Every request so far, those of earlier processes among them."""
        return self._journal.records()

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of n texts, (n, d), as the model gives them.

        Raises
        ------
        ProviderError : the model cannot be used, or gave no vectors after all tries.
        DissensusError : what stops the whole run.
        """
        if not all(text.strip() for text in texts):
            raise ProviderError(
                f"embedder {self.name!r} was given a text without words, which no provider embeds; "
                "leave it out."
            )
        keys = [digest([self.model, text]) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        while new:
            batch = next(_batches(new, self._most))
            try:
                call = self._ask(batch)
            except _Rejected:
                self._most = _FEWER[self._most]
                continue
            if call.reply.error:
                raise ProviderError(
                    f"embedder {self.name!r} gave no vectors ({call.reply.error}); start again: "
                    "what it gave before is kept."
                )
            self._vectors |= dict(zip(call.keys, call.vectors, strict=True))
            new = {key: text for key, text in new.items() if key not in batch}
        return self._stacked(keys)

    def _stacked(self, keys: Sequence[str]) -> npt.NDArray[np.float32]:
        if not keys:
            return np.empty((0, 0), dtype=np.float32)
        try:
            return np.stack([_vector(self._vectors[key]) for key in keys])
        except ValueError:
            raise ProviderError(
                f"embedder {self.name!r}: {self._journal.path} holds vectors of several lengths, "
                "which no one model gives; move it away, and the texts are embedded again."
            ) from None

    def _ask(self, texts: dict[str, str]) -> EmbeddingCall:
        host = self._host()
        room = _VECTOR_BYTES * len(texts)
        with IN_FLIGHT:
            self._journal.reserve(room)
            try:
                call = self._call(host, texts)
            except BaseException:
                self._journal.release(room)
                raise
            self._journal.append({digest([list(texts), len(self._journal)]): call}, room)
        return call

    def _call(self, host: Host, texts: dict[str, str]) -> EmbeddingCall:
        tokens = sum(max_tokens_of(len(text.encode())) for text in texts.values())

        vectors: tuple[str, ...] = ()

        def parse(body: Any) -> Reply:
            nonlocal vectors
            reply, vectors = host.codec.parse_vectors(body)
            if len(vectors) != len(texts):
                raise ValueError("not as many vectors as texts")
            if len(vectors[0]) != len(next(iter(self._vectors.values()), vectors[0])):
                raise ValueError("not as long as the vectors before")
            return reply

        exchange = Exchange(self.name, parse, self._price, Usage(tokens))
        post = host.codec.post_texts(self.model, list(texts.values()), plain=self._is_plain)
        reply = run(host.http.call(exchange, post))
        if reply.error == "rejected" and not self._is_plain:
            # Some compatible servers know numbers alone.
            self._is_plain = True
            return self._call(host, texts)
        if reply.error == "rejected" and self._most in _FEWER and len(texts) > 1:
            raise _Rejected
        check_accepted(exchange, reply, host)
        return EmbeddingCall(tuple(texts), () if reply.error else vectors, exchange.ended(reply))


def journaled_calls(path: Path) -> list[EmbeddingCall]:
    """The requests in a journal.

    Raises
    ------
    ResourceError : a line is damaged.
    """
    return _journal(path).records()


def _journal(path: Path) -> Records[EmbeddingCall]:
    return Records(path, _read, _write)


def _batches(texts: dict[str, str], most: int) -> Iterator[dict[str, str]]:
    batch: dict[str, str] = {}
    tokens = 0
    for key, text in texts.items():
        more = max_tokens_of(len(text.encode()))
        if batch and (len(batch) == most or tokens + more > _TOKENS):
            yield batch
            batch, tokens = {}, 0
        batch[key] = text
        tokens += more
    if batch:
        yield batch


def _vector(encoded: str) -> npt.NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(encoded), dtype="<f4")


def _read(members: dict[str, Any]) -> EmbeddingCall:
    keys, vectors, reply = members["keys"], members["vectors"], reply_from(members["reply"])
    for texts in (keys, vectors):
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("keys or vectors are no lists of texts")
    if len(keys) != len(vectors) and not reply.error:
        raise ValueError("not as many vectors as texts")
    return EmbeddingCall(tuple(keys), tuple(vectors), reply)


def _write(call: EmbeddingCall) -> dict[str, Any]:
    return {"keys": call.keys, "vectors": call.vectors, "reply": vars(call.reply)}
