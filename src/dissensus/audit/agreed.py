"""How far judges agree, how many they are worth, ties, and circles among their preferences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import sparse, special

from dissensus.audit.biases import Row, groups, share_over
from dissensus.audit.columns import preference
from dissensus.audit.votes import ALL, Votes
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN, Estimate

AGREEMENT, TIES, TRANSITIVITY = "agreement", "ties", "transitivity"
#: Judges of whom all pairs are looked at for the effective number.
_MOST_JUDGES = 60


def jackknife(
    sums: FloatArray, of: Callable[[FloatArray], FloatArray], confidence: float, n: int
) -> Estimate:
    """A function of sums over clusters, with an interval that leaves out one cluster at a time.

    Parameters
    ----------
    sums : shape (g, c); each cluster's part.
    of : from totals of shape (b, c) to values of shape (b,).
    n : what is counted.

    Returns
    -------
    Student's t interval with g - 1 degrees of freedom; no limits below two clusters, or where the
    values do not differ.

    Notes
    -----
    Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11. It needs g values where a
    bootstrap needs thousands for each cluster.
    """
    count = len(sums)
    if not count:
        return Estimate(NAN)
    total = sums.sum(axis=0)
    value = float(of(total[None, :])[0])
    if count < 2:
        return Estimate(value, n=n, n_clusters=count)
    left = of(total[None, :] - sums)
    if not np.isfinite(left).all() or np.ptp(left) < 1e-12:
        return Estimate(value, n=n, n_clusters=count)
    se = float(np.sqrt((count - 1) / count * ((left - left.mean()) ** 2).sum()))
    half = float(special.stdtrit(count - 1, 0.5 + confidence / 2.0)) * se
    return Estimate(value, se, value - half, value + half, NAN, n, count)


def agreement(votes: Votes, confidence: float) -> tuple[list[Row], list[str]]:
    """Alpha, AC1 and the effective number of judges; and what cannot be told."""
    scored = votes.scores.dropna(subset=["score"])
    rows: list[Row] = []
    units = _units(votes)
    shared = units.groupby("unit")["judge"].transform("size") > 1
    if units["judge"].nunique() < 2 and scored["judge"].nunique() < 2:
        return [], ["agreement: one judge agrees with nobody"]
    both = units[shared]
    repeated = int(len(votes.pairs["for_x"].dropna()) - len(units))
    if len(both):
        rows += _nominal(both, confidence, repeated)
        rows += _effective(both, confidence)
    if len(scored):
        rows += _interval(scored, confidence)
    untold = [] if rows else ["agreement: no two judges judge the same thing"]
    return rows, untold


def _units(votes: Votes) -> pd.DataFrame:
    """``unit``, ``judge``, ``cluster``, ``said``: a judge's first vote on each arrangement.

    Where votes name sides, they are compared as sides; where the order of one item varies within a
    judge, each order is a unit of its own.
    """
    read = votes.pairs[votes.pairs["for_x"].notna()]
    sides = read["x_side"].ne("")
    same = read.groupby(["judge", "item", "x", "y", "x_side"])["x_first"].transform("nunique")
    by_order = bool((same > 1).any())
    key = ["item", "x", "y", "x_side", *(["x_first"] if by_order else [])]
    unit = read.groupby(key, sort=False, dropna=False).ngroup()
    # As sides; else as places, if judges see the same; else as things.
    flipped = np.where(sides, read["x_side"] == "con", by_order & (read["x_first"] == 0.0))
    said = np.where(flipped, 1.0 - read["for_x"], read["for_x"])
    made = pd.DataFrame(
        {
            "unit": unit.to_numpy(),
            "judge": read["judge"].to_numpy(),
            "cluster": read["cluster"].to_numpy(),
            "said": said,
        }
    )
    return made.drop_duplicates(["unit", "judge"])


def _nominal(both: pd.DataFrame, confidence: float, repeated: int) -> list[Row]:
    names = sorted(set(both["said"]))
    counts = pd.crosstab(both["unit"], both["said"])[names].to_numpy(dtype=float)
    clusters = both.groupby("unit")["cluster"].first()
    size = counts.sum(axis=1)
    within = (size**2 - (counts**2).sum(axis=1)) / (size - 1.0)
    pairs = (counts * (counts - 1.0)).sum(axis=1) / (size * (size - 1.0))
    columns = np.column_stack([within, np.ones_like(size), pairs, counts, counts / size[:, None]])
    sums = _by_cluster(columns, clusters.to_numpy())
    q, n = len(names), len(size)

    def alpha(total: FloatArray) -> FloatArray:
        codes = total[:, 3 : 3 + q]
        every = codes.sum(axis=1)
        expected = (every**2 - (codes**2).sum(axis=1)) / (every - 1.0)
        return 1.0 - _quotient(total[:, 0], expected)

    def ac1(total: FloatArray) -> FloatArray:
        shares = _quotient(total[:, 3 + q :], np.repeat(total[:, [1]], q, axis=1))
        chance = (shares * (1.0 - shares)).sum(axis=1) / max(q - 1, 1)
        return _quotient(_quotient(total[:, 2], total[:, 1]) - chance, 1.0 - chance)

    note = f"{n} things that two or more judges judged."
    note += f" {repeated} repeated votes of a judge on one thing are left out." if repeated else ""
    made = []
    for name, of in (("krippendorff_alpha", alpha), ("gwet_ac1", ac1)):
        value = jackknife(sums, of, confidence, n)
        words = note
        if np.isnan(value.estimate):
            words = "All votes are for one side: there is nothing to agree on."
        elif np.isnan(value.ci_low):
            words = f"{note} No interval: clusters do not differ, or there is one."
        made.append(Row(ALL, AGREEMENT, name, value, words))
    share = share_over(pairs[:, None], np.ones((n, 1)), clusters.to_numpy(), confidence)
    share = replace(share, p_value=NAN)
    return [Row(ALL, AGREEMENT, "pairwise_share", share, note), *made]


def _effective(both: pd.DataFrame, confidence: float) -> list[Row]:
    """Kish's effective number, from the mean correlation of two judges' votes."""
    judges = sorted(set(both["judge"]))
    if len(judges) > _MOST_JUDGES:
        return []
    table = both.pivot(index="unit", columns="judge", values="said")[judges].to_numpy()
    clusters = both.groupby("unit")["cluster"].first().to_numpy()
    parts, used = [], []
    for one, other in combinations(range(len(judges)), 2):
        x, y = table[:, one], table[:, other]
        here = ~np.isnan(x + y)
        if here.sum() > 1 and x[here].std() > 0 and y[here].std() > 0:
            x, y = np.where(here, x, 0.0), np.where(here, y, 0.0)
            parts.append(np.column_stack([here, x, y, x * x, y * y, x * y]))
            used.append((one, other))
    if not parts:
        return []
    sums = _by_cluster(np.hstack(parts), clusters)

    most = float(len(judges))

    def share(total: FloatArray) -> FloatArray:
        n, x, y, xx, yy, xy = np.moveaxis(total.reshape(len(total), -1, 6), 2, 0)
        spread = np.sqrt(np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0))
        correlation = _quotient(n * xy - x * y, spread).mean(axis=1)
        return np.asarray(1.0 + (most - 1.0) * correlation)

    # The limits are those of the mean correlation, turned: none is one that no judges can have.
    of = jackknife(sums, share, confidence, len(table))
    number, se = _over(most, of.estimate), _over(most, of.estimate) * _over(of.se, of.estimate)
    low, high = _over(most, min(of.ci_high, most)), _over(most, of.ci_low)
    value = replace(of, estimate=number, se=se, ci_low=low, ci_high=high, p_value=NAN)
    note = (
        f"Of {len(judges)} judges, from {len(used)} pairs of them. Of votes, not of errors: judges "
        "who are right together are counted as one, too. More than that are judges who disagree "
        "more often than chance has it."
    )
    return [Row(ALL, AGREEMENT, "kish_effective_number", value, note)]


def _over(above: float, below: float) -> float:
    """A quotient, infinite where what is below is not above 0."""
    return above / below if np.isnan(below) or below > 1e-9 else np.inf


def _interval(scored: pd.DataFrame, confidence: float) -> list[Row]:
    """Alpha for interval data of scores of single things."""
    once = scored.drop_duplicates(["item", "judge"])
    once = once[once.groupby("item")["judge"].transform("size") > 1]
    if once.empty:
        return []
    score = once["score"].to_numpy()
    codes, _ = pd.factorize(once["item"])
    score = score - score.mean()
    size = np.bincount(codes).astype(float)
    total, squares = np.bincount(codes, score), np.bincount(codes, score**2)
    within = 2.0 * (size * squares - total**2) / (size - 1.0)
    clusters = once.groupby(codes)["cluster"].first().to_numpy()
    sums = _by_cluster(np.column_stack([within, size, total, squares]), clusters)

    def alpha(at: FloatArray) -> FloatArray:
        n = at[:, 1]
        return 1.0 - _quotient(at[:, 0], 2.0 * (n * at[:, 3] - at[:, 2] ** 2) / (n - 1.0))

    value = jackknife(sums, alpha, confidence, len(size))
    note = f"Of scores, for interval data; {len(size)} things that two or more judges scored."
    return [Row(ALL, AGREEMENT, "krippendorff_alpha_of_scores", value, note)]


def ties(votes: Votes, confidence: float) -> list[Row]:
    """Share of ties among readable votes, by judge; nothing where the file has none."""
    read = votes.pairs[votes.pairs["for_x"].notna()]
    if not (read["for_x"] == 0.5).any():
        return []
    rows = []
    for judge, own in groups(read):
        tied = (own["for_x"] == 0.5).to_numpy(dtype=float)[:, None]
        share = share_over(tied, np.ones_like(tied), own["cluster"].to_numpy(), confidence)
        share = replace(share, p_value=NAN)
        rows.append(Row(judge, TIES, "tied", share, "Of readable votes."))
    return rows


def transitivity(votes: Votes, confidence: float) -> list[Row]:
    """Share of circles (x over y over z over x) among three things judged each against each.

    Within a cluster, by the majority of a judge's votes; a judge that votes at random makes one
    circle in four. Rankings and scores have none by construction.
    """
    if preference(votes.found) in ("ranking", "rank", "score") or not votes.has_names:
        return []
    read = votes.pairs[votes.pairs["for_x"].notna()]
    net = (
        (read["for_x"] - 0.5).groupby([read["judge"], read["cluster"], read["x"], read["y"]]).sum()
    )
    decided = net[net != 0.0].reset_index()
    table = _triads(decided) if len(decided) else decided
    rows = []
    for judge, own in groups(table) if len(table) else []:
        share = share_over(
            own[["circles"]].to_numpy(float),
            own[["triads"]].to_numpy(float),
            own["cluster"].to_numpy(),
            confidence,
        )
        share = replace(share, p_value=NAN, n=int(own["triads"].sum()))
        rows.append(Row(judge, TRANSITIVITY, "circles", share, "Of triads; at random it is .25."))
    return rows


def _triads(decided: pd.DataFrame) -> pd.DataFrame:
    """``judge``, ``cluster``, ``circles``, ``triads``, where there are any.

    All judges and clusters are one graph of parts that do not touch. With A[i, j] = 1 where i beats
    j and T = A + A', the sums of the rows of (A A) * A' count each circle once for each
    of its three things, and those of (T T) * T each triad twice.
    """
    parts = decided.groupby(["judge", "cluster"], sort=False).ngroup().to_numpy()
    ends = [pd.MultiIndex.from_arrays([parts, decided[name]]) for name in ("x", "y")]
    codes, names = pd.factorize(ends[0].append(ends[1]))
    x, y = codes[: len(decided)], codes[len(decided) :]
    ahead = (decided.iloc[:, -1] > 0).to_numpy()
    winner, loser = np.where(ahead, x, y), np.where(ahead, y, x)
    shape = (len(names), len(names))
    beats = sparse.csr_array((np.ones(len(decided)), (winner, loser)), shape=shape)
    meets = beats + beats.T
    circles = (beats @ beats).multiply(beats.T).sum(axis=1)
    triads = (meets @ meets).multiply(meets).sum(axis=1)
    of_part = names.get_level_values(0).to_numpy()
    counts = [
        np.bincount(of_part, each, minlength=int(parts.max()) + 1) for each in (circles, triads)
    ]
    table = decided.assign(part=parts).drop_duplicates("part")[["judge", "cluster"]]
    table = table.assign(circles=counts[0] / 3.0, triads=counts[1] / 6.0)
    return table[table["triads"] > 0.0]


def _by_cluster(columns: FloatArray, clusters: np.ndarray) -> FloatArray:
    codes, names = pd.factorize(clusters)
    return np.column_stack(
        [np.bincount(codes, column, minlength=len(names)) for column in columns.T]
    )


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    found = np.full(np.shape(above), NAN)
    np.divide(above, below, out=found, where=np.abs(below) > 1e-12)
    return found
