"""Who wins: shares of debates won, lost and contested, and lifts over the base rate of a side.

A group is any set of sides of debates: those on which a speaker stands, those that made a claim of
a cluster. Its lift is its win share less what its sides won on average in the debates of the same
motion and arm, contested debates counting as not won.

The permutation test deals the verdicts of a motion anew to its draws, those of both arms of a draw
together, since these share the order of speeches. Its null is that being in the group tells nothing
of the verdict. An order of speeches is drawn at random, so that the lift of a place is an effect; a
cluster of arguments is not, and its lift is an association.

Both debates of a draw share their order of speeches, so that intervals of shares resample draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Row, adjust_family, defined
from dissensus.design.manifest import stream
from dissensus.stats.checks import FloatArray, IntArray
from dissensus.stats.results import NAN, RandomisationTest, monte_carlo
from dissensus.stats.signflip import sign_flip_test
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import text
from dissensus.union.inference.shares import Resamples, shares
from dissensus.union.tables import ALL, CONTESTED, FEWEST_FLIPPED, NUMBERS_OF_WINS, SIDES

_ENDS = ("won", "lost", "contested")
_CELLS = 2_000_000
_TIE = 1e-9
_NO_LIFT = "In all debates of its sides: no lift can be seen."

WINS = Schema(
    name="wins",
    row="motion and side, or speaker's place",
    columns={
        "motion_id": text("Name of the motion; all where motions stand together."),
        "by": text("What the debates are grouped by: side or place."),
        "side": text("Side of the debate; empty where the row is about both."),
        "speaker": text("Name of the speaker; empty where the row is about a side."),
        "place": Column("int", "Place of the speech on its side, from 1; 0 for a side."),
        **NUMBERS_OF_WINS,
    },
    key=("motion_id", "by", "side", "speaker", "place"),
)


@makes(wins=WINS)
def estimate_wins(
    verdicts: pd.DataFrame,
    speeches: pd.DataFrame,
    manifest: pd.DataFrame,
    inference: Mapping[str, Any],
    seed: int,
) -> list[Row]:
    """Win shares by side, and by speaker and place on the side.

    Parameters
    ----------
    verdicts : columns of ``verdicts.parquet``, both arms.
    speeches : columns of ``speeches.parquet``.
    manifest : for the draw of each debate.
    inference : settings ``confidence`` and ``resamples``.
    seed : of the permutations.

    Returns
    -------
    Rows of :data:`WINS`, for each motion and, where there are several, for all. P-values are
    adjusted by Holm and by Benjamini and Hochberg over the tests of a motion and ``by``.

    Notes
    -----
    A side takes part in every debate and has no base rate of its own. Its lift is its win share
    less half the share of decided debates, with a sign-flip test in which the debates of a draw are
    flipped together, and from six motions on those of a motion: sides are then compared over
    motions, and not in these alone. A speaker too is in every debate of a motion and wins what the
    side wins; the place in which the speaker speaks is drawn at random, and has a lift.
    """
    judged = verdicts.merge(manifest[["session_id", "draw_id"]], on="session_id")
    motions = sorted(set(judged["motion_id"]))
    rows = []
    for motion in (*motions, *([ALL] if len(motions) > 1 else [])):
        of_motion = judged if motion == ALL else judged[judged["motion_id"] == motion]
        for by, lifted in _of_motion(of_motion, speeches, inference, (seed, motion)).items():
            # What one side wins more the other wins less: the rows of both sides are one test.
            adjust_family(lifted[:1] if by == "side" else lifted)
            for row in lifted[1:] if by == "side" else ():
                row |= {name: lifted[0][name] for name in ("p_adjusted", "p_bh")}
            named = {"motion_id": motion, "by": by, "side": "", "speaker": "", "place": 0}
            rows += [named | row for row in lifted]
    return rows


def _of_motion(
    verdicts: pd.DataFrame,
    speeches: pd.DataFrame,
    inference: Mapping[str, Any],
    key: tuple[Any, ...],
) -> dict[str, list[Row]]:
    """Rows by what they are grouped by."""
    spoken = speeches[speeches["session_id"].isin(verdicts["session_id"])]
    places = spoken.groupby(["session_id", "side"])["speech"].rank().astype(int)
    members = spoken.assign(place=places)[["session_id", "side", "speaker", "place"]]
    return {
        "side": [_side_row(verdicts, side, inference, key) for side in SIDES],
        "place": lifts(members, verdicts, ("speaker", "place"), inference, (*key, "place")),
    }


def lifts(
    members: pd.DataFrame,
    verdicts: pd.DataFrame,
    by: Sequence[str],
    inference: Mapping[str, Any],
    key: Sequence[Any],
) -> list[Row]:
    """Win share and lift of each group of sides of debates.

    Parameters
    ----------
    members : ``session_id``, ``side`` and the columns `by`, whose values name the group; repeated
        rows count once, rows of debates without a verdict do not count.
    verdicts : ``session_id``, ``draw_id``, ``motion_id``, ``arm`` and ``winner``.
    by : columns that name a group.
    inference : settings ``confidence`` and ``resamples``.
    key : of the random stream: the run's seed, and what is tested.

    Returns
    -------
    A row for each group in the order of the names: the columns `by` and those of
    :data:`~dissensus.union.tables.NUMBERS_OF_WINS`, the adjusted p-values missing
    (:func:`dissensus.design.contrasts.adjust_family`). ``n`` counts sides of debates,
    ``n_clusters`` draws, which the intervals resample
    (:func:`dissensus.union.inference.shares.shares`).
    P-values are two-sided, (b + 1)/(m + 1) over m permutations (Phipson & Smyth 2010); none where
    the group has all or no debates of each motion, arm and side, so that no permutation changes
    anything.
    """
    names = list(by)
    kept = members[members["session_id"].isin(verdicts["session_id"])]
    kept = kept[[*names, "session_id", "side"]].drop_duplicates()
    if kept.empty:
        return []
    groups = kept[names].drop_duplicates().sort_values(names, ignore_index=True)
    codes = kept.merge(groups.assign(group=groups.index), on=names)
    table = _Table.of(verdicts)
    weights = table.weights(codes, len(groups))
    tests = table.permute(weights, inference["resamples"], stream("union", "lifts", *key))
    columns = ["session_id", "draw_id", "motion_id", "winner"]
    winners = codes.merge(verdicts[columns], on="session_id")
    drawn = _resampled(verdicts, inference, key)
    shares_of = _shares(winners, winners["group"], drawn, inference["confidence"])
    rows = []
    for group, (test, base) in enumerate(zip(tests, table.bases(weights), strict=True)):
        row = shares_of[group]
        tested = test is not None
        rows.append(
            {str(name): _plain(value) for name, value in groups.loc[group].items()}
            | row
            | {
                "base": base,
                "lift": row["won"] - base if tested else None,
                "p_value": test.p_value if test else None,
                "simulation_error": test.simulation_error if test else None,
                "note": _both("" if tested else _NO_LIFT, row["note"]),
            }
        )
    return rows


class _Table:
    """Who won, with a row a draw and a column an arm and side; NaN where there is no debate."""

    def __init__(self, places: Mapping[str, tuple[int, int]], won: FloatArray, strata: IntArray):
        self.places, self.won, self.strata = places, won, strata

    @classmethod
    def of(cls, verdicts: pd.DataFrame) -> _Table:
        draws = {name: row for row, name in enumerate(sorted(set(verdicts["draw_id"])))}
        arms = {name: column for column, name in enumerate(sorted(set(verdicts["arm"])))}
        won = np.full((len(draws), len(arms), len(SIDES)), np.nan)
        places, motions = {}, np.empty(len(draws), dtype=object)
        for row in verdicts.to_dict("records"):
            place = draws[row["draw_id"]], arms[row["arm"]]
            won[place] = [row["winner"] == side for side in SIDES]
            places[row["session_id"]] = place
            motions[place[0]] = row["motion_id"]
        there = ~np.isnan(won[..., 0])
        # Draws that lost a debate cannot change places with draws that did not.
        named = [(str(name), *map(bool, row)) for name, row in zip(motions, there, strict=True)]
        codes = {name: code for code, name in enumerate(sorted(set(named)))}
        return cls(places, won, np.array([codes[name] for name in named], dtype=np.int64))

    def weights(self, members: pd.DataFrame, groups: int) -> FloatArray:
        """Which cells are in each group, shape (groups, draws, arms, sides)."""
        shares_by = np.zeros((groups, *self.won.shape))
        for group, session, side in zip(
            members["group"], members["session_id"], members["side"], strict=True
        ):
            shares_by[(group, *self.places[session], SIDES.index(side))] = 1.0
        return shares_by

    def _expected(self) -> FloatArray:
        """The mean of each cell over the draws of its stratum."""
        won = np.nan_to_num(self.won)
        means = np.zeros_like(won)
        for stratum in np.unique(self.strata):
            within = self.strata == stratum
            means[within] = won[within].mean(axis=0)
        return means

    def bases(self, weights: FloatArray) -> list[float]:
        """What each group would win on average over all permutations."""
        expected = np.tensordot(weights, self._expected(), axes=3)
        return [float(value) for value in expected / weights.sum(axis=(1, 2, 3))]

    def permute(
        self, weights: FloatArray, resamples: int, rng: np.random.Generator
    ) -> list[RandomisationTest | None]:
        """The test of each group; None where no permutation moves it."""
        order = np.argsort(self.strata, kind="stable")
        strata, won = self.strata[order], np.nan_to_num(self.won)[order]
        flat = weights[:, order].reshape(len(weights), -1)
        totals = weights.sum(axis=(1, 2, 3))
        centre = np.tensordot(weights, self._expected(), axes=3)
        observed = np.abs(flat @ won.ravel() - centre)
        extreme, moves = np.zeros(len(weights), dtype=np.int64), np.zeros(len(weights))
        step = max(1, _CELLS // won.size)
        for start in range(0, resamples, step):
            size = min(step, resamples - start)
            # Random keys sorted within strata: each draw gets a draw of its own stratum.
            dealt = np.argsort(strata + rng.random((size, len(strata))), axis=1)
            apart = np.abs(won[dealt].reshape(size, -1) @ flat.T - centre)
            extreme += (apart >= observed - _TIE * totals).sum(axis=0)
            moves = np.maximum(moves, apart.max(axis=0))
        moves = np.maximum(moves, observed)
        return [
            monte_carlo(float(value / total), int(beyond), resamples) if moved > _TIE else None
            for value, total, beyond, moved in zip(observed, totals, extreme, moves, strict=True)
        ]


def _side_row(
    verdicts: pd.DataFrame, side: str, inference: Mapping[str, Any], key: tuple[Any, ...]
) -> Row:
    winners = verdicts["winner"]
    drawn = _resampled(verdicts, inference, (*key, "shares"))
    of_side = verdicts.assign(side=side)
    row = _shares(of_side, of_side["side"], drawn, inference["confidence"]).get(side, _no_shares())
    unit = "motion_id" if verdicts["motion_id"].nunique() >= FEWEST_FLIPPED else "draw_id"
    units, p_value, error, note = verdicts[unit].to_numpy(dtype=str), NAN, NAN, ""
    ahead = (winners == side).to_numpy(dtype=float) - _beaten(winners, side).to_numpy(dtype=float)
    if not ahead.any():
        note = "All debates are contested." if len(ahead) else "No debate has a verdict."
    elif len(np.unique(units)) < 2:
        note = "A single draw cannot be tested."
    else:
        rng = stream("union", "sides", *key)
        flips = inference["resamples"]
        # All patterns where they are no more than would be drawn.
        exact = min(flips.bit_length() - 1, 30)
        test = sign_flip_test(ahead, flips=flips, exact_up_to=exact, clusters=units, seed=rng)
        p_value, error = test.p_value, test.simulation_error
    base = (row["won"] + row["lost"]) / 2.0 if len(ahead) else None
    return (
        {"side": side}
        | row
        | {
            "base": base,
            "lift": row["won"] - base if len(ahead) else None,
            "p_value": defined(p_value),
            "simulation_error": defined(error),
            "note": _both(note, row["note"]),
        }
    )


def _both(note: str, of_limits: str) -> str:
    """A note on the test, and one on limits that are missing."""
    return " ".join(filter(None, (note, of_limits)))


def _beaten(winners: pd.Series, sides: pd.Series | str) -> pd.Series:
    return (winners != sides) & (winners != CONTESTED)


def _resampled(
    verdicts: pd.DataFrame, inference: Mapping[str, Any], key: Sequence[Any]
) -> Resamples:
    rng = stream("union", "wins", *key)
    return Resamples.of(verdicts, "draw_id", "draw_id", inference["resamples"], rng)


def _shares(
    debates: pd.DataFrame, groups: pd.Series, drawn: Resamples, confidence: float
) -> dict[Any, Row]:
    """Group -> shares won, lost and contested with their intervals, and what else a row has.

    ``debates``: ``draw_id``, ``winner`` and ``side``, for which it is won or lost.
    """
    lost = _beaten(debates["winner"], debates["side"])
    ends = pd.Series(np.where(lost, "lost", "won"), index=debates.index, name="end")
    ends[debates["winner"] == CONTESTED] = "contested"
    share_of = shares(debates["draw_id"], groups, ends, _ENDS, drawn, confidence)
    rows = {}
    for group in dict.fromkeys(groups):
        row = _no_shares()
        for end in _ENDS:
            share = share_of[group, end]
            row |= {end: share["estimate"]}
            row |= {f"{end}_low": share["ci_low"], f"{end}_high": share["ci_high"]}
            row |= {name: share[name] for name in ("n", "n_clusters")}
            row["note"] = row["note"] or share["note"].format(cluster="draw")
        rows[group] = row
    return rows


def _no_shares() -> Row:
    limits = {f"{end}{limit}": None for end in _ENDS for limit in ("", "_low", "_high")}
    return {**limits, "p_adjusted": None, "p_bh": None, "n": 0, "n_clusters": 0, "note": ""}


def _plain(value: Any) -> Any:
    """A value as Python has it."""
    return value.item() if isinstance(value, np.generic) else value
