"""The language effect: every contrast with the reference, on every outcome, by every method."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    adjust_family,
    contrast_name,
    contrast_row,
    contrasts_schema,
)
from dissensus.digests import digest
from dissensus.language.inference.estimators import (
    BOUNDS,
    CORE,
    METHODS,
    Options,
    estimate,
    undefined,
)
from dissensus.language.inference.pairs import Pairs, compared_languages, pair_up
from dissensus.language.inference.saturation import UNBOUNDED
from dissensus.language.settings import InferenceSettings
from dissensus.stats.bounds import lee_bounds, manski_bounds
from dissensus.stats.results import Estimate

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


def estimate_language_effect(
    metrics: pd.DataFrame,
    reference: str,
    settings: InferenceSettings,
    primary: str,
    paper_scale: str,
    seed: int,
) -> list[dict[str, Any]]:
    """Estimate the effect of each language against the reference.

    Parameters
    ----------
    metrics : a row a session, failed ones included.
    reference : the language that the others are compared with.
    settings : level and repetitions.
    primary, paper_scale : the scales whose index gets every method; all else gets the core.
    seed : the study's; every row has a random stream of its own.

    Returns
    -------
    Rows of :data:`LANGUAGE_EFFECT`. An outcome that the metrics lack has no rows. Exactly one row
    a contrast is the headline: the primary outcome by :data:`HEADLINE`.

    Notes
    -----
    The estimand is tau = E[Y(language) - Y(reference)], estimated by the mean difference over the
    draws complete in both ("Language as a Treatment", equation 1); the bounds say what the
    incomplete ones could change. ``p_adjusted`` (Holm) and ``p_bh`` (Benjamini-Hochberg) are
    given by family: the headline over the contrasts, and the two components over components and
    contrasts.
    """
    rows = []
    for language in compared_languages(metrics, reference):
        contrast = contrast_name(language, reference)
        for outcome, methods in _plan(metrics, primary, paper_scale).items():
            pairs = pair_up(metrics, outcome, language, reference)
            for method in methods:
                options = Options(
                    settings.confidence,
                    settings.resamples,
                    settings.flips,
                    int(digest([seed, contrast, outcome, method])[:12], 16),
                )
                headline = outcome == f"hi_{primary}" and method == HEADLINE
                found = _estimate(method, pairs, options)
                rows.append(contrast_row(outcome, language, reference, method, found, headline))
    components = (f"lex_{primary}", f"sem_{primary}")
    adjust_family(rows, lambda row: bool(row["headline"]))
    adjust_family(rows, lambda row: row["outcome"] in components and row["method"] == HEADLINE)
    return rows


def _plan(metrics: pd.DataFrame, primary: str, paper_scale: str) -> dict[str, tuple[str, ...]]:
    """Outcomes that the metrics hold, the important ones first, and the methods of each."""
    main = (f"hi_{primary}", f"hi_{paper_scale}")
    scales = [str(name) for name in metrics.columns if str(name).startswith("hi_")]
    wanted = [*main, *scales, f"lex_{primary}", f"sem_{primary}", *RAW_OUTCOMES]
    plan = {}
    for outcome in dict.fromkeys(wanted):
        if outcome not in metrics.columns:
            continue
        # On a scale without bounds, one lost session makes the worst case infinite.
        bounded = outcome.removeprefix("hi_") not in UNBOUNDED
        every = tuple(name for name in METHODS if bounded or name != "manski_bounds")
        plan[outcome] = every if outcome in main else CORE
    return plan


def _estimate(method: str, pairs: Pairs, options: Options) -> Estimate:
    if method not in BOUNDS:
        return estimate(method, pairs.sample(), options)
    if len(pairs.treated) == 0:
        return undefined(0)
    if method == "lee_bounds":
        bounds = lee_bounds(pairs.treated, pairs.reference)
    else:
        bounds = manski_bounds(pairs.treated, pairs.reference, (0.0, 1.0))
    return Estimate(
        bounds.estimate, ci_low=bounds.lower, ci_high=bounds.upper, n=bounds.n, n_clusters=bounds.n
    )
