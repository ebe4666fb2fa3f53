"""Looks at a study that may stop, from the paired differences of its draws so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.anytime import looks_at
from dissensus.design.contrasts import adjust_family, contrast_row, defined
from dissensus.design.pairs import Columns, by_arm, pairs_of, units_of, without_rounding
from dissensus.design.stopping import ANYTIME, GO_ON, STOP, Rule
from dissensus.design.weights import Contrast
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate

Row = dict[str, Any]


def paired_differences(
    metrics: pd.DataFrame,
    compared: Sequence[Contrast],
    outcome: str,
    columns: Columns,
    blocks: Mapping[Any, int],
    bounds: tuple[float, float] | None = None,
) -> list[Row]:
    """Rows of :data:`~dissensus.design.stopping.DIFFERENCES`.

    Parameters
    ----------
    metrics : a row a session, with ``complete``.
    compared : the headline's contrasts.
    outcome : the primary one, a column of the metrics.
    columns : names of the other columns.
    blocks : draw_id -> its block.
    bounds : the smallest and the largest value that the outcome can have; None where it has none.
    """
    if not len(metrics):
        return []
    wide = by_arm(metrics, outcome, columns).sort_index()
    clusters = units_of(metrics, columns)[columns.cluster]
    pairs = [(each, pairs_of(wide, clusters, each)) for each in compared]
    return [
        {
            "contrast": each.name,
            "outcome": outcome,
            "arm": each.arm,
            "reference": each.reference,
            "draw_id": str(draw),
            "block": blocks[draw],
            "cluster": str(cluster),
            "difference": defined(float(difference)),
            "bound": bounds and (bounds[1] - bounds[0]) * sum(each.treated.values()),
        }
        for each, of in pairs
        for draw, cluster, difference in zip(
            wide.index,
            clusters,
            without_rounding(of.differences, of.treated, of.reference),
            strict=True,
        )
    ]


def looks_of(differences: pd.DataFrame, rule: Rule, together: bool = True) -> list[Row]:
    """The looks until the study stops, or until the last block that there is.

    The differences of a cluster are added up, as the sign-flip test does. A cluster whose draws
    come in several blocks counts by those of its first one: its sign is known afterwards, and is
    no fair coin.

    Parameters
    ----------
    differences : of :data:`~dissensus.design.stopping.DIFFERENCES`, of the blocks so far.
    rule : when to stop.
    together : whether to compute the limits that hold for all contrasts together. Of m contrasts
        each has then, besides its own, an interval of level 1 - (1 - confidence)/m (Bonferroni):
        all hold at any look what they estimate, also the one that is picked because it is large.

    Returns
    -------
    Rows of :data:`~dissensus.design.stopping.LOOKS`, look by look; none of blocks
    after the one that it stops at.
    """
    if differences.empty:
        return []
    blocks = sorted(differences["block"].unique())
    run = [int((differences.drop_duplicates("draw_id")["block"] <= b).sum()) for b in blocks]
    contrasts = [of for _, of in differences.groupby("contrast", sort=False)]
    level = 1.0 - (1.0 - rule.confidence) / len(contrasts)
    family = level if together else None
    by_contrast = [_of_contrast(of, blocks, rule.confidence, family) for of in contrasts]
    rows: list[Row] = []
    # What comes after a stop is not computed.
    for draws, at_look in zip(run, zip(*by_contrast, strict=True), strict=False):
        # What ends the study is what it is then said to have found.
        adjusted = adjust([row["p_value"] for row in at_look], "holm")
        is_known = rule.is_met(at_look, list(adjusted))
        verdict = {"draws": draws, "verdict": STOP if is_known else GO_ON, "rule": rule.words}
        rows += [{**row, **verdict} for row in at_look]
        if is_known:
            break
    return rows


def _of_contrast(
    differences: pd.DataFrame, blocks: Sequence[int], confidence: float, family: float | None
) -> Iterator[Row]:
    """One contrast at every look, without the verdict; ``family``: the level of joint limits."""
    ordered = differences.sort_values(["block", "draw_id"], kind="stable")
    complete = ordered[ordered["difference"].notna()]
    first = complete.groupby("cluster")["block"].transform("min")
    counted = complete[complete["block"] == first]
    of_cluster = counted.groupby("cluster", sort=False)["difference"]
    sums, sizes = (of_cluster.agg(name).to_numpy(np.float64) for name in ("sum", "size"))
    begun = counted.drop_duplicates("cluster")["block"].to_numpy()
    after = [int((begun <= block).sum()) for block in blocks]
    bound = float(ordered["bound"].iloc[0]) if ordered["bound"].notna().all() else None
    names = {name: ordered[name].iloc[0] for name in ("contrast", "outcome", "arm", "reference")}
    looks = looks_at(sums, sizes, after, confidence, bound)
    wide = looks_at(sums, sizes, after, family, bound) if family else repeat(None)
    for block, clusters, look, joint in zip(blocks, after, looks, wide, strict=False):
        yield {
            **names,
            "block": int(block),
            "n": int(sizes[:clusters].sum()),
            "n_clusters": clusters,
            "estimate": float(sums[:clusters].sum() / sizes[:clusters].sum()) if clusters else None,
            "ci_low": _limit(look.ci_low),
            "ci_high": _limit(look.ci_high),
            "family_low": _limit(joint.ci_low) if joint else None,
            "family_high": _limit(joint.ci_high) if joint else None,
            "e_value": look.e_value,
            "p_value": look.p_value,
        }


def _limit(value: float) -> float | None:
    return value if np.isfinite(value) else None


def anytime_rows(looks: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The last look as rows of contrasts, which the study is then judged by.

    Holm's adjustment is over the contrasts: their p-values hold at any look.
    """
    last = looks[-1]["block"] if looks else None
    rows = []
    for row in (row for row in looks if row["block"] == last):
        numbers: dict[str, Any] = {
            name: NAN if row[name] is None else row[name]
            for name in ("estimate", "ci_low", "ci_high", "p_value", "n", "n_clusters")
        }
        names = (row["outcome"], row["arm"], row["reference"], ANYTIME)
        made = contrast_row(*names, Estimate(**numbers), headline=True)
        limits = {name: row[name] for name in ("contrast", "family_low", "family_high")}
        rows.append({**made, **limits})
    adjust_family(rows)
    return rows


def judged_by(looks: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> list[Row]:
    """Contrasts of which those of the last look are the headline, where there are looks.

    All others are as of a study of so many draws that was not looked at before. A contrast that the
    looks leave out stays what it is.
    """
    if not looks:
        return list(rows)
    last = anytime_rows(looks)
    at_look = {row["contrast"] for row in last}
    # A test of so many draws has no level where evidence chose how many.
    no_floor = {"headline": False, "floor_p": None, "floor_n": 0}
    others = ({**row, **(no_floor if row["contrast"] in at_look else {})} for row in rows)
    return [*last, *others]
