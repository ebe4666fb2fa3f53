"""The effects that a study of some size finds, for what a page says of its power."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.report.claims.ranked import is_number
from dissensus.report.facts import Fact, Row, unmarked
from dissensus.report.labels import number
from dissensus.stats.power import detectable

#: The power at which an effect counts as one that is found.
POWER = 0.8


def smallest_found(row: Row, alpha: float, tests: int) -> Fact | None:
    """The true effect that 80% of such studies find after Holm's strictest step.

    Parameters
    ----------
    row : a contrast with ``se`` and ``n_clusters``.
    alpha : of the family.
    tests : in the family: a test has alpha / tests.

    Returns
    -------
    By a t test with the standard error that this run found, and as many degrees of freedom as it
    has clusters, less one. None where there is no standard error.
    """
    if not is_number(row["se"]) or not row["se"] > 0.0 or row["n_clusters"] < 2:
        return None
    times = detectable(1.0, float(row["n_clusters"]) - 1.0, POWER, alpha / tests)
    return row.derived(f"{times:.9g} * se", float(f"{times:.9g}") * float(row["se"]))


def range_found(
    rows: Sequence[Row], alpha: float, tests: int, times: float = 1.0, digits: int = 2
) -> str:
    """Such as "0.22 to 0.41", over the contrasts of a study; "" where none has an error."""
    sizes = [smallest_found(row, alpha, tests) for row in rows]
    defined = sorted(size for size in sizes if size is not None)
    if not defined:
        return ""
    ends = [number(times * size, digits) for size in (defined[0], defined[-1])]
    return " to ".join({unmarked(end): end for end in ends}.values())
