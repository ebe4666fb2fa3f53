"""The design diagnosed by simulation: debates drawn from the model, and estimated by our own code.

In the manner of DeclareDesign (Blair, Cooper, Coppock & Humphreys 2019, American Political Science
Review 113:838-859): declare a model of the world, draw studies from it many times, and see how far
the estimators are to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import numpy as np

from dissensus.digests import digest
from dissensus.identity.inference.fitting import fit
from dissensus.identity.inference.likelihood import Parameters
from dissensus.identity.inference.moments import moment_estimate
from dissensus.identity.inference.panel import Panel
from dissensus.identity.inference.plugin import plug_in
from dissensus.identity.inference.simulate import simulate
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common

DESIGN_DIAGNOSIS = Schema(
    name="design_diagnosis",
    row="scenario and estimator of pi_peer - pi_self",
    columns={
        **common("scenario", "estimator", "true", "mean?", "bias?", "sd?", "rmse?"),
        **common("coverage?", "coverage_mc_se?", "replicates"),
    },
    key=("scenario", "estimator"),
)

AGENTS, OPTIONS = 5, 4
#: Beliefs of the simulated questions: accurate in 4/7 of openings, half of which agree.
_BELIEFS = (4.0, 1.0)
#: Repetitions of the moments' bootstrap.
_RESAMPLES = 500


@dataclass(frozen=True)
class Scenario:
    """A world: weights, how many peers every agent hears, and how many transitions are fitted.

    The true value is (n w_peer - w_self) / (1 + w_self + n w_peer) for n peers.
    """

    w_self: float
    w_peer: float
    peers: int
    rounds: int

    @property
    def true(self) -> float:
        heard = self.peers * self.w_peer
        return (heard - self.w_self) / (1.0 + self.w_self + heard)


#: By name. The true values are 1.5/3.5 = .429, 0, -.429, 1.9/3.9 = .487, and .429 again.
SCENARIOS: Mapping[str, Scenario] = {
    "peers weigh more": Scenario(0.5, 2.0, 1, 1),
    "equal weights": Scenario(1.0, 1.0, 1, 1),
    "self weighs more": Scenario(2.0, 0.5, 1, 1),
    "four peers": Scenario(0.5, 0.6, 4, 1),
    "peers weigh more, two rounds": Scenario(0.5, 2.0, 1, 2),
}


def diagnose(
    replicates: int, questions: int, confidence: float, seed: int, workers: int = 1
) -> list[dict[str, Any]]:
    """Bias, spread, error and coverage of the estimators of pi_peer - pi_self, by scenario.

    Parameters
    ----------
    replicates : simulated studies a scenario.
    questions : in each of them, of :data:`OPTIONS` options, answered by :data:`AGENTS` agents.
    confidence : level of the intervals.
    seed : of the diagnosis; a replicate draws from a stream of its own.
    workers : processes that share the work; no result depends on it.

    Returns
    -------
    Rows of :data:`DESIGN_DIAGNOSIS`. The plug-in has no interval, and so no coverage. Two rounds
    are for the hierarchical model alone; the others take the first transition.
    """
    rows = []
    tasks = [(name, index) for name in SCENARIOS for index in range(replicates)]
    found = _shared(partial(_replicate, questions, confidence, seed), tasks, workers)
    for place, (name, scenario) in enumerate(SCENARIOS.items()):
        values = np.array(found[place * replicates : (place + 1) * replicates])
        for number, estimator in enumerate(_estimators(scenario)):
            row = {"scenario": name, "estimator": estimator, "true": scenario.true}
            rows.append(row | _performance(values[:, number], scenario.true))
    return rows


def _shared(
    work: partial[FloatArray], tasks: Sequence[tuple[str, int]], workers: int
) -> list[FloatArray]:
    """The work done on every task, in their order."""
    # A script that Snakemake runs cannot be imported by a process that starts from nothing.
    if workers < 2 or "fork" not in get_all_start_methods():
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(workers, get_context("fork")) as pool:
        return list(pool.map(work, tasks, chunksize=8))


def _estimators(scenario: Scenario) -> tuple[str, ...]:
    return ("hierarchical", "moment", "plug-in") if scenario.rounds == 1 else ("hierarchical",)


def _replicate(questions: int, confidence: float, seed: int, task: tuple[str, int]) -> FloatArray:
    """(estimators, 3), each one's estimate and interval in one simulated study."""
    name, index = task
    scenario = SCENARIOS[name]
    rng = np.random.default_rng(int(digest([seed, "diagnosis", name, index])[:12], 16))
    parameters = Parameters(scenario.w_self, scenario.w_peer, *_BELIEFS)
    panel = simulate(empty(scenario, questions), parameters, rng)
    ibc = fit(panel, scenario.rounds, confidence).estimates["ibc"]
    found = [(ibc.estimate, ibc.ci_low, ibc.ci_high)]
    if scenario.rounds == 1:
        moment = moment_estimate(panel, confidence, _RESAMPLES, index).estimates["ibc"]
        found.append((moment.estimate, moment.ci_low, moment.ci_high))
        own, heard = plug_in(panel)
        found.append((heard - own, NAN, NAN))
    return np.array(found, dtype=np.float64)


def empty(scenario: Scenario, questions: int) -> Panel:
    """The scenario's design, to be filled with answers; agents sit in a ring and hear the next."""
    peers = tuple(
        tuple((agent + step) % AGENTS for step in range(1, scenario.peers + 1))
        for agent in range(AGENTS)
    )
    nothing = np.zeros((questions, scenario.rounds + 1, AGENTS), dtype=np.int64)
    correct = np.arange(questions, dtype=np.int64) % OPTIONS
    return Panel(nothing, correct, np.full(questions, OPTIONS, dtype=np.int64), peers)


def _performance(found: FloatArray, true: float) -> dict[str, Any]:
    """How one estimator did; `found` is (replicates, 3). None where it defines no number."""
    found = found[np.isfinite(found[:, 0])]
    n, (estimates, low, high) = len(found), found.T
    spanned = np.isfinite(low)
    covered = ((low <= true) & (true <= high))[spanned]
    coverage = float(covered.mean()) if covered.size else None
    error = None if coverage is None else float(np.sqrt(coverage * (1 - coverage) / covered.size))
    return {
        "mean": float(estimates.mean()) if n else None,
        "bias": float(estimates.mean()) - true if n else None,
        "sd": float(estimates.std(ddof=1)) if n > 1 else None,
        "rmse": float(np.sqrt(((estimates - true) ** 2).mean())) if n else None,
        "coverage": coverage,
        "coverage_mc_se": error,
        "replicates": n,
    }
