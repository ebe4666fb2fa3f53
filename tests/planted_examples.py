"""What the simulated models of examples/ have planted, found without the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from support import ROOT

#: Sessions of an arm by which planted effects are found that no formula gives.
MANY = 20_000


class Planted(NamedTuple):
    """A row of contrasts, by what names it there.

    Attributes
    ----------
    truth : gives what is planted; 0 where nothing is.
    level : of a factor, or "slope".
    unit : of the outcome: three tenths of it are the most that three standard errors may be.
    """

    outcome: str
    arm: str
    reference: str
    truth: Callable[[], float]
    factor: str = ""
    level: str = ""
    unit: float = 1.0


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


def persuaded(right: float, up: float, down: float) -> tuple[float, float]:
    """What a persuader and an adversary change for those who hear them.

    In their place an agent argues who is right as often as the others. They take up what is right
    by the chance ``up``, and what is wrong by ``down``.
    """
    best, worst = right + (1 - right) * up, right * (1 - down)
    group = right * best + (1 - right) * worst
    return best - group, worst - group


def chosen(said: float) -> float:
    """How often an agent chooses the better candidate, whose six facts are two to an agent.

    It knows two of them and hears each of four others by a chance; four are for the other
    candidate, and it tosses a coin where as many are for each.
    """
    two, three, four = (comb(4, k) * said**k * (1 - said) ** (4 - k) for k in (2, 3, 4))
    return two / 2 + three + four


def spread(topology: str) -> float:
    """The mean standard deviation of five opinions after four rounds, by the matrix of DeGroot."""
    rng = np.random.default_rng(1)
    hears = np.ones((5, 5)) - np.eye(5)
    if topology == "star":
        hears[1:, 1:] = 0
    elif topology == "ring":
        hears = np.roll(np.eye(5), 1, axis=1) + np.roll(np.eye(5), -1, axis=1)
    weights = 0.7 * np.eye(5) + 0.3 * hears / hears.sum(axis=1, keepdims=True)
    opinions = rng.normal(500, 50, (5, MANY))
    for _ in range(4):
        opinions = weights @ opinions + rng.normal(0, 2, (5, MANY))
    return float(opinions.std(axis=0, ddof=1).mean())


def talked() -> tuple[float, float]:
    """What three rounds of talk change in the spread of ratings, and how much closer words are.

    Ratings go .15 of the way to the mean of what is said, words .5 of that to what was said before.
    """
    rng = np.random.default_rng(1)
    first = rng.integers(5, 95, (3, MANY)) + rng.normal(0, 2, (3, MANY))
    silent, rated, said = first, first, None
    for _ in range(3):
        noise = rng.normal(0, 2, (3, 3, MANY))
        silent = np.clip(silent + noise[0], 0, 100)
        pulled = 0 if said is None else 0.5 * (said.mean(axis=0) - rated)
        said = np.clip(rated + pulled + noise[1], 0, 100)
        rated = np.clip(rated + 0.15 * (said.mean(axis=0) - rated) + noise[2], 0, 100)
    alone, private, words = (
        float(each.std(axis=0, ddof=1).mean()) for each in (silent, rated, np.asarray(said))
    )
    return private - alone, private - words


#: Example -> what its run must find.
def planted_twins(knows: float = 0.1, taken: float = 0.4) -> float:
    """Who is right after three answers, hearing all others or not, in groups of DeliData's sizes.

    Right answers are kept where they are heard; an agent that hears nothing begins anew each time.
    """
    rng = np.random.default_rng(1)
    groups = pd.read_csv(ROOT / "resources/validation/delidata_groups.csv")["people"]
    shares = []
    for size in groups.sample(4 * len(groups), replace=True, random_state=1):
        right = rng.random(size) < knows
        for _ in range(2):
            chance = knows + (1 - knows) * taken * right.any()
            right |= rng.random(size) < chance
        shares.append(right.mean())
    return float(np.mean(shares)) - knows


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
    "persuaders": (
        Planted("right", "again", "group", lambda: 0.0),
        Planted("right", "persuader", "group", lambda: persuaded(0.6, 0.7, 0.4)[0]),
        Planted("right", "adversary", "group", lambda: persuaded(0.6, 0.7, 0.4)[1]),
        # Those who are wrong are never right after an adversary.
        Planted("won", "adversary", "group", lambda: -0.4 * 0.6 * 0.7),
    ),
    "hidden_profiles": (
        Planted("spread_said", "prompted", "hidden", lambda: 0.7 - 0.3),
        Planted("right", "prompted", "hidden", lambda: chosen(0.7) - chosen(0.3)),
        Planted("right", "full", "hidden", lambda: 1 - chosen(0.3)),
    ),
    # Followed at .6 where it is one's own, at .2 where it is another's, or .7 if an expert's.
    # One who does not follow what is right finds it at .3: half of the answers shown are right.
    "labels": (
        Planted("followed", "own", "another", lambda: (0.6 - 0.45) * (1 - 0.3 / 2)),
        Planted("followed", "", "", lambda: 0.25 * (1 - 0.3 / 2), "rank", "expert"),
        Planted("followed", "own", "another", lambda: -0.5 * (1 - 0.3 / 2), "rank", "expert"),
    ),
    "topologies": (
        Planted("spread", "star", "complete", lambda: spread("star") - spread("complete"), unit=20),
        Planted("spread", "ring", "complete", lambda: spread("ring") - spread("complete"), unit=20),
    ),
    "personas": (
        Planted("spread", "talk", "silent", lambda: talked()[0], unit=20),
        Planted("words_closer", "talk", "", lambda: talked()[1], unit=20),
    ),
    "human_twin": (
        Planted("right_last", "group", "apart", planted_twins),
        Planted("right_first", "group", "apart", lambda: 0.0),
    ),
}
