"""Clusters of claims by their density: HDBSCAN (Campello, Moulavi & Sander 2013)."""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import IntArray

from .projection import Projection

#: Of a claim that is in no cluster.
NONE = -1


def find_clusters(projection: Projection, min_cluster: int) -> IntArray:
    """The cluster of each point, from 0, and -1 for those in none.

    Parameters
    ----------
    projection : of points of which no two are alike.
    min_cluster : the fewest points of a cluster.

    Returns
    -------
    Shape (n,). All -1 where there are fewer points than that.

    Notes
    -----
    A text counts once here, however many debates have it: repeated, it would be a point of
    infinite density and a cluster of its own. Sizes, centres and shares of clusters count every
    claim. In the picture a point is a core by ``min_cluster`` neighbours, itself among them, as is
    usual. In the larger space half as many do, since there points lie so far apart that nearly all
    would be in no cluster.
    """
    # Takes most of a second to import.
    from sklearn.cluster import HDBSCAN

    space = projection.space
    if len(space) < min_cluster:
        return np.full(len(space), NONE, dtype=np.int64)
    flat = space.shape[1] == projection.picture.shape[1]
    fitted = HDBSCAN(
        min_cluster_size=min_cluster,
        min_samples=min_cluster if flat else (min_cluster + 1) // 2,
        copy=True,
    ).fit(space)
    return np.asarray(fitted.labels_, dtype=np.int64)
