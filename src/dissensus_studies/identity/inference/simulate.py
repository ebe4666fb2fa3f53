"""Panels drawn from the model: for parametric bootstraps and for the design's diagnosis."""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import FloatArray, IntArray

from .likelihood import Parameters
from .panel import UNPARSED, Panel, one_hot


def simulate(panel: Panel, parameters: Parameters, rng: np.random.Generator) -> Panel:
    """Answers to the same questions by the same agents, drawn from the model.

    Parameters
    ----------
    panel : of which questions, options, rounds, peers and answers that could not be parsed are
        kept; its other answers have no part in it.
    parameters : of the model.
    rng : source of the draws.
    """
    n_questions, n_rounds, n_agents = panel.answers.shape
    width = panel.width
    belief = _beliefs(panel, parameters, width, rng)
    counts = np.zeros((n_questions, n_agents, width))
    answers = np.empty_like(panel.answers)
    for number in range(n_rounds):
        if number:
            last = one_hot(answers[:, number - 1], width)
            heard = np.einsum("mjk,ij->mik", last, panel.hears)
            counts += parameters.w_self * last + parameters.w_peer * heard
        mass: FloatArray = belief[:, None] + counts
        answers[:, number] = _draw(mass, rng)
    answers[panel.answers == UNPARSED] = UNPARSED
    return Panel(answers, panel.correct, panel.options, panel.peers)


def _beliefs(
    panel: Panel, parameters: Parameters, width: int, rng: np.random.Generator
) -> FloatArray:
    """(M, width), beliefs of each question over its options; 0 on what is no option of it."""
    shape = np.full((panel.n_questions, width), parameters.a_other)
    shape[np.arange(panel.n_questions), panel.correct] = parameters.a_correct
    # Logs of gamma draws, since those of small shapes are too small for a float (Stuart 1962).
    logs = np.log(rng.standard_gamma(shape + 1.0)) - rng.standard_exponential(shape.shape) / shape
    logs[np.arange(width) >= panel.options[:, None]] = -np.inf
    mass = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def _draw(mass: FloatArray, rng: np.random.Generator) -> IntArray:
    """(M, N), one option each, in proportion to the mass on it."""
    ends = np.cumsum(mass, axis=2)
    level = rng.random(mass.shape[:2]) * ends[..., -1]
    return np.asarray((level[..., None] >= ends).sum(axis=2).clip(max=mass.shape[2] - 1))
