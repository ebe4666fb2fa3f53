"""Measures of opinions as numbers: whose opinion moves whom."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

FloatArray = npt.NDArray[np.float64]
#: How much more the sum of weights counts than an opinion, in squares.
_HEAVY = 1e4


def degroot_weights(
    before: npt.ArrayLike, after: npt.ArrayLike, initial: npt.ArrayLike | None = None
) -> FloatArray:
    """How much each agent's next opinion is of each agent's opinion before.

    Least squares of after[t, i] = sum_j w[i, j] before[t, j], with weights of at least 0 that sum
    to 1 in every row. With initial opinions, an agent also stays by its own first one
    (Friedkin-Johnsen): the last column is the weight of that.

    Parameters
    ----------
    before, after : steps x agents; a step is a round of a session, and sessions stand one below
        the other.
    initial : steps x agents, the first opinion of the same session; None without.

    Returns
    -------
    Agents x agents, with one column more where there are initial opinions. A row is NaN where
    the agent's weights are not known: opinions before were fewer, or too alike, to tell them.

    Raises
    ------
    ValueError : the tables are not of one shape, or hold what is no finite number.

    References
    ----------
    DeGroot 1974, Journal of the American Statistical Association 69(345); Friedkin and Johnsen
    1990, Journal of Mathematical Sociology 15(3-4).
    """
    tables = [np.asarray(table, dtype=float) for table in (before, after)]
    if initial is not None:
        tables.append(np.asarray(initial, dtype=float))
    shapes = {table.shape for table in tables}
    if len(shapes) > 1 or len(next(iter(shapes))) != 2:
        raise ValueError(f"the tables have the shapes {shapes}; each must be steps x agents")
    if not all(np.isfinite(table).all() for table in tables):
        raise ValueError("an opinion is no finite number; leave out steps that lack one")
    opinions, following, *first = tables
    # Weights sum to 1, so that where zero is and how long a unit is changes none of them.
    middle, unit = opinions.mean(), opinions.std() or 1.0
    opinions, following = (opinions - middle) / unit, (following - middle) / unit
    agents = opinions.shape[1]
    rows = []
    for agent in range(agents):
        columns = [opinions]
        if first:
            columns.append((first[0][:, [agent]] - middle) / unit)
        rows.append(_on_the_simplex(np.hstack(columns), following[:, agent]))
    return np.array(rows)


def _on_the_simplex(columns: FloatArray, target: FloatArray) -> FloatArray:
    """The weights, at least 0 and of sum 1, by which columns come closest to a target."""
    count = columns.shape[1]
    # Weights that sum to 1 are told apart by what the columns differ in.
    if np.linalg.matrix_rank(columns[:, 1:] - columns[:, :1]) < count - 1:
        return np.full(count, np.nan)
    heavy = _HEAVY * max(1.0, float(np.abs(columns).max())) * len(columns) ** 0.5
    weights, _ = nnls(np.vstack([columns, np.full(count, heavy)]), np.append(target, heavy))
    solved: FloatArray = weights / weights.sum()
    return solved
