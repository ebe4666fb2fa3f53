"""The contentiousness of one session, round by round, whatever sets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .pid import Gains, SlopeGuard, State, advance, sycophancy
from .schedules import PRESETS, gains_of, open_loop


@dataclass(frozen=True)
class Record:
    """The input of the loop from a round, and its output; None where there is none.

    ``beta`` is the contentiousness of the round; ``frozen`` whether the loop was frozen after it.
    """

    beta: float | None = None
    sycophancy: int | None = None
    error: float | None = None
    control: float | None = None
    frozen: bool = False


@dataclass
class Loop:
    """Gives each round its contentiousness, and is told how the round went.

    What it gives depends on nothing but its settings and what it was told, so that the measures get
    the same numbers again from the transcript.
    """

    betas: list[float]
    gains: Gains | None
    guard: SlopeGuard | None
    records: dict[int, Record] = field(default_factory=dict)
    _state: State = field(default_factory=lambda: State(0.0))
    _before: tuple[float | None, float | None] = (None, None)

    @classmethod
    def of(cls, schedule: str | None, control: Mapping[str, Any], rounds: int) -> Loop:
        """The loop of an arm.

        Parameters
        ----------
        schedule : None, an open-loop schedule or a preset of the controller.
        control : kp, ki, kd, target, start, leak, slope_guard.
        rounds : of the debate.
        """
        if schedule is None:
            return cls([], None, None)
        if schedule not in PRESETS:
            return cls(list(open_loop(schedule, control["start"], rounds)), None, None)
        guard = SlopeGuard() if control["slope_guard"] else None
        start = float(control["start"])
        return cls([start], gains_of(schedule, control), guard, _state=State(start))

    def beta(self, round_: int) -> float | None:
        """Contentiousness of a round, from 1; None without a schedule.

        Raises
        ------
        IndexError : the controller has not been told of all rounds before.
        """
        return self.betas[round_ - 1] if self.betas else None

    def observe(
        self, round_: int, rho: float | None, js: float | None, overlap: float | None
    ) -> None:
        """Tell how a round went.

        Parameters
        ----------
        round_ : from 1, in order.
        rho : mean CRIT score of its turns; without one the controller keeps beta as it is.
        js : generalised JS divergence of the agents' distributions, bits.
        overlap : of the evidence they cite.
        """
        beta = self.beta(round_)
        if self.gains is None or beta is None:
            self.records[round_] = Record(beta)
            return
        flag = sycophancy(self._before[0], js, self._before[1], overlap)
        self._before = (js, overlap)
        if rho is None:
            self.records[round_] = Record(beta, flag)
            self.betas.append(beta)
            return
        frozen = False
        if self.guard is not None:
            self.guard.observe(beta, rho)
            frozen = self.guard.frozen
        move = advance(self._state, self.gains, rho, flag, frozen)
        self._state = move.state
        self.betas.append(move.state.beta)
        self.records[round_] = Record(beta, flag, move.error, move.control, frozen)
