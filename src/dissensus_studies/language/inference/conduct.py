"""What the language does to the conduct of debates, and what time and order do to the index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from dissensus.design.contrasts import robust_mean, sign_flip
from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.stats.results import NAN

from ..settings import InferenceSettings
from ..stats.groups import pairwise_welch
from .pairs import Array, Pairs, compared_languages, pair_up

#: What is counted in every session, and in which words the note says so.
COUNTS = {
    "first_attempt_violations": "turns whose first attempt breaks a format rule",
    "repairs": "turns that were asked for again, each time",
    "reruns": "attempts at the whole session after the first",
}


def diagnose_conduct(
    metrics: pd.DataFrame,
    turns: pd.DataFrame,
    outcome: str,
    reference: str,
    settings: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """Effects of the language on conduct, drift over blocks, and carry-over between languages.

    Parameters
    ----------
    metrics : a row a debate, failed ones included.
    turns : a row a turn of a complete session, with ``repairs`` and ``compliant``.
    outcome : the primary one.
    reference : the language that the others are compared with.
    settings : level and repetitions.
    seed : the study's.

    Returns
    -------
    Rows of the diagnostics' schema, of the checks ``conduct``, ``drift`` and ``carry_over``.

    Notes
    -----
    Rules are part of the treatment where one language breaks them more often: repairs select texts.
    Drift is the slope on the number of the block, in which order sessions begin, by least squares
    over draws: of the mean over both languages, and of their difference, which is the effect.
    Carry-over is looked for as in a two-period crossover (Senn 2002, Cross-over Trials in Clinical
    Research, chapter 3): where what comes first acts on what comes second, the mean over both
    languages differs by their order. Sessions share nothing, so that it should be nothing.
    """
    rows: list[dict[str, Any]] = []
    counted = _counted(metrics, turns)
    for language in compared_languages(metrics, reference):
        group = contrast_name(language, reference)
        for name, words in COUNTS.items():
            pairs = pair_up(counted, name, language, reference)
            stream = seed_of(seed, "conduct", group, name)
            rows.append(_effect(group, name, words, pairs, settings, stream))
        pairs = pair_up(metrics, outcome, language, reference)
        blocks = metrics.drop_duplicates("draw_id").sort_values("draw_id")["block"].to_numpy(float)
        means = (pairs.treated + pairs.reference) / 2.0
        for name, values in (("level_per_block", means), ("effect_per_block", pairs.differences)):
            rows.append(_slope(group, name, values, blocks, settings.confidence))
        rows.append(_carry_over(group, means, pairs.first, settings.confidence))
    return rows


def _counted(metrics: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """The metrics with :data:`COUNTS`; of a session that failed for good, its re-runs alone."""
    broken = turns["repairs"].gt(0) | ~turns["compliant"].astype(bool)
    violations = broken.groupby(turns["session_id"]).sum()
    complete = metrics["complete"].to_numpy(dtype=bool)
    counts = {
        "first_attempt_violations": violations.reindex(metrics["session_id"], fill_value=0),
        "repairs": metrics["repairs"],
    }
    number_of = {
        name: np.where(complete, values.to_numpy(dtype=float), np.nan)
        for name, values in counts.items()
    }
    reruns = metrics["attempts"].to_numpy(dtype=float) - 1.0
    # That a session failed for good is no reason to leave out how often it was tried.
    return metrics.assign(**number_of, reruns=reruns, complete=True)


def _effect(
    group: str, name: str, words: str, pairs: Pairs, settings: InferenceSettings, seed: int
) -> dict[str, Any]:
    kept = pairs.complete
    differences, motions = pairs.differences[kept], pairs.clusters[kept].astype(str)
    mean = robust_mean(differences, motions, settings.confidence)
    p_value = NAN
    if len(np.unique(motions)) > 1:
        p_value = sign_flip(differences, motions, settings.flips, seed).p_value
    return {
        "check": "conduct",
        "group": group,
        "statistic": name,
        "value": mean.estimate,
        "df": NAN,
        "p_value": p_value,
        "ci_low": mean.ci_low,
        "ci_high": mean.ci_high,
        "n": mean.n,
        "note": f"mean paired difference of {words}; by motion: interval (CR2), sign-flip p",
    }


def _slope(
    group: str, name: str, values: Array, blocks: Array, confidence: float
) -> dict[str, Any]:
    """Least squares of values on the number of the block, Student's t with n - 2 df."""
    finite = np.isfinite(values)
    x, y = blocks[finite], values[finite]
    n = len(y)
    row = {"check": "drift", "group": group, "statistic": name, "n": n, "df": NAN}
    row |= {"value": NAN, "p_value": NAN, "ci_low": NAN, "ci_high": NAN}
    row["note"] = "slope by block, least squares over complete draws"
    spread = float(((x - x.mean()) ** 2).sum()) if n else 0.0
    if n < 3 or spread == 0.0:
        return row
    slope = float(((x - x.mean()) * y).sum()) / spread
    rest = y - y.mean() - slope * (x - x.mean())
    se = float(np.sqrt((rest**2).sum() / (n - 2) / spread))
    row |= {"value": slope, "df": n - 2.0}
    if se > 0:
        half = float(special.stdtrit(n - 2, (1 + confidence) / 2)) * se
        p_value = float(2 * special.stdtr(n - 2, -abs(slope) / se))
        row |= {"p_value": p_value, "ci_low": slope - half, "ci_high": slope + half}
    return row


def _carry_over(group: str, means: Array, first: Any, confidence: float) -> dict[str, Any]:
    """Welch's comparison of the two orders."""
    finite = np.isfinite(means)
    orders = [means[finite & first], means[finite & ~first]]
    row = {"check": "carry_over", "group": group, "statistic": "order_difference", "df": NAN}
    row |= {"value": NAN, "p_value": NAN, "ci_low": NAN, "ci_high": NAN, "n": int(finite.sum())}
    row["note"] = "mean over both languages, language first less reference first; Welch"
    if min(map(len, orders)) < 2:
        return row
    (pair,) = pairwise_welch(orders, confidence)
    return row | {
        "value": pair.estimate,
        "df": pair.df,
        "p_value": pair.p_value,
        "ci_low": pair.ci_low,
        "ci_high": pair.ci_high,
    }
