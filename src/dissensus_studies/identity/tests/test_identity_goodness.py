"""The five cells, and the test of fit: it rejects what is no such debate, and seldom what is."""

from __future__ import annotations

import numpy as np
import pytest

from ..inference.cells import expected, implied, observed
from ..inference.fitting import fit, refit
from ..inference.goodness import goodness_of_fit, pearson
from ..inference.likelihood import Likelihood, Parameters
from ..inference.panel import Panel
from .identity_panels import FULL, RING, drawn, panel_from

PLANTED = Parameters(0.5, 2.0, 4.0, 1.0)


def test_cells_by_hand() -> None:
    peers = ((1,), (0,))
    panel = panel_from([[[0, 0], [0, 1]], [[0, 1], [0, 0]], [[0, 1], [2, -1]]], peers)
    # Agree: one stays, one leaves. Disagree: one keeps its own, one takes the peer's, one a third.
    assert observed(panel, 1).sum(axis=(0, 1)).tolist() == [1, 1, 1, 1, 1]


def test_several_peers_agree_only_all_together() -> None:
    peers = ((1, 2), (0, 2), (0, 1))
    panel = panel_from([[[0, 0, 1], [1, 0, 2]], [[3, 3, 3], [3, 3, 0]]], peers)
    # Of 0, 0, 1 nobody agrees with all: one follows the third, one keeps its own, one leaves all.
    assert observed(panel, 1).sum(axis=(0, 1)).tolist() == [2, 1, 1, 1, 1]


@pytest.mark.parametrize(("peers", "rounds"), [(RING, 1), (FULL, 1), (RING, 2)])
def test_expected_counts_are_what_the_model_draws(
    peers: tuple[tuple[int, ...], ...], rounds: int
) -> None:
    values = Parameters(0.5, 0.6, 4.0, 1.0)
    panel = drawn(values, 2, 3_000, rounds, peers)
    seen, meant = (
        cells.sum(axis=(0, 1))
        for cells in (observed(panel, rounds), expected(panel, values, rounds))
    )
    assert meant[:2].sum() == pytest.approx(seen[:2].sum())
    assert meant.sum() == pytest.approx(rounds * 15_000)
    # Transitions of a question go together, so that counts vary more than binomials.
    assert (np.abs(seen - meant) < 6 * np.sqrt(meant)).all()


def test_implied_shares_are_of_those_who_disagreed() -> None:
    values = Parameters(0.5, 0.6, 4.0, 1.0)
    panel = drawn(values, 2, 3_000, 1, RING)
    _, _, own, peer, third = observed(panel, 1).sum(axis=(0, 1))
    disagreed = own + peer + third
    assert implied(panel, values) == pytest.approx((peer / disagreed, own / disagreed), abs=0.02)
    alike = panel_from([[[0, 0], [0, 1]]], ((1,), (0,)))
    assert np.isnan(implied(alike, values)).all()


def test_pearson_by_hand_and_without_impossible_cells() -> None:
    seen, meant = np.array([12.0, 8.0, 0.0]), np.array([10.0, 10.0, 0.0])
    assert pearson(seen, meant) == pytest.approx(0.8)


def test_agents_who_turn_contrary_are_found_out() -> None:
    panel = drawn(PLANTED, 6, 80)
    answers, rng = panel.answers.copy(), np.random.default_rng(1)
    opening = answers[:, 0]
    apart = opening != np.roll(opening, -1, axis=1)
    # Four in ten of those who heard another answer give one that neither had.
    third = apart & (rng.random(apart.shape) < 0.4)
    taken = np.stack([opening, np.roll(opening, -1, axis=1)], axis=2)
    other = np.array([[min(set(range(4)) - set(pair)) for pair in row] for row in taken.tolist()])
    answers[:, 1] = np.where(third, other, answers[:, 1])
    contrary = Panel(answers, panel.correct, panel.options, RING)
    test, _ = goodness_of_fit(contrary, fit(contrary), 19, seed=1)
    assert test.p_value == pytest.approx(1 / 20)
    assert test.n == 400
    assert test.statistic == pytest.approx(pearson(test.observed, test.expected))


def test_agents_who_follow_the_majority_are_found_out() -> None:
    panel = drawn(PLANTED, 6, 60, peers=FULL)
    answers = panel.answers.copy()
    answers[:, 1] = [[np.bincount(row).argmax()] * 5 for row in answers[:, 0]]
    # One in ten says what it likes.
    rng = np.random.default_rng(1)
    free = rng.random(answers[:, 1].shape) < 0.1
    answers[:, 1] = np.where(free, rng.integers(0, 4, free.shape), answers[:, 1])
    crowd = Panel(answers, panel.correct, panel.options, FULL)
    assert goodness_of_fit(crowd, fit(crowd), 19, seed=1)[0].p_value == pytest.approx(1 / 20)


def mixed(seed: int, questions: int, seats: object) -> Panel:
    """Two of five who keep to themselves and three who follow; ``seats`` gives the two."""
    stubborn, following = (
        drawn(Parameters(w_self, w_peer, 4.0, 1.0), seed, questions)
        for w_self, w_peer in ((4.0, 0.1), (0.1, 4.0))
    )
    # The same seed draws the same openings, so that each goes on from what it saw.
    assert (stubborn.answers[:, 0] == following.answers[:, 0]).all()
    answers = following.answers.copy()
    for question, pair in enumerate(np.asarray(seats)):
        answers[question, 1, pair] = stubborn.answers[question, 1, pair]
    return Panel(answers, stubborn.correct, stubborn.options, RING)


