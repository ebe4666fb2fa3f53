"""The tables of what was said: verdicts, speakers, points of information, claims."""

from __future__ import annotations

from functools import partial

import pandas as pd

from dissensus.report.frames import Column, Record, mean, records, tabulate
from dissensus.report.labels import number, percent
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

from ..measures.totals import by_epoch, by_speaker
from ..tables import CONTESTED, FATES, KINDS, LAYERS, SIDES
from .frames import attrition, kind_words

_TENTHS = partial(number, digits=1)
_HUNDREDTHS = partial(number, digits=2)


def table_verdicts(artefacts: Artefacts, view: View) -> Table:
    """Debates by verdict and by the layer that decided, for each motion, arm and epoch."""
    verdicts, manifest = artefacts.frames("verdicts", "manifest")
    debates = manifest[manifest["kind"] == "debate"]
    rows = by_epoch(records(debates), records(verdicts))
    # A layer that decided no debate would be a column of zeros.
    decided = [layer for layer in (*LAYERS, "none") if any(row[f"by_{layer}"] for row in rows)]
    columns = (
        Column("Motion", "motion_id"),
        Column("Arm", "arm"),
        Column("Epoch", "epoch"),
        Column("Complete", ("ended", "debates"), "{}/{}".format),
        *(Column(name.capitalize(), name) for name in (SIDES[0], CONTESTED, SIDES[1])),
        *(Column(f"By {layer}", f"by_{layer}") for layer in decided),
        Column("Narrow / clear / landslide", "margins"),
        Column("Passes agree", "passes_agree", percent),
        Column("One-sided", "one_sided"),
    )
    note = (
        "Complete: debates that ran to their end (of those drawn). A 3–3 panel is contested, and "
        "nobody wins. Passes agree: both passes of the blind panel have the same majority, of the "
        "debates with a panel. One-sided: the annotation found eight rebuttals or more one way and "
        "none the other; from ten on it was asked twice. Margins: of the panel's votes three of "
        "four for a clear one and nine of ten for a landslide; of the tally's points 55% and 75%. "
        "Layers that decided no debate have no column."
    )
    facts = {"attrition": attrition(artefacts)}
    return tabulate("table_verdicts", "Verdicts", columns, rows, note, view, facts)


def table_speakers(artefacts: Artefacts, view: View) -> Table:
    """What each speaker's speeches were like on each motion, in each arm."""
    rows = by_speaker(*map(records, artefacts.frames("speeches", "scores", "claims")))
    columns = (
        Column("Motion", "motion_id"),
        Column("Speaker", "speaker"),
        Column("Side", "side"),
        Column("Student", "student", _yes),
        Column("Arm", "arm"),
        Column("Speeches", "speeches"),
        Column("Words", "words", partial(number, digits=0)),
        Column("Length kept", "length_kept", percent),
        Column("Claims a speech", "claims_a_speech", _TENTHS),
        Column("Survive", "survival", percent),
        Column("Rubric", "mean", _TENTHS),
        Column("Recalibrated", "recalibrated", _TENTHS),
        Column("Rank", "rank", _TENTHS),
    )
    note = (
        "Means over speeches. Length kept: 1,000 to 1,800 words. Survive: share of "
        "the speaker’s claims. Rubric: mean of five dimensions, 1 to 10, each speech scored alone; "
        "recalibrated and rank: against the other speeches of its debate, 1 the best."
    )
    return tabulate("table_speakers", "Speakers", columns, rows, note, view)


def table_points(artefacts: Artefacts, view: View) -> Table:
    """Points of information: offered, drawn, accepted and answered, by place of the speech."""
    points, speeches = artefacts.frames("points", "speeches")
    rows = [
        _points(str(place), spoken, points[points["speech"] == place])
        for place, spoken in speeches.groupby("speech")
    ]
    columns = (
        Column("Speech", "speech"),
        Column("Debates", "debates"),
        Column("Offered", "offered"),
        Column("Drawn", "drawn"),
        Column("Accepted", "accepted"),
        Column("Share", "share", percent),
        Column("Answered", "answered"),
    )
    note = (
        "Offered: at arguments outside protected time. Drawn: of these at random, so many a speech "
        "at most. Share: accepted of drawn; chance decides, by the probability of the settings. "
        "Answered: accepted with an answer that could be read."
    )
    return tabulate("table_points", "Points of information", columns, rows, note, view)


def _points(speech: str, spoken: pd.DataFrame, drawn: pd.DataFrame) -> Record:
    accepted = drawn["accepted"].astype(bool)
    return {
        "speech": speech,
        "debates": len(spoken),
        "offered": int(spoken["offered"].sum()),
        "drawn": len(drawn),
        "accepted": int(accepted.sum()),
        "share": mean(accepted),
        "answered": int((accepted & (drawn["answer"].str.strip() != "")).sum()),
    }


def table_claims(artefacts: Artefacts, view: View) -> Table:
    """Claims by kind and side."""
    claims = artefacts.frame("claims")
    rows = [
        _claims(kind, side, claims[(claims["kind"] == kind) & (claims["side"] == side)])
        for kind in KINDS
        for side in SIDES
    ]
    columns = (
        Column("Kind", "kind", kind_words),
        Column("Side", "side"),
        Column("Claims", "claims"),
        Column("Specific", "specific", percent),
        Column("Points", "points", _HUNDREDTHS),
        Column("Rebuttals", "rebuttals", _HUNDREDTHS),
        Column("Survive", "survives", percent),
        Column("Contested", "contested", percent),
        Column("Demolished", "demolished", percent),
    )
    note = (
        "Points: mean of what the tally gives for a claim, halves of demolished claims and of the "
        "last speech taken off. Rebuttals: mean number by later speeches of the other side."
    )
    return tabulate("table_claims", "Claims", columns, rows, note, view)


def _claims(kind: str, side: str, made: pd.DataFrame) -> Record:
    return {
        **{"kind": kind, "side": side, "claims": len(made)},
        **{name: mean(made[name]) for name in ("specific", "points", "rebuttals")},
        **{fate: mean(made["fate"] == fate) for fate in FATES},
    }


def _yes(flag: bool) -> str:
    return "yes" if flag else ""
