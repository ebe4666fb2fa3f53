"""The composite loss of CCAgent (the paper's section 4.4), over numbers that a model gave.

L = L_preference + lambda_r L_rationale + lambda_c L_cf. The paper's equation 2, which would say so,
is missing from its text; the weights are settings.

Each function takes arrays of one library and gives one of it: ``xp`` is numpy or torch, and of it
only ``logaddexp`` and ``zeros_like`` are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: An array of numpy or of torch.
Array = Any

#: The preference term: as equation 1 prints it, without a reference model; and DPO.
PRINTED, DPO = "printed", "dpo"


@dataclass(frozen=True)
class Weights:
    """What the terms weigh.

    Attributes
    ----------
    beta : the sharpness of the preference term.
    rationale, counterfactual : lambda_r and lambda_c.
    """

    beta: float = 0.1
    rationale: float = 1.0
    counterfactual: float = 1.0


@dataclass(frozen=True)
class Scores:
    """What a model gave of some triplets, each of shape (n,).

    Attributes
    ----------
    chosen, rejected : log-likelihood of y+ and of y-, given x, summed over tokens.
    reference_chosen, reference_rejected : the same of a reference model; None without one.
    valid : log-odds that the triplet's own rationale is valid; NaN where it has none.
    invalid : the same of another triplet's rationale; NaN likewise.
    cosine : between y+ and the counterfactual of y-; NaN where there is none.
    """

    chosen: Array
    rejected: Array
    valid: Array
    invalid: Array
    cosine: Array
    reference_chosen: Array | None = None
    reference_rejected: Array | None = None


@dataclass(frozen=True)
class Loss:
    """The loss and its terms, each a number; a term that no triplet defines is 0."""

    total: Array
    preference: Array
    rationale: Array
    counterfactual: Array


def composite(scores: Scores, weights: Weights, xp: Any) -> Loss:
    """The composite loss, each term a mean over the triplets that define it.

    With reference scores the preference term is DPO, without it is equation 1 as printed.
    """
    if scores.reference_chosen is None or scores.reference_rejected is None:
        preferred = printed(scores.chosen, scores.rejected, weights.beta, xp)
    else:
        preferred = dpo(
            scores.chosen - scores.reference_chosen,
            scores.rejected - scores.reference_rejected,
            weights.beta,
            xp,
        )
    preference = preferred.mean()
    stated = _mean(validity(_known(scores.valid), 1.0, xp))
    other = _mean(validity(_known(scores.invalid), 0.0, xp))
    rationale = (stated + other) / 2
    counterfactual = _mean(1.0 - _known(scores.cosine))
    total = preference + weights.rationale * rationale + weights.counterfactual * counterfactual
    return Loss(total, preference, rationale, counterfactual)


def printed(chosen: Array, rejected: Array, beta: float, xp: Any) -> Array:
    """Equation 1: -log(exp(b f+) / (exp(b f+) + exp(b f-))), f a log-likelihood; shape (n,).

    Without a reference model this is no DPO, though the paper calls it so: a response that is less
    likely for its length alone counts as the worse one before any training.
    """
    return _softplus(-beta * (chosen - rejected), xp)


def dpo(chosen: Array, rejected: Array, beta: float, xp: Any) -> Array:
    """DPO (Rafailov et al. 2023, equation 7), of log-ratios to a reference model; shape (n,)."""
    return printed(chosen, rejected, beta, xp)


def validity(log_odds: Array, target: float, xp: Any) -> Array:
    """Equation 3: binary cross-entropy of a rationale's validity; shape (n,).

    The paper does not say how it is predicted: here by the log-odds of yes over no, when the model
    is asked. Targets are 1 for a triplet's own rationale and 0 for another's.
    """
    return _softplus(log_odds, xp) - target * log_odds


def _softplus(value: Array, xp: Any) -> Array:
    """log(1 + exp(value)), without overflow."""
    return xp.logaddexp(xp.zeros_like(value), value)


def _known(values: Array) -> Array:
    """What is no NaN."""
    return values[values == values]


def _mean(values: Array) -> Array:
    """The mean, and 0 of nothing."""
    return values.sum() / max(len(values), 1)
