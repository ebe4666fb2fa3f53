"""How simulated agents vote: the equations, for one agent in a text and for thousands at once.

The same functions make the votes of a reply (one session, one agent) and those of the worlds of the
design diagnosis and of the planted values (many sessions, all agents), where nothing is written.

**Round 1.** An agent's opinion is x = t + disagreement * z, with t the middle of what the public
prefers and z a standard normal that the statement and the agent's name fix, the same in every arm.
It votes round(x + noise * e), e standard normal, within 0 to 4.

**Round t.** With probability stubbornness it keeps its vote. Else one pull takes hold, each with
its probability, and none with what is left:

- conformity: it takes the unique plurality of the votes of round t - 1;
- drift: one step towards t;
- meets[strategy]: one step towards the mean of the others' votes, by the wording of its task;
- susceptibility[role]: what the extra agent of that role wants, where one has spoken: the
  moderator one step towards the mean of the others' votes; the nudger one step towards t; the
  credible expert its position; the sentimental agent one step towards strong agreement; allies to
  keep the vote, and opposites one step towards the mean of the votes that are not its own, both in
  round 2 alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dissensus.digests import digest
from dissensus.stats.checks import FloatArray, IntArray

from ..scale import POINTS, UNREAD

#: The name under which the credible expert has an opinion.
EXPERT = "credible expert"
#: Pulls in the order in which a uniform number chooses among them.
_KEEPS, _CONFORMS, _DRIFTS, _MEETS, _HEARS = range(5)


@dataclass(frozen=True)
class Traits:
    """What moves a simulated agent; the module has the equations."""

    disagreement: float
    noise: float
    stubbornness: float
    conformity: float
    drift: float
    meets: Mapping[str, float]
    susceptibility: Mapping[str, float]


@lru_cache(65536)
def opinion(statement: str, agent: str) -> float:
    """The standard normal that a statement and a name fix."""
    seed = int(digest(["opinion", statement, agent])[:16], 16)
    return float(np.random.default_rng(seed).standard_normal())


def first_votes(
    truth: IntArray, opinions: FloatArray, traits: Traits, rng: np.random.Generator
) -> IntArray:
    """Votes of round 1, of the shape of ``opinions``; ``truth`` is one point, or one a session."""
    spread = traits.disagreement * opinions + traits.noise * rng.standard_normal(opinions.shape)
    return np.clip(np.rint(truth + spread), 0, POINTS - 1).astype(np.int64)


def next_votes(
    votes: IntArray,
    before: IntArray,
    truth: IntArray,
    traits: Traits,
    strategy: str,
    rng: np.random.Generator,
    position: IntArray | int = UNREAD,
    side: bool = False,
) -> IntArray:
    """Votes of a later round.

    Parameters
    ----------
    votes : last votes of those who vote, shape (s, m).
    before : votes of all agents in the round before, shape (s, n); -1 where one could not be read.
    truth : shape (s, 1).
    traits : of the agents.
    strategy : whose wording they read, and which extra agent they have heard.
    position : of the credible expert, shape (s, 1) or one for all.
    side : whether the side rounds have just ended.
    """
    counts = (before[..., None] == np.arange(POINTS)).sum(axis=1)
    largest = counts.max(axis=1)
    alone = (counts == largest[:, None]).sum(axis=1) == 1
    mode = np.where(alone, counts.argmax(axis=1), UNREAD)[:, None]
    targets = [
        votes,
        np.where(mode == UNREAD, votes, mode),
        _step(votes, truth),
        _step(votes, _others(votes, before)),
        _heard(votes, before, truth, strategy, position),
    ]
    hears = strategy in traits.susceptibility and (
        strategy not in ("alliance", "opposites") or side
    )
    chances = [
        traits.conformity,
        traits.drift,
        traits.meets.get(strategy, 0.0),
        traits.susceptibility[strategy] if hears else 0.0,
    ]
    free = rng.random(votes.shape) >= traits.stubbornness
    pull = np.searchsorted(np.cumsum(chances), rng.random(votes.shape), side="right") + 1
    # What is left over, beyond the last of the pulls, keeps the vote too.
    pull = np.where(free & (pull <= _HEARS), pull, _KEEPS)
    return np.choose(pull, targets)


def debates(
    truth: IntArray,
    opinions: FloatArray,
    traits: Traits,
    strategy: str,
    rounds: int,
    rng: np.random.Generator,
    experts: FloatArray | None = None,
) -> tuple[IntArray, IntArray]:
    """Whole debates without a text: votes and rounds lasted, as the measures take them.

    Parameters
    ----------
    truth : shape (s,).
    opinions : shape (s, n).
    traits : of the agents.
    strategy, rounds : of the debates.
    experts : the credible expert's opinions, shape (s,).
    """
    column = truth[:, None]
    s, n = opinions.shape
    votes = np.full((s, rounds, n), UNREAD, dtype=np.int64)
    position: IntArray | int = UNREAD
    if experts is not None:
        spread = traits.disagreement * experts[:, None]
        position = np.clip(np.rint(column + spread), 0, POINTS - 1).astype(np.int64)
    votes[:, 0] = first_votes(column, opinions, traits, rng)
    lasted, going = np.ones(s, dtype=np.int64), np.ones(s, dtype=bool)
    for number in range(1, rounds):
        now = votes[:, number - 1]
        going &= (now != now[:, :1]).any(axis=1)
        after = next_votes(now, now, column, traits, strategy, rng, position, number == 1)
        votes[going, number] = after[going]
        lasted[going] += 1
    return votes, lasted


def _step(votes: IntArray, target: IntArray | FloatArray) -> IntArray:
    """One point towards a target; half a point away is there already."""
    gap = target - votes
    moved: IntArray = (votes + np.where(np.abs(gap) > 0.5, np.sign(gap), 0)).astype(np.int64)
    return moved


def _others(votes: IntArray, before: IntArray) -> FloatArray:
    """Mean of the others' votes, shape of ``votes``; its own where no other's is known."""
    read = before != UNREAD
    total, count = (np.where(read, before, 0).sum(axis=1), read.sum(axis=1))
    left = count[:, None] - 1
    mean = (total[:, None] - votes) / np.maximum(left, 1)
    return np.where(left > 0, mean, votes)


def _opposed(votes: IntArray, before: IntArray) -> FloatArray:
    """Mean of the votes that differ from an agent's, as ``votes``; its own where none does."""
    differ = (before[:, None, :] != votes[:, :, None]) & (before[:, None, :] != UNREAD)
    total = np.where(differ, before[:, None, :], 0).sum(axis=2)
    count = differ.sum(axis=2)
    return np.where(count > 0, total / np.maximum(count, 1), votes)


def _heard(
    votes: IntArray, before: IntArray, truth: IntArray, strategy: str, position: IntArray | int
) -> IntArray:
    """Where the extra agent, or the talk of the side rounds, draws those who have heard it."""
    if strategy == "moderator":
        return _step(votes, _others(votes, before))
    if strategy == "nudger":
        return _step(votes, truth)
    if strategy == "sentimental":
        return _step(votes, np.full_like(votes, POINTS - 1))
    if strategy == "opposites":
        return _step(votes, _opposed(votes, before))
    if strategy == "credible":
        return np.where(
            np.asarray(position) == UNREAD, votes, np.broadcast_to(position, votes.shape)
        )
    return votes
