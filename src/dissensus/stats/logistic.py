"""Logistic regression of grouped votes that come in clusters: finite estimates, robust tests.

Data are rows of one design with `successes` of `trials`; rows of a cluster may depend on each
other. Estimates are Firth's, which are finite where one group has all successes. Tests and
intervals come from scores under the null, which need no estimate of the tested coefficient, so that
they work with separated data too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from dissensus.stats.checks import FloatArray, IntArray, as_codes, check_level
from dissensus.stats.results import NAN, Estimate

#: Least variance of scores, over that of independent votes under the null. At 1 it would bind half
#: the time where votes are independent, and make the test conservative.
_FLOOR = 0.5
_STEPS = 60
_LONGEST = 2.0  # of a Newton step in any coefficient
_SETTLED = 1e-9
_FARTHEST = 200.0  # logits over the spread of x, beyond which a limit counts as infinite


@dataclass(frozen=True)
class Grouped:
    """Votes by row.

    Attributes
    ----------
    tested : shape (n,); the regressor whose coefficient is wanted.
    others : shape (n, k); the other regressors, an intercept among them.
    successes, trials : shape (n,).
    clusters : shape (n,); codes from 0.
    """

    tested: FloatArray
    others: FloatArray
    successes: FloatArray
    trials: FloatArray
    clusters: IntArray

    @classmethod
    def of(
        cls,
        tested: npt.ArrayLike,
        others: npt.ArrayLike,
        successes: npt.ArrayLike,
        trials: npt.ArrayLike,
        clusters: npt.ArrayLike,
    ) -> Grouped:
        """From anything array-like; labels of any sortable type as clusters."""
        x = np.asarray(tested, dtype=np.float64)
        return cls(
            x,
            np.asarray(others, dtype=np.float64).reshape(len(x), -1),
            np.asarray(successes, dtype=np.float64),
            np.asarray(trials, dtype=np.float64),
            as_codes(clusters, len(x), "clusters"),
        )


def firth(
    design: FloatArray, successes: FloatArray, trials: FloatArray, offset: FloatArray | float = 0.0
) -> FloatArray:
    """Coefficients that maximise the likelihood with Jeffreys' penalty (Firth 1993).

    Parameters
    ----------
    design : shape (n, k), of full rank.
    successes, trials : shape (n,); trials of 0 or more.
    offset : part of the linear predictor that is given.

    Returns
    -------
    Shape (k,). Finite for every data set (Heinze & Schemper 2002). The last value reached where
    Newton's steps do not settle.
    """
    beta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        mean = special.expit(design @ beta + offset)
        weight = np.maximum(trials * mean * (1.0 - mean), 1e-12)
        inverse = _inverse((design * weight[:, None]).T @ design)
        # Leverages of all trials of a row together.
        leverage = weight * np.einsum("ij,jk,ik->i", design, inverse, design)
        score = design.T @ (successes - trials * mean + leverage * (0.5 - mean))
        step = inverse @ score
        longest = np.abs(step).max()
        beta = beta + step * min(1.0, _LONGEST / max(longest, 1e-300))
        if longest < _SETTLED:
            break
    return beta


def _inverse(gram: FloatArray) -> FloatArray:
    """The pseudoinverse of a symmetric matrix."""
    if gram.shape == (1, 1) and gram[0, 0] > 0.0:
        # The same to the bit, without a decomposition at each of some thousand steps.
        return np.reciprocal(gram)
    return np.asarray(np.linalg.pinv(gram, hermitian=True), dtype=np.float64)


def score_test(data: Grouped, null: float = 0.0) -> tuple[float, float]:
    """Cluster-robust score test of one coefficient.

    Parameters
    ----------
    data : votes by row.
    null : value of the coefficient under the null.

    Returns
    -------
    t, p : float
        Both NaN where fewer clusters than needed vary, so that nothing can be tested.

    Notes
    -----
    The other coefficients are fitted under the null. A cluster's score is that of its rows, with
    what the other regressors explain of the tested one taken out (effective scores, as in Hemerik,
    Goeman & Finos 2020, JRSS B 82:841-864). Under the null these scores have mean zero, and are
    independent of each other but for the k fitted coefficients: their mean is tested by Student's t
    with G - k df, k counting the other regressors (Guo et al. 2005, Statistics in Medicine
    24:3479-3495, for why scores and not Wald statistics where clusters are few). Their variance is
    the observed one, but no less than half that of independent votes under the null: where hardly
    any vote goes against the null's odds, those that did not come up would have made the spread.
    """
    t, df = _statistic(data, null)
    return t, float(2.0 * special.stdtr(df, -abs(t))) if np.isfinite(t) else NAN


def _statistic(data: Grouped, null: float) -> tuple[float, float]:
    """t of the cluster's scores, and its df."""
    offset = null * data.tested
    beta = firth(data.others, data.successes, data.trials, offset)
    mean = special.expit(data.others @ beta + offset)
    weight = np.maximum(data.trials * mean * (1.0 - mean), 1e-12)
    weighted = data.others * weight[:, None]
    explained = _inverse(weighted.T @ data.others) @ (weighted.T @ data.tested)
    rest = data.tested - data.others @ explained
    scores = np.bincount(data.clusters, rest * (data.successes - data.trials * mean))
    count, df = scores.size, float(scores.size - data.others.shape[1])
    if df < 1.0:
        return NAN, df
    size = np.abs(data.tested).max() * data.trials.max()
    if float(np.abs(scores).max()) <= 1e-9 * size:
        return NAN, df
    variance = max(float(scores.var(ddof=1)) * count, _FLOOR * float(weight @ rest**2))
    return float(scores.sum() / np.sqrt(variance)), df


