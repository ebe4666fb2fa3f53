"""Whether arms differ in what was lost, asked again or could not be read.

Such sessions and turns are no random part: where one arm has more of them than another, a
difference between the arms may be theirs (attrition), and no estimate knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import adjust_holm
from dissensus.design.manifest import stream
from dissensus.report.arm_conduct import ARM_CONDUCT, MEASURES, PER_TURN
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import monte_carlo
from dissensus.study.makes import makes

#: Permutations of arms within clusters.
_PERMUTATIONS = 4_999
#: With fewer clusters whole ones can hardly reach 5%; draws change arms by themselves.
_FEWEST = 6
_TIE = 1e-9
#: How many turns a session has.
_TURNS = "turns_spoken"
_STEP = 500  # permutations at a time


@makes(arm_conduct=ARM_CONDUCT)
def compare_conduct(
    manifest: pd.DataFrame,
    turns: pd.DataFrame,
    outcomes: pd.DataFrame,
    source: pd.DataFrame,
    arm: str,
    cluster: str,
    key: str,
    seed: int,
) -> list[dict[str, Any]]:
    """What was lost, asked again and unread in every arm, and whether arms differ in it.

    Parameters
    ----------
    manifest, turns, outcomes : of the study.
    source : with the items that sessions are about.
    arm : column of what the sessions of a draw differ in.
    cluster, key : columns of what is independent, and of an item's name.
    seed : of the permutations.

    Returns
    -------
    Rows of :data:`ARM_CONDUCT`. The p-value is of all arms together, over the draws that have all
    of them. Holm's adjustment is over what is counted.

    Notes
    -----
    Where the arm changes nothing, any arm could have had any other's number. Arms change places in
    whole clusters, whose numbers are added up; in draws where clusters are fewer than six. The
    statistic is the sum over arms of squared deviations from their mean.
    """
    counted = _counted(manifest, turns, outcomes)
    counted["arm_name"] = counted[arm].astype(str)
    if cluster not in counted:
        counted = counted.merge(source[[key, cluster]].drop_duplicates(key), on=key, how="left")
    rows: list[dict[str, Any]] = []
    kinds = counted["kind"] if "kind" in counted else pd.Series("", index=counted.index)
    for kind, of_kind in counted.groupby(kinds, sort=False):
        tests = {
            name: _test(of_kind, name, cluster, stream("arm conduct", seed, str(kind), name))
            for name in MEASURES
        }
        adjust_holm(list(tests.values()))
        for name, test in tests.items():
            for value, sessions in of_kind.groupby("arm_name", sort=False):
                defined = sessions[name].dropna()
                rows.append(
                    {
                        "kind": str(kind),
                        "measure": name,
                        "arm": str(value),
                        "sessions": len(sessions),
                        "total": _total(defined, sessions, name),
                        "mean": float(defined.mean()) if len(defined) else None,
                        **test,
                    }
                )
    return rows


def _total(rates: pd.Series, sessions: pd.DataFrame, name: str) -> int:
    """The count behind a rate."""
    times = sessions.loc[rates.index, _TURNS] if name in PER_TURN else 1
    return round(float((rates * times).sum()))


def _counted(manifest: pd.DataFrame, turns: pd.DataFrame, outcomes: pd.DataFrame) -> pd.DataFrame:
    """The manifest with :data:`MEASURES`; those for each turn are of complete sessions alone."""
    ended = outcomes.set_index("session_id")
    unread = (~turns["compliant"].astype(bool)).groupby(turns["session_id"]).sum()
    complete = ended["complete"].astype(bool)
    spoken = turns.groupby("session_id").size().reindex(ended.index, fill_value=0)
    # Sessions of different lengths have different chances to go wrong: for each turn.
    per_turn = 1.0 / spoken.astype(float).where(complete & (spoken > 0))
    measures = pd.DataFrame(
        {
            "lost": (~complete).astype(float),
            "reruns": ended["attempts"].astype(float) - 1.0,
            "repairs": ended["repairs"].astype(float) * per_turn,
            "unread": unread.reindex(ended.index, fill_value=0).astype(float) * per_turn,
            _TURNS: spoken,
        }
    )
    return manifest.merge(measures, left_on="session_id", right_index=True)


def _test(
    sessions: pd.DataFrame, name: str, cluster: str, rng: np.random.Generator
) -> dict[str, Any]:
    """The permutation test of one number over all arms; missing where it cannot be tested."""
    wide = sessions.pivot_table(index="draw_id", columns="arm_name", values=name).dropna()
    clusters = sessions.drop_duplicates("draw_id").set_index("draw_id")[cluster].astype(str)
    units = wide.groupby(clusters.reindex(wide.index)).sum()
    if len(units) < _FEWEST:
        units = wide
    sums = units.to_numpy(dtype=float)
    row: dict[str, Any] = {"p_value": None, "simulation_error": None, "p_adjusted": None}
    row |= {"n": len(wide), "n_clusters": len(units)}
    if len(sums) < 2 or sums.shape[1] < 2 or not np.ptp(sums, axis=1).any():
        return row
    observed, extreme = _spread(sums[None])[0], 0
    for start in range(0, _PERMUTATIONS, _STEP):
        size = min(_STEP, _PERMUTATIONS - start)
        dealt = rng.permuted(np.broadcast_to(sums, (size, *sums.shape)), axis=2)
        extreme += int((_spread(dealt) >= observed - _TIE).sum())
    test = monte_carlo(float(observed), extreme, _PERMUTATIONS)
    return row | {"p_value": test.p_value, "simulation_error": test.simulation_error}


def _spread(units: FloatArray) -> FloatArray:
    """Squared deviations of arms' sums from their mean, added up; of (patterns, units, arms)."""
    sums = units.sum(axis=1)
    about = sums - sums.mean(axis=1, keepdims=True)
    return np.asarray((about**2).sum(axis=1), dtype=np.float64)
