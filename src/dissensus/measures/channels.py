"""What agents say before others, and what they say off the record: how far the two differ."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd

from dissensus.stats.results import NAN

_KEY = ("session_id", "round_label", "speaker")


class Divergence(NamedTuple):
    """How far public and private answers differ.

    Attributes
    ----------
    share : of the pairs of answers, those that differ.
    distance : mean distance of the two, in the answers' own unit; NaN where they are no numbers.
    n : pairs; the shares are NaN where it is 0.
    """

    share: float
    distance: float
    n: int


def channel_divergence(
    turns: pd.DataFrame, public: str, private: str, channel: str = "role", value: str = "value"
) -> Divergence:
    """How often an agent answers otherwise in private than in public, at the same opportunity.

    An opportunity is a speaker in a round of a session: both answers are of the same prompt but for
    who will read them. An answer that is missing or could not be read is not counted.

    Parameters
    ----------
    turns : a row a turn, with ``speaker``, ``round_label`` and, of several sessions,
        ``session_id``.
    public, private : which turns are which, by the column ``channel``.
    value : the column of the answers.

    Raises
    ------
    ValueError : an agent has two answers in one channel at one opportunity.

    References
    ----------
    The decision divergence of Ghaffarizadeh and others 2026 (arXiv 2607.02507), who find it at some
    3% without social pressure, and 40% with it. A private answer is no access to what a model
    thinks: it is what the model says where nobody is said to read it.
    """
    key = [name for name in _KEY if name in turns]
    sides = []
    for name in (public, private):
        rows = turns[(turns[channel] == name) & turns[value].notna()]
        if rows.duplicated(key).any():
            twice = rows.loc[rows.duplicated(key), key].iloc[0].tolist()
            raise ValueError(f"{name!r} has two answers of {', '.join(map(str, twice))}; give one")
        sides.append(rows.set_index(key)[value])
    said, thought = sides[0].align(sides[1], join="inner")
    pairs = [*zip(said, thought, strict=True)]
    if not pairs:
        return Divergence(NAN, NAN, 0)
    are_numbers = all(isinstance(each, Real) for pair in pairs for each in pair)
    gaps = [abs(float(one) - float(other)) for one, other in pairs] if are_numbers else [NAN]
    differ = [one != other for one, other in pairs]
    return Divergence(float(np.mean(differ)), float(np.mean(gaps)), len(pairs))
