"""From claims and verdicts to the map and its clusters.

Each motion has a map of its own: claims of two motions seldom mean the same, their difference would
be most of what a common picture shows, and win shares are compared within motions. The maps stand
side by side in one picture, where distances between two of them mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Row
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.study.makes import makes
from dissensus.text.embeddings import Vectors
from dissensus.text.terms import commonest_terms

from .clusters import NONE, find_clusters
from .projection import project
from .summaries import summarise
from .tables import CLUSTERS, MAP, MAP_CALLS

Embed = Callable[[Sequence[str]], Vectors]

#: Vectors that agree so far are one point; coordinates are written so far.
_DIGITS = 6
#: Room between two maps, as a part of the widest.
_GAP = 0.15


@dataclass(frozen=True)
class Options:
    """How claims are mapped.

    Attributes
    ----------
    settings : ``projection``, ``neighbors``, ``min_dist`` and ``min_cluster``.
    inference : ``confidence`` and ``resamples``.
    seed : of UMAP and of the permutations.
    """

    settings: Mapping[str, Any]
    inference: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class Place:
    """Where the distinct texts of a motion lie.

    Attributes
    ----------
    picture : shape (n, 2).
    clusters : from 1 by falling number of claims, -1 for none; shape (n,).
    examples : cluster -> the text nearest to its centre.
    """

    picture: FloatArray
    clusters: IntArray
    examples: Mapping[int, str]


@makes(map=MAP, clusters=CLUSTERS, calls=MAP_CALLS)
def map_run(
    claims: pd.DataFrame,
    verdicts: pd.DataFrame,
    embed: Embed,
    map: Mapping[str, Any],
    inference: Mapping[str, Any],
    seed: int,
) -> tuple[list[Row], list[Row]]:
    """The stage of :func:`map_claims`; its settings are those of :class:`Options`."""
    return map_claims(claims, verdicts, embed, Options(map, inference, seed))


def map_claims(
    claims: pd.DataFrame, verdicts: pd.DataFrame, embed: Embed, options: Options
) -> tuple[list[Row], list[Row]]:
    """The map of all claims, and their clusters.

    Parameters
    ----------
    claims : columns of ``claims.parquet``; any number of rows.
    verdicts : columns of ``verdicts.parquet``.
    embed : from distinct texts to unit vectors; called once.
    options : how claims are mapped.

    Returns
    -------
    Rows of :data:`~.map.tables.MAP` in the order of the claims, and of
    :data:`~.map.tables.CLUSTERS`, numbered by motion and falling number of claims.
    Claims in no cluster are in no row of the second.

    Raises
    ------
    SettingError : UMAP is asked for and not installed.
    """
    if claims.empty:
        return [], []
    texts = sorted(set(claims["text"]))
    vectors = dict(zip(texts, np.asarray(embed(texts), dtype=np.float64), strict=True))
    maps: list[pd.DataFrame] = []
    clusters: list[Row] = []
    for motion in sorted(set(claims["motion_id"])):
        of_motion, judged = (rows[rows["motion_id"] == motion] for rows in (claims, verdicts))
        mapped, rows = _map_motion(of_motion, judged, vectors, options)
        _number_from(len(clusters), mapped, rows)
        maps.append(mapped)
        clusters += rows
    _stand_apart(maps)
    everything = pd.concat(maps).loc[claims.index]
    winners = dict(zip(verdicts["session_id"], verdicts["winner"], strict=True))
    everything["winner"] = [winners[name] for name in everything["session_id"]]
    listed = everything[list(MAP.columns)].to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in listed], clusters


def _map_motion(
    claims: pd.DataFrame,
    verdicts: pd.DataFrame,
    vectors: Mapping[str, FloatArray],
    options: Options,
) -> tuple[pd.DataFrame, list[Row]]:
    """A motion's claims with their places, and its clusters, numbered from 1."""
    counts = claims["text"].value_counts().sort_index()
    texts = [str(text) for text in counts.index]
    embedded = np.array([vectors[text] for text in texts])
    place = locate(texts, embedded, counts.tolist(), options)
    members = [
        [text for text, label in zip(texts, place.clusters, strict=True) if label == number]
        for number in sorted(place.examples)
    ]
    terms = dict(enumerate(commonest_terms(members), start=1))
    row_of = {text: row for row, text in enumerate(texts)}
    rows = np.array([row_of[text] for text in claims["text"]])
    numbers = place.clusters[rows]
    mapped = claims.assign(
        x=place.picture[rows, 0],
        y=place.picture[rows, 1],
        cluster=numbers,
    )
    summaries = summarise(mapped, verdicts, options.inference, options.seed)
    for row in summaries:
        number = row["cluster"]
        row |= {"terms": terms[number], "example": place.examples[number]}
    return mapped, summaries


def locate(
    texts: Sequence[str], vectors: FloatArray, counts: Sequence[int], options: Options
) -> Place:
    """Where distinct texts lie, and their clusters.

    Parameters
    ----------
    texts : sorted, no two alike.
    vectors : of them, shape (n, d), n at least 1.
    counts : how many claims have each.
    options : how claims are mapped.

    Notes
    -----
    Texts with one vector are one point. Projection and clusters count a point once; the centre of a
    cluster is the mean over its claims.
    """
    rounded = np.round(vectors, _DIGITS)
    _, first, point = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    # In the order of the texts, and not of the vectors' first numbers.
    order = np.argsort(first)
    point = np.argsort(order)[point.ravel()]
    projected = project(vectors[np.sort(first)], options.settings, options.seed)
    raw = find_clusters(projected, options.settings["min_cluster"])[point]
    weights = np.asarray(counts, dtype=np.float64)
    clusters = np.full(len(texts), NONE, dtype=np.int64)
    examples = {}
    for number, rows in enumerate(_by_size(raw, weights), start=1):
        clusters[rows] = number
        space = projected.space[point[rows]]
        centre = np.average(space, axis=0, weights=weights[rows])
        apart = np.round(np.linalg.norm(space - centre, axis=1), _DIGITS)
        examples[number] = texts[int(rows[np.argmin(apart)])]
    return Place(projected.picture[point], clusters, examples)


def _by_size(labels: IntArray, weights: FloatArray) -> list[IntArray]:
    """The rows of each cluster, by falling weight; where that is equal, by the first row."""
    members = [np.flatnonzero(labels == label) for label in np.unique(labels[labels != NONE])]
    return sorted(members, key=lambda rows: (-float(weights[rows].sum()), int(rows[0])))


def _number_from(before: int, mapped: pd.DataFrame, rows: list[Row]) -> None:
    """Number a motion's clusters on from those of the motions before it."""
    mapped.loc[mapped["cluster"] != NONE, "cluster"] += before
    for row in rows:
        row["cluster"] += before


def _stand_apart(maps: Sequence[pd.DataFrame]) -> None:
    """Move the maps side by side, and round their coordinates."""
    widths = [float(np.ptp(part["x"])) for part in maps]
    gap = _GAP * max(widths) or 1.0
    left = 0.0
    for part, width in zip(maps, widths, strict=True):
        part["x"] = (part["x"] - part["x"].min() + left).round(_DIGITS)
        part["y"] = (part["y"] - (part["y"].min() + part["y"].max()) / 2.0).round(_DIGITS)
        left += width + gap
