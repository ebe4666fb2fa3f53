"""What agents did after agreement and after disagreement: five cells, counted and expected.

With several peers, "agree" means that every peer had given the agent's own answer, and "peer" that
the new answer is that of some peer who had not (the paper's section 6.3, pooled over the numbers
of peers who agreed and disagreed).
"""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import FloatArray

from .likelihood import Likelihood, Parameters
from .panel import UNPARSED, Panel, one_hot

CELLS = ("agree-stay", "agree-leave", "disagree-self", "disagree-peer", "disagree-third")


def observed(panel: Panel, rounds: int) -> FloatArray:
    """(M, N, 5), usable transitions of rounds 1 to `rounds` in each cell, by question and agent."""
    width = panel.width
    total = np.zeros((panel.n_questions, len(panel.peers), len(CELLS)))
    for t in range(1, rounds + 1):
        answers = one_hot(panel.answers[:, t], width).astype(np.float64)
        total += _fold(panel, t, answers)
    return total


def expected(panel: Panel, parameters: Parameters, rounds: int) -> FloatArray:
    """(M, N, 5), expected counts of the same transitions under the model.

    Each transition is expected given all answers before it, the beliefs by their posterior mean.
    """
    width = panel.width
    weight = parameters.w_self + panel.n_peers * parameters.w_peer
    counts = np.zeros((panel.n_questions, panel.answers.shape[2], width))
    total = np.zeros((panel.n_questions, len(panel.peers), len(CELLS)))
    for t in range(1, rounds + 1):
        answers = one_hot(panel.answers[:, t - 1], width)
        heard = np.einsum("mjk,ij->mik", answers, panel.hears)
        counts += parameters.w_self * answers + parameters.w_peer * heard
        belief = beliefs(panel, parameters, t)
        total += _fold(panel, t, (belief[:, None] + counts) / (1.0 + t * weight)[:, None])
    return total


def implied(panel: Panel, parameters: Parameters) -> tuple[float, float]:
    """Conformity and Obstinacy that the model expects of the first transitions (Tables 4 to 6)."""
    _, _, obstinate, peer, third = expected(panel, parameters, 1).sum(axis=(0, 1))
    disagreed = obstinate + peer + third
    if disagreed == 0.0:
        return float("nan"), float("nan")
    return float(peer / disagreed), float(obstinate / disagreed)


def beliefs(panel: Panel, parameters: Parameters, t: int) -> FloatArray:
    """(M, K), posterior means of the beliefs given every answer of the rounds before t."""
    width = panel.width
    if t == 1:
        mass = np.full((panel.n_questions, width), parameters.a_other)
        mass[np.arange(panel.n_questions), panel.correct] = parameters.a_correct
        mass[np.arange(width) >= panel.options[:, None]] = 0.0
        mass += one_hot(panel.answers[:, 0], width).sum(axis=1)
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))
    return _by_witness(panel, parameters, t, width)


def _by_witness(panel: Panel, parameters: Parameters, t: int, width: int) -> FloatArray:
    """Posterior means as ratios of likelihoods, with and without one more opening answer k.

    The witness who gives it hears nobody, is heard by nobody and is silent in later rounds.
    """
    n, rounds, agents = panel.answers.shape
    witness = np.full((n, width, rounds, 1), UNPARSED, dtype=np.int64)
    witness[:, :, 0, 0] = np.arange(width)
    answers = np.broadcast_to(panel.answers[:, None], (n, width, rounds, agents))
    joined = Panel(
        np.concatenate([answers, witness], axis=3).reshape(n * width, rounds, agents + 1),
        np.repeat(panel.correct, width),
        np.repeat(panel.options, width),
        (*panel.peers, ()),
    )
    values = parameters.vector()
    both = [Likelihood.of(of, t - 1) for of in (joined, panel)]
    with_, without = (likelihood.value(values)[0][likelihood.kind] for likelihood in both)
    ratio = np.exp(with_.reshape(n, width) - without[:, None])
    ratio[np.arange(width) >= panel.options[:, None]] = 0.0
    return np.asarray(ratio)


def _fold(panel: Panel, t: int, new: FloatArray) -> FloatArray:
    """(M, N, 5), mass (M, N, K) of new answers in round t by cell, of what can be used."""
    width = new.shape[2]
    answers = one_hot(panel.answers[:, t - 1], width)
    heard = np.einsum("mjk,ij->mik", answers, panel.hears)
    other = (heard > 0) & (answers == 0)
    disagree = other.any(axis=2)
    usable = panel.usable(t)[:, t - 1] & (panel.n_peers > 0)
    apart, together = usable & disagree, usable & ~disagree
    stay, follow = (new * answers).sum(axis=2), (new * other).sum(axis=2) * apart
    kept, obstinate = stay * together, stay * apart
    return np.stack([kept, together - kept, obstinate, follow, apart - obstinate - follow], axis=2)
