"""The artefacts of the map."""

from __future__ import annotations

from dissensus.run.embedding import embedding_calls
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import count, share, text, texts

from ..tables import CLAIMS, FATES, NUMBERS_OF_WINS, share_columns

#: The calls for embeddings of claims.
MAP_CALLS = embedding_calls("map_calls")

MAP = Schema(
    name="map",
    row="claim",
    columns={
        **CLAIMS.pick("session_id", "claim_id", "motion_id", "arm", "epoch", "run"),
        **CLAIMS.pick("speaker", "side", "kind", "fate"),
        "winner": text("Winner of its debate: proposition, opposition or contested."),
        "x": Column("float", "Where it lies from left to right; motions stand side by side."),
        "y": Column("float", "Where it lies from bottom to top."),
        "cluster": Column("int", "Number of its cluster, as in clusters; -1 for none."),
        "text": text("Words of the claim."),
    },
    key=("session_id", "claim_id"),
)


_OF_FATES = {
    name: column
    for fate, meaning in zip(FATES, ("survive", "are contested", "are demolished"), strict=True)
    for name, column in share_columns(
        fate,
        f"Share of its claims that {meaning}.",
        f"the share of claims that {meaning}, from resampled draws; may be missing.",
    ).items()
}

#: What :func:`.inference.wins.lifts` says of a cluster, by its names there. A debate
#: that nobody won is ``undecided`` here, since claims too are contested.
WINS_OF_CLUSTERS = {
    name: name.replace("contested", "undecided") for name in NUMBERS_OF_WINS if name != "note"
}

CLUSTERS = Schema(
    name="clusters",
    row="cluster of claims",
    columns={
        **CLAIMS.pick("motion_id"),
        "cluster": Column("int", "Number of the cluster, from 1 on over all motions."),
        "terms": text("The terms that set its claims apart from those of other clusters."),
        "example": text("The claim nearest to its centre."),
        "claims": count("Claims in it."),
        "distinct": count("Different texts among them."),
        "debates": count("Debates that have any of them."),
        "proposition": share("Share of its claims that the proposition made."),
        "speakers": texts("Who made its claims, by falling number of claims."),
        **_OF_FATES,
        "first_epoch": share(
            "Share of the students' claims that are in it, in the first epoch of the arm coached."
        ),
        "last_epoch": share("The same in the last epoch."),
        "first_epoch_control": share("The same in the first epoch of the arm control."),
        "last_epoch_control": share("The same in the last epoch of the arm control."),
        **{numbers: NUMBERS_OF_WINS[name] for name, numbers in WINS_OF_CLUSTERS.items()},
        "note": NUMBERS_OF_WINS["note"],
    },
    key=("cluster",),
)

CLUSTER_NAMES = Schema(
    name="cluster_names",
    row="cluster of claims",
    columns={
        **CLUSTERS.pick("motion_id", "cluster"),
        "name": text("What the cluster is called."),
        "description": text(
            "What its claims have in common: a model's sentence, or the words that set them apart."
        ),
        "named_by": text(
            "Model that named it, by its name in the configuration; or claim: its most central one."
        ),
    },
    key=("cluster",),
)
