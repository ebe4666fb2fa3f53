"""The tables of the estimates: coaching, wins, survival, and the clusters of arguments."""

from __future__ import annotations

import numpy as np

from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import MISSING, interval, number, p_value, percent
from dissensus.report.tables import Table, make
from dissensus.report.view import View
from dissensus.union.figures.coaching import OUTCOMES
from dissensus.union.figures.frames import ALL, FATES, footnotes, kind_words
from dissensus.union.tables import CONTESTED

_CONTRASTS = {
    "mean": "mean",
    "difference": "coached − control",
    "difference_in_differences": "the same, less epoch 1",
}
_METHODS = {
    "t": "t over debates",
    "paired_randomisation": "paired randomisation",
    "cluster_robust": "clustered by motion",
}


def table_coaching(artefacts: Artefacts, view: View) -> Table:
    """Coached less control over all coached epochs, and by epoch, with the power of the design."""
    rows = records(artefacts.frame("coaching"))
    marks, notes = footnotes(row["note"] for row in rows)
    gains = [name for name in (rows[0] if rows else {}) if name.startswith("power_")]
    cells = [
        (
            OUTCOMES[row["outcome"]],
            _CONTRASTS[row["contrast"]],
            row["arm"] if row["contrast"] == "mean" else MISSING,
            str(row["epoch"]) if row["epoch"] else "from 2",
            _METHODS[row["method"]],
            number(row["estimate"]),
            interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            f"{row['n']}/{row['assigned']}",
            number(row["mde_80"], 2),
            *(percent(row[name], 0) for name in gains),
            "yes" if row["headline"] else "",
            marks[row["note"]],
        )
        for row in rows
    ]
    columns = (
        *("Outcome", "Estimate of", "Arm", "Epoch", "Method", "Estimate", f"{view.level} CI"),
        *("p", "p (Holm)", "N", "MDE, 80%"),
        *(f"Power, {float(name.removeprefix('power_')):g}" for name in gains),
        *("Headline", "Note"),
    )
    note = (
        "From 2: all coached epochs together, paired by draw; the headline is the first outcome’s. "
        "N: draws with both debates (of those that the design has); of a mean, debates. Holm: over "
        "outcomes, where epochs stand together; else over the epochs from 2. MDE: the smallest "
        "gain that such runs find with 80% power; power for gains of so many shares: of a t test "
        "with the observed spread of the draws."
        f"{notes}"
    )
    return make("table_coaching", "What coaching changes", columns, cells, note, view.simulated)


def table_wins(artefacts: Artefacts, view: View) -> Table:
    """Shares won, lost and contested by side, and lifts by speaker and place."""
    wins = artefacts.frame("wins")
    rows = [
        (
            _motion(row["motion_id"]),
            row["side"] or row["speaker"],
            str(row["place"]) if row["place"] else MISSING,
            _share(row, "won"),
            _share(row, "lost"),
            _share(row, CONTESTED),
            percent(row["base"]),
            _points(row["lift"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            p_value(row["p_bh"]),
            str(row["n"]),
        )
        # A speaker is in all debates of a motion: only places have a lift.
        for row in records(wins[wins["by"] != "speaker"])
    ]
    columns = (
        *("Motion", "Side or speaker", "Place", "Won", "Lost", "Contested", "Base rate", "Lift"),
        *("p", "p (Holm)", "p (BH)", "Debates"),
    )
    note = (
        f"Shares of debates, contested ones in every denominator, with {view.level} "
        "intervals that resample draws, of which each has a debate in both arms. Place: of the "
        "speech on its side, which is drawn at random. Base rate: what the side won in the same "
        "motion and arm; for a side, half the share of decided debates. "
        "Lift: percentage points above it. p by permutation within motion, both debates of a draw "
        "together; of a side, by sign flips, which is one test for both sides. Adjusted within "
        "motion over all places."
    )
    return make("table_wins", "Who wins", columns, rows, note, view.simulated)


def table_survival(artefacts: Artefacts, view: View) -> Table:
    """Shares by fate for every type of claim, both arms together."""
    survival = artefacts.frame("survival")
    rows = survival[(survival["arm"] == ALL) & (survival["by"] != "epoch")]
    found: dict[tuple[str, str, str], dict[str, Record]] = {}
    for row in records(rows):
        found.setdefault((row["motion_id"], row["by"], row["group"]), {})[row["fate"]] = row
    cells = []
    for (motion, by, group), fates in found.items():
        first = next(iter(fates.values()))
        named = (kind_words(by), kind_words(group) if by == "kind" else group)
        shares = [_of_fate(fates.get(fate)) for fate in FATES]
        cells.append((_motion(motion), *named, *shares, str(first["n"]), str(first["n_clusters"])))
    columns = ("Motion", "By", "Group", "Survive", "Contested", "Demolished", "Claims", "Debates")
    note = (
        f"Per cent of claims with {view.level} intervals that resample debates. Survive: in the "
        "grounded extension, and no counted rebuttal has points. Claims of the last speech cannot "
        "be answered, so that late speakers look robust: compare the rows by speech."
    )
    return make("table_survival", "What becomes of claims", columns, cells, note, view.simulated)


def table_clusters(artefacts: Artefacts, view: View) -> Table:
    """The clusters of the map."""
    clusters, names = artefacts.frames("clusters", "cluster_names")
    named = keyed(names, "cluster")
    rows = [
        (
            _motion(row["motion_id"]),
            str(row["cluster"]),
            named[row["cluster"]]["name"],
            str(row["claims"]),
            str(row["debates"]),
            percent(row["proposition"]),
            f"{percent(row['survives'])} {_limits(row, 'survives')}",
            percent(row["won"]),
            _points(row["lift"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            p_value(row["p_bh"]),
            _shift(row["first_epoch"], row["last_epoch"]),
            _shift(row["first_epoch_control"], row["last_epoch_control"]),
        )
        for row in records(clusters)
    ]
    columns = (
        *("Motion", "No.", "Cluster", "Claims", "Debates", "By the proposition", "Survive", "Won"),
        *("Lift", "p", "p (Holm)", "p (BH)", "Students, coached", "Students, control"),
    )
    note = (
        "Survive: with an interval that resamples debates. Won: share of "
        "debates won by the sides that make a claim of the cluster; lift: percentage points above "
        "the base rate of their side. Nobody was told at random what to claim: a lift is an "
        "association. p by permutation of verdicts within motion, adjusted over its clusters. "
        "Students: the cluster’s share of their claims, first and last epoch."
    )
    return make("table_clusters", "Clusters of arguments", columns, rows, note, view.simulated)


def _motion(name: str) -> str:
    return "all motions" if name == ALL else name


def _share(row: Record, name: str) -> str:
    return f"{percent(row[name])} {_limits(row, name)}"


def _limits(row: Record, name: str) -> str:
    return interval(100 * row[f"{name}_low"], 100 * row[f"{name}_high"], 0)


def _of_fate(row: Record | None) -> str:
    if row is None or not np.isfinite(row["estimate"]):
        return MISSING
    return f"{percent(row['estimate'])} {interval(100 * row['ci_low'], 100 * row['ci_high'], 0)}"


def _points(value: float) -> str:
    return number(100 * value, 1)


def _shift(first: float, last: float) -> str:
    return f"{percent(first, 0)} → {percent(last, 0)}"
