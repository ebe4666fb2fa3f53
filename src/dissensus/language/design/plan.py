"""What a manifest comes to in sessions and calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.language.settings import ROLES


def describe(
    manifest: Sequence[Mapping[str, Any]],
    *,
    turns: Mapping[str, Sequence[str]],
    repairs: int,
    session_attempts: int,
) -> list[str]:
    """Lines that say how many sessions and calls there will be.

    Parameters
    ----------
    manifest : its rows.
    turns : language -> the role that speaks in each turn.
    repairs, session_attempts : the most that a turn and a session may be tried again.
    """
    draws = len({row["draw_id"] for row in manifest})
    languages = Counter(row["language"] for row in manifest)
    calls = sum(len(turns[language]) * n for language, n in languages.items())
    most = calls * (1 + repairs) * session_attempts
    by_model: Counter[str] = Counter()
    for row in manifest:
        spoken = Counter(turns[row["language"]])
        for role in ROLES:
            by_model[row[role]] += spoken[role]
    return [
        f"{draws} draws, {len(manifest)} sessions "
        f"({', '.join(f'{n} in {language}' for language, n in languages.items())})",
        f"{calls} calls if nothing goes wrong; {most} with every repair and every re-run",
        *(f"  {model}: {n} calls" for model, n in sorted(by_model.items())),
    ]
