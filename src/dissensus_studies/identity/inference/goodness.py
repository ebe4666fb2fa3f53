"""Does the model fit? Five cells, counted and expected, by parametric bootstrap.

Once for all agents together, and once agent by agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, check_count

from .cells import CELLS, expected, observed
from .fitting import Fit, refit
from .likelihood import Parameters
from .panel import Panel
from .simulate import simulate

#: Fewer transitions than this are expected in a cell only where none can fall.
_NONE = 1e-9


@dataclass(frozen=True)
class GoodnessOfFit:
    """A test of fit.

    Attributes
    ----------
    statistic : Pearson's, the sum of (observed - expected)^2 / expected over the cells.
    p_value : (b + 1)/(m + 1) for b of m resamples with a statistic as large (Davison & Hinkley
        1997, section 4.2.3).
    observed, expected : (5 g,), transitions in each of :data:`CELLS`, of g groups of agents.
    groups : names of the groups; "" for all agents.
    resamples : m.
    """

    statistic: float
    p_value: float
    observed: FloatArray
    expected: FloatArray
    groups: tuple[str, ...]
    resamples: int

    @property
    def n(self) -> int:
        """Transitions."""
        return int(self.observed.sum())

    def words(self) -> list[str]:
        """Such as "agree-stay 512/508.1", after the name of a group of agents."""
        names = [f"{group} {cell}".strip() for group in self.groups for cell in CELLS]
        pairs = zip(names, self.observed, self.expected, strict=True)
        return [f"{cell} {seen:.0f}/{meant:.1f}" for cell, seen, meant in pairs]


def goodness_of_fit(
    panel: Panel, fit: Fit, resamples: int, seed: int, agents: npt.NDArray[Any] | None = None
) -> tuple[GoodnessOfFit, GoodnessOfFit]:
    """Test a fitted model on what agents did after agreement and after disagreement.

    Parameters
    ----------
    panel : that was fitted.
    fit : of it.
    resamples : panels drawn from the fitted model, each of which is fitted again.
    seed : of the draws.
    agents : (M, N), which agent sat where on each question, such as its persona; None for one of
        its own in every seat.

    Returns
    -------
    The test on five cells, of all agents together; and that on five cells of each agent, which
    finds agents who are not alike. The same resamples serve both.

    Notes
    -----
    The counts pool the fitted rounds. Each transition is expected given the answers before it, so
    the statistic speaks of the transitions and not of how often openings agree. It has no
    chi-square reference: transitions of a question depend on each other, and the parameters are
    fitted to answers, not to the cells.

    Agents of two kinds move the pooled cells hardly at all, since common weights between theirs
    make up for it. By agent they show, if who they are can be known: by their seats where these are
    the same on every question, or by their personas. A mixture whose members change their seats
    from question to question, without a name, no test on single transitions can see.
    """
    check_count(resamples, "resamples")
    rounds, rng = fit.rounds, np.random.default_rng(seed)
    if agents is None:
        seats = [f"A{seat}" for seat in range(1, len(panel.peers) + 1)]
        agents = np.broadcast_to(np.array(seats, dtype=object), (panel.n_questions, len(seats)))
    names = sorted(set(agents.ravel()))
    groupings = [
        np.ones((*agents.shape, 1)),
        np.stack([agents == agent for agent in names], axis=2),
    ]

    def cells(of: Panel, parameters: Parameters) -> list[tuple[FloatArray, FloatArray]]:
        both = observed(of, rounds), expected(of, parameters, rounds)
        return [(_summed(both[0], grouping), _summed(both[1], grouping)) for grouping in groupings]

    cells_of = cells(panel, fit.parameters)
    statistics = np.array([pearson(*cell) for cell in cells_of])
    extreme = np.zeros(len(cells_of))
    for _ in range(resamples):
        drawn = simulate(panel, fit.parameters, rng)
        again = cells(drawn, refit(drawn, fit))
        extreme += np.array([pearson(*cell) for cell in again]) >= statistics
    p = (extreme + 1.0) / (resamples + 1.0)
    every, by_agent = (
        GoodnessOfFit(float(statistics[i]), float(p[i]), *cells_of[i], groups, resamples)
        for i, groups in enumerate((("",), tuple(names)))
    )
    return every, by_agent


def _summed(counts: FloatArray, grouping: npt.NDArray[Any]) -> FloatArray:
    """(5 g,), counts (M, N, 5) of the agents of each of g groups (M, N, g)."""
    return np.asarray(np.einsum("mnc,mng->gc", counts, grouping.astype(np.float64))).ravel()


def pearson(observed: FloatArray, expected: FloatArray) -> float:
    """Pearson's statistic over the cells that something can fall in."""
    possible = expected > _NONE
    return float(((observed - expected)[possible] ** 2 / expected[possible]).sum())
