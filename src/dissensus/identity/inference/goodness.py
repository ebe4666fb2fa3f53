"""Does the model fit? Five cells, counted and expected, by parametric bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.identity.inference.cells import CELLS, expected, observed
from dissensus.identity.inference.fitting import Fit, refit
from dissensus.identity.inference.panel import Panel
from dissensus.identity.inference.simulate import simulate
from dissensus.stats.checks import FloatArray, check_count

#: Fewer transitions than this are expected in a cell only where none can fall.
_NONE = 1e-9


@dataclass(frozen=True)
class GoodnessOfFit:
    """A test of fit.

    Attributes
    ----------
    statistic : Pearson's, the sum of (observed - expected)^2 / expected over the five cells.
    p_value : (b + 1)/(m + 1) for b of m resamples with a statistic as large (Davison & Hinkley
        1997, section 4.2.3).
    observed, expected : (5,), transitions in each of :data:`CELLS`.
    resamples : m.
    """

    statistic: float
    p_value: float
    observed: FloatArray
    expected: FloatArray
    resamples: int

    @property
    def n(self) -> int:
        """Transitions."""
        return int(self.observed.sum())

    def words(self) -> list[str]:
        """Such as "agree-stay 512/508.1"."""
        pairs = zip(CELLS, self.observed, self.expected, strict=True)
        return [f"{cell} {seen:.0f}/{meant:.1f}" for cell, seen, meant in pairs]


def goodness_of_fit(panel: Panel, fit: Fit, resamples: int, seed: int) -> GoodnessOfFit:
    """Test a fitted model on what agents did after agreement and after disagreement.

    Parameters
    ----------
    panel : that was fitted.
    fit : of it.
    resamples : panels drawn from the fitted model, each of which is fitted again.
    seed : of the draws.

    Notes
    -----
    The counts pool the fitted rounds. Each transition is expected given the answers before it, so
    the statistic speaks of the transitions and not of how often openings agree. It has no
    chi-square reference: transitions of a question depend on each other, and the parameters are
    fitted to answers, not to the cells.
    """
    check_count(resamples, "resamples")
    rounds, rng = fit.rounds, np.random.default_rng(seed)
    seen, meant = observed(panel, rounds), expected(panel, fit.parameters, rounds)
    statistic = pearson(seen, meant)
    extreme = 0
    for _ in range(resamples):
        drawn = simulate(panel, fit.parameters, rng)
        again = refit(drawn, fit)
        redrawn = pearson(observed(drawn, rounds), expected(drawn, again, rounds))
        extreme += redrawn >= statistic
    return GoodnessOfFit(statistic, (extreme + 1) / (resamples + 1), seen, meant, resamples)


def pearson(observed: FloatArray, expected: FloatArray) -> float:
    """Pearson's statistic over the cells that something can fall in."""
    possible = expected > _NONE
    return float(((observed - expected)[possible] ** 2 / expected[possible]).sum())
