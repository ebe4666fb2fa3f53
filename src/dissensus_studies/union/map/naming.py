"""What clusters are called: as a model named them, or else by their most central claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dissensus.session.quoting import one_line

from ..replies import ClusterName, read

Row = Mapping[str, Any]

#: What stands for a model where the claim nearest to a cluster's middle is its name.
CLAIM = "claim"
#: Letters of such a claim; one that is longer ends with a clause, or else at a word.
_MOST = 120
#: Where a clause of it ends.
_CLAUSE = re.compile(r"[,;:]\s|[，；：]")


def name_clusters(clusters: Iterable[Row], turns: Iterable[Row], namer: str) -> list[Row]:
    """The name of every cluster.

    Parameters
    ----------
    clusters : rows of ``clusters.parquet``.
    turns : rows of ``turns.parquet``; those of sessions that name clusters count, in which the
        speaker is the number of a cluster.
    namer : the model that was asked; "" for none.

    Returns
    -------
    Rows of :data:`~.map.tables.CLUSTER_NAMES`, in the order of the clusters. A name
    that cannot be used, or that was not given, gives way to the cluster's most central claim,
    with the terms that set its claims apart as the description.
    """
    name_of = {
        (turn["motion_id"], turn["speaker"]): read(ClusterName, turn["text"])
        for turn in turns
        if turn["kind"] == "names"
    }
    rows: list[Row] = []
    for cluster in clusters:
        naming = name_of.get((cluster["motion_id"], str(cluster["cluster"])))
        rows.append(
            {
                **{name: cluster[name] for name in ("motion_id", "cluster")},
                "name": one_line(naming.name) if naming else _short(cluster["example"]),
                "description": one_line(naming.description) if naming else _terms(cluster["terms"]),
                "named_by": namer if naming else CLAIM,
            }
        )
    return rows


def _short(claim: str) -> str:
    """A claim in a line, ended where a clause or a word ends if it is long."""
    words = one_line(claim)
    if len(words) <= _MOST:
        return words
    clauses = [match.start() for match in _CLAUSE.finditer(words, _MOST // 2, _MOST)]
    kept = words[: clauses[-1]] if clauses else words[:_MOST].rsplit(maxsplit=1)[0]
    return f"{kept} …"


def _terms(terms: str) -> str:
    return f"Words that set its claims apart: {terms}." if terms else ""
