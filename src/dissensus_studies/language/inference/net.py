"""The language effect net of the instrument, with anchors and offset estimated anew in resamples.

Write m(l, d) for a measure of debate d rendered in language l, and D(l) for the debate run in l.
The paired difference m(l, D(l)) - m(r, D(r)) between language l and the reference r is what the
debaters did plus what the ruler does: the **instrument offset**, the difference between languages
on parallel texts. It is measured in both directions, on the debates of the reference, m(l, D(r)) -
m(r, D(r)), and on those of the language, m(l, D(l)) - m(r, D(l)); the offset is the mean of the
two. The net effect is the paired difference less the offset. Where every debate is rendered this
is the mean of two differences with one ruler each, m(l, D(l)) - m(l, D(r)) and m(r, D(l)) -
m(r, D(r)).

Uncertainty. On the unclipped z the estimate is a smooth function of sums over motions (differences,
their numbers, the reference's values and squares). A resample of motions changes all of these, so
that each fits anchors and offset anew; its t is the deviation over the resample's own linearised
standard error, clustered on motion, and the interval is the estimate plus and minus the quantile of
|t| times the standard error: the symmetric studentised bootstrap (Hall 1988, Journal of the Royal
Statistical Society B 50:35-45). On bounded scales, which are not smooth, the standard deviation of
the estimates over resamples, refitted too, is taken with Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dissensus.stats.anchors import Clips
from dissensus.stats.bootstrap import satterthwaite
from dissensus.stats.ratios import cluster_weights
from dissensus.stats.results import NAN, Estimate, t_estimate

from .refitting import scaled

Array = NDArray[np.float64]

#: What is estimated: weights of the paired difference and of the offset in both directions.
PAIRED, OFFSET, NET = "paired", "offset", "net"
FORWARD, BACK = "offset_forward", "offset_back"

# Cells of resample x motion, or resample x draw, at a time; and for scales that are refitted value
# by value, the most cells and the fewest and most resamples.
_CELLS = 400_000
_MOST_CELLS, _FEWEST, _MOST = 20_000_000, 200, 2_000
#: Sums of a part: number and sum of the paired differences, of both offsets, and of the reference's
#: values with their squares.
_SUMS = 9


@dataclass(frozen=True)
class Readings:
    """What the parts of an outcome read on all texts of n draws, NaN where there is none.

    Attributes
    ----------
    treated, reference : the debates run in the language and in the reference, shape (n, k).
    reference_rendered : the reference's debates rendered in the language, shape (n, k).
    treated_rendered : the language's debates rendered in the reference, shape (n, k).
    motions : label of each draw's motion, shape (n,).
    """

    treated: Array
    reference: Array
    reference_rendered: Array
    treated_rendered: Array
    motions: NDArray[np.object_]

    @property
    def texts(self) -> tuple[Array, Array, Array, Array]:
        """All four, in the order in which the differences take them."""
        return (self.treated, self.reference, self.reference_rendered, self.treated_rendered)

    def part(self, number: int) -> Readings:
        """One of the parts alone."""
        treated, reference, forward, back = (text[:, [number]] for text in self.texts)
        return Readings(treated, reference, forward, back, self.motions)

    def of(self, draws: NDArray[np.bool_]) -> Readings:
        """Some of the draws."""
        treated, reference, forward, back = (text[draws] for text in self.texts)
        return Readings(treated, reference, forward, back, self.motions[draws])

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Which draws have the paired difference and both offsets, shape (3, n)."""
        return np.asarray(np.isfinite(_differences(*self.texts)).all(axis=2))


@dataclass(frozen=True)
class Scaling:
    """How parts are put together.

    Attributes
    ----------
    weights : of the parts.
    scale : the anchored scale, fitted on the reference's debates; None leaves values as they are.
    clips : where clipped scales cut.
    """

    weights: Sequence[float]
    scale: str | None
    clips: Clips = field(default_factory=Clips)


def _differences(treated: Array, reference: Array, forward: Array, back: Array) -> Array:
    """Paired difference and both offsets, (3, ...); NaN where there is none."""
    return np.stack([treated - reference, forward - reference, treated - back])


def functionals(readings: Readings) -> dict[str, Array]:
    """Name -> weights of paired difference, forward and back offset, of what can be estimated.

    Where one direction has no rendering, the offset is that of the other.
    """
    _, forward, back = (bool(there.any()) for there in readings.is_there)
    weights = {PAIRED: np.array([1.0, 0.0, 0.0])}
    if forward:
        weights[FORWARD] = np.array([0.0, 1.0, 0.0])
    if back:
        weights[BACK] = np.array([0.0, 0.0, 1.0])
    if forward or back:
        weights[OFFSET] = np.array([0.0, forward, back]) / (forward + back)
        weights[NET] = weights[PAIRED] - weights[OFFSET]
    return weights


