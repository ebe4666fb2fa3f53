"""What all debates of a run come to, in numbers: by debate, by speaker and by epoch."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

from dissensus.union.measures.records import DIMENSIONS
from dissensus.union.pages.run import Row, Rows, Run
from dissensus.union.tables import CONTESTED, DEBATE, FATES, SIDES, VERDICTS

_JUDGED = tuple(name for name in VERDICTS.columns if name not in DEBATE)


def summary(run: Run) -> dict[str, Any]:
    """The run's debates, speakers and epochs, as data."""
    return {
        "simulated": run.simulated,
        "motions": list(run.motions.values()),
        "debates": debates(run),
        "speakers": speakers(run),
        "epochs": epochs(run),
    }


def debates(run: Run) -> Rows:
    """Every debate with its verdict; where it failed for good, with the reason and no verdict."""
    verdicts = {row["session_id"]: row for row in run.records["verdicts"]}
    rows = []
    for session in run.sessions("debate"):
        name = session["session_id"]
        outcome, verdict = run.outcomes[name], verdicts.get(name)
        rows.append(
            {
                **{column: session[column] for column in DEBATE},
                "complete": outcome["complete"],
                "failure": outcome["failure"],
                "verdict": verdict and {column: verdict[column] for column in _JUDGED},
            }
        )
    return rows


def speakers(run: Run) -> Rows:
    """Every speaker of every motion and arm, over the debates that ended."""
    named = {
        (row["motion_id"], row["arm"], row["side"], row["speaker"])
        for row in run.records["speeches"]
    }
    return [_speaker(run, *names) for names in sorted(named, key=_in_order)]


def _in_order(names: tuple[str, str, str, str]) -> tuple[str, str, int, str]:
    motion, arm, side, speaker = names
    return motion, arm, SIDES.index(side), speaker


def _speaker(run: Run, motion: str, arm: str, side: str, speaker: str) -> dict[str, Any]:
    ids = {"motion_id": motion, "arm": arm, "speaker": speaker}
    speeches, scores, claims = (run.of(name, **ids) for name in ("speeches", "scores", "claims"))
    surviving = [row["fate"] == FATES[0] for row in claims]
    return {
        **ids,
        "side": side,
        "student": speeches[0]["student"],
        "speeches": len(speeches),
        "words": mean(row["words"] for row in speeches),
        **{name: mean(row[name] for row in scores) for name in (*DIMENSIONS, "mean")},
        "recalibrated": mean(row["recalibrated"] for row in scores),
        "offered": sum(row["offered"] for row in speeches),
        "accepted": sum(row["accepted"] for row in speeches),
        "claims": len(claims),
        "surviving": sum(surviving),
        "survival": mean(surviving),
    }


def epochs(run: Run) -> Rows:
    """Every epoch of every motion and arm; means are over the debates that ended."""
    found: dict[tuple[str, str, int], Rows] = {}
    for row in debates(run):
        found.setdefault((row["motion_id"], row["arm"], row["epoch"]), []).append(row)
    return [_epoch(names, rows) for names, rows in sorted(found.items())]


def _epoch(names: tuple[str, str, int], rows: Rows) -> dict[str, Any]:
    verdicts = [row["verdict"] for row in rows if row["verdict"]]
    winners = [verdict["winner"] for verdict in verdicts]
    return {
        **dict(zip(("motion_id", "arm", "epoch"), names, strict=True)),
        "debates": len(rows),
        "failed": len(rows) - len(verdicts),
        **{name: winners.count(name) for name in (*SIDES, CONTESTED)},
        **{
            name: mean(verdict[name] for verdict in verdicts)
            for name in (
                *(f"points_{side}" for side in SIDES),
                *(f"surviving_{side}" for side in SIDES),
                "student_votes",
                "student_survival",
                "student_demolitions",
            )
        },
    }


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the known ones, of six decimals; None where none is known."""
    known = [value for value in values if value is not None]
    return round(fsum(known) / len(known), 6) if known else None


def share(rows: Iterable[Row], name: str, value: Any) -> float | None:
    """Share of the rows that have a value; None where there is no row."""
    return mean(row[name] == value for row in rows)