def logistic(data: Grouped, confidence: float = 0.95) -> Estimate:
    """One coefficient with its cluster-robust test and the interval that inverts the test.

    Parameters
    ----------
    data : votes by row.
    confidence : level of the interval, which takes some hundred fits.

    Returns
    -------
    `estimate` is Firth's, in logits per unit of the tested regressor, `p_value` of a zero
    coefficient by :func:`score_test`. A limit is infinite where no value that far out is rejected,
    as with separated data. All NaN where the data allow no test. `n` counts trials.
    """
    t, p_value = score_test(data)
    n, count = int(data.trials.sum()), int(data.clusters.max()) + 1
    if not np.isfinite(t):
        return Estimate(NAN, n=n, n_clusters=count)
    design = np.column_stack([data.tested, data.others])
    estimate = float(firth(design, data.successes, data.trials)[0])
    low, high = _limits(data, estimate, confidence)
    return Estimate(estimate, NAN, low, high, p_value, n, count)


def _limits(data: Grouped, estimate: float, confidence: float) -> tuple[float, float]:
    """Where the test's statistic crosses its critical values, to either side of the estimate."""
    df = _statistic(data, 0.0)[1]
    critical = float(special.stdtrit(df, 0.5 + check_level(confidence, "confidence") / 2.0))
    spread = float(np.abs(data.tested).mean())

    def excess(at: float, sign: float) -> float:
        t, _ = _statistic(data, at)
        # The statistic falls as the null rises. Scores without spread say nothing.
        return (sign * t if np.isfinite(t) else 0.0) - critical

    def limit(sign: float) -> float:
        """The value below (sign 1) or above (sign -1) the estimate that is just not rejected."""
        return _crossing(lambda at: excess(at, sign), estimate, -sign, spread)

    return limit(1.0), limit(-1.0)


def _crossing(
    excess: Callable[[float], float], start: float, direction: float, spread: float
) -> float:
    """The first place in a direction at which the excess becomes positive; infinite for none."""
    inner, width = start, 0.05 / spread
    while width * spread < _FARTHEST:
        outer = start + direction * width
        if excess(outer) > 0.0:
            if excess(inner) > 0.0:
                return inner
            return float(optimize.brentq(excess, inner, outer, xtol=1e-9 / spread, rtol=1e-8))
        inner, width = outer, 1.6 * width
    return direction * np.inf