def net_draws(readings: Readings) -> Array:
    """Per draw and part the mean of both differences with one ruler, (n, k); NaN without them."""
    forward = readings.treated - readings.reference_rendered
    return (forward + readings.treated_rendered - readings.reference) / 2.0


def estimate_net(
    readings: Readings, scaling: Scaling, confidence: float, resamples: int, seed: int
) -> dict[str, Estimate]:
    """Paired difference, offset in each direction and in the mean, and net effect.

    Parameters
    ----------
    readings : of the outcome's parts.
    scaling : how they are put together.
    confidence : level of the intervals.
    resamples : of motions; at most 2,000 on a bounded scale.
    seed : of the resamples, which all that is estimated shares.

    Returns
    -------
    Name -> estimate, for the names of :func:`functionals`; in the unit of the scale. All is NaN but
    the estimate where fewer than two motions, or no spread, leave no interval.
    """
    measured = np.stack([np.isfinite(text).all(axis=1) for text in readings.texts[:2]])
    readings = readings.of(np.asarray(measured.any(axis=0)))
    named = functionals(readings)
    codes = np.unique(readings.motions.astype(str), return_inverse=True)[1].astype(np.int64)
    count = len(np.unique(codes[readings.is_there[0]]))
    if not count:
        return {name: Estimate(NAN) for name in named}
    rng = np.random.default_rng(seed)
    if scaling.scale in (None, "z"):
        estimates = _studentised(readings, scaling, named, codes, confidence, resamples, rng)
    else:
        estimates = _refitted(readings, scaling, named, codes, confidence, resamples, rng)
    numbers = _numbers(readings, named)
    return {
        name: Estimate(
            estimate.estimate,
            estimate.se,
            estimate.ci_low,
            estimate.ci_high,
            estimate.p_value,
            numbers[name],
            count,
        )
        for name, estimate in estimates.items()
    }


def _numbers(readings: Readings, named: Mapping[str, Array]) -> dict[str, int]:
    """How many draws what is estimated rests on: of the net effect, the pairs."""
    pairs, forward, back = readings.is_there
    counts = {PAIRED: pairs, FORWARD: forward, BACK: back, OFFSET: forward | back, NET: pairs}
    return {name: int(counts[name].sum()) for name in named}


def _sums(readings: Readings, codes: NDArray[np.int64]) -> Array:
    """Sums over the draws of each motion, (motions, k, 9); values about the reference's mean."""
    count, sums = int(codes.max()) + 1, []
    for part in range(readings.reference.shape[1]):
        texts = [text[:, part] for text in readings.texts]
        centred = texts[1] - np.nanmean(texts[1]) if np.isfinite(texts[1]).any() else texts[1]
        columns = []
        for values in _differences(*texts):
            finite = np.isfinite(values)
            columns += [finite.astype(float), np.where(finite, values, 0.0)]
        finite = np.isfinite(centred)
        centred = np.where(finite, centred, 0.0)
        columns += [finite.astype(float), centred, centred**2]
        sums.append([np.bincount(codes, each, count) for each in columns])
    return np.moveaxis(np.array(sums), 2, 0)


def _values(totals: Array, scaling: Scaling, weights: Array) -> tuple[Array, Array]:
    """The estimate for totals of shape (..., k, 9), and its gradient, shaped as these."""
    value, gradient = np.zeros(totals.shape[:-2]), np.zeros_like(totals)
    for part, share in enumerate(scaling.weights):
        sums = totals[..., part, :]
        mean = np.zeros(sums.shape[:-1])
        for place, weight in enumerate(weights):
            if weight:
                number, total = sums[..., 2 * place], sums[..., 2 * place + 1]
                mean = mean + weight * total / number
                gradient[..., part, 2 * place] = -share * weight * total / number**2
                gradient[..., part, 2 * place + 1] = share * weight / number
        if scaling.scale is None:
            value = value + share * mean
            continue
        n, centre = sums[..., 6], sums[..., 7] / sums[..., 6]
        variance = sums[..., 8] / n - centre**2
        spread = np.sqrt(np.where(variance > 1e-12 * sums[..., 8] / n, variance, np.nan))
        gradient[..., part, :6] /= spread[..., None]
        slope = -share * mean / (2.0 * spread**3)
        gradient[..., part, 6] = slope * (centre**2 - variance) / n
        gradient[..., part, 7] = -2.0 * slope * centre / n
        gradient[..., part, 8] = slope / n
        value = value + share * mean / spread
    return value, gradient


