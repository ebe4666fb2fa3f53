"""Small made-up runs as figures and tables read them: estimates by the study's own code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dissensus.report.view import Artefacts, View
from made_frames import frame_of

from ..inference.audit import JUDGES, audit_judges
from ..inference.coaching import COACHING, estimate_coaching
from ..inference.survival import SURVIVAL, estimate_survival
from ..inference.wins import WINS, estimate_wins
from ..map.summaries import summarise
from ..map.tables import CLUSTER_NAMES, CLUSTERS, MAP
from ..tables import POINTS, SCORES, SPEECHES
from .union_ensembles import Ensemble, always_a, fair, make_ensemble

GAINS = (0.0, 0.1, 0.2, 0.3)
INFERENCE = {"confidence": 0.95, "resamples": 200}
VIEW = View("union", {"epochs": 4, "confidence": 0.95}, True)
JUDGED = (("judge-a", fair), ("judge-b", fair), ("judge-that-follows-slots", always_a))

LABELLED = tuple((name, fair) for name, _ in JUDGED)


@dataclass(frozen=True)
class Run:
    """Every frame that figures and tables are made from."""

    manifest: pd.DataFrame
    verdicts: pd.DataFrame
    speeches: pd.DataFrame
    scores: pd.DataFrame
    claims: pd.DataFrame
    points: pd.DataFrame
    judges: pd.DataFrame
    wins: pd.DataFrame
    survival: pd.DataFrame
    coaching: pd.DataFrame
    clusters: pd.DataFrame
    cluster_names: pd.DataFrame
    map: pd.DataFrame

    @property
    def artefacts(self) -> Artefacts:
        return Artefacts({}, dict(vars(self)))


@cache
def make_run(motions: int = 2, epochs: int = 4, runs: int = 5) -> Run:
    """A run of which one debate is lost; with no motions, an empty one."""
    made = make_ensemble(max(motions, 1), epochs, runs, blind=JUDGED, labelled=LABELLED, gain=0.2)
    if not motions:
        made = Ensemble(**{name: frame.iloc[:0] for name, frame in vars(made).items()})
    lost = made.manifest["session_id"].iloc[-1] if len(made.manifest) > 2 else ""
    kept = {
        name: frame[frame["session_id"] != lost].reset_index(drop=True)
        for name, frame in vars(made).items()
        if name != "manifest"
    }
    return of(replace(made, **kept))


def of(made: Ensemble) -> Run:
    """With all that is estimated of an ensemble."""
    points = [row for row in map(_point, made.speeches.to_dict("records")) if row]
    scores = [_score(row) for row in made.speeches.to_dict("records")]
    clusters = _clusters(made)
    return Run(
        made.manifest,
        made.verdicts,
        made.speeches,
        frame_of(SCORES, scores),
        made.claims,
        frame_of(POINTS, points),
        frame_of(JUDGES, audit_judges(made.votes, made.verdicts, INFERENCE, 1)),
        frame_of(WINS, estimate_wins(made.verdicts, made.speeches, made.manifest, INFERENCE, 1)),
        frame_of(SURVIVAL, estimate_survival(made.claims, INFERENCE, 1)),
        frame_of(COACHING, estimate_coaching(made.verdicts, made.manifest, INFERENCE, GAINS, 1)),
        clusters,
        frame_of(
            CLUSTER_NAMES,
            clusters[["motion_id", "cluster"]].assign(name="words that name it", description=""),
        ),
        _map(made, clusters),
    )


def _map(made: Ensemble, clusters: pd.DataFrame) -> pd.DataFrame:
    """Each claim in a place of its own, the clusters of a motion apart from each other."""
    numbers = {motion: own["cluster"].tolist() for motion, own in clusters.groupby("motion_id")}
    rows = []
    for place, claim in enumerate(made.claims.to_dict("records")):
        own = numbers.get(claim["motion_id"], [])
        kind = int(claim["claim_id"].split(".")[1]) % 3
        cluster = own[kind] if kind < len(own) else -1
        rows.append({**claim, "cluster": cluster, "x": kind + place % 7 / 20, "y": place % 5 / 5})
    return frame_of(MAP, [{name: row[name] for name in MAP.columns if name in row} for row in rows])


def _point(speech: dict[str, Any]) -> dict[str, Any] | None:
    """One point of information for every second speech, taken at every fourth."""
    number = speech["speech"]
    if number % 2:
        return None
    shared = {name: speech[name] for name in SPEECHES.columns if name in POINTS.columns}
    accepted = number % 4 == 0
    answer = "An answer." if accepted else ""
    more = {"offer": 1, "argument": 2, "accepted": accepted, "text": "A point.", "answer": answer}
    return {**shared, **more}


def _score(speech: dict[str, Any]) -> dict[str, Any]:
    shared = {name: speech[name] for name in SPEECHES.columns if name in SCORES.columns}
    mean = 4.0 + 0.5 * speech["speech"]
    return {**shared, "mean": mean, "rank": float(speech["speech"]), "recalibrated": mean - 1.0}


def _clusters(made: Ensemble) -> pd.DataFrame:
    """Two clusters a motion: claims with an even number, and those of one in three."""
    rows: list[dict[str, Any]] = []
    numbers = made.claims["claim_id"].map(lambda name: int(name.split(".")[1])).astype(int)
    clustered = made.claims.assign(cluster=np.select([numbers % 2 == 0, numbers == 3], [1, 2], -1))
    for motion in sorted(set(made.claims["motion_id"])):
        own = clustered[clustered["motion_id"] == motion]
        # The first kind is in all debates; the second, in those of odd runs.
        own = own[(own["cluster"] != 2) | (own["run"] % 2 == 1)]
        judged = made.verdicts[made.verdicts["motion_id"] == motion]
        found = summarise(own, judged, INFERENCE, 1)
        rows += [
            {**row, "cluster": len(rows) + n, "terms": "some, terms", "example": "A claim."}
            for n, row in enumerate(found, 1)
        ]
    return frame_of(CLUSTERS, rows)
