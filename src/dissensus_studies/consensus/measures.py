"""The nine measures of a debate (the paper's Table 11), their edge cases settled.

Votes stand in an array of shape (sessions, rounds, agents) with points 0 to 4, and -1 where a vote
could not be read or its round did not take place. The mode of a round is its unique plurality. A
vote that could not be read agrees with nobody; a switch is a change from the agent's last vote that
could be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.stats.checks import FloatArray, IntArray

from .scale import LEVELS, POINTS, UNREAD, trust

Flags = NDArray[np.bool_]


def measure(votes: IntArray, lasted: IntArray) -> dict[str, Any]:
    """All measures of votes alone, an entry a session.

    Parameters
    ----------
    votes : shape (s, r, n), as above.
    lasted : rounds that each session lasted, shape (s,), each from 1 to r.

    Returns
    -------
    Name -> shape (s,). Rounds count from 1; shares are from 0 to 1, NaN where undefined.
    consensus_round and majority_round are ``r`` where there is none within r rounds, with flags
    consensus and majority; ``agreement`` is the share of the largest group, with the flag ``tie``
    where two groups are the largest and there is no ``mode``; ``compromise`` is the mean of |last -
    first| / 4; ``sycophancy_of_switches`` the share of switches to the mode of the round before, as
    Table 11 has it, undefined without switches, and ``sycophancy`` the same number over n times
    the rounds; ``dogmatic`` the share that never switched and ended outside the mode.
    """
    _, r, n = votes.shape
    modes, largest = _modes(_counts(votes))
    on = np.arange(r) < lasted[:, None]
    consensus, consensus_round = _first(on & (largest == n), r)
    majority, majority_round = _first(on & (largest >= n // 2 + 1), r)
    agents = _agents(votes, modes, lasted)
    switches, conforming = agents["switches"].sum(axis=1), agents["conforming"].sum(axis=1)
    last = np.take_along_axis(modes, lasted[:, None] - 1, axis=1)[:, 0]
    ended = np.take_along_axis(largest, lasted[:, None] - 1, axis=1)[:, 0]
    return {
        "consensus": consensus,
        "consensus_round": consensus_round,
        "majority": majority,
        "majority_round": majority_round,
        "switches": switches,
        "agreement": ended / n,
        "tie": last == UNREAD,
        "mode": last,
        "compromise": _ratio(agents["moved"].sum(axis=1), agents["spoke"].sum(axis=1)),
        "sycophancy_of_switches": _ratio(conforming, switches),
        "sycophancy": conforming / (n * lasted),
        "dogmatic": agents["dogmatic"].sum(axis=1) / n,
    }


def measure_agents(votes: IntArray, lasted: IntArray) -> dict[str, Any]:
    """What each agent did, of which :func:`measure` takes the sums over agents.

    Parameters
    ----------
    votes, lasted : as there.

    Returns
    -------
    Name -> shape (s, n): ``spoke``, whether any vote could be read; ``switches``; ``conforming``,
    those to the mode of the round before; ``moved``, |last - first| / 4, 0 where it never spoke;
    ``dogmatic``, whether it never switched and ended outside the mode.
    """
    return _agents(votes, _modes(_counts(votes))[0], lasted)


def _agents(votes: IntArray, modes: IntArray, lasted: IntArray) -> dict[str, Any]:
    carried = _carried(votes)
    # A round that did not take place repeats the last: nothing is switched in it.
    switched = (carried[:, 1:] != carried[:, :-1]) & (carried[:, :-1] != UNREAD)
    before = modes[:, :-1, None]
    last = np.take_along_axis(modes, lasted[:, None] - 1, axis=1)
    end = carried[:, -1]
    spoke = end != UNREAD
    stayed = spoke & ~switched.any(axis=1)
    return {
        "spoke": spoke,
        "switches": switched.sum(axis=1),
        "conforming": (switched & (before != UNREAD) & (carried[:, 1:] == before)).sum(axis=1),
        "moved": np.where(spoke, np.abs(end - _start(votes)) / (POINTS - 1.0), 0.0),
        "dogmatic": stayed & (last != UNREAD) & (end != last),
    }


def match(mode: IntArray, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
    """Whether the mode is among what the public prefers: at five points and at three levels.

    Parameters
    ----------
    mode : shape (s,); -1 for a tie, which matches nothing.
    low, high : ends of the preferred set, shape (s,).
    """
    levels = np.array(LEVELS)
    is_one = mode != UNREAD
    exact = is_one & (low <= mode) & (mode <= high)
    level = levels[np.where(is_one, mode, 0)]
    near = is_one & (levels[low] <= level) & (level <= levels[high])
    return exact.astype(float), near.astype(float)


def weighted_vote(votes: Sequence[int], confidences: Sequence[float | None]) -> int:
    """ReConcile's answer: the vote with the most trust behind it; -1 where two have the most.

    Parameters
    ----------
    votes : of the last round; votes that could not be read have no weight.
    confidences : beside them; one that is not known weighs as the least does.
    """
    # Whole tenths: sums of .1 and .3 would differ by rounding.
    weights = [0] * POINTS
    for vote, confidence in zip(votes, confidences, strict=True):
        if vote != UNREAD:
            weights[vote] += round(10 * trust(confidence or 0.0))
    best = [point for point, weight in enumerate(weights) if weight and weight == max(weights)]
    return best[0] if len(best) == 1 else UNREAD


def alignment(first: Sequence[int], last: Sequence[int], position: int) -> float:
    """Share of agents on an expert's position at the end, minus the same in round 1."""
    return (list(last).count(position) - list(first).count(position)) / len(first)


