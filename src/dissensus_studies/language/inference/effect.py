"""The language effect: every contrast with the reference, on every outcome, by every method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    adjust_family,
    contrast_row,
    contrasts_schema,
    sign_flip,
)
from dissensus.design.looks import judged_by
from dissensus.design.stopping import ANYTIME
from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.stats.ratios import cluster_weights
from dissensus.stats.results import Estimate
from dissensus.study.makes import makes

from ..settings import InferenceSettings, MeasureSettings
from ..stats.bounds import imbens_manski, lee_bounds, manski_bounds
from .estimators import (
    BOUNDS,
    CORE,
    METHODS,
    NET,
    NET_SIGN_FLIP,
    REFITTED,
    REFITTING,
    Options,
    estimate,
    undefined,
)
from .floor import write_floor
from .index import parts_of
from .net import Scaling, estimate_net, net_draws
from .pairs import Pairs, compared_languages, pair_up
from .readings import read_texts
from .saturation import SATURATION, UNBOUNDED, measure_saturation

LANGUAGE_EFFECT = contrasts_schema("language_effect")

#: Raw similarities, whose effects no anchor touches.
RAW_OUTCOMES = (
    "s_lex",
    "s_sem",
    "s_lex_matched",
    "s_lex_excess",
    "s_sem_cross_side",
    "s_sem_same_side",
    "s_sem_same_speaker",
)


#: Resamples of Lee's bounds, each of which sorts anew.
_MOST_LEE = 1_000


@makes(effect=LANGUAGE_EFFECT, saturation=SATURATION)
def estimate_effects(
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    looks: list[dict[str, Any]],
    reference: str,
    inference: InferenceSettings,
    measures: MeasureSettings,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The effect of the language by every method, and how far each scale saturates.

    A study that was looked at is judged by its last look.
    """
    rows = estimate_language_effect(
        metrics, renderings, reference, inference, measures, seed, is_looked_at=bool(looks)
    )
    return (
        judged_by(looks, rows),
        measure_saturation(metrics, measures.anchors, inference),
    )


def estimate_language_effect(
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    reference: str,
    settings: InferenceSettings,
    measures: MeasureSettings,
    seed: int,
    is_looked_at: bool = False,
) -> list[dict[str, Any]]:
    """Estimate the effect of each language against the reference.

    Parameters
    ----------
    metrics : a row a debate, failed ones included.
    renderings : a row a rendering of a debate; none leave the paired difference, with its offset.
    reference : the language that the others are compared with.
    settings : level and repetitions.
    measures : weights and scales; the primary's and the paper's get every method, others the core.
    seed : the study's; every row has a random stream of its own.
    is_looked_at : whether the study may stop, so that its anchors were fitted once and are fixed.

    Returns
    -------
    Rows of :data:`LANGUAGE_EFFECT`; none of an outcome that the metrics lack. One row a contrast is
    the headline: the primary outcome net of the instrument; without parallel texts, refitted.

    Notes
    -----
    The paper's estimand is tau = E[Y(language) - Y(reference)], estimated by the mean difference
    over the draws complete in both ("Language as a Treatment", equation 1); the bounds say what the
    incomplete ones could change. What tau has of the instrument, the net effect leaves out.
    ``p_adjusted`` (Holm) and ``p_bh`` (Benjamini-Hochberg) are given by family: the headline over
    the contrasts, and the two components over components and contrasts.
    """
    rows: list[dict[str, Any]] = []
    chosen: dict[str, str] = {}
    primary = f"hi_{measures.primary}"
    components = (f"lex_{measures.primary}", f"sem_{measures.primary}")
    for language in compared_languages(metrics, reference):
        compared = (language, reference)
        contrast = contrast_name(*compared)
        for outcome, methods in _plan(metrics, measures).items():
            made_of = parts_of(outcome, measures, is_looked_at)
            estimates = _net(metrics, renderings, outcome, made_of, compared, settings, seed)
            if outcome == primary:
                chosen[contrast] = NET if NET in estimates else REFITTED
            pairs = pair_up(metrics, outcome, language, reference)
            estimates |= _as_read(pairs, methods, settings, (seed, contrast, outcome))
            for method, estimated in estimates.items():
                headline = outcome == primary and method == chosen[contrast]
                rows.append(contrast_row(outcome, language, reference, method, estimated, headline))
    adjust_family(
        rows,
        lambda row: row["outcome"] in components and row["method"] == chosen[row["contrast"]],
    )
    adjust_family(rows, lambda row: bool(row["headline"]))
    # A study that may stop has no such test: its evidence chose how many draws there are.
    if not is_looked_at:
        write_floor(rows, metrics, renderings, reference, settings.confidence)
    return rows


