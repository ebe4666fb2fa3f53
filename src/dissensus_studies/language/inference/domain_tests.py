"""Whether domains differ at all: omnibus tests, the picked pair, domain by language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.stats.checks import IntArray
from dissensus.stats.results import NAN, OmnibusTest
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, text

from ..settings import InferenceSettings
from ..stats.groups import anova, kruskal_wallis, welch_anova
from ..stats.redrawing import Redraw, redrawn_comparison
from .domains import (
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
from .estimators import BY_DRAW
from .pairs import Array, Labels, compared_languages, pair_up

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
    "permutation_f_motion": "The same F against domains dealt anew to whole motions.",
    "kruskal_wallis": f"Kruskal-Wallis rank test, chi-square reference, {BY_DRAW}.",
    "welch": f"Welch's analysis of variance, unequal variances, {BY_DRAW}.",
    "anova": f"One-way analysis of variance, {BY_DRAW}.",
    "largest_minus_smallest": "The picked pair of domains against the largest gap of any re-draw.",
    "largest_minus_smallest_motion": "The same pair against domains dealt anew to whole motions.",
    "interaction_f": "F of equal language effects over domains, against re-drawn domains.",
    "interaction_f_motion": "The same F against domains dealt anew to whole motions.",
}
#: After the name of a test that re-draws: whole motions change domains.
_BY_MOTION = "_motion"
_PICKED = "largest_minus_smallest"

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
    """How domains are drawn again, and how often.

    Attributes
    ----------
    domains : those that a draw may take.
    times : re-draws of each test.
    """

    domains: IntArray
    times: int

    def by_draw(self, n: int) -> Redraw:
        """The manifest's first stage, done again: each draw's domain uniformly, by itself."""

        def redraw(rng: np.random.Generator, size: int) -> IntArray:
            return self.domains[rng.integers(len(self.domains), size=(size, n))]

        return redraw

    def by_motion(self, labels: IntArray, motions: Labels) -> Redraw:
        """The motions' own domains dealt anew to them: all draws of a motion change together."""
        _, places, codes = np.unique(motions.astype(str), return_index=True, return_inverse=True)
        domains = labels[places]

        def redraw(rng: np.random.Generator, size: int) -> IntArray:
            dealt = rng.permuted(np.broadcast_to(domains, (size, len(domains))), axis=1)
            return np.asarray(dealt[:, codes], dtype=np.int64)

        return redraw


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
    large-sample valid for equal means over the pool's motions. It says nothing of other motions:
    where motions differ much, those of the pool's domains do, whatever domains do. By motion, the
    domains change places among the motions that were drawn: the null is that a motion's domain
    tells nothing of it. The interaction does both with the differences between two languages.
    """
    domains = np.asarray(drawable_domains(pool), dtype=np.int64)
    redraws = _Redraws(domains, min(settings.flips, _MOST_REDRAWS))
    names, rows = domain_names(pool), []
    for outcome in outcomes:
        draws = draw_outcomes(metrics, outcome)
        values = draws[BOTH].to_numpy(dtype=float)
        labels = draws["domain_id"].to_numpy(dtype=np.int64)
        place = {"outcome": outcome, "language": BOTH}
        tested = _Tested(values, labels, draws["motion_id"].to_numpy(), names)
        omnibus = tested.redrawn("permutation_f", redraws, seed_of(seed, outcome, BOTH))
        groups = list(outcome_groups(draws, BOTH).values())
        rows += [place | row for row in omnibus]
        rows += [place | _omnibus(method, groups) for method in _OMNIBUS]
        for language in compared_languages(metrics, reference):
            pairs = pair_up(metrics, outcome, language, reference)
            place = {"outcome": outcome, "language": contrast_name(language, reference)}
            kept, sample = pairs.domains[pairs.complete].astype(np.int64), pairs.sample()
            tested = _Tested(sample.differences, kept, sample.motions, names)
            redrawn = tested.redrawn("interaction_f", redraws, seed_of(seed, *place.values()))
            rows += [place | row for row in redrawn if _PICKED not in row["method"]]
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


@dataclass(frozen=True)
class _Tested:
    """What draws came out as, with their domains and motions; and the names of domains."""

    values: Array
    labels: IntArray
    motions: Labels
    names: dict[int, str]

    def redrawn(self, method: str, redraws: _Redraws, seed: int) -> list[dict[str, Any]]:
        """The rows of the F test, under the name of a method, and of the picked pair.

        By draw, then by motion.
        """
        rows = []
        for ending in ("", _BY_MOTION):
            n, k = len(self.values), len(np.unique(self.labels))
            f, picked = method + ending, _PICKED + ending
            # Else there is no difference between groups to hold against one within.
            if not 2 <= k < (len(np.unique(self.motions.astype(str))) if ending else n):
                rows += [_row(f, n, k), _row(picked, n, k)]
                continue
            by_motion = redraws.by_motion(self.labels, self.motions)
            redraw = by_motion if ending else redraws.by_draw(n)
            rows += self._rows(f, picked, redraw, redraws.times, seed)
        return rows

    def _rows(
        self, f: str, picked: str, redraw: Redraw, times: int, seed: int
    ) -> list[dict[str, Any]]:
        n, k = len(self.values), len(np.unique(self.labels))
        omnibus, pair = redrawn_comparison(
            self.values, self.labels, redraw, permutations=times, seed=seed
        )
        numbers = ("statistic", "p_value", "simulation_error")
        return [
            _row(
                f,
                n,
                k,
                df_between=k - 1.0,
                df_within=float(n - k),
                **{name: getattr(omnibus, name) for name in numbers},
            ),
            _row(
                picked,
                n,
                k,
                largest=self.names[pair.largest],
                smallest=self.names[pair.smallest],
                difference=pair.difference,
                **{name: getattr(pair.test, name) for name in numbers},
            ),
        ]


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
