"""What each arm changes: paired differences within draws, by two methods, with Holm's adjustment.

Every draw (a topic, a cast, a seed) is held once in every arm, so that two arms are compared by
the difference of the two sessions of a draw. Draws that repeat a topic are not independent as a
sample of topics: the headline clusters them.

The sign-flip test takes the two sessions of a draw for exchangeable where the arm changes nothing:
both are fresh conversations of the same models about the same topic, and the order in which the
arms of a draw were held is random, so that whatever drifts with time falls on either alike. Arms
are fixed conditions and not dealt to draws. The test is therefore of the null that the arm leaves
the whole distribution of the outcome as it is, and it takes draws for independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.deliberation.design.manifest import MANIFEST
from dissensus.digests import digest
from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.checks import FloatArray
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import Estimate
from dissensus.stats.signflip import sign_flip_test
from dissensus.tables.artefact import Schema
from dissensus.tables.common import chance, common, flag, text

CONTRASTS = Schema(
    name="contrasts",
    row="outcome, arm, reference and method",
    columns={
        **common("outcome"),
        **MANIFEST.pick("arm"),
        "reference": text("Arm that the arm is compared with; empty for the mean of one arm."),
        **common("method", "estimate?", "se?", "ci_low?", "ci_high?", "p_value?"),
        "p_holm": chance("P-value adjusted by Holm's method over its family of tests."),
        **common("n", "n_clusters"),
        "primary": flag("Whether this is the primary outcome against the reference."),
    },
    key=("outcome", "arm", "reference", "method"),
)

#: Declared before any data: what the study is about.
PRIMARY = "retention_last"

#: What else is compared.
SECONDARY = (
    "entropy_last",
    "entropy_drop",
    "density_mean",
    "claim_engagement",
    "silent_share",
    "dominance",
    "ignored_share",
    "sycophancy_per_opportunity",
    "quality_last",
    "agreement_last",
    "correct_last",
    "consistency",
)

#: Defined in arms with a hint alone, each in the draws whose hint is of its kind.
HINTS = ("hint_accepted", "hint_rejected")

#: The one-sample outcome: P(moves | left without answer) - P(moves | engaged), per session.
SILENCE = "silence_effect"

#: Where all arms stand together.
POOLED = "all"

HEADLINE, RANDOMISATION = "cluster_robust", "sign_flip"
METHODS = {
    HEADLINE: "Mean paired difference, CR2 standard error clustered on topic, Satterthwaite t.",
    RANDOMISATION: "Sign-flip test of the mean paired difference, by draw.",
}

Labels = NDArray[np.str_]
Row = dict[str, Any]


@dataclass(frozen=True)
class Pairs:
    """The draws in which an outcome is defined in both arms.

    Attributes
    ----------
    differences : arm minus reference, shape (n,), in the outcome's unit.
    topics : topic of each, shape (n,).
    """

    differences: FloatArray
    topics: Labels


def contrast_arms(
    metrics: pd.DataFrame,
    manifest: pd.DataFrame,
    reference: str,
    confidence: float,
    flips: int,
    seed: int,
) -> list[Row]:
    """Every arm against the reference, and hints with a judge against hints alone.

    Parameters
    ----------
    metrics : a row a session, columns of ``metrics.parquet``.
    manifest : for the arms that the run was to hold, whatever came of them.
    reference : the arm that the others are compared with.
    confidence : level of the intervals.
    flips : sign patterns of the randomisation test where they are too many to enumerate.
    seed : of the randomisation tests.

    Returns
    -------
    Rows of :data:`CONTRASTS`. A contrast of fewer than two draws or topics has no standard error;
    one that no draw defines has n = 0 and is there all the same, but for hints, which are compared
    only where both arms gave any. ``p_holm`` is adjusted by method over two families: the primary
    outcome over the arms, and all other outcomes and references over outcomes and arms. Rows of
    the outcome :data:`SILENCE` have no reference: they are means over the sessions of an arm, and
    of all arms with the sessions of a draw as one cluster; Holm is over the arms.
    """
    rows = []
    for arm, base in comparisons(metrics, manifest, reference):
        for outcome in (PRIMARY, *SECONDARY, *HINTS):
            pairs = pair_up(metrics, outcome, arm, base)
            if outcome in HINTS and not len(pairs.differences):
                continue
            key = int(digest([seed, outcome, arm, base])[:12], 16)
            for method, found in compare(pairs, confidence, flips, key).items():
                primary = outcome == PRIMARY and base == reference
                rows.append(_row(outcome, arm, base, method, found, primary))
    rows.extend(_silence(metrics, manifest, reference, confidence))
    for method in METHODS:
        own = [row for row in rows if row["method"] == method]
        _adjust(own, lambda row: bool(row["primary"]))
        _adjust(own, lambda row: not row["primary"] and row["outcome"] != SILENCE)
        _adjust(own, lambda row: row["outcome"] == SILENCE and row["arm"] != POOLED)
    return rows


def arms_of(manifest: pd.DataFrame, reference: str) -> list[str]:
    """The arms of the run: the reference first, the others in alphabetical order."""
    return [reference, *sorted(set(manifest["arm"]) - {reference})]


def comparisons(
    metrics: pd.DataFrame, manifest: pd.DataFrame, reference: str
) -> list[tuple[str, str]]:
    """Arm and reference of every contrast.

    Arms that give hints and have a judge are compared with the first that gives hints and has
    none too: against the common reference, a judge and a hint cannot be told apart.
    """
    arms = arms_of(manifest, reference)
    hinted = [arm for arm in arms if _gives_hints(metrics, arm)]
    judged = {arm for arm in hinted if metrics.loc[metrics["arm"] == arm, "judge_calls"].sum() > 0}
    alone = [arm for arm in hinted if arm not in judged and arm != reference]
    beside = [(arm, alone[0]) for arm in hinted if arm in judged] if alone else []
    return [(arm, reference) for arm in arms[1:]] + beside


def _gives_hints(metrics: pd.DataFrame, arm: str) -> bool:
    return bool(metrics.loc[metrics["arm"] == arm, list(HINTS)].notna().any(axis=None))


def pair_up(metrics: pd.DataFrame, outcome: str, arm: str, reference: str) -> Pairs:
    """The draws complete in both arms, with the outcome defined in both, in order of draw."""
    rows = metrics[metrics["complete"].to_numpy(dtype=bool)]
    values = rows[outcome].to_numpy(dtype=float, na_value=np.nan)
    ids = [rows[name].to_numpy(dtype=str) for name in ("arm", "draw_id", "topic_id")]
    held = {
        name: {
            draw: (value, topic)
            for own, draw, topic, value in zip(*ids, values, strict=True)
            if own == name and not math.isnan(value)
        }
        for name in (arm, reference)
    }
    shared = sorted(held[arm].keys() & held[reference].keys())
    differences = [held[arm][draw][0] - held[reference][draw][0] for draw in shared]
    return Pairs(
        np.array(differences, dtype=np.float64),
        np.array([held[arm][draw][1] for draw in shared], dtype=np.str_),
    )


def compare(pairs: Pairs, confidence: float, flips: int, seed: int) -> dict[str, Estimate]:
    """The study's two methods on one set of paired differences; the headline is the first.

    Parameters
    ----------
    pairs : of one outcome and two arms.
    confidence, flips, seed : as for :func:`contrast_arms`.
    """
    n = len(pairs.differences)
    if n < 2:
        found = robust_mean(pairs.differences, pairs.topics, confidence)
        return dict.fromkeys(METHODS, found)
    # All patterns where they are no more than would be drawn.
    exact = min(flips.bit_length() - 1, 30)
    test = sign_flip_test(pairs.differences, flips=flips, exact_up_to=exact, seed=seed)
    flipped = Estimate(test.statistic, p_value=test.p_value, n=n, n_clusters=n)
    return {
        HEADLINE: robust_mean(pairs.differences, pairs.topics, confidence),
        RANDOMISATION: flipped,
    }


def robust_mean(values: FloatArray, clusters: Labels, confidence: float) -> Estimate:
    """A mean by the headline's method; without a standard error where clusters are too few.

    It has none either where all clusters agree: outcomes are shares of a few agents, so that two
    or three topics often come out alike, and a standard error of zero would make them significant.
    """
    n, count = len(values), len(np.unique(clusters))
    alone = Estimate(float(values.mean()) if n else math.nan, n=n, n_clusters=count)
    if count < 2:
        return alone
    found = cluster_robust_mean(values, clusters, confidence)
    # Relative, since means of equal values differ by rounding.
    return found if found.se > 1e-12 * float(np.abs(values).max()) else alone


def _silence(
    metrics: pd.DataFrame, manifest: pd.DataFrame, reference: str, confidence: float
) -> list[Row]:
    """Whether agents that leave a claim without answer move to it more often than others do."""
    held = metrics[metrics["complete"].to_numpy(dtype=bool) & metrics[SILENCE].notna()]
    rows = []
    for arm in (*arms_of(manifest, reference), POOLED):
        own = held if arm == POOLED else held[held["arm"] == arm]
        found = robust_mean(
            own[SILENCE].to_numpy(dtype=float), own["draw_id"].to_numpy(dtype=str), confidence
        )
        rows.append(_row(SILENCE, arm, "", HEADLINE, found, primary=False))
    return rows


def _row(
    outcome: str, arm: str, reference: str, method: str, found: Estimate, primary: bool
) -> Row:
    return {
        "outcome": outcome,
        "arm": arm,
        "reference": reference,
        "method": method,
        "estimate": defined(found.estimate),
        "se": defined(found.se),
        "ci_low": defined(found.ci_low),
        "ci_high": defined(found.ci_high),
        "p_value": defined(found.p_value),
        "p_holm": None,
        "n": found.n,
        "n_clusters": found.n_clusters,
        "primary": primary,
    }


def defined(value: float) -> float | None:
    """A number, or what a nullable column has where there is none."""
    return None if math.isnan(value) else float(value)


def _adjust(rows: list[Row], belongs: Callable[[Mapping[str, Any]], bool]) -> None:
    """Write the adjusted p-values of one family into its rows."""
    family = [row for row in rows if belongs(row)]
    raw = [math.nan if row["p_value"] is None else row["p_value"] for row in family]
    for row, holm in zip(family, adjust(raw, "holm"), strict=True):
        row["p_holm"] = defined(float(holm))
