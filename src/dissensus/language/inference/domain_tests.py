"""Whether domains differ at all: omnibus tests, the picked pair, domain by language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import contrast_name
from dissensus.digests import seed_of
from dissensus.language.inference.domains import (
    BOTH,
    DOMAIN_CONTRASTS,
    DOMAINS,
    contrast_domains,
    domain_names,
    draw_outcomes,
    drawable_domains,
    estimate_domains,
    outcome_groups,
)
from dissensus.language.inference.pairs import Array, compared_languages, pair_up
from dissensus.language.settings import InferenceSettings
from dissensus.stats.checks import IntArray
from dissensus.stats.groups import anova, kruskal_wallis, welch_anova
from dissensus.stats.redrawing import redrawn_comparison
from dissensus.stats.results import NAN, OmnibusTest
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, text

DOMAIN_TESTS = Schema(
    name="domain_tests",
    row="outcome, what is compared (both: the mean over languages; or a contrast), and method",
    columns={
        **common("outcome"),
        "language": text("both for the mean over languages, or a contrast of two."),
        **common("method"),
        "statistic": number("Value of the test statistic."),
        "df_between": number("Degrees of freedom between domains."),
        "df_within": number("Degrees of freedom within domains."),
        **common("p_value?", "simulation_error?", "n"),
        "n_groups": count("How many domains the test compares."),
        "largest": Column("string?", "Domain with the larger mean in the picked pair."),
        "smallest": Column("string?", "Domain with the smaller mean in the picked pair."),
        "difference": number(
            "Mean of the larger less that of the smaller domain.", "of the outcome"
        ),
    },
    key=("outcome", "language", "method"),
)

#: What each test is, in a sentence for tables.
TESTS = {
    "permutation_f": "F of equal domain means against domains re-drawn as the manifest draws them.",
    "kruskal_wallis": "Kruskal-Wallis rank test, chi-square reference.",
    "welch": "Welch's analysis of variance, unequal variances (domains of two draws or more).",
    "anova": "One-way analysis of variance (domains of two draws or more).",
    "largest_minus_smallest": "The picked pair of domains against the largest gap of any re-draw.",
    "interaction_f": "F of equal language effects over domains, against re-drawn domains.",
}

#: Re-draws cost more than sign flips, and 20,000 leave p = .05 an error of .0015.
_MOST_REDRAWS = 20_000

#: Each omnibus test, and the fewest draws that it needs of a domain.
_OMNIBUS: dict[str, tuple[Callable[[Sequence[Any]], OmnibusTest], int]] = {
    "kruskal_wallis": (kruskal_wallis, 1),
    "welch": (welch_anova, 2),
    "anova": (anova, 2),
}


@dataclass(frozen=True)
class _Redraws:
    """The manifest's first stage, done again: each draw's domain uniformly and independently."""

    domains: IntArray
    times: int
    seed: int

    def options(self, n: int) -> dict[str, Any]:
        """The options of the tests that re-draw, for n draws."""

        def redraw(rng: np.random.Generator, size: int) -> IntArray:
            return self.domains[rng.integers(len(self.domains), size=(size, n))]

        return {"redraw": redraw, "permutations": self.times, "seed": self.seed}


@makes(domains=DOMAINS, contrasts=DOMAIN_CONTRASTS, tests=DOMAIN_TESTS)
def compare_domains(
    metrics: pd.DataFrame,
    pool: pd.DataFrame,
    reference: str,
    scales: list[str],
    inference: InferenceSettings,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Each domain, every two of them, and whether they differ at all; on each scale once."""
    outcomes = [f"hi_{scale}" for scale in dict.fromkeys(scales)]
    return (
        estimate_domains(metrics, pool, outcomes, inference, seed),
        contrast_domains(metrics, pool, outcomes, inference),
        test_domains(metrics, pool, reference, outcomes, inference, seed),
    )


