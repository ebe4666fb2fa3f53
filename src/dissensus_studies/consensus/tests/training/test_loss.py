"""The composite loss over plain numbers, term by term; needs no torch."""

from __future__ import annotations

from math import exp, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...training.loss import Scores, Weights, composite, dpo, printed, validity

LIKELIHOODS = st.floats(-500, 0)


def scores(**changes: object) -> Scores:
    given = {
        "chosen": np.array([-10.0, -12.0]),
        "rejected": np.array([-11.0, -9.0]),
        "valid": np.array([0.4, nan]),
        "invalid": np.array([-0.3, nan]),
        "cosine": np.array([nan, 0.25]),
    }
    return Scores(**{**given, **changes})  # type: ignore[arg-type]


def test_equation_1_is_what_is_printed() -> None:
    beta = 0.3
    plus, minus = exp(beta * -2.0), exp(beta * -3.5)
    (found,) = printed(np.array([-2.0]), np.array([-3.5]), beta, np)
    assert found == pytest.approx(-log(plus / (plus + minus)))


def test_the_composite_is_the_sum_of_its_terms_by_hand() -> None:
    weights = Weights(beta=0.5, rationale=2.0, counterfactual=0.5)
    loss = composite(scores(), weights, np)
    preference = (log(1 + exp(-0.5 * 1.0)) + log(1 + exp(-0.5 * -3.0))) / 2
    # -log p where the reason is the debate's own, -log(1 - p) where it is another's.
    own, other = 1 / (1 + exp(-0.4)), 1 / (1 + exp(0.3))
    rationale = (-log(own) - log(1 - other)) / 2
    assert loss.preference == pytest.approx(preference)
    assert loss.rationale == pytest.approx(rationale)
    assert loss.counterfactual == pytest.approx(0.75)
    assert loss.total == pytest.approx(preference + 2 * rationale + 0.5 * 0.75)


def test_dpo_is_of_the_ratios_to_the_reference() -> None:
    reference = {
        "reference_chosen": np.array([-10.5, -11.0]),
        "reference_rejected": np.array([-10.0, -10.0]),
    }
    loss = composite(scores(**reference), Weights(0.1, 0.0, 0.0), np)
    # (-10 + 10.5) - (-11 + 10) = 1.5, and (-12 + 11) - (-9 + 10) = -2.
    assert loss.total == pytest.approx((log(1 + exp(-0.15)) + log(1 + exp(0.2))) / 2)
    without = composite(scores(), Weights(0.1, 0.0, 0.0), np)
    assert without.total != pytest.approx(float(loss.total))


def test_a_reference_like_the_model_gives_log_2_and_the_printed_form_does_not() -> None:
    same = scores(
        reference_chosen=np.array([-10.0, -12.0]), reference_rejected=np.array([-11.0, -9.0])
    )
    assert composite(same, Weights(), np).preference == pytest.approx(log(2))
    assert composite(scores(), Weights(), np).preference != pytest.approx(log(2))


def test_terms_that_no_triplet_defines_are_0() -> None:
    none = np.array([nan, nan])
    loss = composite(scores(valid=none, invalid=none, cosine=none), Weights(), np)
    assert loss.rationale == loss.counterfactual == 0.0 and loss.total == loss.preference


@given(LIKELIHOODS, LIKELIHOODS, st.floats(0.01, 5))
def test_preferring_costs_less_and_both_ways_differ_by_the_margin(
    chosen: float, rejected: float, beta: float
) -> None:
    a, b = np.array([chosen]), np.array([rejected])
    one, other = printed(a, b, beta, np)[0], printed(b, a, beta, np)[0]
    assert one >= 0 and np.isfinite(one)
    assert other - one == pytest.approx(beta * (chosen - rejected), abs=1e-9)
    # A shift of both by the same reference changes nothing.
    assert dpo(a - 7.0, b - 7.0, beta, np)[0] == pytest.approx(one, abs=1e-9)


@given(st.floats(-30, 30))
def test_validity_is_the_cross_entropy_of_the_odds(odds: float) -> None:
    p = 1 / (1 + exp(-odds))
    assert validity(np.array([odds]), 1.0, np)[0] == pytest.approx(-log(p), abs=1e-9)
    assert validity(np.array([odds]), 0.0, np)[0] == pytest.approx(
        validity(np.array([-odds]), 1.0, np)[0], abs=1e-9
    )
