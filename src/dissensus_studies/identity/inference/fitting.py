"""Hierarchical maximum likelihood of the identity weights, with intervals of all that follows.

The search is L-BFGS-B on the logs of the parameters, from the closed-form estimates and from two
fixed points, with exact gradients. Standard errors come from the observed information in pi_self,
pi_peer and the logs of the concentrations, coordinates in which it exists at the edges too, and by
the delta method. Intervals of concentrations are symmetric on the log scale; those of weights on
that of log(1 + w), which is defined for a weight of 0, and cut off there; those of shares are cut
off where shares end. A concentration at its bound stays there. Where agents hear different
numbers of peers, the pi are those of an agent who hears the mean number. Conformity and Obstinacy
are what the model expects of the first transitions, given the openings.

On matrices this small the threads of OpenBLAS cost nine tenths of the time, so it has one here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special
from threadpoolctl import ThreadpoolController

from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN, Estimate

from .cells import implied
from .likelihood import NAMES, QUANTITIES, Likelihood, Parameters
from .moments import moment_estimate
from .panel import Panel

_BLAS = ThreadpoolController()

#: Those that may be 0 and have no upper limit, and those that are positive without limit.
_WEIGHED = frozenset({"w_self", "w_peer", "total_weight"})
_POSITIVE = frozenset({"a_correct", "a_other"})
#: Those that may be negative, as differences of two shares.
_DIFFERENCES = frozenset({"ibc", "delta"})

#: Weights below or above these change no probability by a thousandth.
_WEIGHTS = (1e-3, 1e3)
#: Concentrations between which questions go from one certain answer to all alike.
_CONCENTRATIONS = (1e-3, 1e4)
#: The limits of the four parameters, (4, 2), in logs.
_LIMITS = np.log([_WEIGHTS, _WEIGHTS, _CONCENTRATIONS, _CONCENTRATIONS])
#: How near to one of them a log is at it.
_AT_LIMIT = 1e-3
#: Own weight, and the peers' together, that the search starts from besides the moments'.
_STARTS = ((0.2, 3.0), (3.0, 0.2))
_BELIEFS = (2.0, 0.7)
#: Steps of a bootstrap's scoring, and the rise in twice the log likelihood that is not worth one.
_SCORINGS, _SETTLED = 15, 1e-4


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes
    ----------
    parameters : at the maximum of the likelihood.
    covariance : (4, 4), of pi_self, pi_peer and the logs of a_correct and a_other, by the inverse
        of the observed information; NaN where that has none.
    loglik : at the maximum.
    converged : whether the search ended at a maximum with a proper information.
    rounds : fitted.
    estimates : by name, those of :data:`QUANTITIES`; NaN where the information is not proper, since
        the answers then do not tell the parameters (nobody ever disagreed, say).
    influence : (M, derived), what each question adds to each estimate's deviation.
    """

    parameters: Parameters
    covariance: FloatArray
    loglik: float
    converged: bool
    rounds: int
    estimates: dict[str, Estimate]
    influence: FloatArray


@dataclass(frozen=True)
class WeightsTest:
    """Likelihood-ratio test of w_self = w_peer."""

    statistic: float
    df: int
    p_value: float
    n: int


def fit(
    panel: Panel,
    rounds: int = 1,
    confidence: float = 0.95,
    equal_weights: bool = False,
) -> Fit:
    """Fit the four parameters to the rounds 0 to `rounds` of a panel.

    Parameters
    ----------
    panel : of two questions or more.
    rounds : how many transitions of each agent to use.
    confidence : level of the intervals.
    equal_weights : whether w_self = w_peer is imposed.

    Raises
    ------
    ValueError : the panel has fewer rounds, or no transition that can be used.
    """
    if not 1 <= rounds <= panel.rounds:
        raise ValueError(f"rounds is {rounds}; the panel has {panel.rounds} after the opening.")
    if not (panel.usable(rounds) & (panel.n_peers > 0)).any():
        raise ValueError("No transition of the panel can be used; there is nothing to fit.")
    with _BLAS.limit(limits=1, user_api="blas"):
        return _fit(panel, rounds, confidence, equal_weights)


