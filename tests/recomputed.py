"""The primary outcome of each study from what was said, by its unit of analysis alone.

Nothing of the package computes here: a headline that is read from another column than it says, or
that counts other units, does not come out.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

Differences = dict[str, float]


def consensus(folder: Path) -> Differences:
    """Share of a debate's agents in its largest group in its last round; debates of a draw."""
    return _of_votes(folder, lambda share: share)


def debates_that_agree(folder: Path) -> Differences:
    """Whether a debate ends in one vote of all its agents; debates of a draw."""
    return _of_votes(folder, lambda share: float(share == 1.0))


def _of_votes(folder: Path, counted: object) -> Differences:
    assert callable(counted)
    votes, manifest = (pd.read_parquet(folder / f"{n}.parquet") for n in ("votes", "manifest"))
    held = manifest.loc[manifest["kind"] == "debate", "session_id"]
    votes = votes[votes["session_id"].isin(held)]
    rows = []
    for session, of in votes.groupby("session_id"):
        last = of[of["round"] == of["round"].max()]
        sizes = last.loc[last["vote"] >= 0, "vote"].value_counts()
        share = sizes.max() / of["agent"].nunique()
        rows.append((of["draw_id"].iloc[0], of["arm"].iloc[0], counted(share)))
        assert session
    return _paired(pd.DataFrame(rows, columns=["draw_id", "arm", "value"]), "debate")


def deliberation(folder: Path) -> Differences:
    """Divergence of a session's last round over that of its first; sessions of a draw."""
    rounds = pd.read_parquet(folder / "rounds.parquet").sort_values("round")
    of = rounds.groupby("session_id").agg(
        draw_id=("draw_id", "first"), arm=("arm", "first"), a=("js", "first"), z=("js", "last")
    )
    return _paired(of.assign(value=of["z"] / of["a"]), "emergent")


def union(folder: Path) -> Differences:
    """Share of the students' claims of a debate that survive; coached epochs."""
    claims = pd.read_parquet(folder / "claims.parquet")
    claims = claims[claims["student"] & (claims["epoch"] > 1)]
    claims = claims.assign(value=claims["fate"] == "survives")
    draw = claims["motion_id"] + claims["epoch"].astype(str) + "-" + claims["run"].astype(str)
    by_debate = claims.assign(draw_id=draw).groupby(["draw_id", "arm"], as_index=False)["value"]
    return {"coached-control": _paired(by_debate.mean(), "control")["coached"]}


def identity(folder: Path) -> Differences:
    """Answers of round 1 under disagreement: conformed less kept, with labels less without."""
    answers = pd.read_parquet(folder / "transitions.parquet")
    first = (answers["round"] == 1) & answers["usable"] & (answers["n_disagree"] > 0)
    answers = answers[first]
    moved = answers["follows_peer"].astype(int) - answers["follows_own"].astype(int)
    of = answers.assign(value=moved).groupby(["team", "condition"])["value"].mean().unstack()
    return {str(team): float(v) for team, v in (of["vanilla"] - of["anonymized"]).items()}


def _paired(rows: pd.DataFrame, reference: str) -> Differences:
    wide = rows.pivot(index="draw_id", columns="arm", values="value")
    return {
        str(arm): float((wide[arm] - wide[reference]).mean()) for arm in wide if arm != reference
    }
