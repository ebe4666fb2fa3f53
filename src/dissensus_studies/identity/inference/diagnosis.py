"""The worlds in which the identity study's estimators are diagnosed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dissensus.design.diagnosis import World, run_worlds
from dissensus.digests import seed_of
from dissensus.stats.results import Estimate

from .fitting import fit
from .likelihood import Parameters
from .moments import moment_estimate
from .panel import Panel
from .plugin import plug_in
from .simulate import simulate

ESTIMAND = "pi_peer − pi_self"

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
    questions: Mapping[str, Any], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> list[dict[str, Any]]:
    """What the estimators of pi_peer - pi_self do in each scenario.

    Parameters
    ----------
    questions : of the run, which none of this depends on.
    settings : ``inference.confidence``, and ``diagnosis``: the number of replicates (simulated
        studies) and of questions in each, which have :data:`OPTIONS` options and are answered by
        :data:`AGENTS` agents.
    seed : of the run; a study draws from a stream of its own in each scenario.
    cores : processes that share the work.

    Returns
    -------
    Rows of :data:`dissensus.design.diagnosis.DIAGNOSIS`. The plug-in, for comparison, takes each
    question's beliefs from its own openings; it has no interval, and with one peer what is wrong
    with its two shares cancels in their difference. Two rounds are for the hierarchical model
    alone; the others take the first transition.
    """
    worlds = [
        World(name, scenario.true, _estimators(scenario)) for name, scenario in SCENARIOS.items()
    ]
    confidence, diagnosis = settings["inference.confidence"], settings["diagnosis"]
    draw = partial(_simulate, diagnosis["questions"], confidence, seed)
    return run_worlds(worlds, ESTIMAND, draw, diagnosis["replicates"], confidence, cores)


def _estimators(scenario: Scenario) -> tuple[str, ...]:
    return ("hierarchical", "moment", "plug-in") if scenario.rounds == 1 else ("hierarchical",)


def _simulate(
    questions: int, confidence: float, seed: int, index: int
) -> list[dict[str, Estimate]]:
    """One study in every scenario, and what each estimator says of it."""
    return [
        _estimates(name, scenario, questions, confidence, seed, index)
        for name, scenario in SCENARIOS.items()
    ]


def _estimates(
    name: str, scenario: Scenario, questions: int, confidence: float, seed: int, index: int
) -> dict[str, Estimate]:
    rng = np.random.default_rng(seed_of(seed, "diagnosis", name, index))
    parameters = Parameters(scenario.w_self, scenario.w_peer, *_BELIEFS)
    panel = simulate(empty(scenario, questions), parameters, rng)
    estimates = {"hierarchical": fit(panel, scenario.rounds, confidence).estimates["ibc"]}
    if scenario.rounds == 1:
        moment = moment_estimate(panel, confidence, _RESAMPLES, index)
        self_share, peer_share = plug_in(panel)
        estimates |= {
            "moment": moment.estimates["ibc"],
            "plug-in": Estimate(peer_share - self_share),
        }
    return estimates


def empty(scenario: Scenario, questions: int) -> Panel:
    """The scenario's design, to be filled with answers; agents sit in a ring and hear the next."""
    peers = tuple(
        tuple((agent + step) % AGENTS for step in range(1, scenario.peers + 1))
        for agent in range(AGENTS)
    )
    nothing = np.zeros((questions, scenario.rounds + 1, AGENTS), dtype=np.int64)
    correct = np.arange(questions, dtype=np.int64) % OPTIONS
    return Panel(nothing, correct, np.full(questions, OPTIONS, dtype=np.int64), peers)