def mean_cosine(first: NDArray[Any], last: NDArray[Any]) -> float:
    """Mean cosine of unit vectors side by side, each of shape (n, d)."""
    return float(np.clip((first * last).sum(axis=1), -1.0, 1.0).mean())


def votes_array(rounds: Sequence[Mapping[str, int]], agents: Sequence[str], most: int) -> IntArray:
    """Votes of one session, shape (1, most, n), from agent -> vote of each round."""
    votes = np.full((1, most, len(agents)), UNREAD, dtype=np.int64)
    for number, ballots in enumerate(rounds):
        votes[0, number] = [ballots[agent] for agent in agents]
    return votes


def _counts(votes: IntArray) -> IntArray:
    """How many agents voted each point, shape (s, r, points)."""
    return np.stack([(votes == point).sum(axis=2) for point in range(POINTS)], axis=2)


def _modes(counts: IntArray) -> tuple[IntArray, IntArray]:
    """The mode of every round, and the size of its largest group; each of shape (s, r)."""
    largest = counts.max(axis=2)
    alone = (counts == largest[..., None]).sum(axis=2) == 1
    return np.where(alone, counts.argmax(axis=2), UNREAD), largest


def _first(flags: Flags, otherwise: int) -> tuple[Flags, IntArray]:
    """Whether any round has a flag, and the first that has, from 1."""
    reached: Flags = np.asarray(flags.any(axis=1))
    return reached, np.where(reached, flags.argmax(axis=1) + 1, otherwise)


def _carried(votes: IntArray) -> IntArray:
    """Votes, with an agent's last vote that could be read where one could not."""
    carried = votes.copy()
    for number in range(1, votes.shape[1]):
        lost = carried[:, number] == UNREAD
        carried[:, number] = np.where(lost, carried[:, number - 1], carried[:, number])
    return carried


def _start(votes: IntArray) -> IntArray:
    """The first vote of every agent that could be read, shape (s, n)."""
    places = (votes != UNREAD).argmax(axis=1)
    first: IntArray = np.take_along_axis(votes, places[:, None], axis=1)[:, 0]
    return first


def _ratio(above: NDArray[Any], below: NDArray[Any]) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = np.where(below > 0, above / below, np.nan)
    return ratio
