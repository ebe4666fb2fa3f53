"""The tables of the estimates: judges, coaching, wins, survival, and the clusters of arguments."""

from __future__ import annotations

from functools import partial

from dissensus.report.frames import Column, Record, keyed, limits, records, tabulate
from dissensus.report.labels import (
    MISSING,
    number,
    percent,
    percents,
    share_interval,
)
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

from ..map.cluster_table import (
    LIFT,
    P_VALUES,
    all_or,
    cluster_table,
    share_column,
)
from ..tables import ALL, CONTESTED, FATES
from .coaching import outcome_words
from .frames import BIASES, UNBIASED, footnotes, kind_words

_CONTRASTS = {
    "mean": "mean",
    "difference": "coached − control",
    "difference_in_differences": "the same, less epoch 1",
}
_METHODS = {
    "logit_t": "t over debates, logit scale",
    "exact": "exact, over debates",
    "paired_randomisation": "paired randomisation",
    "cluster_robust": "clustered by motion",
}
_STATISTICS = {
    "share_a": "share for slot A",
    "log_odds": "log odds per 100 words",
    "share_proposition": "share for “proposition”",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "cohen_kappa": "Cohen’s kappa",
}


_ESTIMATE = Column("Estimate", "estimate", number)
_P, _HOLM, _ = P_VALUES


def table_judges(artefacts: Artefacts, view: View) -> Table:
    """Every judge's biases."""
    judges = artefacts.frame("judges")
    rows = records(judges[judges["bias"].isin(list(BIASES))])
    for row in rows:
        row["note"] = " ".join(filter(None, (row["note"], _by_itself(row, view.alpha))))
    marks, notes = footnotes(row["note"] for row in rows)
    columns = (
        Column("Judge", "judge", all_or("judges")),
        Column("Bias", "bias", BIASES.__getitem__),
        Column("Statistic", "statistic", _STATISTICS.__getitem__),
        *(_ESTIMATE, limits(view), _P, _HOLM),
        Column("Named: favours", "favours", _or_dash),
        Column("Follows", "followed", percent),
        Column("CI (follows)", ("followed_low", "followed_high"), partial(percents, digits=1)),
        Column("Pairs", "pairs", _or_dash),
        Column("N", "n"),
        Column("Note", "note", marks.__getitem__),
    )
    note = (
        "Follows: share of the pairs of votes that follow the slot (position) or the label (side), "
        "with the exact binomial interval. Of these pairs (N), the share for slot A or for the "
        "label “proposition”, with a mid-p interval and McNemar’s mid-p test; an unbiased judge "
        "has .5. Length: logistic regression of votes for slot A on the difference in words, "
        "adjusted for the difference in the tally and for the side in slot A, clustered by debate; "
        "an unbiased judge has 0, and quality that the tally does not see still confounds it. N of "
        "Length: readable blind votes. Holm: over judges and biases, and for all judges together "
        f"over biases; a judge is named where the adjusted p is below {view.alpha:.2g}.{notes}"
    )
    return tabulate("table_judges", "The judges’ biases", columns, rows, note, view)


def _by_itself(row: Record, alpha: float) -> str:
    """A word on an interval that leaves out the value of an unbiased judge who is not named."""
    unbiased = UNBIASED[row["bias"]]
    if row["favours"] or row["ci_low"] <= unbiased <= row["ci_high"]:
        return ""
    if not row["p_adjusted"] >= alpha:
        return ""
    tested = "all biases" if row["level"] == ALL else "all judges and biases"
    return (
        f"By itself the interval leaves out {unbiased:g}; among {tested} (Holm) that may be "
        "chance, so that nobody is named."
    )


def table_layers(artefacts: Artefacts, view: View) -> Table:
    """Agreement of judges with each other and themselves, and of every two layers."""
    judges = artefacts.frame("judges")
    rows = records(judges[judges["bias"] == "agreement"])
    marks, notes = footnotes(row["note"] for row in rows)
    columns = (
        Column("Judge or layer", "judge", all_or("judges")),
        Column("With", "compared", _or_dash),
        Column("Statistic", "statistic", _STATISTICS.__getitem__),
        *(_ESTIMATE, limits(view)),
        Column("Debates", "n"),
        Column("Note", "note", marks.__getitem__),
    )
    note = (
        "Alpha: of the blind votes, by debate, over all seats and passes, or of one judge’s own. "
        "Kappa: of the verdicts (a side, or contested) of two layers, over the debates that both "
        "decide. Intervals resample debates. 0 is agreement by chance, 1 is full agreement."
        f"{notes}"
    )
    return tabulate("table_layers", "Agreement", columns, rows, note, view)


