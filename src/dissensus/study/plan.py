"""What a manifest comes to in sessions and calls."""

from __future__ import annotations

from collections import Counter

from dissensus.study.call_plan import call_plans
from dissensus.study.sessions import Debates


def describe(name: str, debates: Debates) -> list[str]:
    """Lines that say how many sessions and calls a study will have.

    Parameters
    ----------
    name : the study's.
    debates : its sessions.
    """
    rows = list(debates.rows.values())
    draws = len({row["draw_id"] for row in rows})
    arms = Counter(row[debates.ARM] for row in rows)
    calls: Counter[tuple[str, str]] = Counter()
    most = 0
    for sketch, sessions in call_plans(debates):
        for call in sketch.calls:
            calls[call.stage, call.model] += sessions
        protocol = sketch.protocol
        again = (1 + protocol["repairs"]) * protocol["session_attempts"]
        most += len(sketch.calls) * sessions * again
    return [
        f"{name}: {draws:,} draws, {len(rows):,} sessions "
        f"({', '.join(f'{n:,} {arm}' for arm, n in arms.items())})",
        f"{calls.total():,} calls if nothing goes wrong; {most:,} with every repair and every "
        "re-run",
        *(f"  {stage}: {model}: {n:,} calls" for (stage, model), n in sorted(calls.items())),
    ]
