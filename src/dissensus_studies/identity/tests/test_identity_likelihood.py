"""The exact likelihood: against the expanded mixture, integration, and what probabilities obey."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..inference.cells import _by_witness, beliefs
from ..inference.likelihood import Likelihood, Parameters
from ..inference.panel import Panel
from .identity_panels import FULL, RING, STAR, drawn, panel_from, take, terms

PLANTED = Parameters(0.5, 0.6, 4.0, 1.0)
positive = st.floats(0.02, 20.0)


def logs(panel: Panel, rounds: int, parameters: Parameters) -> np.ndarray:
    """Log likelihood of every question."""
    found = Likelihood.of(panel, rounds)
    return np.asarray(found.value(parameters.vector())[0][found.kind])


@pytest.mark.parametrize(
    ("peers", "rounds"),
    [(RING, 1), (FULL, 1), (STAR, 1), (STAR, 2), (((1,), (2,), (0,)), 2), (((1,), (0,)), 3)],
)
def test_equals_the_sum_over_every_subset_of_belief_draws(
    peers: tuple[tuple[int, ...], ...], rounds: int
) -> None:
    values = Parameters(0.7, 1.3, 1.7, 0.4)
    panel = drawn(values, 3, 12, rounds, peers, options=3)
    expected = [np.log(sum(terms(panel, m, rounds, values))) for m in range(12)]
    assert logs(panel, rounds, values) == pytest.approx(expected, rel=1e-12)


def test_equals_integration_over_the_beliefs() -> None:
    panel = drawn(PLANTED, 1, 3, rounds=2, peers=FULL)
    rng = np.random.default_rng(0)
    for question, log in enumerate(logs(panel, 2, PLANTED)):
        alpha = np.ones(4)
        alpha[panel.correct[question]] = 4.0
        p = rng.dirichlet(alpha, 60_000)
        answers, counts, likelihood = panel.answers[question], np.zeros((5, 4)), 1.0
        for t in range(3):
            for agent in range(5):
                answer = answers[t, agent]
                share = (p[:, answer] + counts[agent, answer]) / (1 + t * (0.5 + 4 * 0.6))
                likelihood = likelihood * share
            for agent in range(5):
                for other in range(5):
                    counts[agent, answers[t, other]] += 0.5 if agent == other else 0.6
        mean, error = np.mean(likelihood), np.std(likelihood) / np.sqrt(60_000)
        assert abs(np.exp(log) - mean) < 4 * error


@pytest.mark.parametrize(("peers", "rounds"), [(RING, 1), (FULL, 2), (STAR, 2)])
def test_slopes_are_those_of_the_log_likelihood(
    peers: tuple[tuple[int, ...], ...], rounds: int
) -> None:
    panel = drawn(PLANTED, 5, 30, rounds, peers)
    found = Likelihood.of(panel, rounds)
    at = np.array([0.8, 0.3, 2.5, 0.6])
    slopes = found.value(at)[1]
    for index in range(4):
        step = np.zeros(4)
        step[index] = 1e-6
        up, down = (found.value(at * np.exp(sign * step))[0] for sign in (1, -1))
        assert slopes[:, index] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@settings(max_examples=25)
@given(
    positive,
    positive,
    positive,
    positive,
    st.sampled_from(
        [
            (((1,), (0,)), 3, 1),
            (((1,), (0,)), 2, 2),
            (((1, 2), (0,), (0,)), 2, 1),
            (((1,), (2,), (0,)), 2, 1),
        ]
    ),
)
def test_all_outcomes_together_have_probability_one(
    w_self: float,
    w_peer: float,
    a_correct: float,
    a_other: float,
    design: tuple[tuple[tuple[int, ...], ...], int, int],
) -> None:
    peers, options, rounds = design
    shape = (rounds + 1, len(peers))
    every = np.array(list(product(range(options), repeat=shape[0] * shape[1])))
    panel = panel_from(every.reshape(-1, *shape), peers, correct=1, options=options)
    found = logs(panel, rounds, Parameters(w_self, w_peer, a_correct, a_other))
    assert np.exp(found).sum() == pytest.approx(1.0, rel=1e-10)


def test_an_unparsed_last_answer_is_summed_over() -> None:
    peers = ((1,), (2,), (0,))
    whole = [[[[0, 1, 0], [0, last, 1]]] for last in range(4)]
    missing = panel_from([[[0, 1, 0], [0, -1, 1]]], peers)
    summed = sum(np.exp(logs(panel_from(one, peers), 1, PLANTED))[0] for one in whole)
    assert np.exp(logs(missing, 1, PLANTED))[0] == pytest.approx(summed, rel=1e-12)


def test_transitions_from_an_unparsed_answer_drop_out() -> None:
    peers = ((1,), (2,), (0,))
    # Agent 3 said nothing at the opening: it and agent 2, who hears it, have no transition.
    seen = panel_from([[[0, 1, -1], [1, 2, 3]]], peers)
    kept = panel_from([[[0, 1, -1], [1, -1, -1]]], peers)
    assert logs(seen, 1, PLANTED) == pytest.approx(logs(kept, 1, PLANTED))
    assert seen.usable(1).tolist() == [[[True, False, False]]]


def test_questions_may_have_different_numbers_of_options() -> None:
    answers = [[[0, 1, 0], [1, 1, 0]]] * 3
    peers = ((1,), (2,), (0,))
    mixed = Panel(np.array(answers), np.array([0, 0, 1]), np.array([2, 7, 7]), peers)
    alone = [take(mixed, [m]) for m in range(3)]
    values = Parameters(0.7, 1.3, 1.7, 0.4)
    expected = [np.log(sum(terms(one, 0, 1, values))) for one in alone]
    assert logs(mixed, 1, values) == pytest.approx(expected, rel=1e-12)


def test_a_witness_measures_the_posterior_belief() -> None:
    panel = drawn(PLANTED, 8, 20, rounds=2)
    closed = beliefs(panel, PLANTED, 1)
    assert _by_witness(panel, PLANTED, 1, 4) == pytest.approx(closed, rel=1e-10)
    later = beliefs(panel, PLANTED, 2)
    assert later.sum(axis=1) == pytest.approx(np.ones(20), rel=1e-10)
    # By hand for one question: likelihood-weighted draws of the beliefs.
    rng, alpha = np.random.default_rng(2), np.ones(4)
    alpha[panel.correct[0]] = 4.0
    p = rng.dirichlet(alpha, 100_000)
    opening, first = panel.answers[0, :2]
    weight = np.prod(p[:, opening], axis=1)
    for agent in range(5):
        copied = 0.5 * (first[agent] == opening[agent])
        copied += 0.6 * (first[agent] == opening[(agent + 1) % 5])
        weight = weight * (p[:, first[agent]] + copied)
    mean = (weight[:, None] * p).sum(axis=0) / weight.sum()
    assert later[0] == pytest.approx(mean, abs=0.01)
