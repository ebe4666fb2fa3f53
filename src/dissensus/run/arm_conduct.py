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
from dissensus.session.protocol import IMPORTED_FROM
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import monte_carlo
from dissensus.study.makes import makes

#: Permutations of arms within clusters.
_PERMUTATIONS = 4_999
#: With fewer clusters whole ones can hardly reach 5%; draws change arms by themselves.
_FEWEST = 6
_TIE = 1e-9
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
    for kind, of_kind in counted.groupby("kind", sort=False):
        tests = {
            name: _test(of_kind, name, cluster, stream("arm conduct", seed, str(kind), name))
            for name in MEASURES
        }
        adjust_holm(list(tests.values()))
        for name, test in tests.items():
            for value, sessions in of_kind.groupby("arm_name", sort=False):
                defined, turned = sessions[name].dropna(), sessions[_turns(name)]
                rows.append(
                    {
                        "kind": str(kind),
                        "measure": name,
                        "arm": str(value),
                        "sessions": len(sessions),
                        "total": round(float(sessions[_total(name)].sum())),
                        "turns": round(float(turned.sum())) if name in PER_TURN else None,
                        "mean": float(defined.mean()) if len(defined) else None,
                        **test,
                    }
                )
    return rows


def _counted(manifest: pd.DataFrame, turns: pd.DataFrame, outcomes: pd.DataFrame) -> pd.DataFrame:
    """The manifest with :data:`MEASURES`; those for each turn are of complete sessions alone."""
    ended = outcomes.set_index("session_id")
    complete = ended["complete"].astype(bool)
    measures = pd.DataFrame(
        {"lost": (~complete).astype(float), "reruns": ended["attempts"].astype(float) - 1.0}
    )
    counted = manifest.merge(measures, left_on="session_id", right_index=True)
    if "kind" not in counted:
        counted["kind"] = ""
    # A turn that was taken from another session was not asked for here.
    origins = turns["origin"].fillna("").astype(str)
    said = turns[origins.eq("") | origins.str.startswith(IMPORTED_FROM)]
    said = said[said["session_id"].isin(complete.index[complete])]
    places = counted[["session_id", "draw_id", "kind"]]
    asked = said[["session_id", "role"]].merge(places, on="session_id", how="left")
    asked["repairs"] = said["repairs"].to_numpy(dtype=float)
    asked["unread"] = 1.0 - said["compliant"].to_numpy(dtype=float)
    for name in PER_TURN:
        counted = counted.join(_shares(asked, name), on="session_id")
    for name in ("lost", "reruns"):
        counted[_total(name)], counted[_turns(name)] = counted[name], np.nan
    return counted


def _total(name: str) -> str:
    """The column with the count behind a measure."""
    return f"{name}_total"


def _turns(name: str) -> str:
    """The column with the number of turns that a measure is of."""
    return f"{name}_turns"


def _shares(asked: pd.DataFrame, name: str) -> pd.DataFrame:
    """A fault's number for each turn, by session, over roles that its whole draw has.

    A role has the share of the draw's turns as its weight in all of the draw's sessions, so that
    an arm in which one role speaks more often has no other mean for that alone.

    Parameters
    ----------
    asked : a row a turn: session_id, draw_id, kind, role, and the fault.

    Returns
    -------
    By session: the fault for each turn, its total and the number of turns.
    """
    draw = ["kind", "draw_id"]
    happens = asked.groupby(["kind", "role"])[name].transform("sum") > 0
    # Where it happens nowhere, all roles are as good.
    never = asked.groupby("kind")[name].transform("sum") == 0
    some = asked[happens | never]
    cells = some.groupby([*draw, "role", "session_id"])[name].agg(["sum", "size"]).reset_index()
    sessions = asked.groupby(draw)["session_id"].nunique().rename("sessions")
    cells = cells.join(sessions, on=draw)
    having = cells.groupby([*draw, "role"])["session_id"].transform("size")
    cells = cells[having == cells["sessions"]]
    of_role = cells.groupby([*draw, "role"])["size"].transform("sum")
    weights = of_role / of_role.groupby(cells["session_id"]).transform("sum")
    cells = cells.assign(**{name: weights * cells["sum"] / cells["size"]})
    return cells.groupby("session_id").agg(
        **{name: (name, "sum"), _total(name): ("sum", "sum"), _turns(name): ("size", "sum")}
    )


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
