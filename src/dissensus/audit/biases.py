"""What judges favour beside what they judge: the place, the side, the length."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from dissensus.audit.lists import PRO
from dissensus.audit.votes import ALL, Votes
from dissensus.stats.logistic import Grouped, logistic
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.stats.shares import Split, pooled_shares

POSITION, SIDE, LENGTH = "position", "side", "length"
#: Whose share or odds are reported, and the other.
_FAVOURS = {
    POSITION: ("what is shown first", "what is shown second"),
    SIDE: ("pro", "con"),
    LENGTH: ("the longer", "the shorter"),
}
#: Of a length's unit.
_STEP = 100.0


@dataclass
class Row:
    """A line of the audit.

    Attributes
    ----------
    judge : its name, or all.
    about : position, side, length, agreement, ties, transitivity.
    statistic : what is estimated.
    value : with its limits and its p-value.
    p_adjusted : by Holm; NaN where nothing is tested.
    favours : what a bias favours, "" where none is found.
    note : what the number rests on.
    """

    judge: str
    about: str
    statistic: str
    value: Estimate
    note: str = ""
    p_adjusted: float = NAN
    favours: str = ""


def groups(pairs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Judges by name with their rows, and all together behind them."""
    each = [(str(name), rows) for name, rows in pairs.groupby("judge", sort=True)]
    return [*each, (ALL, pairs)] if len(each) != 1 else each


def biases(votes: Votes, confidence: float) -> list[Row]:
    """Rows of all that can be asked of the file, by judge and of all judges.

    P-values are adjusted by Holm over judges and biases, and apart from them over the biases of all
    judges together. A bias is found where the adjusted one is below 1 - confidence.
    """
    by_place = _exchanged(votes.pairs, "x_first") if votes.has_names else None
    by_side = _exchanged(votes.pairs, "x_side") if votes.has_names else None
    rows: list[Row] = []
    for judge, own in groups(votes.pairs):
        rows += _first_share(judge, own, confidence)
        for about, found in ((POSITION, by_place), (SIDE, by_side)):
            if found is not None and len(found):
                mine = found if judge == ALL else found[found["judge"] == judge]
                rows += _following(judge, about, mine, confidence)
        rows += _length(judge, own, confidence)
    for family in (
        [row for row in rows if row.judge != ALL],
        [row for row in rows if row.judge == ALL],
    ):
        _adjust(family, confidence)
    return rows


def _adjust(rows: list[Row], confidence: float) -> None:
    tested = [row for row in rows if row.statistic in TESTED]
    for row, p in zip(tested, adjust([r.value.p_value for r in tested], "holm"), strict=True):
        row.p_adjusted = float(p)
        if p < 1.0 - confidence:
            above = row.value.estimate > (0.0 if row.about == LENGTH else 0.5)
            row.favours = _FAVOURS[row.about][0 if above else 1]


#: Statistics with a p-value that says whether a judge is biased.
TESTED = ("first_of_following", "pro_of_following_by_cluster", "log_odds_per_100")


