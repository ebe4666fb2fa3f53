"""The estimator that is not to be used: each question's beliefs plugged in from its own openings.

With N opening answers a question the plugged-in beliefs stay as noisy as they are however many
questions there are, and so the weights, which all questions share, are not recovered (Neyman &
Scott 1948). With every other agent a peer, unsmoothed shares of the openings are a mean of what an
agent saw, and nothing tells belief from imitation at all. It stands in the design's diagnosis to
show how far off that is.
"""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import FloatArray

from .panel import Panel, one_hot

_STEPS, _STILL = 3000, 1e-6


def plug_in(panel: Panel) -> FloatArray:
    """(2,), pi_self and pi_peer of the first transition, beliefs being smoothed opening shares.

    Parameters
    ----------
    panel : in which every agent hears the same number of peers, one or more.

    Raises
    ------
    ValueError : agents hear different numbers of peers, or none.

    Notes
    -----
    Beliefs are (n_k + 1) / (n + K), Laplace's rule. The shares of a mixture of known parts have one
    maximum, and expectation-maximisation finds it (Dempster, Laird & Rubin 1977).
    """
    peers = panel.n_peers
    if not peers.min() == peers.max() > 0:
        raise ValueError("The plug-in needs agents that all hear as many peers, one or more.")
    width = panel.width
    answers = one_hot(panel.answers[:, 0], width)
    opening = answers.sum(axis=1)
    belief = (opening + 1.0) / (opening.sum(axis=1) + panel.options)[:, None]
    heard = np.einsum("mjk,ij->mik", answers, panel.hears) / peers[0]
    question, agent = np.nonzero(panel.usable(1)[:, 0])
    new = panel.answers[question, 1, agent]
    sources = [belief[question, new], answers[question, agent, new], heard[question, agent, new]]
    parts, times = np.unique(np.array(sources), axis=1, return_counts=True)
    shares = np.full(3, 1.0 / 3.0)
    for _ in range(_STEPS):
        mixed = shares[:, None] * parts
        before, shares = shares, (mixed / mixed.sum(axis=0)) @ times / times.sum()
        if np.abs(shares - before).max() < _STILL:
            break
    return np.asarray(shares[1:])
