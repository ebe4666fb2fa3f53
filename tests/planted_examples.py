"""What the simulated models of examples/ have planted, found without the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

#: Sessions of an arm by which planted effects are found that no formula gives.
MANY = 20_000


class Planted(NamedTuple):
    """A row of contrasts, by what names it there.

    Attributes
    ----------
    truth : gives what is planted; 0 where nothing is.
    level : of a factor, or "slope".
    """

    outcome: str
    arm: str
    reference: str
    truth: Callable[[], float]
    factor: str = ""
    level: str = ""


def most_frequent(answers: list[int]) -> int:
    return Counter(answers).most_common(1)[0][0]


def planted_accuracy() -> float:
    """Debate minus sampling, of solvers who are right at .4 and take up a right answer at .6."""
    rng = np.random.default_rng(1)

    def answer() -> int:
        return 0 if rng.random() < 0.4 else int(rng.choice([-10, 10]))

    def debated() -> list[int]:
        first = [answer() for _ in range(3)]
        return [one and (0 if 0 in first and rng.random() < 0.6 else one) for one in first]

    sampled = [most_frequent([answer() for _ in range(6)]) == 0 for _ in range(MANY)]
    return float(np.mean([most_frequent(debated()) == 0 for _ in range(MANY)]) - np.mean(sampled))


def planted_verdicts() -> float:
    """Debate minus consultancy, of a judge of sharpness 3 who adds up three forces of a side."""
    rng = np.random.default_rng(1)
    right, wrong = (rng.normal(mean, 0.5, (MANY, 3)).sum(axis=1) for mean in (1.0, 0.4))
    alone = np.where(rng.random(MANY) < 0.5, right, -wrong)
    debate, consultancy = (np.mean(1 / (1 + np.exp(-3 * gap))) for gap in (right - wrong, alone))
    return float(debate - consultancy)


def planted_flips() -> float:
    """What a peer's bare stance adds to being asked again, of an answer that is right at .6.

    Asked again, it is made anew at .2, and is then another at .48; a stance is taken up at .3.
    """
    anew = 0.2 * 2 * 0.6 * 0.4
    return 0.3 + 0.7 * anew - anew


def heard_right(right: float, again: float, taken: float) -> tuple[float, float]:
    """What a placebo adds, and what two peers on the same question add to it."""
    placebo = (1 - right) * again
    peers = (1 - right) * (1 - again) * (1 - (1 - right) ** 2) * taken
    return placebo, peers


#: Example -> what its run must find.
EXAMPLES: Mapping[str, tuple[Planted, ...]] = {
    "multi_agent_debate": (Planted("accuracy", "debate", "sampling", planted_accuracy),),
    "judged_debate": (Planted("strong", "debate", "consultancy", planted_verdicts),),
    "flips": (Planted("flip", "stance", "asked_again", planted_flips),),
    # Each of 1, 3 or 6 peers adds a chance of .12 to be followed; an ally leaves a quarter of it.
    "scripted_majority": (
        Planted("conformity", "unanimous", "asked_again", lambda: 0.12 * 10 / 3),
        Planted("conformity", "unanimous", "asked_again", lambda: 0.12, "peers", "slope"),
        Planted("conformity", "ally", "unanimous", lambda: -0.75 * 0.12, "peers", "slope"),
    ),
    "placebo_peers": (
        Planted("right", "placebo", "alone", lambda: heard_right(0.4, 0.25, 0.6)[0]),
        Planted("right", "peers", "placebo", lambda: heard_right(0.4, 0.25, 0.6)[1]),
    ),
}
