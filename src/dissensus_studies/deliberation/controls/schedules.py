"""Schedules of contentiousness that look at nothing, and the gains of those that do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .pid import Gains

_SHAPES: Mapping[str, Callable[[int, int], float]] = {
    "fixed": lambda _round, _rounds: 1.0,
    "linear": lambda round_, rounds: (rounds - round_) / max(rounds - 1, 1),
    "exponential": lambda round_, _rounds: 0.5 ** (round_ - 1),
    "divide": lambda round_, _rounds: 1.0 / round_,
}

#: What a closed-loop schedule changes in the study's gains.
PRESETS: Mapping[str, Mapping[str, float]] = {
    "pid": {},
    "pid_fast": {"ki": 0.06, "leak": 1.0},
}


def open_loop(name: str, start: float, rounds: int) -> tuple[float, ...]:
    """Contentiousness in every round, set beforehand.

    Parameters
    ----------
    name : ``fixed`` (start throughout), ``linear`` (in equal steps to 0 in the last round),
        ``exponential`` (halved every round) or ``divide`` (start / t). The project's own shapes.
    start : of round 1, in [0, 1].
    rounds : how many.
    """
    shape = _SHAPES[name]
    return tuple(start * shape(round_, rounds) for round_ in range(1, rounds + 1))


def gains_of(name: str, control: Mapping[str, Any]) -> Gains:
    """The study's gains as a closed-loop schedule uses them."""
    configured = {part: control[part] for part in ("kp", "ki", "kd", "target", "leak")}
    return Gains(**{**configured, **PRESETS[name]})
