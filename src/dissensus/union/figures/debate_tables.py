"""The tables of what was said: verdicts, speakers, points of information, claims."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dissensus.report.artefacts import Artefacts
from dissensus.report.labels import MISSING, number, percent
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import View
from dissensus.union.figures.frames import attrition, kind_words
from dissensus.union.tables import CONTESTED, FATES, KINDS, LAYERS, SIDES


def table_verdicts(artefacts: Artefacts, view: View) -> Table:
    """Debates by verdict and by the layer that decided, for each motion, arm and epoch."""
    verdicts, manifest = artefacts.frames("verdicts", "manifest")
    debates = manifest[manifest["kind"] == "debate"]
    cells = list(dict.fromkeys(zip(*(debates[name] for name in _CELL), strict=True)))
    rows = []
    for cell in sorted(cells):
        own, drawn = (_of(frame, cell) for frame in (verdicts, debates))
        winners, layers = own["winner"].value_counts(), own["decided_by"].value_counts()
        whole = own["panel"].isin((*SIDES, CONTESTED))
        rows.append(
            (
                *map(str, cell),
                f"{len(own)}/{len(drawn)}",
                *(str(int(winners.get(name, 0))) for name in (SIDES[0], CONTESTED, SIDES[1])),
                *(str(int(layers.get(name, 0))) for name in (*LAYERS, "none")),
                _part(own["passes_agree"].to_numpy(dtype=bool)[whole.to_numpy(dtype=bool)]),
                str(int(own["one_sided"].sum())),
            )
        )
    columns = (
        *("Motion", "Arm", "Epoch", "Complete", "Proposition", "Contested", "Opposition"),
        *("By panel", "By annotation", "By rubric", "By audit", "By none"),
        *("Passes agree", "One-sided"),
    )
    note = (
        "Complete: debates that ran to their end (of those drawn). A 3–3 panel is contested, and "
        "nobody wins. Passes agree: both passes of the blind panel have the same majority, of the "
        "debates with a panel. One-sided: the annotation found ten rebuttals one way and none the "
        "other, asked twice."
    )
    facts = {"attrition": attrition(verdicts, manifest)}
    return make("table_verdicts", "Verdicts", columns, rows, note, view.simulated, facts)


_CELL = ("motion_id", "arm", "epoch")


def _of(frame: pd.DataFrame, cell: Row) -> pd.DataFrame:
    kept = np.ones(len(frame), dtype=bool)
    for name, value in zip(_CELL, cell, strict=True):
        kept &= (frame[name] == value).to_numpy(dtype=bool)
    return frame[kept]


def table_speakers(artefacts: Artefacts, view: View) -> Table:
    """What each speaker's speeches were like on each motion."""
    speeches, scores, claims = artefacts.frames("speeches", "scores", "claims")
    key = ["motion_id", "side", "speaker"]
    rows = []
    for motion, side, speaker in sorted(set(zip(*(speeches[name] for name in key), strict=True))):
        own, scored, made = (
            frame[(frame["motion_id"] == motion) & (frame["speaker"] == speaker)]
            for frame in (speeches, scores, claims)
        )
        rows.append(
            (
                motion,
                speaker,
                side,
                "yes" if own["student"].iloc[0] else "",
                str(len(own)),
                number(float(own["words"].mean()), 0),
                _part(own["length_kept"].to_numpy(dtype=bool)),
                number(len(made) / len(own), 1),
                _part((made["fate"] == FATES[0]).to_numpy(dtype=bool)),
                _mean(scored["mean"], 1),
                _mean(scored["recalibrated"], 1),
                _mean(scored["rank"], 1),
            )
        )
    columns = (
        *("Motion", "Speaker", "Side", "Student", "Speeches", "Words", "Length kept"),
        *("Claims a speech", "Survive", "Rubric", "Recalibrated", "Rank"),
    )
    note = (
        "Means over speeches of both arms. Length kept: 1,000 to 1,800 words. Survive: share of "
        "the speaker’s claims. Rubric: mean of five dimensions, 1 to 10, each speech scored alone; "
        "recalibrated and rank: against the other speeches of its debate, 1 the best."
    )
    return make("table_speakers", "Speakers", columns, rows, note, view.simulated)


def table_points(artefacts: Artefacts, view: View) -> Table:
    """Points of information: offered, drawn, accepted and answered, by place of the speech."""
    points, speeches = artefacts.frames("points", "speeches")
    rows = []
    for number_, own in speeches.groupby("speech"):
        drawn = points[points["speech"] == number_]
        accepted = drawn["accepted"].to_numpy(dtype=bool)
        answered = (drawn["answer"].str.strip() != "").to_numpy(dtype=bool)
        rows.append(
            (
                str(number_),
                str(len(own)),
                str(int(own["offered"].sum())),
                str(len(drawn)),
                str(int(accepted.sum())),
                _part(accepted),
                str(int((accepted & answered).sum())),
            )
        )
    columns = ("Speech", "Debates", "Offered", "Drawn", "Accepted", "Share", "Answered")
    note = (
        "Offered: at arguments outside protected time. Drawn: of these at random, so many a speech "
        "at most. Share: accepted of drawn; chance decides, by the probability of the settings. "
        "Answered: accepted with an answer that could be read."
    )
    return make("table_points", "Points of information", columns, rows, note, view.simulated)


def table_claims(artefacts: Artefacts, view: View) -> Table:
    """Claims by kind and side."""
    claims = artefacts.frame("claims")
    rows = []
    for kind in KINDS:
        for side in SIDES:
            own = claims[(claims["kind"] == kind) & (claims["side"] == side)]
            rows.append(
                (
                    kind_words(kind),
                    side,
                    str(len(own)),
                    _part(own["specific"].to_numpy(dtype=bool)),
                    _mean(own["points"], 2),
                    _mean(own["rebuttals"], 2),
                    *(_part((own["fate"] == fate).to_numpy(dtype=bool)) for fate in FATES),
                )
            )
    columns = (
        *("Kind", "Side", "Claims", "Specific", "Points", "Rebuttals"),
        *("Survive", "Contested", "Demolished"),
    )
    note = (
        "Points: mean of what the tally gives for a claim, halves of demolished claims and of the "
        "last speech taken off. Rebuttals: mean number by later speeches of the other side."
    )
    return make("table_claims", "Claims", columns, rows, note, view.simulated)


def _part(flags: np.ndarray) -> str:
    return percent(float(flags.mean())) if len(flags) else MISSING


def _mean(values: pd.Series[float], digits: int) -> str:
    known = values.dropna().to_numpy(dtype=float)
    return number(float(known.mean()), digits) if len(known) else MISSING
