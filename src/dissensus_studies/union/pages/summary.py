"""What all debates of a run come to, in numbers: by debate, by speaker and by epoch."""

from __future__ import annotations

from typing import Any

from ..measures.totals import by_epoch, by_speaker
from ..tables import DEBATE, VERDICTS
from .run import Rows, Run

_JUDGED = tuple(name for name in VERDICTS.columns if name not in DEBATE)


def summary(run: Run) -> dict[str, Any]:
    """The run's debates, speakers and epochs, as data."""
    records = run.records
    return {
        "simulated": run.simulated,
        "motions": list(run.motions.values()),
        "debates": _debates(run),
        "speakers": by_speaker(records["speeches"], records["scores"], records["claims"]),
        "epochs": by_epoch(run.sessions("debate"), records["verdicts"]),
    }


def _debates(run: Run) -> Rows:
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