def test_domains(
    metrics: pd.DataFrame,
    pool: pd.DataFrame,
    reference: str,
    outcomes: Sequence[str],
    settings: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """Test whether domains differ, and whether the language effect differs by domain.

    Parameters
    ----------
    metrics : a row a session.
    pool : a row a motion; its drawable domains are what a draw could have had.
    reference : the language that the others are compared with.
    outcomes : columns of the metrics.
    settings : number of re-draws, at most 20,000.
    seed : the study's.

    Returns
    -------
    Rows of :data:`DOMAIN_TESTS`; every method for every outcome, NaN where the draws are too few
    (fewer than two domains, or none with two draws).

    Notes
    -----
    The manifest gives each draw a domain uniformly and independently, so a re-draw does the same,
    whatever sizes the groups then take: the test is exact for the sharp null that neither the
    domain nor the motion drawn matters to any draw (Fisher 1935; Rosenbaum 2002, section 2.4), and
    large-sample valid for equal means over the pool's motions. The interaction does the same with
    the differences between two languages.
    """
    domains = np.asarray(drawable_domains(pool), dtype=np.int64)
    times = min(settings.flips, _MOST_REDRAWS)
    names, rows = domain_names(pool), []
    for outcome in outcomes:
        draws = draw_outcomes(metrics, outcome)
        values = draws[BOTH].to_numpy(dtype=float)
        labels = draws["domain_id"].to_numpy(dtype=np.int64)
        redraws = _Redraws(domains, times, seed_of(seed, outcome, BOTH))
        place = {"outcome": outcome, "language": BOTH}
        omnibus, picked = _redrawn("permutation_f", values, labels, redraws, names)
        groups = list(outcome_groups(draws, BOTH).values())
        rows.append(place | omnibus)
        rows += [place | _omnibus(method, groups) for method in _OMNIBUS]
        rows.append(place | picked)
        for language in compared_languages(metrics, reference):
            pairs = pair_up(metrics, outcome, language, reference)
            place = {"outcome": outcome, "language": contrast_name(language, reference)}
            redraws = _Redraws(domains, times, seed_of(seed, *place.values()))
            labels = pairs.domains[pairs.complete].astype(np.int64)
            differences = pairs.sample().differences
            rows.append(place | _redrawn("interaction_f", differences, labels, redraws, names)[0])
    return rows


def _row(method: str, n: int, n_groups: int, **values: Any) -> dict[str, Any]:
    """A row with NaN, or nothing, where nothing was found."""
    numbers = ("statistic", "df_between", "df_within", "p_value", "difference")
    return {
        "method": method,
        **dict.fromkeys(numbers, NAN),
        **dict.fromkeys(("simulation_error", "largest", "smallest")),
        "n": n,
        "n_groups": n_groups,
        **values,
    }


def _redrawn(
    method: str, values: Array, labels: IntArray, redraws: _Redraws, names: dict[int, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row of the F test, under the name of a method, and that of the picked pair."""
    n, k = len(values), len(np.unique(labels))
    # Else there is no difference between groups to hold against one within.
    if not 2 <= k < n:
        return _row(method, n, k), _row("largest_minus_smallest", n, k)
    omnibus, picked = redrawn_comparison(values, labels, **redraws.options(n))
    return (
        _row(
            method,
            n,
            k,
            statistic=omnibus.statistic,
            df_between=k - 1.0,
            df_within=float(n - k),
            p_value=omnibus.p_value,
            simulation_error=omnibus.simulation_error,
        ),
        _row(
            "largest_minus_smallest",
            n,
            k,
            statistic=picked.test.statistic,
            p_value=picked.test.p_value,
            simulation_error=picked.test.simulation_error,
            largest=names[picked.largest],
            smallest=names[picked.smallest],
            difference=picked.difference,
        ),
    )


def _omnibus(method: str, groups: Sequence[Array]) -> dict[str, Any]:
    test, smallest = _OMNIBUS[method]
    usable = [values for values in groups if len(values) >= smallest]
    n = sum(len(values) for values in usable)
    # Groups of one leave nothing to compare the difference between groups with.
    if len(usable) < 2 or n == len(usable):
        return _row(method, n, len(usable))
    test_of = test(usable)
    return _row(
        method,
        n,
        len(usable),
        statistic=test_of.statistic,
        df_between=test_of.df_between,
        df_within=test_of.df_within,
        p_value=test_of.p_value,
    )
