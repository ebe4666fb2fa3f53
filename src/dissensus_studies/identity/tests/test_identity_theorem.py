"""The measures of debates that are drawn from the paper's model are those of its Theorem 1."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from .identity_rows import Debates, estimated, full

BELIEF = np.array([0.4, 0.3, 0.2, 0.1])
AGENTS = 3
WEIGHTS = {"vanilla": (0.3, 1.2), "anonymized": (0.75, 0.75)}


def simulated(graph, peers, questions):
    """Debates by Definitions 1 and 2, one belief for all, |alpha_0| = 1."""
    rng = np.random.default_rng(3)
    letters, debates = np.array(list("ABCD")), Debates()
    for index in range(questions):
        opening = rng.choice(4, AGENTS, p=BELIEF)
        for condition in ("anonymized", "vanilla"):
            own, peer = WEIGHTS[condition]
            now = []
            for agent in range(AGENTS):
                alpha = BELIEF + own * np.eye(4)[opening[agent]]
                alpha += peer * np.eye(4)[opening[list(peers[agent])]].sum(axis=0)
                now.append(rng.choice(4, p=rng.dirichlet(alpha)))
            rounds = ["".join(letters[one]) for one in (opening, np.array(now))]
            debates.add("team", f"choice-{index:04d}", condition, rounds, graph=graph)
    return debates


def closed_form(condition, n_peers):
    """Theorem 1 and its multi-peer version, averaged over what agents are shown in each cell."""
    own_weight, peer_weight = WEIGHTS[condition]
    total = 1.0 + own_weight + n_peers * peer_weight
    sums = defaultdict(lambda: np.zeros(3))
    for own, *peers in product(range(4), repeat=n_peers + 1):
        chance = BELIEF[own] * BELIEF[peers].prod()
        others = [peer for peer in peers if peer != own]
        agree = n_peers - len(others)
        if others:
            followed = sum(BELIEF[peer] for peer in set(others)) + peer_weight * len(others)
            stayed = BELIEF[own] + own_weight + agree * peer_weight
            for cell in (f"{len(others)},{agree}", "all"):
                sums[cell] += chance * np.array([followed / total, stayed / total, 1.0])
    return {cell: values[:2] / values[2] for cell, values in sums.items()}


@pytest.mark.parametrize(
    ("graph", "peers"), [("2|3|1", ([1], [2], [0])), (full(3), ([1, 2], [0, 2], [0, 1]))]
)
def test_against_theorem_1(graph, peers):
    rows = estimated(simulated(graph, peers, 700), resamples=200)
    expected = {condition: closed_form(condition, len(peers[0])) for condition in WEIGHTS}
    deviations = []
    for cell in expected["vanilla"]:
        both = {condition: of_cell[cell] for condition, of_cell in expected.items()}
        truth = {
            (condition, measure): value
            for condition, (conformity, obstinacy) in both.items()
            for measure, value in (
                ("conformity", conformity),
                ("obstinacy", obstinacy),
                ("delta", conformity - obstinacy),
            )
        }
        truth["difference", "ibc"] = truth["vanilla", "delta"] - truth["anonymized", "delta"]
        for (condition, measure), value in truth.items():
            row = rows["team", "choice", 1, condition, cell, "drop", measure]
            assert row["se"] < 0.08
            deviations.append((row["estimate"] - value) / row["se"])
    assert np.abs(deviations).max() < 3.5
    if len(peers[0]) == 1:
        # Equation 5, since both conditions have the same total weight.
        assert truth["difference", "ibc"] == pytest.approx((1.2 - 0.3) / 2.5)
