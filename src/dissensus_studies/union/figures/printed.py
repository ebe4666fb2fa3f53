"""What the source printed, beside what this run has."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from dissensus.report.labels import MISSING, interval, number, percent, whole
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View
from dissensus.stats.balance import clopper_pearson

from ..tables import SIDES

#: What the source counts over its debates.
CLAIMS, DEBATES, CLUSTERS = 609, 24, 38
#: Of so many first debates it says that the opposition won all. Of the first so many verdicts that
#: its repository has these are for the proposition and for the opposition; one has none.
FIRST, PUBLISHED = 15, (3, 11)
#: Rebuttals of the proposition's claims, and of the opposition's, in the nine annotations that the
#: source has published.
REBUTTALS = ((9, 0), (9, 0), (13, 0), (13, 0), (8, 0), (9, 0), (15, 0), (10, 0), (14, 0))
_EMPTY = ""


def table_printed(artefacts: Artefacts, view: View) -> Table:
    """Printed, implied by what is printed, and found here."""
    rows = [*_verdict_rows(artefacts), *_claim_rows(artefacts), *_other_rows(artefacts)]
    note = (
        'Printed: the numbers of the post "Simulating a Cambridge Union Debate With Multi-Agent '
        "LLMs\", not ours. Its speakers, motion and models are others than this run's, so that no "
        "number here is a replication. Implied: what follows from the printed numbers, and from "
        "the verdicts and annotations that its repository has published. Limits are Clopper and "
        "Pearson's, of debates as independent, which those of one motion and one cast are not."
    )
    columns = ("Quantity", "Post, as printed", "Implied", "This run")
    title = "The post's printed numbers beside this run's"
    return make("table_printed", title, columns, rows, note, view.simulated)


def _verdict_rows(artefacts: Artefacts) -> Iterator[Row]:
    verdicts = artefacts.frame("verdicts")
    won = verdicts["winner"].value_counts()
    ours = [int(won.get(side, 0)) for side in SIDES]
    low, _ = clopper_pearson(FIRST, FIRST)
    for_, against = PUBLISHED
    yield (
        "Wins of the opposition",
        f"{FIRST} of the first {FIRST}",
        f"[{percent(low, 0)}, 100%]; of the first {FIRST} verdicts that are published {against}, "
        f"and {for_} of the proposition",
        f"{ours[1]} of {len(verdicts)}, and {ours[0]} of the proposition",
    )
    one_way = sum(0 in counts for counts in REBUTTALS)
    flagged = int(verdicts["one_sided"].sum())
    yield (
        "Annotations that find rebuttals one way only",
        "a bug that a prompt has mended",
        f"{one_way} of the {len(REBUTTALS)} that are published",
        f"{flagged} of {len(verdicts)} flagged",
    )


def _claim_rows(artefacts: Artefacts) -> Iterator[Row]:
    claims, clusters = artefacts.frames("claims", "clusters")
    debates = claims["session_id"].nunique()
    yield (
        "Claims of a debate",
        f"{CLAIMS} of {DEBATES} debates",
        number(CLAIMS / DEBATES, 1),
        number(len(claims) / debates, 1) if debates else MISSING,
    )
    yield (
        "Clusters of arguments",
        f"{CLUSTERS} of {CLAIMS} claims",
        f"{number(CLAIMS / CLUSTERS, 1)} claims a cluster",
        f"{len(clusters)} of {len(claims):,} claims",
    )
    yield (
        "Claims of a cluster that survive",
        "near 100% in some; 30 to 45% contested in others",
        _EMPTY,
        f"{_range(clusters['survives'])}; contested {_range(clusters['contested'])}",
    )
    yield (
        "Win share of the side that makes a cluster's argument",
        "86% at most",
        "picked among 38, without its side's base rate",
        f"{_range(clusters['won'])}; beyond the base rate "
        + interval(clusters["lift"].min(), clusters["lift"].max(), 2, "−"),
    )


def _other_rows(artefacts: Artefacts) -> Iterator[Row]:
    scores, points, speeches = artefacts.frames("scores", "points", "speeches")
    overall = scores["mean"]
    yield (
        "Rubric's scores of speeches",
        "7.5 to 8.5, all",
        _EMPTY,
        f"{number(overall.min(), 1)} to {number(overall.max(), 1)}",
    )
    yield (
        "Points of information that are taken",
        "some 45%, less for late speakers",
        _EMPTY,
        f"{percent(points['accepted'].mean(), 0)} of {len(points):,}",
    )
    yield (
        "Words of a speech",
        "some 1,350 asked for",
        _EMPTY,
        whole(round(float(speeches["words"].mean()))) if len(speeches) else MISSING,
    )
    yield "Dollars of a debate", "8 to 12", "160 to 240 for 20", "see what was spent"


def _range(shares: pd.Series) -> str:
    """The least and the most of shares, in per cent."""
    return f"{percent(shares.min(), 0)} to {percent(shares.max(), 0)}"