def _studentised(
    readings: Readings,
    scaling: Scaling,
    named: Mapping[str, Array],
    codes: NDArray[np.int64],
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """The symmetric studentised bootstrap on raw values or on z."""
    sums = _sums(readings, codes)
    count, width = len(sums), sums.shape[1] * _SUMS
    flat = sums.reshape(count, width)
    n = sums[:, 0, 6].sum()
    # The reference's variance is taken with n - 1, as the anchor takes it.
    unit = np.sqrt((n - 1) / n) if scaling.scale == "z" and n > 1 else 1.0
    observed = {name: _with_error(flat, scaling, sums.shape, w) for name, w in named.items()}
    ratios: dict[str, list[Array]] = {name: [] for name in named}
    step = max(1, _CELLS // max(count, 1))
    with np.errstate(all="ignore"):
        for start in range(0, resamples if count > 1 else 0, step):
            drawn = cluster_weights(count, min(step, resamples - start), rng)
            totals = (drawn @ flat).reshape(-1, *sums.shape[1:])
            for name, weights in named.items():
                values, gradient = _values(totals, scaling, weights)
                influence = gradient.reshape(len(drawn), width) @ flat.T
                error = np.sqrt((drawn * influence**2).sum(axis=1) * count / (count - 1))
                deviation = np.abs(values - observed[name][0])
                ratios[name].append(np.where(error > 0, deviation / error, np.inf))
    estimates = {}
    for name, (value, error) in observed.items():
        estimate, se = float(value * unit), float(error * unit)
        t = np.concatenate(ratios[name]) if ratios[name] else np.empty(0)
        t = t[~np.isnan(t)]
        if not (len(t) and se > 0):
            estimates[name] = Estimate(estimate, se if se > 0 else NAN)
            continue
        half = se * float(np.quantile(t, confidence, method="inverted_cdf"))
        extreme = int((t >= abs(estimate) / se).sum())
        p_value = (extreme + 1) / (len(t) + 1)
        estimates[name] = Estimate(estimate, se, estimate - half, estimate + half, p_value)
    return estimates


def _with_error(
    flat: Array, scaling: Scaling, shape: tuple[int, ...], weights: Array
) -> tuple[float, float]:
    """The estimate and its linearised standard error, clustered, with G/(G - 1)."""
    with np.errstate(all="ignore"):
        totals = flat.sum(axis=0).reshape(shape[1:])
        value, gradient = _values(totals, scaling, weights)
        influence = flat @ gradient.reshape(-1)
    count = len(flat)
    squares = float((influence**2).sum())
    error = np.sqrt(squares * count / (count - 1)) if count > 1 else NAN
    # The rounding residue of motions that all agree.
    return float(value), float(error if squares > (1e-12 * abs(value)) ** 2 else 0.0)


def _refitted(
    readings: Readings,
    scaling: Scaling,
    named: Mapping[str, Array],
    codes: NDArray[np.int64],
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """Refitted in each resample value by value, for scales that are not smooth."""
    count, n = int(codes.max()) + 1, len(codes)
    times = max(_FEWEST, min(resamples, _MOST, _MOST_CELLS // n)) if count > 1 else 0
    observed = _means(readings, scaling, np.ones((1, n)))[0]
    means = [np.empty((0, 3))]
    step = max(1, _CELLS // n)
    for start in range(0, times, step):
        drawn = cluster_weights(count, min(step, times - start), rng)
        means.append(_means(readings, scaling, drawn[:, codes]))
    resampled = np.concatenate(means)
    df = satterthwaite(np.bincount(codes[readings.is_there[0]], minlength=count))
    estimates = {}
    for name, weights in named.items():
        used = weights != 0
        estimate = float(observed[used] @ weights[used])
        values = resampled[:, used] @ weights[used]
        values = values[np.isfinite(values)]
        se = float(values.std(ddof=1)) if len(values) > 1 else NAN
        usable = np.isfinite(estimate) and se > 1e-12 * abs(estimate) and np.isfinite(df)
        estimates[name] = (
            t_estimate(estimate, se, df, confidence, n, count) if usable else Estimate(estimate)
        )
    return estimates


def _means(readings: Readings, scaling: Scaling, weights: Array) -> Array:
    """Paired difference and both offsets for weights of the draws, (b, n): shape (b, 3)."""
    assert scaling.scale is not None
    texts = [np.zeros(weights.shape) for _ in range(4)]
    for part, share in enumerate(scaling.weights):
        if share:
            part_of = [text[:, part] for text in readings.texts]
            for total, values in zip(
                texts,
                scaled(scaling.scale, part_of, part_of[1], weights, scaling.clips),
                strict=True,
            ):
                total += share * values
    means = np.full((len(weights), 3), np.nan)
    for place, values in enumerate(_differences(*texts)):
        weighed = np.isfinite(values) & (weights > 0)
        mass = np.where(weighed, weights, 0.0).sum(axis=1)
        total = (np.where(weighed, values, 0.0) * weights).sum(axis=1)
        np.divide(total, mass, out=means[:, place], where=mass > 0)
    return means