def _fit(panel: Panel, rounds: int, confidence: float, equal_weights: bool) -> Fit:
    likelihood = Likelihood.of(panel, rounds)
    times = _times(likelihood)
    tie = _tie(equal_weights)
    best = _best(likelihood, times, tie, _starts(panel))
    values = np.exp(tie @ best.x)
    model = _Coordinates(float(panel.n_peers.mean()))
    covariance, proper = _covariance(likelihood, times, model, values, equal_weights)
    parameters = Parameters.of(values)
    jacobian = _jacobian(panel, model, values)
    scores = likelihood.value(values)[1] @ model.slopes(values)
    influence = (scores @ covariance @ jacobian.T)[likelihood.kind]
    variances = np.einsum("di,ij,dj->d", jacobian, covariance, jacobian)
    derived = _derived(panel, model, model.of(values)) if proper else np.full_like(variances, NAN)
    estimates = {
        name: _interval(name, float(value), float(variance), confidence, panel.n_questions)
        for name, value, variance in zip(QUANTITIES, derived, variances, strict=True)
    }
    loglik = -float(best.fun) * panel.n_questions
    converged = proper and _at_rest(best)
    return Fit(parameters, covariance, loglik, converged, rounds, estimates, influence)


def equal_weights_test(panel: Panel, rounds: int = 1, fitted: Fit | None = None) -> WeightsTest:
    """Likelihood-ratio test of w_self = w_peer, chi-square on 1 degree of freedom (Wilks 1938).

    Parameters
    ----------
    panel, rounds : as for :func:`fit`.
    fitted : the fit without the restriction, where it is at hand.
    """
    free = fitted or fit(panel, rounds)
    with _BLAS.limit(limits=1, user_api="blas"):
        likelihood = Likelihood.of(panel, rounds)
        tied = _best(likelihood, _times(likelihood), _tie(True), _starts(panel))
    statistic = max(2.0 * (free.loglik + float(tied.fun) * panel.n_questions), 0.0)
    p_value = float(special.chdtrc(1.0, statistic))
    return WeightsTest(statistic, 1, p_value, int(panel.usable(rounds).sum()))


def refit(panel: Panel, fitted: Fit) -> Parameters:
    """The maximum of the likelihood of a panel drawn from a fitted model, for a bootstrap.

    Steps that begin with the information of the first fit, and learn the curvature as they go, need
    a third of the likelihoods that a search needs, or fewer; where they do not settle, the search
    is made.
    """
    with _BLAS.limit(limits=1, user_api="blas"):
        return _refit(panel, fitted)


def _refit(panel: Panel, fitted: Fit) -> Parameters:
    likelihood = Likelihood.of(panel, fitted.rounds)
    times, values = _times(likelihood), fitted.parameters.vector()
    slopes = _Coordinates(float(panel.n_peers.mean())).slopes(values)
    covariance, logs = slopes @ fitted.covariance @ slopes.T, np.log(values)
    score = times @ likelihood.value(np.exp(logs))[1]
    for _ in range(_SCORINGS):
        move = covariance @ score
        # At a limit the likelihood is flat: steps would end there, or go on for ever.
        if not (np.isfinite(move).all() and _is_inside(logs)):
            break
        if 0.0 <= float(score @ move) < _SETTLED:
            return Parameters.of(np.exp(logs))
        move /= max(1.0, float(np.abs(move).max()))
        logs, before = logs + move, score
        score = times @ likelihood.value(np.exp(logs))[1]
        covariance = _secant(covariance, move, before - score)
    search = _search(likelihood, times, np.eye(4), fitted.parameters)
    return Parameters.of(np.exp(search.x))


def _is_inside(logs: FloatArray) -> bool:
    """Whether the logs of the four parameters are off all limits of the search."""
    low, high = _LIMITS.T
    return bool(((logs > low + _AT_LIMIT) & (logs < high - _AT_LIMIT)).all())


