"""The domain policy: how homogeneous debates come out by the domain that the motion is drawn from.

A draw's outcome is the mean over its languages, so that only draws complete in all of them count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from dissensus.design.pairs import by_arm
from dissensus.digests import seed_of
from dissensus.stats.results import NAN, PairComparison
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, common, count, text

from ..design.pool import POOL
from ..settings import InferenceSettings
from ..stats.groups import pairwise_welch, tukey_kramer
from .estimators import Options, estimate
from .pairs import COLUMNS, Array, Sample, draw_table

#: The mean over the languages of a draw, where a language is asked for.
BOTH = "both"

DOMAINS = Schema(
    name="domains",
    row="outcome, language (or both), domain and method",
    columns={
        **common("outcome"),
        "language": text("Language of the debates; both for the mean over languages."),
        **POOL.pick("domain_id", "domain"),
        **common("method", "estimate?", "se?", "ci_low?", "ci_high?", "n", "n_clusters"),
    },
    key=("outcome", "language", "domain_id", "method"),
)

DOMAIN_CONTRASTS = Schema(
    name="domain_contrasts",
    row="outcome and pair of domains, first minus second",
    columns={
        **common("outcome"),
        "first_id": Column("int", "Code of the first domain."),
        "second_id": Column("int", "Code of the second domain."),
        "first": text("Name of the first domain."),
        "second": text("Name of the second domain."),
        **common("estimate?", "se?", "df?", "ci_low?", "ci_high?", "p_value?", "p_bh?"),
        "p_by": chance("P-value adjusted by Benjamini and Yekutieli over its family of tests."),
        "p_tukey": chance("P-value by Tukey and Kramer over all pairs of domains."),
        "n_first": count("How many draws the first domain has."),
        "n_second": count("How many draws the second domain has."),
    },
    key=("outcome", "first_id", "second_id"),
)

#: Student's t by draw speaks of the pool's motions in the domain, the others of motions like them.
_METHODS = ("student_t", "cluster_robust", "bootstrap_motion_percentile")


def draw_outcomes(metrics: pd.DataFrame, outcome: str) -> pd.DataFrame:
    """A row a draw complete in every language: motion_id, domain_id, each language, and both."""
    wide = by_arm(metrics, outcome, COLUMNS)
    wide[BOTH] = wide.mean(axis=1, skipna=False)
    return draw_table(metrics).join(wide)[wide[BOTH].notna()]


def domain_names(pool: pd.DataFrame) -> dict[int, str]:
    """domain_id -> domain."""
    numbers, names = pool["domain_id"].tolist(), pool["domain"].tolist()
    return {int(number): str(name) for number, name in zip(numbers, names, strict=True)}


def drawable_domains(pool: pd.DataFrame) -> list[int]:
    """The domains that a draw may take: those with a motion to draw, ascending."""
    drawable = pool[pool["drawable"].to_numpy(dtype=bool)]
    return sorted({int(number) for number in drawable["domain_id"]})


def estimate_domains(
    metrics: pd.DataFrame,
    pool: pd.DataFrame,
    outcomes: Sequence[str],
    settings: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """Mean outcome of each domain, in each language and over all of them.

    Parameters
    ----------
    metrics : a row a session.
    pool : a row a motion; names the domains.
    outcomes : columns of the metrics.
    settings : level and repetitions.
    seed : the study's.

    Returns
    -------
    Rows of :data:`DOMAINS`. A domain without a complete draw has no row (the diagnostics count
    it); one with a single draw, or by motion a single motion, has an estimate and NaN elsewhere.

    Notes
    -----
    Within a domain draws take motions uniformly with replacement, so that Student's t by draw
    covers theta_c, the domain's mean over the pool's motions ("Language as a Treatment",
    section 3.3). By motion (CR2, Bell & McCaffrey 2002; percentile bootstrap) the interval covers
    the mean over motions of which the pool's are a sample; with a handful of motions a domain the
    bootstrap is too narrow, and CR2 is the one to quote.
    """
    names, rows = domain_names(pool), []
    for outcome in outcomes:
        draws = draw_outcomes(metrics, outcome)
        for language in [BOTH, *(c for c in draws.columns[2:] if c != BOTH)]:
            for domain, group in draws.groupby("domain_id"):
                number = int(str(domain))
                values = group[language].to_numpy(dtype=float)
                sample = Sample(values, group["motion_id"].to_numpy(), values > values)
                place = {"outcome": outcome, "language": language, "domain_id": number}
                stream = seed_of(seed, *place.values())
                options = Options(settings.confidence, settings.resamples, settings.flips, stream)
                rows += [
                    {**place, "domain": names[number], **_mean(method, sample, options)}
                    for method in _METHODS
                ]
    return rows


def _mean(method: str, sample: Sample, options: Options) -> dict[str, Any]:
    estimated = estimate(method, sample, options)
    return {
        "method": method,
        "estimate": float(sample.differences.mean()),
        "se": estimated.se,
        "ci_low": estimated.ci_low,
        "ci_high": estimated.ci_high,
        "n": estimated.n,
        "n_clusters": estimated.n_clusters,
    }


def contrast_domains(
    metrics: pd.DataFrame,
    pool: pd.DataFrame,
    outcomes: Sequence[str],
    settings: InferenceSettings,
) -> list[dict[str, Any]]:
    """Every pair of domains compared.

    Parameters
    ----------
    metrics, pool, outcomes, settings : as for :func:`estimate_domains`.

    Returns
    -------
    Rows of :data:`DOMAIN_CONTRASTS`, all pairs of domains that have a complete draw. A pair with
    a domain of a single draw has its difference and NaN elsewhere, and no part in the adjustment.

    Notes
    -----
    Welch (1947) for each pair, adjusted over the pairs of an outcome by Benjamini & Hochberg
    (1995) and Benjamini & Yekutieli (2001), the latter since pairs share domains; and Tukey-Kramer
    (Kramer 1956), family-wise under equal variances. The mean difference over all draws of a
    domain, by draw: see :func:`estimate_domains` for what that speaks of.
    """
    names, rows = domain_names(pool), []
    for outcome in outcomes:
        groups = outcome_groups(draw_outcomes(metrics, outcome), BOTH)
        compared, tukey = _compare(groups, settings.confidence)
        for first, second in combinations(groups, 2):
            pair, adjusted = compared.get((first, second)), tukey.get((first, second))
            a, b = groups[first], groups[second]
            rows.append(
                {
                    "outcome": outcome,
                    "first_id": first,
                    "second_id": second,
                    "first": names[first],
                    "second": names[second],
                    "estimate": float(a.mean() - b.mean()),
                    **{
                        name: getattr(pair, name) if pair else NAN
                        for name in ("se", "df", "ci_low", "ci_high", "p_value", "p_bh", "p_by")
                    },
                    "p_tukey": adjusted.p_value if adjusted else NAN,
                    "n_first": len(a),
                    "n_second": len(b),
                }
            )
    return rows


def outcome_groups(draws: pd.DataFrame, column: str) -> dict[int, Array]:
    """The values of a column by domain, in the order of the domains' numbers."""
    return {
        int(str(domain)): group[column].to_numpy(dtype=float)
        for domain, group in draws.groupby("domain_id")
    }


_Compared = dict[tuple[int, int], PairComparison]


def _compare(groups: Mapping[int, Array], confidence: float) -> tuple[_Compared, _Compared]:
    """Welch's and Tukey-Kramer's comparisons of the domains of two draws or more."""
    usable = {domain: values for domain, values in groups.items() if len(values) > 1}
    if len(usable) < 2:
        return {}, {}
    numbers, samples = list(usable), list(usable.values())

    def named(pairs: list[PairComparison]) -> _Compared:
        return {(numbers[pair.first], numbers[pair.second]): pair for pair in pairs}

    welch = named(pairwise_welch(samples, confidence))
    # Tukey's range has no scale where nothing varies within any domain.
    if all(values.min() == values.max() for values in samples):
        return welch, {}
    return welch, named(tukey_kramer(samples, confidence))
