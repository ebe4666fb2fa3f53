"""The session that names the clusters of a motion's claims, from claims of each."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dissensus.session.inputs import Inputs
from dissensus.session.protocol import Decoding, Steps, restartable
from dissensus.session.replies import JsonReply

from ..map.tables import CLUSTERS, MAP
from ..prompts import Wording
from ..replies import ClusterName
from .asking import Asking, ask
from .style import spread

#: The artefacts of the clusters and of the claims in them.
CLUSTERS_FILE, MAP_FILE = "clusters.parquet", "map.parquet"
#: Claims of a cluster that its name is made from.
SAMPLES = 20
#: Clusters that are assumed where calls are counted before a run.
EXPECTED_CLUSTERS = 20
EXPECTED = json.dumps({"name": "words that name it", "description": ""})


@restartable
def name_clusters(
    wording: Wording, motion: tuple[str, str], model: str, decoding: Decoding, inputs: Inputs
) -> Steps:
    """The session as a protocol: one call for each cluster, all at once.

    Parameters
    ----------
    wording : of all prompts.
    motion : its id and its text.
    model : that is asked.
    decoding : of its replies.
    inputs : the map.
    """
    calls = [
        ask(
            str(cluster),
            "name",
            model,
            wording.cluster(motion[1], claims),
            JsonReply(ClusterName),
            wording.judging.repair,
            decoding,
            "name",
            required=False,
            expected=EXPECTED,
        )
        for cluster, claims in _clusters(motion[0], inputs)
    ]
    yield from Asking().step("names", calls)


def _clusters(motion_id: str, inputs: Inputs) -> Sequence[tuple[int, list[str]]]:
    """The clusters of a motion by number, each with some of its claims, spread over all debates."""
    rows = inputs.rows_of(CLUSTERS_FILE, CLUSTERS, {"motion_id": motion_id}, EXPECTED_CLUSTERS)
    return [(row["cluster"], _claims(row["cluster"], inputs)) for row in rows]


def _claims(cluster: int, inputs: Inputs) -> list[str]:
    rows = inputs.rows_of(MAP_FILE, MAP, {"cluster": cluster}, SAMPLES)
    return [str(rows[place]["text"]) for place in spread(len(rows), SAMPLES)]
