"""A PID controller of the debate's contentiousness, and the guard that stops it.

With e the error and s the flag of sycophancy,

    e = (target - rho) + s,    u = Kp e + Ki sum(e) + Kd (e - e_previous),
    beta' = clip(leak beta + u, 0, 1).

Where rho = rho_0 + g beta, the eigenvalues of the closed loop lie inside the unit circle for g
between 0 and (1 + leak) / (Kp + Ki / 2 + 2 Kd), which is 1.9 / .215 = 8.837 with the default gains.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

#: By how much JS divergence must fall, in bits, for a round to count as sycophantic.
FALL = 0.05


@dataclass(frozen=True)
class Gains:
    """Of the controller; ``leak`` is the share of beta kept from round to round."""

    kp: float
    ki: float
    kd: float
    target: float
    leak: float


@dataclass(frozen=True)
class State:
    """What the controller carries: beta in [0, 1], the sum of errors and the last error."""

    beta: float
    integral: float = 0.0
    error: float = 0.0


@dataclass(frozen=True)
class Move:
    """One step: the state after it, the error it saw and the control it added."""

    state: State
    error: float
    control: float


def advance(state: State, gains: Gains, rho: float, sycophancy: int, frozen: bool = False) -> Move:
    """One step of the controller.

    Parameters
    ----------
    state : before it; a fresh loop has no integral, and an error of zero as the previous one.
    gains : of the controller.
    rho : quality of the round, in [0, 1].
    sycophancy : 1 where :func:`sycophancy` flags the round, 0 else; weighs as much as a whole unit
        of quality.
    frozen : the error is noted; beta and the integral stay as they are.
    """
    error = (gains.target - rho) + sycophancy
    if frozen:
        return Move(State(state.beta, state.integral, error), error, 0.0)
    integral = state.integral + error
    control = gains.kp * error + gains.ki * integral + gains.kd * (error - state.error)
    beta = min(1.0, max(0.0, gains.leak * state.beta + control))
    return Move(State(beta, integral, error), error, control)


def sycophancy(
    js_before: float | None,
    js_now: float | None,
    overlap_before: float | None,
    overlap_now: float | None,
) -> int:
    """1 where the agents came closer while they shared less evidence, 0 else or where unknown.

    Parameters
    ----------
    js_before, js_now : generalised JS divergence of the agents' distributions, bits. It must fall
        by more than .05.
    overlap_before, overlap_now : overlap of the evidence that agents cite. It must fall.
    """
    if js_before is None or js_now is None or overlap_before is None or overlap_now is None:
        return 0
    return int(js_before - js_now > FALL and overlap_now < overlap_before)


@dataclass
class SlopeGuard:
    """Watches the slope of quality on contentiousness: the loop drives away from its target if < 0.

    The slope is that of least squares over all rounds so far. Below three rounds, or where beta has
    not moved, there is none, and the loop runs.
    """

    betas: list[float] = field(default_factory=list)
    rhos: list[float] = field(default_factory=list)

    def observe(self, beta: float, rho: float) -> None:
        """Note a round: its contentiousness and its quality."""
        self.betas.append(beta)
        self.rhos.append(rho)

    @property
    def slope(self) -> float | None:
        """Of quality on contentiousness."""
        if len(self.betas) < 3:
            return None
        x, y = np.array(self.betas), np.array(self.rhos)
        x = x - x.mean()
        spread = float((x * x).sum())
        # Below this beta has moved by rounding alone.
        return float((x * (y - y.mean())).sum()) / spread if spread > 1e-12 else None

    @property
    def frozen(self) -> bool:
        slope = self.slope
        return slope is not None and slope < 0.0
