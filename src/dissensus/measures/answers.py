"""Measures of answers: how they move, whom they follow, and what a vote makes of them.

Answers are anything that can be compared; None is one that could not be read, and counts nowhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dissensus.stats.results import NAN

Answer = Hashable | None


class Transitions(NamedTuple):
    """Shares of the answers that could be read both before and after.

    Attributes
    ----------
    right_right, wrong_right, right_wrong, wrong_wrong : by what they were and what they became.
    flipped : share that became another answer, right or wrong.
    n : how many there were; the shares are NaN where it is 0.
    """

    right_right: float
    wrong_right: float
    right_wrong: float
    wrong_wrong: float
    flipped: float
    n: int


def transitions(
    before: Sequence[Answer], after: Sequence[Answer], right: Sequence[Answer]
) -> Transitions:
    """How answers moved between two times, by whether they were right.

    ``wrong_right`` less ``right_wrong`` is the gain in accuracy.

    Parameters
    ----------
    before, after, right : of each answer, at the same places.

    Raises
    ------
    ValueError : they are not of one length.
    """
    rows = [
        (first, last, truth)
        for first, last, truth in _together(before=before, after=after, right=right)
        if first is not None and last is not None
    ]
    n = len(rows)

    def share(flags: Iterable[bool]) -> float:
        return sum(flags) / n if n else NAN

    return Transitions(
        share(first == truth and last == truth for first, last, truth in rows),
        share(first != truth and last == truth for first, last, truth in rows),
        share(first == truth and last != truth for first, last, truth in rows),
        share(first != truth and last != truth for first, last, truth in rows),
        share(first != last for first, last, _ in rows),
        n,
    )


class Conformity(NamedTuple):
    """How far answers follow a group.

    Attributes
    ----------
    conformity : of the answers that were not the group's, the share that became so.
    independence : of the right answers of which the group says another, the share that stay right.
    n_conformity, n_independence : how many answers each is of; it is NaN where that is 0.
    """

    conformity: float
    independence: float
    n_conformity: int
    n_independence: int


def conformity(
    alone: Sequence[Answer],
    with_group: Sequence[Answer],
    group: Sequence[Answer],
    right: Sequence[Answer],
) -> Conformity:
    """Whether answers become those of a group that is shown, and whether right ones resist it.

    Parameters
    ----------
    alone : without the group.
    with_group : when its answer is shown.
    group : what it says.
    right : what is right.

    Raises
    ------
    ValueError : they are not of one length.

    References
    ----------
    Asch 1956, Psychological Monographs 70(9): yielding and independence.
    """
    rows = [
        row
        for row in _together(alone=alone, with_group=with_group, group=group, right=right)
        if None not in row[:3]
    ]
    apart = [(after == suggested) for before, after, suggested, _ in rows if before != suggested]
    pressed = [
        (after == truth) for before, after, suggested, truth in rows if before == truth != suggested
    ]
    return Conformity(
        sum(apart) / len(apart) if apart else NAN,
        sum(pressed) / len(pressed) if pressed else NAN,
        len(apart),
        len(pressed),
    )


def vote(answers: Sequence[Answer], weights: Sequence[float] | None = None) -> Answer:
    """The answer with the most votes.

    Parameters
    ----------
    answers : of the voters.
    weights : of their votes, such as their confidence; each counts 1 without.

    Returns
    -------
    None where nobody votes, or where several answers have most votes.

    Raises
    ------
    ValueError : there are not as many weights, or one is below 0 or no number.
    """
    given = [1.0] * len(answers) if weights is None else [float(weight) for weight in weights]
    if any(not weight >= 0 for weight in given):
        raise ValueError("a weight is below 0, or no number; each must be 0 or more")
    sums: dict[Hashable, float] = {}
    for answer, weight in _together(answers=answers, weights=given):
        if answer is not None:
            sums[answer] = sums.get(answer, 0.0) + weight
    most = max(sums.values(), default=0.0)
    # Sums of the same weights in another order may differ in their last digit.
    top = [answer for answer, votes in sums.items() if np.isclose(votes, most, rtol=1e-12)]
    return top[0] if len(top) == 1 and most > 0 else None


class Discovery(NamedTuple):
    """Whether groups find what none of their members had.

    Attributes
    ----------
    found : of the groups in which nobody is right at first, the share in which somebody ends right.
    of_right : of the groups in which somebody ends right, the share in which nobody was at first.
    n_found, n_of_right : how many groups each is of; it is NaN where that is 0.
    """

    found: float
    of_right: float
    n_found: int
    n_of_right: int


def discovery(
    first: Sequence[Sequence[Answer]], last: Sequence[Sequence[Answer]], right: Sequence[Answer]
) -> Discovery:
    """How often groups end right though nobody in them began right.

    Parameters
    ----------
    first, last : of every group, the answers of its members. A group without any that could be
        read, at first or at last, counts nowhere.
    right : of every group.

    Raises
    ------
    ValueError : they are not of one length.

    References
    ----------
    ``of_right`` is what Karadzhov, Stafford and Vlachos 2023 (DeliData, Proc. ACM Hum.-Comput.
    Interact. 7, CSCW2) report of 500 groups. What it is of is known only at the end; ``found`` is
    of what was so before the group began, and can be compared between arms.
    """
    groups = [
        (truth in before, truth in after)
        for before, after, truth in (
            ({each for each in a if each is not None}, {each for each in b if each is not None}, c)
            for a, b, c in _together(first=first, last=last, right=right)
        )
        if before and after
    ]
    open_, ended = [e for b, e in groups if not b], [not b for b, e in groups if e]
    return Discovery(
        sum(open_) / len(open_) if open_ else NAN,
        sum(ended) / len(ended) if ended else NAN,
        len(open_),
        len(ended),
    )


class OracleGap(NamedTuple):
    """What a perfect choice among given answers could gain over a vote.

    Attributes
    ----------
    oracle : share of items of which any answer is right.
    majority : share of items whose vote is right; a tie is right by its chance.
    gap : their difference.
    n : how many items there are.
    """

    oracle: float
    majority: float
    gap: float
    n: int


def oracle_gap(answers: Sequence[Sequence[Answer]], right: Sequence[Answer]) -> OracleGap:
    """How much of what a group knows its vote loses.

    Parameters
    ----------
    answers : of every item, those of all voters or samples.
    right : of every item.

    Raises
    ------
    ValueError : they are not of one length, or there is no item.
    """
    rows = list(_together(answers=answers, right=right))
    if not rows:
        raise ValueError("there are no items; give at least one")
    oracle = float(np.mean([truth in [a for a in each if a is not None] for each, truth in rows]))
    majority = float(np.mean([_chance(each, truth) for each, truth in rows]))
    return OracleGap(oracle, majority, oracle - majority, len(rows))


def _chance(answers: Sequence[Answer], right: Answer) -> float:
    """The chance that a vote is right whose ties are broken at random."""
    votes: dict[Hashable, int] = {}
    for answer in answers:
        if answer is not None:
            votes[answer] = votes.get(answer, 0) + 1
    top = [answer for answer, count in votes.items() if count == max(votes.values())]
    return 1.0 / len(top) if right in top else 0.0


def _together(**given: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """What stands at the same places.

    Raises
    ------
    ValueError : something has more places than another.
    """
    lengths = {name: len(values) for name, values in given.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"{counts}; each must have as many")
    return zip(*given.values(), strict=True)
