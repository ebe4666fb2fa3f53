"""Small panels, and the likelihood of one written out term by term."""

from __future__ import annotations

from itertools import product
from math import exp, lgamma

import numpy as np

from ..inference.likelihood import Parameters
from ..inference.panel import Panel
from ..inference.simulate import simulate

RING = tuple(((agent + 1) % 5,) for agent in range(5))
FULL = tuple(tuple(peer for peer in range(5) if peer != agent) for agent in range(5))
STAR = ((1, 2), (0,), (0,))


def panel_from(answers: object, peers: object, correct: int = 0, options: int = 4) -> Panel:
    """A panel of nested lists, question by round by agent."""
    array = np.array(answers, dtype=np.int64)
    n = len(array)
    return Panel(array, np.full(n, correct), np.full(n, options), peers)  # type: ignore[arg-type]


def drawn(
    parameters: Parameters,
    seed: int,
    questions: int,
    rounds: int = 1,
    peers: tuple[tuple[int, ...], ...] = RING,
    options: int = 4,
) -> Panel:
    """A panel drawn from the model."""
    nothing = np.zeros((questions, rounds + 1, len(peers)), dtype=np.int64)
    n = np.arange(questions)
    design = Panel(nothing, n % options, np.full(questions, options), peers)
    return simulate(design, parameters, np.random.default_rng(seed))


def take(panel: Panel, questions: object) -> Panel:
    """The panel of some of its questions, by position."""
    chosen = np.asarray(questions)
    parts = (panel.answers[chosen], panel.correct[chosen], panel.options[chosen])
    return Panel(*parts, panel.peers)


def terms(panel: Panel, question: int, rounds: int, values: Parameters) -> list[float]:
    """Every term of the expanded mixtures of a question: each answer a belief's draw or a copy."""
    answers = panel.answers[question]
    counts = np.zeros((len(panel.peers), int(panel.options[question])))
    moves = []
    for t in range(1, rounds + 1):
        for agent, peers in enumerate(panel.peers):
            for heard, weight in ((agent, values.w_self), *((p, values.w_peer) for p in peers)):
                counts[agent, answers[t - 1, heard]] += weight
        for agent, peers in enumerate(panel.peers):
            total = 1 + t * (values.w_self + len(peers) * values.w_peer)
            answer = answers[t, agent]
            moves.append((answer, 1 / total, counts[agent, answer] / total))
    found = []
    for believed in product((False, True), repeat=len(moves)):
        weight, seen = 1.0, list(answers[0])
        for belief, (answer, from_belief, from_copy) in zip(believed, moves, strict=True):
            weight *= from_belief if belief else from_copy
            if belief:
                seen.append(answer)
        found.append(weight * dirichlet_multinomial(seen, panel, question, values))
    return found


def dirichlet_multinomial(
    seen: list[int], panel: Panel, question: int, values: Parameters
) -> float:
    """Probability of a sequence of draws from beliefs with the panel's prior."""
    alpha = np.full(int(panel.options[question]), values.a_other)
    alpha[panel.correct[question]] = values.a_correct
    counts = np.bincount(np.array(seen, dtype=np.int64), minlength=len(alpha))
    log = lgamma(alpha.sum()) - lgamma(alpha.sum() + len(seen))
    log += sum(lgamma(a + n) - lgamma(a) for a, n in zip(alpha, counts, strict=True))
    return exp(log)