def _exchanged(pairs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Decided votes of a judge on an item, with what is exchanged one way and the other.

    Of ``by`` = ``x_first``: the same sides, x shown first and second; of ``x_side``: the same
    order, x for and against. Of several votes of a judge on one arrangement the first counts.
    """
    known = pairs["x_first"].notna() if by == "x_first" else pairs["x_side"].ne("")
    used = pairs[known & pairs["for_x"].notna()]
    other = "x_side" if by == "x_first" else "x_first"
    key = ["cluster", "item", "judge", "x", "y", other]
    first = (used["x_first"] == 1.0) if by == "x_first" else (used["x_side"] == PRO)
    used = used.assign(one=first.to_numpy(), **{other: used[other].fillna(-1.0)})
    used = used.drop_duplicates([*key, "one"])
    both = used[used["one"]].merge(used[~used["one"]], on=key, suffixes=("", "_other"))
    return both[[*key, "for_x", "for_x_other"]].rename(columns={"for_x_other": "for_x_exchanged"})


def _following(judge: str, about: str, both: pd.DataFrame, confidence: float) -> list[Row]:
    decided = both[(both["for_x"] != 0.5) & (both["for_x_exchanged"] != 0.5)]
    first = decided["for_x"].to_numpy() == 1.0
    # Exchanged, a vote for y is one for the place, or the side, that x had.
    again = decided["for_x_exchanged"].to_numpy() == 0.0
    split = Split.of(first, again)
    what = "first" if about == POSITION else "pro"
    follow = (first == again).astype(float)[:, None]
    clusters = decided["cluster"].to_numpy()
    followed = share_over(follow, np.ones_like(follow), clusters, confidence)
    followed = replace(followed, p_value=NAN)
    ties = len(both) - len(decided)
    note = f"Of {split.pairs} pairs of decided votes, {split.same} follow the {about}."
    note += f" {ties} pairs with a tie are not counted." if ties else ""
    rows = [
        Row(judge, about, "following", followed, "Share of exchanged pairs that follow it."),
        Row(judge, about, f"{what}_of_following", split.estimate(confidence), note),
    ]
    if about == SIDE:
        same = first == again
        for_pro = first[same].astype(float)[:, None]
        by_cluster = share_over(for_pro, np.ones_like(for_pro), clusters[same], confidence)
        words = (
            f"The same over {by_cluster.n_clusters} clusters; a motion that is easier to argue for "
            "looks like a judge that favours a side."
        )
        rows.append(Row(judge, about, f"{what}_of_following_by_cluster", by_cluster, words))
    return rows


def share_over(
    cases: np.ndarray, sizes: np.ndarray, clusters: np.ndarray, confidence: float
) -> Estimate:
    """A share over clusters, with the p-value of one half."""
    if not len(cases):
        return Estimate(NAN)
    codes, names = pd.factorize(clusters)
    above = np.bincount(codes, cases[:, 0], minlength=len(names))[:, None]
    below = np.bincount(codes, sizes[:, 0], minlength=len(names))[:, None]
    found = pooled_shares(above, below, confidence)
    share, se = float(found.estimate[0]), float(found.se[0])
    p_value = NAN
    if se > 0.0:
        # On the logit scale, as the limits are.
        wide = se / (share * (1.0 - share))
        p_value = float(2.0 * special.stdtr(len(names) - 1.0, -abs(special.logit(share)) / wide))
    elif len(names) > 1 and share in (0.0, 1.0):
        # All one way leaves no spread: the exact chance of it, a cluster a case.
        p_value = min(1.0, 2.0 * 0.5 ** len(names))
    limits = float(found.low[0]), float(found.high[0])
    return Estimate(share, se, *limits, p_value, len(cases), len(names))


def _first_share(judge: str, own: pd.DataFrame, confidence: float) -> list[Row]:
    """Share of all decided votes that go to what is shown first, and to pro."""
    rows = []
    decided = own[own["for_x"].isin((0.0, 1.0))]
    for about, what, known, first in (
        (POSITION, "first", decided["x_first"].notna(), decided["x_first"] == 1.0),
        (SIDE, "pro", decided["x_side"].ne(""), decided["x_side"] == PRO),
    ):
        used = decided[known]
        if used.empty:
            continue
        cases = ((used["for_x"] == 1.0) == first[known]).to_numpy(dtype=float)[:, None]
        share = share_over(cases, np.ones_like(cases), used["cluster"].to_numpy(), confidence)
        share = replace(share, p_value=NAN)
        note = "Of all decided votes; a bias only if chance decided which of the two it was."
        rows.append(Row(judge, about, f"{what}_of_votes", share, note))
    return rows


def _length(judge: str, own: pd.DataFrame, confidence: float) -> list[Row]:
    """Log odds of a vote for what is 100 longer, as the union study's audit of judges has it."""
    used = own[own["longer"].notna() & own["for_x"].isin((0.0, 1.0))]
    if used.empty or not used["longer"].any():
        return []
    first = used["x_first"].to_numpy()
    turned = np.where(first == 0.0, -1.0, 1.0)
    sided = used["x_side"].ne("").to_numpy() * np.where(used["x_side"] == PRO, 1.0, -1.0)
    cells = pd.DataFrame(
        {
            "cluster": used["cluster"].to_numpy(),
            "longer": used["longer"].to_numpy() * turned / _STEP,
            "place": np.where(np.isnan(first), 0.0, 1.0),
            "side": sided * turned,
            "won": (used["for_x"].to_numpy() == 1.0) == (turned > 0),
        }
    )
    # Where the order is unknown, which is x is the alphabet's choice: no term for its place. What a
    # judge makes of a side, whose texts may be the longer ones, is not of the length.
    others = ["place"] if cells["side"].nunique() == 1 else ["place", "side"]
    by_cell = cells.groupby(["cluster", "longer", *others])["won"].agg(["sum", "size"])
    keys = by_cell.reset_index()
    data = Grouped.of(keys["longer"], keys[others], keys["sum"], keys["size"], keys["cluster"])
    fit = logistic(data, confidence)
    note = "An association: lengths are not randomised, and longer may be better."
    if np.isnan(fit.estimate):
        note = "Too few clusters, or no vote that differs from the others."
    return [Row(judge, LENGTH, "log_odds_per_100", fit, note)]