def _secant(inverse: FloatArray, move: FloatArray, fall: FloatArray) -> FloatArray:
    """The inverse of a Hessian after a move, over which minus the gradient fell by so much.

    Broyden, Fletcher, Goldfarb and Shanno's update (Nocedal & Wright 2006, equation 6.17); the
    inverse as it was where the function is not concave along the move.
    """
    curvature = float(move @ fall)
    if not curvature > 0.0:
        return inverse
    left = np.eye(len(move)) - np.outer(move, fall) / curvature
    return np.asarray(left @ inverse @ left.T + np.outer(move, move) / curvature)


@dataclass(frozen=True)
class _Coordinates:
    """pi_self, pi_peer and the logs of the concentrations, for agents of so many peers."""

    peers: float

    def of(self, values: FloatArray) -> FloatArray:
        self_weight, peer_weight = values[0], self.peers * values[1]
        total = 1.0 + self_weight + peer_weight
        return np.array([self_weight / total, peer_weight / total, *np.log(values[2:])])

    def values(self, coordinates: FloatArray) -> FloatArray:
        self_share, peer_share = coordinates[:2]
        belief = 1.0 - self_share - peer_share
        weights = self_share / belief, peer_share / belief / self.peers
        return np.array([*weights, *np.exp(coordinates[2:])])

    def slopes(self, values: FloatArray) -> FloatArray:
        """(4, 4), of the parameters' logs in these coordinates."""
        self_share, peer_share = self.of(values)[:2]
        belief = 1.0 - self_share - peer_share
        slopes = np.eye(4)
        slopes[:2, :2] = 1.0 / belief
        slopes[0, 0] += 1.0 / self_share
        slopes[1, 1] += 1.0 / peer_share
        return slopes


def _times(likelihood: Likelihood) -> FloatArray:
    """Questions of each kind."""
    return np.bincount(likelihood.kind, minlength=len(likelihood.cells)).astype(np.float64)


def _tie(equal_weights: bool) -> FloatArray:
    """What makes the four logs of the free ones."""
    if equal_weights:
        return np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float64)
    return np.eye(4)


def _starts(panel: Panel) -> list[Parameters]:
    peers = max(float(panel.n_peers.mean()), 1.0)
    starts = [
        Parameters(self_weight, peer_weight / peers, *_BELIEFS)
        for self_weight, peer_weight in _STARTS
    ]
    moments = moment_estimate(panel, resamples=0).vector(NAMES)
    usable = np.isfinite(moments).all() and (moments > 0.0).all()
    starts.append(Parameters.of(moments) if usable else Parameters(0.5, 0.5 / peers, *_BELIEFS))
    return starts


def _best(
    likelihood: Likelihood, times: FloatArray, tie: FloatArray, starts: list[Parameters]
) -> optimize.OptimizeResult:
    """The best end of searches from several starts."""
    ends = [_search(likelihood, times, tie, start) for start in starts]
    return min(ends, key=lambda end: float(end.fun))


def _search(
    likelihood: Likelihood, times: FloatArray, tie: FloatArray, start: Parameters
) -> optimize.OptimizeResult:
    """Minus the mean log likelihood of a question, made as small as it gets from one start."""
    chosen = tie.argmax(axis=0)
    bounds = _LIMITS[chosen]
    n = times.sum()

    def minus(logs: FloatArray) -> tuple[float, FloatArray]:
        value, slope = likelihood.value(np.exp(tie @ logs))
        return -float(times @ value) / n, -(times @ slope @ tie) / n

    first = np.clip(np.log(start.vector())[chosen], bounds[:, 0], bounds[:, 1])
    options = {"ftol": 1e-13, "gtol": 1e-7, "maxiter": 500}
    return optimize.minimize(
        minus, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )


