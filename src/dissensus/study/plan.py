"""What a manifest comes to in sessions and calls."""

from __future__ import annotations

from collections import Counter

from dissensus.study.call_plan import call_plans
from dissensus.study.sessions import Sessions


def describe(sessions: Sessions) -> list[str]:
    """Lines that say how many sessions and calls a study will have."""
    study, rows = sessions.study, list(sessions.rows.values())
    draws = len({row["draw_id"] for row in rows})
    arms = Counter(row[study.arm] for row in rows)
    calls: Counter[tuple[str, str]] = Counter()
    for planned, number in call_plans(sessions):
        for call in planned:
            calls[call.purpose, call.model] += number
    protocol = study.settings.protocol
    most = calls.total() * (1 + protocol.repairs) * protocol.session_attempts
    return [
        f"{study.name}: {draws:,} draws, {len(rows):,} sessions "
        f"({', '.join(f'{n:,} {arm}' for arm, n in arms.items())})",
        f"{calls.total():,} calls if nothing goes wrong; {most:,} with every repair and every "
        "session attempt",
        *(f"  {purpose}: {model}: {n:,} calls" for (purpose, model), n in sorted(calls.items())),
    ]