def table_coaching(artefacts: Artefacts, view: View) -> Table:
    """Coached less control over all coached epochs, and by epoch, with the power of the design."""
    rows = records(artefacts.frame("coaching"))
    marks, notes = footnotes(row["note"] for row in rows)
    gains = [name for name in (rows[0] if rows else {}) if name.startswith("power_")]
    columns = (
        Column("Outcome", "outcome", outcome_words),
        Column("Estimate of", "contrast", _CONTRASTS.__getitem__),
        Column("Arm", ("contrast", "arm"), lambda of, arm: arm if of == "mean" else MISSING),
        Column("Epoch", "epoch", lambda epoch: str(epoch or "from 2")),
        Column("Method", "method", _METHODS.__getitem__),
        *(_ESTIMATE, limits(view), _P, _HOLM),
        Column("N", ("n", "assigned"), "{}/{}".format),
        Column("MDE, 80%", "mde_80", partial(number, digits=2)),
        *(
            Column(
                f"Power, {float(name.removeprefix('power_')):g}", name, partial(percent, digits=0)
            )
            for name in gains
        ),
        Column("Headline", "headline", lambda is_headline: "yes" if is_headline else ""),
        Column("Note", "note", marks.__getitem__),
    )
    note = (
        "From 2: all coached epochs together, paired by draw; the headline is the first outcome’s. "
        "N: draws with both debates (of those that the design has); of a mean, debates. Holm: over "
        "outcomes, where epochs stand together; else over the epochs from 2. MDE: the smallest "
        "gain that such runs find with 80% power; power for gains of so many shares: of a t test "
        "with the observed spread of the draws."
        f"{notes}"
    )
    return tabulate("table_coaching", "What coaching changes", columns, rows, note, view)


def table_wins(artefacts: Artefacts, view: View) -> Table:
    """Shares won, lost and contested by side, and lifts by speaker and place."""
    wins = artefacts.frame("wins")
    columns = (
        Column("Motion", "motion_id", all_or("motions")),
        Column("Side or speaker", ("side", "speaker"), lambda side, speaker: side or speaker),
        Column("Place", "place", _or_dash),
        *(share_column(name.capitalize(), name) for name in ("won", "lost", CONTESTED)),
        Column("Base rate", "base", percent),
        LIFT,
        *P_VALUES,
        Column("Debates", "n"),
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
    return tabulate("table_wins", "Who wins", columns, records(wins), note, view)


def table_survival(artefacts: Artefacts, view: View) -> Table:
    """Shares by fate for every type of claim, both arms together."""
    survival = artefacts.frame("survival")
    groups: dict[tuple[str, str, str], Record] = {}
    for row in records(survival[(survival["arm"] == ALL) & (survival["by"] != "epoch")]):
        shown = groups.setdefault((row["motion_id"], row["by"], row["group"]), dict(row))
        shown[row["fate"]] = share_interval(row["estimate"], row["ci_low"], row["ci_high"])
    columns = (
        Column("Motion", "motion_id", all_or("motions")),
        Column("By", "by", kind_words),
        Column(
            "Group", ("by", "group"), lambda by, group: kind_words(group) if by == "kind" else group
        ),
        *(
            Column(head, fate)
            for head, fate in zip(("Survive", "Contested", "Demolished"), FATES, strict=True)
        ),
        Column("Claims", "n"),
        Column("Debates", "n_clusters"),
    )
    note = (
        f"Per cent of claims with {view.level} intervals that resample draws, each with a "
        "debate in every arm. Survive: in the grounded extension, and no counted rebuttal has "
        "points. Claims of the last speech cannot be answered, so that late speakers look robust: "
        "compare the rows by speech."
    )
    title = "What becomes of claims"
    return tabulate("table_survival", title, columns, groups.values(), note, view)


def table_clusters(artefacts: Artefacts, view: View) -> Table:
    """The clusters of the map."""
    clusters, names = artefacts.frames("clusters", "cluster_names")
    named = keyed(names, "cluster")
    return cluster_table([row | named[row["cluster"]] for row in records(clusters)], view)


def _or_dash(value: object) -> str:
    return str(value) if value else MISSING