def test_a_mixture_of_agents_is_found_by_seat_and_not_in_the_pool() -> None:
    pooled, by_agent = [], []
    for seed in range(3):
        panel = mixed(seed, 66, [(0, 2)] * 66)
        every, each = goodness_of_fit(panel, fit(panel), 39, seed)
        pooled.append(every.p_value)
        by_agent.append(each.p_value)
    assert by_agent == [1 / 40] * 3
    assert max(pooled) > 0.05
    assert each.words()[2].startswith("A1 disagree-self ")
    assert each.observed.reshape(5, 5).sum(axis=0) == pytest.approx(every.observed)


def test_a_mixture_that_changes_seats_is_found_by_persona_alone() -> None:
    rng = np.random.default_rng(4)
    seats = [rng.permutation(5)[:2] for _ in range(66)]
    panel = mixed(5, 66, seats)
    personas = np.full((66, 5), "open", dtype=object)
    for row, pair in zip(personas, seats, strict=True):
        row[pair] = "firm"
    fitted = fit(panel)
    _, by_seat = goodness_of_fit(panel, fitted, 39, 5)
    _, by_persona = goodness_of_fit(panel, fitted, 39, 5, personas)
    assert by_persona.p_value == 1 / 40
    assert by_persona.groups == ("firm", "open")
    assert by_seat.p_value > 0.05


def test_debates_of_the_model_pass() -> None:
    found, by_agent = [], []
    for seed in range(8):
        panel = drawn(PLANTED, seed, 40)
        every, each = goodness_of_fit(panel, fit(panel), 19, seed)
        found.append(every.p_value)
        by_agent.append(each.p_value)
    # Uniform on 1/20, ..., 1: the mean of 8 has a standard error of .10.
    for p_values in (found, by_agent):
        assert 0.25 < np.mean(p_values) < 0.85
        assert sum(p <= 0.05 for p in p_values) <= 3


def test_same_seed_same_test() -> None:
    panel = drawn(PLANTED, 3, 40)
    fitted = fit(panel)
    first, again = (goodness_of_fit(panel, fitted, 9, seed=4)[0] for _ in range(2))
    assert (first.statistic, first.p_value) == (again.statistic, again.p_value)
    assert first.words()[0].startswith("agree-stay ")
    assert "/" in first.words()[0]


@pytest.mark.parametrize(("peers", "rounds"), [(RING, 1), (FULL, 1), (RING, 2)])
def test_a_bootstraps_fit_is_the_whole_fit(peers: tuple[tuple[int, ...], ...], rounds: int) -> None:
    fitted = fit(drawn(PLANTED, 1, 60, rounds, peers), rounds)
    again = drawn(fitted.parameters, 2, 60, rounds, peers)
    whole, quick = fit(again, rounds).parameters, refit(again, fitted)
    assert quick.vector() == pytest.approx(whole.vector(), rel=0.02)


@pytest.mark.thorough
def test_a_bootstraps_fit_of_few_questions_is_as_likely_as_the_whole_fit() -> None:
    """Fits of few questions end at the limits of the parameters, where the likelihood is flat."""
    at_limits, alike = 0, Parameters(0.6, 0.6, 40.0, 8.0)
    for seed in range(12):
        fitted = fit(drawn(alike, seed, 6))
        again = drawn(fitted.parameters, seed + 100, 6)
        likelihood = Likelihood.of(again, 1)
        quick = refit(again, fitted).vector()
        reached = likelihood.value(quick)[0][likelihood.kind].sum()
        assert reached == pytest.approx(fit(again).loglik, abs=0.01)
        at_limits += quick.min() < 0.0011 or quick.max() > 9_900
    assert at_limits >= 3


def test_later_transitions_are_expected_with_what_was_said_before_them() -> None:
    """Two agents who both turn to a third answer: by likelihood-weighted draws of the beliefs."""
    values, peers = Parameters(0.2, 0.3, 2.0, 1.0), ((1,), (0,))
    panel = panel_from([[[0, 1], [2, 2], [2, 2]]], peers)
    second = (expected(panel, values, 2) - expected(panel, values, 1)).sum(axis=(0, 1))
    rng, alpha = np.random.default_rng(3), np.ones(4)
    alpha[panel.correct[0]] = 2.0
    p = rng.dirichlet(alpha, 400_000)
    # The opening is drawn from the beliefs, and neither heard a 2 before saying it.
    weight = p[:, 0] * p[:, 1] * p[:, 2] ** 2
    said_two = (weight * p[:, 2]).sum() / weight.sum()
    stays = (said_two + 0.2 + 0.3) / (1 + 2 * (0.2 + 0.3))
    assert second == pytest.approx([2 * stays, 2 * (1 - stays), 0, 0, 0], abs=0.01)
    # Without the first round's answers the belief in 2 were far from it.
    before = (alpha[2] / (alpha.sum() + 2) + 0.5) / 2
    assert abs(stays - before) > 0.05