def _at_rest(end: optimize.OptimizeResult) -> bool:
    """Whether a search ended well; one whose last step fell below rounding did too."""
    return bool(end.success) or float(np.abs(end.jac).max()) < 1e-5


def _covariance(
    likelihood: Likelihood,
    times: FloatArray,
    model: _Coordinates,
    values: FloatArray,
    equal_weights: bool,
) -> tuple[FloatArray, bool]:
    """Inverse observed information in the coordinates, and whether it is one.

    The Hessian is the central difference of exact gradients.
    """
    centre = model.of(values)
    belief = 1.0 - centre[:2].sum()
    steps = np.array([1e-3 * min(centre[0], belief), 1e-3 * min(centre[1], belief), 1e-4, 1e-4])

    def gradient(coordinates: FloatArray) -> FloatArray:
        at = model.values(coordinates)
        return np.asarray(times @ likelihood.value(at)[1] @ model.slopes(at))

    moves = np.diag(steps)
    rows = [
        (gradient(centre + move) - gradient(centre - move)) / (2.0 * step)
        for move, step in zip(moves, steps, strict=True)
    ]
    information = -0.5 * (np.array(rows) + np.array(rows).T)
    free = np.eye(4)
    if equal_weights:
        free = np.delete(free, 1, axis=1)
        free[1, 0] = model.peers
    low, high = _CONCENTRATIONS
    at_bound = (values[2:] <= low * 1.001) | (values[2:] >= high * 0.999)
    free = free[:, [*range(free.shape[1] - 2), *(free.shape[1] - 2 + np.flatnonzero(~at_bound))]]
    reduced = free.T @ information @ free
    if not np.isfinite(reduced).all() or np.linalg.eigvalsh(reduced).min() <= 0.0:
        return np.full((4, 4), np.nan), False
    return np.asarray(free @ np.linalg.inv(reduced) @ free.T), True


def _derived(panel: Panel, model: _Coordinates, coordinates: FloatArray) -> FloatArray:
    """The values of :data:`QUANTITIES`."""
    values = model.values(coordinates)
    self_share, peer_share = coordinates[:2]
    belief = 1.0 - self_share - peer_share
    conformity, obstinacy = implied(panel, Parameters.of(values))
    ibc, total_weight = peer_share - self_share, (self_share + peer_share) / belief
    shares = [belief, self_share, peer_share, ibc, total_weight]
    return np.array([*values, *shares, conformity, obstinacy, conformity - obstinacy])


def _jacobian(panel: Panel, model: _Coordinates, values: FloatArray) -> FloatArray:
    """(derived, 4), slopes of the derived values in the coordinates, by central differences."""
    centre = model.of(values)
    belief = 1.0 - centre[:2].sum()
    steps = np.array([1e-3 * min(centre[0], belief), 1e-3 * min(centre[1], belief), 1e-4, 1e-4])
    columns = [
        (_derived(panel, model, centre + move) - _derived(panel, model, centre - move))
        / (2.0 * step)
        for move, step in zip(np.diag(steps), steps, strict=True)
    ]
    return np.column_stack(columns)


def _interval(name: str, value: float, variance: float, confidence: float, n: int) -> Estimate:
    """An estimate with its delta-method interval."""
    if not np.isfinite(value):
        return Estimate(NAN, n=n, n_clusters=n)
    if not variance > 0.0:
        return Estimate(value, n=n, n_clusters=n)
    se, z = float(np.sqrt(variance)), float(special.ndtri(0.5 + confidence / 2.0))
    if name in _WEIGHED or name in _POSITIVE:
        offset = 1.0 if name in _WEIGHED else 0.0
        with np.errstate(over="ignore"):
            factor = float(np.exp(np.float64(z * se / (offset + value))))
        low = max((offset + value) / factor - offset, 0.0)
        high = (offset + value) * factor - offset
    else:
        floor = -1.0 if name in _DIFFERENCES else 0.0
        low, high = max(value - z * se, floor), min(value + z * se, 1.0)
    return Estimate(value, se, low, high, n=n, n_clusters=n)