def _as_read(
    pairs: Pairs, methods: Sequence[str], settings: InferenceSettings, key: tuple[int, str, str]
) -> dict[str, Estimate]:
    """Method -> estimate, of those that take the differences as they are read.

    ``key`` are the study's seed, the contrast and the outcome; every method has its own stream.
    """
    estimates = {}
    for method in methods:
        stream = seed_of(*key, method)
        options = Options(settings.confidence, settings.resamples, settings.flips, stream)
        estimates[method] = _estimate(method, pairs, options)
    return estimates


def _net(
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    outcome: str,
    made_of: tuple[list[str], Scaling],
    contrast: tuple[str, str],
    settings: InferenceSettings,
    seed: int,
) -> dict[str, Estimate]:
    """Method -> estimate, of those that estimate anchors and offset anew in each resample."""
    parts, scaling = made_of
    if not set(parts) <= set(metrics.columns):
        return {}
    stream = seed_of(seed, "net", *contrast, outcome)
    readings = read_texts(metrics, renderings, parts, *contrast)
    every = estimate_net(readings, scaling, settings.confidence, settings.resamples, stream)
    estimates = {method: every[name] for name, method in REFITTING.items() if name in every}
    if NET not in estimates:
        return estimates
    of_draws = read_texts(metrics, renderings, [outcome], *contrast)
    differences = net_draws(of_draws)[:, 0]
    finite = np.isfinite(differences)
    motions = of_draws.motions[finite].astype(str)
    if len(np.unique(motions)) > 1:
        estimates[NET_SIGN_FLIP] = sign_flip(differences[finite], motions, settings.flips, stream)
    return estimates


def _plan(metrics: pd.DataFrame, measures: MeasureSettings) -> dict[str, tuple[str, ...]]:
    """Outcomes that the metrics hold, the important ones first, and the methods of each."""
    main = (f"hi_{measures.primary}", f"hi_{measures.paper_scale}")
    scales = [str(name) for name in metrics.columns if str(name).startswith("hi_")]
    parts = (f"lex_{measures.primary}", f"sem_{measures.primary}")
    plan = {}
    for outcome in dict.fromkeys([*main, *scales, *parts, *RAW_OUTCOMES]):
        if outcome not in metrics.columns:
            continue
        # On a scale without bounds, one lost session makes the worst case infinite.
        bounded = outcome.removeprefix("hi_") not in UNBOUNDED
        every = [name for name in METHODS if bounded or name != "manski_bounds"]
        refitting = (*REFITTING.values(), NET_SIGN_FLIP, ANYTIME)
        plan[outcome] = (
            tuple(name for name in every if name not in refitting) if outcome in main else CORE
        )
    return plan


def _estimate(method: str, pairs: Pairs, options: Options) -> Estimate:
    if method not in BOUNDS:
        return estimate(method, pairs.sample(), options)
    if len(pairs.treated) == 0:
        return undefined(0)
    if method == "lee_interval":
        return _lee_interval(pairs, options)
    if method == "lee_bounds":
        bounds = lee_bounds(pairs.treated, pairs.reference)
    else:
        bounds = manski_bounds(pairs.treated, pairs.reference, (0.0, 1.0))
    return Estimate(
        bounds.estimate, ci_low=bounds.lower, ci_high=bounds.upper, n=bounds.n, n_clusters=bounds.n
    )


def _lee_interval(pairs: Pairs, options: Options) -> Estimate:
    """Lee's bounds, and an interval for the effect within them: motions are resampled."""
    bounds = lee_bounds(pairs.treated, pairs.reference)
    codes = np.unique(pairs.clusters.astype(str), return_inverse=True)[1]
    count, n = int(codes.max()) + 1, len(codes)
    limits_of = []
    for drawn in cluster_weights(count, min(options.resamples, _MOST_LEE), options.seed):
        rows = np.repeat(np.arange(n), drawn[codes].astype(np.int64))
        lee = lee_bounds(pairs.treated[rows], pairs.reference[rows])
        limits_of.append((lee.lower, lee.upper))
    limits = np.array(limits_of)
    limits = limits[np.isfinite(limits).all(axis=1)]
    if count < 2 or len(limits) < 2:
        return Estimate(bounds.estimate, n=bounds.n, n_clusters=count)
    lower, upper = limits.std(axis=0, ddof=1)
    low, high = imbens_manski(bounds, float(lower), float(upper), options.confidence)
    return Estimate(bounds.estimate, ci_low=low, ci_high=high, n=bounds.n, n_clusters=count)
