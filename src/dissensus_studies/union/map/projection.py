"""Where claims lie: a picture of two dimensions, and the space in which clusters are looked for.

UMAP (McInnes, Healy & Melville 2018) draws what is near together, and leaves room between groups;
clusters are looked for in its picture. Principal components show a small part of what sets texts
apart, and groups overlap in their picture. So with them clusters are looked for in a space of more
dimensions: the directions of the texts' vectors after a truncated singular value decomposition, as
in latent semantic analysis (Deerwester et al. 1990), in which distance is that of cosines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from dissensus.stats.checks import FloatArray

from .extra import check_projection

#: Dimensions of the space of clusters beside principal components. On claims of the simulated
#: speakers, 10 to 15 give about as many clusters.
DIMENSIONS = 12
#: UMAP of fewer points has nothing to learn from.
_FEWEST = 6
_BLAS = ThreadpoolController()
_TINY = 1e-9


@dataclass(frozen=True)
class Projection:
    """Where n points lie.

    Attributes
    ----------
    picture : shape (n, 2).
    space : shape (n, d), in which clusters are looked for by Euclidean distance.
    """

    picture: FloatArray
    space: FloatArray


def project(vectors: FloatArray, settings: Mapping[str, Any], seed: int) -> Projection:
    """Where texts lie, from their vectors.

    Parameters
    ----------
    vectors : unit vectors, shape (n, d), no two alike; n may be 0.
    settings : ``projection``, ``neighbors`` and ``min_dist``.
    seed : of UMAP; the same gives the same picture.

    Returns
    -------
    Where there are fewer than 6 points, principal components stand in for UMAP. Where there are
    fewer points than neighbours, UMAP has all others for neighbours.

    Raises
    ------
    SettingError : UMAP is asked for and not installed.
    """
    check_projection(settings["projection"])
    # One thread: the last bits of a product depend on how many share it.
    with _BLAS.limit(limits=1):
        if settings["projection"] == "umap" and len(vectors) >= _FEWEST:
            picture = _umap(vectors, settings, seed)
            return Projection(picture, picture)
        return Projection(principal_components(vectors), _directions(vectors))


def principal_components(vectors: FloatArray) -> FloatArray:
    """The first two principal components, shape (n, 2); zeros where there is nothing to tell."""
    if len(vectors) < 2:
        return np.zeros((len(vectors), 2))
    return _scores(vectors - vectors.mean(axis=0), 2)


def _directions(vectors: FloatArray) -> FloatArray:
    """Unit vectors in the space of the first singular vectors."""
    if not len(vectors):
        return np.zeros((0, DIMENSIONS))
    scores = _scores(vectors, DIMENSIONS)
    lengths = np.linalg.norm(scores, axis=1, keepdims=True)
    return np.asarray(scores / np.maximum(lengths, _TINY))


def _scores(vectors: FloatArray, dimensions: int) -> FloatArray:
    """Coordinates along the first singular vectors; zeros where there are fewer of these."""
    left, sizes, right = np.linalg.svd(vectors, full_matrices=False)
    kept = min(dimensions, int((sizes > _TINY).sum()))
    largest = np.abs(right[:kept]).argmax(axis=1)
    # A singular vector may as well point the other way: its largest coordinate is positive.
    signs = np.sign(right[np.arange(kept), largest])
    scores = np.zeros((len(vectors), dimensions))
    scores[:, :kept] = left[:, :kept] * (sizes[:kept] * signs)
    return scores


def _umap(vectors: FloatArray, settings: Mapping[str, Any], seed: int) -> FloatArray:
    # Takes a second to import, and far longer the first time.
    from umap import UMAP

    neighbours = min(settings["neighbors"], len(vectors) - 1)
    model = UMAP(
        n_neighbors=neighbours,
        min_dist=settings["min_dist"],
        metric="cosine",
        # Its spectral start needs more points than a few.
        init="spectral" if len(vectors) > settings["neighbors"] else "random",
        random_state=seed % 2**32,
        n_jobs=1,
    )
    return np.asarray(model.fit_transform(vectors), dtype=np.float64)
