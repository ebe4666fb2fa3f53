"""The pairs that arms are compared by: one outcome of the two sessions of each unit.

Each pair has the label of its unit's cluster (a motion, a topic).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.weights import Contrast
from dissensus.stats.checks import FloatArray

Labels = NDArray[Any]

#: A difference no larger than this part of the numbers is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Columns:
    """Which columns of the metrics name a session's arm, its unit and the unit's cluster."""

    arm: str = "arm"
    unit: str = "draw_id"
    cluster: str = "topic_id"


@dataclass(frozen=True)
class Pairs:
    """One outcome in two arms, or two weighted sums of arms; an entry for every unit.

    Attributes
    ----------
    treated, reference : outcomes by unit, shape (n,), NaN where there is none.
    clusters : label of each unit's cluster, shape (n,).
    """

    treated: FloatArray
    reference: FloatArray
    clusters: Labels

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which units have the outcome in both arms."""
        return np.asarray(np.isfinite(self.treated) & np.isfinite(self.reference))

    @property
    def differences(self) -> FloatArray:
        """Arm minus reference, NaN where the pair is not complete.

        Differences that agree up to rounding are made equal, lest rounding pass for variance.
        """
        by_draw = np.where(self.complete, self.treated - self.reference, np.nan)
        complete = by_draw[self.complete]
        if len(complete) == 0:
            return by_draw
        size = np.abs(self.treated[self.complete]).max() + np.abs(complete).max()
        equal = np.ptp(complete) <= ROUNDING * size
        return np.where(self.complete, complete[0], np.nan) if equal else by_draw


def by_arm(metrics: pd.DataFrame, outcome: str, columns: Columns) -> pd.DataFrame:
    """An outcome with a row a unit and a column an arm, NaN where there is none.

    A session that did not run to the end has no outcome, whatever its row may hold. Units and arms
    stand in the order in which the sessions name them.
    """
    complete = metrics["complete"].to_numpy(dtype=bool)
    values = metrics[outcome].to_numpy(dtype=float, na_value=np.nan)
    keys = [columns.unit, columns.arm]
    frame = metrics[keys].assign(value=np.where(complete, values, np.nan))
    wide = frame.pivot(index=columns.unit, columns=columns.arm, values="value")
    return wide.reindex(index=pd.unique(metrics[keys[0]]), columns=pd.unique(metrics[keys[1]]))


def pair_up(
    metrics: pd.DataFrame, outcome: str, arm: str, reference: str, columns: Columns
) -> Pairs:
    """The pairs of one outcome, in the order of the units' names.

    Parameters
    ----------
    metrics : a row a session, failed ones included, with a column ``complete``.
    outcome : which column.
    arm, reference : what is compared with what; an arm without sessions has no complete pair.
    columns : names of the other columns.
    """
    wide = by_arm(metrics, outcome, columns).sort_index()
    return pairs_of(wide, units_of(metrics, columns)[columns.cluster], Contrast.of(arm, reference))


def units_of(metrics: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """A row a unit, in the order of the units' names, with what its sessions share."""
    units = metrics.drop_duplicates(columns.unit).set_index(columns.unit, drop=False)
    return units.sort_index()


def pairs_of(wide: pd.DataFrame, clusters: pd.Series[Any], contrast: Contrast) -> Pairs:
    """The two sides of a contrast, from a table of :func:`by_arm` and each unit's cluster."""

    def side(arms: Mapping[str, float]) -> FloatArray:
        total = np.zeros(len(wide))
        for arm, weight in arms.items():
            total += weight * (wide[arm].to_numpy(dtype=float) if arm in wide else np.nan)
        return total

    return Pairs(side(contrast.treated), side(contrast.referred), clusters.to_numpy())


def without_rounding(differences: FloatArray, *sides: FloatArray) -> FloatArray:
    """Differences, 0 where one is no more than the rounding of what it is a difference of.

    The signs of such residues are all alike, or of no meaning, and would pass for evidence.

    Parameters
    ----------
    differences : any shape, NaN where there is none.
    sides : the numbers that were subtracted.
    """
    size = max((float(np.nan_to_num(np.abs(side)).max(initial=0.0)) for side in sides), default=0.0)
    return np.where(np.abs(differences) <= ROUNDING * size, 0.0, differences)
